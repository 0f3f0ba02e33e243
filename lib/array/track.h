/*
 * opts.track_leaks: who kept the arrays that are still alive when their context is closed.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 * Arrays that nobody keeps go with their scope, so the line worth knowing is the one that kept the array: plait_keep
 * and plait_assign are macros that pass it on. Any thread.
 */
#ifndef PLAIT__TRACK_H
#define PLAIT__TRACK_H

#include "node.h"

struct plait__array_state;

/* One for each array of a context that tracks; linked in the context's state. */
typedef struct plait__track {
    struct plait__track *previous, *next;
    const plait_array *array;
    char *file; /* owned copy of the last keep's: code may be unloaded before it is shown; NULL: never kept */
    int line;
} plait__track;

/* A new array is tracked if its context does so: PLAIT_E_NO_MEMORY. */
plait_status plait__track_add(plait_array *a);
void plait__track_remove(plait_array *a);
/* `a` was kept there; file may be NULL (unknown). */
void plait__track_kept(plait_array *a, const char *file, int line);
/* Logs a warning that lists the arrays with kept references, if there are any. */
void plait__track_report(struct plait__array_state *state);

#endif
