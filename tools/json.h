/*
 * Writes JSON to a stream: commas, indents and escapes. The caller names members in order; nothing is kept.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#ifndef PLAIT_JSON_H
#define PLAIT_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct json {
    FILE *out;
    int depth;
    bool first; /* nothing has been written at this depth yet */
} json;

/* `name` is NULL for the whole document and for members of a list. */
void json_open(json *j, const char *name, char bracket); /* '{' or '[' */
void json_close(json *j, char bracket);                  /* '}' or ']' */
void json_string(json *j, const char *name, const char *value);
void json_integer(json *j, const char *name, uint64_t value);
void json_boolean(json *j, const char *name, bool value);

#endif
