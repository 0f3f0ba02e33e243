/*
 * Numbers that go wrong elsewhere: denormals and the bits of NaN, integers at their limits, conversions out of range,
 * NaN in minima and maxima, and everything again under a locale with a decimal comma.
 */
#include "api_testing.h"

#include <locale.h>
#include <math.h>
#include <unistd.h>

static plait_ctx *ctx;

static float f32_of(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static plait_array *f32s(const float *values, int64_t n)
{
    plait_array *a = plait_from_host(ctx, values, PLAIT_SHAPE(n), PLAIT_F32);
    assert_array(a);
    return a;
}

/* ---- bits ---- */

static const uint32_t bits32[8] = {
    0x00000001, 0x80000001, 0x007FFFFF, 0x7FC12345, 0xFFC54321, 0x80000000, 0x7F800000, 0x00400000,
};
static const uint64_t bits64[8] = {
    0x0000000000000001, 0x8000000000000001, 0x000FFFFFFFFFFFFF, 0x7FF8123456789ABC,
    0xFFF8CBA987654321, 0x8000000000000000, 0x7FF0000000000000, 0x0008000000000000,
};

/* The eight numbers come back in this order, bit for bit. */
static void in_order(plait_array *a, const void *bits, size_t size, const int *order, const char *what)
{
    unsigned char back[8 * 8];
    assert_array(a);
    assert_ok(plait_to_host(a, back, 8, PLAIT_DTYPE_DEFAULT));
    for (size_t i = 0; i < 8; i++) {
        if (memcmp(back + i * size, (const char *)bits + (size_t)order[i] * size, size) != 0) {
            fail_msg("%s: element %zu has other bits", what, i);
        }
    }
}

static void copies_keep_bits_of(plait_dtype dtype, const void *bits)
{
    PLAIT_SCOPE;
    static const int same[8] = {0, 1, 2, 3, 4, 5, 6, 7}, reversed[8] = {7, 6, 5, 4, 3, 2, 1, 0};
    static const int transposed[8] = {0, 4, 1, 5, 2, 6, 3, 7};
    size_t size = plait_dtype_size(dtype);
    plait_array *a = plait_from_host(ctx, bits, PLAIT_SHAPE(8), dtype);
    plait_array *yes = plait_ones(ctx, PLAIT_SHAPE(8), PLAIT_BOOL), *zero = plait_zeros(ctx, PLAIT_SHAPE(8), dtype);
    plait_array *flipped = plait_flip(a, PLAIT_AXES(0));
    plait_array *columns = plait_reshape(plait_transpose(plait_reshape(a, PLAIT_SHAPE(2, 4))), PLAIT_SHAPE(8));
    plait_array *chosen = plait_where(yes, a, zero), *other = plait_where(plait_logical_not(yes), zero, a);
    plait_array *all[] = {flipped, columns, chosen, other};
    assert_ok(plait_eval(all, 4));
    in_order(a, bits, size, same, "as they are");
    in_order(flipped, bits, size, reversed, "flipped");
    in_order(columns, bits, size, transposed, "transposed");
    in_order(chosen, bits, size, same, "where true");
    in_order(other, bits, size, same, "where false");
    in_order(plait_broadcast_to(a, PLAIT_SHAPE(1, 8)), bits, size, same, "broadcast");
    char path[] = "bits-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    assert_ok(plait_save_npy(path, flipped));
    in_order(plait_load_npy(ctx, path), bits, size, reversed, "through a file");
    unlink(path);
}

static void copies_keep_every_bit(void **state)
{
    (void)state;
    copies_keep_bits_of(PLAIT_F32, bits32);
    if (plait_ctx_device(ctx)->fp64) {
        copies_keep_bits_of(PLAIT_F64, bits64);
    }
}

static void denormals_are_as_the_device_says(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    const float values[2] = {f32_of(0x00800000), f32_of(1)};
    plait_array *a = f32s(values, 2), *half = plait_multiply(a, plait_num(0.5)), *zero = plait_equal(a, plait_num(0));
    assert_ok(plait_eval((plait_array *const[]){half, zero}, 2));
    float halves[2];
    unsigned char zeros[2];
    assert_ok(plait_to_host(half, halves, 2, PLAIT_F32));
    assert_ok(plait_to_host(zero, zeros, 2, PLAIT_BOOL));
    if (plait_ctx_device(ctx)->denormals) {
        assert_true(halves[0] == f32_of(0x00400000));
        assert_false(zeros[1]);
    } else {
        assert_true(halves[0] == 0 || halves[0] == f32_of(0x00400000));
    }
    assert_false(zeros[0]);
}

/* Also after the user has compiled kernels of his own with fast-math options. */
static void nan_is_seen(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    plait_program_opts o = PLAIT_PROGRAM_OPTS;
    o.options = "-cl-fast-relaxed-math";
    plait_program *program;
    assert_ok(plait_program_from_source(&program, ctx, "kernel void f(global float *a) { a[0] = a[0] != a[0]; }", &o));
    const float values[3] = {1, NAN, INFINITY};
    plait_array *x = f32s(values, 3);
    plait_array *all[] = {plait_isnan(x), plait_not_equal(x, x), plait_equal(x, x), plait_less(x, x)};
    assert_ok(plait_eval(all, 4));
    static const unsigned char wanted[4][3] = {{0, 1, 0}, {0, 1, 0}, {1, 0, 1}, {0, 0, 0}};
    for (size_t i = 0; i < 4; i++) {
        unsigned char found[3];
        assert_ok(plait_to_host(all[i], found, 3, PLAIT_BOOL));
        assert_memory_equal(found, wanted[i], 3);
    }
    plait_program_release(program);
}

/* ---- integers ---- */

static void integers_at_their_limits(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    const int32_t a32[4] = {INT32_MIN, INT32_MAX, -1, 3}, b32[4] = {-1, 1, -3, -2};
    const int64_t a64[4] = {INT64_MIN, INT64_MAX, 3, 2}, b64[4] = {1, 2, 39, -2};
    const unsigned char a8[4] = {0, 255, 16, 2};
    plait_array *x = plait_from_host(ctx, a32, PLAIT_SHAPE(4), PLAIT_I32),
                *y = plait_from_host(ctx, b32, PLAIT_SHAPE(4), PLAIT_I32);
    plait_array *p = plait_from_host(ctx, a64, PLAIT_SHAPE(4), PLAIT_I64),
                *q = plait_from_host(ctx, b64, PLAIT_SHAPE(4), PLAIT_I64);
    plait_array *u = plait_from_host(ctx, a8, PLAIT_SHAPE(4), PLAIT_U8);
    struct {
        plait_array *a;
        int64_t wanted[4];
    } const cases[] = {
        {plait_abs(x), {INT32_MIN, INT32_MAX, 1, 3}},
        {plait_negative(x), {INT32_MIN, -INT32_MAX, 1, -3}},
        {plait_add(x, y), {INT32_MAX, INT32_MIN, -4, 1}},
        {plait_subtract(x, plait_int(1)), {INT32_MAX, INT32_MAX - 1, -2, 2}},
        {plait_multiply(x, x), {0, 1, 1, 9}},
        {plait_pow(x, y), {0, INT32_MAX, -1, 0}},
        {plait_maximum(x, y), {-1, INT32_MAX, -1, 3}},
        {plait_abs(p), {INT64_MIN, INT64_MAX, 3, 2}},
        {plait_pow(p, q), {INT64_MIN, 1, INT64_C(4052555153018976267), 0}},
        {plait_add(p, q), {INT64_MIN + 1, INT64_MIN + 1, 42, 0}},
        {plait_square(u), {0, 1, 0, 4}},
        {plait_negative(u), {0, 1, 240, 254}},
        {plait_pow(u, plait_int(2)), {0, 1, 0, 4}},
        {plait_add(u, plait_int(1)), {1, 0, 17, 3}},
        {plait_greater(plait_add(p, plait_int(0)), x), {0, 1, 1, 0}},
    };
    plait_array *all[sizeof cases / sizeof *cases];
    size_t n = sizeof cases / sizeof *cases;
    for (size_t i = 0; i < n; i++) {
        all[i] = cases[i].a;
    }
    assert_ok(plait_eval(all, n));
    for (size_t i = 0; i < n; i++) {
        int64_t found[4];
        assert_ok(plait_to_host(all[i], found, 4, PLAIT_I64));
        for (size_t k = 0; k < 4; k++) {
            if (found[k] != cases[i].wanted[k]) {
                fail_msg("case %zu, element %zu: %lld, not %lld", i, k, (long long)found[k],
                         (long long)cases[i].wanted[k]);
            }
        }
    }
    int64_t total; /* in 64 bits: 32 would have wrapped */
    assert_ok(plait_item_int(plait_sum(plait_broadcast_to(plait_index(x, 0, 1), PLAIT_SHAPE(5))), &total));
    assert_int_equal(total, 5 * (int64_t)INT32_MAX);
}

/* ---- conversions ---- */

#define N_CASTS 10
static const float castable[N_CASTS] = {NAN, INFINITY, -INFINITY, 3e9F, -1.5F, 1.9F, 1e20F, 68469.13F, -128, 0.5F};
static const int32_t as_i32[N_CASTS] = {0, INT32_MAX, INT32_MIN, INT32_MAX, -1, 1, INT32_MAX, 68469, -128, 0};
static const int64_t as_i64[N_CASTS] = {0, INT64_MAX, INT64_MIN, 3000000000, -1, 1, INT64_MAX, 68469, -128, 0};
static const unsigned char as_u8[N_CASTS] = {0, 255, 0, 255, 0, 1, 255, 255, 0, 0};
static const unsigned char as_bool[N_CASTS] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

/* The array repeats the ten numbers. Its end is looked at, which is as good as any other place and cheap to read. */
static void ends_in(plait_array *a, const void *wanted, plait_dtype dtype, const char *what)
{
    unsigned char found[N_CASTS * 8];
    size_t n = plait_array_count(a);
    plait_array *end = plait_slice(a, 0, (int64_t)n - N_CASTS, PLAIT_OPEN, 1);
    assert_array(end);
    assert_ok(plait_to_host(end, found, N_CASTS, dtype));
    if (memcmp(found, wanted, N_CASTS * plait_dtype_size(dtype)) != 0) {
        fail_msg("to %s, %zu elements, %s: another answer", plait_dtype_name(dtype), n, what);
    }
}

static void conversions_of(plait_array *x)
{
    struct {
        plait_dtype dtype;
        const void *wanted;
    } const targets[] = {
        {PLAIT_I32, as_i32},
        {PLAIT_I64, as_i64},
        {PLAIT_U8, as_u8},
        {PLAIT_BOOL, as_bool},
    };
    plait_array *alone[4], *fused[4];
    for (size_t i = 0; i < 4; i++) {
        alone[i] = plait_astype(x, targets[i].dtype);
        fused[i] = plait_where(plait_equal(x, x), plait_astype(x, targets[i].dtype), plait_astype(x, targets[i].dtype));
    }
    assert_ok(plait_eval(alone, 4));
    assert_ok(plait_eval(fused, 4));
    for (size_t i = 0; i < 4; i++) {
        ends_in(alone[i], targets[i].wanted, targets[i].dtype, "alone");
        ends_in(fused[i], targets[i].wanted, targets[i].dtype, "fused");
        ends_in(x, targets[i].wanted, targets[i].dtype, "by plait_to_host");
    }
}

static void conversions_saturate_everywhere(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    const int64_t many = 100000;
    plait_array *x = f32s(castable, N_CASTS);
    plait_array *long_one =
        plait_reshape(plait_broadcast_to(x, PLAIT_SHAPE(many, N_CASTS)), PLAIT_SHAPE(many * N_CASTS));
    plait_array *stored = plait_add(long_one, plait_num(0));
    assert_ok(plait_eval(&stored, 1));
    conversions_of(x);
    conversions_of(stored);
    int32_t *whole = malloc((size_t)many * N_CASTS * sizeof *whole); /* by the device, for there are many */
    assert_non_null(whole);
    assert_ok(plait_to_host(stored, whole, (size_t)many * N_CASTS, PLAIT_I32));
    for (size_t i = 0; i < (size_t)many * N_CASTS; i += 333) {
        assert_int_equal(whole[i], as_i32[i % N_CASTS]);
    }
    free(whole);
    /* A number on its own, on the host. */
    int64_t item;
    assert_ok(plait_item_int(plait_full(ctx, PLAIT_SHAPE(1), plait_num(1e20), PLAIT_I64), &item));
    assert_int_equal(item, INT64_MAX);
    assert_ok(plait_item_int(plait_index(x, 0, 0), &item));
    assert_int_equal(item, 0);
    assert_ok(plait_item_int(plait_index(x, 0, 6), &item));
    assert_int_equal(item, INT64_MAX);
}

/* ---- minima and maxima ---- */

static void nan_wins(void **state)
{
    (void)state;
    static const int64_t sizes[] = {1, 10, 257, 1000000};
    static float values[1000000];
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        PLAIT_SCOPE;
        int64_t n = sizes[s], at[3] = {0, n / 2, n - 1};
        plait_array *found[9];
        for (int64_t i = 0; i < n; i++) {
            values[i] = (float)(i % 7) - 100; /* all below zero: an identity of 0 would show */
        }
        plait_array *plain = f32s(values, n);
        for (size_t k = 0; k < 3; k++) {
            float before = values[at[k]];
            values[at[k]] = NAN;
            plait_array *a = f32s(values, n);
            values[at[k]] = before;
            found[3 * k] = plait_max(a);
            found[3 * k + 1] = plait_min(a);
            found[3 * k + 2] = plait_max(plait_maximum(plain, a));
        }
        plait_array *good[] = {plait_max(plain), plait_min(plain),
                               plait_max(plait_full(ctx, PLAIT_SHAPE(n), plait_num(NAN), PLAIT_F32))};
        assert_ok(plait_eval(found, 9));
        assert_ok(plait_eval(good, 3));
        for (size_t k = 0; k < 9; k++) {
            double value;
            assert_ok(plait_item(found[k], &value));
            if (!isnan(value)) {
                fail_msg("%lld elements, case %zu: NaN is lost: %g", (long long)n, k, value);
            }
        }
        double value;
        assert_ok(plait_item(good[0], &value));
        assert_true(value == (n < 7 ? -100 + (double)(n - 1) : -94));
        assert_ok(plait_item(good[1], &value));
        assert_true(value == -100);
        assert_ok(plait_item(good[2], &value));
        assert_true(isnan(value));
    }
    PLAIT_SCOPE;
    const float alone[3] = {-10, -INFINITY, INFINITY};
    plait_array *x = f32s(alone, 3), *lone = plait_reshape(x, PLAIT_SHAPE(3, 1));
    float maxima[3], minima[3];
    assert_ok(plait_to_host(plait_max_axis(lone, 1), maxima, 3, PLAIT_F32));
    assert_ok(plait_to_host(plait_min_axis(lone, 1), minima, 3, PLAIT_F32));
    assert_memory_equal(maxima, alone, sizeof alone);
    assert_memory_equal(minima, alone, sizeof alone);
    const float left[4] = {NAN, 1, NAN, 1}, right[4] = {1, NAN, NAN, 2};
    plait_array *both[] = {plait_maximum(f32s(left, 4), f32s(right, 4)), plait_minimum(f32s(left, 4), f32s(right, 4))};
    assert_ok(plait_eval(both, 2));
    for (size_t i = 0; i < 2; i++) {
        float out[4];
        assert_ok(plait_to_host(both[i], out, 4, PLAIT_F32));
        assert_true(isnan(out[0]) && isnan(out[1]) && isnan(out[2]) && out[3] == (i == 0 ? 2 : 1));
    }
}

