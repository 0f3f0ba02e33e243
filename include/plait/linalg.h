/*
 * Plait: linear algebra.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#ifndef PLAIT_LINALG_H
#define PLAIT_LINALG_H

#include <plait/array.h>

PLAIT_BEGIN

/*
 * The matrix product, as NumPy's matmul for operands of one or two dimensions: (n,k)x(k,m) -> (n,m), (n,k)x(k) -> (n),
 * (k)x(k,m) -> (m), (k)x(k) -> (). An inner dimension of 0 gives zeros. The dtype is the operands' common one; f32
 * products accumulate in f32 with error at most (k + 2) eps sum|a||b| an element; integers wrap. Transposed operands
 * are read where they are. Errors: PLAIT_E_SHAPE with both shapes (batches, more than two dimensions, come later),
 * PLAIT_E_DTYPE for bool. Since 0.1.
 */
PLAIT_API plait_array *plait_matmul(plait_array *a, plait_array *b);

PLAIT_END

#endif
