/*
 * A hash map from byte strings to pointers.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 *     plait__map programs = {0};                              // a zeroed struct is an empty map
 *     plait__map_set(&programs, &key, sizeof key, program, NULL);
 *     program = plait__map_get(&programs, &key, sizeof key);
 *     plait__map_free(&programs, drop_program);
 *
 * Keys are copied (those of up to 16 bytes, a 128-bit hash for one, without an allocation); values are the caller's and
 * never NULL. Threads: one at a time.
 */
#ifndef PLAIT__MAP_H
#define PLAIT__MAP_H

#include <plait/status.h>

typedef struct plait__map {
    struct plait__map_slot *slots;
    size_t capacity; /* a power of two, or 0 */
    size_t count;
} plait__map;

/* The key's value, NULL if the map does not have it. */
void *plait__map_get(const plait__map *map, const void *key, size_t size);
void *plait__map_get_text(const plait__map *map, const char *key);

/*
 * Adds the key or gives it a new value. The value displaced, or NULL, goes to *displaced (which may be NULL when no
 * value can be displaced, or when that does not matter). On failure (PLAIT_E_NO_MEMORY) the map is as it was.
 */
plait_status plait__map_set(plait__map *map, const void *key, size_t size, void *value, void **displaced);
plait_status plait__map_set_text(plait__map *map, const char *key, void *value, void **displaced);

/* Takes the key out and returns its value, NULL if the map does not have it. */
void *plait__map_remove(plait__map *map, const void *key, size_t size);

/*
 * Goes through the entries in no particular order; the map must not change meanwhile.
 *
 *     size_t cursor = 0;
 *     plait__map_entry e;
 *     while (plait__map_next(&map, &cursor, &e)) { ... }
 */
typedef struct plait__map_entry {
    const void *key;
    size_t key_size;
    void *value;
} plait__map_entry;

bool plait__map_next(const plait__map *map, size_t *cursor, plait__map_entry *out);

/* Frees the map and leaves an empty one; drop, unless NULL, is called with each value. */
void plait__map_free(plait__map *map, void (*drop)(void *value));

#endif
