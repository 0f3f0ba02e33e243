/*
 * Plait: views - other shapes of the same elements. None of them runs a kernel or copies: they fold into the index
 * arithmetic of whoever reads them.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 * All are builders. An axis may be negative: -1 is the last.
 */
#ifndef PLAIT_VIEW_H
#define PLAIT_VIEW_H

#include <plait/array.h>

PLAIT_BEGIN

/* For plait_slice: "to the end in the direction of step", Python's omitted bound. */
#define PLAIT_OPEN INT64_MIN

/*
 * Elements start, start + step, ... before stop along one axis, by Python's rules: a negative bound counts from the
 * end, bounds are clipped, step may be negative but not 0. plait_slice(a, 0, PLAIT_OPEN, PLAIT_OPEN, -1) reverses axis
 * 0. Errors: PLAIT_E_AXIS, PLAIT_E_ARGUMENT. Since 0.1.
 */
PLAIT_API plait_array *plait_slice(plait_array *a, int axis, int64_t start, int64_t stop, int64_t step);

/* Element `index` along an axis, which disappears. Negative counts from the end. Errors: PLAIT_E_AXIS, PLAIT_E_RANGE.
 */
PLAIT_API plait_array *plait_index(plait_array *a, int axis, int64_t index);

/* The axes in another order, each named once; PLAIT_AXES's default (n = 0) reverses them. Errors: PLAIT_E_AXIS. */
PLAIT_API plait_array *plait_permute_dims(plait_array *a, plait_dims axes);
/* All axes reversed: the transpose of a matrix. */
PLAIT_API plait_array *plait_transpose(plait_array *a);

/* The elements in reverse order along the given axes; default all. Errors: PLAIT_E_AXIS. */
PLAIT_API plait_array *plait_flip(plait_array *a, plait_dims axes);

/* Axes of size 1 inserted (positions in the result) or removed. Errors: PLAIT_E_AXIS, PLAIT_E_SHAPE. */
PLAIT_API plait_array *plait_expand_dims(plait_array *a, plait_dims axes);
PLAIT_API plait_array *plait_squeeze(plait_array *a, plait_dims axes); /* default: all of size 1 */

/* NumPy's broadcasting to `shape`. Errors: PLAIT_E_SHAPE with both shapes. */
PLAIT_API plait_array *plait_broadcast_to(plait_array *a, plait_dims shape);

/*
 * The same elements in C order in another shape of the same count; one size may be -1. Where strides do not allow a
 * view, the reader's kernel does not either: then the elements are written out once, at evaluation. Errors:
 * PLAIT_E_SHAPE.
 */
PLAIT_API plait_array *plait_reshape(plait_array *a, plait_dims shape);

PLAIT_END

#endif
