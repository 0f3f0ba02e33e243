/*
 * Plait: the places that a compiler's log names.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "build_log.h"

#include <stdlib.h>
#include <string.h>

#include "strbuf.h"

#define NAMELESS "<kernel>:"

/* Where a line of the source comes from: `line` of the file named by the `length` characters at `name`. */
typedef struct place {
    const char *name;
    size_t length;
    unsigned long line;
} place;

/* `#line 12 "name"`: what it says of the line after it. The name may be left out; then it stays. */
static bool read_directive(const char *line, place *p)
{
    static const char word[] = "#line ";
    if (strncmp(line, word, sizeof word - 1) != 0) {
        return false;
    }
    char *end;
    unsigned long number = strtoul(line + sizeof word - 1, &end, 10);
    if (end == line + sizeof word - 1) {
        return false;
    }
    p->line = number;
    if (end[0] == ' ' && end[1] == '"') {
        const char *name = end + 2, *close = name;
        while (*close != '"' && *close != '\n' && *close != 0) {
            close += close[0] == '\\' && close[1] != 0 ? 2 : 1;
        }
        p->name = name;
        p->length = (size_t)(close - name);
    }
    return true;
}

/* The place of line `number`, counted from 1; false if the source says nothing about it. */
static bool find(const char *source, unsigned long number, place *out)
{
    place here = {NULL, 0, 1};
    for (unsigned long n = 1; source != NULL; n++) {
        bool directive = read_directive(source, &here);
        if (n == number) {
            *out = here;
            return here.name != NULL && !directive;
        }
        here.line += directive ? 0 : 1;
        source = strchr(source, '\n');
        source = source != NULL ? source + 1 : NULL;
    }
    return false;
}

char *plait__log_name_places(char *log, const char *source)
{
    if (strstr(log, NAMELESS) == NULL) {
        return log;
    }
    plait__strbuf out = {0};
    for (const char *line = log; *line != 0;) {
        const char *next = strchr(line, '\n');
        next = next != NULL ? next + 1 : line + strlen(line);
        place p;
        char *end;
        if (strncmp(line, NAMELESS, sizeof NAMELESS - 1) == 0 &&
            find(source, strtoul(line + sizeof NAMELESS - 1, &end, 10), &p) && *end == ':') {
            for (size_t i = 0; i < p.length; i++) {
                i += p.name[i] == '\\' && i + 1 < p.length ? 1 : 0;
                plait__strbuf_add_char(&out, p.name[i]);
            }
            plait__strbuf_printf(&out, ":%lu", p.line);
            line = end;
        }
        plait__strbuf_add_bytes(&out, line, (size_t)(next - line));
        line = next;
    }
    free(log);
    return plait__strbuf_take(&out);
}