/* Results of different shapes in one evaluation, numbers folded before they meet an array. */
static void fused_shapes_and_dtypes(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    const float two[2] = {1, 2};
    plait_array *x = f32s(two, 2), *y = plait_multiply(x, plait_multiply(plait_num(2), plait_num(1)));
    plait_array *flat = plait_broadcast_to(x, PLAIT_SHAPE(2, 2)), *deep = plait_broadcast_to(x, PLAIT_SHAPE(2, 2, 2));
    plait_array *all[] = {y, plait_add(flat, plait_num(1)), plait_add(deep, plait_num(1))};
    assert_ok(plait_eval(all, 3));
    assert_int_equal(plait_array_dtype(all[0]), PLAIT_F32);
    assert_shape(all[1], 2, 2);
    assert_shape(all[2], 2, 2, 2);
    float out[8];
    assert_ok(plait_to_host(all[2], out, 8, PLAIT_F32));
    assert_true(out[0] == 2 && out[7] == 3);
    assert_ok(plait_to_host(all[1], out, 4, PLAIT_F32));
    assert_true(out[0] == 2 && out[3] == 3);
}

/* ---- a locale with a decimal comma ---- */

static plait_array *exactly(double number)
{
    return plait_add(plait_zeros(ctx, PLAIT_SHAPE(2), PLAIT_F32), plait_num(number));
}

