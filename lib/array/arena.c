/*
 * Plait: memory that is given back all at once.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "arena.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "alloc.h"

#define FIRST_BLOCK 16000 /* a plan of few nodes fits */
#define LARGEST_BLOCK ((size_t)1 << 20)

struct plait__arena_block {
    struct plait__arena_block *previous;
    size_t size;
    alignas(max_align_t) char bytes[];
};

/*
 * One block of the first size is kept for the next arena of any thread: one is made and freed at every evaluation, and
 * blocks of that size are dear.
 */
static _Atomic(struct plait__arena_block *) spare;

static struct plait__arena_block *take_block(size_t bytes)
{
    struct plait__arena_block *block = bytes == FIRST_BLOCK ? atomic_exchange(&spare, NULL) : NULL;
    if (block == NULL) {
        block = plait__malloc(sizeof *block + bytes);
        if (block != NULL) {
            block->size = bytes;
        }
    }
    return block;
}

static void give_block(struct plait__arena_block *block)
{
    struct plait__arena_block *none = NULL;
    if (block->size != FIRST_BLOCK || !atomic_compare_exchange_strong(&spare, &none, block)) {
        free(block);
    }
}

void *plait__arena_slow(plait__arena *arena, size_t size)
{
    if (size > SIZE_MAX / 4) {
        return plait__malloc(SIZE_MAX); /* records the failure */
    }
    const size_t unit = alignof(max_align_t);
    size_t want = arena->next_block == 0 ? FIRST_BLOCK : arena->next_block;
    size_t needed = (size + unit - 1) / unit * unit;
    size_t bytes = needed > want ? needed : want;
    struct plait__arena_block *block = take_block(bytes);
    if (block == NULL) {
        return NULL;
    }
    block->previous = arena->blocks;
    arena->blocks = block;
    arena->free = block->bytes;
    arena->left = bytes;
    arena->next_block = want < LARGEST_BLOCK ? 2 * want : want;
    return plait__arena_alloc(arena, size);
}

void *plait__arena_grow(plait__arena *arena, void *old, size_t *capacity, size_t count, size_t needed, size_t size)
{
    if (needed <= *capacity) {
        return old;
    }
    size_t more = *capacity == 0 ? 4 : 2 * *capacity;
    more = more < needed ? needed : more;
    void *grown = plait__arena_array(arena, more, size);
    if (grown != NULL) {
        if (count != 0) {
            memcpy(grown, old, count * size);
        }
        *capacity = more;
    }
    return grown;
}

void plait__arena_free(plait__arena *arena)
{
    while (arena->blocks != NULL) {
        struct plait__arena_block *block = arena->blocks;
        arena->blocks = block->previous;
        give_block(block);
    }
    memset(arena, 0, sizeof *arena);
}
