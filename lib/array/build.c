/*
 * Plait: what builders share.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "build.h"

#include "alloc.h"
#include "array_ctx.h"
#include "error.h"
#include "eval.h"
#include "family.h"
#include "fold.h"
#include "promote.h"
#include "scope.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *plait__shape_text(char out[PLAIT__SHAPE_TEXT], plait_dims shape)
{
    size_t used = 0;
    used += (size_t)snprintf(out, PLAIT__SHAPE_TEXT, "(");
    for (int32_t i = 0; i < shape.n && i < PLAIT_MAX_DIMS; i++) {
        used += (size_t)snprintf(out + used, PLAIT__SHAPE_TEXT - used, "%s%" PRId64, i > 0 ? ", " : "", shape.d[i]);
    }
    const char *end = shape.n > PLAIT_MAX_DIMS ? ", ...)" : shape.n == 1 ? ",)" : ")";
    snprintf(out + used, PLAIT__SHAPE_TEXT - used, "%s", end);
    return out;
}

/* ---- checks ---- */

plait_status plait__check_input(const plait_array *a, const char *function, const char *argument)
{
    if (a == NULL) {
        return plait__fail_null(function, argument);
    }
    PLAIT__REQUIRE(a->kind != PLAIT__NODE_NONE, PLAIT_E_ARGUMENT, "%s: %s is PLAIT_NONE, but it must be given",
                   function, argument);
    return a->ctx != NULL ? plait__ctx_check(a->ctx, function) : PLAIT_OK;
}

plait_status plait__check_array(const plait_array *a, const char *function, const char *argument)
{
    PLAIT__TRY(plait__check_input(a, function, argument));
    PLAIT__REQUIRE(a->ctx != NULL, PLAIT_E_ARGUMENT,
                   "%s: %s is a number, which has no device, dtype or axes of its own; make an array of it with "
                   "plait_full",
                   function, argument);
    return PLAIT_OK;
}

plait_status plait__check_contexts(plait_ctx **out, plait_array *const *inputs, size_t n, const char *function)
{
    plait_ctx *ctx = NULL;
    for (size_t i = 0; i < n; i++) {
        plait_ctx *its = inputs[i]->ctx;
        if (its == NULL || its == ctx) {
            continue;
        }
        PLAIT__REQUIRE(ctx == NULL, PLAIT_E_CONTEXT,
                       "%s: its arrays are of two contexts, on %s and on %s; bring them into one first", function,
                       plait_ctx_device(ctx)->name, plait_ctx_device(its)->name);
        ctx = its;
    }
    *out = ctx;
    return PLAIT_OK;
}

plait_status plait__check_shape(const plait_dims *shape, plait_dtype dtype, const char *function)
{
    if (shape->n == -1) {
        return plait__fail_null(function, "the array whose shape was given"); /* the accessors' shape of NULL */
    }
    char text[PLAIT__SHAPE_TEXT];
    PLAIT__REQUIRE(shape->n >= 0 && shape->n <= PLAIT_MAX_DIMS, PLAIT_E_SHAPE,
                   "%s: a shape of %" PRId32 " dimensions; arrays have at most %d", function, shape->n, PLAIT_MAX_DIMS);
    for (int32_t i = 0; i < shape->n; i++) {
        PLAIT__REQUIRE(shape->d[i] >= 0, PLAIT_E_SHAPE, "%s: the shape %s has a negative size", function,
                       plait__shape_text(text, *shape));
    }
    int64_t count = plait_shape_count(*shape);
    PLAIT__REQUIRE(count >= 0 && count <= INT64_MAX / (int64_t)plait_dtype_size(dtype), PLAIT_E_SHAPE,
                   "%s: the shape %s has more elements than 64 bits can count bytes of", function,
                   plait__shape_text(text, *shape));
    return PLAIT_OK;
}

plait_status plait__check_dtype(const plait_ctx *ctx, plait_dtype dtype, const char *function)
{
    PLAIT__REQUIRE(plait__dtype_of_arrays(dtype), PLAIT_E_DTYPE,
                   "%s: arrays do not have the dtype %s yet; they have %s", function, plait_dtype_name(dtype),
                   PLAIT__ARRAY_DTYPES);
    PLAIT__REQUIRE(dtype != PLAIT_F64 || plait__ctx_caps(ctx)->fp64, PLAIT_E_UNSUPPORTED,
                   "%s: %s has no double precision, which f64 needs; use f32", function, plait_ctx_device(ctx)->name);
    return PLAIT_OK;
}

plait_status plait__check_axis(int *out, int64_t axis, int32_t n, const char *function)
{
    PLAIT__REQUIRE(axis >= -(int64_t)n && axis < n, PLAIT_E_AXIS,
                   "%s: axis %" PRId64 " is out of range for an array of %" PRId32 " dimensions", function, axis, n);
    *out = (int)(axis < 0 ? axis + n : axis);
    return PLAIT_OK;
}

