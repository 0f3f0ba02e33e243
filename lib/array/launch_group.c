/*
 * Plait: arguments and launches of a generated group.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "launch_group.h"

#include <string.h>

#include "alloc.h"
#include "dtypes.h"
#include "error.h"
#include "fold.h"

plait_status plait__storage_allocate(plait__storage **out, plait_ctx *ctx, plait_dtype dtype, const plait_dims *shape)
{
    plait_buffer *buffer;
    *out = NULL;
    PLAIT__TRY(plait_buffer_create(&buffer, ctx, (size_t)plait_shape_count(*shape) * plait_dtype_size(dtype), NULL));
    *out = plait__storage_create(buffer);
    return *out != NULL ? PLAIT_OK : PLAIT_E_NO_MEMORY;
}

plait__storage *plait__source_storage(const plait__plan *plan, plait__source source)
{
    if (source.ready != NULL) {
        return source.ready->storage;
    }
    return source.store >= 0 ? plan->stores[source.store].storage : NULL;
}

/* Copies a value into an argument as an element of the dtype. */
static void put_number(plait__raw_arg *arg, const plait__number *number)
{
    plait__class to = plait__dtype_class(number->dtype);
    plait__value v = plait__value_convert(number->value, plait__dtype_class(number->from), to);
    arg->size = plait_dtype_size(number->dtype);
    switch (to) {
    case PLAIT__CLASS_FLOAT:
        if (number->dtype == PLAIT_F32) {
            memcpy(arg->value, &(float){(float)v.f}, sizeof(float));
        } else {
            memcpy(arg->value, &v.f, sizeof v.f);
        }
        break;
    case PLAIT__CLASS_COMPLEX:
        if (number->dtype == PLAIT_C64) {
            memcpy(arg->value, (float[]){(float)v.c[0], (float)v.c[1]}, 2 * sizeof(float));
        } else {
            memcpy(arg->value, v.c, sizeof v.c);
        }
        break;
    default: /* integers wrap: their low bytes, whatever the machine's byte order */
        switch (arg->size) {
        case 1:
            arg->value[0] = (unsigned char)v.i;
            break;
        case 2:
            memcpy(arg->value, &(uint16_t){(uint16_t)v.i}, 2);
            break;
        case 4:
            memcpy(arg->value, &(uint32_t){(uint32_t)v.i}, 4);
            break;
        default:
            memcpy(arg->value, &v.i, 8);
            break;
        }
        break;
    }
}

static void put_index(plait__raw_arg *arg, bool large, int64_t value)
{
    if (large) {
        arg->size = sizeof value;
        memcpy(arg->value, &value, sizeof value);
    } else {
        int32_t small = (int32_t)value;
        arg->size = sizeof small;
        memcpy(arg->value, &small, sizeof small);
    }
}

static plait_buffer *buffer_of(const plait__storage *storage)
{
    return storage != NULL ? storage->buffer : NULL;
}

static void put_param(plait__raw_arg *arg, const plait__plan *plan, const plait__group *g, const plait__kernel_param *p,
                      const plait__geometry *geo, int kernel, plait_buffer *const *partials)
{
    const plait__section *c = &g->section[p->section];
    switch ((plait__param_what)p->what) {
    case PLAIT__PARAM_LEAF:
        arg->buffer = buffer_of(plait__source_storage(plan, c->leaves[p->index].source));
        break;
    case PLAIT__PARAM_OFFSET:
        put_index(arg, g->large, c->leaves[p->index].layout.offset);
        break;
    case PLAIT__PARAM_STRIDE:
        put_index(arg, g->large, c->leaves[p->index].layout.strides[p->dim]);
        break;
    case PLAIT__PARAM_NUMBER:
        put_number(arg, &c->numbers[p->index]);
        break;
    case PLAIT__PARAM_OUTPUT:
        arg->buffer = buffer_of(plan->stores[g->outputs[p->index].store].storage);
        break;
    case PLAIT__PARAM_PARTIAL:
        arg->buffer = partials[p->index];
        break;
    case PLAIT__PARAM_SIZE:
        put_index(arg, g->large, c->dims.d[p->dim]);
        break;
    case PLAIT__PARAM_COUNT:
        put_index(arg, g->large, geo->count);
        break;
    case PLAIT__PARAM_TERMS:
        put_index(arg, g->large, geo->terms);
        break;
    case PLAIT__PARAM_PARTS:
        put_index(arg, g->large, geo->parts);
        break;
    case PLAIT__PARAM_PART:
        put_index(arg, g->large, geo->part);
        break;
    case PLAIT__PARAM_CHUNK:
        put_index(arg, g->large, geo->chunk[kernel]);
        break;
    case PLAIT__PARAM_FOLD:
        put_index(arg, g->large, geo->fold);
        break;
    case PLAIT__PARAM_LANES:
        put_index(arg, g->large, geo->lanes[kernel]);
        break;
    case PLAIT__PARAM_LOCAL:
        arg->local_bytes = (size_t)geo->local_pairs[kernel] * plait__pair_bytes(&g->accumulators[p->index]);
        break;
    }
}

