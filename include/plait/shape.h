/*
 * Plait: shapes and lists of axes, small structs passed by value.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 *     plait_zeros(ctx, PLAIT_SHAPE(480, 640, 3), PLAIT_F32);
 *     plait_flip(a, PLAIT_AXES(0, -1));
 */
#ifndef PLAIT_SHAPE_H
#define PLAIT_SHAPE_H

#include <plait/common.h>

PLAIT_BEGIN

#define PLAIT_MAX_DIMS 8

/*
 * n sizes (or axis numbers), outermost first. A shape with n = 0 is 0-dimensional (one element). A list of axes with
 * n = 0 means "the default", n = -1 (PLAIT_NO_AXES) "none". n outside of 0..PLAIT_MAX_DIMS is refused by every builder,
 * in particular n = -1, the shape of NULL.
 */
typedef struct plait_dims {
    int32_t n;
    int64_t d[PLAIT_MAX_DIMS];
} plait_dims;

/*
 * A shape or axis list from an array of n numbers. It keeps an n above PLAIT_MAX_DIMS (without reading past the
 * eighth), so that the builder it is given to can refuse it by name. d may be NULL when n is 0. Any thread. Since 0.1.
 */
PLAIT_API plait_dims plait_shape(size_t n, const int64_t *d);

/* The number of elements: the product of the sizes; -1 if n or a size is negative or the product overflows. Since 0.1.
 */
PLAIT_API int64_t plait_shape_count(plait_dims shape);

PLAIT_END

#ifdef __cplusplus
extern "C++" {
template <typename... Ints> inline plait_dims plait_dims_of_(Ints... sizes)
{
    const int64_t d[sizeof...(sizes) + 1] = {static_cast<int64_t>(sizes)..., 0};
    return plait_shape(sizeof...(sizes), d);
}
}
#define PLAIT_SHAPE(...) (plait_dims_of_(__VA_ARGS__))
#else
#define PLAIT_SHAPE(...)                                                                                               \
    (plait_shape(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (const int64_t[]){__VA_ARGS__}))
#endif
#define PLAIT_AXES(...) PLAIT_SHAPE(__VA_ARGS__)
#define PLAIT_SCALAR_SHAPE (plait_shape(0, NULL))
#define PLAIT_NO_AXES (plait_shape((size_t)-1, NULL))

#endif
