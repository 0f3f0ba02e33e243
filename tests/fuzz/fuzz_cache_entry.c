/*
 * libFuzzer on the reader of the disk cache's entries: whatever the bytes are, a clean yes or no, no access outside of
 * them, and what is accepted is exactly what would be written again.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 *     fuzz_cache_entry -max_total_time=20 NEW_CORPUS tests/golden/cache_entry
 */
#include "cache_entry.h"
#include "signature.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A wrong answer ends the run as a crash would. */
static void check(bool condition)
{
    if (!condition) {
        abort();
    }
}

static void try_signatures(const void *bytes, size_t size)
{
    plait__signatures s;
    if (!plait__signatures_decode(&s, bytes, size)) {
        return;
    }
    plait__strbuf again = {0};
    plait__put_u32(&again, (uint32_t)s.count);
    for (size_t k = 0; k < s.count; k++) {
        const plait__signature *kernel = &s.kernels[k];
        plait__put_text(&again, kernel->name);
        plait__put_u8(&again, kernel->known);
        plait__put_u32(&again, (uint32_t)kernel->n_params);
        for (size_t i = 0; i < kernel->n_params; i++) {
            plait__put_u8(&again, (uint8_t)kernel->params[i].kind);
            plait__put_u8(&again, kernel->params[i].is_const);
            plait__put_text(&again, kernel->params[i].name);
            plait__put_text(&again, kernel->params[i].type);
        }
        plait__put_u32(&again, (uint32_t)kernel->n_variants);
        for (size_t i = 0; i < kernel->n_variants; i++) {
            plait__put_u64(&again, kernel->variants[i]);
        }
    }
    check(again.length == size && memcmp(again.text, bytes, size) == 0);
    plait__strbuf_free(&again);
    plait__signatures_free(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    plait__cache_entry entry;
    if (plait__cache_entry_parse(&entry, data, size)) {
        check(entry.key.size + entry.signatures.size + entry.binary.size + PLAIT__CACHE_HEADER == size);
        try_signatures(entry.signatures.data, entry.signatures.size);
    }
    /* The hash keeps the fuzzer out of what is behind it, so the parts are also tried alone. */
    try_signatures(data, size);
    if (size >= 4) {
        size_t key = data[0] % (size - 3), signatures = data[1] % (size - 3 - key);
        const uint8_t *body = data + 4;
        size_t length = size - 4;
        const plait__cache_entry made = {
            {body, key}, {body + key, signatures}, {body + key + signatures, length - key - signatures}};
        uint8_t *bytes = malloc(PLAIT__CACHE_HEADER + length);
        if (bytes != NULL) {
            plait__cache_entry_header(bytes, &made);
            memcpy(bytes + PLAIT__CACHE_HEADER, body, length);
            check(plait__cache_entry_parse(&entry, bytes, PLAIT__CACHE_HEADER + length));
            check(entry.key.size == key && entry.signatures.size == signatures);
            bytes[data[2] % PLAIT__CACHE_HEADER] ^= (uint8_t)(1 << data[3] % 8);
            check(!plait__cache_entry_parse(&entry, bytes, PLAIT__CACHE_HEADER + length));
        }
        free(bytes);
    }
    return 0;
}
