/*
 * Tests of plait_from_host, plait_to_host and plait_item.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "testing.h"

#include <math.h>
#include <plait/plait.h>

static plait_ctx *ctx;

static const plait_dtype dtypes[] = {PLAIT_BOOL, PLAIT_U8, PLAIT_I32, PLAIT_I64, PLAIT_F32, PLAIT_F64, PLAIT_C64};

static void test_round_trip(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    static const plait_dims shapes[] = {{0, {0}}, {1, {1}}, {1, {257}}, {2, {3, 5}}, {8, {1, 2, 1, 3, 1, 2, 1, 2}}};
    for (size_t d = 0; d < sizeof dtypes / sizeof dtypes[0]; d++) {
        if (dtypes[d] == PLAIT_F64 && !plait_ctx_device(ctx)->fp64) {
            continue;
        }
        for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
            size_t count = (size_t)plait_shape_count(shapes[s]);
            size_t bytes = count * plait_dtype_size(dtypes[d]);
            unsigned char *in = malloc(bytes);
            unsigned char *kept = malloc(bytes);
            unsigned char *out = calloc(1, bytes);
            for (size_t i = 0; i < bytes; i++) {
                in[i] = kept[i] = dtypes[d] == PLAIT_BOOL ? i % 2 : (unsigned char)(i * 37 % 113);
            }
            plait_array *a = plait_from_host(ctx, in, shapes[s], dtypes[d]);
            memset(in, 0xff, bytes); /* it was a copy */
            assert_non_null(a);
            assert_true(plait_array_is_evaluated(a));
            assert_int_equal(plait_array_dtype(a), dtypes[d]);
            assert_int_equal(plait_array_count(a), count);
            assert_ok(plait_to_host(a, out, count, d % 2 ? dtypes[d] : PLAIT_DTYPE_DEFAULT));
            assert_memory_equal(out, kept, bytes);
            free(in);
            free(kept);
            free(out);
        }
    }
}

static void test_bool_bytes(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    const unsigned char in[5] = {0, 1, 2, 255, 0};
    unsigned char out[5];
    plait_array *a = plait_from_host(ctx, in, PLAIT_SHAPE(5), PLAIT_BOOL);
    assert_ok(plait_to_host(a, out, 5, PLAIT_BOOL));
    assert_memory_equal(out, ((const unsigned char[]){0, 1, 1, 1, 0}), 5);
}

static void test_empty(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    static const plait_dims shapes[] = {{1, {0}}, {2, {0, 4}}, {3, {3, 0, 2}}};
    for (size_t s = 0; s < 3; s++) {
        plait_array *a = plait_from_host(ctx, NULL, shapes[s], PLAIT_F32);
        assert_non_null(a);
        assert_ok(plait_to_host(a, NULL, 0, PLAIT_F32));
        assert_ok(plait_to_host(a, NULL, 0, PLAIT_I64));
        assert_ok(plait_to_host(plait_multiply(a, plait_num(2)), NULL, 0, PLAIT_F32));
    }
}

