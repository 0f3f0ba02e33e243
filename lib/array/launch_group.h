/*
 * Sizes and arguments of a generated group's launches.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#ifndef PLAIT__LAUNCH_GROUP_H
#define PLAIT__LAUNCH_GROUP_H

#include "params.h"

/* How a group is divided among work-items. */
typedef struct plait__geometry {
    int64_t count;       /* points; of a reduction: outputs */
    int64_t terms;       /* elements that go into an output */
    int64_t parts, part; /* a reduction's outputs may be divided */
    int64_t fold;        /* rows of a folded one that are taken for one */
    size_t items[2];     /* by kernel: work-items, a multiple of group[] */
    size_t group[2];
    int64_t chunk[2];
    int64_t lanes[2];
    int64_t local_pairs[2]; /* that local memory holds, of each accumulator */
} plait__geometry;

/* limits[k]: the largest group that kernel k may be launched with. Pure. */
plait__geometry plait__group_geometry(const plait__group *group, const plait__caps *caps, const size_t limits[2]);

/*
 * Allocates what the group stores, enqueues its kernels, and leaves the outputs in plan->stores. Under the evaluation
 * lock.
 */
plait_status plait__group_launch(plait__plan *plan, plait__group *group, plait_ctx *ctx, plait_queue *queue);

/* A new buffer for `count` elements. */
plait_status plait__storage_allocate(plait__storage **out, plait_ctx *ctx, plait_dtype dtype, const plait_dims *shape);

/* The storage that a source stands for; NULL for no elements. */
plait__storage *plait__source_storage(const plait__plan *plan, plait__source source);

#endif
