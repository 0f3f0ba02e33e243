/*
 * Memory that is taken in small pieces and given back all at once.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 * A zeroed struct is an empty arena. Threads: one at a time.
 */
#ifndef PLAIT__ARENA_H
#define PLAIT__ARENA_H

#include <stddef.h>

typedef struct plait__arena {
    struct plait__arena_block *blocks; /* newest first */
    char *free;
    size_t left;
    size_t next_block;
} plait__arena;

/* Zeroed, aligned for any type. NULL: PLAIT_E_NO_MEMORY, recorded. A size of 0 gives a pointer that is not NULL. */
void *plait__arena_alloc(plait__arena *arena, size_t size);
/* The same for count * size bytes. */
void *plait__arena_array(plait__arena *arena, size_t count, size_t size);
/*
 * For arrays that grow: room for at least `needed` items of `size` bytes, the first `count` of `old` at its head, and
 * *capacity brought up to date; `old` itself if it is large enough. The old memory stays where it was.
 */
void *plait__arena_grow(plait__arena *arena, void *old, size_t *capacity, size_t count, size_t needed, size_t size);
void plait__arena_free(plait__arena *arena);

#endif
