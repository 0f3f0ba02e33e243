/*
 * Plait: numbers, arrays made from nothing, conversion.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include <plait/create.h>

#include "build.h"
#include "error.h"
#include "fold.h"
#include "host_cast.h"
#include "promote.h"

#include <inttypes.h>
#include <math.h>

plait_array *plait_num(double value)
{
    return plait__build_number(PLAIT_F64, (plait__value){.f = value});
}

plait_array *plait_int(int64_t value)
{
    return plait__build_number(PLAIT_I64, (plait__value){.i = value});
}

plait_array *plait_complex(double re, double im)
{
    return plait__build_number(PLAIT_C64, (plait__value){.c = {re, im}});
}

/* ---- constants ---- */

static plait_status check_target(plait_ctx *ctx, const plait_dims *shape, plait_dtype dtype, const char *function)
{
    PLAIT__TRY(plait__ctx_check(ctx, function));
    PLAIT__TRY(plait__check_dtype(ctx, dtype, function));
    return plait__check_shape(shape, dtype, function);
}

static plait_array *constant(plait_ctx *ctx, const plait_dims *shape, plait_dtype dtype, plait__value value)
{
    if (plait_shape_count(*shape) == 0) {
        return plait__build_empty(ctx, dtype, shape);
    }
    plait_array *a = plait__node_create(ctx, PLAIT__NODE_CONSTANT, dtype, shape, NULL, 0);
    if (a != NULL) {
        a->value = value;
    }
    return plait__build_done(a);
}

static plait_array *constant_int(plait_ctx *ctx, const plait_dims *shape, plait_dtype dtype, int64_t value,
                                 const char *function)
{
    dtype = dtype == PLAIT_DTYPE_DEFAULT ? PLAIT_F32 : dtype;
    if (check_target(ctx, shape, dtype, function) != PLAIT_OK) {
        return NULL;
    }
    plait__class class = plait__dtype_class(dtype);
    return constant(ctx, shape, dtype, plait__value_convert((plait__value){.i = value}, PLAIT__CLASS_INT, class));
}

plait_array *plait_zeros(plait_ctx *ctx, plait_dims shape, plait_dtype dtype)
{
    return constant_int(ctx, &shape, dtype, 0, __func__);
}

plait_array *plait_ones(plait_ctx *ctx, plait_dims shape, plait_dtype dtype)
{
    return constant_int(ctx, &shape, dtype, 1, __func__);
}

static plait_status convert_number(plait__value *out, const plait_array *number, plait_dtype dtype,
                                   const char *function)
{
    plait__class from = plait__dtype_class((plait_dtype)number->dtype), to = plait__dtype_class(dtype);
    PLAIT__REQUIRE(from != PLAIT__CLASS_COMPLEX || to == PLAIT__CLASS_COMPLEX || to == PLAIT__CLASS_BOOL, PLAIT_E_DTYPE,
                   "%s: a complex number does not become %s; take its real part", function, plait_dtype_name(dtype));
    PLAIT__REQUIRE(from != PLAIT__CLASS_INT || to == PLAIT__CLASS_BOOL || plait__dtype_holds(dtype, number->value.i),
                   PLAIT_E_RANGE, "%s: the number %" PRId64 " does not fit %s", function, number->value.i,
                   plait_dtype_name(dtype));
    if (from == PLAIT__CLASS_FLOAT && (to == PLAIT__CLASS_INT || to == PLAIT__CLASS_UINT)) {
        out->i = plait__float_to_integer(number->value.f, dtype);
    } else {
        *out = plait__value_convert(number->value, from, to);
    }
    return PLAIT_OK;
}

static plait_array *full_of_number(plait_ctx *ctx, const plait_dims *shape, plait_array *number, plait_dtype dtype,
                                   const char *function)
{
    plait__value value = {0};
    if ((dtype == PLAIT_DTYPE_DEFAULT &&
         plait__common_dtype(&dtype, &number, 1, plait__ctx_caps(ctx)->real, function) != PLAIT_OK) ||
        check_target(ctx, shape, dtype, function) != PLAIT_OK ||
        convert_number(&value, number, dtype, function) != PLAIT_OK) {
        return NULL;
    }
    return constant(ctx, shape, dtype, value);
}

