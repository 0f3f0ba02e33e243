/*
 * Plait: scheduling, the pass backwards - which group each item belongs to.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "scheduler.h"

#define JOIN_SEARCH 16        /* newest groups that are tried for joining */
#define SMALL_TAIL 1024       /* up to so many elements join a reduction that has nothing to do with them */
#define LARGE_COUNT (1 << 30) /* from here on indices may need 64 bits */

static int32_t new_draft(plait__scheduler *s, plait__group_kind kind, int32_t level, const plait_dims *main_space)
{
    plait__draft *grown =
        plait__arena_grow(s->arena, s->drafts, &s->drafts_capacity, s->n_drafts, s->n_drafts + 1, sizeof *grown);
    if (grown == NULL) {
        s->failed = true;
        return -1;
    }
    s->drafts = grown;
    s->drafts[s->n_drafts] = (plait__draft){.kind = kind, .level = level, .ceiling = INT32_MAX, .space = {*main_space}};
    s->drafts[s->n_drafts].large = plait_shape_count(*main_space) >= LARGE_COUNT;
    return (int32_t)s->n_drafts++;
}

static bool same_demand(const plait__demand *d, int32_t group, uint8_t section, const plait__use *o)
{
    if (d->group != group || d->section != section || d->memory != (o->kind == PLAIT__USE_MEMORY)) {
        return false;
    }
    return d->memory ? memcmp(d->layout, &o->layout, sizeof o->layout) == 0 : plait__index_map_equal(d->map, o->map);
}

/* Is the operand counted in the group already? Only the newest demands are looked at: counting twice does no harm. */
static bool is_demanded(const plait__scheduler *s, const plait__item *it, int32_t group, uint8_t section,
                        const plait__use *o)
{
    uint32_t d = it->demands;
    for (int k = 0; k < 8 && d != PLAIT__NO_ITEM; k++, d = s->demands[d].next) {
        if (same_demand(&s->demands[d], group, section, o)) {
            return true;
        }
    }
    return false;
}

/* Numbers and indices come out of nothing. */
static bool is_asked_for(const plait__use *o)
{
    return o->kind == PLAIT__USE_MEMORY || o->kind == PLAIT__USE_VALUE;
}

