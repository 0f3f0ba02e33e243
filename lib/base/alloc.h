/*
 * Host memory. Every failure is on record as PLAIT_E_NO_MEMORY, with the size that was wanted.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 * Results are freed with free(). A size of 0 gives a pointer that is not NULL. Threads: any.
 */
#ifndef PLAIT__ALLOC_H
#define PLAIT__ALLOC_H

#include <stddef.h>
#include <stdint.h>

void *plait__malloc(size_t size);
void *plait__calloc(size_t count, size_t size); /* zeroed; fails where count * size overflows */

/* On failure the old block stays as it was. */
void *plait__realloc(void *old, size_t size);

/* count * size bytes, not zeroed; fails where the product overflows. */
void *plait__alloc_array(size_t count, size_t size);

/*
 * For arrays that grow: a block for at least `needed` items of `size` bytes, the old contents at its head, and
 * *capacity brought up to date. `old` itself if it is large enough; NULL on failure, with `old` and *capacity
 * untouched.
 *
 *     item *grown = plait__grow(v->items, &v->capacity, v->count + 1, sizeof *grown);
 */
void *plait__grow(void *old, size_t *capacity, size_t needed, size_t size);

char *plait__strdup(const char *text);
char *plait__strndup(const char *text, size_t length); /* the first `length` bytes, and a NUL */
void *plait__memdup(const void *data, size_t size);

/* Without a record of the failure: for the code that keeps the record, and for logs. */
void *plait__try_malloc(size_t size);

/*
 * For tests: the n-th allocation from now on (1 is the next, in whichever thread) fails, once; 0 switches this off.
 * plait__alloc_fail_pending() is 0 once it has failed.
 *
 *     for (int64_t n = 1; ; n++) {
 *         plait__alloc_fail_at(n);
 *         work();
 *         if (plait__alloc_fail_pending()) break;      // work() needs fewer than n allocations
 *     }
 *     plait__alloc_fail_at(0);
 */
void plait__alloc_fail_at(int64_t n);
int64_t plait__alloc_fail_pending(void);

#endif