/* What does not fit is decided, and the same whether the host or the device converts. */
static void test_conversion(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    static const float values[6] = {NAN, INFINITY, -INFINITY, 3e9f, -1.5f, 1.9f};
    static const int32_t as_i32[6] = {0, INT32_MAX, INT32_MIN, INT32_MAX, -1, 1};
    static const unsigned char as_u8[6] = {0, 255, 0, 255, 0, 1};
    static const int64_t as_i64[6] = {0, INT64_MAX, INT64_MIN, 3000000000, -1, 1};
    static const unsigned char as_bool[6] = {1, 1, 1, 1, 1, 1};
    static const size_t counts[2] = {6, 6000};
    for (int c = 0; c < 2; c++) {
        size_t n = counts[c];
        float *in = malloc(n * sizeof *in);
        for (size_t i = 0; i < n; i++) {
            in[i] = values[i % 6];
        }
        plait_array *a = plait_from_host(ctx, in, PLAIT_SHAPE((int64_t)n), PLAIT_F32);
        int32_t *i32 = malloc(n * sizeof *i32);
        int64_t *i64 = malloc(n * sizeof *i64);
        unsigned char *u8 = malloc(n);
        unsigned char *b = malloc(n);
        float *c64 = malloc(2 * n * sizeof *c64);
        assert_ok(plait_to_host(a, i32, n, PLAIT_I32));
        assert_ok(plait_to_host(a, i64, n, PLAIT_I64));
        assert_ok(plait_to_host(a, u8, n, PLAIT_U8));
        assert_ok(plait_to_host(a, b, n, PLAIT_BOOL));
        assert_ok(plait_to_host(a, c64, n, PLAIT_C64));
        for (size_t i = 0; i < n; i++) {
            assert_int_equal(i32[i], as_i32[i % 6]);
            assert_int_equal(i64[i], as_i64[i % 6]);
            assert_int_equal(u8[i], as_u8[i % 6]);
            assert_int_equal(b[i], as_bool[i % 6]);
            assert_true(c64[2 * i] == in[i] || (isnan(c64[2 * i]) && isnan(in[i])));
            assert_true(c64[2 * i + 1] == 0);
        }
        free(in);
        free(i32);
        free(i64);
        free(u8);
        free(b);
        free(c64);
    }
}

static void test_views(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    float in[12];
    for (int i = 0; i < 12; i++) {
        in[i] = (float)i;
    }
    plait_array *a = plait_from_host(ctx, in, PLAIT_SHAPE(3, 4), PLAIT_F32);
    float out[12];
    assert_ok(plait_to_host(plait_transpose(a), out, 12, PLAIT_F32));
    assert_memory_equal(out, ((const float[]){0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}), sizeof out);
    assert_ok(plait_to_host(plait_slice(a, 0, 1, PLAIT_OPEN, 1), out, 8, PLAIT_F32));
    assert_memory_equal(out, in + 4, 8 * sizeof out[0]);
    assert_ok(plait_to_host(plait_slice(a, 1, PLAIT_OPEN, PLAIT_OPEN, -2), out, 6, PLAIT_F32));
    assert_memory_equal(out, ((const float[]){3, 1, 7, 5, 11, 9}), 6 * sizeof out[0]);

    double item;
    assert_ok(plait_item(plait_index(plait_index(plait_transpose(a), 0, -1), 0, 1), &item));
    assert_true(item == 7);
}

/* Copies do not change bits: not of denormals, not of NaN's payload, not the sign of zero. */
static void test_bits(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    static const uint32_t bits[6] = {0x00000001, 0x807fffff, 0x7fc12345, 0xffc00001, 0x80000000, 0x7f800000};
    static const unsigned char yes[6] = {1, 1, 1, 1, 1, 1};
    uint32_t out[6];
    plait_array *a = plait_from_host(ctx, bits, PLAIT_SHAPE(6), PLAIT_F32);
    assert_ok(plait_to_host(a, out, 6, PLAIT_F32));
    assert_memory_equal(out, bits, sizeof bits);

    plait_array *turned = plait_transpose(plait_reshape(a, PLAIT_SHAPE(2, 3)));
    assert_ok(plait_to_host(turned, out, 6, PLAIT_F32));
    for (int i = 0; i < 6; i++) {
        assert_int_equal(out[i], bits[i % 2 * 3 + i / 2]);
    }
    assert_ok(plait_to_host(plait_flip(a, PLAIT_AXES(0)), out, 6, PLAIT_F32));
    for (int i = 0; i < 6; i++) {
        assert_int_equal(out[i], bits[5 - i]);
    }
    plait_array *mask = plait_from_host(ctx, yes, PLAIT_SHAPE(6), PLAIT_BOOL);
    assert_ok(plait_to_host(plait_where(mask, a, plait_num(0)), out, 6, PLAIT_F32));
    assert_memory_equal(out, bits, sizeof bits);
}

