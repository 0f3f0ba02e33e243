/*
 * The engine: from requested nodes to launched kernels.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 * The driver (eval.c) runs, for one context:
 *
 *     lock; plan = schedule(nodes); missing = engine_missing(plan);
 *     while (missing): unlock; build the missing programs; lock; schedule again (others may have evaluated meanwhile);
 *     engine_run(plan): allocate, launch in order, set nodes ready; unlock
 *
 * so no program is ever built, and no one waited for, under the lock. Scheduling and code generation are pure: they
 * read nodes and caps, and need no device.
 */
#ifndef PLAIT__ENGINE_H
#define PLAIT__ENGINE_H

#include "node.h"

/* What to compute, in which kernels, in order. Owned by the caller; holds references to every node it names. */
typedef struct plait__plan plait__plan;

/*
 * Cuts the graph below `nodes` (all pending or ready, one context) into groups. Under the evaluation lock. Errors:
 * PLAIT_E_NO_MEMORY.
 */
plait_status plait__plan_create(plait__plan **out, const plait__caps *caps, plait_array *const *nodes, size_t n);
void plait__plan_destroy(plait__plan *plan); /* NULL is fine */

/* Kernel cache of a context's engine: structure key -> kernel. */
typedef struct plait__engine plait__engine;
plait_status plait__engine_create(plait__engine **out, plait_ctx *ctx);
void plait__engine_destroy(plait__engine *engine);

/* Looks every group's kernels up; *missing counts those that have to be built. Under the lock. */
plait_status plait__engine_lookup(plait__engine *engine, plait__plan *plan, size_t *missing);
/* Generates and builds what lookup found missing. Without the lock. */
plait_status plait__engine_build(plait__engine *engine, plait__plan *plan);
/*
 * Allocates, launches and sets the requested nodes (and what the plan stores on the way) ready. Under the lock. After a
 * failure, nodes of groups that ran are ready, the others pending and unharmed.
 */
plait_status plait__engine_run(plait__engine *engine, plait__plan *plan, plait_queue *queue);

/*
 * For tests and plait_explain: number of groups and of different programs among them; the generated OpenCL C of group i
 * (no family's), freed with free().
 */
size_t plait__plan_group_count(const plait__plan *plan);
size_t plait__plan_kernel_count(const plait__plan *plan);
plait_status plait__plan_group_text(const plait__plan *plan, const plait__caps *caps, size_t i, char **text);

#endif
