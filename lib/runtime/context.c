#include "ctx.h"

#include "alloc.h"
#include "caps.h"
#include "choose.h"
#include "devices.h"
#include "emulate.h"
#include "env.h"
#include "error.h"
#include "opts.h"
#include "pool.h"
#include "queues.h"
#include "quirks.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void plait_ctx_opts_init(plait_ctx_opts *opts)
{
    if (opts != NULL) {
        *opts = (plait_ctx_opts)PLAIT_CTX_OPTS;
    }
}

void plait_stats_init(plait_stats *stats)
{
    if (stats != NULL) {
        *stats = (plait_stats)PLAIT_STATS;
    }
}

/* ---- opening ---- */

static plait_status check_opts(const plait_ctx_opts *o)
{
    PLAIT__REQUIRE(o->real == PLAIT_DTYPE_DEFAULT || o->real == PLAIT_F32 || o->real == PLAIT_F64, PLAIT_E_ARGUMENT,
                   "plait_open: opts.real is %s; it can be f32 or f64", plait_dtype_name(o->real));
    PLAIT__REQUIRE((int)o->log_level >= 0 && o->log_level <= PLAIT_LOG_DEBUG, PLAIT_E_ARGUMENT,
                   "plait_open: opts.log_level is %d; it can be PLAIT_LOG_ERROR to PLAIT_LOG_DEBUG", (int)o->log_level);
    return PLAIT_OK;
}

static plait_status find_device(plait_ctx *ctx, const plait_ctx_opts *o, plait__strbuf *why)
{
    PLAIT__TRY(plait_device_list_create(&ctx->devices));
    const plait_device_list *list = ctx->devices;
    const char *wanted = o->device, *origin = "opts.device";
    if (wanted == NULL) {
        wanted = plait__env_text("PLAIT_DEVICE");
        origin = "PLAIT_DEVICE";
    }
    size_t index = 0;
    PLAIT__TRY(plait__choose("plait_open", list->infos, list->n_devices, wanted, origin, list->advice, &index, why));
    ctx->info = list->infos[index];
    ctx->cl_platform = list->devices[index].platform;
    ctx->cl_device = list->devices[index].id;
    ctx->quirks = list->devices[index].quirks;
    return PLAIT_OK;
}

static plait_status settle_caps(plait_ctx *ctx, const plait_ctx_opts *o)
{
    plait__emulation emulation;
    PLAIT__TRY(plait__emulation_parse(&emulation, plait__env_text("PLAIT_EMULATE")));
    plait__emulation_apply(&emulation, &ctx->info);
    plait__caps_fill(&ctx->caps, &ctx->info);
    if ((ctx->quirks & PLAIT__QUIRK_LOOPS_END_EARLY) != 0) {
        ctx->caps.skeleton = PLAIT__SKELETON_DEVICE; /* whose loops are short: many items share the work */
    }
    PLAIT__TRY(plait__skeleton_parse(&ctx->caps.skeleton, plait__env_text("PLAIT_SKELETON")));

    uint64_t limit = o->memory_limit;
    if (limit == 0) {
        PLAIT__TRY(plait__env_size(&limit, "PLAIT_MEMORY_LIMIT", 0));
    }
    if (limit != 0 && limit < ctx->caps.global_memory) {
        ctx->caps.global_memory = limit;
    }
    if (ctx->caps.global_memory < ctx->caps.max_allocation) {
        ctx->caps.max_allocation = ctx->caps.global_memory;
    }
    ctx->caps.real = o->real == PLAIT_DTYPE_DEFAULT ? PLAIT_F32 : o->real;
    PLAIT__REQUIRE(ctx->caps.real != PLAIT_F64 || ctx->caps.fp64, PLAIT_E_UNSUPPORTED,
                   "plait_open: opts.real is f64, but %s has no double precision", ctx->info.name);
    return PLAIT_OK;
}

static plait_status set_up(plait_ctx *ctx, const plait_ctx_opts *o)
{
    plait__strbuf why = {0};
    plait_status status = find_device(ctx, o, &why);
    if (status == PLAIT_OK) {
        plait__ctx_log(ctx, PLAIT_LOG_INFO, "device %zu, %s (%s): %s", ctx->info.index, ctx->info.name,
                       ctx->info.platform_name, plait__strbuf_text(&why));
    }
    plait__strbuf_free(&why);
    PLAIT__TRY(status);
    PLAIT__TRY(settle_caps(ctx, o));

    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)ctx->cl_platform, 0};
    cl_int code;
    ctx->cl = clCreateContext(properties, 1, &ctx->cl_device, NULL, NULL, &code);
    if (code != CL_SUCCESS) {
        ctx->cl = NULL;
        return plait__cl_fail(ctx, code, "plait_open", "making an OpenCL context on %s", ctx->info.name);
    }
    PLAIT__TRY(plait__queue_create_own(&ctx->queue, ctx, o->profile));
    PLAIT__TRY(plait__pool_create(&ctx->pool, ctx, ctx->caps.global_memory));
    PLAIT__TRY(plait__disk_cache_open(&ctx->cache, ctx, o->cache_folder));
    return plait__program_table_create(&ctx->programs, ctx);
}

