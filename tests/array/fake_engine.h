/*
 * An engine that computes nothing: it sets the requested nodes ready, counts, and fails when told to. Linked in place
 * of the real one where a test is about who owns what and when something is evaluated. Copyright 2026 The Plait
 * authors. SPDX-License-Identifier: Apache-2.0
 */
#ifndef FAKE_ENGINE_H
#define FAKE_ENGINE_H

#include <stdatomic.h>

#include "node.h"

#define FAKE_REQUESTED 64

typedef struct fake_engine {
    /* What the test wants. */
    plait_status fail_run, fail_build, fail_plan; /* every call fails so while it is not PLAIT_OK */
    atomic_int missing;                           /* so many lookups find a kernel missing */
    void (*during_build)(void *);                 /* called by engine_build, without the lock */
    void (*during_run)(void *);                   /* called by engine_run before it does anything, under the lock */
    void *argument;

    /* What happened. */
    atomic_int plans, builds, runs;
    size_t n_requested; /* pending nodes of the newest run, duplicates once */
    const plait_array *requested[FAKE_REQUESTED];
    atomic_int inside; /* threads inside of a function that must be called under the lock */
    atomic_bool overlap;
} fake_engine;

extern fake_engine fake;

/* All zero again. */
void fake_reset(void);

/* A context on any device; ends the program as skipped where there is none. */
plait_ctx *fake_open(const plait_ctx_opts *opts);

#endif
