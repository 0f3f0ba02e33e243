/*
 * How a kernel's coordinates turn into an array's elements.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 * A kernel iterates over a *space* of up to 8 dimensions. A map tells, for one array in it, which element belongs to a
 * point of the space. It comes in two forms. By axes: each axis' coordinate is start + step * one of the space's
 * coordinates (or start alone). Linear: the element's number in C order is start[0] + sum over the space's dimensions d
 * of step[d] * coordinate d; reshapes need this form, and arrays whose elements lie in C order can be read by it.
 *
 * Maps are normal: of equal effect in one form means equal bytes. A NULL map is the identity: point and element have
 * the same coordinates (by axes: of equal shapes), or the same number in C order (linear).
 */
#ifndef PLAIT__INDEX_MAP_H
#define PLAIT__INDEX_MAP_H

#include "node.h"

typedef struct plait__index_map {
    int8_t linear;
    int8_t axis[PLAIT_MAX_DIMS]; /* by axes, of the array's axis j: the space's dimension, -1: none */
    int64_t start[PLAIT_MAX_DIMS];
    int64_t step[PLAIT_MAX_DIMS];
} plait__index_map;

bool plait__index_map_equal(const plait__index_map *a, const plait__index_map *b);

/* The identity written out: of an array of the space's shape. */
plait__index_map plait__index_map_identity(const plait_dims *space);
/* One element at all points: the first. */
plait__index_map plait__index_map_constant(bool linear);

/* A map by axes into a view's axes, as one into those of the array the view is of. */
plait__index_map plait__index_map_affine(const plait__index_map *map, const plait__affine *affine, int32_t in_dims,
                                         const plait_dims *space);
/* A map by axes into an array of shape `to`, as one into an array of shape `from` that broadcasts to it. */
plait__index_map plait__index_map_broadcast(const plait__index_map *map, const plait_dims *from, const plait_dims *to);
/* A map by axes into an array of shape `shape`, as a linear one. */
plait__index_map plait__index_map_linear(const plait__index_map *map, const plait_dims *shape);

/* Whether a linear map is the identity. */
bool plait__index_map_is_linear_identity(const plait__index_map *map, const plait_dims *space);
/* Whether a map by axes is the identity: of an array of the space's shape. */
bool plait__index_map_is_axes_identity(const plait__index_map *map, const plait_dims *shape, const plait_dims *space);

/*
 * Where the elements are at the space's points: the strides are by the space's dimensions. `layout` is the array's own,
 * in C order if the map is linear. map NULL: identity of an array of shape `shape`.
 */
plait__layout plait__index_map_layout(const plait__index_map *map, const plait_dims *shape, const plait__layout *layout,
                                      const plait_dims *space);

#endif
