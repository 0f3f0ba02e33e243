/*
 * Plait: numbers, and arrays made from nothing or from host memory.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#ifndef PLAIT_CREATE_H
#define PLAIT_CREATE_H

#include <plait/array.h>

PLAIT_BEGIN

/*
 * Weak scalars: they take the other operand's dtype as Python's numbers do in NumPy 2. A float with integers gives the
 * context's default real dtype. An integer that does not fit the other operand's dtype is PLAIT_E_RANGE at the builder
 * that combines them. They have no context and no dtype of their own (plait_array_dtype tells f64, i64 or c64); their
 * value is passed to kernels as an argument, never compiled in. Two numbers combine to a number.
 */
PLAIT_API plait_array *plait_num(double value);
PLAIT_API plait_array *plait_int(int64_t value);
PLAIT_API plait_array *plait_complex(double re, double im);

/*
 * Builders. Errors: PLAIT_E_NULL, PLAIT_E_CLOSED, PLAIT_E_SHAPE (negative or overflowing sizes, more than 8
 * dimensions), PLAIT_E_DTYPE (a dtype that arrays do not have yet), PLAIT_E_UNSUPPORTED (f64 on a device without it, by
 * name).
 */
PLAIT_API plait_array *plait_zeros(plait_ctx *ctx, plait_dims shape, plait_dtype dtype); /* DEFAULT: f32 */
PLAIT_API plait_array *plait_ones(plait_ctx *ctx, plait_dims shape, plait_dtype dtype);
/* Every element is `value`, a number or a 0-d array of ctx. dtype DEFAULT: the value's own (a weak float: the context's
 * real). */
PLAIT_API plait_array *plait_full(plait_ctx *ctx, plait_dims shape, plait_array *value, plait_dtype dtype);
/*
 * start, start + step, ... up to stop, excluded: max(0, ceil((stop - start) / step)) elements; element i is
 * start + i * step computed in the dtype. dtype DEFAULT: the context's default real. step must not be 0.
 */
PLAIT_API plait_array *plait_arange(plait_ctx *ctx, double start, double stop, double step, plait_dtype dtype);

/*
 * A copy of C-ordered host memory, read completely when the call returns. data may be NULL if the shape is empty. A
 * bool array takes any nonzero byte as true.
 */
PLAIT_API plait_array *plait_from_host(plait_ctx *ctx, const void *data, plait_dims shape, plait_dtype dtype);

/*
 * The same values in another dtype. Float to integer saturates and NaN becomes 0; integers wrap; complex to real is
 * PLAIT_E_DTYPE (use plait_real); anything nonzero to bool is true, NaN too.
 */
PLAIT_API plait_array *plait_astype(plait_array *a, plait_dtype dtype);

PLAIT_END

#endif