plait_status plait__check_axes(unsigned *mask, const plait_dims *axes, int32_t n, const char *function)
{
    PLAIT__REQUIRE(axes->n >= 0 && axes->n <= PLAIT_MAX_DIMS, PLAIT_E_AXIS,
                   "%s: a list of %" PRId32 " axes; arrays have at most %d dimensions", function, axes->n,
                   PLAIT_MAX_DIMS);
    *mask = 0;
    for (int32_t i = 0; i < axes->n; i++) {
        int axis = 0;
        PLAIT__TRY(plait__check_axis(&axis, axes->d[i], n, function));
        PLAIT__REQUIRE((*mask & 1u << axis) == 0, PLAIT_E_AXIS, "%s: axis %d is named twice", function, axis);
        *mask |= 1u << axis;
    }
    return PLAIT_OK;
}

static bool broadcast(plait_dims *to, const plait_dims *from)
{
    plait_dims out = {.n = to->n > from->n ? to->n : from->n};
    for (int32_t i = 1; i <= out.n; i++) { /* from the last axis */
        int64_t x = i <= to->n ? to->d[to->n - i] : 1;
        int64_t y = i <= from->n ? from->d[from->n - i] : 1;
        if (x != y && x != 1 && y != 1) {
            return false;
        }
        out.d[out.n - i] = x == 1 ? y : x;
    }
    *to = out;
    return true;
}

plait_status plait__broadcast_inputs(plait_dims *out, plait_array *const *inputs, size_t n, const char *function)
{
    plait_dims shape = {0};
    for (size_t i = 0; i < n; i++) {
        char left[PLAIT__SHAPE_TEXT], right[PLAIT__SHAPE_TEXT];
        plait_dims before = shape;
        PLAIT__REQUIRE(broadcast(&shape, &inputs[i]->shape), PLAIT_E_SHAPE,
                       "%s: the shapes %s and %s do not broadcast: sizes, aligned at the last axis, must be equal or 1",
                       function, plait__shape_text(left, before), plait__shape_text(right, inputs[i]->shape));
    }
    *out = shape;
    return PLAIT_OK;
}

bool plait__broadcasts_to(const plait_dims *from, const plait_dims *to)
{
    plait_dims both = *to;
    return from->n <= to->n && broadcast(&both, from) && memcmp(both.d, to->d, (size_t)to->n * sizeof both.d[0]) == 0;
}

/* ---- nodes ---- */

plait_array *plait__build_done(plait_array *node)
{
    if (node == NULL) {
        return NULL;
    }
    node = plait__scope_add(node);
    if (node != NULL && !plait__is_ready(node)) {
        plait__eval_guard(node);
    }
    return node;
}

plait_array *plait__build_stored(plait_ctx *ctx, plait_dtype dtype, const plait_dims *shape, plait__storage *storage)
{
    return plait__build_done(plait__node_create_ready(ctx, PLAIT__NODE_STORED, dtype, shape, storage, NULL));
}

plait_array *plait__build_empty(plait_ctx *ctx, plait_dtype dtype, const plait_dims *shape)
{
    plait__storage *storage = plait__storage_create(NULL);
    return storage != NULL ? plait__build_stored(ctx, dtype, shape, storage) : NULL;
}

plait_array *plait__build_number(plait_dtype dtype, plait__value value)
{
    plait_array *a = plait__node_create(NULL, PLAIT__NODE_NUMBER, dtype, &(plait_dims){0}, NULL, 0);
    if (a == NULL) {
        return NULL;
    }
    a->weak = true;
    a->value = value;
    return plait__build_done(a);
}

plait_array *plait__build_cast(plait_array *a, plait_dtype dtype)
{
    if (a->dtype == dtype) {
        return plait__scope_add(plait__node_retain(a));
    }
    if (plait__node_count(a) == 0) {
        return plait__build_empty(a->ctx, dtype, &a->shape);
    }
    return plait__build_done(plait__node_create(a->ctx, PLAIT__NODE_CAST, dtype, &a->shape, &a, 1));
}

/* ---- elementwise operations ---- */

/* The dtype that the row's expression works in and that of its result, by the common dtype of its operands. */
static void apply_rule(plait__dtype_rule rule, plait_dtype common, plait_dtype real, plait_dtype *in, plait_dtype *out)
{
    *in = common;
    *out = common;
    switch (rule) {
    case PLAIT__RULE_SAME:
    case PLAIT__RULE_SELECT:
        break;
    case PLAIT__RULE_FLOAT:
        *in = *out = plait__promote_real(common, real);
        break;
    case PLAIT__RULE_COMPARE:
        *out = PLAIT_BOOL;
        break;
    case PLAIT__RULE_LOGIC:
        *in = *out = PLAIT_BOOL;
        break;
    case PLAIT__RULE_REAL:
        *out = plait__real_part(common);
        break;
    }
}

static plait_status find_dtypes(const plait__op *op, plait_array *const *inputs, plait_dtype real, plait_dtype *in,
                                plait_dtype *out)
{
    plait_dtype common = PLAIT_BOOL;
    if (op->rule != PLAIT__RULE_LOGIC) {
        size_t first = op->rule == PLAIT__RULE_SELECT ? 1 : 0;
        PLAIT__TRY(plait__common_dtype(&common, inputs + first, op->arity - first, real, op->function));
    }
    apply_rule(op->rule, common, real, in, out);
    PLAIT__REQUIRE(op->expression[plait__dtype_class(*in)] != NULL, PLAIT_E_DTYPE, "%s: it is not defined for %s",
                   op->function, plait_dtype_name(*in));
    return PLAIT_OK;
}

