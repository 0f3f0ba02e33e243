/*
 * Plait: nodes - made, shared, made ready, freed.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "node.h"

#include "alloc.h"
#include "array_ctx.h"
#include "error.h"
#include "family.h"
#include "track.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- storage ---- */

plait__storage *plait__storage_create(plait_buffer *buffer)
{
    plait__storage *storage = plait__malloc(sizeof *storage);
    if (storage == NULL) {
        plait_buffer_release(buffer);
        return NULL;
    }
    atomic_init(&storage->refs, 1);
    storage->buffer = buffer;
    return storage;
}

plait__storage *plait__storage_retain(plait__storage *storage)
{
    if (storage != NULL) {
        atomic_fetch_add_explicit(&storage->refs, 1, memory_order_relaxed);
    }
    return storage;
}

void plait__storage_release(plait__storage *storage)
{
    if (storage != NULL && atomic_fetch_sub_explicit(&storage->refs, 1, memory_order_acq_rel) == 1) {
        plait_buffer_release(storage->buffer);
        free(storage);
    }
}

/* ---- pinned bytes ---- */

/* What a node's own memory weighs; views share another's. */
static int64_t own_bytes(const plait_array *a)
{
    if (a->kind == PLAIT__NODE_AFFINE || a->kind == PLAIT__NODE_RESHAPE) {
        return 0;
    }
    return plait__node_count(a) * (int64_t)plait_dtype_size((plait_dtype)a->dtype);
}

/*
 * Called by whoever made the node ready and by whoever dropped its last handle: the second of the two finds both true.
 * If they meet, the exchange lets one of them count.
 */
static void pin_if_unreachable(plait_array *a)
{
    if (a->arrays != NULL && plait__is_ready(a) && atomic_load(&a->handles) == 0 &&
        !atomic_exchange(&a->pinned, true)) {
        atomic_fetch_add(&a->arrays->pinned, own_bytes(a));
    }
}

void plait__node_add_handle(plait_array *a)
{
    atomic_fetch_add_explicit(&a->handles, 1, memory_order_relaxed);
}

void plait__node_drop_handle(plait_array *a)
{
    /* The last reference need not be weighed: the node is about to go. */
    if (atomic_fetch_sub(&a->handles, 1) == 1 && atomic_load(&a->refs) > 1) {
        pin_if_unreachable(a);
    }
    plait__node_release(a);
}

/* ---- nodes ---- */

static plait_array *allocate(plait_ctx *ctx, plait__array_state *arrays, plait__node_kind kind, plait_dtype dtype,
                             const plait_dims *shape)
{
    plait_array *a = plait__calloc(1, sizeof *a);
    if (a == NULL) {
        return NULL;
    }
    atomic_init(&a->refs, 1);
    a->kind = (uint8_t)kind;
    a->dtype = (uint8_t)dtype;
    a->shape = *shape;
    if (ctx != NULL) {
        a->arrays = arrays;
        a->ctx = ctx;
        if (plait__track_add(a) != PLAIT_OK) {
            free(a);
            return NULL;
        }
        plait__ctx_retain(ctx);
        plait__ctx_count_arrays(ctx, 1);
    }
    return a;
}

static plait__array_state *state_for(plait_ctx *ctx, plait_array *const *in, size_t n_in)
{
    for (size_t i = 0; i < n_in; i++) {
        if (in[i]->arrays != NULL) {
            return in[i]->arrays;
        }
    }
    return plait__array_state_of(ctx);
}

