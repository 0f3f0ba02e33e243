/*
 * Plait: kernels of plans, looked up, built and launched.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "engine.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "codegen.h"
#include "error.h"
#include "family.h"
#include "launch_group.h"
#include "map.h"
#include "thread.h"

/* The kernels of one key. They belong to the context. */
typedef struct entry {
    plait_kernel *kernels[2];
    uint32_t n_kernels;
} entry;

struct plait__engine {
    plait_ctx *ctx;    /* not a reference: the context owns the engine */
    plait__mutex lock; /* of entries: programs are built without the evaluation lock */
    plait__map entries;
};

plait_status plait__engine_create(plait__engine **out, plait_ctx *ctx)
{
    *out = NULL;
    plait__engine *engine = plait__calloc(1, sizeof *engine);
    if (engine == NULL) {
        return PLAIT_E_NO_MEMORY;
    }
    engine->ctx = ctx;
    plait_status status = plait__mutex_init(&engine->lock);
    if (status != PLAIT_OK) {
        free(engine);
        return status;
    }
    *out = engine;
    return PLAIT_OK;
}

void plait__engine_destroy(plait__engine *engine)
{
    if (engine != NULL) {
        plait__map_free(&engine->entries, free);
        plait__mutex_destroy(&engine->lock);
        free(engine);
    }
}

static bool find(plait__engine *engine, const plait__hash128 *key, plait_kernel **kernels, uint32_t *n)
{
    plait__lock(&engine->lock);
    const entry *e = plait__map_get(&engine->entries, key, sizeof *key);
    if (e != NULL) {
        memcpy(kernels, e->kernels, sizeof(plait_kernel *) * e->n_kernels);
        *n = e->n_kernels;
    }
    plait__unlock(&engine->lock);
    return e != NULL;
}

static plait_status remember(plait__engine *engine, const plait__hash128 *key, plait_kernel *const *kernels, uint32_t n)
{
    entry *e = plait__calloc(1, sizeof *e);
    if (e == NULL) {
        return PLAIT_E_NO_MEMORY;
    }
    memcpy(e->kernels, kernels, sizeof(plait_kernel *) * n);
    e->n_kernels = n;
    void *displaced = NULL;
    plait__lock(&engine->lock);
    plait_status status = plait__map_set(&engine->entries, key, sizeof *key, e, &displaced);
    plait__unlock(&engine->lock);
    free(status == PLAIT_OK ? displaced : e);
    return status;
}

/* ---- families ---- */

static plait__hash128 request_key(const plait__kernel_request *r)
{
    plait__hasher h;
    plait__hash_init(&h, 1);
    plait__hash_add_text(&h, r->text);
    plait__hash_add_text(&h, r->options != NULL ? r->options : "");
    plait__hash_add_text(&h, r->kernel_name);
    return plait__hash_end(&h);
}

/* The operands as far as they exist; buffers of what has not run yet are NULL. */
static plait_status family_operands(const plait__plan *plan, const plait__group *g, plait__arena *arena,
                                    plait__storage *const *results, plait__operand **in, plait__operand **out)
{
    *in = plait__arena_array(arena, g->n_inputs, sizeof **in);
    *out = plait__arena_array(arena, g->n_results, sizeof **out);
    if (*in == NULL || *out == NULL) {
        return PLAIT_E_NO_MEMORY;
    }
    for (uint32_t k = 0; k < g->n_inputs; k++) {
        const plait__family_input *input = &g->inputs[k];
        const plait__storage *storage = plait__source_storage(plan, input->source);
        (*in)[k] = (plait__operand){.buffer = storage != NULL ? storage->buffer : NULL,
                                    .dtype = input->dtype,
                                    .shape = input->shape,
                                    .layout = input->layout};
    }
    for (uint32_t k = 0; k < g->n_results; k++) {
        plait__operand *o = &(*out)[k];
        o->dtype = k == 0 ? (plait_dtype)g->node->dtype : g->node->results[k].dtype;
        o->shape = k == 0 ? g->node->shape : g->node->results[k].shape;
        o->layout = plait__layout_contiguous(&o->shape);
        o->buffer = results != NULL && results[k] != NULL ? results[k]->buffer : NULL;
    }
    return PLAIT_OK;
}

static plait_status family_requests(const plait__plan *plan, const plait__group *g, plait__kernel_request *requests,
                                    size_t *n)
{
    *n = 0;
    if (g->node->family->plan == NULL) {
        return PLAIT_OK;
    }
    plait__arena arena = {0};
    plait__operand *in, *out;
    plait_status status = family_operands(plan, g, &arena, NULL, &in, &out);
    if (status == PLAIT_OK) {
        status = g->node->family->plan(g->node, in, out, requests, n);
    }
    plait__arena_free(&arena);
    return status;
}

