/*
 * Plait: arrays as text.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include <plait/host.h>

#include "alloc.h"
#include "array_text.h"
#include "build.h"
#include "error.h"
#include "host_io.h"
#include "opts.h"

#include <stdlib.h>

/* A block of this size is read whole, also if the text shows only some of it: one transfer takes less than many. */
#define WHOLE ((size_t)1 << 20)

void plait_print_opts_init(plait_print_opts *opts)
{
    if (opts != NULL) {
        *opts = (plait_print_opts)PLAIT_PRINT_OPTS;
    }
}

/* No number has more digits after the point: 17 of the smallest f64, 4.9406564584124654e-324. */
enum { MOST_PRECISION = 340 };

static plait_status read_format(plait__text_format *out, const plait_print_opts *opts, const char *function)
{
    plait_print_opts o;
    PLAIT__TRY(plait__opts_read(function, &o, sizeof o, opts));
    PLAIT__REQUIRE(o.precision >= -1 && o.threshold >= 0 && o.edge_items >= 0 && o.line_width >= 0, PLAIT_E_ARGUMENT,
                   "%s: opts: precision must be at least -1, threshold, edge_items and line_width at least 0",
                   function);
    *out = (plait__text_format){
        .precision = o.precision == 0               ? 8
                     : o.precision == -1            ? 0
                     : o.precision > MOST_PRECISION ? MOST_PRECISION
                                                    : o.precision,
        .threshold = o.threshold == 0 ? 1000 : o.threshold,
        .edge_items = o.edge_items == 0 ? 3 : o.edge_items,
        .line_width = o.line_width == 0 ? 75 : o.line_width,
    };
    return PLAIT_OK;
}

/* ---- only what is shown is read ---- */

typedef struct gather {
    const plait_array *fetched;
    plait_dims shown;
    size_t size;      /* of an element */
    size_t blocks[8]; /* elements in one step along each axis */
    unsigned char *out;
    unsigned char *scratch; /* WHOLE bytes */
} gather;

/* Index along an axis of the i-th shown one. */
static int64_t shown_index(const gather *g, int32_t axis, int64_t i)
{
    int64_t n = g->fetched->shape.d[axis];
    int64_t shown = g->shown.d[axis];
    return i < shown / 2 || shown == n ? i : n - shown + i;
}

/* Copies the shown part of a block that is in host memory. */
static void gather_memory(gather *g, int32_t axis, const unsigned char *block)
{
    if (axis == g->shown.n) {
        for (size_t b = 0; b < g->size; b++) {
            *g->out++ = block[b];
        }
        return;
    }
    for (int64_t i = 0; i < g->shown.d[axis]; i++) {
        gather_memory(g, axis + 1, block + (size_t)shown_index(g, axis, i) * g->blocks[axis] * g->size);
    }
}

static plait_status gather_device(gather *g, int32_t axis, size_t start)
{
    size_t count = axis == 0 ? (size_t)plait_shape_count(g->fetched->shape) : g->blocks[axis - 1];
    if (count * g->size <= WHOLE) {
        PLAIT__TRY(plait__array_read(g->fetched, start, count, g->scratch));
        gather_memory(g, axis, g->scratch);
        return PLAIT_OK;
    }
    for (int64_t i = 0; i < g->shown.d[axis]; i++) {
        PLAIT__TRY(gather_device(g, axis + 1, start + (size_t)shown_index(g, axis, i) * g->blocks[axis]));
    }
    return PLAIT_OK;
}

static plait_status read_shown(plait_array *a, const plait_dims *shown, void *out, const char *function)
{
    plait_dtype dtype = (plait_dtype)a->dtype;
    if (a->ctx == NULL || plait_shape_count(*shown) == plait__node_count(a)) {
        return plait__array_to_memory(a, out, dtype, function);
    }
    gather g = {.shown = *shown, .size = plait_dtype_size(dtype), .out = out, .scratch = plait__malloc(WHOLE)};
    if (g.scratch == NULL) {
        return PLAIT_E_NO_MEMORY;
    }
    size_t block = 1;
    for (int32_t i = a->shape.n - 1; i >= 0; i--) {
        g.blocks[i] = block;
        block *= (size_t)a->shape.d[i];
    }
    plait_array *fetched;
    plait_status status = plait__array_fetch(&fetched, a, dtype, function);
    if (status == PLAIT_OK) {
        g.fetched = fetched;
        status = gather_device(&g, 0, 0);
        plait__node_release(fetched);
    }
    free(g.scratch);
    return status;
}

/* ---- text ---- */

static plait_status to_text(plait__strbuf *out, plait_array *a, const plait_print_opts *opts, const char *function)
{
    PLAIT__TRY(plait__check_input(a, function, "a"));
    plait__text_format format;
    PLAIT__TRY(read_format(&format, opts, function));
    plait_dims shown = plait__text_shown(&a->shape, &format);
    plait_dtype dtype = (plait_dtype)a->dtype;
    void *data = plait__alloc_array((size_t)plait_shape_count(shown), plait_dtype_size(dtype));
    if (data == NULL) {
        return PLAIT_E_NO_MEMORY;
    }
    plait_status status = read_shown(a, &shown, data, function);
    if (status == PLAIT_OK) {
        plait__array_text(out, dtype, &a->shape, data, &format);
        status = out->status;
    }
    free(data);
    return status;
}

plait_status plait_to_text(plait_array *a, const plait_print_opts *opts, char **out)
{
    PLAIT__REQUIRE_ARG(out);
    *out = NULL;
    plait__strbuf text = {0};
    plait_status status = to_text(&text, a, opts, __func__);
    if (status != PLAIT_OK) {
        plait__strbuf_free(&text);
        return status;
    }
    *out = plait__strbuf_take(&text);
    return *out != NULL ? PLAIT_OK : PLAIT_E_NO_MEMORY;
}

plait_status plait_print(FILE *out, plait_array *a)
{
    PLAIT__REQUIRE_ARG(out);
    plait__strbuf text = {0};
    plait_status status = to_text(&text, a, NULL, __func__);
    if (status == PLAIT_OK) {
        plait__strbuf_add_char(&text, '\n');
        status = text.status;
    }
    if (status == PLAIT_OK && fwrite(text.text, 1, text.length, out) != text.length) {
        status = plait__fail(PLAIT_E_IO, "%s: the text cannot be written to the file", __func__);
    }
    plait__strbuf_free(&text);
    return status;
}
