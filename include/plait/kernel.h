/*
 * Plait: kernels and their launch.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 *     plait_kernel *blur;
 *     plait_kernel_create(&blur, program, "blur");
 *     plait_launch(queue, blur, PLAIT_GRID(width, height),
 *                  PLAIT_BUFFER(src), PLAIT_BUFFER(dst), PLAIT_INT(width), PLAIT_LOCAL(18 * 18 * 4));
 *
 * Arguments travel with the launch; nothing is stored in the kernel, so several threads may launch one kernel at a
 * time. They are checked against the kernel's real signature: a missing one, one of the wrong size or kind is
 * PLAIT_E_KERNEL with the argument's index and name, and nothing is launched.
 */
#ifndef PLAIT_KERNEL_H
#define PLAIT_KERNEL_H

#include <plait/buffer.h>
#include <plait/program.h>
#include <plait/shape.h>

PLAIT_BEGIN

struct plait_array; /* array.h; arrays are arguments of plait_call only */

/* Immutable once made; any thread may use, launch and release it. It keeps its program alive. */
typedef struct plait_kernel plait_kernel;

/* Errors: PLAIT_E_KERNEL listing the kernels there are; PLAIT_E_NULL. The caller releases *out. */
PLAIT_API plait_status plait_kernel_create(plait_kernel **out, plait_program *program, const char *name);
PLAIT_API plait_kernel *plait_kernel_retain(plait_kernel *kernel);
PLAIT_API void plait_kernel_release(plait_kernel *kernel); /* NULL is fine */
PLAIT_API const char *plait_kernel_name(const plait_kernel *kernel);
PLAIT_API plait_ctx *plait_kernel_ctx(const plait_kernel *kernel); /* borrowed */

/* 0 where the driver does not tell: such a parameter takes what it is given. */
typedef enum plait_param_kind {
    PLAIT_PARAM_VALUE = 1, /* a scalar, vector or struct by value */
    PLAIT_PARAM_GLOBAL = 2,
    PLAIT_PARAM_CONSTANT = 3,
    PLAIT_PARAM_LOCAL = 4,
    PLAIT_PARAM_OTHER = 5 /* image, sampler, pipe: cannot be passed yet */
} plait_param_kind;

/* One parameter of a kernel's signature. The strings live as long as the kernel. */
typedef struct plait_param {
    const char *name;
    const char *type; /* as the driver spells it: "float*", "uint" */
    plait_param_kind kind;
    bool is_const;     /* a pointer to const */
    plait_dtype dtype; /* of a scalar, or of what a pointer points to; PLAIT_DTYPE_DEFAULT if it is none of them */
    size_t bytes;      /* of a value, or of what a pointer points to; 0 if unknown (a struct) */
} plait_param;

PLAIT_API size_t plait_kernel_param_count(const plait_kernel *kernel);
/* Errors: PLAIT_E_RANGE. */
PLAIT_API plait_status plait_kernel_param(const plait_kernel *kernel, size_t index, plait_param *out);
/* The largest work-group this kernel can be launched with, as the driver says after compiling. */
PLAIT_API size_t plait_kernel_max_group(const plait_kernel *kernel);

/* ---- arguments ---- */

typedef enum plait_arg_kind {
    PLAIT_ARG_NONE = 0,
    PLAIT_ARG_BUFFER = 1,
    PLAIT_ARG_SCALAR = 2, /* exactly this dtype */
    PLAIT_ARG_NUMBER = 3, /* a host number: converted to the parameter's dtype, see plait_arg_int */
    PLAIT_ARG_BYTES = 4,  /* a struct or vector by value */
    PLAIT_ARG_LOCAL = 5,  /* so many bytes of local memory */
    PLAIT_ARG_IN = 6,     /* arrays: plait_call only */
    PLAIT_ARG_OUT = 7,
    PLAIT_ARG_INOUT = 8
} plait_arg_kind;

/* One argument. Made by the functions below; the members are Plait's own. It borrows what it points to. */
typedef struct plait_arg {
    int32_t kind;
    int32_t dtype;
    size_t bytes;
    const void *pointer; /* buffer, array or bytes */
    union {
        int64_t i;
        uint64_t u;
        double f;
        float f32[2];
        unsigned char raw[16];
    } value;
    bool is_float; /* of a number */
    plait_dims shape;
} plait_arg;

