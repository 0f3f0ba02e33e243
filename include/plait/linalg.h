/*
 * Plait: linear algebra.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#ifndef PLAIT_LINALG_H
#define PLAIT_LINALG_H

#include <plait/array.h>

PLAIT_BEGIN

/*
 * A builder: the matrix product, as NumPy's matmul for operands of one or two dimensions: (n,k)x(k,m) -> (n,m),
 * (n,k)x(k) -> (n), (k)x(k,m) -> (m), (k)x(k) -> (). An inner dimension of 0 gives zeros. The dtype is the operands'
 * common one, as plait_add's.
 *
 *     plait_array *r = plait_subtract(plait_matmul(X, w), y);
 *     plait_array *g = plait_matmul(plait_transpose(X), r);     // X is read where it is, not transposed first
 *
 * Transposed operands, and views with a step of 1 along one axis, are read where they are; others are copied first.
 *
 * Rounding. Sums of f32, f64 and c64 products are kept in the dtype; an element's error is at most
 * (k + 2) eps sum|a||b| (three times that for c64), and usually far smaller: no accumulator takes more than 128 terms
 * before its value moves on, so it grows with 128 + k / 128, and in products with a vector hardly at all. Products may
 * be fused multiply-adds. The same operands in the same layouts give the same bits on every run. Integers wrap.
 *
 * Errors: PLAIT_E_SHAPE with both shapes (a 0-d operand, inner sizes that differ; more than two dimensions come later),
 * PLAIT_E_DTYPE (bool with bool; c64 with f64), PLAIT_E_ARGUMENT (a number), PLAIT_E_CONTEXT, PLAIT_E_NULL,
 * PLAIT_E_CLOSED. Since 0.1.
 */
PLAIT_API plait_array *plait_matmul(plait_array *a, plait_array *b);

PLAIT_END

#endif
