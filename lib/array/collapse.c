/*
 * Plait: as few dimensions as the strides allow, and the variant of the kernel that follows from them.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 * Kernels exist for 1 to 4 dimensions and, above, for as many as there can be; so an array of 5 dimensions in which
 * nothing collapses gets some of size 1 in front.
 */

#include "plan.h"

#define EXACT_RANK 4

#define FEW_COLUMNS 256 /* in rows that the cpu skeleton takes several of at once */

/* Sizes and the strides of all leaves that move through them. */
typedef struct axes {
    int32_t n;
    int64_t size[PLAIT_MAX_DIMS];
    plait__leaf *leaves[2];
    uint32_t n_leaves[2];
    int32_t at[2]; /* where in the leaves' strides the dimensions begin */
} axes;

static int64_t *stride(const axes *a, int which, uint32_t l, int32_t d)
{
    return &a->leaves[which][l].layout.strides[a->at[which] + d];
}

static void remove_axis(axes *a, int32_t d)
{
    for (int w = 0; w < 2; w++) {
        for (uint32_t l = 0; l < a->n_leaves[w]; l++) {
            for (int32_t k = d; k + 1 < a->n; k++) {
                *stride(a, w, l, k) = *stride(a, w, l, k + 1);
            }
            *stride(a, w, l, a->n - 1) = 0;
        }
    }
    for (int32_t k = d; k + 1 < a->n; k++) {
        a->size[k] = a->size[k + 1];
    }
    a->n--;
}

static bool can_merge(const axes *a, int32_t d)
{
    for (int w = 0; w < 2; w++) {
        for (uint32_t l = 0; l < a->n_leaves[w]; l++) {
            if (*stride(a, w, l, d) != *stride(a, w, l, d + 1) * a->size[d + 1]) {
                return false;
            }
        }
    }
    return true;
}

static void merge(axes *a)
{
    for (int32_t d = a->n - 2; d >= 0; d--) {
        if (can_merge(a, d)) {
            for (int w = 0; w < 2; w++) {
                for (uint32_t l = 0; l < a->n_leaves[w]; l++) {
                    *stride(a, w, l, d) = *stride(a, w, l, d + 1);
                }
            }
            a->size[d] *= a->size[d + 1];
            remove_axis(a, d + 1);
        }
    }
}

static void pad(axes *a, int32_t rank)
{
    int32_t added = rank - a->n;
    for (int32_t k = rank - 1; k >= 0; k--) {
        a->size[k] = k >= added ? a->size[k - added] : 1;
        for (int w = 0; w < 2; w++) {
            for (uint32_t l = 0; l < a->n_leaves[w]; l++) {
                *stride(a, w, l, k) = k >= added ? *stride(a, w, l, k - added) : 0;
            }
        }
    }
    a->n = rank;
}

static void drop_ones(axes *a)
{
    for (int32_t d = a->n - 1; d >= 0; d--) {
        if (a->size[d] == 1) {
            remove_axis(a, d);
        }
    }
}

/* How far the leaves move, all together, from one point of the dimension to the next. */
static uint64_t weight(const axes *a, int32_t d)
{
    uint64_t sum = 0;
    for (uint32_t l = 0; l < a->n_leaves[0]; l++) {
        int64_t s = *stride(a, 0, l, d);
        sum += s < 0 ? 0 - (uint64_t)s : (uint64_t)s;
    }
    return sum;
}

/* The order in which reduced dimensions are gone through is free: the largest strides outermost. */
static void sort_axes(axes *a)
{
    for (int32_t i = 1; i < a->n; i++) {
        for (int32_t j = i; j > 0 && weight(a, j - 1) < weight(a, j); j--) {
            int64_t size = a->size[j];
            a->size[j] = a->size[j - 1];
            a->size[j - 1] = size;
            for (uint32_t l = 0; l < a->n_leaves[0]; l++) {
                int64_t s = *stride(a, 0, l, j);
                *stride(a, 0, l, j) = *stride(a, 0, l, j - 1);
                *stride(a, 0, l, j - 1) = s;
            }
        }
    }
}

static void collapse_elementwise(plait__group *g)
{
    plait__section *c = &g->section[PLAIT__MAIN];
    axes a = {.n = c->space.n, .leaves = {c->leaves}, .n_leaves = {c->n_leaves}};
    for (int32_t d = 0; d < a.n; d++) {
        a.size[d] = c->space.d[d];
    }
    drop_ones(&a);
    merge(&a);
    pad(&a, a.n == 0 ? 1 : a.n > EXACT_RANK ? PLAIT_MAX_DIMS : a.n);
    c->dims = plait_shape((size_t)a.n, a.size);
}

