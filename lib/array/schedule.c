/*
 * Plait: cutting a graph into kernels.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 * Four passes over the nodes below the requested ones, none recursive, each linear:
 *
 *   collect   nodes in topological order, inputs first ("items")
 *   mark      forwards: which views can be read where their elements lie, what must be stored whatever else happens
 *   place     backwards, so that everyone who wants an item has been placed before it. Wanted by one group under one
 *             index map, it is inlined there; else it is stored: in a group of its own, or joined to one that has the
 *             same space. A group's *level* is above that of every group that reads it, and items join only groups of
 *             at least the level their readers ask for; so groups cannot wait for each other in a circle.
 *   emit      forwards: the placed items as instructions
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "error.h"
#include "family.h"
#include "index_map.h"
#include "plan.h"

#define NONE UINT32_MAX
#define JOIN_SEARCH 16        /* newest groups that are tried for joining */
#define SMALL_TAIL 1024       /* up to so many elements join a reduction that has nothing to do with them */
#define LARGE_COUNT (1 << 30) /* from here on indices may need 64 bits */

/* "group `group` wants this under that map (or: in that layout, from memory)" */
typedef struct demand {
    int32_t group;
    uint8_t section;
    bool memory;
    const plait__index_map *map;
    const plait__layout *layout; /* memory: by the space's dimensions */
    uint32_t next;
} demand;

typedef enum operand_kind { OPERAND_NUMBER, OPERAND_INDEX, OPERAND_MEMORY, OPERAND_VALUE } operand_kind;

typedef struct operand {
    operand_kind kind;
    uint32_t item;
    const plait__index_map *map; /* VALUE */
    plait__layout layout;        /* MEMORY, INDEX: by the space's dimensions */
} operand;

typedef struct item {
    plait_array *node;
    int64_t count;
    uint32_t first_input; /* into inputs */
    uint32_t copy_of;     /* its value: that ready item's elements, written out in C order; NONE: what the node says */
    bool ready, requested, must_store;
    bool trivial;     /* a number, constant or iota: inlined wherever it is wanted */
    bool transparent; /* a view */
    bool flat;        /* may be read by a linear map */
    bool reduces;     /* a pending reduction's value is an ingredient */
    bool placed;      /* its elements will lie in `base`'s storage by `layout` */
    uint32_t base;
    const plait__layout *layout;

    int32_t min_level; /* that readers from memory ask for */
    uint32_t demands;  /* newest; NONE */

    int32_t group; /* -1: not placed */
    uint8_t section;
    const plait__index_map *map;
    int32_t store; /* -1: not stored */
    operand *operands;
    uint32_t n_operands;
    uint32_t value; /* instruction */
} item;

/* A group while it grows. */
typedef struct draft {
    plait__group_kind kind;
    int32_t level;
    plait_dims space[2];
    uint8_t axis_mask;
    bool large;
    uint32_t leaves, instrs, pointers, indices, numbers, outputs, accumulators;
    uint32_t n_members[2], n_operands[2];
    uint32_t family; /* item */
} draft;

typedef struct scheduler {
    plait__plan *plan;
    plait__arena *arena; /* scratch */
    uint64_t epoch;
    item *items;
    size_t n_items, items_capacity, n_real;
    uint32_t *inputs;
    size_t n_inputs, inputs_capacity;
    demand *demands;
    size_t n_demands, demands_capacity;
    draft *drafts;
    size_t n_drafts, drafts_capacity;
    bool failed;
} scheduler;

/* ---- collect ---- */

#define MARK_BITS 24 /* of an item's number in a node's mark; the rest is the plan's */

static atomic_uint_least64_t next_epoch = 1;

typedef struct frame {
    plait_array *node;
    uint32_t next;
    uint32_t first_input;
} frame;

static uint32_t add_item(scheduler *s, plait_array *node, uint32_t first_input)
{
    if (s->n_items >= ((size_t)1 << MARK_BITS) - 1) {
        plait__fail(PLAIT_E_UNSUPPORTED, "plait_eval: more than %d arrays are pending; evaluate in between",
                    1 << MARK_BITS);
        s->failed = true;
        return 0;
    }
    item *grown = plait__grow(s->items, &s->items_capacity, s->n_items + 1, sizeof *grown);
    if (grown == NULL) {
        s->failed = true;
        return 0;
    }
    s->items = grown;
    s->items[s->n_items] = (item){
        .node = node,
        .count = plait__node_count(node),
        .first_input = first_input,
        .copy_of = NONE,
        .ready = node->kind != PLAIT__NODE_NUMBER && plait__is_ready(node),
        .base = (uint32_t)s->n_items,
        .demands = NONE,
        .group = -1,
        .store = -1,
    };
    if (node->ctx != NULL) {
        node->mark = s->epoch << MARK_BITS | s->n_items;
    }
    return (uint32_t)s->n_items++;
}

static bool is_marked(const scheduler *s, const plait_array *node)
{
    return node->ctx != NULL && node->mark >> MARK_BITS == s->epoch;
}

static uint32_t item_of(const plait_array *node)
{
    return (uint32_t)(node->mark & ((1u << MARK_BITS) - 1));
}

/* An output of a family node that has run meanwhile is there already. */
static bool adopt_output(plait_array *node)
{
    if (node->kind == PLAIT__NODE_OUTPUT && !plait__is_ready(node) && plait__is_ready(node->in[0])) {
        plait__layout layout = plait__layout_contiguous(&node->shape);
        plait__node_set_ready(node, plait__storage_retain(node->in[0]->results[node->output].storage), &layout);
        return true;
    }
    return false;
}

