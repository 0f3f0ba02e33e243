/*
 * The table behind the dtypes; its rows are in dtypes.def.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#ifndef PLAIT__DTYPES_H
#define PLAIT__DTYPES_H

#include <plait/dtype.h>

typedef enum plait__kind {
    PLAIT__KIND_BOOL,
    PLAIT__KIND_INT,
    PLAIT__KIND_UINT,
    PLAIT__KIND_FLOAT,
    PLAIT__KIND_COMPLEX
} plait__kind;

typedef struct plait__dtype_row {
    plait_dtype dtype;
    const char *name;  /* "f32" */
    const char *numpy; /* "float32" */
    size_t size;       /* bytes of one element; its alignment is at most this */
    plait__kind kind;
    const char *opencl; /* the storage type in OpenCL C: "float" */
    char npy;           /* the letter in an .npy file's descr, 'f'; 0 where the format has none */
} plait__dtype_row;

/* The row of a dtype; NULL for PLAIT_DTYPE_DEFAULT and for values that are no dtype. Static storage, any thread. */
const plait__dtype_row *plait__dtype_info(plait_dtype dtype);

#endif
