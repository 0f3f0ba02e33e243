/*
 * Tests of the places in a compiler's log.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "testing.h"

#include "build_log.h"

#include <stdlib.h>
#include <string.h>

static const char source[] = "#define N 1\n"
                             "\n#line 1 \"dir/a \\\"b\\\".cl\"\n"
                             "one\n"
                             "\n#line 1 \"c.h\"\n"
                             "included\n"
                             "\n#line 3 \"dir/a \\\"b\\\".cl\"\n"
                             "three\n"
                             "#line 40\n"
                             "forty\n";

static void becomes(const char *log, const char *wanted)
{
    char *said = plait__log_name_places(strdup(log), source);
    assert_non_null(said);
    assert_string_equal(said, wanted);
    free(said);
}

static void lines_are_named(void **state)
{
    (void)state;
    becomes("<kernel>:4:7: error: one\n", "dir/a \"b\".cl:1:7: error: one\n");
    becomes("<kernel>:7:1: error: i\nincluded\n^", "c.h:1:1: error: i\nincluded\n^");
    becomes("<kernel>:10:2: note: t\n<kernel>:12:3: note: f",
            "dir/a \"b\".cl:3:2: note: t\ndir/a \"b\".cl:40:3: note: f");
}

static void what_is_not_known_stays(void **state)
{
    (void)state;
    becomes("", "");
    becomes("a.cl:3:1: error: <kernel> x\n", "a.cl:3:1: error: <kernel> x\n");
    becomes("<kernel>:1:9: warning: before any directive\n", "<kernel>:1:9: warning: before any directive\n");
    becomes("<kernel>:999:1: error: beyond\n", "<kernel>:999:1: error: beyond\n");
    becomes("<kernel>: error: no line\n", "<kernel>: error: no line\n");
    becomes("say <kernel>:4:7: inside\n", "say <kernel>:4:7: inside\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_named),
        cmocka_unit_test(what_is_not_known_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