static void test_item(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    double d;
    int64_t i;
    assert_ok(plait_item(plait_num(2.5), &d));
    assert_true(d == 2.5);
    assert_ok(plait_item_int(plait_num(-2.5), &i));
    assert_int_equal(i, -2);
    assert_ok(plait_item_int(plait_int(INT64_MIN), &i));
    assert_true(i == INT64_MIN);

    const int64_t big = INT64_C(9007199254740993);
    plait_array *a = plait_from_host(ctx, &big, PLAIT_SHAPE(1, 1), PLAIT_I64);
    assert_ok(plait_item_int(a, &i));
    assert_true(i == big);
    assert_ok(plait_item(a, &d));
    assert_true(d == 9007199254740992.0);
    const unsigned char yes = 7;
    assert_ok(plait_item(plait_from_host(ctx, &yes, PLAIT_SCALAR_SHAPE, PLAIT_BOOL), &d));
    assert_true(d == 1);
    const float nan = NAN;
    assert_ok(plait_item_int(plait_from_host(ctx, &nan, PLAIT_SCALAR_SHAPE, PLAIT_F32), &i));
    assert_int_equal(i, 0);
}

static void test_numbers_to_host(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    float f[2];
    unsigned char b;
    assert_ok(plait_to_host(plait_num(0.1), f, 1, PLAIT_F32));
    assert_true(f[0] == 0.1f);
    assert_ok(plait_to_host(plait_complex(1, -2), f, 1, PLAIT_DTYPE_DEFAULT));
    assert_true(f[0] == 1 && f[1] == -2);
    assert_ok(plait_to_host(plait_complex(0, -2), &b, 1, PLAIT_BOOL));
    assert_int_equal(b, 1);
}

static void test_refused(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    const float in[4] = {1, 2, 3, 4};
    float out[4];
    double d;
    int64_t i;
    plait_array *a = plait_from_host(ctx, in, PLAIT_SHAPE(4), PLAIT_F32);

    assert_fails_null(plait_from_host(NULL, in, PLAIT_SHAPE(4), PLAIT_F32), PLAIT_E_NULL, "plait_from_host");
    assert_fails_null(plait_from_host(ctx, NULL, PLAIT_SHAPE(4), PLAIT_F32), PLAIT_E_NULL, "data");
    assert_fails_null(plait_from_host(ctx, in, PLAIT_SHAPE(4), PLAIT_DTYPE_DEFAULT), PLAIT_E_DTYPE, "plait_from_host");
    assert_fails_null(plait_from_host(ctx, in, PLAIT_SHAPE(4), PLAIT_F16), PLAIT_E_DTYPE, "f16");
    assert_fails_null(plait_from_host(ctx, in, PLAIT_SHAPE(4), (plait_dtype)99), PLAIT_E_DTYPE, "plait_from_host");
    assert_fails_null(plait_from_host(ctx, in, PLAIT_SHAPE(2, -2), PLAIT_F32), PLAIT_E_SHAPE, "(2, -2)");
    assert_fails_null(plait_from_host(ctx, in, PLAIT_SHAPE(1, 1, 1, 1, 1, 1, 1, 1, 4), PLAIT_F32), PLAIT_E_SHAPE,
                      "9 dimensions");
    assert_fails_null(plait_from_host(ctx, in, PLAIT_SHAPE(INT64_MAX, 4), PLAIT_F32), PLAIT_E_SHAPE, "64 bits");
    assert_fails_null(plait_from_host(ctx, in, PLAIT_SHAPE(INT64_C(1) << 60), PLAIT_F32), PLAIT_E_RANGE, "");

    assert_fails(plait_to_host(NULL, out, 4, PLAIT_F32), PLAIT_E_NULL, "plait_to_host: a");
    assert_fails(plait_to_host(PLAIT_NONE, out, 4, PLAIT_F32), PLAIT_E_ARGUMENT, "PLAIT_NONE");
    assert_fails(plait_to_host(a, NULL, 4, PLAIT_F32), PLAIT_E_NULL, "plait_to_host: out");
    assert_fails(plait_to_host(a, out, 3, PLAIT_F32), PLAIT_E_RANGE,
                 "room for 3 elements, but the array of shape (4,)");
    assert_fails(plait_to_host(a, out, 4, PLAIT_C128), PLAIT_E_DTYPE, "c128");
    assert_fails(plait_to_host(plait_complex(1, 2), out, 1, PLAIT_F32), PLAIT_E_DTYPE, "plait_real");
    assert_fails(plait_item(a, &d), PLAIT_E_RANGE, "shape (4,) has 4 elements");
    assert_fails(plait_item_int(NULL, &i), PLAIT_E_NULL, "plait_item_int: a");
    assert_fails(plait_item(a, NULL), PLAIT_E_NULL, "plait_item: out");
    assert_fails(plait_item(plait_complex(1, 2), &d), PLAIT_E_DTYPE, "plait_item");

    /* The first failure of a chain is the one that is told. */
    plait_clear_error();
    plait_array *wrong = plait_add(plait_reshape(a, PLAIT_SHAPE(3)), a);
    assert_int_equal(plait_to_host(plait_sum(wrong), out, 1, PLAIT_F32), PLAIT_E_SHAPE);
    assert_non_null(strstr(plait_last_error(), "plait_reshape"));

    assert_ok(plait_to_host(a, out, 4, PLAIT_F32)); /* nothing is lost */
    assert_memory_equal(out, in, sizeof in);
}

