/*
 * Plait: views.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 * Every view is either affine (each coordinate of the input depends on at most one of the result's) or a reshape. Views
 * of views fold into one, views of what is stored are stored themselves, and views of a constant are constants.
 */
#include <plait/view.h>

#include "alloc.h"
#include "array_ctx.h"
#include "build.h"
#include "error.h"

#include <inttypes.h>
#include <string.h>

/* ---- nodes ---- */

static bool same_shape(const plait_dims *a, const plait_dims *b)
{
    return a->n == b->n && memcmp(a->d, b->d, (size_t)a->n * sizeof a->d[0]) == 0;
}

static plait_array *itself(plait_array *a)
{
    return plait__scope_add(plait__node_retain(a));
}

static plait_array *constant_like(const plait_array *a, const plait_dims *shape)
{
    plait_array *c = plait__node_create(a->ctx, PLAIT__NODE_CONSTANT, (plait_dtype)a->dtype, shape, NULL, 0);
    if (c != NULL) {
        c->value = a->value;
    }
    return plait__build_done(c);
}

static plait_array *stored_view(const plait_array *a, plait__node_kind kind, const plait_dims *shape,
                                const plait__layout *layout)
{
    return plait__build_done(plait__node_create_ready(a->ctx, kind, (plait_dtype)a->dtype, shape,
                                                      plait__storage_retain(a->storage), layout));
}

/* What a pending view of this kind looks at: a new reference, and its map; NULL if `a` is no such view. */
static plait_array *look_through(plait_array *a, plait__node_kind kind, plait__affine *map)
{
    if (a->kind != kind || plait__is_ready(a)) {
        return NULL;
    }
    plait_array *base = NULL;
    plait__lock(&a->arrays->lock); /* its input goes the moment it becomes ready */
    if (!plait__is_ready(a)) {
        base = plait__node_retain(a->in[0]);
    }
    plait__unlock(&a->arrays->lock);
    if (base != NULL && map != NULL) {
        *map = *a->affine;
    }
    return base;
}

/* The result's coordinates to the middle's, then the middle's to the input's. */
static plait__affine compose(const plait__affine *to_middle, const plait__affine *to_input, int32_t in_dims)
{
    plait__affine both = {{0}, {0}, {0}};
    for (int32_t j = 0; j < in_dims; j++) {
        int m = to_input->axis[j];
        both.axis[j] = -1;
        both.start[j] = to_input->start[j];
        if (m >= 0) {
            both.start[j] += to_input->step[j] * to_middle->start[m];
            both.axis[j] = to_middle->axis[m];
            both.step[j] = to_input->step[j] * to_middle->step[m];
        }
    }
    return both;
}

plait_array *plait__build_affine(plait_array *a, const plait_dims *shape, const plait__affine *affine)
{
    if (plait_shape_count(*shape) == 0) {
        return plait__build_empty(a->ctx, (plait_dtype)a->dtype, shape);
    }
    if (a->kind == PLAIT__NODE_CONSTANT) {
        return constant_like(a, shape);
    }
    plait__affine map;
    plait_array *base = look_through(a, PLAIT__NODE_AFFINE, &map);
    if (base != NULL) {
        map = compose(affine, &map, base->shape.n);
        plait_array *view = plait__build_affine(base, shape, &map);
        plait__node_release(base);
        return view;
    }
    if (plait__is_ready(a)) {
        plait__layout layout = plait__layout_affine(&a->layout, a->shape.n, affine, shape->n);
        return stored_view(a, PLAIT__NODE_AFFINE, shape, &layout);
    }
    plait_array *view = plait__node_create(a->ctx, PLAIT__NODE_AFFINE, (plait_dtype)a->dtype, shape, &a, 1);
    if (view == NULL) {
        return NULL;
    }
    view->affine = plait__memdup(affine, sizeof *affine);
    if (view->affine == NULL) {
        plait__node_release(view);
        return NULL;
    }
    return plait__build_done(view);
}

/* Axis j of `a` is the result's axis[j], elements in their order; -1: it has size 1. */
static plait_array *axes_view(plait_array *a, const plait_dims *shape, const int8_t *axis)
{
    plait__affine map = {{0}, {0}, {0}};
    for (int32_t j = 0; j < a->shape.n; j++) {
        map.axis[j] = axis[j];
        map.step[j] = 1;
    }
    return plait__build_affine(a, shape, &map);
}

