/*
 * Scopes: who holds the arrays that nobody kept.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 * Each thread has a stack of scopes and below it a root scope for every context in which it built something with no
 * scope open (and one for numbers, which have no context). Open scopes and the numbers' root belong to the thread
 * alone. A context's root scopes are known to the context as well, because plait_close empties those of all threads:
 * each has a lock of its own, which is never held while anything else is called.
 */
#ifndef PLAIT__SCOPE_H
#define PLAIT__SCOPE_H

#include "node.h"

/*
 * Takes over one reference and puts the array into the calling thread's innermost scope; returns `a`, or NULL (the
 * reference gone) on PLAIT_E_NO_MEMORY and PLAIT_E_CLOSED.
 */
plait_array *plait__scope_add(plait_array *a);

/* A thread's root scope in a context. */
typedef struct plait__root plait__root;

/* For the context: empties it for good; whether its thread has ended and it holds nothing. */
void plait__root_close(plait__root *root);
bool plait__root_is_idle(plait__root *root);
plait__root *plait__root_retain(plait__root *root);
void plait__root_release(plait__root *root);

#endif
