/*
 * One element converted on the host, to the bit as plait_astype converts on a device.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 * For single elements and for what a device cannot do itself (f64 without double precision). Dtypes are those of
 * arrays. Pure; any thread.
 */
#ifndef PLAIT__HOST_CAST_H
#define PLAIT__HOST_CAST_H

#include "node.h"

/* The element's value: in .i of bool and integers, in .f of floats, in .c of complex. */
plait__value plait__element_load(plait_dtype dtype, const void *element);

/* Writes a value of dtype `from` as an element of `dtype`. `from` is complex only if `dtype` is that or bool. */
void plait__element_store(void *out, plait_dtype dtype, plait_dtype from, plait__value value);

/* A float as u8, i32 or i64: fractions are cut off, what is out of range becomes the nearest integer, NaN 0. */
int64_t plait__float_to_integer(double f, plait_dtype dtype);

/* Complex to real has no one meaning: PLAIT_E_DTYPE. */
plait_status plait__check_conversion(plait_dtype from, plait_dtype to, const char *function);

#endif
