/*
 * Plait: a context is one open device, with its memory pool, program cache, queues and arrays.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 *     plait_ctx *gpu;
 *     if (plait_open(&gpu, NULL)) return die(plait_last_error());
 *     ...
 *     plait_close(gpu);
 *
 * Threads: a context may be used from any number of threads at once. It belongs to the process that opened it: after
 * fork, the child's calls fail with PLAIT_E_FORKED and the parent's go on.
 */
#ifndef PLAIT_CONTEXT_H
#define PLAIT_CONTEXT_H

#include <plait/device.h>
#include <plait/dtype.h>
#include <plait/log.h>

PLAIT_BEGIN

typedef struct plait_ctx plait_ctx;

/* Options of plait_open. Zero in every member but size means the default. */
typedef struct plait_ctx_opts {
    size_t size;              /* set by PLAIT_CTX_OPTS */
    const char *device;       /* what device.h describes; beats PLAIT_DEVICE */
    uint64_t memory_limit;    /* bytes of device memory the context may hold; default PLAIT_MEMORY_LIMIT, else all */
    const char *cache_folder; /* of compiled programs; default PLAIT_CACHE_DIR, else $XDG_CACHE_HOME/plait, else
                                 ~/.cache/plait; "" switches the disk cache off */
    plait_dtype real;         /* what integers become in float functions: PLAIT_F32 (default) or PLAIT_F64 */
    plait_log_fn log;
    void *log_user;
    plait_log_level log_level; /* the least important level that is reported; default PLAIT_LOG_WARNING */
    bool profile;              /* events of the context's own queue carry device times (a few us more a launch) */
    bool track_leaks;          /* remember who keeps an array; plait_close logs those still kept, with file and line */
} plait_ctx_opts;

#define PLAIT_CTX_OPTS PLAIT_OPTS_(plait_ctx_opts)
PLAIT_API void plait_ctx_opts_init(plait_ctx_opts *opts);

/*
 * Opens a device. *out is NULL on failure. Errors: PLAIT_E_NO_DEVICE (the sentence lists what exists, or says which
 * line installs a driver), PLAIT_E_ARGUMENT for a bad option, PLAIT_E_OPENCL, PLAIT_E_NO_MEMORY, PLAIT_E_FORKED. Since
 * 0.1.
 */
PLAIT_API plait_status plait_open(plait_ctx **out, const plait_ctx_opts *opts);

/*
 * Waits for the work in flight, empties every thread's root scope in this context, and frees the device memory. Objects
 * of the context that are still held stay valid to release, from any thread and at any time; every other call on them
 * gives PLAIT_E_CLOSED, and none may be under way in another thread while this one runs. Returns the first failure of
 * work that had not been waited for. NULL is fine; a second close of the same context gives PLAIT_E_CLOSED as long as
 * an object of it is held.
 *
 * A program may exit without it. Once exit was called or main has returned, drivers are no longer to be relied on, and
 * Plait calls none: plait_close and releases (in destructors of static objects, say) do nothing and succeed, all other
 * calls give PLAIT_E_CLOSED. Since 0.1.
 */
PLAIT_API plait_status plait_close(plait_ctx *ctx);

/* The context's device; lives as long as the context is open. NULL for NULL. */
PLAIT_API const plait_device_info *plait_ctx_device(const plait_ctx *ctx);

/* Waits until everything enqueued so far on every queue of the context is done. Errors: the first of that work's. */
PLAIT_API plait_status plait_finish(plait_ctx *ctx);

/* Counters since plait_open. Sizes in bytes, times in nanoseconds of host time. */
typedef struct plait_stats {
    size_t size;            /* set by PLAIT_STATS */
    uint64_t source_builds; /* programs the driver compiled from source */
    uint64_t binary_loads;  /* programs loaded from the disk cache */
    uint64_t program_hits;  /* programs found in the context's own table */
    uint64_t cache_rejects; /* entries of the disk cache that were damaged, foreign or refused by the driver */
    uint64_t build_ns;      /* spent in the driver's compiler and loader */
    uint64_t kernels;       /* distinct kernels created */
    uint64_t launches;      /* kernels enqueued */
    uint64_t bytes_to_device;
    uint64_t bytes_from_device;
    uint64_t memory_held; /* obtained from the driver: in use and pooled */
    uint64_t memory_used; /* in use by buffers */
    uint64_t memory_peak; /* the largest memory_used so far */
    uint64_t buffers;     /* live buffers */
    uint64_t arrays;      /* live arrays of this context */
} plait_stats;

#define PLAIT_STATS PLAIT_OPTS_(plait_stats)
PLAIT_API void plait_stats_init(plait_stats *stats);

/* Fills *stats, as far as its `size` reaches. Errors: PLAIT_E_NULL, PLAIT_E_ARGUMENT (size 0), PLAIT_E_CLOSED. */
PLAIT_API plait_status plait_ctx_stats(const plait_ctx *ctx, plait_stats *stats);

/* Gives pooled memory that nothing uses back to the driver. */
PLAIT_API plait_status plait_ctx_trim(plait_ctx *ctx);

/* The folder of the disk cache in use, "" when there is none. Lives as long as the context is open. */
PLAIT_API const char *plait_ctx_cache_folder(const plait_ctx *ctx);

PLAIT_END

#endif
