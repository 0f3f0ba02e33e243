/*
 * NumPy's text of an array whose elements are in host memory: the rules of NumPy 2.3 and later. Pure; any thread.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 * Floats are written with the fewest digits that tell them from their neighbours, but at most `precision` after the
 * point, all of one array in the same form: positional, or scientific where their sizes lie too far apart. Text does
 * not depend on the locale.
 */
#ifndef PLAIT__ARRAY_TEXT_H
#define PLAIT__ARRAY_TEXT_H

#include <plait/dtype.h>
#include <plait/shape.h>

#include "strbuf.h"

/* As plait_print_opts, with nothing left to default. */
typedef struct plait__text_format {
    int precision;
    int threshold;
    int edge_items;
    int line_width;
} plait__text_format;

/*
 * The elements that the text shows, as a shape: of the array itself, or, if it has more elements than the threshold, of
 * the first and last edge_items along each axis that is longer than both together.
 */
plait_dims plait__text_shown(const plait_dims *shape, const plait__text_format *format);

/* `data` holds the shown elements in C order. The dtype is one that arrays have. */
void plait__array_text(plait__strbuf *out, plait_dtype dtype, const plait_dims *shape, const void *data,
                       const plait__text_format *format);

#endif
