/*
 * Plait: which dtype a result has.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "promote.h"

#include "dtypes.h"
#include "error.h"

#include <inttypes.h>

plait__class plait__dtype_class(plait_dtype dtype)
{
    static const plait__class classes[] = {[PLAIT__KIND_BOOL] = PLAIT__CLASS_BOOL,
                                           [PLAIT__KIND_INT] = PLAIT__CLASS_INT,
                                           [PLAIT__KIND_UINT] = PLAIT__CLASS_UINT,
                                           [PLAIT__KIND_FLOAT] = PLAIT__CLASS_FLOAT,
                                           [PLAIT__KIND_COMPLEX] = PLAIT__CLASS_COMPLEX};
    const plait__dtype_row *row = plait__dtype_info(dtype);
    return row != NULL ? classes[row->kind] : PLAIT__CLASS_COUNT;
}

/* The dtypes of arrays in the order of the matrix. */
enum { B, U8, I32, I64, F32, F64, C64, N };
static const plait_dtype dtypes[N] = {PLAIT_BOOL, PLAIT_U8, PLAIT_I32, PLAIT_I64, PLAIT_F32, PLAIT_F64, PLAIT_C64};

#define NO PLAIT_DTYPE_DEFAULT /* c128 */
static const plait_dtype matrix[N][N] = {
    [B] = {PLAIT_BOOL, PLAIT_U8, PLAIT_I32, PLAIT_I64, PLAIT_F32, PLAIT_F64, PLAIT_C64},
    [U8] = {PLAIT_U8, PLAIT_U8, PLAIT_I32, PLAIT_I64, PLAIT_F32, PLAIT_F64, PLAIT_C64},
    [I32] = {PLAIT_I32, PLAIT_I32, PLAIT_I32, PLAIT_I64, PLAIT_F32, PLAIT_F64, PLAIT_C64},
    [I64] = {PLAIT_I64, PLAIT_I64, PLAIT_I64, PLAIT_I64, PLAIT_F32, PLAIT_F64, PLAIT_C64},
    [F32] = {PLAIT_F32, PLAIT_F32, PLAIT_F32, PLAIT_F32, PLAIT_F32, PLAIT_F64, PLAIT_C64},
    [F64] = {PLAIT_F64, PLAIT_F64, PLAIT_F64, PLAIT_F64, PLAIT_F64, PLAIT_F64, NO},
    [C64] = {PLAIT_C64, PLAIT_C64, PLAIT_C64, PLAIT_C64, PLAIT_C64, NO, PLAIT_C64},
};
#undef NO

static int place(plait_dtype dtype)
{
    for (int i = 0; i < N; i++) {
        if (dtypes[i] == dtype) {
            return i;
        }
    }
    return -1;
}

bool plait__dtype_of_arrays(plait_dtype dtype)
{
    return place(dtype) >= 0;
}

plait_dtype plait__promote(plait_dtype a, plait_dtype b)
{
    int i = place(a), j = place(b);
    return i >= 0 && j >= 0 ? matrix[i][j] : PLAIT_DTYPE_DEFAULT;
}

plait_dtype plait__promote_real(plait_dtype dtype, plait_dtype real)
{
    return plait__dtype_class(dtype) < PLAIT__CLASS_FLOAT ? real : dtype;
}

plait_dtype plait__real_part(plait_dtype dtype)
{
    return dtype == PLAIT_C64 ? PLAIT_F32 : dtype;
}

bool plait__dtype_holds(plait_dtype dtype, int64_t value)
{
    switch (dtype) {
    case PLAIT_BOOL:
        return value == 0 || value == 1;
    case PLAIT_U8:
        return value >= 0 && value <= UINT8_MAX;
    case PLAIT_I32:
        return value >= INT32_MIN && value <= INT32_MAX;
    default:
        return true;
    }
}

static plait_status needs_c128(const char *function, const char *what)
{
    return plait__fail(PLAIT_E_DTYPE,
                       "%s: %s has the common dtype c128, which arrays do not have yet; convert one of them with "
                       "plait_astype",
                       function, what);
}

/* The dtype that `number` alone would have, or has beside arrays of `dtype`. */
static plait_status with_number(plait_dtype *dtype, const plait_array *number, plait_dtype real, const char *function)
{
    switch (plait__dtype_class((plait_dtype)number->dtype)) {
    case PLAIT__CLASS_BOOL:
        if (*dtype == PLAIT_DTYPE_DEFAULT) {
            *dtype = PLAIT_BOOL;
        }
        return PLAIT_OK;
    case PLAIT__CLASS_INT:
        if (*dtype == PLAIT_DTYPE_DEFAULT || *dtype == PLAIT_BOOL) {
            *dtype = PLAIT_I64;
        }
        PLAIT__REQUIRE(plait__dtype_holds(*dtype, number->value.i), PLAIT_E_RANGE,
                       "%s: the number %" PRId64 " does not fit the other operand's dtype %s; convert that with "
                       "plait_astype first",
                       function, number->value.i, plait_dtype_name(*dtype));
        return PLAIT_OK;
    case PLAIT__CLASS_FLOAT:
        *dtype = *dtype == PLAIT_DTYPE_DEFAULT ? real : plait__promote_real(*dtype, real);
        return PLAIT_OK;
    default:
        if (*dtype == PLAIT_F64) {
            return needs_c128(function, "a complex number with f64");
        }
        *dtype = PLAIT_C64;
        return PLAIT_OK;
    }
}

plait_status plait__common_dtype(plait_dtype *out, plait_array *const *inputs, size_t n, plait_dtype real,
                                 const char *function)
{
    plait_dtype common = PLAIT_DTYPE_DEFAULT;
    for (size_t i = 0; i < n; i++) {
        if (inputs[i]->weak) {
            continue;
        }
        plait_dtype dtype = (plait_dtype)inputs[i]->dtype;
        plait_dtype wider = common == PLAIT_DTYPE_DEFAULT ? dtype : plait__promote(common, dtype);
        if (wider == PLAIT_DTYPE_DEFAULT) {
            return needs_c128(function, "f64 with c64");
        }
        common = wider;
    }
    /* Numbers of a higher kind first: an integer beside a float and an array of u8 need not fit u8. */
    for (int kind = PLAIT__CLASS_COMPLEX; kind >= PLAIT__CLASS_BOOL; kind--) {
        for (size_t i = 0; i < n; i++) {
            if (inputs[i]->weak && (int)plait__dtype_class((plait_dtype)inputs[i]->dtype) == kind) {
                PLAIT__TRY(with_number(&common, inputs[i], real, function));
            }
        }
    }
    *out = common;
    return PLAIT_OK;
}
