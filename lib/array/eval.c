/*
 * Plait: evaluation.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "eval.h"

#include "alloc.h"
#include "array_ctx.h"
#include "build.h"
#include "error.h"

#include <plait/queue.h>
#include <stdlib.h>

/* The deepest graph of pending nodes. */
#define MAX_HEIGHT 256

/* Programs are built without the lock; so often may others change the graph meanwhile before that must be a mistake. */
#define MAX_ROUNDS 1000

/*
 * Schedules until every kernel of the plan exists. The lock is held at the call and at the return, not in between.
 */
static plait_status plan_and_build(plait__array_state *state, plait__plan **out, plait_array *const *nodes, size_t n,
                                   const char *function)
{
    *out = NULL;
    for (int round = 0; round < MAX_ROUNDS; round++) {
        PLAIT__REQUIRE(!atomic_load(&state->closed), PLAIT_E_CLOSED, "%s: the context was closed by another thread",
                       function);
        plait__plan *plan = NULL;
        PLAIT__TRY(plait__plan_create(&plan, plait__ctx_caps(state->ctx), nodes, n));
        size_t missing = 0;
        plait_status status = plait__engine_lookup(state->engine, plan, &missing);
        if (status == PLAIT_OK && missing == 0) {
            *out = plan;
            return PLAIT_OK;
        }
        if (status == PLAIT_OK) {
            state->building++;
            plait__unlock(&state->lock);
            status = plait__engine_build(state->engine, plan);
            plait__lock(&state->lock);
            state->building--;
            plait__condition_broadcast(&state->built);
        }
        plait__plan_destroy(plan);
        PLAIT__TRY(status);
    }
    return plait__fail(PLAIT_E_INTERNAL, "%s: the kernels of an expression are missing although they were built",
                       function);
}

/*
 * Counts an evaluation as in flight. The event to wait for, without the lock, is returned in *oldest: it bounds how far
 * the host runs ahead.
 */
static plait_status count_in_flight(plait__array_state *state, plait_queue *queue, plait_event **oldest)
{
    *oldest = NULL;
    if (++state->since_event < PLAIT__EVALS_PER_EVENT) {
        return PLAIT_OK;
    }
    state->since_event = 0;
    plait_event *event;
    PLAIT__TRY(plait_queue_mark(queue, &event));
    state->in_flight[state->n_in_flight++] = event;
    if (state->n_in_flight == PLAIT__EVENTS_IN_FLIGHT) {
        *oldest = state->in_flight[0];
        state->n_in_flight--;
        for (unsigned i = 0; i < state->n_in_flight; i++) {
            state->in_flight[i] = state->in_flight[i + 1];
        }
    }
    return PLAIT_OK;
}

static bool all_ready(plait_array *const *nodes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!plait__is_ready(nodes[i])) {
            return false;
        }
    }
    return true;
}

static plait_status run(plait__array_state *state, plait_array *const *nodes, size_t n, plait_event **oldest,
                        const char *function)
{
    plait_queue *queue = plait_ctx_queue(state->ctx);
    plait__plan *plan;
    PLAIT__TRY(plan_and_build(state, &plan, nodes, n, function));
    plait_status status = plait__engine_run(state->engine, plan, queue);
    plait__plan_destroy(plan);
    PLAIT__TRY(status);
    PLAIT__TRY(count_in_flight(state, queue, oldest));
    return plait_queue_flush(queue);
}

plait_status plait__eval(plait_ctx *ctx, plait_array *const *nodes, size_t n, const char *function)
{
    if (all_ready(nodes, n)) {
        return PLAIT_OK;
    }
    plait__array_state *state = plait__array_state_of(ctx);
    if (state == NULL) {
        return PLAIT_E_NO_MEMORY;
    }
    plait_event *oldest = NULL;
    plait__lock(&state->lock);
    plait_status status = run(state, nodes, n, &oldest, function);
    plait__unlock(&state->lock);
    if (oldest != NULL) {
        plait_status waited = plait_event_wait(oldest);
        plait_event_release(oldest);
        status = status == PLAIT_OK ? waited : status;
    }
    return status;
}

/*
 * Whether pending nodes alone hold a quarter of the device's memory more than they did when that was last looked into:
 * what an evaluation did not reach then is not tried again with every array. The limit follows what is pinned down.
 */
static bool too_much_is_pinned(plait__array_state *state)
{
    int_fast64_t pinned = atomic_load_explicit(&state->pinned, memory_order_relaxed);
    int_fast64_t limit = atomic_load_explicit(&state->pinned_limit, memory_order_relaxed);
    if (pinned > limit || pinned + state->pinned_most < limit) {
        atomic_store_explicit(&state->pinned_limit, pinned + state->pinned_most, memory_order_relaxed);
    }
    return pinned > limit;
}

void plait__eval_guard(plait_array *node)
{
    bool deep = node->height > 0 && node->height % MAX_HEIGHT == 0;
    if (node->arrays == NULL || !(too_much_is_pinned(node->arrays) || deep)) {
        return;
    }
    plait__error saved = plait__error_save();
    plait__eval(node->ctx, &node, 1, "plait_eval");
    plait__error_restore(&saved);
}

plait_status plait__eval_arrays(plait_array *const *arrays, size_t n, const char *function)
{
    if (arrays == NULL && n > 0) {
        return plait__fail_null(function, "arrays");
    }
    for (size_t i = 0; i < n; i++) {
        PLAIT__TRY(plait__check_input(arrays[i], function, "one of the arrays"));
    }
    plait_ctx *ctx;
    PLAIT__TRY(plait__check_contexts(&ctx, arrays, n, function));
    if (ctx == NULL) {
        return PLAIT_OK; /* numbers have their values */
    }
    plait_array **wanted = plait__alloc_array(n, sizeof *wanted);
    if (wanted == NULL) {
        return PLAIT_E_NO_MEMORY;
    }
    size_t n_wanted = 0;
    for (size_t i = 0; i < n; i++) {
        if (arrays[i]->ctx != NULL) {
            wanted[n_wanted++] = arrays[i];
        }
    }
    plait_status status = plait__eval(ctx, wanted, n_wanted, function);
    free(wanted);
    return status;
}

plait_status plait_eval(plait_array *const *arrays, size_t n)
{
    return plait__eval_arrays(arrays, n, __func__);
}
