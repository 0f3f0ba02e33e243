/*
 * Plait: where elements are.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "node.h"

plait__layout plait__layout_contiguous(const plait_dims *shape)
{
    plait__layout layout = {0};
    int64_t stride = 1;
    for (int32_t i = shape->n; i-- > 0;) {
        layout.strides[i] = stride;
        /* Of an empty array no stride is ever used; 1 keeps the product of the other sizes from overflowing. */
        stride = plait_shape_count(*shape) == 0 ? 1 : stride * shape->d[i];
    }
    return layout;
}

bool plait__layout_is_contiguous(const plait_dims *shape, const plait__layout *layout)
{
    if (plait_shape_count(*shape) == 0) {
        return true;
    }
    int64_t stride = 1;
    for (int32_t i = shape->n; i-- > 0;) {
        if (shape->d[i] != 1 && layout->strides[i] != stride) {
            return false; /* the stride of an axis of size 1 does not matter */
        }
        stride *= shape->d[i];
    }
    return true;
}

plait__layout plait__layout_affine(const plait__layout *in, int32_t in_dims, const plait__affine *affine,
                                   int32_t out_dims)
{
    plait__layout out = {.offset = in->offset};
    for (int32_t j = 0; j < in_dims; j++) {
        out.offset += affine->start[j] * in->strides[j];
        if (affine->axis[j] >= 0 && affine->axis[j] < out_dims) {
            out.strides[affine->axis[j]] += affine->step[j] * in->strides[j];
        }
    }
    return out;
}

/*
 * As NumPy does it: runs of input axes that lie behind each other in memory are matched with runs of output axes of the
 * same count, and each output run is laid out densely within its input run.
 */
bool plait__layout_reshape(const plait_dims *in_shape, const plait__layout *in, const plait_dims *out_shape,
                           plait__layout *out)
{
    if (plait_shape_count(*in_shape) == 0) {
        *out = plait__layout_contiguous(out_shape);
        return true;
    }
    int64_t sizes[PLAIT_MAX_DIMS], strides[PLAIT_MAX_DIMS];
    int32_t n = 0;
    for (int32_t i = 0; i < in_shape->n; i++) {
        if (in_shape->d[i] != 1) {
            sizes[n] = in_shape->d[i];
            strides[n] = in->strides[i];
            n++;
        }
    }
    *out = (plait__layout){.offset = in->offset};
    int32_t i = 0, j = 0; /* first axes of the present runs */
    while (i < n && j < out_shape->n) {
        int32_t i_end = i + 1, j_end = j + 1;
        int64_t in_count = sizes[i], out_count = out_shape->d[j];
        while (in_count != out_count) {
            if (in_count < out_count) {
                in_count *= sizes[i_end++];
            } else {
                out_count *= out_shape->d[j_end++];
            }
        }
        for (int32_t k = i; k + 1 < i_end; k++) {
            if (strides[k] != sizes[k + 1] * strides[k + 1]) {
                return false;
            }
        }
        int64_t stride = strides[i_end - 1];
        for (int32_t k = j_end; k-- > j;) {
            out->strides[k] = stride;
            stride *= out_shape->d[k];
        }
        i = i_end;
        j = j_end;
    }
    /* What is left has size 1, where a stride does not matter. */
    return true;
}
