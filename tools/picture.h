/*
 * Pictures in PNG files, read and written through libpng. Shared by the command, the demo and the examples.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#ifndef PLAIT_PICTURE_H
#define PLAIT_PICTURE_H

#include <stdbool.h>
#include <stddef.h>

/* Rows from the top, samples interleaved, no padding: height x width x channels of u8 or (this machine's order) u16. */
typedef struct picture {
    size_t width, height;
    unsigned channels; /* 1 gray, 2 gray + alpha, 3 RGB, 4 RGBA */
    unsigned bits;     /* of a sample: 8 or 16 */
    void *data;
    size_t bytes;
} picture;

#define PICTURE_ERROR_SIZE 512

/*
 * Reads `path`. Palettes and gray of fewer than 8 bits arrive as 8 bits, transparent colours as an alpha channel.
 * On failure returns false, writes a sentence to `error`, and leaves *out empty. picture_free releases it.
 */
bool picture_read(const char *path, picture *out, char error[PICTURE_ERROR_SIZE]);

/* Writes `path`; on failure no half-written file is left. Returns false with a sentence in `error`. */
bool picture_write(const char *path, const picture *in, char error[PICTURE_ERROR_SIZE]);

void picture_free(picture *p); /* an empty one is fine */

#endif