PLAIT_API plait_arg plait_arg_buffer(plait_buffer *buffer);
/*
 * Numbers are converted to the parameter's dtype. It is PLAIT_E_KERNEL if that loses the value: 3.5 or 300 for a uchar,
 * an integer that a float parameter does not hold exactly, a number that would become infinite or 0. plait_arg_num(0.1)
 * for a float rounds.
 */
PLAIT_API plait_arg plait_arg_int(int64_t value);
PLAIT_API plait_arg plait_arg_num(double value);
PLAIT_API plait_arg plait_arg_scalar(plait_dtype dtype, const void *value); /* copies one element of that dtype */
/* Borrowed until the launch returns. The size of a struct is checked where the driver knows it (PoCL does not). */
PLAIT_API plait_arg plait_arg_bytes(const void *bytes, size_t size);
PLAIT_API plait_arg plait_arg_local(size_t bytes);

#define PLAIT_BUFFER(buffer) plait_arg_buffer(buffer)
#define PLAIT_INT(value) plait_arg_int(value)
#define PLAIT_NUM(value) plait_arg_num(value)
#define PLAIT_LOCAL(bytes) plait_arg_local(bytes)

/* ---- grid ---- */

/*
 * How many work-items, in groups of how many. With group[0] = 0 Plait takes the largest of the device's three usual
 * group sizes that divides the global size, else the driver chooses. A group that is given and does not divide the
 * global size is PLAIT_E_LAUNCH, naming both and the next multiple, unless round_up is set: then the global size is
 * rounded up, and the kernel must check its bounds. A group above what the device or the compiled kernel allows is
 * PLAIT_E_LAUNCH. A global size of 0 launches nothing and is success.
 */
typedef struct plait_grid {
    uint32_t dims; /* 1 to 3 */
    bool round_up;
    size_t global[3];
    size_t group[3];
} plait_grid;

PLAIT_API plait_grid plait_grid_1d(size_t x);
PLAIT_API plait_grid plait_grid_2d(size_t x, size_t y);
PLAIT_API plait_grid plait_grid_3d(size_t x, size_t y, size_t z);
/* The same grid in groups of x by y by z (1 in dimensions it does not have). */
PLAIT_API plait_grid plait_grid_groups(plait_grid grid, size_t x, size_t y, size_t z);
PLAIT_API plait_grid plait_grid_round_up(plait_grid grid);

/*
 * Enqueues the kernel. `event`, unless NULL, receives an event that the caller releases. Errors: PLAIT_E_KERNEL,
 * PLAIT_E_LAUNCH, PLAIT_E_CONTEXT, PLAIT_E_NULL, PLAIT_E_CLOSED, PLAIT_E_DEVICE_MEMORY, PLAIT_E_OPENCL. Since 0.1.
 */
PLAIT_API plait_status plait_launch_n(plait_queue *queue, plait_kernel *kernel, plait_grid grid, const plait_arg *args,
                                      size_t n_args, plait_event **event);

PLAIT_END

#ifdef __cplusplus
extern "C++" {
inline plait_grid plait_grid_of_(size_t x)
{
    return plait_grid_1d(x);
}
inline plait_grid plait_grid_of_(size_t x, size_t y)
{
    return plait_grid_2d(x, y);
}
inline plait_grid plait_grid_of_(size_t x, size_t y, size_t z)
{
    return plait_grid_3d(x, y, z);
}
template <typename... Args>
inline plait_status plait_launch(plait_queue *queue, plait_kernel *kernel, plait_grid grid, Args... args)
{
    const plait_arg list[sizeof...(args) + 1] = {args..., plait_arg()};
    return plait_launch_n(queue, kernel, grid, list, sizeof...(args), nullptr);
}
}
#define PLAIT_GRID(...) (plait_grid_of_(__VA_ARGS__))
#else
/* PLAIT_GRID(x), PLAIT_GRID(x, y) or PLAIT_GRID(x, y, z) */
#define PLAIT_GRID(...)                                                                                                \
    (plait_grid_from((const size_t[]){__VA_ARGS__}, sizeof((const size_t[]){__VA_ARGS__}) / sizeof(size_t)))
#define plait_launch(queue, kernel, grid, ...)                                                                         \
    plait_launch_n((queue), (kernel), (grid), (const plait_arg[]){__VA_ARGS__},                                        \
                   sizeof((const plait_arg[]){__VA_ARGS__}) / sizeof(plait_arg), NULL)
#endif

PLAIT_BEGIN
/* A grid from n sizes (1 to 3); any other n gives a grid that plait_launch_n refuses. */
PLAIT_API plait_grid plait_grid_from(const size_t *sizes, size_t n);
PLAIT_END

#endif