/* The body's dimensions apart: first the kept ones, then the reduced ones, without those of size 1. */
static void separate(const plait__group *g, axes *kept, axes *reduced)
{
    const plait__section *body = &g->section[PLAIT__BODY];
    int32_t order[PLAIT_MAX_DIMS], n = 0;
    for (int part = 0; part < 2; part++) {
        axes *a = part == 0 ? kept : reduced;
        for (int32_t d = 0; d < body->space.n; d++) {
            if ((g->axis_mask >> d & 1) == part && body->space.d[d] != 1) {
                a->size[a->n++] = body->space.d[d];
                order[n++] = d;
            }
        }
    }
    for (uint32_t l = 0; l < body->n_leaves; l++) {
        plait__layout old = body->leaves[l].layout;
        for (int32_t k = 0; k < PLAIT_MAX_DIMS; k++) {
            body->leaves[l].layout.strides[k] = k < n ? old.strides[order[k]] : 0;
        }
    }
}

static void drop_tail_ones(plait__section *tail)
{
    axes a = {.n = tail->space.n, .leaves = {tail->leaves}, .n_leaves = {tail->n_leaves}};
    for (int32_t d = 0; d < a.n; d++) {
        a.size[d] = tail->space.d[d];
    }
    drop_ones(&a);
}

static void collapse_reduce(plait__group *g)
{
    plait__section *body = &g->section[PLAIT__BODY], *tail = &g->section[PLAIT__MAIN];
    axes kept = {.leaves = {body->leaves, tail->leaves}, .n_leaves = {body->n_leaves, tail->n_leaves}};
    axes reduced = {.leaves = {body->leaves}, .n_leaves = {body->n_leaves}};
    separate(g, &kept, &reduced);
    drop_tail_ones(tail);
    reduced.at[0] = kept.n;
    sort_axes(&reduced);
    merge(&reduced);
    /* Merging the kept ones leaves a gap before the reduced ones: close it. */
    int32_t had = kept.n;
    plait__leaf *leaves = body->leaves;
    for (uint32_t l = 0; l < body->n_leaves; l++) { /* keeps the reduced strides out of the way of `merge` */
        for (int32_t k = reduced.n - 1; k >= 0; k--) {
            leaves[l].layout.strides[PLAIT_MAX_DIMS - reduced.n + k] = leaves[l].layout.strides[had + k];
        }
    }
    merge(&kept);
    int32_t reduced_rank = reduced.n == 0 ? 1 : reduced.n > EXACT_RANK ? PLAIT_MAX_DIMS - kept.n : reduced.n;
    int32_t kept_rank = kept.n > EXACT_RANK ? PLAIT_MAX_DIMS - reduced_rank : kept.n;
    int64_t outer[PLAIT_MAX_DIMS];
    for (uint32_t l = 0; l < body->n_leaves; l++) {
        int64_t *s = leaves[l].layout.strides;
        for (int32_t k = 0; k < PLAIT_MAX_DIMS; k++) {
            outer[k] = s[k];
            s[k] = 0;
        }
        for (int32_t k = 0; k < kept.n; k++) {
            s[kept_rank - kept.n + k] = outer[k];
        }
        for (int32_t k = 0; k < reduced.n; k++) {
            s[kept_rank + reduced_rank - reduced.n + k] = outer[PLAIT_MAX_DIMS - reduced.n + k];
        }
    }
    axes only_tail = {.n = kept.n, .leaves = {tail->leaves}, .n_leaves = {tail->n_leaves}};
    for (int32_t k = 0; k < kept.n; k++) {
        only_tail.size[k] = kept.size[k];
    }
    pad(&only_tail, kept_rank);
    tail->dims = plait_shape((size_t)kept_rank, only_tail.size);
    body->dims = tail->dims;
    body->dims.n = kept_rank + reduced_rank;
    for (int32_t k = 0; k < reduced_rank; k++) {
        int32_t from = k - (reduced_rank - reduced.n);
        body->dims.d[kept_rank + k] = from < 0 ? 1 : reduced.size[from];
    }
    g->kept = kept_rank;
    g->reduced = reduced_rank;
}