static plait_array *fold_numbers(const plait__op *op, plait_array *const *inputs)
{
    plait_dtype in, out;
    if (find_dtypes(op, inputs, PLAIT_F64, &in, &out) != PLAIT_OK) {
        return NULL;
    }
    plait__class class = plait__dtype_class(in);
    plait__value values[3];
    for (uint8_t i = 0; i < op->arity; i++) {
        bool selector = op->rule == PLAIT__RULE_SELECT && i == 0;
        values[i] = plait__value_convert(inputs[i]->value, plait__dtype_class((plait_dtype)inputs[i]->dtype),
                                         selector ? PLAIT__CLASS_BOOL : class);
    }
    /* A number's real dtype is f64, whatever arrays make of it. */
    return plait__build_number(out == PLAIT_F32 ? PLAIT_F64 : out, plait__fold(op, class, values));
}

plait_array *plait__build_op(const plait__op *op, plait_array *const *inputs)
{
    static const char *const names[] = {"x", "y", "z"};
    for (uint8_t i = 0; i < op->arity; i++) {
        if (plait__check_input(inputs[i], op->function, names[i]) != PLAIT_OK) {
            return NULL;
        }
    }
    plait_ctx *ctx = NULL; /* gcc cannot see that it is set below */
    if (plait__check_contexts(&ctx, inputs, op->arity, op->function) != PLAIT_OK) {
        return NULL;
    }
    if (ctx == NULL) {
        return fold_numbers(op, inputs);
    }
    plait_dtype in, out;
    plait_dims shape;
    if (find_dtypes(op, inputs, plait__ctx_caps(ctx)->real, &in, &out) != PLAIT_OK ||
        plait__broadcast_inputs(&shape, inputs, op->arity, op->function) != PLAIT_OK ||
        plait__check_shape(&shape, out, op->function) != PLAIT_OK) {
        return NULL;
    }
    if (plait_shape_count(shape) == 0) {
        return plait__build_empty(ctx, out, &shape);
    }
    plait_array *a = plait__node_create(ctx, PLAIT__NODE_ELEMENTWISE, out, &shape, inputs, op->arity);
    if (a == NULL) {
        return NULL;
    }
    a->op = op;
    a->in_dtype = (uint8_t)in;
    return plait__build_done(a);
}

/* ---- families ---- */

static void drop_call(const plait__family *family, void *call)
{
    if (family->release_call != NULL) {
        family->release_call(call);
    }
}

static plait_status family_node(plait_array **out, size_t n_out, const plait__family *family, void *call,
                                plait_ctx *ctx, plait_array *const *inputs, size_t n_in, const plait_dtype *dtypes,
                                const plait_dims *shapes)
{
    plait_array *a = plait__node_create(ctx, PLAIT__NODE_FAMILY, dtypes[0], &shapes[0], inputs, n_in);
    if (a == NULL) {
        drop_call(family, call);
        return PLAIT_E_NO_MEMORY;
    }
    a->family = family;
    a->call = call;
    a->n_out = (uint32_t)n_out;
    if (n_out > 1) {
        a->results = plait__calloc(n_out, sizeof *a->results);
        if (a->results == NULL) {
            plait__node_release(a);
            return PLAIT_E_NO_MEMORY;
        }
        for (size_t i = 0; i < n_out; i++) {
            a->results[i].dtype = dtypes[i];
            a->results[i].shape = shapes[i];
        }
    }
    *out = a;
    return PLAIT_OK;
}

plait_status plait__family_build(plait_array **out, size_t n_out, const plait__family *family, void *call,
                                 plait_ctx *ctx, plait_array *const *inputs, size_t n_in, const plait_dtype *dtypes,
                                 const plait_dims *shapes)
{
    assert(n_out > 0);
    memset(out, 0, n_out * sizeof *out);
    plait_array *first;
    PLAIT__TRY(family_node(&first, n_out, family, call, ctx, inputs, n_in, dtypes, shapes));
    size_t made = 1;
    out[0] = first;
    for (; made < n_out; made++) {
        out[made] = plait__node_create(ctx, PLAIT__NODE_OUTPUT, dtypes[made], &shapes[made], &first, 1);
        if (out[made] == NULL) {
            break;
        }
        out[made]->output = (uint32_t)made;
    }
    /* From here on each result belongs to the scope, or is gone. */
    bool all = made == n_out;
    for (size_t i = 0; i < made; i++) {
        if (all) {
            out[i] = plait__build_done(out[i]);
            all = out[i] != NULL;
        } else {
            plait__node_release(out[i]);
        }
    }
    if (!all) {
        memset(out, 0, n_out * sizeof *out);
        return plait_last_status();
    }
    return PLAIT_OK;
}
