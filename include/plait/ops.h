/*
 * Plait: arithmetic, element by element.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 * Written by gen_api from lib/array/ops.def; a change is made there.
 *
 * Builders, all of one kind: plait_add(x, y) records x + y, element by element, and computes nothing.
 *
 * Shapes. Operands are broadcast by NumPy's rule: aligned at the last axis, a size of 1 stretches.
 *
 * Dtypes. `common` is the dtype that the operands are promoted to: within integers and within floats the wider
 * one (u8 with i32: i32), bool with anything the other, an integer with a float the float, anything real with
 * c64 c64; f64 with c64 is PLAIT_E_DTYPE, because arrays have no c128 yet. Numbers (plait_num, plait_int,
 * plait_complex) are weak: they take the arrays' dtype where that can hold their kind; otherwise a float number
 * gives the default real dtype, a complex one c64, an integer (with bool) i64. `real` stands for the
 * context's default real dtype where common is bool or an integer, else for common.
 *
 * Operands of numbers alone give a number, computed at once in i64, f64 or a pair of f64.
 *
 * Errors, at the call: PLAIT_E_SHAPE with both shapes, PLAIT_E_DTYPE, PLAIT_E_RANGE (an integer number that
 * the other operand's dtype cannot hold), PLAIT_E_CONTEXT with both devices, PLAIT_E_UNSUPPORTED (f64 on a
 * device without it), PLAIT_E_CLOSED, PLAIT_E_NO_MEMORY; a NULL operand gives NULL.
 *
 * Rounding. Every operation rounds to its result's dtype, fused or not; the bits are the same either way. + - *
 * are correctly rounded, / and sqrt where the device does so, else within 2.5 and 3 ulp; pow is within 16 ulp,
 * exp and log within 3 (f64: 3; on a device without denormals results below the normal range may be 0).
 */
#ifndef PLAIT_OPS_H
#define PLAIT_OPS_H

#include <plait/array.h>

PLAIT_BEGIN

/*
 * x + y; of bools: x or y.
 * Dtypes: the result has the common dtype. Since 0.1.
 */
PLAIT_API plait_array *plait_add(plait_array *x, plait_array *y);

/*
 * x - y.
 * Dtypes: for integers, floats and complex; the result has the common dtype. Since 0.1.
 */
PLAIT_API plait_array *plait_subtract(plait_array *x, plait_array *y);

/*
 * x * y; of bools: x and y.
 * Dtypes: the result has the common dtype. Since 0.1.
 */
PLAIT_API plait_array *plait_multiply(plait_array *x, plait_array *y);

/*
 * x / y, true division.
 * Dtypes: computed in real, which is the result's dtype. Since 0.1.
 */
PLAIT_API plait_array *plait_divide(plait_array *x, plait_array *y);

/*
 * x to the power of y; of integers: 0 for a negative y, but 1 and -1 to a negative power are 1 or -1.
 * Dtypes: for integers and floats; the result has the common dtype. Since 0.1.
 */
PLAIT_API plait_array *plait_pow(plait_array *x, plait_array *y);

/*
 * the larger of x and y; NaN if either is NaN.
 * Dtypes: for bool, integers and floats; the result has the common dtype. Since 0.1.
 */
PLAIT_API plait_array *plait_maximum(plait_array *x, plait_array *y);

/*
 * the smaller of x and y; NaN if either is NaN.
 * Dtypes: for bool, integers and floats; the result has the common dtype. Since 0.1.
 */
PLAIT_API plait_array *plait_minimum(plait_array *x, plait_array *y);

/*
 * -x.
 * Dtypes: for integers, floats and complex; the result has the common dtype. Since 0.1.
 */
PLAIT_API plait_array *plait_negative(plait_array *x);

/*
 * the absolute value; of the smallest integer itself; of a complex number its modulus.
 * Dtypes: the result has the dtype of x, of c64 f32. Since 0.1.
 */
PLAIT_API plait_array *plait_abs(plait_array *x);

/*
 * x * x.
 * Dtypes: the result has the common dtype. Since 0.1.
 */
PLAIT_API plait_array *plait_square(plait_array *x);

/*
 * the square root; NaN below zero.
 * Dtypes: for bool, integers and floats; computed in real, which is the result's dtype. Since 0.1.
 */
PLAIT_API plait_array *plait_sqrt(plait_array *x);

/*
 * e to the power of x.
 * Dtypes: computed in real, which is the result's dtype. Since 0.1.
 */
PLAIT_API plait_array *plait_exp(plait_array *x);

/*
 * the natural logarithm; -inf at zero, NaN below.
 * Dtypes: for bool, integers and floats; computed in real, which is the result's dtype. Since 0.1.
 */
PLAIT_API plait_array *plait_log(plait_array *x);

/*
 * whether x < y.
 * Dtypes: for bool, integers and floats; compared in the common dtype; the result is bool. Since 0.1.
 */
PLAIT_API plait_array *plait_less(plait_array *x, plait_array *y);

/*
 * whether x <= y.
 * Dtypes: for bool, integers and floats; compared in the common dtype; the result is bool. Since 0.1.
 */
PLAIT_API plait_array *plait_less_equal(plait_array *x, plait_array *y);

/*
 * whether x > y.
 * Dtypes: for bool, integers and floats; compared in the common dtype; the result is bool. Since 0.1.
 */
PLAIT_API plait_array *plait_greater(plait_array *x, plait_array *y);

/*
 * whether x >= y.
 * Dtypes: for bool, integers and floats; compared in the common dtype; the result is bool. Since 0.1.
 */
PLAIT_API plait_array *plait_greater_equal(plait_array *x, plait_array *y);

/*
 * whether x == y.
 * Dtypes: compared in the common dtype; the result is bool. Since 0.1.
 */
PLAIT_API plait_array *plait_equal(plait_array *x, plait_array *y);

/*
 * whether x != y.
 * Dtypes: compared in the common dtype; the result is bool. Since 0.1.
 */
PLAIT_API plait_array *plait_not_equal(plait_array *x, plait_array *y);

/*
 * x and y, as truth values.
 * Dtypes: anything but zero is true; the result is bool. Since 0.1.
 */
PLAIT_API plait_array *plait_logical_and(plait_array *x, plait_array *y);

/*
 * x or y, as truth values.
 * Dtypes: anything but zero is true; the result is bool. Since 0.1.
 */
PLAIT_API plait_array *plait_logical_or(plait_array *x, plait_array *y);

/*
 * not x, as a truth value.
 * Dtypes: anything but zero is true; the result is bool. Since 0.1.
 */
PLAIT_API plait_array *plait_logical_not(plait_array *x);

/*
 * whether x is NaN.
 * Dtypes: compared in the common dtype; the result is bool. Since 0.1.
 */
PLAIT_API plait_array *plait_isnan(plait_array *x);

/*
 * the real part; x itself where it is real.
 * Dtypes: the result has the dtype of x, of c64 f32. Since 0.1.
 */
PLAIT_API plait_array *plait_real(plait_array *x);

/*
 * the imaginary part; zero where x is real.
 * Dtypes: the result has the dtype of x, of c64 f32. Since 0.1.
 */
PLAIT_API plait_array *plait_imag(plait_array *x);

/*
 * y where x is true, z elsewhere.
 * Dtypes: x is taken as a truth value; the result has the common dtype of y and z. Since 0.1.
 */
PLAIT_API plait_array *plait_where(plait_array *x, plait_array *y, plait_array *z);

PLAIT_END

#endif