plait_array *plait__build_broadcast(plait_array *a, const plait_dims *shape)
{
    if (same_shape(&a->shape, shape)) {
        return itself(a);
    }
    int8_t axis[PLAIT_MAX_DIMS];
    for (int32_t j = 0; j < a->shape.n; j++) {
        int32_t i = shape->n - a->shape.n + j;
        axis[j] = (int8_t)(a->shape.d[j] == 1 && shape->d[i] != 1 ? -1 : i);
    }
    return axes_view(a, shape, axis);
}

/* Whether the shapes differ only in axes of size 1; then axis[j] is where axis j of the first is in the second. */
static bool same_but_ones(const plait_dims *from, const plait_dims *to, int8_t *axis)
{
    int32_t i = 0;
    for (int32_t j = 0; j < from->n; j++) {
        axis[j] = -1;
        if (from->d[j] == 1) {
            continue;
        }
        while (i < to->n && to->d[i] == 1) {
            i++;
        }
        if (i == to->n || to->d[i] != from->d[j]) {
            return false;
        }
        axis[j] = (int8_t)i++;
    }
    return true; /* the counts are equal, so what is left of `to` has size 1 */
}

plait_array *plait__build_reshape(plait_array *a, const plait_dims *shape)
{
    if (same_shape(&a->shape, shape)) {
        return itself(a);
    }
    if (plait_shape_count(*shape) == 0) {
        return plait__build_empty(a->ctx, (plait_dtype)a->dtype, shape);
    }
    if (a->kind == PLAIT__NODE_CONSTANT) {
        return constant_like(a, shape);
    }
    int8_t axis[PLAIT_MAX_DIMS];
    if (same_but_ones(&a->shape, shape, axis)) {
        return axes_view(a, shape, axis);
    }
    plait_array *base = look_through(a, PLAIT__NODE_RESHAPE, NULL);
    if (base != NULL) {
        plait_array *view = plait__build_reshape(base, shape);
        plait__node_release(base);
        return view;
    }
    plait__layout layout;
    if (plait__is_ready(a) && plait__layout_reshape(&a->shape, &a->layout, shape, &layout)) {
        return stored_view(a, PLAIT__NODE_RESHAPE, shape, &layout);
    }
    return plait__build_done(plait__node_create(a->ctx, PLAIT__NODE_RESHAPE, (plait_dtype)a->dtype, shape, &a, 1));
}

/* ---- along one axis ---- */

/* Python's rule for one bound of a slice. */
static int64_t clip_bound(int64_t bound, int64_t size, bool backwards)
{
    if (bound < 0) {
        bound += size;
        return bound < 0 ? (backwards ? -1 : 0) : bound;
    }
    return bound < size ? bound : backwards ? size - 1 : size;
}

/* Axis `axis` of `a` replaced by `size` elements from `start` in steps of `step`; the others stay. */
static plait_array *step_view(plait_array *a, int axis, int64_t start, int64_t step, int64_t size)
{
    plait__affine map = {{0}, {0}, {0}};
    for (int32_t j = 0; j < a->shape.n; j++) {
        map.axis[j] = (int8_t)j;
        map.step[j] = 1;
    }
    map.start[axis] = start;
    map.step[axis] = size > 1 ? step : 1; /* a step that is never taken may be so large that its product overflows */
    plait_dims shape = a->shape;
    shape.d[axis] = size;
    return plait__build_affine(a, &shape, &map);
}

plait_array *plait_slice(plait_array *a, int axis, int64_t start, int64_t stop, int64_t step)
{
    if (plait__check_array(a, __func__, "a") != PLAIT_OK ||
        plait__check_axis(&axis, axis, a->shape.n, __func__) != PLAIT_OK) {
        return NULL;
    }
    PLAIT__REQUIRE_PTR(step != 0, PLAIT_E_ARGUMENT, "plait_slice: step is 0; it may be negative, but must move");
    int64_t size = a->shape.d[axis];
    bool backwards = step < 0;
    step = step == INT64_MIN ? -INT64_MAX : step;
    start = start == PLAIT_OPEN ? (backwards ? size - 1 : 0) : clip_bound(start, size, backwards);
    stop = stop == PLAIT_OPEN ? (backwards ? -1 : size) : clip_bound(stop, size, backwards);
    int64_t count = 0;
    if (backwards ? stop < start : start < stop) {
        count = backwards ? (start - stop - 1) / -step + 1 : (stop - start - 1) / step + 1;
    }
    return step_view(a, axis, start, step, count);
}

