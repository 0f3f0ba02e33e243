/*
 * Plait: how a kernel's coordinates turn into an array's elements.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "index_map.h"

#include <string.h>

/* Unused entries are zero and unused axes -1 with step 0, so that equal maps have equal bytes. */
static void clear(plait__index_map *map, bool linear)
{
    memset(map, 0, sizeof *map);
    memset(map->axis, -1, sizeof map->axis);
    map->linear = linear ? 1 : 0;
}

static void set_axis(plait__index_map *map, int32_t j, int64_t start, int axis, int64_t step, const plait_dims *space)
{
    map->start[j] = start;
    if (axis >= 0 && step != 0 && space->d[axis] != 1) {
        map->axis[j] = (int8_t)axis;
        map->step[j] = step;
    }
}

bool plait__index_map_equal(const plait__index_map *a, const plait__index_map *b)
{
    return a == b || (a != NULL && b != NULL && memcmp(a, b, sizeof *a) == 0);
}

plait__index_map plait__index_map_identity(const plait_dims *space)
{
    plait__index_map map;
    clear(&map, false);
    for (int32_t j = 0; j < space->n; j++) {
        set_axis(&map, j, 0, j, 1, space);
    }
    return map;
}

plait__index_map plait__index_map_constant(bool linear)
{
    plait__index_map map;
    clear(&map, linear);
    return map;
}

plait__index_map plait__index_map_affine(const plait__index_map *map, const plait__affine *affine, int32_t in_dims,
                                         const plait_dims *space)
{
    plait__index_map out;
    clear(&out, false);
    for (int32_t j = 0; j < in_dims; j++) {
        int i = affine->axis[j];
        if (i < 0) {
            out.start[j] = affine->start[j];
        } else {
            set_axis(&out, j, affine->start[j] + affine->step[j] * map->start[i], map->axis[i],
                     affine->step[j] * map->step[i], space);
        }
    }
    return out;
}

plait__index_map plait__index_map_broadcast(const plait__index_map *map, const plait_dims *from, const plait_dims *to)
{
    plait__index_map out;
    clear(&out, false);
    for (int32_t j = 0; j < from->n; j++) {
        int32_t i = j + to->n - from->n;
        if (from->d[j] == to->d[i]) {
            out.axis[j] = map->axis[i];
            out.start[j] = map->start[i];
            out.step[j] = map->step[i];
        }
    }
    return out;
}

plait__index_map plait__index_map_linear(const plait__index_map *map, const plait_dims *shape)
{
    plait__index_map out;
    clear(&out, true);
    plait__layout strides = plait__layout_contiguous(shape);
    for (int32_t j = 0; j < shape->n; j++) {
        out.start[0] += map->start[j] * strides.strides[j];
        if (map->axis[j] >= 0) {
            out.step[map->axis[j]] += map->step[j] * strides.strides[j];
        }
    }
    return out;
}

bool plait__index_map_is_linear_identity(const plait__index_map *map, const plait_dims *space)
{
    plait__layout layout = {.offset = map->start[0]};
    memcpy(layout.strides, map->step, sizeof layout.strides);
    return layout.offset == 0 && plait__layout_is_contiguous(space, &layout);
}

bool plait__index_map_is_axes_identity(const plait__index_map *map, const plait_dims *shape, const plait_dims *space)
{
    if (shape->n != space->n || memcmp(shape->d, space->d, sizeof(int64_t) * (size_t)shape->n) != 0) {
        return false;
    }
    plait__index_map identity = plait__index_map_identity(space);
    return plait__index_map_equal(map, &identity);
}

plait__layout plait__index_map_layout(const plait__index_map *map, const plait_dims *shape, const plait__layout *layout,
                                      const plait_dims *space)
{
    if (map == NULL) {
        plait__layout same = *layout;
        if (shape->n != space->n || memcmp(shape->d, space->d, sizeof(int64_t) * (size_t)shape->n) != 0) {
            same = plait__layout_contiguous(space); /* other shape, same numbers in C order */
            same.offset = layout->offset;
        }
        for (int32_t i = 0; i < PLAIT_MAX_DIMS; i++) {
            same.strides[i] = i < space->n && space->d[i] != 1 ? same.strides[i] : 0;
        }
        return same;
    }
    plait__layout out = {.offset = layout->offset};
    if (map->linear) {
        out.offset += map->start[0];
        memcpy(out.strides, map->step, sizeof out.strides);
        return out;
    }
    for (int32_t j = 0; j < shape->n; j++) {
        out.offset += map->start[j] * layout->strides[j];
        if (map->axis[j] >= 0) {
            out.strides[map->axis[j]] += map->step[j] * layout->strides[j];
        }
    }
    return out;
}
