/*
 * Text that grows. Errors are sticky: add without looking, then test once.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 *     plait__strbuf text = {0};
 *     plait__strbuf_printf(&text, "kernel void %s(", name);
 *     plait__strbuf_add(&text, ")\n{\n}\n");
 *     char *source = plait__strbuf_take(&text);            // NULL (and PLAIT_E_NO_MEMORY on record) if any step failed
 *
 * A zeroed struct is an empty builder. Threads: one at a time.
 */
#ifndef PLAIT__STRBUF_H
#define PLAIT__STRBUF_H

#include <plait/status.h>

typedef struct plait__strbuf {
    char *text;    /* NUL-terminated; NULL while nothing was added: see plait__strbuf_text */
    size_t length; /* without the NUL */
    size_t capacity;
    plait_status status; /* the first failure; nothing is added after it */
} plait__strbuf;

void plait__strbuf_add(plait__strbuf *s, const char *text);
void plait__strbuf_add_bytes(plait__strbuf *s, const void *bytes, size_t size);
void plait__strbuf_add_char(plait__strbuf *s, char c);

/* Not for floating-point conversions (%f, %g, %a): they follow the locale. */
void plait__strbuf_printf(plait__strbuf *s, const char *format, ...) PLAIT_PRINTF(2, 3);

/* As plait__format_f64, _f32 and _hex: the shortest decimal text that reads back the same, and the exact one. */
void plait__strbuf_add_f64(plait__strbuf *s, double value);
void plait__strbuf_add_f32(plait__strbuf *s, float value);
void plait__strbuf_add_hex(plait__strbuf *s, double value);

/* Cuts the text to its first `length` bytes. */
void plait__strbuf_truncate(plait__strbuf *s, size_t length);

/* The text so far, "" when there is none; the builder's own, good until the next change. */
const char *plait__strbuf_text(const plait__strbuf *s);

/*
 * Hands the text over (freed with free()) and leaves an empty builder. NULL if any addition failed; the failure is on
 * record already. An empty builder gives an empty string.
 */
char *plait__strbuf_take(plait__strbuf *s);

/* Frees the text and leaves an empty builder. */
void plait__strbuf_free(plait__strbuf *s);

#endif
