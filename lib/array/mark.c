/*
 * Plait: scheduling, the pass forwards - which views can be read where they lie, what is stored in any case.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "family.h"
#include "scheduler.h"

static void place_in(plait__scheduler *s, plait__item *it, uint32_t base, const plait__layout *layout)
{
    it->placed = true;
    it->base = base;
    it->layout = plait__keep_layout(s, layout);
    it->flat = plait__layout_is_contiguous(&it->node->shape, layout);
}

/* Does the view number its elements as its input does? */
static bool keeps_order(const plait__scheduler *s, const plait__item *it)
{
    const plait__item *in = &s->items[s->inputs[it->first_input]];
    if (it->node->kind != PLAIT__NODE_AFFINE) {
        return true;
    }
    plait__index_map map = plait__index_map_identity(&it->node->shape);
    map = plait__index_map_affine(&map, it->node->affine, in->node->shape.n, &it->node->shape);
    map = plait__index_map_linear(&map, &in->node->shape);
    return in->count == it->count && plait__index_map_is_linear_identity(&map, &it->node->shape);
}

/* Its elements are written out in C order. `flat` says how its inputs are read for that. */
static void store_whole(plait__scheduler *s, uint32_t i)
{
    plait__item *it = &s->items[i];
    plait__layout layout = plait__layout_contiguous(&it->node->shape);
    bool flat = it->flat;
    if (it->transparent && it->copy_of == PLAIT__NO_ITEM) {
        flat = s->items[s->inputs[it->first_input]].flat && keeps_order(s, it);
        if (it->placed && it->base != i) {
            it->shown = it->layout;
            it->shown_base = it->base;
        }
    }
    place_in(s, it, i, &layout);
    it->must_store = true;
    it->reduces = false;
    it->flat = flat;
}

/* What a view knows once its input is marked. */
static void mark_view(plait__scheduler *s, uint32_t i)
{
    plait__item *it = &s->items[i];
    const plait_array *node = it->node;
    plait__item *in = &s->items[s->inputs[it->first_input]];
    it->transparent = true;
    it->reduces = in->reduces && in->count == it->count;
    if (node->kind == PLAIT__NODE_AFFINE) {
        if (in->placed) {
            plait__layout layout = plait__layout_affine(in->layout, in->node->shape.n, node->affine, node->shape.n);
            place_in(s, it, in->base, &layout);
            return;
        }
        it->flat = (in->flat && keeps_order(s, it)) || in->node->kind == PLAIT__NODE_CONSTANT;
        return;
    }
    plait__layout layout;
    if (!in->placed && in->flat) {
        it->flat = true;
    } else if (in->placed && plait__layout_reshape(&in->node->shape, in->layout, &node->shape, &layout)) {
        place_in(s, it, in->base, &layout);
    } else if (in->ready) {
        it->copy_of = s->inputs[it->first_input];
        it->flat = true;
        store_whole(s, i);
    } else { /* the elements have to be written out in C order first */
        uint32_t j = s->inputs[it->first_input];
        store_whole(s, j);
        layout = plait__layout_contiguous(&node->shape);
        place_in(s, it, j, &layout);
    }
}

static bool is_view(const plait_array *node)
{
    return node->kind == PLAIT__NODE_AFFINE || node->kind == PLAIT__NODE_RESHAPE;
}

