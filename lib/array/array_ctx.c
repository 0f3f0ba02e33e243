/*
 * Plait: what the array layer keeps in a context.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "array_ctx.h"

#include "alloc.h"
#include "error.h"

#include <stdlib.h>

static void free_state(plait__array_state *state)
{
    plait__condition_destroy(&state->built);
    plait__mutex_destroy(&state->track_lock);
    plait__mutex_destroy(&state->roots_lock);
    plait__mutex_destroy(&state->lock);
    free(state);
}

static plait_status make_locks(plait__array_state *state)
{
    PLAIT__TRY(plait__mutex_init(&state->lock));
    plait_status status = plait__mutex_init(&state->roots_lock);
    if (status == PLAIT_OK) {
        status = plait__mutex_init(&state->track_lock);
        if (status == PLAIT_OK) {
            status = plait__condition_init(&state->built);
            if (status == PLAIT_OK) {
                return PLAIT_OK;
            }
            plait__mutex_destroy(&state->track_lock);
        }
        plait__mutex_destroy(&state->roots_lock);
    }
    plait__mutex_destroy(&state->lock);
    return status;
}

static void *attach(plait_ctx *ctx)
{
    plait__array_state *state = plait__calloc(1, sizeof *state);
    if (state == NULL) {
        return NULL;
    }
    if (make_locks(state) != PLAIT_OK) {
        free(state);
        return NULL;
    }
    state->ctx = ctx;
    state->tracks = plait__ctx_track_leaks(ctx);
    state->pinned_most = (int_fast64_t)(plait__ctx_caps(ctx)->global_memory / 4);
    atomic_init(&state->pinned_limit, state->pinned_most);
    if (plait__engine_create(&state->engine, ctx) != PLAIT_OK) {
        free_state(state);
        return NULL;
    }
    return state;
}

/* With the context's struct, after on_close. */
static void on_free(void *state)
{
    free_state(state);
}

/* The device still works. Arrays that somebody keeps stay alive, but nothing will be computed any more. */
static plait_status on_close(plait_ctx *ctx, void *memory)
{
    (void)ctx;
    plait__array_state *state = memory;
    /* No root is added any more once `closed` is seen under the roots' lock. */
    plait__lock(&state->roots_lock);
    atomic_store(&state->closed, true);
    plait__root **roots = state->roots;
    size_t n_roots = state->n_roots;
    state->roots = NULL;
    state->n_roots = 0;
    plait__unlock(&state->roots_lock);
    for (size_t i = 0; i < n_roots; i++) {
        plait__root_close(roots[i]);
        plait__root_release(roots[i]);
    }
    free(roots);

    plait__lock(&state->lock);
    while (state->building > 0) {
        plait__condition_wait(&state->built, &state->lock);
    }
    plait__engine *engine = state->engine;
    state->engine = NULL;
    unsigned n_events = state->n_in_flight;
    state->n_in_flight = 0;
    plait__unlock(&state->lock);
    for (unsigned i = 0; i < n_events; i++) {
        plait_event_release(state->in_flight[i]); /* the runtime waits for the queue itself */
    }
    plait__engine_destroy(engine);
    plait__track_report(state);
    return PLAIT_OK;
}

plait__array_state *plait__array_state_of(plait_ctx *ctx)
{
    static const plait__slot_ops ops = {.attach = attach, .on_close = on_close, .on_free = on_free};
    return plait__ctx_state(ctx, PLAIT__SLOT_ARRAY, &ops);
}

/* Threads come and go: what the ended ones have left empty makes room. */
static void drop_idle_roots(plait__array_state *state)
{
    size_t left = 0;
    for (size_t i = 0; i < state->n_roots; i++) {
        if (plait__root_is_idle(state->roots[i])) {
            plait__root_release(state->roots[i]);
        } else {
            state->roots[left++] = state->roots[i];
        }
    }
    state->n_roots = left;
}

static plait_status add_root(plait__array_state *state, plait__root *root)
{
    PLAIT__REQUIRE(!atomic_load(&state->closed), PLAIT_E_CLOSED, "the context was closed by another thread");
    drop_idle_roots(state);
    plait__root **grown = plait__grow(state->roots, &state->roots_capacity, state->n_roots + 1, sizeof *grown);
    if (grown == NULL) {
        return PLAIT_E_NO_MEMORY;
    }
    state->roots = grown;
    state->roots[state->n_roots++] = plait__root_retain(root);
    return PLAIT_OK;
}

plait_status plait__array_state_add_root(plait__array_state *state, plait__root *root)
{
    plait__lock(&state->roots_lock);
    plait_status status = add_root(state, root);
    plait__unlock(&state->roots_lock);
    return status;
}
