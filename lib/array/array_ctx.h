/*
 * What the array layer keeps in a context.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 * Lock order: the evaluation lock, then the runtime's (program, pool, log). `roots_lock` and `track_lock` are taken
 * last and held for a few instructions only; nothing is called under them.
 */
#ifndef PLAIT__ARRAY_CTX_H
#define PLAIT__ARRAY_CTX_H

#include "engine.h"
#include "scope.h"
#include "thread.h"
#include "track.h"

/* Evaluations enqueued and not waited for are marked by an event in every so many, of which so many may be pending. */
#define PLAIT__EVALS_PER_EVENT 64
#define PLAIT__EVENTS_IN_FLIGHT 4

typedef struct plait__array_state {
    plait_ctx *ctx; /* not a reference: the context owns this */
    /* Set once, under the evaluation lock, by plait_close. */
    atomic_bool closed;

    /*
     * The evaluation lock guards the graph: inputs of pending nodes, the change from pending to ready, the engine, and
     * what follows here.
     */
    plait__mutex lock;
    plait__engine *engine; /* NULL once closed */
    unsigned building;     /* threads in engine_build, which are without the lock */
    plait__condition built;
    unsigned since_event; /* evaluations after the newest event */
    plait_event *in_flight[PLAIT__EVENTS_IN_FLIGHT];
    unsigned n_in_flight;

    /* Device memory of ready nodes that no handle reaches: pending nodes alone keep it. See eval.h. */
    atomic_int_fast64_t pinned;
    atomic_int_fast64_t pinned_limit;
    int_fast64_t pinned_most; /* a quarter of the device's memory */

    plait__mutex roots_lock;
    plait__root **roots; /* of all threads; owns a reference of each */
    size_t n_roots, roots_capacity;

    plait__mutex track_lock;
    bool tracks; /* opts.track_leaks */
    plait__track *tracked;
} plait__array_state;

/* NULL: PLAIT_E_NO_MEMORY. ctx was checked. */
plait__array_state *plait__array_state_of(plait_ctx *ctx);

/* Takes a reference of a new root scope: PLAIT_E_NO_MEMORY, PLAIT_E_CLOSED. */
plait_status plait__array_state_add_root(plait__array_state *state, plait__root *root);

#endif