static void collect(scheduler *s, plait_array *root)
{
    frame *stack = NULL;
    size_t depth = 0, capacity = 0;
    plait_array *next = root;
    uint32_t finished = 0;
    for (;;) {
        if (next != NULL) { /* go down to `next` */
            frame *grown = plait__grow(stack, &capacity, depth + 1, sizeof *grown);
            if (grown == NULL) {
                s->failed = true;
                break;
            }
            stack = grown;
            adopt_output(next);
            frame *f = &stack[depth++];
            *f = (frame){.node = next, .first_input = (uint32_t)s->n_inputs};
            if (next->kind != PLAIT__NODE_NUMBER && !plait__is_ready(next)) {
                uint32_t *inputs =
                    plait__grow(s->inputs, &s->inputs_capacity, s->n_inputs + next->n_in, sizeof *inputs);
                if (inputs == NULL) {
                    s->failed = true;
                    break;
                }
                s->inputs = inputs;
                s->n_inputs += next->n_in;
            }
            next = NULL;
        }
        frame *f = &stack[depth - 1];
        bool leaf = f->node->kind == PLAIT__NODE_NUMBER || plait__is_ready(f->node);
        if (!leaf && f->next < f->node->n_in) {
            plait_array *input = f->node->in[f->next];
            if (is_marked(s, input)) {
                s->inputs[f->first_input + f->next++] = item_of(input);
            } else {
                next = input;
            }
            continue;
        }
        finished = add_item(s, f->node, f->first_input);
        if (s->failed || --depth == 0) {
            break;
        }
        f = &stack[depth - 1];
        s->inputs[f->first_input + f->next++] = finished;
    }
    free(stack);
}

/* ---- mark ---- */

static const plait__layout *keep_layout(scheduler *s, const plait__layout *layout)
{
    plait__layout *kept = plait__arena_alloc(s->arena, sizeof *kept);
    if (kept == NULL) {
        s->failed = true;
        return layout;
    }
    *kept = *layout;
    return kept;
}

static void place_in(scheduler *s, item *it, uint32_t base, const plait__layout *layout)
{
    it->placed = true;
    it->base = base;
    it->layout = keep_layout(s, layout);
    it->flat = plait__layout_is_contiguous(&it->node->shape, layout);
}

static void store_whole(scheduler *s, uint32_t i)
{
    item *it = &s->items[i];
    plait__layout layout = plait__layout_contiguous(&it->node->shape);
    it->must_store = true;
    it->reduces = false;
    bool flat = it->flat; /* of reading its inputs, which writing it out does not change */
    place_in(s, it, i, &layout);
    it->flat = flat;
}

