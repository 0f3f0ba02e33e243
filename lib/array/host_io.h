/*
 * Elements between host memory and arrays, for the files that read and write them.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 * `function` is the public function's name. Threads: any.
 */
#ifndef PLAIT__HOST_IO_H
#define PLAIT__HOST_IO_H

#include "node.h"

/*
 * A new array of the innermost scope with a copy of C-ordered memory, which has been read at the return. All arguments
 * were checked; bools are 0 or 1.
 */
plait_array *plait__array_from_memory(plait_ctx *ctx, const void *data, const plait_dims *shape, plait_dtype dtype);

/*
 * Evaluates `a` (checked, no number, not empty) and gives a ready node with its elements in `dtype`, in C order without
 * gaps from layout.offset on: `a` itself or a copy. The caller releases *out with plait__node_release.
 */
plait_status plait__array_fetch(plait_array **out, plait_array *a, plait_dtype dtype, const char *function);

/* Elements [start, start + count) of what plait__array_fetch gave, in its order. */
plait_status plait__array_read(const plait_array *fetched, size_t start, size_t count, void *out);

/* All elements of `a` (checked; numbers too) as `dtype` (checked), in C order. */
plait_status plait__array_to_memory(plait_array *a, void *out, plait_dtype dtype, const char *function);

#endif
