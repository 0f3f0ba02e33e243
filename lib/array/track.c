/*
 * Plait: opts.track_leaks.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "track.h"

#include "alloc.h"
#include "array_ctx.h"
#include "build.h"
#include "strbuf.h"

#include <stdlib.h>

/* What a line of the report says at most: a program that leaks leaks many. */
#define LISTED 20

plait_status plait__track_add(plait_array *a)
{
    plait__array_state *state = a->arrays;
    if (!state->tracks) {
        return PLAIT_OK;
    }
    plait__track *track = plait__calloc(1, sizeof *track);
    if (track == NULL) {
        return PLAIT_E_NO_MEMORY;
    }
    track->array = a;
    a->track = track;
    plait__lock(&state->track_lock);
    track->next = state->tracked;
    if (track->next != NULL) {
        track->next->previous = track;
    }
    state->tracked = track;
    plait__unlock(&state->track_lock);
    return PLAIT_OK;
}

void plait__track_remove(plait_array *a)
{
    plait__track *track = a->track;
    if (track == NULL) {
        return;
    }
    plait__array_state *state = a->arrays;
    plait__lock(&state->track_lock);
    if (track->previous != NULL) {
        track->previous->next = track->next;
    } else {
        state->tracked = track->next;
    }
    if (track->next != NULL) {
        track->next->previous = track->previous;
    }
    plait__unlock(&state->track_lock);
    free(track->file);
    free(track);
    a->track = NULL;
}

void plait__track_kept(plait_array *a, const char *file, int line)
{
    if (a->track == NULL) {
        return;
    }
    char *copy = file != NULL ? plait__strdup(file) : NULL; /* a report without the line is better than a failure */
    plait__lock(&a->arrays->track_lock);
    char *old = a->track->file;
    a->track->file = copy;
    a->track->line = line;
    plait__unlock(&a->arrays->track_lock);
    free(old);
}

static void describe(plait__strbuf *text, const plait__track *track)
{
    char shape[PLAIT__SHAPE_TEXT];
    plait__strbuf_printf(text, "\n  %s %s, kept", plait_dtype_name((plait_dtype)track->array->dtype),
                         plait__shape_text(shape, track->array->shape));
    if (track->file != NULL) {
        plait__strbuf_printf(text, " at %s:%d", track->file, track->line);
    }
}

void plait__track_report(plait__array_state *state)
{
    if (!state->tracks) {
        return;
    }
    plait__strbuf text = {0};
    size_t count = 0;
    plait__lock(&state->track_lock);
    for (const plait__track *t = state->tracked; t != NULL; t = t->next) {
        if (atomic_load(&t->array->kept) > 0 && count++ < LISTED) {
            describe(&text, t);
        }
    }
    plait__unlock(&state->track_lock);
    if (count > 0) {
        plait__ctx_log(state->ctx, PLAIT_LOG_WARNING, "plait_close: %zu arrays are still kept:%s%s", count,
                       plait__strbuf_text(&text), count > LISTED ? "\n  ..." : "");
    }
    plait__strbuf_free(&text);
}