static uint64_t magnitude(int64_t value)
{
    return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

/* Columns, if most leaves lie closer together along the last kept dimension than along the last reduced one. */
static bool prefers_columns(const plait__group *g)
{
    const plait__section *body = &g->section[PLAIT__BODY];
    if (g->kept == 0 || body->dims.d[body->dims.n - 1] == 1) {
        return false;
    }
    int votes = 0;
    for (uint32_t l = 0; l < body->n_leaves; l++) {
        uint64_t along_kept = magnitude(body->leaves[l].layout.strides[g->kept - 1]);
        uint64_t along_reduced = magnitude(body->leaves[l].layout.strides[body->dims.n - 1]);
        if (along_kept != 0 && along_reduced != 0) {
            votes += along_kept < along_reduced ? 1 : -1;
        }
    }
    return votes > 0;
}

/* Rows of few columns, behind each other in every leaf. */
static bool can_fold(const plait__group *g)
{
    const plait__section *body = &g->section[PLAIT__BODY];
    if (!g->columns || g->kept != 1 || g->reduced != 1 || body->dims.d[0] > FEW_COLUMNS) {
        return false;
    }
    for (uint32_t l = 0; l < body->n_leaves; l++) {
        const plait__leaf *leaf = &body->leaves[l];
        bool behind = leaf->layout.strides[0] == 1 && leaf->layout.strides[1] == body->dims.d[0];
        if (leaf->stride != PLAIT__STRIDE_SCALAR && !behind) {
            return false;
        }
    }
    return true;
}

static void classify(plait__section *c, int32_t inner)
{
    for (uint32_t l = 0; l < c->n_leaves; l++) {
        plait__leaf *leaf = &c->leaves[l];
        bool scalar = true;
        for (int32_t d = 0; d < c->dims.n; d++) {
            scalar = scalar && leaf->layout.strides[d] == 0;
        }
        int64_t s = inner >= 0 ? leaf->layout.strides[inner] : 0;
        leaf->stride = scalar   ? PLAIT__STRIDE_SCALAR
                       : s == 0 ? PLAIT__STRIDE_ZERO
                       : s == 1 ? PLAIT__STRIDE_UNIT
                                : PLAIT__STRIDE_ANY;
    }
}

/* Has it a leaf whose neighbours along the inner dimension are apart, and rows above each other? */
static bool is_in_steps(const plait__section *c)
{
    bool steps = false;
    for (uint32_t l = 0; l < c->n_leaves; l++) {
        steps = steps || c->leaves[l].stride == PLAIT__STRIDE_ANY;
    }
    return steps && c->dims.n > 1;
}

/* one_row: vectors may leave the inner dimension, because there is nothing behind it. */
static bool can_be_wide(const plait__section *c, int32_t inner, bool one_row)
{
    if (!one_row && c->dims.d[inner] % 4 != 0) {
        return false;
    }
    for (uint32_t l = 0; l < c->n_leaves; l++) {
        const plait__leaf *leaf = &c->leaves[l];
        if (leaf->stride == PLAIT__STRIDE_ANY) {
            return false;
        }
        if (leaf->stride != PLAIT__STRIDE_UNIT || leaf->is_index) {
            continue;
        }
        if (leaf->layout.offset % 4 != 0) {
            return false;
        }
        for (int32_t d = 0; d < c->dims.n; d++) {
            if (d != inner && leaf->layout.strides[d] % 4 != 0) {
                return false;
            }
        }
    }
    return true;
}

/* Whether positions, or the numbers of points, come near the limit of 32 bits. */
static bool is_large(const plait__section *c)
{
    const uint64_t limit = 1u << 30;
    int64_t count = plait_shape_count(c->dims);
    if (count < 0 || (uint64_t)count >= limit) {
        return true;
    }
    for (uint32_t l = 0; l < c->n_leaves; l++) {
        const plait__layout *layout = &c->leaves[l].layout;
        uint64_t reach = magnitude(layout->offset);
        for (int32_t d = 0; d < c->dims.n; d++) {
            uint64_t s = magnitude(layout->strides[d]);
            reach += s * (uint64_t)(c->dims.d[d] > 0 ? c->dims.d[d] - 1 : 0);
            if (s >= limit) {
                return true;
            }
        }
        if (reach >= limit) {
            return true;
        }
    }
    return false;
}

void plait__group_collapse(plait__group *g, const plait__caps *caps)
{
    if (g->kind == PLAIT__GROUP_FAMILY) {
        return;
    }
    plait__section *c = plait__group_inner_section(g);
    int32_t inner;
    bool one_row;
    if (g->kind == PLAIT__GROUP_REDUCE) {
        collapse_reduce(g);
        g->columns = prefers_columns(g);
        inner = g->columns ? g->kept - 1 : c->dims.n - 1;
        one_row = !g->columns && g->reduced == 1;
        classify(&g->section[PLAIT__MAIN], -1);
        g->large = is_large(&g->section[PLAIT__MAIN]);
    } else {
        collapse_elementwise(g);
        inner = c->dims.n - 1;
        one_row = c->dims.n == 1;
    }
    classify(c, inner);
    g->tiled = caps->skeleton == PLAIT__SKELETON_CPU && g->kind == PLAIT__GROUP_ELEMENTWISE && is_in_steps(c);
    g->folded = caps->skeleton == PLAIT__SKELETON_CPU && g->kind == PLAIT__GROUP_REDUCE && can_fold(g);
    g->large = g->large || is_large(c);
    g->wide = caps->skeleton == PLAIT__SKELETON_DEVICE && can_be_wide(c, inner, one_row);
}