/* Gives everything back to the driver. What a failed plait_open has not made is NULL. */
static void tear_down(plait_ctx *ctx)
{
    plait__program_table_free(ctx->programs);
    ctx->programs = NULL;
    plait__disk_cache_close(ctx->cache);
    ctx->cache = NULL;
    if (ctx->pool != NULL) {
        plait__pool_close(ctx->pool);
    }
    if (ctx->queue != NULL) {
        clReleaseCommandQueue(ctx->queue->cl);
    }
    if (ctx->cl != NULL) {
        clReleaseContext(ctx->cl);
    }
}

/* The struct itself, after tear_down. */
static void destroy(plait_ctx *ctx)
{
    for (int slot = PLAIT__SLOT_COUNT; slot-- > 0;) {
        void *state = atomic_load(&ctx->slots[slot]);
        if (state != NULL) {
            ctx->slot_ops[slot]->on_free(state);
        }
    }
    plait__pool_destroy(ctx->pool);
    plait__queue_destroy_own(ctx->queue);
    plait_device_list_release(ctx->devices);
    plait__mutex_destroy(&ctx->slot_lock);
    plait__mutex_destroy(&ctx->lock);
    free(ctx);
}

plait_status plait_open(plait_ctx **out, const plait_ctx_opts *opts)
{
    PLAIT__REQUIRE_ARG(out);
    *out = NULL;
    plait_ctx_opts o;
    PLAIT__TRY(plait__opts_read(__func__, &o, sizeof o, opts));
    PLAIT__TRY(check_opts(&o));
    plait_ctx *ctx = plait__calloc(1, sizeof *ctx);
    if (ctx == NULL) {
        return PLAIT_E_NO_MEMORY;
    }
    plait__refs_init(&ctx->refs);
    ctx->fork_generation = plait__fork_generation();
    ctx->logger = (plait__logger){.fn = o.log, .user = o.log_user, .level = o.log_level};
    ctx->track_leaks = o.track_leaks;
    plait_status status = plait__mutex_init(&ctx->lock);
    if (status != PLAIT_OK) {
        free(ctx);
        return status;
    }
    status = plait__mutex_init(&ctx->slot_lock);
    if (status != PLAIT_OK) {
        plait__mutex_destroy(&ctx->lock);
        free(ctx);
        return status;
    }
    status = set_up(ctx, &o);
    if (status != PLAIT_OK) {
        plait__error saved = plait__error_save();
        tear_down(ctx);
        destroy(ctx);
        plait__error_restore(&saved);
        return status;
    }
    *out = ctx;
    return PLAIT_OK;
}

/* ---- closing ---- */

plait_ctx *plait__ctx_retain(plait_ctx *ctx)
{
    plait__refs_up(&ctx->refs);
    return ctx;
}

void plait__ctx_release(plait_ctx *ctx)
{
    if (!plait__ctx_out_of_reach(ctx) && plait__refs_down(&ctx->refs)) {
        destroy(ctx); /* plait_close, which holds a reference of its own, has been */
    }
}

plait_status plait_close(plait_ctx *ctx)
{
    if (ctx == NULL) {
        return PLAIT_OK;
    }
    PLAIT__REQUIRE(!plait__forked(ctx->fork_generation), PLAIT_E_FORKED,
                   "plait_close: the context belongs to the process that this one was forked from");
    if (plait__exiting()) {
        return PLAIT_OK;
    }
    PLAIT__REQUIRE(!atomic_exchange(&ctx->closing, true), PLAIT_E_CLOSED, "plait_close: the context on %s is closed",
                   ctx->info.name);
    plait_status first = PLAIT_OK;
    plait__error failure = {0};
    for (int slot = PLAIT__SLOT_COUNT; slot-- >= 0;) {
        /* Layers from the highest down, then the queues: each may fail, the first failure is what is reported. */
        plait_status status = PLAIT_OK;
        if (slot >= 0) {
            void *state = atomic_load(&ctx->slots[slot]);
            if (state != NULL && ctx->slot_ops[slot]->on_close != NULL) {
                status = ctx->slot_ops[slot]->on_close(ctx, state);
            }
        } else {
            status = plait__queues_finish(ctx, __func__);
        }
        if (status != PLAIT_OK && first == PLAIT_OK) {
            first = status;
            failure = plait__error_save();
        }
    }
    atomic_store(&ctx->closed, true);
    tear_down(ctx);
    if (first != PLAIT_OK) {
        plait__error_restore(&failure);
    }
    plait__ctx_release(ctx);
    return first;
}

/* ---- in between ---- */

