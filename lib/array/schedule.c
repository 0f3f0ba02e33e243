/*
 * Plait: cutting a graph into kernels.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "error.h"
#include "scheduler.h"

static atomic_uint_least64_t next_epoch = 1;

typedef struct plait__frame {
    plait_array *node;
    uint32_t next;
    uint32_t first_input;
} frame;

uint32_t plait__add_item(plait__scheduler *s, plait_array *node, uint32_t first_input)
{
    if (s->n_items >= ((size_t)1 << PLAIT__MARK_BITS) - 1) {
        plait__fail(PLAIT_E_UNSUPPORTED, "plait_eval: more than %d arrays are pending; evaluate in between",
                    1 << PLAIT__MARK_BITS);
        s->failed = true;
        return 0;
    }
    plait__item *grown =
        plait__arena_grow(s->arena, s->items, &s->items_capacity, s->n_items, s->n_items + 1, sizeof *grown);
    if (grown == NULL) {
        s->failed = true;
        return 0;
    }
    s->items = grown;
    s->items[s->n_items] = (plait__item){
        .node = node,
        .count = plait__node_count(node),
        .first_input = first_input,
        .copy_of = PLAIT__NO_ITEM,
        .ready = node->kind != PLAIT__NODE_NUMBER && plait__is_ready(node),
        .base = (uint32_t)s->n_items,
        .origin = (uint32_t)s->n_items,
        .demands = PLAIT__NO_ITEM,
        .group = -1,
        .store = -1,
    };
    if (node->ctx != NULL) {
        node->mark = s->epoch << PLAIT__MARK_BITS | s->n_items;
    }
    return (uint32_t)s->n_items++;
}

static bool is_marked(const plait__scheduler *s, const plait_array *node)
{
    return node->ctx != NULL && node->mark >> PLAIT__MARK_BITS == s->epoch;
}

static uint32_t item_of(const plait_array *node)
{
    return (uint32_t)(node->mark & ((1u << PLAIT__MARK_BITS) - 1));
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

static void collect(plait__scheduler *s, plait_array *root)
{
    size_t depth = 0;
    plait_array *next = root;
    uint32_t finished = 0;
    for (;;) {
        if (next != NULL) { /* go down to `next` */
            frame *grown = plait__arena_grow(s->arena, s->stack, &s->stack_capacity, depth, depth + 1, sizeof *grown);
            if (grown == NULL) {
                s->failed = true;
                break;
            }
            s->stack = grown;
            adopt_output(next);
            frame *f = &s->stack[depth++];
            *f = (frame){.node = next, .first_input = (uint32_t)s->n_inputs};
            if (next->kind != PLAIT__NODE_NUMBER && !plait__is_ready(next) && next->n_in > 0) {
                uint32_t *inputs = plait__arena_grow(s->arena, s->inputs, &s->inputs_capacity, s->n_inputs,
                                                     s->n_inputs + next->n_in, sizeof *inputs);
                if (inputs == NULL) {
                    s->failed = true;
                    break;
                }
                s->inputs = inputs;
                s->n_inputs += next->n_in;
            }
            next = NULL;
        }
        frame *f = &s->stack[depth - 1];
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
        finished = plait__add_item(s, f->node, f->first_input);
        if (s->failed || --depth == 0) {
            break;
        }
        f = &s->stack[depth - 1];
        s->inputs[f->first_input + f->next++] = finished;
    }
}

static bool schedule_items(plait__scheduler *s)
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
            plait__mark_requested(s, item_of(plan->requested[k]));
        }
    }
    s->n_real = s->n_items;
    for (uint32_t i = 0; i < s->n_real && !s->failed; i++) {
        plait__mark(s, i);
    }
    for (size_t i = s->n_real; i-- > 0 && !s->failed;) {
        plait__place(s, (uint32_t)i);
    }
    for (size_t i = s->n_real; i < s->n_items && !s->failed; i++) { /* copies of ready items depend on nothing */
        plait__place(s, (uint32_t)i);
    }
    return !s->failed && plait__emit(s);
}

plait_status plait__schedule(plait__plan *plan)
{
    plait__scheduler s = {.plan = plan, .arena = &plan->arena};
    return schedule_items(&s) ? PLAIT_OK : plait_last_status();
}
