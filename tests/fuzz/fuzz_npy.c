/*
 * libFuzzer on the .npy reader: whatever the bytes are, a clean status, and no access outside of them.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 *     fuzz_npy -max_total_time=20 NEW_CORPUS tests/golden/npy
 */
#include "npy_format.h"

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

static void convert(const plait__npy_header *h, plait_dtype dtype, const uint8_t *data)
{
    /* Exactly what is promised to be written; a block of 0 bytes must not be written to at all. */
    void *out = malloc(h->count * plait_dtype_size(dtype));
    if (out != NULL) {
        plait__npy_convert(out, dtype, h, data + h->data_at);
    }
    free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    plait__npy_header h;
    plait_status st = plait__npy_parse(&h, "fuzz", data, size);
    if (st != PLAIT_OK) {
        check(plait_last_status() == st && strncmp(plait_last_error(), "fuzz: byte ", 11) == 0);
        return 0;
    }
    check(h.data_at <= size && h.bytes <= size - h.data_at);
    check(plait_shape_count(h.shape) == (int64_t)h.count && h.bytes == h.count * plait_dtype_size(h.dtype));
    convert(&h, h.dtype, data);
    plait_dtype dtype = plait__npy_array_dtype(h.dtype);
    if (dtype != PLAIT_DTYPE_DEFAULT && dtype != h.dtype) {
        convert(&h, dtype, data);
    }

    plait__strbuf head = {0};
    plait__npy_head(&head, h.shape, h.dtype);
    plait__npy_header again;
    if (head.status == PLAIT_OK && h.bytes == 0) {
        check(plait__npy_parse(&again, "fuzz", head.text, head.length) == PLAIT_OK);
        check(again.dtype == h.dtype && memcmp(&again.shape, &h.shape, sizeof h.shape) == 0);
    }
    plait__strbuf_free(&head);
    return 0;
}
