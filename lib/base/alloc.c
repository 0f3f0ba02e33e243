/*
 * Plait: host memory.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "alloc.h"

#include "error.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Allocations until the one that a test wants to fail; 0 or less: none. */
static atomic_int_fast64_t countdown;

static bool must_fail(void)
{
    return atomic_load_explicit(&countdown, memory_order_relaxed) > 0 &&
           atomic_fetch_sub_explicit(&countdown, 1, memory_order_relaxed) == 1;
}

void plait__alloc_fail_at(int64_t n)
{
    atomic_store(&countdown, n);
}

int64_t plait__alloc_fail_pending(void)
{
    int64_t left = atomic_load(&countdown);
    return left > 0 ? left : 0;
}

static void *checked(void *block, size_t size)
{
    if (block == NULL) {
        plait__fail(PLAIT_E_NO_MEMORY, "host memory is exhausted: %zu bytes were wanted", size);
    }
    return block;
}

static void *overflow(size_t count, size_t size)
{
    plait__fail(PLAIT_E_NO_MEMORY, "host memory is exhausted: %zu items of %zu bytes were wanted", count, size);
    return NULL;
}

void *plait__try_malloc(size_t size)
{
    return must_fail() ? NULL : malloc(size > 0 ? size : 1);
}

void *plait__malloc(size_t size)
{
    return checked(plait__try_malloc(size), size);
}

void *plait__calloc(size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size) {
        return overflow(count, size);
    }
    size_t bytes = count * size;
    return checked(must_fail() ? NULL : calloc(bytes > 0 ? bytes : 1, 1), bytes);
}

void *plait__realloc(void *old, size_t size)
{
    return checked(must_fail() ? NULL : realloc(old, size > 0 ? size : 1), size);
}

void *plait__alloc_array(size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size) {
        return overflow(count, size);
    }
    return plait__malloc(count * size);
}

void *plait__grow(void *old, size_t *capacity, size_t needed, size_t size)
{
    if (old != NULL && needed <= *capacity) {
        return old;
    }
    size_t target = *capacity + *capacity / 2 + 8;
    if (target < needed) {
        target = needed;
    }
    if (target > SIZE_MAX / 2 / size) {
        return overflow(needed, size);
    }
    void *grown = plait__realloc(old, target * size);
    if (grown != NULL) {
        *capacity = target;
    }
    return grown;
}

char *plait__strdup(const char *text)
{
    return plait__memdup(text, strlen(text) + 1);
}

char *plait__strndup(const char *text, size_t length)
{
    char *copy = plait__malloc(length + 1);
    if (copy != NULL) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

void *plait__memdup(const void *data, size_t size)
{
    void *copy = plait__malloc(size);
    if (copy != NULL && size > 0) {
        memcpy(copy, data, size);
    }
    return copy;
}

void plait_free(void *memory)
{
    free(memory);
}
