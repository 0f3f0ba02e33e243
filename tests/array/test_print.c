/*
 * Tests of plait_to_text and plait_print. The text itself is tested in test_array_text.c.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "testing.h"

#include "alloc.h"

#include <limits.h>
#include <plait/plait.h>

static plait_ctx *ctx;

static void check_text(plait_array *a, const plait_print_opts *opts, const char *expected)
{
    char *text;
    assert_ok(plait_to_text(a, opts, &text));
    assert_string_equal(text, expected);
    plait_free(text);
}

static plait_array *ramp(int64_t n)
{
    return plait_arange(ctx, 0, (double)n, 1, PLAIT_I32);
}

static void test_text(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    plait_array *a = plait_reshape(ramp(4), PLAIT_SHAPE(2, 2));
    check_text(plait_divide(plait_astype(a, PLAIT_F32), plait_num(2)), NULL, "[[0.  0.5]\n [1.  1.5]]");
    check_text(plait_transpose(a), NULL, "[[0 2]\n [1 3]]");
    check_text(plait_less(a, plait_int(2)), NULL, "[[ True  True]\n [False False]]");
    check_text(plait_num(0.1), NULL, "0.1");
    check_text(plait_int(-3), NULL, "-3");
    check_text(plait_complex(1, -2), NULL, "(1-2j)");
    check_text(plait_zeros(ctx, PLAIT_SHAPE(0, 4), PLAIT_F32), NULL, "[]");
    plait_print_opts o = PLAIT_PRINT_OPTS;
    o.precision = 2;
    check_text(plait_divide(plait_astype(a, PLAIT_F32), plait_num(3)), &o, "[[0.   0.33]\n [0.67 1.  ]]");
    o.precision = -1;
    check_text(plait_divide(plait_astype(a, PLAIT_F32), plait_num(3)), &o, "[[0. 0.]\n [1. 1.]]");
    o.precision = INT_MAX;
    check_text(plait_astype(a, PLAIT_F32), &o, "[[0. 1.]\n [2. 3.]]");
    check_text(plait_num(0.1), &o, "0.1");
    check_text(plait_num(5e-324), &o, "5e-324");
}

/* Summarised, in blocks that are read whole, and in pieces of larger ones. */
static void test_summary(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    check_text(ramp(1001), NULL, "[   0    1    2 ...  998  999 1000]");
    check_text(ramp(1000000), NULL, "[     0      1      2 ... 999997 999998 999999]");
    check_text(plait_reshape(ramp(1200000), PLAIT_SHAPE(1000, 1200)), NULL,
               "[[      0       1       2 ...    1197    1198    1199]\n"
               " [   1200    1201    1202 ...    2397    2398    2399]\n"
               " [   2400    2401    2402 ...    3597    3598    3599]\n"
               " ...\n"
               " [1196400 1196401 1196402 ... 1197597 1197598 1197599]\n"
               " [1197600 1197601 1197602 ... 1198797 1198798 1198799]\n"
               " [1198800 1198801 1198802 ... 1199997 1199998 1199999]]");
    plait_print_opts o = PLAIT_PRINT_OPTS;
    o.threshold = 5;
    o.edge_items = 1;
    check_text(plait_reshape(ramp(24), PLAIT_SHAPE(2, 3, 4)), &o,
               "[[[ 0 ...  3]\n  ...\n  [ 8 ... 11]]\n\n [[12 ... 15]\n  ...\n  [20 ... 23]]]");
    /* A view, of which only the shown elements count. */
    check_text(plait_flip(ramp(2000), PLAIT_AXES(0)), NULL, "[1999 1998 1997 ...    2    1    0]");
}

static void test_print_to_file(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    FILE *f = tmpfile();
    assert_non_null(f);
    assert_ok(plait_print(f, ramp(3)));
    char text[32] = "";
    rewind(f);
    assert_int_equal(fread(text, 1, sizeof text - 1, f), 8);
    assert_string_equal(text, "[0 1 2]\n");
    fclose(f);
}

static void test_refused(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    char *text = (char *)&text;
    assert_fails(plait_to_text(NULL, NULL, &text), PLAIT_E_NULL, "plait_to_text: a");
    assert_null(text);
    assert_fails(plait_to_text(ramp(3), NULL, NULL), PLAIT_E_NULL, "out");
    assert_fails(plait_print(NULL, ramp(3)), PLAIT_E_NULL, "out");
    plait_print_opts o = PLAIT_PRINT_OPTS;
    o.edge_items = -1;
    assert_fails(plait_to_text(ramp(3), &o, &text), PLAIT_E_ARGUMENT, "edge_items");
    o = (plait_print_opts){0};
    assert_fails(plait_to_text(ramp(3), &o, &text), PLAIT_E_ARGUMENT, "size");
    plait_print_opts_init(&o);
    assert_int_equal(o.size, sizeof o);
    check_text(ramp(2), &o, "[0 1]");

    FILE *full = fopen("/dev/full", "w");
    if (full != NULL) {
        setvbuf(full, NULL, _IONBF, 0);
        assert_fails(plait_print(full, ramp(3)), PLAIT_E_IO, "plait_print");
        fclose(full);
    }
}

static void test_exhausted_memory(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    plait_array *a = plait_reshape(ramp(1200000), PLAIT_SHAPE(1000, 1200));
    assert_ok(plait_eval(&a, 1));
    bool pending = false;
    for (int64_t n = 1; !pending; n++) {
        char *text;
        plait__alloc_fail_at(n);
        plait_status st = plait_to_text(a, NULL, &text);
        pending = plait__alloc_fail_pending() != 0;
        plait__alloc_fail_at(0);
        assert_int_equal(st, pending ? PLAIT_OK : PLAIT_E_NO_MEMORY);
        assert_true((text != NULL) == pending);
        plait_free(text);
    }
}

static int teardown(void **state)
{
    (void)state;
    return plait_close(ctx) == PLAIT_OK ? 0 : 1;
}

int main(void)
{
    plait_status st = plait_open(&ctx, NULL);
    if (st == PLAIT_E_NO_DEVICE) {
        printf("skipped: %s\n", plait_last_error());
        return TEST_SKIPPED;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),    cmocka_unit_test(test_summary),          cmocka_unit_test(test_print_to_file),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_exhausted_memory),
    };
    return cmocka_run_group_tests_name("print", tests, NULL, teardown);
}
