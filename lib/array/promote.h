/*
 * Which dtype a result has.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 * Within a kind NumPy 2's rule; where kinds meet PyTorch's: an integer with a float gives the float's dtype. Pure; any
 * thread.
 */
#ifndef PLAIT__PROMOTE_H
#define PLAIT__PROMOTE_H

#include "node.h"

/* The dtypes that arrays have, for sentences and tests. */
#define PLAIT__ARRAY_DTYPES "bool, u8, i32, i64, f32, f64 and c64"
bool plait__dtype_of_arrays(plait_dtype dtype);

/* Of two dtypes of arrays; PLAIT_DTYPE_DEFAULT for f64 with c64, which would need c128. */
plait_dtype plait__promote(plait_dtype a, plait_dtype b);

/* The dtype of class at least FLOAT that a float function computes `dtype` in. */
plait_dtype plait__promote_real(plait_dtype dtype, plait_dtype real);

/* f32 of c64, else the dtype itself. */
plait_dtype plait__real_part(plait_dtype dtype);

/*
 * The common dtype of inputs, numbers being weak: a bool number changes nothing, an integer takes any dtype but bool
 * (whose common one with it is i64), a float takes any float or complex one and gives `real` with integers and bool, a
 * complex gives c64. Of numbers alone: bool, i64, `real`, c64. Errors: PLAIT_E_DTYPE (c128 would be needed),
 * PLAIT_E_RANGE (an integer that does not fit).
 */
plait_status plait__common_dtype(plait_dtype *out, plait_array *const *inputs, size_t n, plait_dtype real,
                                 const char *function);

/* Whether arrays of an integer dtype can hold the value. */
bool plait__dtype_holds(plait_dtype dtype, int64_t value);

#endif