plait_array *plait_index(plait_array *a, int axis, int64_t index)
{
    if (plait__check_array(a, __func__, "a") != PLAIT_OK ||
        plait__check_axis(&axis, axis, a->shape.n, __func__) != PLAIT_OK) {
        return NULL;
    }
    int64_t size = a->shape.d[axis];
    PLAIT__REQUIRE_PTR(index >= -size && index < size, PLAIT_E_RANGE,
                       "plait_index: index %" PRId64 " is out of range for axis %d of size %" PRId64, index, axis,
                       size);
    plait__affine map = {{0}, {0}, {0}};
    plait_dims shape = {0};
    for (int32_t j = 0; j < a->shape.n; j++) {
        if (j == axis) {
            map.axis[j] = -1;
            map.start[j] = index < 0 ? index + size : index;
        } else {
            map.axis[j] = (int8_t)shape.n;
            map.step[j] = 1;
            shape.d[shape.n++] = a->shape.d[j];
        }
    }
    return plait__build_affine(a, &shape, &map);
}

/* ---- axes ---- */

static plait_array *permute(plait_array *a, plait_dims axes, const char *function)
{
    if (plait__check_array(a, function, "a") != PLAIT_OK) {
        return NULL;
    }
    int32_t n = a->shape.n;
    if (axes.n == 0) {
        axes.n = n;
        for (int32_t i = 0; i < n; i++) {
            axes.d[i] = n - 1 - i;
        }
    }
    PLAIT__REQUIRE_PTR(axes.n == n, PLAIT_E_AXIS,
                       "%s: %" PRId32 " axes are named for an array of %" PRId32 " dimensions; name each once",
                       function, axes.n < 0 ? 0 : axes.n, n);
    unsigned seen;
    if (plait__check_axes(&seen, &axes, n, function) != PLAIT_OK) {
        return NULL;
    }
    int8_t axis[PLAIT_MAX_DIMS];
    plait_dims shape = {.n = n};
    for (int32_t i = 0; i < n; i++) {
        int64_t from = axes.d[i] < 0 ? axes.d[i] + n : axes.d[i];
        axis[from] = (int8_t)i;
        shape.d[i] = a->shape.d[from];
    }
    return axes_view(a, &shape, axis);
}

plait_array *plait_permute_dims(plait_array *a, plait_dims axes)
{
    return permute(a, axes, __func__);
}

plait_array *plait_transpose(plait_array *a)
{
    return permute(a, PLAIT_SCALAR_SHAPE, __func__);
}

plait_array *plait_flip(plait_array *a, plait_dims axes)
{
    if (plait__check_array(a, __func__, "a") != PLAIT_OK) {
        return NULL;
    }
    unsigned flipped = (1u << a->shape.n) - 1;
    if (axes.n == -1) {
        flipped = 0;
    } else if (axes.n != 0 && plait__check_axes(&flipped, &axes, a->shape.n, __func__) != PLAIT_OK) {
        return NULL;
    }
    plait__affine map = {{0}, {0}, {0}};
    for (int32_t j = 0; j < a->shape.n; j++) {
        bool flip = (flipped & 1u << j) != 0;
        map.axis[j] = (int8_t)j;
        map.start[j] = flip ? a->shape.d[j] - 1 : 0;
        map.step[j] = flip ? -1 : 1;
    }
    return flipped != 0 ? plait__build_affine(a, &a->shape, &map) : itself(a);
}

plait_array *plait_expand_dims(plait_array *a, plait_dims axes)
{
    if (plait__check_array(a, __func__, "a") != PLAIT_OK) {
        return NULL;
    }
    if (axes.n == -1) {
        return itself(a);
    }
    PLAIT__REQUIRE_PTR(axes.n != 0, PLAIT_E_AXIS, "plait_expand_dims: no axis is named");
    PLAIT__REQUIRE_PTR(axes.n < 0 || axes.n <= PLAIT_MAX_DIMS - a->shape.n, PLAIT_E_SHAPE,
                       "plait_expand_dims: the result would have %" PRId64 " dimensions; arrays have at most %d",
                       (int64_t)axes.n + a->shape.n, PLAIT_MAX_DIMS);
    plait_dims shape = {.n = axes.n + a->shape.n};
    unsigned inserted;
    if (plait__check_axes(&inserted, &axes, shape.n, __func__) != PLAIT_OK) {
        return NULL;
    }
    int8_t axis[PLAIT_MAX_DIMS];
    int32_t j = 0;
    for (int32_t i = 0; i < shape.n; i++) {
        if ((inserted & 1u << i) != 0) {
            shape.d[i] = 1;
        } else {
            axis[j] = (int8_t)i;
            shape.d[i] = a->shape.d[j++];
        }
    }
    return axes_view(a, &shape, axis);
}

