/*
 * Plait: the public functions of reductions.def.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include <plait/reduce.h>

#include <plait/create.h>
#include <plait/view.h>

#include "build.h"
#include "error.h"
#include "opts.h"
#include "promote.h"

void plait_reduce_opts_init(plait_reduce_opts *opts)
{
    if (opts != NULL) {
        *opts = (plait_reduce_opts)PLAIT_REDUCE_OPTS;
    }
}

/* The axes of the options as a set; none named means all. */
static plait_status read_axes(unsigned *axes, const plait_dims *given, int32_t n, const char *function)
{
    if (given->n == 0) {
        *axes = (1u << n) - 1;
        return PLAIT_OK;
    }
    if (given->n == -1) {
        *axes = 0;
        return PLAIT_OK;
    }
    return plait__check_axes(axes, given, n, function);
}

static plait_dims reduced_shape(const plait_dims *shape, unsigned axes, bool keepdims)
{
    plait_dims out = {0};
    for (int32_t i = 0; i < shape->n; i++) {
        bool reduced = (axes & 1u << i) != 0;
        if (!reduced || keepdims) {
            out.d[out.n++] = reduced ? 1 : shape->d[i];
        }
    }
    return out;
}

static plait_status check_dtype(const plait__reduction *r, const plait_array *a, const char *function)
{
    plait_dtype dtype = (plait_dtype)a->dtype;
    PLAIT__REQUIRE(r->complex_ok || plait__dtype_class(dtype) != PLAIT__CLASS_COMPLEX, PLAIT_E_DTYPE,
                   "%s: it is not defined for %s", function, plait_dtype_name(dtype));
    return PLAIT_OK;
}

/* A mask that is bool and broadcasts to a's shape, seen in that shape. */
static plait_array *fit_mask(plait_array *mask, const plait_array *a, const char *function)
{
    plait_ctx *ctx;
    if (plait__check_array(mask, function, "mask") != PLAIT_OK ||
        plait__check_contexts(&ctx, (plait_array *const[]){mask, (plait_array *)a}, 2, function) != PLAIT_OK) {
        return NULL;
    }
    PLAIT__REQUIRE_PTR(mask->dtype == PLAIT_BOOL, PLAIT_E_DTYPE, "%s: mask is %s; it must be bool", function,
                       plait_dtype_name((plait_dtype)mask->dtype));
    char from[PLAIT__SHAPE_TEXT], to[PLAIT__SHAPE_TEXT];
    PLAIT__REQUIRE_PTR(plait__broadcasts_to(&mask->shape, &a->shape), PLAIT_E_SHAPE,
                       "%s: the mask's shape %s does not broadcast to the array's, %s", function,
                       plait__shape_text(from, mask->shape), plait__shape_text(to, a->shape));
    return plait__build_broadcast(mask, &a->shape);
}

static plait_array *reduce_node(const plait__reduction *r, plait_array *a, plait_array *mask, unsigned axes,
                                bool keepdims)
{
    plait_dtype dtype = plait__reduction_result(r, (plait_dtype)a->dtype, plait__ctx_caps(a->ctx)->real);
    plait_dims shape = reduced_shape(&a->shape, axes, keepdims);
    if (plait_shape_count(shape) == 0) {
        return plait__build_empty(a->ctx, dtype, &shape);
    }
    plait_array *inputs[2] = {a, mask};
    plait_array *out = plait__node_create(a->ctx, PLAIT__NODE_REDUCE, dtype, &shape, inputs, mask != NULL ? 2 : 1);
    if (out != NULL) {
        out->reduction = r;
        out->axis_mask = (uint8_t)axes;
        out->keepdims = keepdims;
    }
    return plait__build_done(out);
}

/* The mean of what a mask selects is their sum over their number. */
static plait_array *masked_mean(plait_array *a, plait_array *mask, unsigned axes, bool keepdims)
{
    const plait__reduction *sum = &plait__reductions[PLAIT__REDUCTION_sum];
    plait_array *total = reduce_node(sum, a, mask, axes, keepdims);
    plait_array *count = total != NULL ? reduce_node(sum, mask, NULL, axes, keepdims) : NULL;
    if (count == NULL) {
        return NULL;
    }
    return plait__build_op(&plait__ops[PLAIT__OP_divide], (plait_array *const[]){total, count});
}

