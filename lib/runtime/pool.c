#include "pool.h"

#include "alloc.h"
#include "env.h"
#include "error.h"
#include "quirks.h"
#include "queues.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define LEAST_LOG 8 /* the smallest block is 256 bytes */
#define STEPS 8     /* classes for each power of two */
#define CLASSES ((64 - LEAST_LOG) * STEPS)
#define CANDIDATES 4 /* blocks of a class whose markers are looked at before an unfinished one is taken */
#define USERS 6      /* queues other than the context's own that a block remembers in one life */

struct plait__block {
    plait__block *previous, *next; /* in pool->used or in one of pool->free */
    cl_mem mem;                    /* NULL once the pool is closed */
    size_t size;

    /* Of the present life. */
    _Atomic(plait_queue *) last_user; /* a queue that is registered: the one that uses it now, mostly */
    bool on_own;                      /* the context's own queue is registered */
    plait_queue *users[USERS];        /* the others, retained */
    unsigned n_users;
    bool crowded; /* there were more: the block goes back to the driver, which knows them all */

    /* Of earlier lives. */
    bool after_own; /* commands on the context's own queue */
    cl_event pending[USERS];
    unsigned n_pending;
};

struct plait__pool {
    plait_ctx *ctx;
    plait__mutex lock;
    uint64_t limit;
    bool poison;
    bool closed;
    plait__pool_counts counts;
    plait__block *used;
    plait__block *free[CLASSES];
};

/* The class whose size is the largest that is not above `bytes`; 0 below the smallest. */
static unsigned class_below(size_t bytes)
{
    unsigned log = LEAST_LOG;
    if (bytes >> LEAST_LOG == 0) {
        return 0;
    }
    while (bytes >> log > 1) {
        log++;
    }
    size_t step = (size_t)1 << (log - 3);
    return (log - LEAST_LOG) * STEPS + (unsigned)((bytes - ((size_t)1 << log)) / step);
}

static size_t class_size(unsigned class)
{
    unsigned log = class / STEPS + LEAST_LOG;
    return ((size_t)1 << log) + (size_t)(class % STEPS) * ((size_t)1 << (log - 3));
}

size_t plait__pool_class_size(size_t bytes)
{
    unsigned class = class_below(bytes);
    return class_size(class) >= bytes ? class_size(class) : class_size(class + 1);
}

plait_status plait__pool_create(plait__pool **out, plait_ctx *ctx, uint64_t limit)
{
    bool poison;
    PLAIT__TRY(plait__env_bool(&poison, "PLAIT_POISON", false));
    plait__pool *pool = plait__calloc(1, sizeof *pool);
    if (pool == NULL) {
        return PLAIT_E_NO_MEMORY;
    }
    plait_status status = plait__mutex_init(&pool->lock);
    if (status != PLAIT_OK) {
        free(pool);
        return status;
    }
    pool->ctx = ctx;
    pool->limit = limit;
    pool->poison = poison;
    *out = pool;
    return PLAIT_OK;
}

static void link_block(plait__block **list, plait__block *block)
{
    block->previous = NULL;
    block->next = *list;
    if (*list != NULL) {
        (*list)->previous = block;
    }
    *list = block;
}

static void unlink_block(plait__block **list, plait__block *block)
{
    if (block->previous != NULL) {
        block->previous->next = block->next;
    } else {
        *list = block->next;
    }
    if (block->next != NULL) {
        block->next->previous = block->previous;
    }
}

static void drop_pending(plait__block *block)
{
    for (unsigned i = 0; i < block->n_pending; i++) {
        clReleaseEvent(block->pending[i]);
    }
    block->n_pending = 0;
}

/* OpenCL itself keeps the memory until the commands that use it are done. */
static void destroy_block(plait__block *block)
{
    drop_pending(block);
    if (block->mem != NULL) {
        clReleaseMemObject(block->mem);
    }
    free(block);
}

static void destroy_list(plait__block *list)
{
    for (plait__block *next; list != NULL; list = next) {
        next = list->next;
        destroy_block(list);
    }
}

/* Takes unused blocks, the largest first, until `enough` bytes are in hand. Under the lock; the caller destroys them.
 */
