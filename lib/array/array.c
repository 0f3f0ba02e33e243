/*
 * Plait: what an array is.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "node.h"

plait_array *plait_none(void)
{
    static plait_array none = {.refs = 1, .kind = PLAIT__NODE_NONE, .shape = {.n = -1}};
    return &none;
}

plait_dtype plait_array_dtype(const plait_array *a)
{
    return a != NULL ? (plait_dtype)a->dtype : PLAIT_DTYPE_DEFAULT;
}

plait_dims plait_array_shape(const plait_array *a)
{
    return a != NULL ? a->shape : PLAIT_NO_AXES;
}

size_t plait_array_count(const plait_array *a)
{
    return a != NULL && a->shape.n >= 0 ? (size_t)plait__node_count(a) : 0;
}

plait_ctx *plait_array_ctx(const plait_array *a)
{
    return a != NULL ? a->ctx : NULL;
}

bool plait_array_is_evaluated(const plait_array *a)
{
    return a != NULL && (a->kind == PLAIT__NODE_NUMBER || plait__is_ready(a));
}