/* An input of a family's node must lie in memory, in a layout that the family takes. */
static void mark_family_input(plait__scheduler *s, const plait_array *node, uint32_t k, uint32_t *input)
{
    uint32_t i = *input;
    if (s->items[i].count == 0) {
        return;
    }
    if (!s->items[i].placed) { /* what the views are of is stored whole: others want it too, often */
        uint32_t base = i;
        while (s->items[base].transparent &&
               s->items[s->inputs[s->items[base].first_input]].count == s->items[i].count) {
            base = s->inputs[s->items[base].first_input];
        }
        store_whole(s, base);
        for (bool again = base != i; again && !s->failed;) { /* the views above it, innermost first */
            uint32_t j = i;
            while (!s->items[s->inputs[s->items[j].first_input]].placed) {
                j = s->inputs[s->items[j].first_input];
            }
            mark_view(s, j);
            again = !s->items[i].placed;
        }
    }
    plait__item *it = &s->items[i];
    bool accepted;
    if (node->family->accepts != NULL) {
        accepted = node->family->accepts(node, k, &it->node->shape, it->layout);
    } else {
        accepted = it->layout->offset == 0 && plait__layout_is_contiguous(&it->node->shape, it->layout);
    }
    if (accepted) {
        return;
    }
    if (!it->ready) {
        store_whole(s, i);
        return;
    }
    plait_array *original = it->node;
    uint32_t copy = plait__add_item(s, original, 0); /* may move the items */
    if (s->failed) {
        return;
    }
    s->items[copy].ready = false;
    s->items[copy].copy_of = i;
    s->items[copy].flat = true;
    original->mark = s->epoch << PLAIT__MARK_BITS | i; /* the node stays the first item's */
    store_whole(s, copy);
    *input = copy;
}

void plait__mark(plait__scheduler *s, uint32_t i)
{
    plait__item *it = &s->items[i];
    const plait_array *node = it->node;
    if (it->ready) {
        it->placed = true;
        it->layout = &node->layout;
        it->flat = plait__layout_is_contiguous(&node->shape, &node->layout);
        return;
    }
    if (it->count == 0) {
        return;
    }
    switch ((plait__node_kind)node->kind) {
    case PLAIT__NODE_NUMBER:
    case PLAIT__NODE_CONSTANT:
    case PLAIT__NODE_IOTA:
        it->trivial = true;
        it->flat = true;
        break;
    case PLAIT__NODE_AFFINE:
    case PLAIT__NODE_RESHAPE:
        mark_view(s, i);
        /* A view that is asked for needs no kernel where its elements lie already. */
        it->must_store = it->must_store || (it->requested && !it->placed);
        break;
    case PLAIT__NODE_FAMILY:
        for (uint32_t k = 0; k < node->n_in; k++) {
            uint32_t input = s->inputs[it->first_input + k];
            mark_family_input(s, node, k, &input);
            it = &s->items[i]; /* adding a copy may have moved the items */
            s->inputs[it->first_input + k] = input;
        }
        it->must_store = true;
        it->flat = true;
        break;
    case PLAIT__NODE_OUTPUT:
        it->must_store = true;
        it->flat = true;
        break;
    case PLAIT__NODE_REDUCE:
        it->flat = true;
        it->reduces = true;
        break;
    default:
        it->flat = true;
        for (uint32_t k = 0; k < node->n_in; k++) {
            const plait__item *in = &s->items[s->inputs[it->first_input + k]];
            it->flat = it->flat && (in->count == 1 || (in->flat && in->count == it->count));
            it->reduces = it->reduces || (in->reduces && in->count == it->count);
        }
        break;
    }
    if (!it->trivial && !it->transparent) {
        it->must_store = it->must_store || it->requested || (atomic_load(&node->kept) > 0 && node->inlined > 0);
    } else {
        it->must_store = it->must_store || (it->requested && it->trivial);
    }
    if (it->must_store && !(it->transparent && it->placed)) {
        store_whole(s, i);
    }
    for (uint32_t k = 0; k < node->n_in; k++) {
        const plait__item *in = &s->items[s->inputs[it->first_input + k]];
        if (!in->trivial) {
            it->origin = in->origin;
            break;
        }
    }
}

/* A reduction that a requested view shows is stored itself, so that the view needs no kernel. */
void plait__mark_requested(plait__scheduler *s, uint32_t i)
{
    s->items[i].requested = true;
    while (!s->items[i].ready && is_view(s->items[i].node)) {
        i = s->inputs[s->items[i].first_input];
    }
    if (!s->items[i].ready && s->items[i].node->kind == PLAIT__NODE_REDUCE) {
        s->items[i].must_store = true;
    }
}
