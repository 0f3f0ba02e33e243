/*
 * Evaluation: what drives engine.h.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#ifndef PLAIT__EVAL_H
#define PLAIT__EVAL_H

#include "node.h"

/*
 * Computes nodes of one context whose state was checked; enqueues and returns. Ready ones cost nothing. On failure
 * those that were not reached stay pending with their inputs alive, and a later call tries again.
 */
plait_status plait__eval(plait_ctx *ctx, plait_array *const *nodes, size_t n, const char *function);

/* The same for what a caller hands over, with all checks: NULLs, numbers, contexts. */
plait_status plait__eval_arrays(plait_array *const *arrays, size_t n, const char *function);

/*
 * Graphs must not grow without bound when nobody asks for anything: called with every new node, evaluates it when 256
 * pending nodes lie below it, or when a quarter of the device's memory is held by nothing but pending nodes. A failure
 * leaves the node pending and is not recorded: whoever asks for the value will see it.
 */
void plait__eval_guard(plait_array *node);

#endif
