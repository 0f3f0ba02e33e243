/*
 * Plait: a hash map with open addressing: linear probing, removal by shifting back.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "map.h"

#include "alloc.h"
#include "error.h"
#include "hash.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define INLINE_KEY 16

typedef struct plait__map_slot {
    uint64_t hash;
    void *value; /* NULL: the slot is free */
    size_t key_size;
    union {
        uint8_t bytes[INLINE_KEY];
        void *block;
    } key;
} slot;

static const void *slot_key(const slot *s)
{
    return s->key_size <= INLINE_KEY ? (const void *)s->key.bytes : s->key.block;
}

static void drop_key(slot *s)
{
    if (s->key_size > INLINE_KEY) {
        free(s->key.block);
    }
}

/* The slot that has the key, or the free one where it would go. The map is never full. */
static slot *find(const plait__map *map, uint64_t hash, const void *key, size_t size)
{
    for (size_t i = (size_t)hash & (map->capacity - 1);; i = (i + 1) & (map->capacity - 1)) {
        slot *s = &map->slots[i];
        if (s->value == NULL) {
            return s;
        }
        if (s->hash == hash && s->key_size == size && (size == 0 || memcmp(slot_key(s), key, size) == 0)) {
            return s;
        }
    }
}

static plait_status grow(plait__map *map)
{
    /* At most 3/4 full, so that probing stays short. */
    if (map->count + 1 <= map->capacity / 4 * 3) {
        return PLAIT_OK;
    }
    plait__map bigger = {.capacity = map->capacity > 0 ? map->capacity * 2 : 16, .count = map->count};
    bigger.slots = plait__calloc(bigger.capacity, sizeof *bigger.slots);
    if (bigger.slots == NULL) {
        return PLAIT_E_NO_MEMORY;
    }
    for (size_t i = 0; i < map->capacity; i++) {
        const slot *s = &map->slots[i];
        if (s->value != NULL) {
            *find(&bigger, s->hash, slot_key(s), s->key_size) = *s;
        }
    }
    free(map->slots);
    *map = bigger;
    return PLAIT_OK;
}

void *plait__map_get(const plait__map *map, const void *key, size_t size)
{
    return map->count > 0 ? find(map, plait__checksum64(key, size), key, size)->value : NULL;
}

void *plait__map_get_text(const plait__map *map, const char *key)
{
    return plait__map_get(map, key, strlen(key));
}

plait_status plait__map_set(plait__map *map, const void *key, size_t size, void *value, void **displaced)
{
    assert(value != NULL);
    if (displaced != NULL) {
        *displaced = NULL;
    }
    PLAIT__TRY(grow(map));
    uint64_t hash = plait__checksum64(key, size);
    slot *s = find(map, hash, key, size);
    if (s->value != NULL) {
        if (displaced != NULL) {
            *displaced = s->value;
        }
        s->value = value;
        return PLAIT_OK;
    }
    slot fresh = {.hash = hash, .value = value, .key_size = size};
    if (size > INLINE_KEY) {
        fresh.key.block = plait__memdup(key, size);
        if (fresh.key.block == NULL) {
            return PLAIT_E_NO_MEMORY;
        }
    } else if (size > 0) {
        memcpy(fresh.key.bytes, key, size);
    }
    *s = fresh;
    map->count++;
    return PLAIT_OK;
}

plait_status plait__map_set_text(plait__map *map, const char *key, void *value, void **displaced)
{
    return plait__map_set(map, key, strlen(key), value, displaced);
}

void *plait__map_remove(plait__map *map, const void *key, size_t size)
{
    if (map->count == 0) {
        return NULL;
    }
    slot *hole = find(map, plait__checksum64(key, size), key, size);
    void *value = hole->value;
    if (value == NULL) {
        return NULL;
    }
    drop_key(hole);
    map->count--;

    /* Entries after the hole move into it unless that would put them before the slot their hash names. */
    size_t mask = map->capacity - 1;
    size_t at = (size_t)(hole - map->slots);
    for (size_t i = (at + 1) & mask; map->slots[i].value != NULL; i = (i + 1) & mask) {
        size_t home = (size_t)map->slots[i].hash & mask;
        if (((i - home) & mask) >= ((i - at) & mask)) {
            map->slots[at] = map->slots[i];
            at = i;
        }
    }
    map->slots[at] = (slot){0};
    return value;
}

bool plait__map_next(const plait__map *map, size_t *cursor, plait__map_entry *out)
{
    for (; *cursor < map->capacity; (*cursor)++) {
        const slot *s = &map->slots[*cursor];
        if (s->value != NULL) {
            *out = (plait__map_entry){slot_key(s), s->key_size, s->value};
            (*cursor)++;
            return true;
        }
    }
    return false;
}

void plait__map_free(plait__map *map, void (*drop)(void *value))
{
    for (size_t i = 0; i < map->capacity; i++) {
        slot *s = &map->slots[i];
        if (s->value != NULL) {
            drop_key(s);
            if (drop != NULL) {
                drop(s->value);
            }
        }
    }
    free(map->slots);
    *map = (plait__map){0};
}