static plait__block *evict(plait__pool *pool, uint64_t enough)
{
    plait__block *evicted = NULL;
    uint64_t got = 0;
    for (unsigned class = CLASSES; class -- > 0 && got < enough;) {
        while (pool->free[class] != NULL && got < enough) {
            plait__block *block = pool->free[class];
            unlink_block(&pool->free[class], block);
            pool->counts.held -= block->size;
            got += block->size;
            link_block(&evicted, block);
        }
    }
    return evicted;
}

void plait__pool_trim(plait__pool *pool)
{
    plait__lock(&pool->lock);
    plait__block *evicted = evict(pool, UINT64_MAX);
    plait__unlock(&pool->lock);
    destroy_list(evicted);
}

/* The present life's queues are no longer of interest. Not under the lock: a queue's last reference may be here. */
static void drop_users(plait__block *block)
{
    for (unsigned i = 0; i < block->n_users; i++) {
        plait_queue_release(block->users[i]);
    }
    block->n_users = 0;
}

void plait__pool_close(plait__pool *pool)
{
    plait__lock(&pool->lock);
    pool->closed = true;
    plait__block *unused = evict(pool, UINT64_MAX);
    plait__unlock(&pool->lock);
    destroy_list(unused);

    /* Blocks in use stay, without memory, until they are given back, which other threads may do meanwhile. */
    for (;;) {
        plait_queue *users[USERS];
        unsigned n_users = 0;
        plait__lock(&pool->lock);
        plait__block *block = pool->used;
        while (block != NULL && block->mem == NULL) {
            block = block->next;
        }
        cl_mem mem = NULL;
        if (block != NULL) {
            mem = block->mem;
            block->mem = NULL;
            pool->counts.held -= block->size;
            pool->counts.used -= block->size;
            drop_pending(block);
            for (; n_users < block->n_users; n_users++) {
                users[n_users] = block->users[n_users];
            }
            block->n_users = 0;
        }
        plait__unlock(&pool->lock);
        if (mem == NULL) {
            return;
        }
        clReleaseMemObject(mem);
        for (unsigned i = 0; i < n_users; i++) {
            plait_queue_release(users[i]);
        }
    }
}

void plait__pool_destroy(plait__pool *pool)
{
    if (pool != NULL) {
        assert(pool->used == NULL);
        plait__mutex_destroy(&pool->lock);
        free(pool);
    }
}

