/*
 * Plait: the dtypes.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#ifndef PLAIT_DTYPE_H
#define PLAIT_DTYPE_H

#include <plait/status.h>

PLAIT_BEGIN

/*
 * The dtypes of arrays and of scalar kernel arguments. The numbers are stable. f16, bf16, i8, i16, u16, u32, u64 and
 * c128 are names that kernels' scalar arguments may use today; arrays accept bool, u8, i32, i64, f32, f64 and c64.
 */
typedef enum plait_dtype {
    PLAIT_DTYPE_DEFAULT = 0, /* "the function's default"; no array ever has it */
    PLAIT_BOOL = 1,          /* one byte, 0 or 1 */
    PLAIT_I8 = 2,
    PLAIT_I16 = 3,
    PLAIT_I32 = 4,
    PLAIT_I64 = 5,
    PLAIT_U8 = 6,
    PLAIT_U16 = 7,
    PLAIT_U32 = 8,
    PLAIT_U64 = 9,
    PLAIT_F16 = 10,
    PLAIT_BF16 = 11,
    PLAIT_F32 = 12,
    PLAIT_F64 = 13,
    PLAIT_C64 = 14,  /* two f32: real, imaginary */
    PLAIT_C128 = 15, /* two f64 */
    PLAIT_DTYPE_COUNT_
} plait_dtype;

/* Bytes of one element; 0 for a value that is no dtype. Any thread. Since 0.1. */
PLAIT_API size_t plait_dtype_size(plait_dtype dtype);

/* "f32"; "?" for a value that is no dtype. Static storage. Any thread. Since 0.1. */
PLAIT_API const char *plait_dtype_name(plait_dtype dtype);

/*
 * The dtype of a name, as plait_dtype_name writes it ("f32") or as NumPy does ("float32").
 * Errors: PLAIT_E_DTYPE with the accepted names. Any thread. Since 0.1.
 */
PLAIT_API plait_status plait_dtype_parse(plait_dtype *out, const char *name);

PLAIT_END

#endif
