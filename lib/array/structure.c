/*
 * Plait: what a group's text depends on, as a key.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 * Everything that codegen looks at is in the key and nothing else is: no size, stride, offset or number.
 */

#include "plan.h"

static void add_section(plait__hasher *h, const plait__section *c)
{
    /* Small numbers, packed: the key is made at every evaluation. */
    uint8_t head[4] = {(uint8_t)c->dims.n, (uint8_t)c->n_leaves, (uint8_t)c->n_numbers, 0};
    plait__hash_add(h, head, sizeof head);
    plait__hash_add_u64(h, c->n_instrs);
    for (uint32_t l = 0; l < c->n_leaves; l++) {
        uint8_t leaf[3] = {(uint8_t)c->leaves[l].dtype, c->leaves[l].is_index ? 1 : 0, (uint8_t)c->leaves[l].stride};
        plait__hash_add(h, leaf, sizeof leaf);
    }
    for (uint32_t k = 0; k < c->n_numbers; k++) {
        uint8_t number = (uint8_t)c->numbers[k].dtype;
        plait__hash_add(h, &number, 1);
    }
    for (uint32_t v = 0; v < c->n_instrs; v++) {
        const plait__instr *i = &c->instrs[v];
        uint32_t words[4] = {i->index, (uint32_t)i->counts, UINT32_MAX, UINT32_MAX};
        uint8_t bytes[5] = {i->kind, i->dtype, i->in_dtype, i->n_args, i->power};
        if (i->op != NULL) {
            words[2] = (uint32_t)(i->op - plait__ops);
        }
        if (i->reduction != NULL) {
            words[3] = (uint32_t)(i->reduction - plait__reductions);
        }
        plait__hash_add(h, bytes, sizeof bytes);
        plait__hash_add(h, words, sizeof words);
        if (i->n_args != 0) {
            plait__hash_add(h, i->args, i->n_args * sizeof *i->args);
        }
        if (i->text != NULL) {
            plait__hash_add_text(h, i->text);
        }
    }
}

void plait__group_key(plait__group *g, const plait__caps *caps)
{
    if (g->kind == PLAIT__GROUP_FAMILY) {
        return;
    }
    plait__hasher h;
    plait__hash_init(&h, 0);
    uint8_t head[8] = {
        (uint8_t)g->kind,   (uint8_t)caps->skeleton, g->wide ? 1 : 0,     g->large ? 1 : 0,
        g->columns ? 1 : 0, (uint8_t)g->kept,        (uint8_t)g->reduced, (g->folded ? 1 : 0) | (g->tiled ? 2 : 0)};
    plait__hash_add(&h, head, sizeof head);
    add_section(&h, &g->section[PLAIT__MAIN]);
    plait__hash_add_u64(&h, g->n_outputs);
    for (uint32_t k = 0; k < g->n_outputs; k++) {
        plait__hash_add_u64(&h, g->outputs[k].value);
    }
    if (g->kind == PLAIT__GROUP_REDUCE) {
        add_section(&h, &g->section[PLAIT__BODY]);
        plait__hash_add_u64(&h, g->n_accumulators);
        for (uint32_t k = 0; k < g->n_accumulators; k++) {
            const plait__accumulate *a = &g->accumulators[k];
            uint32_t words[4] = {a->value, (uint32_t)a->mask, (uint32_t)a->dtype,
                                 (uint32_t)(a->reduction - plait__reductions)};
            plait__hash_add(&h, words, sizeof words);
        }
    }
    g->key = plait__hash_end(&h);
}
