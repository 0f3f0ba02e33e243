/*
 * What the array layers may use of the runtime beyond the public headers.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#ifndef PLAIT__RUNTIME_H
#define PLAIT__RUNTIME_H

#include <plait/kernel.h>

/* Which of the two kernel skeletons of a family suits the device. */
typedef enum plait__skeleton {
    PLAIT__SKELETON_DEVICE = 0, /* many work-items, groups, local memory */
    PLAIT__SKELETON_CPU = 1     /* few work-items, local size 1, each a contiguous chunk */
} plait__skeleton;

/*
 * What code may branch on. Emulated limits (PLAIT_EMULATE="group=16,nofp64,nofp16,noint64atomics,local=1024,params=256,
 * memory=64M", for tests) and PLAIT_SKELETON=cpu|device are already applied. Constant while the context lives.
 */
typedef struct plait__caps {
    plait__skeleton skeleton;
    bool fp64, fp16, int64_atomics, denormals, correct_divide, unified_memory, timestamps;
    uint32_t compute_units;
    size_t max_group;    /* items of one group, all dimensions together; at least 1 */
    size_t groups[3];    /* the device's usual 1-D group sizes, largest first; equal entries where there are fewer */
    size_t local_memory; /* bytes */
    size_t max_parameter_bytes;
    uint64_t global_memory; /* bytes, after PLAIT_MEMORY_LIMIT and opts.memory_limit */
    uint64_t max_allocation;
    plait_dtype real;          /* opts.real, never DEFAULT */
    const char *build_options; /* what every generated program is built with (IEEE options where supported) */
} plait__caps;

const plait__caps *plait__ctx_caps(const plait_ctx *ctx);
bool plait__ctx_track_leaks(const plait_ctx *ctx); /* opts.track_leaks */

/* PLAIT_OK, or the failure (recorded) that `function` reports when ctx is NULL, closed, lost, or of the parent process.
 */
plait_status plait__ctx_check(const plait_ctx *ctx, const char *function);

/* Arrays and other objects hold their context: the struct lives until the last reference goes, closed or not. */
plait_ctx *plait__ctx_retain(plait_ctx *ctx);
void plait__ctx_release(plait_ctx *ctx);

/*
 * State that a higher layer keeps in a context. `attach` is called at most once per slot and context, under a lock, by
 * plait__ctx_state; on_close runs in plait_close while the device still works; on_free with the struct itself.
 */
typedef enum plait__slot { PLAIT__SLOT_ARRAY, PLAIT__SLOT_LINALG, PLAIT__SLOT_FFT, PLAIT__SLOT_COUNT } plait__slot;
typedef struct plait__slot_ops {
    void *(*attach)(plait_ctx *ctx);                       /* NULL: failed, error recorded */
    plait_status (*on_close)(plait_ctx *ctx, void *state); /* NULL: nothing to do */
    void (*on_free)(void *state);
} plait__slot_ops;
void *plait__ctx_state(plait_ctx *ctx, plait__slot slot, const plait__slot_ops *ops);

/* Counts for plait_ctx_stats. */
void plait__ctx_count_arrays(plait_ctx *ctx, int delta);

void plait__ctx_log(plait_ctx *ctx, plait_log_level level, const char *format, ...) PLAIT_PRINTF(3, 4);

/*
 * The program of a generated text, built at most once a context: a table by hash in front of the disk cache. `text` may
 * contain #include of embedded files (cl/...; PLAIT_KERNEL_PATH overrides them). `name` names it in logs. The program
 * is borrowed: the context keeps it until it is closed.
 */
plait_status plait__program_get(plait_ctx *ctx, const char *name, const char *text, size_t length, const char *options,
                                plait_program **out);

/* As above, one kernel of it; borrowed likewise. */
plait_status plait__kernel_get(plait_ctx *ctx, const char *program_name, const char *text, size_t length,
                               const char *options, const char *kernel_name, plait_kernel **out);

/*
 * What plait_launch_n would find wrong, without a launch, for calls that are recorded: arrays (PLAIT_IN, PLAIT_OUT,
 * PLAIT_INOUT, with the array's dtype and shape in the argument) stand where buffers will. `function` begins the
 * sentences. Errors as plait_launch_n; PLAIT_E_ARGUMENT for a buffer.
 */
plait_status plait__launch_check(plait_kernel *kernel, const plait_grid *grid, const plait_arg *args, size_t n_args,
                                 const char *function);

/* A launch without signature checks, for generated kernels. Exactly one of buffer, (value, size), local_bytes. */
typedef struct plait__raw_arg {
    plait_buffer *buffer; /* NULL with size 0 and local_bytes 0: a null pointer */
    size_t size;          /* of value, 0 if not a value */
    size_t local_bytes;
    unsigned char value[24];
} plait__raw_arg;

/* group[0] = 0: the driver chooses. The sizes are passed on as they are. event may be NULL. */
plait_status plait__launch_raw(plait_queue *queue, plait_kernel *kernel, uint32_t dims, const size_t *global,
                               const size_t *group, const plait__raw_arg *args, size_t n_args, plait_event **event);

#endif
