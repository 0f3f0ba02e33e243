/*
 * Plait: scheduling - what an item reads, under which map, through views.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "scheduler.h"

const plait__layout *plait__keep_layout(plait__scheduler *s, const plait__layout *layout)
{
    plait__layout *kept = plait__arena_alloc(s->arena, sizeof *kept);
    if (kept == NULL) {
        s->failed = true;
        return layout;
    }
    *kept = *layout;
    return kept;
}

static const plait__index_map *keep_map(plait__scheduler *s, const plait__item *it, plait__index_map map,
                                        const plait_dims *space)
{
    if (it->count == 1) {
        map = plait__index_map_constant(it->flat);
        if (plait_shape_count(*space) == 1) {
            return NULL;
        }
    } else if (it->flat) {
        if (!map.linear) {
            map = plait__index_map_linear(&map, &it->node->shape);
        }
        if (plait__index_map_is_linear_identity(&map, space)) {
            return NULL;
        }
    } else if (plait__index_map_is_axes_identity(&map, &it->node->shape, space)) {
        return NULL;
    }
    plait__index_map *kept = plait__arena_alloc(s->arena, sizeof *kept);
    if (kept == NULL) {
        s->failed = true;
        return NULL;
    }
    *kept = map;
    return kept;
}

/* The map into input `in` of `it`, which is read under `map`. */
static const plait__index_map *input_map(plait__scheduler *s, const plait__item *it, const plait__index_map *map,
                                         const plait__item *in, const plait_dims *space)
{
    if (in->count == 1) {
        return keep_map(s, in, plait__index_map_constant(in->flat), space);
    }
    if (it->flat || (map == NULL && it->count == in->count && !in->flat && in->node->shape.n == it->node->shape.n)) {
        return map;
    }
    plait__index_map axes = map != NULL ? *map : plait__index_map_identity(space);
    return keep_map(s, in, plait__index_map_broadcast(&axes, &in->node->shape, &it->node->shape), space);
}

plait__layout plait__layout_under(const plait__index_map *map, const plait__item *it, const plait_dims *space)
{
    plait__layout contiguous = plait__layout_contiguous(&it->node->shape);
    return plait__index_map_layout(map, &it->node->shape, it->layout != NULL ? it->layout : &contiguous, space);
}

/* The map into what the view `it` is of. */
static const plait__index_map *view_map(plait__scheduler *s, const plait__item *it, const plait__index_map *map,
                                        const plait_dims *space)
{
    const plait__item *in = &s->items[s->inputs[it->first_input]];
    if (it->node->kind == PLAIT__NODE_AFFINE && !it->flat) {
        plait__index_map axes = map != NULL ? *map : plait__index_map_identity(space);
        axes = plait__index_map_affine(&axes, it->node->affine, in->node->shape.n, space);
        return keep_map(s, in, axes, space);
    }
    return in->count == 1 ? keep_map(s, in, plait__index_map_constant(in->flat), space) : map;
}

/* What reading item `i` under `map` means: through views, down to what has a value. */
static plait__use resolve(plait__scheduler *s, uint32_t i, const plait__index_map *map, const plait_dims *space)
{
    for (;;) {
        const plait__item *it = &s->items[i];
        if (it->trivial) {
            if (it->node->kind == PLAIT__NODE_IOTA) {
                plait__layout start = {.strides = {1}};
                return (plait__use){PLAIT__USE_INDEX, i, NULL,
                                    plait__index_map_layout(map, &it->node->shape, &start, space)};
            }
            return (plait__use){.kind = PLAIT__USE_NUMBER, .item = i};
        }
        if (it->ready) {
            return (plait__use){PLAIT__USE_MEMORY, i, NULL, plait__layout_under(map, it, space)};
        }
        if (it->count == 0) {
            return (plait__use){.kind = PLAIT__USE_MEMORY, .item = i};
        }
        if (!it->transparent || it->must_store) {
            return (plait__use){.kind = PLAIT__USE_VALUE, .item = i, .map = map};
        }
        if (it->placed) {
            return (plait__use){PLAIT__USE_MEMORY, it->base, NULL, plait__layout_under(map, it, space)};
        }
        map = view_map(s, it, map, space);
        i = s->inputs[it->first_input];
    }
}

/* The operands of item i if it is evaluated under `map` in `space`. Views that are stored copy one. */
void plait__find_operands(plait__scheduler *s, uint32_t i, const plait__index_map *map, const plait_dims *space)
{
    plait__item *it = &s->items[i];
    const plait_array *node = it->node;
    bool whole = it->copy_of != PLAIT__NO_ITEM || it->trivial;
    it->n_operands = whole ? 1 : node->n_in;
    it->operands = plait__arena_array(s->arena, it->n_operands, sizeof *it->operands);
    if (it->operands == NULL) {
        s->failed = true;
        return;
    }
    if (it->copy_of != PLAIT__NO_ITEM) {
        it->operands[0] = resolve(s, it->copy_of, NULL, space);
    } else if (it->trivial) {
        it->operands[0] = resolve(s, i, map, space);
    } else if (it->shown != NULL) {
        it->operands[0] = (plait__use){.kind = PLAIT__USE_MEMORY, .item = it->shown_base};
        it->operands[0].layout = plait__index_map_layout(map, &node->shape, it->shown, space);
    } else if (it->transparent) {
        it->operands[0] = resolve(s, s->inputs[it->first_input], view_map(s, it, map, space), space);
    } else {
        for (uint32_t k = 0; k < node->n_in; k++) {
            uint32_t j = s->inputs[it->first_input + k];
            const plait__index_map *in_map = map;
            if (node->kind != PLAIT__NODE_REDUCE) {
                in_map = input_map(s, it, map, &s->items[j], space);
            } else {
                in_map = keep_map(s, &s->items[j], plait__index_map_identity(space), space);
            }
            it->operands[k] = resolve(s, j, in_map, space);
        }
    }
}

bool plait__is_reduction(const plait__item *it)
{
    return it->copy_of == PLAIT__NO_ITEM && !it->trivial && it->node->kind == PLAIT__NODE_REDUCE;
}