/* What a view knows once its input is marked. */
static void mark_view(scheduler *s, uint32_t i)
{
    item *it = &s->items[i];
    const plait_array *node = it->node;
    item *in = &s->items[s->inputs[it->first_input]];
    it->transparent = true;
    it->reduces = in->reduces && in->count == it->count;
    if (node->kind == PLAIT__NODE_AFFINE) {
        if (in->placed) {
            plait__layout layout =
                plait__layout_affine(in->layout, in->node->shape.n, node->affine, node->shape.n);
            place_in(s, it, in->base, &layout);
            return;
        }
        plait__index_map map = plait__index_map_identity(&node->shape);
        map = plait__index_map_affine(&map, node->affine, in->node->shape.n, &node->shape);
        map = plait__index_map_linear(&map, &in->node->shape);
        it->flat = in->flat && in->count == it->count && plait__index_map_is_linear_identity(&map, &node->shape);
        it->flat = it->flat || in->node->kind == PLAIT__NODE_CONSTANT;
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
static void mark_family_input(scheduler *s, const plait_array *node, uint32_t k, uint32_t *input)
{
    uint32_t i = *input;
    if (s->items[i].count == 0) {
        return;
    }
    if (!s->items[i].placed) { /* what the views are of is stored whole: others want it too, often */
        uint32_t base = i;
        while (s->items[base].transparent && s->items[s->inputs[s->items[base].first_input]].count == s->items[i].count) {
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
    item *it = &s->items[i];
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
    uint32_t copy = add_item(s, it->node, 0);
    if (s->failed) {
        return;
    }
    s->items[copy].ready = false;
    s->items[copy].copy_of = i;
    s->items[copy].flat = true;
    if (it->node->ctx != NULL) {
        s->items[i].node->mark = s->epoch << MARK_BITS | i; /* the node stays the original item's */
    }
    store_whole(s, copy);
    *input = copy;
}

static void mark(scheduler *s, uint32_t i)
{
    item *it = &s->items[i];
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
            const item *in = &s->items[s->inputs[it->first_input + k]];
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
}

/* A reduction that a requested view shows is stored itself, so that the view needs no kernel. */
static void mark_requested(scheduler *s, uint32_t i)
{
    s->items[i].requested = true;
    while (!s->items[i].ready && is_view(s->items[i].node)) {
        i = s->inputs[s->items[i].first_input];
    }
    if (!s->items[i].ready && s->items[i].node->kind == PLAIT__NODE_REDUCE) {
        s->items[i].must_store = true;
    }
}

/* ---- operands ---- */

static const plait__index_map *keep_map(scheduler *s, const item *it, plait__index_map map, const plait_dims *space)
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
static const plait__index_map *input_map(scheduler *s, const item *it, const plait__index_map *map, const item *in,
                                         const plait_dims *space)
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

static plait__layout layout_under(const plait__index_map *map, const item *it, const plait_dims *space)
{
    plait__layout contiguous = plait__layout_contiguous(&it->node->shape);
    return plait__index_map_layout(map, &it->node->shape, it->layout != NULL ? it->layout : &contiguous, space);
}

/* The map into what the view `it` is of. */
static const plait__index_map *view_map(scheduler *s, const item *it, const plait__index_map *map,
                                        const plait_dims *space)
{
    const item *in = &s->items[s->inputs[it->first_input]];
    if (it->node->kind == PLAIT__NODE_AFFINE && !it->flat) {
        plait__index_map axes = map != NULL ? *map : plait__index_map_identity(space);
        axes = plait__index_map_affine(&axes, it->node->affine, in->node->shape.n, space);
        return keep_map(s, in, axes, space);
    }
    return in->count == 1 ? keep_map(s, in, plait__index_map_constant(in->flat), space) : map;
}

/* What reading item `i` under `map` means: through views, down to what has a value. */
static operand resolve(scheduler *s, uint32_t i, const plait__index_map *map, const plait_dims *space)
{
    for (;;) {
        const item *it = &s->items[i];
        if (it->trivial) {
            if (it->node->kind == PLAIT__NODE_IOTA) {
                plait__layout start = {.strides = {1}};
                return (operand){OPERAND_INDEX, i, NULL, plait__index_map_layout(map, &it->node->shape, &start, space)};
            }
            return (operand){.kind = OPERAND_NUMBER, .item = i};
        }
        if (it->ready) {
            return (operand){OPERAND_MEMORY, i, NULL, layout_under(map, it, space)};
        }
        if (it->count == 0) {
            return (operand){.kind = OPERAND_MEMORY, .item = i};
        }
        if (!it->transparent || it->must_store) {
            return (operand){.kind = OPERAND_VALUE, .item = i, .map = map};
        }
        if (it->placed) {
            return (operand){OPERAND_MEMORY, it->base, NULL, layout_under(map, it, space)};
        }
        map = view_map(s, it, map, space);
        i = s->inputs[it->first_input];
    }
}

/* ---- place ---- */

static int32_t new_draft(scheduler *s, plait__group_kind kind, int32_t level, const plait_dims *main_space)
{
    draft *grown = plait__grow(s->drafts, &s->drafts_capacity, s->n_drafts + 1, sizeof *grown);
    if (grown == NULL) {
        s->failed = true;
        return -1;
    }
    s->drafts = grown;
    s->drafts[s->n_drafts] = (draft){.kind = kind, .level = level, .space = {*main_space}};
    s->drafts[s->n_drafts].large = plait_shape_count(*main_space) >= LARGE_COUNT;
    return (int32_t)s->n_drafts++;
}

static bool same_demand(const demand *d, int32_t group, uint8_t section, const operand *o)
{
    if (d->group != group || d->section != section || d->memory != (o->kind == OPERAND_MEMORY)) {
        return false;
    }
    return d->memory ? memcmp(d->layout, &o->layout, sizeof o->layout) == 0
                     : plait__index_map_equal(d->map, o->map);
}

/* Is the operand counted in the group already? Only the newest demands are looked at: counting twice does no harm. */
static bool is_demanded(const scheduler *s, const item *it, int32_t group, uint8_t section, const operand *o)
{
    uint32_t d = it->demands;
    for (int k = 0; k < 8 && d != NONE; k++, d = s->demands[d].next) {
        if (same_demand(&s->demands[d], group, section, o)) {
            return true;
        }
    }
    return false;
}

/* What an operand costs as a leaf: entries of the kernel's argument list. */
static uint32_t leaf_indices(const operand *o, const plait_dims *space)
{
    if (o->kind == OPERAND_VALUE) {
        return o->map == NULL || (o->map->linear && plait__index_map_is_linear_identity(o->map, space))
                   ? 1
                   : 1 + (uint32_t)space->n;
    }
    bool scalar = true;
    for (int32_t d = 0; d < space->n; d++) {
        scalar = scalar && o->layout.strides[d] == 0;
    }
    return scalar || plait__layout_is_contiguous(space, &o->layout) ? 1 : 1 + (uint32_t)space->n;
}

static void count_operand(scheduler *s, draft *g, uint8_t section, const operand *o, int sign)
{
    uint32_t unit = (uint32_t)sign; /* wraps, so that -1 subtracts */
    if (o->kind == OPERAND_NUMBER) {
        g->numbers += unit;
        return;
    }
    g->leaves += unit;
    g->indices += unit * leaf_indices(o, &g->space[section]);
    g->pointers += o->kind == OPERAND_INDEX ? 0 : unit;
    g->numbers += o->kind == OPERAND_INDEX ? 2 * unit : 0;
    g->large = g->large || s->items[o->item].count >= LARGE_COUNT;
}

static bool draft_fits(const scheduler *s, const draft *g)
{
    size_t index = g->large ? 8 : 4;
    size_t bytes = 8 * (size_t)(g->pointers + g->outputs + g->accumulators) + index * g->indices + 16 * (size_t)g->numbers;
    bytes += index * (size_t)(2 + g->space[PLAIT__MAIN].n);
    if (g->kind == PLAIT__GROUP_REDUCE) {
        bytes += 8 + index * (size_t)(6 + g->space[PLAIT__BODY].n);
    }
    return g->leaves <= PLAIT__GROUP_LEAVES && g->instrs <= PLAIT__GROUP_INSTRUCTIONS && g->outputs <= PLAIT__GROUP_LEAVES &&
           bytes <= s->plan->caps->max_parameter_bytes;
}

static void add_demand(scheduler *s, int32_t group, uint8_t section, const operand *o)
{
    item *it = &s->items[o->item];
    demand *grown = plait__grow(s->demands, &s->demands_capacity, s->n_demands + 1, sizeof *grown);
    if (grown == NULL) {
        s->failed = true;
        return;
    }
    s->demands = grown;
    demand *d = &s->demands[s->n_demands];
    *d = (demand){.group = group, .section = section, .memory = o->kind == OPERAND_MEMORY, .map = o->map, .next = it->demands};
    if (d->memory) {
        d->layout = keep_layout(s, &o->layout);
        int32_t level = s->drafts[group].level + 1;
        it->min_level = it->min_level > level ? it->min_level : level;
    }
    it->demands = (uint32_t)s->n_demands++;
}

/* The operands of item i if it is evaluated under `map` in `space`. Views that are stored copy one. */
static void find_operands(scheduler *s, uint32_t i, const plait__index_map *map, const plait_dims *space)
{
    item *it = &s->items[i];
    const plait_array *node = it->node;
    bool whole = it->copy_of != NONE || it->trivial;
    it->n_operands = whole ? 1 : node->n_in;
    it->operands = plait__arena_array(s->arena, it->n_operands, sizeof *it->operands);
    if (it->operands == NULL) {
        s->failed = true;
        return;
    }
    if (it->copy_of != NONE) {
        it->operands[0] = resolve(s, it->copy_of, NULL, space);
    } else if (it->trivial) {
        it->operands[0] = resolve(s, i, map, space);
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

static bool is_reduction(const item *it)
{
    return it->copy_of == NONE && !it->trivial && it->node->kind == PLAIT__NODE_REDUCE;
}

static const plait_dims *root_space(const scheduler *s, const item *it)
{
    return it->copy_of != NONE ? &s->items[it->copy_of].node->shape : &it->node->shape;
}

static const plait_dims *reduced_space(const scheduler *s, const item *it)
{
    return &s->items[s->inputs[it->first_input]].node->shape;
}

static bool same_dims(const plait_dims *a, const plait_dims *b)
{
    return a->n == b->n && memcmp(a->d, b->d, sizeof(int64_t) * (size_t)a->n) == 0;
}

/* Equal up to axes of size 1. */
static bool same_without_ones(const plait_dims *a, const plait_dims *b)
{
    int32_t i = 0, j = 0;
    for (;;) {
        while (i < a->n && a->d[i] == 1) {
            i++;
        }
        while (j < b->n && b->d[j] == 1) {
            j++;
        }
        if (i == a->n || j == b->n) {
            return i == a->n && j == b->n;
        }
        if (a->d[i++] != b->d[j++]) {
            return false;
        }
    }
}

/* Puts item i into the group if it fits, and registers what it wants there. An output if it is to be stored. */
static bool try_place(scheduler *s, uint32_t i, int32_t group, uint8_t section, const plait__index_map *map, bool output)
{
    item *it = &s->items[i];
    draft before = s->drafts[group];
    draft *g = &s->drafts[group];
    bool reduction = is_reduction(it);
    uint8_t operands_in = reduction ? PLAIT__BODY : section;
    if (reduction && g->kind == PLAIT__GROUP_ELEMENTWISE) {
        g->kind = PLAIT__GROUP_REDUCE;
        g->axis_mask = it->node->axis_mask;
        g->space[PLAIT__BODY] = *reduced_space(s, it);
        g->large = g->large || plait_shape_count(g->space[PLAIT__BODY]) >= LARGE_COUNT;
    }
    find_operands(s, i, map, &g->space[operands_in]);
    if (s->failed) {
        return false;
    }
    /* Where the group wants the item so far, it counts as a leaf. */
    operand self = {.kind = OPERAND_VALUE, .item = i, .map = map};
    if (is_demanded(s, it, group, section, &self)) {
        count_operand(s, g, section, &self, -1);
    }
    for (uint32_t k = 0; k < it->n_operands; k++) {
        const operand *o = &it->operands[k];
        if (o->kind == OPERAND_NUMBER || !is_demanded(s, &s->items[o->item], group, operands_in, o)) {
            count_operand(s, g, operands_in, o, 1);
        }
    }
    g->instrs++;
    g->outputs += output ? 1 : 0;
    g->accumulators += reduction ? it->n_operands : 0;
    g->n_members[section]++;
    g->n_operands[operands_in] += it->n_operands;
    bool first = before.n_members[PLAIT__MAIN] + before.n_members[PLAIT__BODY] == 0;
    if (!first && !draft_fits(s, g)) {
        s->drafts[group] = before;
        return false;
    }
    for (uint32_t k = 0; k < it->n_operands; k++) {
        const operand *o = &it->operands[k];
        if (o->kind != OPERAND_NUMBER && !is_demanded(s, &s->items[o->item], group, operands_in, o)) {
            add_demand(s, group, operands_in, o);
        }
    }
    it = &s->items[i];
    it->group = group;
    it->section = section;
    it->map = map;
    if (output) {
        it->store = (int32_t)s->plan->n_stores++;
    }
    return true;
}

/* Can the reduction be taken into the group, whose main space is then its result's? */
static bool can_absorb(const scheduler *s, const item *it, const draft *g)
{
    if (!same_without_ones(&g->space[PLAIT__MAIN], &it->node->shape)) {
        return false;
    }
    return g->kind == PLAIT__GROUP_ELEMENTWISE ||
           (g->kind == PLAIT__GROUP_REDUCE && g->axis_mask == it->node->axis_mask &&
            same_dims(&g->space[PLAIT__BODY], reduced_space(s, it)));
}

/* Does the map number the main space's points as the item's own elements are numbered? */
static bool is_own_order(const item *it, const plait__index_map *map, const plait_dims *space)
{
    if (map == NULL) {
        return true;
    }
    plait__index_map linear = map->linear ? *map : plait__index_map_linear(map, &it->node->shape);
    return it->count == plait_shape_count(*space) && plait__index_map_is_linear_identity(&linear, space);
}

/* The level that readers of the item ask for, but for those in `group`'s main section under `map`. */
static int32_t level_for_others(const scheduler *s, const item *it, int32_t group, const plait__index_map *map)
{
    int32_t level = it->min_level;
    for (uint32_t d = it->demands; d != NONE; d = s->demands[d].next) {
        const demand *w = &s->demands[d];
        bool own = w->group == group && w->section == PLAIT__MAIN && !w->memory && plait__index_map_equal(w->map, map);
        if (!own && s->drafts[w->group].level + 1 > level) {
            level = s->drafts[w->group].level + 1;
        }
    }
    return level;
}

/* Stores the item: in a group that wants it at its own place, in one of the same space, or in a new one. */
static void place_root(scheduler *s, uint32_t i)
{
    item *it = &s->items[i];
    bool reduction = is_reduction(it);
    const plait_dims *space = root_space(s, it);
    bool own_space_only = it->transparent || it->copy_of != NONE;
    if (!own_space_only) {
        int tries = 0;
        for (uint32_t d = it->demands; d != NONE && tries < JOIN_SEARCH; d = s->demands[d].next, tries++) {
            const demand *w = &s->demands[d];
            const draft *g = &s->drafts[w->group];
            if (w->section != PLAIT__MAIN || w->memory || !is_own_order(it, w->map, &g->space[PLAIT__MAIN]) ||
                g->level < level_for_others(s, it, w->group, w->map) || (reduction && !can_absorb(s, it, g))) {
                continue;
            }
            if (try_place(s, i, w->group, PLAIT__MAIN, w->map, true) || s->failed) {
                return;
            }
        }
    }
    int32_t level = level_for_others(s, it, -1, NULL);
    size_t oldest = s->n_drafts > JOIN_SEARCH ? s->n_drafts - JOIN_SEARCH : 0;
    for (size_t k = s->n_drafts; k-- > oldest;) {
        const draft *g = &s->drafts[k];
        if (g->level < level || g->kind == PLAIT__GROUP_FAMILY) {
            continue;
        }
        bool fits;
        if (reduction) {
            fits = g->kind == PLAIT__GROUP_REDUCE && can_absorb(s, it, g);
        } else {
            fits = same_dims(&g->space[PLAIT__MAIN], space) &&
                   (g->kind == PLAIT__GROUP_ELEMENTWISE || it->count <= SMALL_TAIL);
        }
        if (fits && (try_place(s, i, (int32_t)k, PLAIT__MAIN, NULL, true) || s->failed)) {
            return;
        }
    }
    int32_t group = new_draft(s, PLAIT__GROUP_ELEMENTWISE, level, space);
    if (group >= 0) {
        try_place(s, i, group, PLAIT__MAIN, NULL, true);
    }
}

static void place_family(scheduler *s, uint32_t i)
{
    item *it = &s->items[i];
    int32_t level = level_for_others(s, it, -1, NULL);
    int32_t group = new_draft(s, PLAIT__GROUP_FAMILY, level, &it->node->shape);
    if (group < 0) {
        return;
    }
    s->drafts[group].family = i;
    it->group = group;
    it->store = (int32_t)s->plan->n_stores++;
    for (uint32_t k = 0; k < it->node->n_in; k++) {
        const item *input = &s->items[s->inputs[it->first_input + k]];
        item *base = &s->items[input->placed ? input->base : s->inputs[it->first_input + k]];
        base->min_level = base->min_level > level + 1 ? base->min_level : level + 1;
    }
}

static void place(scheduler *s, uint32_t i)
{
    item *it = &s->items[i];
    bool wanted = it->demands != NONE || it->min_level > 0 || it->must_store;
    if (it->ready || it->count == 0 || !wanted || ((it->trivial || it->transparent) && !it->must_store) ||
        (it->transparent && it->base != i)) {
        return;
    }
    if (it->copy_of == NONE && it->node->kind == PLAIT__NODE_OUTPUT) { /* its family's business */
        item *family = &s->items[s->inputs[it->first_input]];
        int32_t level = level_for_others(s, it, -1, NULL);
        family->min_level = family->min_level > level ? family->min_level : level;
        it->store = (int32_t)s->plan->n_stores++;
        return;
    }
    if (it->copy_of == NONE && it->node->kind == PLAIT__NODE_FAMILY) {
        place_family(s, i);
        return;
    }
    if (!it->must_store && it->min_level == 0) {
        const demand *w = &s->demands[it->demands];
        bool one = true;
        for (uint32_t d = w->next; d != NONE && one; d = s->demands[d].next) {
            const demand *v = &s->demands[d];
            one = v->group == w->group && v->section == w->section && plait__index_map_equal(v->map, w->map);
        }
        const plait_dims *space = &s->drafts[w->group].space[w->section];
        bool inlines;
        if (is_reduction(it)) {
            inlines = w->section == PLAIT__MAIN && is_own_order(it, w->map, space) &&
                      can_absorb(s, it, &s->drafts[w->group]);
        } else { /* what a reduction ends in belongs into the reduction's kernel, rather than to each of many readers */
            inlines = !(it->reduces && it->count < plait_shape_count(*space));
        }
        if (one && inlines && (try_place(s, i, w->group, w->section, w->map, false) || s->failed)) {
            return;
        }
    }
    place_root(s, i);
}

/* ---- emit ---- */

static plait__source source_of(const scheduler *s, uint32_t i)
{
    const item *it = &s->items[i];
    plait__source source = {.ready = NULL, .store = -1};
    if (it->ready) {
        source.ready = it->node;
    } else if (it->count != 0) {
        source.store = it->store;
        assert(it->store >= 0);
    }
    return source;
}

static uint32_t add_instr(plait__section *c, plait__instr instr)
{
    c->instrs[c->n_instrs] = instr;
    return c->n_instrs++;
}

static uint32_t leaf_value(plait__section *c, plait__source source, plait_dtype dtype, bool is_index,
                           const plait__layout *layout)
{
    uint32_t l = 0;
    for (; l < c->n_leaves; l++) {
        const plait__leaf *leaf = &c->leaves[l];
        if (leaf->is_index == is_index && leaf->source.ready == source.ready && leaf->source.store == source.store &&
            memcmp(&leaf->layout, layout, sizeof *layout) == 0) {
            break;
        }
    }
    if (l == c->n_leaves) {
        c->leaves[c->n_leaves++] =
            (plait__leaf){.source = source, .dtype = dtype, .is_index = is_index, .layout = *layout};
        return add_instr(c, (plait__instr){.kind = PLAIT__INSTR_LEAF, .dtype = (uint8_t)dtype, .index = l});
    }
    uint32_t k = 0; /* its instruction */
    while (c->instrs[k].kind != PLAIT__INSTR_LEAF || c->instrs[k].index != l) {
        k++;
    }
    return k;
}

static uint32_t number_value(plait__section *c, plait_dtype dtype, plait__value value, plait_dtype from)
{
    c->numbers[c->n_numbers] = (plait__number){.dtype = dtype, .value = value, .from = from};
    return add_instr(c, (plait__instr){.kind = PLAIT__INSTR_NUMBER, .dtype = (uint8_t)dtype, .index = c->n_numbers++});
}

/* The instruction of an operand. `dtype`: what a weak number becomes. */
static uint32_t operand_value(scheduler *s, plait__group *g, uint8_t section, const operand *o, plait_dtype dtype)
{
    plait__section *c = &g->section[section];
    const item *it = &s->items[o->item];
    const plait_array *node = it->node;
    switch (o->kind) {
    case OPERAND_NUMBER:
        return number_value(c, node->weak ? dtype : (plait_dtype)node->dtype, node->value, (plait_dtype)node->dtype);
    case OPERAND_INDEX: {
        uint32_t *args = plait__arena_array(&s->plan->arena, 3, sizeof *args);
        if (args == NULL) {
            s->failed = true;
            return 0;
        }
        plait_dtype own = (plait_dtype)node->dtype;
        args[0] = number_value(c, own, node->number[0], own);
        args[1] = leaf_value(c, (plait__source){.store = -1}, PLAIT_I64, true, &o->layout);
        args[2] = number_value(c, own, node->number[1], own);
        return add_instr(
            c, (plait__instr){.kind = PLAIT__INSTR_IOTA, .dtype = (uint8_t)own, .n_args = 3, .args = args});
    }
    case OPERAND_VALUE: {
        if (it->group >= 0 && &s->plan->groups[it->group] == g && it->section == section &&
            plait__index_map_equal(it->map, o->map)) {
            return it->value;
        }
        plait__layout layout = layout_under(o->map, it, &c->space);
        return leaf_value(c, source_of(s, o->item), (plait_dtype)node->dtype, false, &layout);
    }
    default:
        return leaf_value(c, source_of(s, o->item), (plait_dtype)node->dtype, false, &o->layout);
    }
}

static plait__power power_of(const scheduler *s, const item *it)
{
    if (it->node->op != &plait__ops[PLAIT__OP_pow] || it->operands[1].kind != OPERAND_NUMBER) {
        return PLAIT__POWER_NONE;
    }
    const plait_array *number = s->items[it->operands[1].item].node;
    plait__class class = plait__dtype_class((plait_dtype)number->dtype);
    bool of_float = plait__dtype_class((plait_dtype)it->node->in_dtype) == PLAIT__CLASS_FLOAT;
    double exponent = class == PLAIT__CLASS_FLOAT ? number->value.f : (double)number->value.i;
    if (class == PLAIT__CLASS_COMPLEX) {
        return PLAIT__POWER_NONE;
    }
    static const double powers[] = {-1, 0.5, 1, 2, 3};
    for (int p = 0; p < PLAIT__POWER_NONE; p++) {
        if (exponent == powers[p] && (of_float || p >= PLAIT__POWER_ONE)) {
            return (plait__power)p;
        }
    }
    return PLAIT__POWER_NONE;
}

static uint32_t add_accumulator(plait__group *g, const plait__reduction *reduction, plait_dtype dtype, uint32_t value,
                                int32_t mask)
{
    for (uint32_t k = 0; k < g->n_accumulators; k++) {
        const plait__accumulate *a = &g->accumulators[k];
        if (a->value == value && a->mask == mask && a->dtype == dtype &&
            a->reduction->accumulator == reduction->accumulator && strcmp(a->reduction->combine, reduction->combine) == 0) {
            return k;
        }
    }
    g->accumulators[g->n_accumulators] =
        (plait__accumulate){.reduction = reduction, .dtype = dtype, .value = value, .mask = mask};
    return g->n_accumulators++;
}

static void emit_reduction(scheduler *s, item *it, plait__group *g)
{
    const plait_array *node = it->node;
    plait_dtype in_dtype = (plait_dtype)s->items[s->inputs[it->first_input]].node->dtype;
    uint32_t value = operand_value(s, g, PLAIT__BODY, &it->operands[0], in_dtype);
    int32_t mask = -1, counts = -1;
    if (it->n_operands == 2) {
        mask = (int32_t)operand_value(s, g, PLAIT__BODY, &it->operands[1], PLAIT_BOOL);
        counts = (int32_t)add_accumulator(g, &plait__reductions[PLAIT__REDUCTION_sum], PLAIT_I64, (uint32_t)mask, -1);
    }
    plait_dtype dtype = plait__reduction_accumulator(node->reduction, in_dtype);
    uint32_t k = add_accumulator(g, node->reduction, dtype, value, mask);
    it->value = add_instr(&g->section[PLAIT__MAIN], (plait__instr){.kind = PLAIT__INSTR_REDUCED,
                                                                   .dtype = node->dtype,
                                                                   .index = k,
                                                                   .counts = counts,
                                                                   .reduction = node->reduction});
}

static void emit(scheduler *s, uint32_t i)
{
    item *it = &s->items[i];
    if (it->group < 0 || s->drafts[it->group].kind == PLAIT__GROUP_FAMILY) {
        return;
    }
    plait__group *g = &s->plan->groups[it->group];
    plait__section *c = &g->section[it->section];
    const plait_array *node = it->node;
    if (is_reduction(it)) {
        emit_reduction(s, it, g);
    } else if (it->copy_of != NONE || it->trivial || it->transparent) {
        it->value = operand_value(s, g, it->section, &it->operands[0], (plait_dtype)node->dtype);
    } else {
        plait__instr instr = {.dtype = node->dtype, .in_dtype = node->in_dtype, .n_args = (uint8_t)it->n_operands};
        plait_dtype weak = (plait_dtype)node->in_dtype;
        instr.op = node->op;
        instr.power = PLAIT__POWER_NONE;
        if (node->kind == PLAIT__NODE_ELEMENTWISE) {
            instr.power = (uint8_t)power_of(s, it);
            instr.kind = instr.power == PLAIT__POWER_NONE ? PLAIT__INSTR_OP : PLAIT__INSTR_POWER;
            instr.n_args = instr.kind == PLAIT__INSTR_POWER ? 1 : instr.n_args;
        } else if (node->kind == PLAIT__NODE_MAP) {
            size_t length = strlen(node->text) + 1;
            char *text = plait__arena_alloc(&s->plan->arena, length);
            if (text != NULL) {
                memcpy(text, node->text, length);
            }
            s->failed = s->failed || text == NULL;
            instr.kind = PLAIT__INSTR_MAP;
            instr.text = text;
        } else {
            instr.kind = PLAIT__INSTR_CAST;
        }
        instr.args = plait__arena_array(&s->plan->arena, instr.n_args, sizeof *instr.args);
        if (instr.args == NULL) {
            s->failed = true;
            return;
        }
        for (uint32_t k = 0; k < instr.n_args; k++) {
            bool selects = instr.kind == PLAIT__INSTR_OP && node->op->rule == PLAIT__RULE_SELECT && k == 0;
            instr.args[k] = operand_value(s, g, it->section, &it->operands[k], selects ? PLAIT_BOOL : weak);
        }
        it->value = add_instr(c, instr);
    }
    if (it->store >= 0) {
        g->outputs[g->n_outputs++] = (plait__group_output){.value = it->value, .store = it->store};
    }
}

static bool allocate_groups(scheduler *s)
{
    plait__plan *plan = s->plan;
    plan->groups = plait__arena_array(&plan->arena, s->n_drafts, sizeof *plan->groups);
    plan->stores = plait__arena_array(&plan->arena, plan->n_stores, sizeof *plan->stores);
    if (plan->groups == NULL || plan->stores == NULL) {
        return false;
    }
    /* By falling level, and where levels are equal in the order of their making: a counting sort. */
    int32_t highest = 0;
    for (size_t k = 0; k < s->n_drafts; k++) {
        highest = s->drafts[k].level > highest ? s->drafts[k].level : highest;
    }
    uint32_t *next = plait__arena_array(s->arena, (size_t)highest + 2, sizeof *next);
    uint32_t *position = plait__arena_array(s->arena, s->n_drafts, sizeof *position);
    if (next == NULL || position == NULL) {
        return false;
    }
    for (size_t k = 0; k < s->n_drafts; k++) {
        next[highest - s->drafts[k].level + 1]++;
    }
    for (int32_t l = 0; l <= highest; l++) {
        next[l + 1] += next[l];
    }
    for (size_t k = 0; k < s->n_drafts; k++) {
        position[k] = next[highest - s->drafts[k].level]++;
    }
    for (size_t i = 0; i < s->n_items; i++) {
        if (s->items[i].group >= 0) {
            s->items[i].group = (int32_t)position[s->items[i].group];
        }
    }
    draft *sorted = plait__arena_array(s->arena, s->n_drafts, sizeof *sorted);
    if (sorted == NULL) {
        return false;
    }
    for (size_t k = 0; k < s->n_drafts; k++) {
        sorted[position[k]] = s->drafts[k];
    }
    if (s->n_drafts != 0) {
        memcpy(s->drafts, sorted, s->n_drafts * sizeof *sorted);
    }
    plan->n_groups = (uint32_t)s->n_drafts;
    for (uint32_t k = 0; k < plan->n_groups; k++) {
        const draft *d = &s->drafts[k];
        plait__group *g = &plan->groups[k];
        g->kind = d->kind;
        g->level = d->level;
        g->axis_mask = d->axis_mask;
        g->outputs = plait__arena_array(&plan->arena, d->outputs, sizeof *g->outputs);
        g->accumulators = plait__arena_array(&plan->arena, d->accumulators, sizeof *g->accumulators);
        if (g->outputs == NULL || g->accumulators == NULL) {
            return false;
        }
        for (int c = 0; c < 2; c++) {
            plait__section *section = &g->section[c];
            size_t operands = d->n_operands[c], members = d->n_members[c];
            section->space = d->space[c];
            /* An iota becomes a leaf, two numbers and itself. */
            section->leaves = plait__arena_array(&plan->arena, operands, sizeof *section->leaves);
            section->numbers = plait__arena_array(&plan->arena, 2 * operands, sizeof *section->numbers);
            section->instrs = plait__arena_array(&plan->arena, members + 4 * operands, sizeof *section->instrs);
            if (section->leaves == NULL || section->numbers == NULL || section->instrs == NULL) {
                return false;
            }
        }
    }
    return true;
}

static plait__source input_source(const scheduler *s, uint32_t i, plait__layout *layout)
{
    const item *it = &s->items[i];
    plait__source none = {.store = -1};
    if (it->count == 0) {
        *layout = plait__layout_contiguous(&it->node->shape);
        return none;
    }
    *layout = *it->layout;
    return source_of(s, it->base);
}

static bool fill_family(scheduler *s, uint32_t k)
{
    plait__plan *plan = s->plan;
    plait__group *g = &plan->groups[k];
    const item *it = &s->items[s->drafts[k].family];
    g->node = plait__node_retain(it->node);
    g->n_inputs = g->node->n_in;
    g->n_results = g->node->n_out > 0 ? g->node->n_out : 1;
    g->inputs = plait__arena_array(&plan->arena, g->n_inputs, sizeof *g->inputs);
    g->stores = plait__arena_array(&plan->arena, g->n_results, sizeof *g->stores);
    if (g->inputs == NULL || g->stores == NULL) {
        return false;
    }
    for (uint32_t j = 0; j < g->n_inputs; j++) {
        uint32_t input = s->inputs[it->first_input + j];
        plait__family_input *in = &g->inputs[j];
        in->dtype = (plait_dtype)s->items[input].node->dtype;
        in->shape = s->items[input].node->shape;
        in->source = input_source(s, input, &in->layout);
    }
    for (uint32_t j = 0; j < g->n_results; j++) {
        g->stores[j] = -1;
    }
    g->stores[0] = it->store;
    return true;
}

/* Results 1 and up of families belong to their group. */
static void fill_output(scheduler *s, uint32_t i)
{
    const item *it = &s->items[i];
    if (it->store >= 0 && it->copy_of == NONE && it->node->kind == PLAIT__NODE_OUTPUT) {
        const item *family = &s->items[s->inputs[it->first_input]];
        s->plan->groups[family->group].stores[it->node->output] = it->store;
    }
}

static void note_reader(plait__plan *plan, plait__source source, int32_t group)
{
    if (source.store >= 0 && plan->stores[source.store].last_group < group) {
        plan->stores[source.store].last_group = group;
    }
}

static bool fill_rest(scheduler *s)
{
    plait__plan *plan = s->plan;
    for (size_t i = 0; i < s->n_items; i++) {
        const item *it = &s->items[i];
        if (it->store >= 0) {
            bool copy = i >= s->n_real;
            plan->stores[it->store] = (plait__store){
                .node = copy ? NULL : plait__node_retain(it->node), .dtype = (plait_dtype)it->node->dtype, .shape = it->node->shape};
        }
        bool view = it->requested && !it->ready && it->transparent && it->base != i;
        bool empty = it->requested && !it->ready && it->count == 0;
        plan->n_aliases += view || empty ? 1 : 0;
        plan->n_inlined += it->group >= 0 && it->store < 0 && atomic_load(&it->node->kept) > 0 ? 1 : 0;
    }
    plan->aliases = plait__arena_array(&plan->arena, plan->n_aliases, sizeof *plan->aliases);
    plan->inlined = plait__arena_array(&plan->arena, plan->n_inlined, sizeof *plan->inlined);
    if (plan->aliases == NULL || plan->inlined == NULL) {
        return false;
    }
    uint32_t n_aliases = 0, n_inlined = 0;
    for (size_t i = 0; i < s->n_items; i++) {
        item *it = &s->items[i];
        if (it->requested && !it->ready && ((it->transparent && it->base != i) || it->count == 0)) {
            plait__alias *alias = &plan->aliases[n_aliases++];
            alias->node = it->node;
            alias->source = input_source(s, (uint32_t)i, &alias->layout);
        }
        if (it->group >= 0 && it->store < 0 && atomic_load(&it->node->kept) > 0) {
            plan->inlined[n_inlined++] = it->node;
        }
    }
    plan->n_inlined = n_inlined; /* others may have released theirs meanwhile */
    for (uint32_t k = 0; k < n_aliases; k++) { /* aliases are set when all groups have run */
        note_reader(plan, plan->aliases[k].source, INT32_MAX);
    }
    for (uint32_t k = 0; k < plan->n_groups; k++) {
        plait__group *g = &plan->groups[k];
        for (uint32_t j = 0; j < g->n_outputs; j++) {
            note_reader(plan, (plait__source){.store = g->outputs[j].store}, (int32_t)k);
        }
        for (int c = 0; c < 2; c++) {
            for (uint32_t j = 0; j < g->section[c].n_leaves; j++) {
                note_reader(plan, g->section[c].leaves[j].source, (int32_t)k);
            }
        }
        for (uint32_t j = 0; j < g->n_inputs; j++) {
            note_reader(plan, g->inputs[j].source, (int32_t)k);
        }
        for (uint32_t j = 0; j < g->n_results; j++) {
            note_reader(plan, (plait__source){.store = g->stores[j]}, (int32_t)k);
        }
    }
    return true;
}

static bool schedule_items(scheduler *s)
{
    plait__plan *plan = s->plan;
    s->epoch = atomic_fetch_add(&next_epoch, 1);
    for (size_t k = 0; k < plan->n_requested && !s->failed; k++) {
        adopt_output(plan->requested[k]);
        if (plait__is_ready(plan->requested[k])) {
            continue;
        }
        if (!is_marked(s, plan->requested[k])) {
            collect(s, plan->requested[k]);
        }
        if (!s->failed) {
            mark_requested(s, item_of(plan->requested[k]));
        }
    }
    s->n_real = s->n_items;
    for (uint32_t i = 0; i < s->n_real && !s->failed; i++) {
        mark(s, i);
    }
    for (size_t i = s->n_real; i-- > 0 && !s->failed;) {
        place(s, (uint32_t)i);
    }
    for (size_t i = s->n_real; i < s->n_items && !s->failed; i++) { /* copies of ready items depend on nothing */
        place(s, (uint32_t)i);
    }
    if (s->failed || !allocate_groups(s)) {
        return false;
    }
    for (size_t i = s->n_real; i < s->n_items && !s->failed; i++) {
        emit(s, (uint32_t)i);
    }
    for (size_t i = 0; i < s->n_real && !s->failed; i++) {
        emit(s, (uint32_t)i);
    }
    for (uint32_t k = 0; k < plan->n_groups && !s->failed; k++) {
        if (plan->groups[k].kind == PLAIT__GROUP_FAMILY) {
            s->failed = !fill_family(s, k);
        }
    }
    if (s->failed) {
        return false;
    }
    for (size_t i = 0; i < s->n_real; i++) {
        fill_output(s, (uint32_t)i);
    }
    return fill_rest(s);
}

plait_status plait__schedule(plait__plan *plan)
{
    plait__arena scratch = {0};
    scheduler s = {.plan = plan, .arena = &scratch};
    bool ok = schedule_items(&s);
    free(s.items);
    free(s.inputs);
    free(s.demands);
    free(s.drafts);
    plait__arena_free(&scratch);
    return ok ? PLAIT_OK : plait_last_status();
}
