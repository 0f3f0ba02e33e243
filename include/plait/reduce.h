/*
 * Plait: reductions.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 * Written by gen_api from lib/array/reductions.def; a change is made there.
 *
 * Builders with three forms each:
 *
 *     plait_array *total = plait_sum(a);                   // over all axes: a 0-d array
 *     plait_array *rows = plait_sum_axis(a, -1);           // over one axis, which disappears
 *     plait_reduce_opts o = PLAIT_REDUCE_OPTS;
 *     o.axes = PLAIT_AXES(0, 2);
 *     o.keepdims = true;                                   // reduced axes stay, with size 1
 *     plait_array *some = plait_sum_opt(a, mask, &o);      // only where mask is true
 *
 * The expression that feeds a reduction is computed inside its kernel: plait_mean(plait_square(plait_subtract(x,
 * y))) reads x and y once and writes one number.
 *
 * Float sums and means are within (128 + log2 n) eps sum|a| of the exact one for every n, and give the same bits
 * on every run of the same expression and layouts.
 *
 * Masks. `mask` is a bool array that broadcasts to a's shape, or PLAIT_NONE. Elements where it is false do not
 * count, not even as NaN; where it leaves nothing, sum gives 0, mean NaN, min the largest value of the dtype and
 * max the smallest (inf and -inf for floats).
 *
 * Errors, at the call: PLAIT_E_ARGUMENT for a number (plait_num: it has no axes), PLAIT_E_AXIS (out of range or repeated), PLAIT_E_SHAPE (min, max of nothing; a mask that
 * does not broadcast), PLAIT_E_DTYPE, PLAIT_E_ARGUMENT (opts->size 0), PLAIT_E_CONTEXT, PLAIT_E_UNSUPPORTED,
 * PLAIT_E_CLOSED, PLAIT_E_NO_MEMORY; a NULL array or mask gives NULL.
 */
#ifndef PLAIT_REDUCE_H
#define PLAIT_REDUCE_H

#include <plait/array.h>

PLAIT_BEGIN

typedef struct plait_reduce_opts {
    size_t size;       /* set by PLAIT_REDUCE_OPTS */
    plait_dims axes;   /* default all; negative ones count from the end; PLAIT_NO_AXES: none is reduced */
    bool keepdims;     /* reduced axes stay in the shape, with size 1 */
    plait_dtype dtype; /* the elements are converted to it first, as by plait_astype, and the result has it */
} plait_reduce_opts;

#define PLAIT_REDUCE_OPTS PLAIT_OPTS_(plait_reduce_opts)
PLAIT_API void plait_reduce_opts_init(plait_reduce_opts *opts);

/*
 * the sum; integers and bools are summed in 64 bits and give i64; 0 of nothing.
 * Dtypes: all; of integers and bool i64, else a's. Since 0.1.
 */
PLAIT_API plait_array *plait_sum(plait_array *a);
PLAIT_API plait_array *plait_sum_axis(plait_array *a, int axis);
PLAIT_API plait_array *plait_sum_opt(plait_array *a, plait_array *mask, const plait_reduce_opts *opts);

/*
 * the mean; of integers and bools in the context's default real dtype; NaN of nothing.
 * Dtypes: all; of integers and bool the context's default real dtype, else a's. Since 0.1.
 */
PLAIT_API plait_array *plait_mean(plait_array *a);
PLAIT_API plait_array *plait_mean_axis(plait_array *a, int axis);
PLAIT_API plait_array *plait_mean_opt(plait_array *a, plait_array *mask, const plait_reduce_opts *opts);

/*
 * the smallest element; NaN if any is NaN.
 * Dtypes: not for complex; the result has a's. Since 0.1.
 */
PLAIT_API plait_array *plait_min(plait_array *a);
PLAIT_API plait_array *plait_min_axis(plait_array *a, int axis);
PLAIT_API plait_array *plait_min_opt(plait_array *a, plait_array *mask, const plait_reduce_opts *opts);

/*
 * the largest element; NaN if any is NaN.
 * Dtypes: not for complex; the result has a's. Since 0.1.
 */
PLAIT_API plait_array *plait_max(plait_array *a);
PLAIT_API plait_array *plait_max_axis(plait_array *a, int axis);
PLAIT_API plait_array *plait_max_opt(plait_array *a, plait_array *mask, const plait_reduce_opts *opts);

PLAIT_END

#endif
