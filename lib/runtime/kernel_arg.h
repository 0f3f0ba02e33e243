/*
 * Arguments of kernels before they reach the driver.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#ifndef PLAIT__KERNEL_ARG_H
#define PLAIT__KERNEL_ARG_H

#include <plait/kernel.h>

/* The largest value that plait__number_convert writes. */
#define PLAIT__NUMBER_BYTES 8

/*
 * The number of a PLAIT_ARG_NUMBER argument as the dtype: writes plait_dtype_size(dtype) bytes to `out`. False where
 * the value would be lost: a fraction to an integer, a value out of range, an integer that the float type does not hold
 * exactly, a finite number that would become infinite or a number that would become 0. Otherwise floats round. There is
 * no conversion to bf16, c64 and c128, which no parameter has: false.
 */
bool plait__number_convert(void *out, plait_dtype dtype, const plait_arg *number);

#endif
