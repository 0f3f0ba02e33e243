#include "json.h"

#include <inttypes.h>

static void write_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\') {
            fprintf(out, "\\%c", *c);
        } else if (*c < 0x20 || *c >= 0x7f) {
            /* Drivers' texts are not always UTF-8; byte by byte they stay valid JSON. */
            fprintf(out, "\\u%04x", *c);
        } else {
            fputc(*c, out);
        }
    }
    fputc('"', out);
}

static void begin(json *j, const char *name)
{
    if (j->depth > 0) {
        fprintf(j->out, "%s\n%*s", j->first ? "" : ",", 2 * j->depth, "");
    }
    j->first = false;
    if (name != NULL) {
        write_string(j->out, name);
        fputs(": ", j->out);
    }
}

void json_open(json *j, const char *name, char bracket)
{
    begin(j, name);
    fputc(bracket, j->out);
    j->depth++;
    j->first = true;
}

void json_close(json *j, char bracket)
{
    j->depth--;
    if (!j->first) {
        fprintf(j->out, "\n%*s", 2 * j->depth, "");
    }
    fputc(bracket, j->out);
    j->first = false;
    if (j->depth == 0) {
        fputc('\n', j->out);
    }
}

void json_string(json *j, const char *name, const char *value)
{
    begin(j, name);
    write_string(j->out, value);
}

void json_integer(json *j, const char *name, uint64_t value)
{
    begin(j, name);
    fprintf(j->out, "%" PRIu64, value);
}

void json_boolean(json *j, const char *name, bool value)
{
    begin(j, name);
    fputs(value ? "true" : "false", j->out);
}