static plait_array *masked(const plait__reduction *r, plait_array *a, plait_array *mask, unsigned axes, bool keepdims,
                           const char *function)
{
    mask = fit_mask(mask, a, function);
    if (mask == NULL) {
        return NULL;
    }
    if (axes == 0) { /* no axis to reduce: one of size 1 is added, and goes */
        plait_dims last = PLAIT_AXES(-1);
        a = plait_expand_dims(a, last);
        mask = a != NULL ? plait_expand_dims(mask, last) : NULL;
        if (mask == NULL) {
            return NULL;
        }
        axes = 1u << (a->shape.n - 1);
        keepdims = false;
    }
    if (r == &plait__reductions[PLAIT__REDUCTION_mean]) {
        return masked_mean(a, mask, axes, keepdims);
    }
    return reduce_node(r, a, mask, axes, keepdims);
}

static plait_array *reduce(const plait__reduction *r, plait_array *a, plait_array *mask, const plait_reduce_opts *opts,
                           const char *function)
{
    plait_reduce_opts o;
    unsigned axes = 0;
    if (plait__check_array(a, function, "a") != PLAIT_OK ||
        plait__opts_read(function, &o, sizeof o, opts) != PLAIT_OK || check_dtype(r, a, function) != PLAIT_OK ||
        (o.dtype != PLAIT_DTYPE_DEFAULT && plait__check_dtype(a->ctx, o.dtype, function) != PLAIT_OK) ||
        read_axes(&axes, &o.axes, a->shape.n, function) != PLAIT_OK) {
        return NULL;
    }
    plait_dims shape = reduced_shape(&a->shape, axes, o.keepdims);
    char text[PLAIT__SHAPE_TEXT];
    PLAIT__REQUIRE_PTR(r->has_identity || plait__node_count(a) > 0 || plait_shape_count(shape) == 0, PLAIT_E_SHAPE,
                       "%s: there is nothing to take it of: the shape is %s", function,
                       plait__shape_text(text, a->shape));
    if (o.dtype != PLAIT_DTYPE_DEFAULT) {
        a = plait_astype(a, o.dtype);
        if (a == NULL || check_dtype(r, a, function) != PLAIT_OK) {
            return NULL;
        }
    }
    plait_dtype dtype = plait__reduction_result(r, (plait_dtype)a->dtype, plait__ctx_caps(a->ctx)->real);
    plait_array *out;
    if (mask != plait_none()) {
        out = masked(r, a, mask, axes, o.keepdims, function);
    } else if (axes == 0) {
        out = plait__build_cast(a, dtype); /* each element is the result of itself alone */
    } else {
        out = reduce_node(r, a, NULL, axes, o.keepdims);
    }
    return out != NULL && o.dtype != PLAIT_DTYPE_DEFAULT ? plait__build_cast(out, o.dtype) : out;
}

static plait_array *reduce_axis(const plait__reduction *r, plait_array *a, int axis, const char *function)
{
    plait_reduce_opts o = PLAIT_REDUCE_OPTS;
    o.axes = PLAIT_AXES(axis);
    return reduce(r, a, plait_none(), &o, function);
}

#define PLAIT_REDUCTION(name, acc, result, has_identity, complex_ok, identity, combine, finish, since, doc)            \
    plait_array *plait_##name(plait_array *a)                                                                          \
    {                                                                                                                  \
        return reduce(&plait__reductions[PLAIT__REDUCTION_##name], a, plait_none(), NULL, __func__);                   \
    }                                                                                                                  \
    plait_array *plait_##name##_axis(plait_array *a, int axis)                                                         \
    {                                                                                                                  \
        return reduce_axis(&plait__reductions[PLAIT__REDUCTION_##name], a, axis, __func__);                            \
    }                                                                                                                  \
    plait_array *plait_##name##_opt(plait_array *a, plait_array *mask, const plait_reduce_opts *opts)                  \
    {                                                                                                                  \
        return reduce(&plait__reductions[PLAIT__REDUCTION_##name], a, mask, opts, __func__);                           \
    }
#include "reductions.def"
#undef PLAIT_REDUCTION