/* What an operand costs as a leaf: entries of the kernel's argument list. */
static uint32_t leaf_indices(const plait__use *o, const plait_dims *space)
{
    if (o->kind == PLAIT__USE_VALUE) {
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

static void count_operand(plait__scheduler *s, plait__draft *g, uint8_t section, const plait__use *o, int sign)
{
    uint32_t unit = (uint32_t)sign; /* wraps, so that -1 subtracts */
    if (o->kind == PLAIT__USE_NUMBER) {
        g->numbers += unit;
        return;
    }
    g->leaves += unit;
    g->indices += unit * leaf_indices(o, &g->space[section]);
    g->pointers += o->kind == PLAIT__USE_INDEX ? 0 : unit;
    g->numbers += o->kind == PLAIT__USE_INDEX ? 2 * unit : 0;
    g->large = g->large || s->items[o->item].count >= LARGE_COUNT;
}

static bool draft_fits(const plait__scheduler *s, const plait__draft *g)
{
    size_t index = g->large ? 8 : 4;
    size_t bytes =
        8 * (size_t)(g->pointers + g->outputs + 2 * g->accumulators) + index * g->indices + 16 * (size_t)g->numbers;
    bytes += index * (size_t)(2 + g->space[PLAIT__MAIN].n);
    if (g->kind == PLAIT__GROUP_REDUCE) {
        bytes += index * (size_t)(6 + g->space[PLAIT__BODY].n);
    }
    return g->leaves <= PLAIT__GROUP_LEAVES && g->instrs <= PLAIT__GROUP_INSTRUCTIONS &&
           g->outputs <= PLAIT__GROUP_LEAVES && g->accumulators <= PLAIT__GROUP_ACCUMULATORS &&
           bytes <= s->plan->caps->max_parameter_bytes;
}

static void add_demand(plait__scheduler *s, int32_t group, uint8_t section, const plait__use *o)
{
    plait__item *it = &s->items[o->item];
    plait__demand *grown =
        plait__arena_grow(s->arena, s->demands, &s->demands_capacity, s->n_demands, s->n_demands + 1, sizeof *grown);
    if (grown == NULL) {
        s->failed = true;
        return;
    }
    s->demands = grown;
    plait__demand *d = &s->demands[s->n_demands];
    *d = (plait__demand){
        .group = group, .section = section, .memory = o->kind == PLAIT__USE_MEMORY, .map = o->map, .next = it->demands};
    if (d->memory) {
        d->layout = plait__keep_layout(s, &o->layout);
    }
    it->demands = (uint32_t)s->n_demands++;
}

static const plait_dims *root_space(const plait__scheduler *s, const plait__item *it)
{
    return it->copy_of != PLAIT__NO_ITEM ? &s->items[it->copy_of].node->shape : &it->node->shape;
}

static const plait_dims *reduced_space(const plait__scheduler *s, const plait__item *it)
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
static bool try_place(plait__scheduler *s, uint32_t i, int32_t group, uint8_t section, const plait__index_map *map,
                      bool output)
{
    plait__item *it = &s->items[i];
    plait__draft before = s->drafts[group];
    plait__draft *g = &s->drafts[group];
    bool reduction = plait__is_reduction(it);
    uint8_t operands_in = reduction ? PLAIT__BODY : section;
    if (reduction && g->kind == PLAIT__GROUP_ELEMENTWISE) {
        g->kind = PLAIT__GROUP_REDUCE;
        g->axis_mask = it->node->axis_mask;
        g->origin = it->origin;
        g->space[PLAIT__BODY] = *reduced_space(s, it);
        g->large = g->large || plait_shape_count(g->space[PLAIT__BODY]) >= LARGE_COUNT;
    }
    plait__find_operands(s, i, map, &g->space[operands_in]);
    if (s->failed) {
        return false;
    }
    /* Where the group wants the item so far, it counts as a leaf. */
    plait__use self = {.kind = PLAIT__USE_VALUE, .item = i, .map = map};
    if (is_demanded(s, it, group, section, &self)) {
        count_operand(s, g, section, &self, -1);
    }
    for (uint32_t k = 0; k < it->n_operands; k++) {
        const plait__use *o = &it->operands[k];
        if (!is_asked_for(o) || !is_demanded(s, &s->items[o->item], group, operands_in, o)) {
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
        const plait__use *o = &it->operands[k];
        if (is_asked_for(o) && !is_demanded(s, &s->items[o->item], group, operands_in, o)) {
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
static bool can_absorb(const plait__scheduler *s, const plait__item *it, const plait__draft *g)
{
    if (!same_without_ones(&g->space[PLAIT__MAIN], &it->node->shape)) {
        return false;
    }
    return g->kind == PLAIT__GROUP_ELEMENTWISE ||
           (g->kind == PLAIT__GROUP_REDUCE && g->axis_mask == it->node->axis_mask &&
            same_dims(&g->space[PLAIT__BODY], reduced_space(s, it)));
}

/* Does the map number the main space's points as the item's own elements are numbered? */
static bool is_own_order(const plait__item *it, const plait__index_map *map, const plait_dims *space)
{
    if (map == NULL) {
        return true;
    }
    plait__index_map linear = map->linear ? *map : plait__index_map_linear(map, &it->node->shape);
    return it->count == plait_shape_count(*space) && plait__index_map_is_linear_identity(&linear, space);
}

/*
 * The level that readers of the item ask for, but for those in `group`'s main section under `map`; INT32_MAX if the
 * group reads the item in another way as well.
 */
static int32_t level_for_others(const plait__scheduler *s, const plait__item *it, int32_t group,
                                const plait__index_map *map)
{
    int32_t level = it->min_level;
    for (uint32_t d = it->demands; d != PLAIT__NO_ITEM; d = s->demands[d].next) {
        const plait__demand *w = &s->demands[d];
        bool own = w->group == group && w->section == PLAIT__MAIN && !w->memory && plait__index_map_equal(w->map, map);
        if (!own && w->group == group) {
            return INT32_MAX;
        }
        if (!own && s->drafts[w->group].level + 1 > level) {
            level = s->drafts[w->group].level + 1;
        }
    }
    return level;
}

/* Groups that read the item from memory stay below its level from now on. */
static void lower_ceilings(plait__scheduler *s, const plait__item *it, int32_t home)
{
    for (uint32_t d = it->demands; d != PLAIT__NO_ITEM; d = s->demands[d].next) {
        plait__draft *g = &s->drafts[s->demands[d].group];
        int32_t level = home >= 0 ? s->drafts[home].level : g->level + 1;
        if (s->demands[d].group != home && level < g->ceiling) {
            g->ceiling = level;
        }
    }
}

/* Stores the item: in a group that wants it at its own place, in one of the same space, or in a new one. */
static void place_root(plait__scheduler *s, uint32_t i)
{
    plait__item *it = &s->items[i];
    bool reduction = plait__is_reduction(it);
    const plait_dims *space = root_space(s, it);
    bool own_space_only = it->transparent || it->copy_of != PLAIT__NO_ITEM;
    if (!own_space_only) {
        int tries = 0;
        for (uint32_t d = it->demands; d != PLAIT__NO_ITEM && tries < JOIN_SEARCH; d = s->demands[d].next, tries++) {
            const plait__demand *w = &s->demands[d];
            const plait__draft *g = &s->drafts[w->group];
            if (w->section != PLAIT__MAIN || w->memory || !is_own_order(it, w->map, &g->space[PLAIT__MAIN]) ||
                (reduction && !can_absorb(s, it, g))) {
                continue;
            }
            /* Joined, the group has to run before the item's other readers. */
            int32_t level = level_for_others(s, it, w->group, w->map);
            if (level > g->level && level >= g->ceiling) {
                continue;
            }
            int32_t group = w->group;
            if (try_place(s, i, group, PLAIT__MAIN, w->map, true) || s->failed) {
                s->drafts[group].level = level > s->drafts[group].level ? level : s->drafts[group].level;
                return;
            }
        }
    }
    int32_t level = level_for_others(s, it, -1, NULL);
    size_t oldest = s->n_drafts > JOIN_SEARCH ? s->n_drafts - JOIN_SEARCH : 0;
    for (size_t k = s->n_drafts; k-- > oldest;) {
        const plait__draft *g = &s->drafts[k];
        if (g->level < level || g->kind == PLAIT__GROUP_FAMILY) {
            continue;
        }
        bool fits;
        if (reduction) {
            /* One pass for what is made from the same; others would only make the kernel large. */
            bool same = g->kind == PLAIT__GROUP_REDUCE && g->origin == it->origin;
            fits = can_absorb(s, it, g) && (same || (g->kind == PLAIT__GROUP_ELEMENTWISE && it->count <= SMALL_TAIL));
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

static void place_family(plait__scheduler *s, uint32_t i)
{
    plait__item *it = &s->items[i];
    int32_t level = level_for_others(s, it, -1, NULL);
    int32_t group = new_draft(s, PLAIT__GROUP_FAMILY, level, &it->node->shape);
    if (group < 0) {
        return;
    }
    s->drafts[group].family = i;
    it->group = group;
    it->store = (int32_t)s->plan->n_stores++;
    lower_ceilings(s, it, group);
    for (uint32_t k = 0; k < it->node->n_in; k++) {
        const plait__item *input = &s->items[s->inputs[it->first_input + k]];
        plait__item *base = &s->items[input->placed ? input->base : s->inputs[it->first_input + k]];
        base->min_level = base->min_level > level + 1 ? base->min_level : level + 1;
    }
}

void plait__place(plait__scheduler *s, uint32_t i)
{
    plait__item *it = &s->items[i];
    bool wanted = it->demands != PLAIT__NO_ITEM || it->min_level > 0 || it->must_store;
    if (it->ready || it->count == 0 || !wanted || ((it->trivial || it->transparent) && !it->must_store) ||
        (it->transparent && it->base != i)) {
        return;
    }
    if (it->copy_of == PLAIT__NO_ITEM && it->node->kind == PLAIT__NODE_OUTPUT) { /* its family's business */
        plait__item *family = &s->items[s->inputs[it->first_input]];
        int32_t level = level_for_others(s, it, -1, NULL);
        family->min_level = family->min_level > level ? family->min_level : level;
        lower_ceilings(s, it, -1);
        it->store = (int32_t)s->plan->n_stores++;
        return;
    }
    if (it->copy_of == PLAIT__NO_ITEM && it->node->kind == PLAIT__NODE_FAMILY) {
        place_family(s, i);
        return;
    }
    if (!it->must_store && it->min_level == 0) {
        const plait__demand *w = &s->demands[it->demands];
        bool one = !w->memory;
        for (uint32_t d = w->next; d != PLAIT__NO_ITEM && one; d = s->demands[d].next) {
            const plait__demand *v = &s->demands[d];
            one = !v->memory && v->group == w->group && v->section == w->section &&
                  plait__index_map_equal(v->map, w->map);
        }
        const plait_dims *space = &s->drafts[w->group].space[w->section];
        bool inlines;
        if (plait__is_reduction(it)) {
            inlines =
                w->section == PLAIT__MAIN && is_own_order(it, w->map, space) && can_absorb(s, it, &s->drafts[w->group]);
        } else { /* what a reduction ends in belongs into the reduction's kernel, rather than to each of many readers */
            inlines = !(it->reduces && it->count < plait_shape_count(*space));
        }
        if (one && inlines && (try_place(s, i, w->group, w->section, w->map, false) || s->failed)) {
            return;
        }
    }
    place_root(s, i);
    if (!s->failed) {
        lower_ceilings(s, &s->items[i], s->items[i].group);
    }
}
