/*
 * Plait: the parameters of a generated kernel.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "params.h"

typedef struct list {
    plait__kernel_param *out;
    size_t n;
} list;

static void add(list *l, plait__param_what what, int section, uint32_t index, int32_t dim)
{
    if (l->out != NULL) {
        l->out[l->n] = (plait__kernel_param){
            .what = (uint8_t)what, .section = (uint8_t)section, .dim = (int8_t)dim, .index = index};
    }
    l->n++;
}

static void add_section(list *l, const plait__group *g, int section)
{
    const plait__section *c = &g->section[section];
    int32_t inner = plait__group_inner_dim(g, section);
    for (uint32_t k = 0; k < c->n_leaves; k++) {
        const plait__leaf *leaf = &c->leaves[k];
        if (!leaf->is_index) {
            add(l, PLAIT__PARAM_LEAF, section, k, 0);
        }
        add(l, PLAIT__PARAM_OFFSET, section, k, 0);
        for (int32_t d = 0; d < c->dims.n; d++) {
            if (plait__leaf_has_stride(leaf, d, inner)) {
                add(l, PLAIT__PARAM_STRIDE, section, k, d);
            }
        }
    }
    for (uint32_t k = 0; k < c->n_numbers; k++) {
        add(l, PLAIT__PARAM_NUMBER, section, k, 0);
    }
}

/* Of all dimensions but the outermost: that one is never divided by. */
static void add_sizes(list *l, int section, int32_t first, int32_t n)
{
    for (int32_t d = first + 1; d < first + n; d++) {
        add(l, PLAIT__PARAM_SIZE, section, 0, d);
    }
}

size_t plait__group_params(const plait__group *g, plait__skeleton skeleton, int kernel, plait__kernel_param *out)
{
    list l = {.out = out};
    bool cpu = skeleton == PLAIT__SKELETON_CPU;
    bool reduce = g->kind == PLAIT__GROUP_REDUCE;
    bool combine = kernel == PLAIT__KERNEL_COMBINE;
    if (reduce && !combine) {
        add_section(&l, g, PLAIT__BODY);
    }
    add_section(&l, g, PLAIT__MAIN);
    for (uint32_t k = 0; k < g->n_outputs; k++) {
        add(&l, PLAIT__PARAM_OUTPUT, PLAIT__MAIN, k, 0);
    }
    if (!reduce) {
        add_sizes(&l, PLAIT__MAIN, 0, g->section[PLAIT__MAIN].dims.n);
        add(&l, PLAIT__PARAM_COUNT, PLAIT__MAIN, 0, 0);
        if (cpu) {
            add(&l, PLAIT__PARAM_CHUNK, PLAIT__MAIN, 0, 0);
        }
        return l.n;
    }
    for (uint32_t k = 0; k < g->n_accumulators; k++) {
        add(&l, PLAIT__PARAM_PARTIAL, PLAIT__BODY, k, 0);
    }
    add_sizes(&l, PLAIT__BODY, 0, g->kept);
    if (!combine) {
        add_sizes(&l, PLAIT__BODY, g->kept, g->reduced);
    }
    add(&l, PLAIT__PARAM_COUNT, PLAIT__MAIN, 0, 0);
    add(&l, PLAIT__PARAM_TERMS, PLAIT__BODY, 0, 0);
    add(&l, PLAIT__PARAM_PARTS, PLAIT__BODY, 0, 0);
    if (!combine) {
        add(&l, PLAIT__PARAM_PART, PLAIT__BODY, 0, 0);
    }
    if (!combine && g->folded) {
        add(&l, PLAIT__PARAM_FOLD, PLAIT__BODY, 0, 0);
    }
    if (cpu) {
        add(&l, PLAIT__PARAM_CHUNK, PLAIT__BODY, 0, 0);
    } else {
        add(&l, PLAIT__PARAM_LANES, PLAIT__BODY, 0, 0);
        for (uint32_t k = 0; k < g->n_accumulators; k++) {
            add(&l, PLAIT__PARAM_LOCAL, PLAIT__BODY, k, 0);
        }
    }
    return l.n;
}
