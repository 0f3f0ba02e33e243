#include "build_log.h"

#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct place {
    char path[PATH_MAX];
    long line, column; /* column 0: unknown */
} place;

/* Reads ":12" or ":12:7" at `at`. */
static bool read_numbers(const char *at, place *out)
{
    char *end;
    if (at[0] != ':' || !isdigit((unsigned char)at[1])) {
        return false;
    }
    out->line = strtol(at + 1, &end, 10);
    out->column = 0;
    if (end[0] == ':' && isdigit((unsigned char)end[1])) {
        out->column = strtol(end + 1, &end, 10);
    }
    return *end == ':' || *end == '\0' || isspace((unsigned char)*end);
}

/* The first place in a line of the log. What stands before the path ("error: ") is not known, so each word is tried. */
static bool find_place(const char *line, size_t length, place *out, FILE **file)
{
    for (size_t i = 0; i < length; i++) {
        if (!read_numbers(line + i, out)) {
            continue;
        }
        for (size_t from = 0; from < i; from++) {
            const bool starts = from == 0 || (line[from - 1] == ' ' && line[from] != ' ');
            if (!starts || i - from >= sizeof(out->path)) {
                continue;
            }
            memcpy(out->path, line + from, i - from);
            out->path[i - from] = '\0';
            *file = fopen(out->path, "r");
            if (*file != NULL) {
                return true;
            }
        }
    }
    return false;
}

/* Line `number` of the file, without its end and its indent, which goes to *indent. */
static bool read_source_line(FILE *file, long number, char *out, int size, size_t *indent)
{
    for (long i = 0; i < number; i++) {
        if (fgets(out, size, file) == NULL) {
            return false;
        }
    }
    out[strcspn(out, "\r\n")] = '\0';
    *indent = strspn(out, " \t");
    memmove(out, out + *indent, strlen(out + *indent) + 1);
    return out[0] != '\0';
}

/* Whether the compiler shows the source itself, in one of the two lines after the message. */
static bool shown_below(const char *rest, const char *source)
{
    for (int i = 0; i < 2 && *rest != '\0'; i++) {
        const size_t length = strcspn(rest, "\n");
        const char *at = strstr(rest, source);
        if (at != NULL && at < rest + length) {
            return true;
        }
        rest += length + (rest[length] == '\n' ? 1 : 0);
    }
    return false;
}

void build_log_print(FILE *out, const char *log)
{
    while (*log != '\0') {
        const size_t length = strcspn(log, "\n");
        const char *rest = log + length + (log[length] == '\n' ? 1 : 0);
        fprintf(out, "%.*s\n", (int)length, log);
        place p;
        FILE *file;
        char source[400];
        size_t indent;
        if (find_place(log, length, &p, &file)) {
            if (read_source_line(file, p.line, source, (int)sizeof(source), &indent) && !shown_below(rest, source)) {
                fprintf(out, "  %5ld | %s\n", p.line, source);
                if (p.column > (long)indent && p.column <= (long)(indent + strlen(source))) {
                    fprintf(out, "        | %*s^\n", (int)(p.column - 1 - (long)indent), "");
                }
            }
            fclose(file);
        }
        log = rest;
    }
}