/* Whether the commands of earlier lives on other queues are done. */
static bool is_done(plait__block *block)
{
    for (unsigned i = 0; i < block->n_pending; i++) {
        cl_int state = CL_QUEUED;
        clGetEventInfo(block->pending[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
        if (state > CL_COMPLETE) {
            return false;
        }
    }
    drop_pending(block);
    return true;
}

/* An unused block that fits, unlinked; NULL if there is none. Under the lock. */
static plait__block *find_free(plait__pool *pool, size_t bytes)
{
    size_t most = bytes < ((size_t)1 << LEAST_LOG) ? (size_t)1 << LEAST_LOG : bytes + bytes / 4;
    for (unsigned class = class_below(bytes); class < CLASSES && class_size(class) <= most; class ++) {
        plait__block *first = NULL;
        unsigned looked_at = 0;
        for (plait__block *b = pool->free[class]; b != NULL && looked_at < CANDIDATES; b = b->next, looked_at++) {
            if (b->size < bytes) {
                continue;
            }
            if (is_done(b)) {
                first = b;
                break;
            }
            if (first == NULL) {
                first = b;
            }
        }
        if (first != NULL) {
            unlink_block(&pool->free[class], first);
            return first;
        }
    }
    return NULL;
}

/* `code` is the driver's refusal, CL_SUCCESS where it was the limit. */
static plait_status fail_memory(plait__pool *pool, size_t bytes, const char *function, cl_int code)
{
    char who[100] = "the limit";
    if (code != CL_SUCCESS) {
        snprintf(who, sizeof who, "the driver (%s)", plait__cl_error_name(code));
    }
    plait__pool_counts counts = plait__pool_count(pool);
    return plait__fail(PLAIT_E_DEVICE_MEMORY,
                       "%s: %zu bytes of memory of %s were asked for and %s refused: the context holds %" PRIu64
                       " bytes, %" PRIu64 " of them free, and its limit is %" PRIu64
                       "; release buffers or arrays, or raise the limit (opts.memory_limit, PLAIT_MEMORY_LIMIT)",
                       function, bytes, pool->ctx->info.name, who, counts.held, counts.held - counts.used, pool->limit);
}

/* Counts `size` as held, or makes room for it by evicting; false if the limit does not allow it. */
static bool reserve(plait__pool *pool, size_t size)
{
    plait__lock(&pool->lock);
    plait__block *evicted = NULL;
    uint64_t unused = pool->counts.held - pool->counts.used;
    bool fits = size <= pool->limit && pool->counts.held - unused <= pool->limit - size;
    if (fits) {
        uint64_t room = pool->limit - size;
        if (pool->counts.held > room) {
            evicted = evict(pool, pool->counts.held - room);
        }
        pool->counts.held += size;
    }
    plait__unlock(&pool->lock);
    destroy_list(evicted);
    return fits;
}

static void unreserve(plait__pool *pool, size_t size)
{
    plait__lock(&pool->lock);
    pool->counts.held -= size;
    plait__unlock(&pool->lock);
}

static cl_int enqueue_fill(plait__pool *pool, cl_mem mem, unsigned char byte, size_t size)
{
    const uint32_t pattern = byte * UINT32_C(0x01010101);
    return clEnqueueFillBuffer(pool->ctx->queue->cl, mem, &pattern, sizeof pattern, 0, size, 0, NULL, NULL);
}

static cl_int make_memory(plait__pool *pool, cl_mem *out, size_t size)
{
    cl_int code;
    cl_mem mem = clCreateBuffer(pool->ctx->cl, CL_MEM_READ_WRITE, size, NULL, &code);
    if (code == CL_SUCCESS && (pool->ctx->quirks & PLAIT__QUIRK_LAZY_MEMORY)) {
        /* Only a command makes the driver find out whether there is memory; better here than in a user's launch. */
        code = enqueue_fill(pool, mem, 0, sizeof(uint32_t));
        if (code != CL_SUCCESS) {
            clReleaseMemObject(mem);
        }
    }
    *out = code == CL_SUCCESS ? mem : NULL;
    return code;
}

static bool means_no_memory(cl_int code)
{
    return code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_RESOURCES || code == CL_OUT_OF_HOST_MEMORY ||
           code == CL_INVALID_BUFFER_SIZE;
}

/* A block from the driver. */
static plait_status make_block(plait__block **out, plait__pool *pool, size_t bytes, const char *function)
{
    size_t exact = (bytes + 31) / 32 * 32, size = plait__pool_class_size(bytes);
    if (exact > pool->ctx->caps.max_allocation) {
        exact = bytes;
    }
    if (size > pool->ctx->caps.max_allocation) {
        size = exact;
    }
    if (!reserve(pool, size)) {
        size = exact;
        if (!reserve(pool, size)) {
            return fail_memory(pool, bytes, function, CL_SUCCESS);
        }
    }
    plait__block *block = plait__calloc(1, sizeof *block);
    if (block == NULL) {
        unreserve(pool, size);
        return PLAIT_E_NO_MEMORY;
    }
    cl_int code = make_memory(pool, &block->mem, size);
    if (means_no_memory(code)) {
        plait__pool_trim(pool);
        plait__error saved = plait__error_save();
        plait__queues_finish(pool->ctx, function); /* memory given back is freed when its last command is done */
        plait__error_restore(&saved);
        code = make_memory(pool, &block->mem, size);
    }
    if (code != CL_SUCCESS) {
        unreserve(pool, size);
        free(block);
        return means_no_memory(code) ? fail_memory(pool, bytes, function, code)
                                     : plait__cl_fail(pool->ctx, code, function, "making a buffer of %zu bytes", bytes);
    }
    block->size = size;
    block->after_own = (pool->ctx->quirks & PLAIT__QUIRK_LAZY_MEMORY) != 0;
    *out = block;
    return PLAIT_OK;
}

plait_status plait__pool_take(plait__block **out, plait__pool *pool, size_t bytes, const char *function)
{
    assert(bytes > 0);
    *out = NULL;
    PLAIT__REQUIRE(bytes <= pool->ctx->caps.max_allocation, PLAIT_E_RANGE,
                   "%s: %zu bytes were asked for, but the largest buffer of %s has %" PRIu64
                   " bytes; split the data over several",
                   function, bytes, pool->ctx->info.name, pool->ctx->caps.max_allocation);
    plait__lock(&pool->lock);
    plait__block *block = find_free(pool, bytes);
    if (block == NULL) {
        plait__unlock(&pool->lock);
        PLAIT__TRY(make_block(&block, pool, bytes, function));
        plait__lock(&pool->lock);
    }
    pool->counts.used += block->size;
    if (pool->counts.used > pool->counts.peak) {
        pool->counts.peak = pool->counts.used;
    }
    link_block(&pool->used, block);
    plait__unlock(&pool->lock);

    if (pool->poison) {
        block->after_own = true; /* the fill, for other queues */
        cl_mem mem = plait__pool_use(pool, block, pool->ctx->queue);
        cl_int code = enqueue_fill(pool, mem, 0xFF, block->size / 4 * 4);
        if (code != CL_SUCCESS) {
            plait__pool_give(pool, block);
            return plait__cl_fail(pool->ctx, code, function, "filling fresh memory");
        }
    }
    *out = block;
    return PLAIT_OK;
}

/* The block's present life ends: leaves a marker on each of its queues but the context's own. */
static void mark_users(plait__block *block)
{
    if (block->on_own || block->n_users > 0) {
        drop_pending(block); /* whoever has used the block since has waited for them */
    }
    for (unsigned i = 0; i < block->n_users; i++) {
        cl_command_queue cl = block->users[i]->cl;
        if (clEnqueueMarkerWithWaitList(cl, 0, NULL, &block->pending[block->n_pending]) == CL_SUCCESS) {
            block->n_pending++;
            clFlush(cl);
        } else {
            plait__queue_wait(block->users[i]);
        }
    }
    drop_users(block);
    block->after_own = block->after_own || block->on_own;
    block->on_own = false;
    atomic_store_explicit(&block->last_user, NULL, memory_order_relaxed);
}

void plait__pool_give(plait__pool *pool, plait__block *block)
{
    plait__lock(&pool->lock);
    unlink_block(&pool->used, block);
    bool alive = block->mem != NULL;
    if (alive) {
        pool->counts.used -= block->size;
    }
    plait__unlock(&pool->lock);
    if (alive) {
        mark_users(block);
        plait__lock(&pool->lock);
        alive = !pool->closed && !block->crowded;
        if (alive) {
            link_block(&pool->free[class_below(block->size)], block);
        } else {
            pool->counts.held -= block->size;
        }
        plait__unlock(&pool->lock);
    }
    if (!alive) {
        destroy_block(block);
    }
}

static bool is_registered(const plait__block *block, const plait_queue *queue)
{
    if (queue == queue->ctx->queue) {
        return block->on_own;
    }
    for (unsigned i = 0; i < block->n_users; i++) {
        if (block->users[i] == queue) {
            return true;
        }
    }
    return false;
}

/* Makes `queue` wait for the commands of the block's earlier lives; on the host where the device cannot. */
static void order(plait__pool *pool, plait__block *block, plait_queue *queue)
{
    plait_queue *own = pool->ctx->queue;
    cl_event events[USERS + 1];
    cl_uint n = 0;
    for (; n < block->n_pending; n++) {
        events[n] = block->pending[n];
    }
    cl_event marker = NULL;
    if (queue != own && block->after_own) {
        if (clEnqueueMarkerWithWaitList(own->cl, 0, NULL, &marker) == CL_SUCCESS) {
            events[n++] = marker;
            clFlush(own->cl);
        } else {
            plait__queue_wait(own);
        }
    }
    if (n > 0 && clEnqueueBarrierWithWaitList(queue->cl, n, events, NULL) != CL_SUCCESS) {
        clWaitForEvents(n, events);
    }
    if (marker != NULL) {
        clReleaseEvent(marker);
    }
}

cl_mem plait__pool_use(plait__pool *pool, plait__block *block, plait_queue *queue)
{
    if (atomic_load_explicit(&block->last_user, memory_order_acquire) == queue) {
        return block->mem;
    }
    plait__lock(&pool->lock);
    bool known = is_registered(block, queue);
    if (!known) {
        order(pool, block, queue);
        if (queue == pool->ctx->queue) {
            block->on_own = known = true;
        } else if (block->n_users < USERS) {
            block->users[block->n_users++] = plait_queue_retain(queue);
            known = true;
        } else {
            block->crowded = true;
        }
    }
    if (known) {
        atomic_store_explicit(&block->last_user, queue, memory_order_release);
    }
    plait__unlock(&pool->lock);
    return block->mem;
}

plait__pool_counts plait__pool_count(plait__pool *pool)
{
    plait__lock(&pool->lock);
    plait__pool_counts counts = pool->counts;
    plait__unlock(&pool->lock);
    return counts;
}
