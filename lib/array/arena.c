/*
 * Plait: memory that is given back all at once.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"

#define FIRST_BLOCK 16000 /* a plan of few nodes fits */
#define LARGEST_BLOCK ((size_t)1 << 20)

struct plait__arena_block {
    struct plait__arena_block *previous;
    alignas(max_align_t) char bytes[];
};

void *plait__arena_alloc(plait__arena *arena, size_t size)
{
    const size_t unit = alignof(max_align_t);
    if (size > SIZE_MAX / 4) {
        return plait__malloc(SIZE_MAX); /* records the failure */
    }
    size = size == 0 ? unit : (size + unit - 1) / unit * unit;
    if (size > arena->left) {
        size_t want = arena->next_block == 0 ? FIRST_BLOCK : arena->next_block;
        size_t bytes = size > want ? size : want;
        struct plait__arena_block *block = plait__malloc(sizeof *block + bytes);
        if (block == NULL) {
            return NULL;
        }
        block->previous = arena->blocks;
        arena->blocks = block;
        arena->free = block->bytes;
        arena->left = bytes;
        arena->next_block = want < LARGEST_BLOCK ? 2 * want : want;
    }
    void *memory = arena->free;
    arena->free += size;
    arena->left -= size;
    memset(memory, 0, size);
    return memory;
}

void *plait__arena_array(plait__arena *arena, size_t count, size_t size)
{
    return plait__arena_alloc(arena, size != 0 && count > SIZE_MAX / size ? SIZE_MAX : count * size);
}

void *plait__arena_grow(plait__arena *arena, void *old, size_t *capacity, size_t count, size_t needed, size_t size)
{
    if (needed <= *capacity) {
        return old;
    }
    size_t more = *capacity < 4 ? 8 : 2 * *capacity;
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
        free(block);
    }
    memset(arena, 0, sizeof *arena);
}
