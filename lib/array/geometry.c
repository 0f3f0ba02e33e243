/*
 * Plait: how a group is divided among work-items.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "launch_group.h"

#include "tune.h"

#define FOLDED_COLUMNS 512 /* that a folded reduction makes of short rows */

static int64_t ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The largest power of two that is at most n; n >= 1. */
static int64_t power_below(int64_t n)
{
    int64_t p = 1;
    while (p <= n / 2) {
        p *= 2;
    }
    return p;
}

static int64_t power_above(int64_t n)
{
    int64_t p = power_below(n);
    return p < n ? 2 * p : p;
}

/*
 * A power of two: what the tables want, if device and kernel allow it and local memory holds the pairs: `values` of each
 * accumulator for each work-item.
 */
static int64_t group_size(const plait__group *g, const plait__caps *caps, size_t limit, int64_t values)
{
    int64_t size = plait__tuned(caps->skeleton, PLAIT__TUNE_GROUP);
    size = smaller(size, larger((int64_t)smaller((int64_t)caps->max_group, (int64_t)limit), 1));
    size = power_below(size);
    size_t bytes = 0;
    for (uint32_t k = 0; k < g->n_accumulators; k++) {
        bytes += plait__pair_bytes(&g->accumulators[k]) * (size_t)values;
    }
    while (size > 1 && (size_t)size * bytes > caps->local_memory / 2) {
        size /= 2;
    }
    return size;
}

static void set_chunks(plait__geometry *geo, int kernel, int64_t tasks, int64_t workers)
{
    geo->chunk[kernel] = larger(ceil_div(tasks, larger(workers, 1)), 1);
    geo->items[kernel] = (size_t)larger(ceil_div(tasks, geo->chunk[kernel]), 1);
    geo->group[kernel] = 1;
}

static void elementwise(plait__geometry *geo, const plait__group *g, const plait__caps *caps, const size_t *limits)
{
    if (caps->skeleton == PLAIT__SKELETON_CPU) {
        int64_t most = plait__tuned(caps->skeleton, PLAIT__TUNE_ITEMS_PER_UNIT) * (int64_t)caps->compute_units;
        int64_t worth = ceil_div(geo->count, plait__tuned(caps->skeleton, PLAIT__TUNE_CHUNK));
        if (g->tiled) {
            const plait_dims *dims = &g->section[PLAIT__MAIN].dims;
            int64_t inner = dims->d[dims->n - 1];
            int64_t blocks = ceil_div(geo->count / inner, plait__tuned(caps->skeleton, PLAIT__TUNE_TILE_ROWS)) *
                             ceil_div(inner, plait__tuned(caps->skeleton, PLAIT__TUNE_TILE));
            set_chunks(geo, PLAIT__KERNEL_MAIN, blocks, smaller(most, worth));
            return;
        }
        set_chunks(geo, PLAIT__KERNEL_MAIN, geo->count, smaller(most, worth));
        geo->chunk[0] = ceil_div(geo->chunk[0], 64) * 64; /* whole cache lines */
        geo->items[0] = (size_t)ceil_div(geo->count, geo->chunk[0]);
        return;
    }
    int64_t group = group_size(g, caps, limits[PLAIT__KERNEL_MAIN], 0);
    int64_t items = ceil_div(geo->count, g->wide ? 4 : 1);
    geo->group[PLAIT__KERNEL_MAIN] = (size_t)group;
    geo->items[PLAIT__KERNEL_MAIN] = (size_t)(ceil_div(items, group) * group);
}

static void set_parts(plait__geometry *geo, int64_t parts, int64_t unit)
{
    geo->part = larger(ceil_div(ceil_div(geo->terms, larger(parts, 1)), unit) * unit, 1);
    geo->parts = larger(ceil_div(geo->terms, geo->part), 1);
}