plait_array *plait_full(plait_ctx *ctx, plait_dims shape, plait_array *value, plait_dtype dtype)
{
    if (plait__check_input(value, __func__, "value") != PLAIT_OK || plait__ctx_check(ctx, __func__) != PLAIT_OK) {
        return NULL;
    }
    if (value->ctx == NULL) {
        return full_of_number(ctx, &shape, value, dtype, __func__);
    }
    PLAIT__REQUIRE_PTR(value->ctx == ctx, PLAIT_E_CONTEXT, "plait_full: value is an array on %s, but ctx is on %s",
                       plait_ctx_device(value->ctx)->name, plait_ctx_device(ctx)->name);
    char text[PLAIT__SHAPE_TEXT];
    PLAIT__REQUIRE_PTR(value->shape.n == 0, PLAIT_E_SHAPE,
                       "plait_full: value has the shape %s; it must be a number or a 0-dimensional array",
                       plait__shape_text(text, value->shape));
    plait_array *converted = dtype == PLAIT_DTYPE_DEFAULT ? value : plait_astype(value, dtype);
    if (converted == NULL || plait__check_shape(&shape, (plait_dtype)converted->dtype, __func__) != PLAIT_OK) {
        return NULL;
    }
    return plait__build_broadcast(converted, &shape);
}

/* ---- ranges ---- */

/* A start or step in the dtype. */
static plait_status range_value(plait__value *out, double value, plait_dtype dtype, const char *name)
{
    plait__class class = plait__dtype_class(dtype);
    if (class == PLAIT__CLASS_INT || class == PLAIT__CLASS_UINT) {
        bool whole = value == floor(value) && value >= -0x1p63 && value < 0x1p63;
        PLAIT__REQUIRE(whole, PLAIT_E_ARGUMENT, "plait_arange: %s must be a whole number for %s", name,
                       plait_dtype_name(dtype));
        out->i = (int64_t)value; /* a negative step is fine for u8: it wraps, as every sum of integers does */
        return PLAIT_OK;
    }
    *out = plait__value_convert((plait__value){.f = value}, PLAIT__CLASS_FLOAT, class);
    return PLAIT_OK;
}

plait_array *plait_arange(plait_ctx *ctx, double start, double stop, double step, plait_dtype dtype)
{
    if (plait__ctx_check(ctx, __func__) != PLAIT_OK) {
        return NULL;
    }
    dtype = dtype == PLAIT_DTYPE_DEFAULT ? plait__ctx_caps(ctx)->real : dtype;
    PLAIT__REQUIRE_PTR(isfinite(start) && isfinite(stop) && isfinite(step) && step != 0, PLAIT_E_ARGUMENT,
                       "plait_arange: start, stop and step must be finite and step not 0");
    PLAIT__REQUIRE_PTR(dtype != PLAIT_BOOL, PLAIT_E_DTYPE, "plait_arange: there are no ranges of bool");
    double length = ceil((stop - start) / step);
    PLAIT__REQUIRE_PTR(length < 0x1p62, PLAIT_E_SHAPE, "plait_arange: the range has more elements than 64 bits count");
    plait_dims shape = {.n = 1, .d = {length > 0 ? (int64_t)length : 0}};
    plait__value values[2] = {{0}, {0}};
    if (check_target(ctx, &shape, dtype, __func__) != PLAIT_OK ||
        range_value(&values[0], start, dtype, "start") != PLAIT_OK ||
        range_value(&values[1], step, dtype, "step") != PLAIT_OK) {
        return NULL;
    }
    double last = start + step * (double)(shape.d[0] - 1);
    bool integers = plait__dtype_class(dtype) <= PLAIT__CLASS_UINT;
    PLAIT__REQUIRE_PTR(!integers || shape.d[0] == 0 ||
                           (plait__dtype_holds(dtype, values[0].i) && last >= -0x1p63 && last < 0x1p63 &&
                            plait__dtype_holds(dtype, (int64_t)last)),
                       PLAIT_E_RANGE, "plait_arange: not all of the range fits %s", plait_dtype_name(dtype));
    if (shape.d[0] == 0) {
        return plait__build_empty(ctx, dtype, &shape);
    }
    plait_array *a = plait__node_create(ctx, PLAIT__NODE_IOTA, dtype, &shape, NULL, 0);
    if (a != NULL) {
        a->number[0] = values[0];
        a->number[1] = values[1];
    }
    return plait__build_done(a);
}

/* ---- conversion ---- */

plait_array *plait_astype(plait_array *a, plait_dtype dtype)
{
    if (plait__check_array(a, __func__, "a") != PLAIT_OK || plait__check_dtype(a->ctx, dtype, __func__) != PLAIT_OK) {
        return NULL;
    }
    PLAIT__REQUIRE_PTR(plait__dtype_class((plait_dtype)a->dtype) != PLAIT__CLASS_COMPLEX ||
                           plait__dtype_class(dtype) == PLAIT__CLASS_COMPLEX || dtype == PLAIT_BOOL,
                       PLAIT_E_DTYPE, "plait_astype: %s does not become %s; take plait_real or plait_abs of it first",
                       plait_dtype_name((plait_dtype)a->dtype), plait_dtype_name(dtype));
    return plait__build_cast(a, dtype);
}
