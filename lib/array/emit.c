/*
 * Plait: scheduling, the last pass - the placed items as instructions of groups.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include <assert.h>
#include <string.h>

#include "scheduler.h"

static plait__source source_of(const plait__scheduler *s, uint32_t i)
{
    const plait__item *it = &s->items[i];
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
static uint32_t operand_value(plait__scheduler *s, plait__group *g, uint8_t section, const plait__use *o,
                              plait_dtype dtype)
{
    plait__section *c = &g->section[section];
    const plait__item *it = &s->items[o->item];
    const plait_array *node = it->node;
    switch (o->kind) {
    case PLAIT__USE_NUMBER:
        return number_value(c, node->weak ? dtype : (plait_dtype)node->dtype, node->value, (plait_dtype)node->dtype);
    case PLAIT__USE_INDEX: {
        uint32_t *args = plait__arena_array(&s->plan->arena, 3, sizeof *args);
        if (args == NULL) {
            s->failed = true;
            return 0;
        }
        plait_dtype own = (plait_dtype)node->dtype;
        args[0] = number_value(c, own, node->number[0], own);
        args[1] = leaf_value(c, (plait__source){.store = -1}, PLAIT_I64, true, &o->layout);
        args[2] = number_value(c, own, node->number[1], own);
        return add_instr(c,
                         (plait__instr){.kind = PLAIT__INSTR_IOTA, .dtype = (uint8_t)own, .n_args = 3, .args = args});
    }
    case PLAIT__USE_VALUE: {
        if (it->group >= 0 && &s->plan->groups[it->group] == g && it->section == section &&
            plait__index_map_equal(it->map, o->map)) {
            return it->value;
        }
        plait__layout layout = plait__layout_under(o->map, it, &c->space);
        return leaf_value(c, source_of(s, o->item), (plait_dtype)node->dtype, false, &layout);
    }
    default:
        return leaf_value(c, source_of(s, o->item), (plait_dtype)node->dtype, false, &o->layout);
    }
}

static plait__power power_of(const plait__scheduler *s, const plait__item *it)
{
    if (it->node->op != &plait__ops[PLAIT__OP_pow] || it->operands[1].kind != PLAIT__USE_NUMBER) {
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
            a->reduction->accumulator == reduction->accumulator &&
            strcmp(a->reduction->combine, reduction->combine) == 0) {
            return k;
        }
    }
    g->accumulators[g->n_accumulators] =
        (plait__accumulate){.reduction = reduction, .dtype = dtype, .value = value, .mask = mask};
    return g->n_accumulators++;
}

static void emit_reduction(plait__scheduler *s, plait__item *it, plait__group *g)
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

static void emit(plait__scheduler *s, uint32_t i)
{
    plait__item *it = &s->items[i];
    if (it->group < 0 || s->drafts[it->group].kind == PLAIT__GROUP_FAMILY) {
        return;
    }
    plait__group *g = &s->plan->groups[it->group];
    plait__section *c = &g->section[it->section];
    const plait_array *node = it->node;
    if (plait__is_reduction(it)) {
        emit_reduction(s, it, g);
    } else if (it->copy_of != PLAIT__NO_ITEM || it->trivial || it->transparent) {
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

static bool allocate_groups(plait__scheduler *s)
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
    plait__draft *sorted = plait__arena_array(s->arena, s->n_drafts, sizeof *sorted);
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
        const plait__draft *d = &s->drafts[k];
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

static plait__source input_source(const plait__scheduler *s, uint32_t i, plait__layout *layout)
{
    const plait__item *it = &s->items[i];
    plait__source none = {.store = -1};
    if (it->count == 0) {
        *layout = plait__layout_contiguous(&it->node->shape);
        return none;
    }
    *layout = *it->layout;
    return source_of(s, it->base);
}

static bool fill_family(plait__scheduler *s, uint32_t k)
{
    plait__plan *plan = s->plan;
    plait__group *g = &plan->groups[k];
    const plait__item *it = &s->items[s->drafts[k].family];
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
static void fill_output(plait__scheduler *s, uint32_t i)
{
    const plait__item *it = &s->items[i];
    if (it->store >= 0 && it->copy_of == PLAIT__NO_ITEM && it->node->kind == PLAIT__NODE_OUTPUT) {
        const plait__item *family = &s->items[s->inputs[it->first_input]];
        s->plan->groups[family->group].stores[it->node->output] = it->store;
    }
}

static void note_reader(plait__plan *plan, plait__source source, int32_t group)
{
    if (source.store >= 0 && plan->stores[source.store].last_group < group) {
        plan->stores[source.store].last_group = group;
    }
}

static bool fill_rest(plait__scheduler *s)
{
    plait__plan *plan = s->plan;
    for (size_t i = 0; i < s->n_items; i++) {
        const plait__item *it = &s->items[i];
        if (it->store >= 0) {
            bool copy = i >= s->n_real;
            plan->stores[it->store] = (plait__store){.node = copy ? NULL : plait__node_retain(it->node),
                                                     .dtype = (plait_dtype)it->node->dtype,
                                                     .shape = it->node->shape};
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
        plait__item *it = &s->items[i];
        if (it->requested && !it->ready && ((it->transparent && it->base != i) || it->count == 0)) {
            plait__alias *alias = &plan->aliases[n_aliases++];
            alias->node = it->node;
            alias->source = input_source(s, (uint32_t)i, &alias->layout);
        }
        if (it->group >= 0 && it->store < 0 && atomic_load(&it->node->kept) > 0) {
            plan->inlined[n_inlined++] = it->node;
        }
    }
    plan->n_inlined = n_inlined;               /* others may have released theirs meanwhile */
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

bool plait__emit(plait__scheduler *s)
{
    plait__plan *plan = s->plan;
    if (!allocate_groups(s)) {
        return false;
    }
    for (size_t i = s->n_real; i < s->n_items && !s->failed; i++) { /* copies of ready items depend on nothing */
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
