/*
 * Plait: your own OpenCL C in array expressions.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#ifndef PLAIT_USER_H
#define PLAIT_USER_H

#include <plait/array.h>
#include <plait/kernel.h>

PLAIT_BEGIN

/*
 * An elementwise expression over up to 16 arrays, which are called a, b, c, ... in it, in order, broadcast and in their
 * own dtypes (a number: the dtype of the others; a bool is a uchar of 0 or 1, a c64 a float2):
 *
 *     plait_array *s = plait_sum(plait_map("a*b + sin(c)", x, y, z));
 *
 * It fuses like a built-in operation. The result has `dtype` (DEFAULT: the inputs' common one; the expression's value
 * is converted to it as OpenCL C does: to c64, a float2, one float fills both parts). An expression that does not
 * compile is PLAIT_E_BUILD at evaluation, the log naming its text. Errors at the call: PLAIT_E_ARGUMENT (empty; a ';',
 * '#', brace, backslash, quote, "??", comment or line break in it; brackets that do not match; an array named that is
 * not given; no inputs, more than 16, numbers only), PLAIT_E_DTYPE, PLAIT_E_SHAPE, PLAIT_E_CONTEXT, PLAIT_E_NULL. Since
 * 0.1.
 */
PLAIT_API plait_array *plait_map_n(const char *expression, plait_array *const *inputs, size_t n, plait_dtype dtype);

/* ---- whole kernels ---- */

PLAIT_API plait_arg plait_arg_in(plait_array *a);
PLAIT_API plait_arg plait_arg_out(plait_dtype dtype, plait_dims shape);
PLAIT_API plait_arg plait_arg_inout(plait_array *a);
#define PLAIT_IN(a) plait_arg_in(a)
#define PLAIT_OUT(dtype, shape) plait_arg_out(dtype, shape)
#define PLAIT_INOUT(a) plait_arg_inout(a)

/*
 * A builder for a kernel of yours: it runs when a result is needed.
 *
 *     plait_array *edges;
 *     plait_call(&edges, 1, sobel, PLAIT_GRID(w, h), PLAIT_IN(image), PLAIT_OUT(PLAIT_F32, PLAIT_SHAPE(h, w)),
 *                PLAIT_INT(w), PLAIT_INT(h));
 *
 * Inputs arrive contiguous, in C order, at offset 0 (other views are copied first). n_out equals the number of
 * PLAIT_OUTs and PLAIT_INOUTs, of which there must be one at least; out receives them in order, all NULL on failure. A
 * PLAIT_INOUT is a fresh copy of its input that the kernel may change. Buffers must not be passed (PLAIT_E_ARGUMENT):
 * what the kernel reads must be known. Every mismatch that plait_launch would find is found at the call, and
 * PLAIT_E_KERNEL also: PLAIT_IN for a parameter that is not a pointer to const, PLAIT_OUT or PLAIT_INOUT for one that
 * is, an array of another dtype than the parameter's (bool goes to uchar, c64 to float2; a vector takes an array of its
 * elements). What a kernel writes into a bool array must be 0 or 1. The array keeps the kernel alive. Since 0.1.
 */
PLAIT_API plait_status plait_call_n(plait_array **out, size_t n_out, plait_kernel *kernel, plait_grid grid,
                                    const plait_arg *args, size_t n_args);
/* The one result of a kernel that has one, for nesting; NULL on failure. */
PLAIT_API plait_array *plait_call1_n(plait_kernel *kernel, plait_grid grid, const plait_arg *args, size_t n_args);

PLAIT_END

#ifdef __cplusplus
extern "C++" {
template <typename... Arrays> inline plait_array *plait_map(const char *expression, Arrays... inputs)
{
    plait_array *const list[sizeof...(inputs) + 1] = {inputs..., nullptr};
    return plait_map_n(expression, list, sizeof...(inputs), PLAIT_DTYPE_DEFAULT);
}
template <typename... Args>
inline plait_status plait_call(plait_array **out, size_t n_out, plait_kernel *kernel, plait_grid grid, Args... args)
{
    const plait_arg list[sizeof...(args) + 1] = {args..., plait_arg()};
    return plait_call_n(out, n_out, kernel, grid, list, sizeof...(args));
}
template <typename... Args> inline plait_array *plait_call1(plait_kernel *kernel, plait_grid grid, Args... args)
{
    const plait_arg list[sizeof...(args) + 1] = {args..., plait_arg()};
    return plait_call1_n(kernel, grid, list, sizeof...(args));
}
}
#else
#define plait_map(expression, ...)                                                                                     \
    plait_map_n((expression), (plait_array *const[]){__VA_ARGS__},                                                     \
                sizeof((plait_array *const[]){__VA_ARGS__}) / sizeof(plait_array *), PLAIT_DTYPE_DEFAULT)
#define plait_call(out, n_out, kernel, grid, ...)                                                                      \
    plait_call_n((out), (n_out), (kernel), (grid), (const plait_arg[]){__VA_ARGS__},                                   \
                 sizeof((const plait_arg[]){__VA_ARGS__}) / sizeof(plait_arg))
#define plait_call1(kernel, grid, ...)                                                                                 \
    plait_call1_n((kernel), (grid), (const plait_arg[]){__VA_ARGS__},                                                  \
                  sizeof((const plait_arg[]){__VA_ARGS__}) / sizeof(plait_arg))
#endif

#endif
