#include "cache_entry.h"

#include <string.h>

#include "hash.h"

static const char magic[8] = {'P', 'L', 'A', 'I', 'T', 'B', 'I', 'N'};

#define CHECKED 40 /* the header's bytes before the hash */

static void put(unsigned char *at, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        at[i] = (unsigned char)(value >> (8 * i));
    }
}

static uint64_t get(const unsigned char *at, size_t size)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++) {
        value |= (uint64_t)at[i] << (8 * i);
    }
    return value;
}

static void hash_entry(unsigned char out[16], const unsigned char *header, const plait__cache_entry *entry)
{
    plait__hasher h;
    plait__hash_init(&h, 0);
    plait__hash_add(&h, header, CHECKED);
    plait__hash_add(&h, entry->key.data, entry->key.size);
    plait__hash_add(&h, entry->signatures.data, entry->signatures.size);
    plait__hash_add(&h, entry->binary.data, entry->binary.size);
    plait__hash128 hash = plait__hash_end(&h);
    put(out, hash.h[0], 8);
    put(out + 8, hash.h[1], 8);
}

void plait__cache_entry_header(unsigned char header[PLAIT__CACHE_HEADER], const plait__cache_entry *entry)
{
    memcpy(header, magic, sizeof magic);
    put(header + 8, PLAIT__CACHE_FORMAT, 4);
    put(header + 12, 0, 4);
    put(header + 16, entry->key.size, 8);
    put(header + 24, entry->signatures.size, 8);
    put(header + 32, entry->binary.size, 8);
    hash_entry(header + CHECKED, header, entry);
}

bool plait__cache_entry_parse(plait__cache_entry *out, const void *bytes, size_t size)
{
    const unsigned char *header = bytes;
    if (size < PLAIT__CACHE_HEADER || memcmp(header, magic, sizeof magic) != 0 ||
        get(header + 8, 4) != PLAIT__CACHE_FORMAT || get(header + 12, 4) != 0) {
        return false;
    }
    plait__bytes *blocks[3] = {&out->key, &out->signatures, &out->binary};
    size_t at = PLAIT__CACHE_HEADER;
    for (size_t i = 0; i < 3; i++) {
        uint64_t length = get(header + 16 + 8 * i, 8);
        if (length > size - at) {
            return false;
        }
        *blocks[i] = (plait__bytes){header + at, (size_t)length};
        at += (size_t)length;
    }
    unsigned char hash[16];
    hash_entry(hash, header, out);
    return at == size && memcmp(hash, header + CHECKED, sizeof hash) == 0;
}
