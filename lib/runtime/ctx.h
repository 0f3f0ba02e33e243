/*
 * The context's struct, for the runtime's own files.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 * Lock order: pool lock before log; program lock before pool; no driver call that builds, and no user callback, under
 * any of them.
 */
#ifndef PLAIT__CTX_H
#define PLAIT__CTX_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>
#include <stdatomic.h>

#include "logger.h"
#include "runtime.h"
#include "thread.h"

typedef struct plait__pool plait__pool;                   /* pool.h */
typedef struct plait__disk_cache plait__disk_cache;       /* disk_cache.h */
typedef struct plait__program_table plait__program_table; /* program_table.h */

struct plait_ctx {
    plait__refs refs;
    atomic_bool closing; /* plait_close has begun: what higher layers do to finish still works */
    atomic_bool closed;
    atomic_bool lost;
    uint32_t fork_generation;
    plait_device_info info; /* strings owned by `devices` */
    plait_device_list *devices;
    cl_platform_id cl_platform;
    cl_device_id cl_device;
    cl_context cl;
    plait__caps caps;
    uint32_t quirks; /* PLAIT__QUIRK_... bits of quirks.def */
    plait__logger logger;
    bool track_leaks;
    plait_queue *queue;
    plait__pool *pool;
    plait__disk_cache *cache; /* NULL: no disk cache */
    plait__program_table *programs;
    plait__mutex slot_lock; /* held while a slot's state is attached */
    _Atomic(void *) slots[PLAIT__SLOT_COUNT];
    const plait__slot_ops *slot_ops[PLAIT__SLOT_COUNT];
    plait__mutex lock;   /* of the list of queues */
    plait_queue *queues; /* all live queues but the context's own, linked through the queue */
    struct {
        atomic_uint_least64_t source_builds, binary_loads, program_hits, cache_rejects, build_ns, kernels, launches,
            bytes_to_device, bytes_from_device, buffers, arrays;
    } stats;
};

/*
 * The driver must not be called any more: it belongs to the process that this one was forked from, or its own exit
 * handlers may have run. Objects are then left as they are.
 */
static inline bool plait__ctx_out_of_reach(const plait_ctx *ctx)
{
    return plait__forked(ctx->fork_generation) || plait__exiting();
}

/*
 * Turns an OpenCL code into a recorded failure: "function: what failed: CL_OUT_OF_RESOURCES (-5): advice". A code that
 * means the device is gone marks the context lost. Returns the plait_status.
 */
plait_status plait__cl_fail(plait_ctx *ctx, cl_int code, const char *function, const char *format, ...)
    PLAIT_PRINTF(4, 5);
const char *plait__cl_error_name(cl_int code);

/*
 * What plait_open and plait_close ask of the disk cache and the program table. `folder` is opts.cache_folder: NULL for
 * the default place, "" for none, which gives success and NULL, as does a folder that cannot be used (with a warning in
 * the log). The functions that free take NULL; they run while the context still works.
 */
plait_status plait__disk_cache_open(plait__disk_cache **out, plait_ctx *ctx, const char *folder);
void plait__disk_cache_close(plait__disk_cache *cache);
const char *plait__disk_cache_folder(const plait__disk_cache *cache); /* "" for NULL */
plait_status plait__program_table_create(plait__program_table **out, plait_ctx *ctx);
void plait__program_table_free(plait__program_table *table);

/* The cl_mem of a buffer (NULL for an empty one), noting that `queue` uses it from now on. */
cl_mem plait__buffer_use(plait_buffer *buffer, plait_queue *queue);

/* The cl_command_queue of a queue, and wrapping of a cl_event (takes the reference over). */
cl_command_queue plait__queue_cl(plait_queue *queue);
plait_ctx *plait__queue_ctx(const plait_queue *queue);
plait_status plait__event_wrap(plait_event **out, plait_queue *queue, cl_event event);

#endif