static void test_closed(void **state)
{
    (void)state;
    plait_ctx *other;
    assert_ok(plait_open(&other, NULL));
    const float in[2] = {1, 2};
    float out[2];
    plait_array *a = plait_keep(plait_from_host(other, in, PLAIT_SHAPE(2), PLAIT_F32));
    assert_ok(plait_close(other));
    assert_fails(plait_to_host(a, out, 2, PLAIT_F32), PLAIT_E_CLOSED, "plait_to_host");
    assert_ok(plait_release(a));
}

/* A device without f64 still hands out doubles: the host converts. */
static void test_without_fp64(void **state)
{
    (void)state;
    setenv("PLAIT_EMULATE", "nofp64", 1);
    plait_ctx *other;
    plait_status st = plait_open(&other, NULL);
    unsetenv("PLAIT_EMULATE");
    assert_ok(st);
    enum { MANY = 5000 };
    float in[MANY];
    double out[MANY];
    for (int i = 0; i < MANY; i++) {
        in[i] = (float)i + 0.25f;
    }
    plait_array *a = plait_from_host(other, in, PLAIT_SHAPE(MANY), PLAIT_F32);
    assert_ok(plait_to_host(a, out, MANY, PLAIT_F64));
    for (int i = 0; i < MANY; i++) {
        assert_true(out[i] == (double)in[i]);
    }
    assert_ok(plait_item(plait_index(a, 0, 3), out));
    assert_true(out[0] == 3.25);
    assert_fails_null(plait_from_host(other, out, PLAIT_SHAPE(2), PLAIT_F64), PLAIT_E_UNSUPPORTED,
                      plait_ctx_device(other)->name);
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
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_bool_bytes),   cmocka_unit_test(test_empty),
        cmocka_unit_test(test_conversion), cmocka_unit_test(test_views),        cmocka_unit_test(test_bits),
        cmocka_unit_test(test_item),       cmocka_unit_test(test_refused),      cmocka_unit_test(test_numbers_to_host),
        cmocka_unit_test(test_closed),     cmocka_unit_test(test_without_fp64),
    };
    return cmocka_run_group_tests_name("host", tests, NULL, teardown);
}
