/*
 * Tests of plait_map.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "testing.h"

#include <math.h>
#include <plait/plait.h>

static plait_ctx *ctx;

static plait_array *floats(const float *values, int64_t n)
{
    return plait_from_host(ctx, values, PLAIT_SHAPE(n), PLAIT_F32);
}

static void test_expressions(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    static const float x[4] = {1, 2, 3, 4};
    static const float y[4] = {10, 20, 30, 40};
    static const int32_t k[4] = {7, 8, 9, 10};
    plait_array *a = floats(x, 4);
    plait_array *b = floats(y, 4);
    plait_array *c = plait_from_host(ctx, k, PLAIT_SHAPE(4), PLAIT_I32);
    plait_array *column = plait_reshape(a, PLAIT_SHAPE(4, 1));

    plait_array *list[] = {
        plait_map("a*b + sin(c)", a, b, plait_num(0)),
        plait_map("a > 2 ? b : -b", a, b),
        plait_map("a % 4", c),                                             /* integers have their own operators */
        plait_map("a + b * 100", column, b),                               /* broadcast */
        plait_map("a*b", plait_add(a, plait_num(1)), plait_transpose(b)),  /* fuses on both sides */
        plait_map("a/b", c, plait_int(2)),                                 /* a number takes the array's dtype */
        plait_map("a*b", c, plait_num(0.5)),                               /* ... or the real one beside integers */
        plait_map_n("a + 0.75f", (plait_array *const[]){a}, 1, PLAIT_I32), /* converted as C does */
        plait_map("1.5e+1f + 0x1p-1f*a", a),
        plait_sum(plait_map("a*a", a)),
        plait_map("a ? b : -b", plait_less(a, plait_num(2.5)), b), /* a bool is 0 or 1 */
        plait_map("(float2)(a.y, a.x)", plait_multiply(a, plait_complex(1, 2))),
    };
    size_t n = sizeof list / sizeof list[0];
    assert_ok(plait_eval(list, n));

    float f[16];
    int32_t i[4];
    assert_ok(plait_to_host(list[0], f, 4, PLAIT_F32));
    assert_memory_equal(f, ((const float[]){10, 40, 90, 160}), 16);
    assert_ok(plait_to_host(list[1], f, 4, PLAIT_F32));
    assert_memory_equal(f, ((const float[]){-10, -20, 30, 40}), 16);
    assert_int_equal(plait_array_dtype(list[2]), PLAIT_I32);
    assert_ok(plait_to_host(list[2], i, 4, PLAIT_I32));
    assert_memory_equal(i, ((const int32_t[]){3, 0, 1, 2}), 16);
    assert_ok(plait_to_host(list[3], f, 16, PLAIT_F32));
    for (int r = 0; r < 16; r++) {
        assert_true(f[r] == x[r / 4] + y[r % 4] * 100);
    }
    assert_ok(plait_to_host(list[4], f, 4, PLAIT_F32));
    assert_memory_equal(f, ((const float[]){20, 60, 120, 200}), 16);
    assert_int_equal(plait_array_dtype(list[5]), PLAIT_I32);
    assert_ok(plait_to_host(list[5], i, 4, PLAIT_I32));
    assert_memory_equal(i, ((const int32_t[]){3, 4, 4, 5}), 16);
    assert_int_equal(plait_array_dtype(list[6]), PLAIT_F32);
    assert_ok(plait_to_host(list[6], f, 4, PLAIT_F32));
    assert_memory_equal(f, ((const float[]){3.5f, 4, 4.5f, 5}), 16);
    assert_int_equal(plait_array_dtype(list[7]), PLAIT_I32);
    assert_ok(plait_to_host(list[7], i, 4, PLAIT_I32));
    assert_memory_equal(i, ((const int32_t[]){1, 2, 3, 4}), 16);
    assert_ok(plait_to_host(list[8], f, 4, PLAIT_F32));
    assert_memory_equal(f, ((const float[]){15.5f, 16, 16.5f, 17}), 16);
    double sum;
    assert_ok(plait_item(list[9], &sum));
    assert_true(sum == 30);
    assert_int_equal(plait_array_dtype(list[10]), PLAIT_F32);
    assert_ok(plait_to_host(list[10], f, 4, PLAIT_F32));
    assert_memory_equal(f, ((const float[]){10, 20, -30, -40}), 16);
    assert_int_equal(plait_array_dtype(list[11]), PLAIT_C64);
    assert_ok(plait_to_host(list[11], f, 4, PLAIT_C64));
    assert_memory_equal(f, ((const float[]){2, 1, 4, 2, 6, 3, 8, 4}), 32);
}

