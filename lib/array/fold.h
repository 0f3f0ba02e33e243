/*
 * Operations between numbers, computed on the host.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#ifndef PLAIT__FOLD_H
#define PLAIT__FOLD_H

#include "node.h"

/*
 * The operation over values that have been converted to the class (INT: i64, FLOAT: f64, COMPLEX: a pair of f64, BOOL:
 * 0 or 1; of SELECT the first is a truth value in .i). The row must be defined for the class. A result that is a truth
 * value comes in .i. Pure.
 */
plait__value plait__fold(const plait__op *op, plait__class class, const plait__value *inputs);

/* The value of a dtype of class `from`, as a value of class `to`: as plait_astype converts. `to` is not lower than
 * `from` unless it is BOOL. */
plait__value plait__value_convert(plait__value value, plait__class from, plait__class to);

#endif
