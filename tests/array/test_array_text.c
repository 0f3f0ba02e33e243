/*
 * Tests of lib/array/array_text.h: NumPy's own text, from tests/golden/print.txt.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "testing.h"

#include "array_text.h"

#include <locale.h>

static char *read_golden(void)
{
    FILE *f = fopen(PLAIT_GOLDEN "/print.txt", "rb");
    if (f == NULL) {
        fail_msg("%s/print.txt cannot be opened", PLAIT_GOLDEN);
    }
    static char text[1 << 20];
    size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    assert_true(n > 0 && n < sizeof text - 1);
    text[n] = '\0';
    return text;
}

/* The line at *at, ended by a NUL; *at moves to the next. */
static char *next_line(char **at)
{
    char *line = *at;
    char *end = strchr(line, '\n');
    assert_non_null(end);
    *end = '\0';
    *at = end + 1;
    return line;
}

static plait_dims parse_shape(const char *text)
{
    plait_dims shape = {0};
    while (*text != '-' && *text != '\0') {
        char *end;
        shape.d[shape.n++] = strtoll(text, &end, 10);
        text = *end == ',' ? end + 1 : end;
    }
    return shape;
}

/* In a block of exactly its size. */
static unsigned char *parse_hex(const char *hex)
{
    size_t n = hex[0] == '-' ? 0 : strlen(hex) / 2;
    unsigned char *bytes = malloc(n + (n == 0));
    for (size_t i = 0; i < n; i++) {
        const char digits[3] = {hex[2 * i], hex[2 * i + 1], '\0'};
        bytes[i] = (unsigned char)strtoul(digits, NULL, 16);
    }
    return bytes;
}

static int check_all(void)
{
    char *at = read_golden();
    int cases = 0;
    next_line(&at); /* the comment */
    while (*at != '\0') {
        char *head = next_line(&at);
        char dtype_name[8];
        char shape_text[64];
        plait__text_format format;
        assert_int_equal(sscanf(head, "case %7s %63s %d %d %d %d", dtype_name, shape_text, &format.precision,
                                &format.threshold, &format.edge_items, &format.line_width),
                         6);
        plait_dims shape = parse_shape(shape_text);
        plait_dtype dtype;
        assert_ok(plait_dtype_parse(&dtype, dtype_name));
        unsigned char *data = parse_hex(next_line(&at) + strlen("data "));
        int lines = atoi(next_line(&at) + strlen("text "));
        char *expected = at;
        for (int i = 0; i < lines; i++) {
            char *line = next_line(&at);
            if (i + 1 < lines) {
                line[strlen(line)] = '\n';
            }
        }
        plait__strbuf s = {0};
        plait__array_text(&s, dtype, &shape, data, &format);
        assert_int_equal(s.status, PLAIT_OK);
        if (strcmp(plait__strbuf_text(&s), expected) != 0) {
            fail_msg("%s:\n%s\ninstead of\n%s", head, plait__strbuf_text(&s), expected);
        }
        plait__strbuf_free(&s);
        free(data);
        cases++;
    }
    return cases;
}

static void test_golden(void **state)
{
    (void)state;
    assert_true(check_all() > 300);
}

static void test_locale(void **state)
{
    (void)state;
    if (!test_comma_locale()) {
        print_message("skipped: no locale with a decimal comma\n");
        skip();
    }
    check_all();
    setlocale(LC_ALL, "C");
}

static void test_shown(void **state)
{
    (void)state;
    const plait__text_format format = {.precision = 8, .threshold = 1000, .edge_items = 3, .line_width = 75};
    plait_dims shape = {3, {7, 6, 100}};
    plait_dims shown = plait__text_shown(&shape, &format);
    assert_memory_equal(&shown, &((plait_dims){3, {6, 6, 6}}), sizeof shown);
    shape = (plait_dims){2, {10, 100}};
    shown = plait__text_shown(&shape, &format);
    assert_memory_equal(&shown, &shape, sizeof shown);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_locale),
        cmocka_unit_test(test_shown),
    };
    return cmocka_run_group_tests_name("array_text", tests, NULL, NULL);
}