plait_status plait__ctx_check(const plait_ctx *ctx, const char *function)
{
    if (ctx == NULL) {
        return plait__fail_null(function, "ctx");
    }
    PLAIT__REQUIRE(!plait__forked(ctx->fork_generation), PLAIT_E_FORKED,
                   "%s: the context belongs to the process that this one was forked from; fork before opening a "
                   "context, or exec in the child",
                   function);
    PLAIT__REQUIRE(!plait__exiting(), PLAIT_E_CLOSED, "%s: the process is exiting", function);
    PLAIT__REQUIRE(!atomic_load_explicit(&ctx->closed, memory_order_acquire), PLAIT_E_CLOSED,
                   "%s: the context has been closed", function);
    PLAIT__REQUIRE(!atomic_load_explicit(&ctx->lost, memory_order_relaxed), PLAIT_E_DEVICE_LOST,
                   "%s: the device was lost after an earlier failure; close the context and open another", function);
    return PLAIT_OK;
}

const plait_device_info *plait_ctx_device(const plait_ctx *ctx)
{
    PLAIT__REQUIRE_ARG_PTR(ctx);
    return &ctx->info;
}

const plait__caps *plait__ctx_caps(const plait_ctx *ctx)
{
    return &ctx->caps;
}

bool plait__ctx_track_leaks(const plait_ctx *ctx)
{
    return ctx->track_leaks;
}

const char *plait_ctx_cache_folder(const plait_ctx *ctx)
{
    return ctx == NULL || atomic_load(&ctx->closed) ? "" : plait__disk_cache_folder(ctx->cache);
}

plait_status plait_finish(plait_ctx *ctx)
{
    PLAIT__TRY(plait__ctx_check(ctx, __func__));
    return plait__queues_finish(ctx, __func__);
}

plait_status plait_ctx_stats(const plait_ctx *ctx, plait_stats *stats)
{
    PLAIT__REQUIRE_ARG(ctx);
    PLAIT__REQUIRE_ARG(stats);
    PLAIT__REQUIRE(stats->size >= sizeof stats->size, PLAIT_E_ARGUMENT,
                   "plait_ctx_stats: stats->size is %zu; start from PLAIT_STATS", stats->size);
    PLAIT__TRY(plait__ctx_check(ctx, __func__));
    plait__pool_counts memory = plait__pool_count(ctx->pool);
    plait_stats now = {
        .size = stats->size,
        .source_builds = atomic_load(&ctx->stats.source_builds),
        .binary_loads = atomic_load(&ctx->stats.binary_loads),
        .program_hits = atomic_load(&ctx->stats.program_hits),
        .cache_rejects = atomic_load(&ctx->stats.cache_rejects),
        .build_ns = atomic_load(&ctx->stats.build_ns),
        .kernels = atomic_load(&ctx->stats.kernels),
        .launches = atomic_load(&ctx->stats.launches),
        .bytes_to_device = atomic_load(&ctx->stats.bytes_to_device),
        .bytes_from_device = atomic_load(&ctx->stats.bytes_from_device),
        .memory_held = memory.held,
        .memory_used = memory.used,
        .memory_peak = memory.peak,
        .buffers = atomic_load(&ctx->stats.buffers),
        .arrays = atomic_load(&ctx->stats.arrays),
    };
    memcpy(stats, &now, stats->size < sizeof now ? stats->size : sizeof now);
    return PLAIT_OK;
}

plait_status plait_ctx_trim(plait_ctx *ctx)
{
    PLAIT__TRY(plait__ctx_check(ctx, __func__));
    plait__pool_trim(ctx->pool);
    return PLAIT_OK;
}

void *plait__ctx_state(plait_ctx *ctx, plait__slot slot, const plait__slot_ops *ops)
{
    void *state = atomic_load_explicit(&ctx->slots[slot], memory_order_acquire);
    if (state == NULL) {
        plait__lock(&ctx->slot_lock);
        state = atomic_load(&ctx->slots[slot]);
        if (state == NULL) {
            state = ops->attach(ctx);
            ctx->slot_ops[slot] = ops;
            atomic_store_explicit(&ctx->slots[slot], state, memory_order_release);
        }
        plait__unlock(&ctx->slot_lock);
    }
    return state;
}

void plait__ctx_count_arrays(plait_ctx *ctx, int delta)
{
    if (delta >= 0) {
        atomic_fetch_add_explicit(&ctx->stats.arrays, (uint64_t)delta, memory_order_relaxed);
    } else {
        atomic_fetch_sub_explicit(&ctx->stats.arrays, (uint64_t)-delta, memory_order_relaxed);
    }
}

void plait__ctx_log(plait_ctx *ctx, plait_log_level level, const char *format, ...)
{
    if (!plait__log_wanted(&ctx->logger, level)) {
        return;
    }
    char text[4000]; /* build logs go through it, and are cut */
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    plait__log(&ctx->logger, level, "%s", text);
}
