/*
 * The pool of a context's device memory. Making a cl_mem costs 65 to 450 us on some drivers; taking a block that was
 * used before costs no driver call.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 * Sizes are rounded up to eight classes for each power of two, so at most an eighth is lost; a block of the next larger
 * class is taken too as long as no more than a quarter is lost. When the driver or the limit refuses a new block, what
 * is unused goes back to the driver, and it is tried once more.
 *
 * A block is used again only after the commands that use it. The context's own queue is the usual user, and orders its
 * commands by itself: a block that only it has used is free for it at once, and any other queue waits for a marker when
 * it first uses the block in its new life. Queues other than the context's own leave a marker each when the block is
 * given back, and the next life's first use on any queue waits for it on the device.
 *
 * Threads: any. A block is given back once, by one thread, after all calls that pass it to plait__pool_use.
 */
#ifndef PLAIT__POOL_H
#define PLAIT__POOL_H

#include "ctx.h"

typedef struct plait__block plait__block;

typedef struct plait__pool_counts {
    uint64_t held; /* obtained from the driver */
    uint64_t used; /* of that, in blocks that were taken */
    uint64_t peak; /* the largest `used` so far */
} plait__pool_counts;

/* `limit` bounds `held`. PLAIT_POISON=1 fills every block that is taken with 0xFF bytes (NaN in every float dtype). */
plait_status plait__pool_create(plait__pool **out, plait_ctx *ctx, uint64_t limit);

/* Gives all memory back to the driver, also that of blocks in use. The context's queue still exists. */
void plait__pool_close(plait__pool *pool);

/* Frees the pool itself, closed and with all blocks given back. NULL is fine. */
void plait__pool_destroy(plait__pool *pool);

/*
 * A block of at least `bytes` (not 0) bytes. Errors: PLAIT_E_RANGE above the device's largest buffer;
 * PLAIT_E_DEVICE_MEMORY; PLAIT_E_NO_MEMORY; PLAIT_E_OPENCL.
 */
plait_status plait__pool_take(plait__block **out, plait__pool *pool, size_t bytes, const char *function);
void plait__pool_give(plait__pool *pool, plait__block *block);

/* The block's memory for commands that are about to be enqueued to `queue`, which is noted. */
cl_mem plait__pool_use(plait__pool *pool, plait__block *block, plait_queue *queue);

/* Gives what is not in use back to the driver. */
void plait__pool_trim(plait__pool *pool);

plait__pool_counts plait__pool_count(plait__pool *pool);

/* The size of the block that `bytes` bytes are rounded up to. */
size_t plait__pool_class_size(size_t bytes);

#endif
