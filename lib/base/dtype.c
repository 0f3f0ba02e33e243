/*
 * Plait: the dtypes.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "dtypes.h"

#include "error.h"

#include <string.h>

static const plait__dtype_row rows[] = {
#define X(NAME, name, numpy, bytes, KIND, opencl, npy)                                                                 \
    {PLAIT_##NAME, name, numpy, bytes, PLAIT__KIND_##KIND, opencl, npy},
#include "dtypes.def"
#undef X
};

/* plait__dtype_info takes the row's place from the dtype's number, so the order and the count must agree. */
enum row_order {
    ROW_BEFORE_FIRST,
#define X(NAME, name, numpy, bytes, KIND, opencl, npy) ROW_##NAME,
#include "dtypes.def"
#undef X
    ROW_COUNT
};
#define X(NAME, name, numpy, bytes, KIND, opencl, npy)                                                                 \
    _Static_assert((int)ROW_##NAME == (int)PLAIT_##NAME, "dtypes.def is in the order of the numbers");
#include "dtypes.def"
#undef X
_Static_assert((int)ROW_COUNT == (int)PLAIT_DTYPE_COUNT_, "dtypes.def has a row for every dtype");

const plait__dtype_row *plait__dtype_info(plait_dtype dtype)
{
    return dtype > PLAIT_DTYPE_DEFAULT && dtype < PLAIT_DTYPE_COUNT_ ? &rows[dtype - 1] : NULL;
}

size_t plait_dtype_size(plait_dtype dtype)
{
    const plait__dtype_row *row = plait__dtype_info(dtype);
    return row != NULL ? row->size : 0;
}

const char *plait_dtype_name(plait_dtype dtype)
{
    const plait__dtype_row *row = plait__dtype_info(dtype);
    return row != NULL ? row->name : "?";
}

plait_status plait_dtype_parse(plait_dtype *out, const char *name)
{
    PLAIT__REQUIRE_ARG(out);
    *out = PLAIT_DTYPE_DEFAULT;
    PLAIT__REQUIRE_ARG(name);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(name, rows[i].name) == 0 || strcmp(name, rows[i].numpy) == 0) {
            *out = rows[i].dtype;
            return PLAIT_OK;
        }
    }
#define X(NAME, name, numpy, bytes, KIND, opencl, npy) " " name
    return plait__fail(PLAIT_E_DTYPE,
                       "plait_dtype_parse: \"%.64s\" is no dtype; accepted are"
#include "dtypes.def"
                       " and NumPy's names for them",
                       name);
#undef X
}
