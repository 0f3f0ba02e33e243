/*
 * What builders share: the checks at the door, dtypes and shapes of results, nodes made and handed to the scope.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 * `function` is the public function's name, which begins every sentence. Threads: any.
 */
#ifndef PLAIT__BUILD_H
#define PLAIT__BUILD_H

#include "node.h"

/* Room for the text of any shape. */
#define PLAIT__SHAPE_TEXT 200
/* "(3, 4)", "(3,)", "()"; of more than 8 dimensions what there is and "...". Returns `out`. */
const char *plait__shape_text(char out[PLAIT__SHAPE_TEXT], plait_dims shape);

/* ---- checks; each records the failure it returns ---- */

/*
 * Not NULL (else as plait__fail_null), not PLAIT_NONE (PLAIT_E_ARGUMENT), its context usable. plait__check_array also
 * refuses numbers (PLAIT_E_ARGUMENT: what has no context cannot be told from a dtype or a shape).
 */
plait_status plait__check_input(const plait_array *a, const char *function, const char *argument);
plait_status plait__check_array(const plait_array *a, const char *function, const char *argument);

/* The one context of those inputs that have one; *out NULL if all are numbers. PLAIT_E_CONTEXT names both devices. */
plait_status plait__check_contexts(plait_ctx **out, plait_array *const *inputs, size_t n, const char *function);

/* A shape that an array may have: PLAIT_E_SHAPE; the shape of NULL as plait__fail_null. */
plait_status plait__check_shape(const plait_dims *shape, plait_dtype dtype, const char *function);

/* A dtype that arrays of ctx may have: PLAIT_E_DTYPE, PLAIT_E_UNSUPPORTED. */
plait_status plait__check_dtype(const plait_ctx *ctx, plait_dtype dtype, const char *function);

/* `axis` with negative ones counted from the end, of an array of n dimensions: PLAIT_E_AXIS. */
plait_status plait__check_axis(int *out, int64_t axis, int32_t n, const char *function);
/* The same for a list: *mask has bit i for axis i. An axis named twice is PLAIT_E_AXIS. The list is not the default. */
plait_status plait__check_axes(unsigned *mask, const plait_dims *axes, int32_t n, const char *function);

/* NumPy's broadcast shape of the inputs: PLAIT_E_SHAPE with both shapes. */
plait_status plait__broadcast_inputs(plait_dims *out, plait_array *const *inputs, size_t n, const char *function);

/* Whether an array of the first shape can be seen in the second. */
bool plait__broadcasts_to(const plait_dims *from, const plait_dims *to);

/* ---- nodes; each returns an array that belongs to the innermost scope, or NULL ---- */

/* Hands a finished node's reference to the innermost scope, evaluating it first where the guards of eval.h say so.
 * NULL is passed on. */
plait_array *plait__build_done(plait_array *node);

/* A new array over device memory that holds its elements in C order; takes over one reference of `storage`. */
plait_array *plait__build_stored(plait_ctx *ctx, plait_dtype dtype, const plait_dims *shape, plait__storage *storage);

/* A new array of a shape without elements. */
plait_array *plait__build_empty(plait_ctx *ctx, plait_dtype dtype, const plait_dims *shape);

/* The operation over `op->arity` inputs, with all checks. Of numbers alone: a number. */
plait_array *plait__build_op(const plait__op *op, plait_array *const *inputs);

/* `a` (checked, no number) in a dtype that was checked; the same array if it has it. */
plait_array *plait__build_cast(plait_array *a, plait_dtype dtype);

/* `a` (checked, no number) seen in a shape that it was checked to broadcast to; the same array if it has it. */
plait_array *plait__build_broadcast(plait_array *a, const plait_dims *shape);

/* The same for a shape of the same count, and for any affine view; view.c. */
plait_array *plait__build_reshape(plait_array *a, const plait_dims *shape);
plait_array *plait__build_affine(plait_array *a, const plait_dims *shape, const plait__affine *affine);

/* A number: PLAIT_BOOL, PLAIT_I64 (value.i), PLAIT_F64 (value.f) or PLAIT_C64 (value.c). */
plait_array *plait__build_number(plait_dtype dtype, plait__value value);

#endif