static void under_a_comma_locale(void **state)
{
    (void)state;
    char *folder = test_folder_make();
    plait_ctx *main_ctx = ctx;
    plait_ctx_opts o = PLAIT_CTX_OPTS;
    o.cache_folder = folder;
    const float two[2] = {2, 4};
    for (int locale = 0; locale < 2; locale++) {
        if (locale == 1 && !test_comma_locale()) {
            printf("no locale with a decimal comma can be made here\n");
            break;
        }
        ctx = open_with_or_skip(&o);
        {
            PLAIT_SCOPE;
            plait_array *x = f32s(two, 2);
            plait_array *linear = plait_add(plait_multiply(x, plait_num(0.5)), plait_num(1.25));
            plait_array *mapped = plait_map("a * 0.5f + 1.25f", x);
            float out[2];
            assert_ok(plait_to_host(linear, out, 2, PLAIT_F32));
            assert_true(out[0] == 2.25F && out[1] == 3.25F);
            assert_ok(plait_to_host(mapped, out, 2, PLAIT_F32));
            assert_true(out[0] == 2.25F && out[1] == 3.25F);
            const double constants[] = {1e-45, 1e38, INFINITY, -INFINITY, NAN, 0x1p63, 16777217.0, 0.1};
            for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
                float wanted = (float)constants[i];
                assert_ok(plait_to_host(exactly(constants[i]), out, 2, PLAIT_F32));
                bool denormal = fpclassify(wanted) == FP_SUBNORMAL && !plait_ctx_device(ctx)->denormals;
                assert_true(memcmp(out, &wanted, 4) == 0 || denormal || (isnan(wanted) && isnan(out[0])));
            }
            float minus_zero;
            assert_ok(plait_to_host(plait_multiply(plait_ones(ctx, PLAIT_SHAPE(1), PLAIT_F32), plait_num(-0.0)),
                                    &minus_zero, 1, PLAIT_F32));
            assert_true(minus_zero == 0 && signbit(minus_zero));
            char *text;
            assert_ok(plait_to_text(f32s((const float[]){0.1F, 12345.5F}, 2), NULL, &text));
            assert_string_equal(text, "[1.00000e-01 1.23455e+04]");
            plait_free(text);
        }
        plait_stats s = stats_of(ctx);
        if (locale == 1) { /* the cache's keys are the same: nothing is compiled again */
            assert_int_equal(s.source_builds, 0);
        }
        assert_true(s.source_builds + s.binary_loads > 0);
        assert_ok(plait_close(ctx));
    }
    setlocale(LC_ALL, "C");
    ctx = main_ctx;
    test_folder_remove(folder);
}

int main(void)
{
    ctx = open_or_skip();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_keep_every_bit),
        cmocka_unit_test(denormals_are_as_the_device_says),
        cmocka_unit_test(nan_is_seen),
        cmocka_unit_test(integers_at_their_limits),
        cmocka_unit_test(conversions_saturate_everywhere),
        cmocka_unit_test(nan_wins),
        cmocka_unit_test(fused_shapes_and_dtypes),
        cmocka_unit_test(under_a_comma_locale),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    assert_ok(plait_close(ctx));
    return failed;
}
