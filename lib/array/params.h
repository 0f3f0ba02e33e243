/*
 * The parameters of a generated kernel, in order: codegen writes them down, launch.c passes them.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#ifndef PLAIT__PARAMS_H
#define PLAIT__PARAMS_H

#include "plan.h"

typedef enum plait__param_what {
    PLAIT__PARAM_LEAF,    /* a leaf's memory */
    PLAIT__PARAM_OFFSET,  /* where it begins */
    PLAIT__PARAM_STRIDE,  /* its stride along `dim` */
    PLAIT__PARAM_NUMBER,  /* a number's value */
    PLAIT__PARAM_OUTPUT,  /* an output's memory */
    PLAIT__PARAM_PARTIAL, /* partial results of an accumulator */
    PLAIT__PARAM_SIZE,    /* of the section's collapsed dimension `dim` */
    PLAIT__PARAM_COUNT,   /* points of the space; of a reduction's main section: outputs */
    PLAIT__PARAM_TERMS,   /* elements that go into one output */
    PLAIT__PARAM_PARTS,
    PLAIT__PARAM_PART,
    PLAIT__PARAM_CHUNK, /* what one work-item of the cpu skeleton takes */
    PLAIT__PARAM_LANES,
    PLAIT__PARAM_FOLD, /* rows that are taken for one */
    PLAIT__PARAM_LOCAL /* local memory for pairs of an accumulator */
} plait__param_what;

typedef struct plait__kernel_param {
    uint8_t what; /* plait__param_what */
    uint8_t section;
    int8_t dim;
    uint32_t index; /* of the leaf, number, output, accumulator */
} plait__kernel_param;

/* How many parameters kernel PLAIT__KERNEL_MAIN or _COMBINE has; writes them to `out` unless it is NULL. */
size_t plait__group_params(const plait__group *group, plait__skeleton skeleton, int kernel, plait__kernel_param *out);

/* The dimension along which the innermost loop goes; -1 in a reduction's main section. */
static inline int32_t plait__group_inner_dim(const plait__group *group, int section)
{
    if (group->kind != PLAIT__GROUP_REDUCE) {
        return group->section[section].dims.n - 1;
    }
    return section == PLAIT__MAIN ? -1 : group->columns ? group->kept - 1 : group->section[section].dims.n - 1;
}

static inline bool plait__leaf_has_stride(const plait__leaf *leaf, int32_t dim, int32_t inner)
{
    return leaf->stride != PLAIT__STRIDE_SCALAR && (dim != inner || leaf->stride == PLAIT__STRIDE_ANY);
}

#endif