static plait_status lookup_family(plait__engine *engine, plait__plan *plan, plait__group *g)
{
    plait__kernel_request requests[PLAIT__FAMILY_KERNELS];
    size_t n;
    PLAIT__TRY(family_requests(plan, g, requests, &n));
    g->n_kernels = (uint32_t)n;
    g->found = true;
    for (size_t k = 0; k < n; k++) {
        plait__hash128 key = request_key(&requests[k]);
        uint32_t one;
        g->found = find(engine, &key, &g->kernels[k], &one) && g->found;
    }
    g->requests = NULL;
    if (!g->found) { /* for the build, which must not ask the node */
        g->requests = plait__arena_array(&plan->arena, n, sizeof *g->requests);
        if (g->requests == NULL) {
            return PLAIT_E_NO_MEMORY;
        }
        memcpy(g->requests, requests, n * sizeof *requests);
    }
    return PLAIT_OK;
}

static plait_status build_family(plait__engine *engine, plait__group *g)
{
    for (uint32_t k = 0; k < g->n_kernels; k++) {
        const plait__kernel_request *r = &g->requests[k];
        plait__hash128 key = request_key(r);
        PLAIT__TRY(plait__kernel_get(engine->ctx, r->program_name, r->text, strlen(r->text), r->options, r->kernel_name,
                                     &g->kernels[k]));
        PLAIT__TRY(remember(engine, &key, &g->kernels[k], 1));
    }
    return PLAIT_OK;
}

static plait_status run_family_on(plait__plan *plan, plait__group *g, plait_ctx *ctx, plait_queue *queue,
                                  plait__arena *arena, plait__storage **results)
{
    const plait__family *family = g->node->family;
    plait__operand *in, *out;
    for (uint32_t k = 0; k < g->n_results; k++) {
        const plait_array *node = g->node;
        PLAIT__TRY(plait__storage_allocate(&results[k], ctx, k == 0 ? (plait_dtype)node->dtype : node->results[k].dtype,
                                           k == 0 ? &node->shape : &node->results[k].shape));
    }
    PLAIT__TRY(family_operands(plan, g, arena, results, &in, &out));
    for (uint32_t k = 0; k < g->n_results && family->copies_input != NULL; k++) {
        int i = family->copies_input(g->node, k);
        if (i >= 0 && in[i].buffer != NULL) {
            size_t bytes = (size_t)plait_shape_count(in[i].shape) * plait_dtype_size(in[i].dtype);
            PLAIT__TRY(plait_buffer_copy(queue, out[k].buffer, 0, in[i].buffer,
                                         (size_t)in[i].layout.offset * plait_dtype_size(in[i].dtype), bytes, NULL));
        }
    }
    PLAIT__TRY(family->enqueue(g->node, queue, g->kernels, in, out));
    for (uint32_t k = 0; k < g->n_results; k++) { /* all of them: one that nobody wants now may be wanted later */
        if (g->stores[k] >= 0) {
            plan->stores[g->stores[k]].storage = plait__storage_retain(results[k]);
        }
        if (k > 0) {
            g->node->results[k].storage = plait__storage_retain(results[k]);
        }
    }
    return PLAIT_OK;
}

static plait_status run_family(plait__plan *plan, plait__group *g, plait_ctx *ctx, plait_queue *queue)
{
    plait__arena arena = {0};
    plait__storage **results = plait__arena_array(&arena, g->n_results, sizeof(plait__storage *));
    plait_status status = results != NULL ? run_family_on(plan, g, ctx, queue, &arena, results) : PLAIT_E_NO_MEMORY;
    for (uint32_t k = 0; k < g->n_results && results != NULL; k++) {
        plait__storage_release(results[k]);
    }
    plait__arena_free(&arena);
    return status;
}

/* ---- lookup, build, run ---- */

plait_status plait__engine_lookup(plait__engine *engine, plait__plan *plan, size_t *missing)
{
    *missing = 0;
    for (uint32_t k = 0; k < plan->n_groups; k++) {
        plait__group *g = &plan->groups[k];
        if (g->kind == PLAIT__GROUP_FAMILY) {
            PLAIT__TRY(lookup_family(engine, plan, g));
        } else {
            g->found = find(engine, &g->key, g->kernels, &g->n_kernels);
        }
        *missing += g->found ? 0 : 1;
    }
    return PLAIT_OK;
}

