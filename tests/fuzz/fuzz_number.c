/*
 * Numbers read from arbitrary bytes: a reader never takes more than there is, and what it accepts it formats to text
 * that reads back the same. Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (text == NULL) {
        return 0;
    }
    memcpy(text, data, size);
    text[size] = '\0';

    double value;
    size_t used = plait__scan_f64(&value, text, size);
    if (used > size) {
        abort();
    }
    if (used > 0 && !isnan(value)) {
        char again[PLAIT__NUMBER_SIZE];
        double back;
        plait__format_f64(again, value);
        if (!plait__parse_f64(&back, again) || back != value) {
            abort();
        }
        plait__format_hex(again, value);
        if (!plait__parse_f64(&back, again) || back != value) {
            abort();
        }
    }

    int64_t number;
    uint64_t natural;
    if (plait__scan_i64(&number, text, size, -1000, 1000) > size ||
        plait__scan_u64(&natural, text, size, UINT64_MAX) > size) {
        abort();
    }
    plait__parse_size(&natural, text);
    free(text);
    return 0;
}
