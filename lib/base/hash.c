/*
 * Plait: MurmurHash3 x64/128 (Austin Appleby's public-domain algorithm), in pieces.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "hash.h"

#include <string.h>

#define C1 0x87c37b91114253d5u
#define C2 0x4cf5ad432745937fu

static uint64_t rotate(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

static uint64_t avalanche(uint64_t x)
{
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdu;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53u;
    x ^= x >> 33;
    return x;
}

static uint64_t mix1(uint64_t k)
{
    return rotate(k * C1, 31) * C2;
}

static uint64_t mix2(uint64_t k)
{
    return rotate(k * C2, 33) * C1;
}

static void take_block(uint64_t h[2], const uint8_t block[16])
{
    uint64_t k[2];
    memcpy(k, block, sizeof k);
    h[0] = (rotate(h[0] ^ mix1(k[0]), 27) + h[1]) * 5 + 0x52dce729;
    h[1] = (rotate(h[1] ^ mix2(k[1]), 31) + h[0]) * 5 + 0x38495ab5;
}

void plait__hash_init(plait__hasher *h, uint64_t seed)
{
    *h = (plait__hasher){.h = {seed, seed}};
}

void plait__hash_add(plait__hasher *h, const void *data, size_t size)
{
    const uint8_t *bytes = data;
    size_t filled = (size_t)(h->total % 16);
    h->total += size;
    if (filled > 0) {
        size_t take = size < 16 - filled ? size : 16 - filled;
        if (take > 0) {
            memcpy(h->block + filled, bytes, take);
        }
        if (filled + take < 16) {
            return;
        }
        take_block(h->h, h->block);
        bytes += take;
        size -= take;
    }
    for (; size >= 16; bytes += 16, size -= 16) {
        take_block(h->h, bytes);
    }
    if (size > 0) {
        memcpy(h->block, bytes, size);
    }
}

void plait__hash_add_u64(plait__hasher *h, uint64_t value)
{
    plait__hash_add(h, &value, sizeof value);
}

void plait__hash_add_text(plait__hasher *h, const char *text)
{
    size_t length = strlen(text);
    plait__hash_add_u64(h, length);
    plait__hash_add(h, text, length);
}

plait__hash128 plait__hash_end(const plait__hasher *h)
{
    uint64_t a = h->h[0];
    uint64_t b = h->h[1];
    /* The tail: bytes past it count as zeros, and zeros mix to zero. */
    uint8_t block[16] = {0};
    uint64_t k[2];
    memcpy(block, h->block, (size_t)(h->total % 16));
    memcpy(k, block, sizeof k);
    a ^= mix1(k[0]);
    b ^= mix2(k[1]);

    a ^= h->total;
    b ^= h->total;
    a += b;
    b += a;
    a = avalanche(a);
    b = avalanche(b);
    a += b;
    b += a;
    return (plait__hash128){{a, b}};
}

plait__hash128 plait__hash(const void *data, size_t size)
{
    plait__hasher h;
    plait__hash_init(&h, 0);
    plait__hash_add(&h, data, size);
    return plait__hash_end(&h);
}

bool plait__hash_equal(plait__hash128 a, plait__hash128 b)
{
    return a.h[0] == b.h[0] && a.h[1] == b.h[1];
}

void plait__hash_hex(char out[33], plait__hash128 hash)
{
    static const char digits[] = "0123456789abcdef";
    for (int i = 0; i < 32; i++) {
        out[i] = digits[hash.h[i / 16] >> (60 - 4 * (i % 16)) & 15];
    }
    out[32] = '\0';
}

uint64_t plait__checksum64(const void *data, size_t size)
{
    return plait__hash(data, size).h[0];
}