static void reduce_cpu(plait__geometry *geo, const plait__group *g, const plait__caps *caps)
{
    plait__skeleton k = caps->skeleton;
    int64_t workers = plait__tuned(k, PLAIT__TUNE_GROUPS_PER_UNIT) * (int64_t)caps->compute_units;
    int64_t worth = plait__tuned(k, PLAIT__TUNE_TERMS_PER_ITEM);
    int64_t strips = geo->count; /* what can be worked on without dividing an output */
    int64_t width = 1;
    if (g->columns) {
        int64_t inner = g->section[PLAIT__BODY].dims.d[g->kept - 1];
        width = smaller(inner, plait__tuned(k, PLAIT__TUNE_COLUMNS));
        strips = geo->count / inner * ceil_div(inner, plait__tuned(k, PLAIT__TUNE_COLUMNS));
        geo->fold = larger(smaller(FOLDED_COLUMNS / inner, geo->terms), 1);
    }
    /* At most so many work-items have enough to do; a part is worth one of them. */
    int64_t total = geo->count > INT64_MAX / larger(geo->terms, 1) ? INT64_MAX : geo->count * geo->terms;
    workers = smaller(workers, ceil_div(total, worth));
    int64_t parts = strips >= workers ? 1 : ceil_div(workers, strips);
    parts = smaller(parts, larger(geo->terms / larger(worth / width, 1), 1));
    set_parts(geo, parts, g->columns ? plait__tuned(k, PLAIT__TUNE_BLOCK) : plait__tuned(k, PLAIT__TUNE_LANES));
    set_chunks(geo, PLAIT__KERNEL_MAIN, strips * geo->parts, workers);
    set_chunks(geo, PLAIT__KERNEL_COMBINE, geo->count, smaller(workers, ceil_div(geo->count * geo->parts, worth)));
}

static void reduce_device(plait__geometry *geo, const plait__group *g, const plait__caps *caps, const size_t *limits)
{
    plait__skeleton k = caps->skeleton;
    int64_t vector = g->wide ? 4 : 1;
    int64_t values = g->columns ? vector : 1;
    int64_t group = group_size(g, caps, limits[PLAIT__KERNEL_MAIN], values);
    int64_t want = plait__tuned(k, PLAIT__TUNE_GROUPS_PER_UNIT) * (int64_t)caps->compute_units;
    int64_t worth = plait__tuned(k, PLAIT__TUNE_TERMS_PER_ITEM);
    int64_t groups;
    if (g->columns) {
        int64_t inner = g->section[PLAIT__BODY].dims.d[g->kept - 1];
        int64_t lanes =
            smaller(smaller(power_above(ceil_div(inner, vector)), plait__tuned(k, PLAIT__TUNE_COLUMNS)), group);
        int64_t strips = geo->count / inner * ceil_div(inner, lanes * vector);
        int64_t rows = group / lanes;
        int64_t parts = smaller(ceil_div(want, strips), larger(geo->terms / (rows * worth), 1));
        geo->lanes[PLAIT__KERNEL_MAIN] = lanes;
        set_parts(geo, parts, 1);
        groups = strips * geo->parts;
    } else {
        /* As many items an output as have something to do, and more where there are few outputs. */
        int64_t lanes = smaller(power_above(larger(geo->terms / (4 * vector), 1)), group);
        if (geo->count * lanes < want * group) {
            lanes = smaller(power_above(larger(ceil_div(geo->terms, vector), 1)), group);
        }
        int64_t busy = ceil_div(geo->count * lanes, group);
        int64_t parts = smaller(ceil_div(want, busy), larger(geo->terms / (lanes * worth), 1));
        geo->lanes[PLAIT__KERNEL_MAIN] = lanes;
        set_parts(geo, parts, lanes * vector * 4);
        groups = ceil_div(geo->count * geo->parts, group / lanes);
    }
    geo->local_pairs[PLAIT__KERNEL_MAIN] = group * values;
    geo->group[PLAIT__KERNEL_MAIN] = (size_t)group;
    geo->items[PLAIT__KERNEL_MAIN] = (size_t)(larger(groups, 1) * group);

    group = group_size(g, caps, limits[PLAIT__KERNEL_COMBINE], 1);
    int64_t lanes = smaller(power_above(geo->parts), group);
    geo->lanes[PLAIT__KERNEL_COMBINE] = lanes;
    geo->group[PLAIT__KERNEL_COMBINE] = (size_t)group;
    geo->items[PLAIT__KERNEL_COMBINE] = (size_t)(ceil_div(geo->count, group / lanes) * group);
    geo->local_pairs[PLAIT__KERNEL_COMBINE] = group;
}

plait__geometry plait__group_geometry(const plait__group *g, const plait__caps *caps, const size_t limits[2])
{
    plait__geometry geo = {.count = plait_shape_count(g->section[PLAIT__MAIN].dims), .terms = 1, .parts = 1, .part = 1};
    if (g->kind != PLAIT__GROUP_REDUCE) {
        elementwise(&geo, g, caps, limits);
        return geo;
    }
    for (int32_t d = g->kept; d < g->section[PLAIT__BODY].dims.n; d++) {
        geo.terms *= g->section[PLAIT__BODY].dims.d[d];
    }
    if (caps->skeleton == PLAIT__SKELETON_CPU) {
        reduce_cpu(&geo, g, caps);
    } else {
        reduce_device(&geo, g, caps, limits);
    }
    return geo;
}