#define FEW_PARAMS 48

static plait_status launch_kernel(const plait__plan *plan, const plait__group *g, plait_queue *queue,
                                  const plait__geometry *geo, int kernel, plait_buffer *const *partials)
{
    plait__skeleton skeleton = plan->caps->skeleton;
    size_t n = plait__group_params(g, skeleton, kernel, NULL);
    plait__kernel_param few_params[FEW_PARAMS];
    plait__raw_arg few_args[FEW_PARAMS];
    plait__arena arena = {0};
    plait__kernel_param *params = n > FEW_PARAMS ? plait__arena_array(&arena, n, sizeof *params) : few_params;
    plait__raw_arg *args = n > FEW_PARAMS ? plait__arena_array(&arena, n, sizeof *args) : few_args;
    plait_status status = PLAIT_E_NO_MEMORY;
    if (params != NULL && args != NULL) {
        plait__group_params(g, skeleton, kernel, params);
        memset(args, 0, n * sizeof *args);
        size_t bytes = 0;
        for (size_t k = 0; k < n; k++) {
            put_param(&args[k], plan, g, &params[k], geo, kernel, partials);
            bytes += args[k].size != 0 ? args[k].size : 8;
        }
        if (bytes > plan->caps->max_parameter_bytes) {
            status =
                plait__fail(PLAIT_E_UNSUPPORTED,
                            "plait_eval: one operation needs %zu bytes of kernel arguments and the device takes %zu; "
                            "store some of its inputs contiguously or use fewer inputs",
                            bytes, plan->caps->max_parameter_bytes);
        } else {
            status = plait__launch_raw(queue, g->kernels[kernel], 1, &geo->items[kernel], &geo->group[kernel], args, n,
                                       NULL);
        }
    }
    plait__arena_free(&arena);
    return status;
}

static plait_status launch_kernels(plait__plan *plan, plait__group *g, plait_ctx *ctx, plait_queue *queue,
                                   const plait__geometry *geo, plait_buffer **partials)
{
    for (uint32_t k = 0; k < g->n_outputs; k++) {
        plait__store *store = &plan->stores[g->outputs[k].store];
        PLAIT__TRY(plait__storage_allocate(&store->storage, ctx, store->dtype, &store->shape));
    }
    bool divided = g->kind == PLAIT__GROUP_REDUCE && geo->parts > 1;
    for (uint32_t k = 0; k < g->n_accumulators && divided; k++) {
        size_t bytes = (size_t)geo->count * (size_t)geo->parts * plait__pair_bytes(&g->accumulators[k]);
        PLAIT__TRY(plait_buffer_create(&partials[k], ctx, bytes, NULL));
    }
    PLAIT__TRY(launch_kernel(plan, g, queue, geo, PLAIT__KERNEL_MAIN, partials));
    return divided ? launch_kernel(plan, g, queue, geo, PLAIT__KERNEL_COMBINE, partials) : PLAIT_OK;
}

plait_status plait__group_launch(plait__plan *plan, plait__group *g, plait_ctx *ctx, plait_queue *queue)
{
    size_t limits[2] = {plait_kernel_max_group(g->kernels[0]),
                        g->n_kernels > 1 ? plait_kernel_max_group(g->kernels[1]) : 1};
    plait__geometry geo = plait__group_geometry(g, plan->caps, limits);
    plait__arena arena = {0};
    plait_buffer **partials = plait__arena_array(&arena, g->n_accumulators, sizeof(plait_buffer *));
    if (partials == NULL) {
        return PLAIT_E_NO_MEMORY;
    }
    plait_status status = launch_kernels(plan, g, ctx, queue, &geo, partials);
    for (uint32_t k = 0; k < g->n_accumulators; k++) {
        plait_buffer_release(partials[k]);
    }
    plait__arena_free(&arena);
    return status;
}
