/*
 * Plait: what a group's text depends on, as a key.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 * Everything that codegen looks at is in the key and nothing else is: no size, stride, offset or number.
 */

#include <string.h>

#include "plan.h"

/* Collects small pieces: the key is made at every evaluation. */
typedef struct writer {
    plait__hasher h;
    size_t n;
    unsigned char bytes[256];
} writer;

static void flush(writer *w)
{
    plait__hash_add(&w->h, w->bytes, w->n);
    w->n = 0;
}

static void put(writer *w, const void *data, size_t size)
{
    if (w->n + size > sizeof w->bytes) {
        flush(w);
        if (size > sizeof w->bytes) {
            plait__hash_add(&w->h, data, size);
            return;
        }
    }
    memcpy(w->bytes + w->n, data, size);
    w->n += size;
}

static void put_word(writer *w, uint32_t word)
{
    put(w, &word, sizeof word);
}

static void add_section(writer *w, const plait__section *c)
{
    const uint32_t head[4] = {(uint32_t)c->dims.n, c->n_leaves, c->n_numbers, c->n_instrs};
    put(w, head, sizeof head);
    for (uint32_t l = 0; l < c->n_leaves; l++) {
        const plait__leaf *leaf = &c->leaves[l];
        put_word(w, (uint32_t)leaf->dtype | (uint32_t)leaf->stride << 8 | (leaf->is_index ? 1u << 16 : 0));
    }
    for (uint32_t k = 0; k < c->n_numbers; k++) {
        put_word(w, (uint32_t)c->numbers[k].dtype);
    }
    for (uint32_t v = 0; v < c->n_instrs; v++) {
        const plait__instr *i = &c->instrs[v];
        const uint32_t words[6] = {
            (uint32_t)i->kind | (uint32_t)i->dtype << 8 | (uint32_t)i->in_dtype << 16 | (uint32_t)i->n_args << 24,
            i->power,
            i->index,
            (uint32_t)i->counts,
            i->op != NULL ? (uint32_t)(i->op - plait__ops) : UINT32_MAX,
            i->reduction != NULL ? (uint32_t)(i->reduction - plait__reductions) : UINT32_MAX,
        };
        put(w, words, sizeof words);
        if (i->n_args != 0) {
            put(w, i->args, i->n_args * sizeof *i->args);
        }
        if (i->text != NULL) {
            put_word(w, (uint32_t)strlen(i->text));
            put(w, i->text, strlen(i->text));
        }
    }
}

void plait__group_key(plait__group *g, const plait__caps *caps)
{
    if (g->kind == PLAIT__GROUP_FAMILY) {
        return;
    }
    writer w;
    w.n = 0;
    plait__hash_init(&w.h, 0);
    const uint32_t head[] = {
        (uint32_t)g->kind, (uint32_t)caps->skeleton, g->wide ? 1 : 0,   g->large ? 1 : 0, g->columns ? 1 : 0,
        (uint32_t)g->kept, (uint32_t)g->reduced,     g->folded ? 1 : 0, g->tiled ? 1 : 0, g->n_outputs,
        g->n_accumulators,
    };
    put(&w, head, sizeof head);
    add_section(&w, &g->section[PLAIT__MAIN]);
    for (uint32_t k = 0; k < g->n_outputs; k++) {
        put_word(&w, g->outputs[k].value);
    }
    if (g->kind == PLAIT__GROUP_REDUCE) {
        add_section(&w, &g->section[PLAIT__BODY]);
        for (uint32_t k = 0; k < g->n_accumulators; k++) {
            const plait__accumulate *a = &g->accumulators[k];
            const uint32_t words[4] = {a->value, (uint32_t)a->mask, (uint32_t)a->dtype,
                                       (uint32_t)(a->reduction - plait__reductions)};
            put(&w, words, sizeof words);
        }
    }
    flush(&w);
    g->key = plait__hash_end(&w.h);
}
