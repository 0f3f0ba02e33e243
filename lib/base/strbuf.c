/*
 * Plait: text that grows.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "strbuf.h"

#include "alloc.h"
#include "error.h"
#include "number.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for `more` bytes and a NUL; false after a failure. */
static bool reserve(plait__strbuf *s, size_t more)
{
    if (s->status != PLAIT_OK) {
        return false;
    }
    if (more > SIZE_MAX / 4 || s->length > SIZE_MAX / 4) {
        s->status = plait__fail(PLAIT_E_NO_MEMORY, "host memory is exhausted: %zu bytes of text were wanted", more);
        return false;
    }
    char *grown = plait__grow(s->text, &s->capacity, s->length + more + 1, 1);
    if (grown == NULL) {
        s->status = PLAIT_E_NO_MEMORY;
        return false;
    }
    s->text = grown;
    return true;
}

void plait__strbuf_add_bytes(plait__strbuf *s, const void *bytes, size_t size)
{
    if (size > 0 && reserve(s, size)) {
        memcpy(s->text + s->length, bytes, size);
        s->length += size;
        s->text[s->length] = '\0';
    }
}

void plait__strbuf_add(plait__strbuf *s, const char *text)
{
    plait__strbuf_add_bytes(s, text, strlen(text));
}

void plait__strbuf_add_char(plait__strbuf *s, char c)
{
    plait__strbuf_add_bytes(s, &c, 1);
}

void plait__strbuf_printf(plait__strbuf *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0) {
        if (s->status == PLAIT_OK) {
            s->status = plait__fail(PLAIT_E_INTERNAL, "text cannot be formatted by \"%s\"", format);
        }
        return;
    }
    if (reserve(s, (size_t)length)) {
        va_start(args, format);
        vsnprintf(s->text + s->length, (size_t)length + 1, format, args);
        va_end(args);
        s->length += (size_t)length;
    }
}

void plait__strbuf_add_f64(plait__strbuf *s, double value)
{
    char text[PLAIT__NUMBER_SIZE];
    plait__strbuf_add_bytes(s, text, plait__format_f64(text, value));
}

void plait__strbuf_add_f32(plait__strbuf *s, float value)
{
    char text[PLAIT__NUMBER_SIZE];
    plait__strbuf_add_bytes(s, text, plait__format_f32(text, value));
}

void plait__strbuf_add_hex(plait__strbuf *s, double value)
{
    char text[PLAIT__NUMBER_SIZE];
    plait__strbuf_add_bytes(s, text, plait__format_hex(text, value));
}

void plait__strbuf_truncate(plait__strbuf *s, size_t length)
{
    assert(length <= s->length);
    if (s->text != NULL) {
        s->length = length;
        s->text[length] = '\0';
    }
}

const char *plait__strbuf_text(const plait__strbuf *s)
{
    return s->text != NULL ? s->text : "";
}

char *plait__strbuf_take(plait__strbuf *s)
{
    if (s->text == NULL && reserve(s, 0)) {
        s->text[0] = '\0';
    }
    char *text = s->status == PLAIT_OK ? s->text : NULL;
    if (text == NULL) {
        free(s->text);
    }
    *s = (plait__strbuf){0};
    return text;
}

void plait__strbuf_free(plait__strbuf *s)
{
    free(s->text);
    *s = (plait__strbuf){0};
}