plait_array *plait__node_create(plait_ctx *ctx, plait__node_kind kind, plait_dtype dtype, const plait_dims *shape,
                                plait_array *const *in, size_t n_in)
{
    plait__array_state *arrays = NULL;
    if (ctx != NULL) {
        arrays = state_for(ctx, in, n_in);
        if (arrays == NULL) {
            return NULL;
        }
    }
    plait_array *a = allocate(ctx, arrays, kind, dtype, shape);
    if (a == NULL) {
        return NULL;
    }
    a->in = a->in_small;
    if (n_in > sizeof a->in_small / sizeof a->in_small[0]) {
        a->in = plait__alloc_array(n_in, sizeof(plait_array *));
        if (a->in == NULL) {
            plait__node_release(a);
            return NULL;
        }
    }
    for (size_t i = 0; i < n_in; i++) {
        a->in[i] = plait__node_retain(in[i]);
        int32_t below = plait__is_ready(in[i]) ? 0 : in[i]->height + 1;
        if (below > a->height) {
            a->height = below;
        }
    }
    a->n_in = (uint32_t)n_in;
    return a;
}

plait_array *plait__node_create_ready(plait_ctx *ctx, plait__node_kind kind, plait_dtype dtype, const plait_dims *shape,
                                      plait__storage *storage, const plait__layout *layout)
{
    plait__array_state *arrays = plait__array_state_of(ctx);
    plait_array *a = arrays != NULL ? allocate(ctx, arrays, kind, dtype, shape) : NULL;
    if (a == NULL) {
        plait__storage_release(storage);
        return NULL;
    }
    a->storage = storage;
    a->layout = layout != NULL ? *layout : plait__layout_contiguous(shape);
    atomic_init(&a->state, PLAIT__READY);
    return a;
}

plait_array *plait__node_retain(plait_array *a)
{
    atomic_fetch_add_explicit(&a->refs, 1, memory_order_relaxed);
    return a;
}

/*
 * Gives up one reference; if it was the last, links the node into the list of those to be freed. The list runs through
 * `mark`, which nothing uses any more.
 */
static void drop(plait_array *a, plait_array **dead)
{
    if (atomic_fetch_sub_explicit(&a->refs, 1, memory_order_acq_rel) == 1) {
        _Static_assert(sizeof a->mark >= sizeof(uintptr_t), "the list of dead nodes is linked through mark");
        a->mark = (uint64_t)(uintptr_t)*dead;
        *dead = a;
    }
}

static void drop_inputs(plait_array *a, plait_array **dead)
{
    if (a->in == NULL) {
        return;
    }
    for (uint32_t i = 0; i < a->n_in; i++) {
        drop(a->in[i], dead);
    }
    if (a->in != a->in_small) {
        free(a->in);
    }
    a->in = NULL;
}

static void free_one(plait_array *a)
{
    if (atomic_load(&a->pinned)) {
        atomic_fetch_sub(&a->arrays->pinned, own_bytes(a));
    }
    if (a->family != NULL && a->family->release_call != NULL) {
        a->family->release_call(a->call);
    }
    for (uint32_t i = 0; a->results != NULL && i < a->n_out; i++) {
        plait__storage_release(a->results[i].storage);
    }
    free(a->results);
    plait__storage_release(a->storage);
    free(a->affine);
    free(a->text);
    plait__track_remove(a);
    plait_ctx *ctx = a->ctx;
    free(a);
    if (ctx != NULL) {
        plait__ctx_count_arrays(ctx, -1);
        plait__ctx_release(ctx); /* may free what a->arrays pointed to */
    }
}

static void free_list(plait_array *dead)
{
    while (dead != NULL) {
        plait_array *a = dead;
        dead = (plait_array *)(uintptr_t)a->mark;
        drop_inputs(a, &dead);
        free_one(a);
    }
}

void plait__node_release(plait_array *a)
{
    plait_array *dead = NULL;
    drop(a, &dead);
    free_list(dead);
}

void plait__node_set_ready(plait_array *a, plait__storage *storage, const plait__layout *layout)
{
    assert(!plait__is_ready(a));
    a->storage = storage;
    a->layout = *layout;
    atomic_store_explicit(&a->state, PLAIT__READY, memory_order_release);
    pin_if_unreachable(a);
    plait_array *dead = NULL;
    drop_inputs(a, &dead);
    free_list(dead);
}