plait_array *plait_squeeze(plait_array *a, plait_dims axes)
{
    if (plait__check_array(a, __func__, "a") != PLAIT_OK) {
        return NULL;
    }
    unsigned removed = 0;
    if (axes.n == 0) {
        for (int32_t i = 0; i < a->shape.n; i++) {
            removed |= a->shape.d[i] == 1 ? 1u << i : 0;
        }
    } else if (axes.n != -1 && plait__check_axes(&removed, &axes, a->shape.n, __func__) != PLAIT_OK) {
        return NULL;
    }
    int8_t axis[PLAIT_MAX_DIMS];
    plait_dims shape = {0};
    for (int32_t j = 0; j < a->shape.n; j++) {
        if ((removed & 1u << j) == 0) {
            axis[j] = (int8_t)shape.n;
            shape.d[shape.n++] = a->shape.d[j];
            continue;
        }
        PLAIT__REQUIRE_PTR(a->shape.d[j] == 1, PLAIT_E_SHAPE,
                           "plait_squeeze: axis %" PRId32 " has size %" PRId64 "; only axes of size 1 can go", j,
                           a->shape.d[j]);
        axis[j] = -1;
    }
    return removed != 0 ? axes_view(a, &shape, axis) : itself(a);
}

/* ---- shapes ---- */

plait_array *plait_broadcast_to(plait_array *a, plait_dims shape)
{
    if (plait__check_array(a, __func__, "a") != PLAIT_OK ||
        plait__check_shape(&shape, (plait_dtype)a->dtype, __func__) != PLAIT_OK) {
        return NULL;
    }
    char from[PLAIT__SHAPE_TEXT], to[PLAIT__SHAPE_TEXT];
    PLAIT__REQUIRE_PTR(plait__broadcasts_to(&a->shape, &shape), PLAIT_E_SHAPE,
                       "plait_broadcast_to: the shape %s does not broadcast to %s: sizes, aligned at the last axis, "
                       "must be equal or 1",
                       plait__shape_text(from, a->shape), plait__shape_text(to, shape));
    return plait__build_broadcast(a, &shape);
}

/* Fills in the size that was given as -1, and checks the count. */
static plait_status complete_shape(plait_dims *shape, const plait_array *a)
{
    const char *function = "plait_reshape";
    char from[PLAIT__SHAPE_TEXT], to[PLAIT__SHAPE_TEXT];
    plait_dims given = *shape;
    int32_t open = -1;
    for (int32_t i = 0; i < shape->n && i < PLAIT_MAX_DIMS; i++) {
        if (shape->d[i] == -1) {
            PLAIT__REQUIRE(open < 0, PLAIT_E_SHAPE, "%s: the shape %s leaves more than one size open", function,
                           plait__shape_text(to, given));
            open = i;
            shape->d[i] = 1;
        }
    }
    PLAIT__TRY(plait__check_shape(shape, (plait_dtype)a->dtype, function));
    int64_t count = plait__node_count(a), others = plait_shape_count(*shape);
    if (open >= 0 && others > 0 && count % others == 0) {
        shape->d[open] = count / others;
        return PLAIT_OK;
    }
    PLAIT__REQUIRE(open < 0 && others == count, PLAIT_E_SHAPE,
                   "%s: %" PRId64 " elements of shape %s do not make up the shape %s", function, count,
                   plait__shape_text(from, a->shape), plait__shape_text(to, given));
    return PLAIT_OK;
}

plait_array *plait_reshape(plait_array *a, plait_dims shape)
{
    if (plait__check_array(a, __func__, "a") != PLAIT_OK || complete_shape(&shape, a) != PLAIT_OK) {
        return NULL;
    }
    return plait__build_reshape(a, &shape);
}
