/*
 * Graphs for tests of the scheduler: nodes without a context, and what they are worth, computed in double.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 * All nodes live until graph_clear. Values are doubles, whatever the dtype says.
 */
#ifndef PLAIT_TEST_GRAPH_H
#define PLAIT_TEST_GRAPH_H

#include "plan.h"

void graph_clear(void);

/* Ready, with elements 0, 1, 2, ... + first in memory; and with another layout over n elements. */
plait_array *graph_leaf(plait_dims shape, double first);
plait_array *graph_strided(plait_dims shape, plait__layout layout, size_t n);
plait_array *graph_number(double value);
plait_array *graph_constant(plait_dims shape, double value);
plait_array *graph_iota(int64_t n);
plait_array *graph_op(int op, plait_array *a, plait_array *b, plait_array *c); /* broadcasts; what is not used NULL */
plait_array *graph_add(plait_array *a, plait_array *b);
plait_array *graph_map(const char *text, plait_array *a, plait_array *b);
plait_array *graph_transpose(plait_array *a);
plait_array *graph_slice(plait_array *a, int axis, int64_t start, int64_t count, int64_t step);
plait_array *graph_broadcast(plait_array *a, plait_dims shape);
plait_array *graph_reshape(plait_array *a, plait_dims shape);
plait_array *graph_reduce(int reduction, plait_array *a, unsigned mask, bool keepdims);
plait_array *graph_masked(int reduction, plait_array *a, plait_array *where, unsigned mask);
struct plait__family;
/* A family's node; its value is the sum of its inputs, which have its shape. */
plait_array *graph_family(const struct plait__family *family, plait_array *a, plait_array *b);

/* The node's elements in C order, by the definition of what it computes. */
const double *graph_value(plait_array *node);

/* The plan for a device of the test's own; destroyed by the caller. */
extern plait__caps graph_caps;
plait__plan *graph_plan(plait_array *const *nodes, size_t n);

/* Carries the plan out in double and compares what it stores with graph_value. */
void graph_check(const plait__plan *plan);

#endif