/* C's conversion to bool: anything but zero is true, and true is 1. */
static void test_bool(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    static const float x[4] = {0, 0.5f, -3, NAN};
    static const unsigned char bits[2] = {1, 0};
    plait_array *a = floats(x, 4), *b = plait_from_host(ctx, bits, PLAIT_SHAPE(2), PLAIT_BOOL);
    plait_array *list[] = {
        plait_map_n("a", &a, 1, PLAIT_BOOL), plait_map("a + a", b), plait_map("~a", b),
        plait_sum(plait_map_n("a * 2", &a, 1, PLAIT_BOOL)), /* fused */
    };
    assert_ok(plait_eval(list, 4));
    unsigned char found[4];
    assert_ok(plait_to_host(list[0], found, 4, PLAIT_BOOL));
    assert_memory_equal(found, ((const unsigned char[]){0, 1, 1, 1}), 4);
    assert_ok(plait_to_host(list[1], found, 2, PLAIT_BOOL));
    assert_memory_equal(found, ((const unsigned char[]){1, 0}), 2);
    assert_ok(plait_to_host(list[2], found, 2, PLAIT_BOOL));
    assert_memory_equal(found, ((const unsigned char[]){1, 1}), 2);
    int64_t sum;
    assert_ok(plait_item_int(list[3], &sum));
    assert_int_equal(sum, 3);
}

static void test_sixteen(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    plait_array *list[17];
    for (int i = 0; i < 17; i++) {
        const float value = (float)(1 << i);
        list[i] = floats(&value, 1);
    }
    double sum;
    assert_ok(plait_item(plait_map_n("a+b+c+d+e+f+g+h+i+j+k+l+m+n+o+p", list, 16, PLAIT_DTYPE_DEFAULT), &sum));
    assert_true(sum == 65535);
    assert_fails_null(plait_map_n("a", list, 17, PLAIT_DTYPE_DEFAULT), PLAIT_E_ARGUMENT, "17 arrays");
}

static void test_empty(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    plait_array *a = plait_map("a + 1", plait_zeros(ctx, PLAIT_SHAPE(3, 0), PLAIT_F32));
    assert_int_equal(plait_array_shape(a).d[0], 3);
    assert_ok(plait_to_host(a, NULL, 0, PLAIT_F32));
}

static void test_refused(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    static const float x[3] = {1, 2, 3};
    plait_array *a = floats(x, 3);
    static const char *const bad[] = {
        "",      "  ",  "a; b",   "a\n+1",  "#define X", "a{", "a}",  "a // comment", "a /* b */",
        "\"a\"", "'a'", "a \\ b", "a ?\?/", "a) + (a",   "(a", "a +", /* the last one is the compiler's */
    };
    size_t n = sizeof bad / sizeof bad[0];
    for (size_t i = 0; i + 1 < n; i++) {
        assert_fails_null(plait_map(bad[i], a), PLAIT_E_ARGUMENT, "plait_map_n");
    }
    assert_fails_null(plait_map("a + b", a), PLAIT_E_ARGUMENT, "names the array b, but only 1");
    assert_non_null(plait_map("fma(a, 1.0f, 0.0f)", a));
    assert_fails_null(plait_map(NULL, a), PLAIT_E_NULL, "expression");
    assert_fails_null(plait_map("a", (plait_array *)NULL), PLAIT_E_NULL, "plait_map_n");
    assert_fails_null(plait_map_n("a", NULL, 1, PLAIT_DTYPE_DEFAULT), PLAIT_E_NULL, "inputs");
    assert_fails_null(plait_map_n("a", &a, 0, PLAIT_DTYPE_DEFAULT), PLAIT_E_ARGUMENT, "0 arrays");
    assert_fails_null(plait_map("a", plait_num(1)), PLAIT_E_ARGUMENT, "numbers");
    assert_fails_null(plait_map_n("a", &a, 1, PLAIT_BF16), PLAIT_E_DTYPE, "bf16");
    assert_fails_null(plait_map("a+b", a, floats(x, 2)), PLAIT_E_SHAPE, "(3,) and (2,)");

    /* What only the compiler sees comes at evaluation, with the text; the context goes on. */
    float out[3];
    assert_fails(plait_to_host(plait_map(bad[n - 1], a), out, 3, PLAIT_F32), PLAIT_E_BUILD, bad[n - 1]);
    assert_fails(plait_to_host(plait_map("no_such_function(a)", a), out, 3, PLAIT_F32), PLAIT_E_BUILD,
                 "no_such_function");
    assert_ok(plait_to_host(a, out, 3, PLAIT_F32));
    assert_memory_equal(out, x, sizeof x);
}

static void test_two_contexts(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    static const float x[1] = {1};
    plait_ctx *other;
    assert_ok(plait_open(&other, NULL));
    plait_array *b = plait_from_host(other, x, PLAIT_SHAPE(1), PLAIT_F32);
    assert_fails_null(plait_map("a+b", floats(x, 1), b), PLAIT_E_CONTEXT, plait_ctx_device(ctx)->name);
    assert_ok(plait_close(other));
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
        cmocka_unit_test(test_expressions), cmocka_unit_test(test_bool),    cmocka_unit_test(test_sixteen),
        cmocka_unit_test(test_empty),       cmocka_unit_test(test_refused), cmocka_unit_test(test_two_contexts),
    };
    return cmocka_run_group_tests_name("user_map", tests, NULL, teardown);
}
