/*
 * Plait: shapes.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include <plait/shape.h>

plait_dims plait_shape(size_t n, const int64_t *d)
{
    /* (size_t)-1 is PLAIT_NO_AXES; other counts that an int32_t cannot hold stay recognisably too large. */
    plait_dims shape = {.n = n == SIZE_MAX ? -1 : n > INT32_MAX ? INT32_MAX : (int32_t)n};
    for (int32_t i = 0; i < shape.n && i < PLAIT_MAX_DIMS && d != NULL; i++) {
        shape.d[i] = d[i];
    }
    return shape;
}

int64_t plait_shape_count(plait_dims shape)
{
    if (shape.n < 0 || shape.n > PLAIT_MAX_DIMS) {
        return -1;
    }
    /* A size of 0 makes the count 0 also where the other sizes would overflow. */
    bool empty = false;
    bool overflow = false;
    int64_t count = 1;
    for (int32_t i = 0; i < shape.n; i++) {
        if (shape.d[i] < 0) {
            return -1;
        }
        if (shape.d[i] == 0) {
            empty = true;
        } else if (count > INT64_MAX / shape.d[i]) {
            overflow = true;
        } else {
            count *= shape.d[i];
        }
    }
    return empty ? 0 : overflow ? -1 : count;
}
