/*
 * A 128-bit hash of bytes for keys: MurmurHash3 x64/128, in pieces or at once. Not for secrets.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 *     plait__hasher h;
 *     plait__hash_init(&h, 0);
 *     plait__hash_add(&h, data, size);          // the pieces' borders do not matter ...
 *     plait__hash_add_text(&h, name);           // ... except for those added with their length
 *     plait__hash128 key = plait__hash_end(&h);
 *
 * The same bytes give the same hash on every machine of one byte order. Threads: any, each with its own hasher.
 */
#ifndef PLAIT__HASH_H
#define PLAIT__HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct plait__hash128 {
    uint64_t h[2];
} plait__hash128;

typedef struct plait__hasher {
    uint64_t h[2];
    uint64_t total;    /* bytes so far */
    uint8_t block[16]; /* the last total % 16 of them */
} plait__hasher;

void plait__hash_init(plait__hasher *h, uint64_t seed);
void plait__hash_add(plait__hasher *h, const void *data, size_t size);

/* A text with its length before it, so that ("ab", "c") and ("a", "bc") differ; and a number. */
void plait__hash_add_text(plait__hasher *h, const char *text);
void plait__hash_add_u64(plait__hasher *h, uint64_t value);

/* The hash of what was added so far; more may be added after it. */
plait__hash128 plait__hash_end(const plait__hasher *h);

plait__hash128 plait__hash(const void *data, size_t size);
bool plait__hash_equal(plait__hash128 a, plait__hash128 b);

/* 32 lower-case hexadecimal digits and a NUL. */
void plait__hash_hex(char out[33], plait__hash128 hash);

/* A checksum of a payload: 64 bits of the hash. */
uint64_t plait__checksum64(const void *data, size_t size);

#endif
