/*
 * Plait: one element converted on the host.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "host_cast.h"

#include "error.h"

#include <assert.h>
#include <math.h>
#include <string.h>

plait__value plait__element_load(plait_dtype dtype, const void *element)
{
    plait__value value = {.i = 0};
    float f32[2];
    int32_t i32;
    switch (dtype) {
    case PLAIT_BOOL:
    case PLAIT_U8:
        value.i = *(const unsigned char *)element;
        break;
    case PLAIT_I32:
        memcpy(&i32, element, sizeof i32);
        value.i = i32;
        break;
    case PLAIT_I64:
        memcpy(&value.i, element, sizeof value.i);
        break;
    case PLAIT_F32:
        memcpy(f32, element, sizeof f32[0]);
        value.f = (double)f32[0];
        break;
    case PLAIT_F64:
        memcpy(&value.f, element, sizeof value.f);
        break;
    default:
        assert(dtype == PLAIT_C64);
        memcpy(f32, element, sizeof f32);
        value.c[0] = (double)f32[0];
        value.c[1] = (double)f32[1];
        break;
    }
    return value;
}

int64_t plait__float_to_integer(double f, plait_dtype dtype)
{
    int64_t min = dtype == PLAIT_I32 ? INT32_MIN : dtype == PLAIT_U8 ? 0 : INT64_MIN;
    int64_t max = dtype == PLAIT_I32 ? INT32_MAX : dtype == PLAIT_U8 ? UINT8_MAX : INT64_MAX;
    if (isnan(f)) {
        return 0;
    }
    if (f <= (double)min) {
        return min;
    }
    /* (double)INT64_MAX is 2^63, just out of range. */
    return f >= (double)max ? max : (int64_t)f;
}

void plait__element_store(void *out, plait_dtype dtype, plait_dtype from, plait__value value)
{
    bool from_complex = from == PLAIT_C64;
    bool from_float = from == PLAIT_F32 || from == PLAIT_F64;
    assert(!from_complex || dtype == PLAIT_C64 || dtype == PLAIT_BOOL);
    float f32[2] = {0, 0};
    int64_t i64;
    int32_t i32;
    double f64;
    switch (dtype) {
    case PLAIT_BOOL:
        *(unsigned char *)out = from_complex ? value.c[0] != 0 || value.c[1] != 0
                                : from_float ? value.f != 0
                                             : value.i != 0;
        break;
    case PLAIT_U8:
        *(unsigned char *)out = (unsigned char)(from_float ? plait__float_to_integer(value.f, dtype) : value.i & 0xff);
        break;
    case PLAIT_I32:
        i64 = from_float ? plait__float_to_integer(value.f, dtype) : value.i;
        memcpy(&i32, &(uint32_t){(uint32_t)i64}, sizeof i32); /* the low bits: it wraps */
        memcpy(out, &i32, sizeof i32);
        break;
    case PLAIT_I64:
        i64 = from_float ? plait__float_to_integer(value.f, dtype) : value.i;
        memcpy(out, &i64, sizeof i64);
        break;
    case PLAIT_F32:
        f32[0] = from_float ? (float)value.f : (float)value.i;
        memcpy(out, f32, sizeof f32[0]);
        break;
    case PLAIT_F64:
        f64 = from_float ? value.f : (double)value.i;
        memcpy(out, &f64, sizeof f64);
        break;
    default:
        assert(dtype == PLAIT_C64);
        f32[0] = from_complex ? (float)value.c[0] : from_float ? (float)value.f : (float)value.i;
        f32[1] = from_complex ? (float)value.c[1] : 0;
        memcpy(out, f32, sizeof f32);
        break;
    }
}

plait_status plait__check_conversion(plait_dtype from, plait_dtype to, const char *function)
{
    PLAIT__REQUIRE(from != PLAIT_C64 || to == PLAIT_C64 || to == PLAIT_BOOL, PLAIT_E_DTYPE,
                   "%s: a complex array does not convert to %s; take plait_real, plait_imag or plait_abs of it first",
                   function, plait_dtype_name(to));
    return PLAIT_OK;
}