static plait_status build_generated(plait__engine *engine, const plait__plan *plan, plait__group *g)
{
    bool reduce = g->kind == PLAIT__GROUP_REDUCE;
    if (find(engine, &g->key, g->kernels, &g->n_kernels)) { /* an equal group came before it */
        return PLAIT_OK;
    }
    char *text;
    PLAIT__TRY(plait__codegen(g, plan->caps, &text));
    size_t length = strlen(text);
    const char *name = reduce ? "plait generated reduction" : "plait generated expression";
    const char *options = plan->caps->build_options;
    plait_status status = plait__kernel_get(engine->ctx, name, text, length, options, reduce ? "reduce" : "elementwise",
                                            &g->kernels[PLAIT__KERNEL_MAIN]);
    if (status == PLAIT_OK && reduce) {
        status =
            plait__kernel_get(engine->ctx, name, text, length, options, "combine", &g->kernels[PLAIT__KERNEL_COMBINE]);
    }
    free(text);
    g->n_kernels = reduce ? 2 : 1;
    return status == PLAIT_OK ? remember(engine, &g->key, g->kernels, g->n_kernels) : status;
}

plait_status plait__engine_build(plait__engine *engine, plait__plan *plan)
{
    for (uint32_t k = 0; k < plan->n_groups; k++) {
        plait__group *g = &plan->groups[k];
        if (g->found) {
            continue;
        }
        PLAIT__TRY(g->kind == PLAIT__GROUP_FAMILY ? build_family(engine, g) : build_generated(engine, plan, g));
        g->found = true;
    }
    return PLAIT_OK;
}

static void set_ready(plait__plan *plan, int32_t i)
{
    plait__store *store = i >= 0 ? &plan->stores[i] : NULL;
    if (store != NULL && store->node != NULL) {
        plait__layout layout = plait__layout_contiguous(&store->node->shape);
        plait__node_set_ready(store->node, plait__storage_retain(store->storage), &layout);
        plait__node_release(store->node); /* nobody but the graph needs to hold it any more */
        store->node = NULL;
    }
}

/* What the group was the last to read, or writes for nobody in this plan, needs no reference of the plan's. */
static void drop_storage(plait__plan *plan, plait__source source, int32_t position)
{
    if (source.store >= 0 && plan->stores[source.store].last_group == position) {
        plait__storage_release(plan->stores[source.store].storage);
        plan->stores[source.store].storage = NULL;
    }
}

static void finish_group(plait__plan *plan, int32_t position)
{
    plait__group *g = &plan->groups[position];
    for (uint32_t k = 0; k < g->n_outputs; k++) {
        set_ready(plan, g->outputs[k].store);
    }
    /* A family's further results before its own: those stand for it as their input. */
    for (uint32_t k = g->n_results; k-- > 0;) {
        set_ready(plan, g->stores[k]);
    }
    for (int c = 0; c < 2; c++) {
        for (uint32_t l = 0; l < g->section[c].n_leaves; l++) {
            drop_storage(plan, g->section[c].leaves[l].source, position);
        }
    }
    for (uint32_t k = 0; k < g->n_inputs; k++) {
        drop_storage(plan, g->inputs[k].source, position);
    }
    for (uint32_t k = 0; k < g->n_outputs; k++) {
        drop_storage(plan, (plait__source){.store = g->outputs[k].store}, position);
    }
    for (uint32_t k = 0; k < g->n_results; k++) {
        drop_storage(plan, (plait__source){.store = g->stores[k]}, position);
    }
    if (g->node != NULL) {
        plait__node_release(g->node);
        g->node = NULL;
    }
}

static plait_status set_aliases(plait__plan *plan)
{
    for (uint32_t k = 0; k < plan->n_aliases; k++) {
        plait__alias *alias = &plan->aliases[k];
        plait__storage *storage = plait__storage_retain(plait__source_storage(plan, alias->source));
        if (storage == NULL) {
            storage = plait__storage_create(NULL);
            if (storage == NULL) {
                return PLAIT_E_NO_MEMORY;
            }
        }
        plait__node_set_ready(alias->node, storage, &alias->layout);
    }
    return PLAIT_OK;
}

plait_status plait__engine_run(plait__engine *engine, plait__plan *plan, plait_queue *queue)
{
    for (uint32_t k = 0; k < plan->n_inlined; k++) { /* now, while the pending graph keeps them alive */
        plait_array *node = plan->inlined[k];
        node->inlined = (uint8_t)(node->inlined + (node->inlined < UINT8_MAX ? 1 : 0));
    }
    for (uint32_t k = 0; k < plan->n_groups; k++) {
        plait__group *g = &plan->groups[k];
        PLAIT__TRY(g->kind == PLAIT__GROUP_FAMILY ? run_family(plan, g, engine->ctx, queue)
                                                  : plait__group_launch(plan, g, engine->ctx, queue));
        finish_group(plan, (int32_t)k);
    }
    return set_aliases(plan);
}
