/* What ranges, views, masks, reductions of nothing and of very much come to on the device, against plain C. */
#include "testing.h"

#include <plait/create.h>
#include <plait/host.h>
#include <plait/ops.h>
#include <plait/reduce.h>
#include <plait/view.h>

#include <math.h>

static plait_ctx *ctx;

static double item(plait_array *a)
{
    double value = -12345;
    assert_ok(plait_item(a, &value));
    return value;
}

static void reads(plait_array *a, const double *expected, size_t n)
{
    double *values = malloc((n + 1) * sizeof *values);
    assert_non_null(values);
    if (a == NULL || plait_to_host(a, values, n, PLAIT_F64) != PLAIT_OK) {
        fail_msg("%s", plait_last_error());
    }
    for (size_t i = 0; i < n; i++) {
        if (values[i] != expected[i] && !(isnan(values[i]) && isnan(expected[i]))) {
            fail_msg("element %zu of %zu is %g, not %g", i, n, values[i], expected[i]);
        }
    }
    free(values);
}

#define READS(a, ...) reads((a), (const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

static void ranges_and_constants(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    READS(plait_arange(ctx, 1, 3, 0.5, PLAIT_F32), 1, 1.5, 2, 2.5);
    READS(plait_arange(ctx, 5, 0, -2, PLAIT_I32), 5, 3, 1);
    READS(plait_arange(ctx, 250, 256, 1, PLAIT_U8), 250, 251, 252, 253, 254, 255);
    READS(plait_full(ctx, PLAIT_SHAPE(3), plait_num(0.5), PLAIT_F32), 0.5, 0.5, 0.5);
    READS(plait_full(ctx, PLAIT_SHAPE(2), plait_sum(plait_arange(ctx, 0, 5, 1, PLAIT_F32)), PLAIT_I32), 10, 10);
    READS(plait_imag(plait_full(ctx, PLAIT_SHAPE(2), plait_complex(1, -2), PLAIT_C64)), -2, -2);
    READS(plait_ones(ctx, PLAIT_SHAPE(2), PLAIT_BOOL), 1, 1);
}

/* 0 1 2 / 3 4 5, once stored and once still an expression. */
static plait_array *matrix(bool stored)
{
    const float values[] = {0, 1, 2, 3, 4, 5};
    plait_array *a = plait_from_host(ctx, values, PLAIT_SHAPE(2, 3), PLAIT_F32);
    return stored ? a : plait_add(a, plait_num(0));
}

static void views(void **state)
{
    (void)state;
    for (int stored = 0; stored < 2; stored++) {
        PLAIT_SCOPE;
        plait_array *a = matrix(stored != 0), *t = plait_transpose(a);
        READS(t, 0, 3, 1, 4, 2, 5);
        READS(plait_reshape(t, PLAIT_SHAPE(2, 3)), 0, 3, 1, 4, 2, 5);
        READS(plait_reshape(plait_flip(a, PLAIT_AXES(1)), PLAIT_SHAPE(-1)), 2, 1, 0, 5, 4, 3);
        READS(plait_slice(plait_reshape(t, PLAIT_SHAPE(6)), 0, PLAIT_OPEN, PLAIT_OPEN, -2), 5, 4, 3);
        READS(plait_index(plait_slice(a, 1, 0, PLAIT_OPEN, 2), 0, -1), 3, 5);
        READS(plait_subtract(plait_expand_dims(plait_index(a, 0, 1), PLAIT_AXES(1)), plait_index(a, 0, 0)), 3, 2, 1, 4,
              3, 2, 5, 4, 3);
        READS(plait_sum_axis(plait_broadcast_to(a, PLAIT_SHAPE(4, 2, 3)), 0), 0, 4, 8, 12, 16, 20);
        READS(plait_sum_axis(plait_reshape(t, PLAIT_SHAPE(2, 3)), 1), 4, 11);
    }
}

/* Offsets that no sub-buffer could have. */
static void odd_offsets(void **state)
{
    (void)state;
    static float values[1024];
    static uint8_t bytes[1024];
    for (int i = 0; i < 1024; i++) {
        values[i] = (float)i;
        bytes[i] = (uint8_t)(i % 251);
    }
    PLAIT_SCOPE;
    plait_array *x = plait_from_host(ctx, values, PLAIT_SHAPE(1024), PLAIT_F32);
    plait_array *b = plait_from_host(ctx, bytes, PLAIT_SHAPE(1024), PLAIT_U8);
    for (int k = 0; k <= 64; k += k < 8 ? 1 : 7) {
        plait_array *view = plait_slice(x, 0, k, PLAIT_OPEN, 1), *odd = plait_slice(b, 0, k, PLAIT_OPEN, 1);
        assert_true(item(plait_sum(view)) == (1023 + k) * (1024 - k) / 2.0);
        float doubled[1024];
        assert_ok(plait_to_host(plait_multiply(view, plait_num(2)), doubled, (size_t)(1024 - k), PLAIT_F32));
        int64_t total = 0;
        for (int i = k; i < 1024; i++) {
            assert_true(doubled[i - k] == 2 * values[i]);
            total += bytes[i];
        }
        int64_t summed;
        assert_ok(plait_item_int(plait_sum(odd), &summed));
        assert_true(summed == total);
    }
}

/* Several results over the same arrays come out of one kernel. */
#define TOGETHER(...)                                                                                                  \
    assert_ok(plait_eval((plait_array *const[]){__VA_ARGS__},                                                          \
                         sizeof((plait_array *const[]){__VA_ARGS__}) / sizeof(plait_array *)))

static void masks(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    const float values[] = {1, NAN, 3, 4, 5, NAN};
    plait_array *a = plait_from_host(ctx, values, PLAIT_SHAPE(2, 3), PLAIT_F32);
    plait_array *good = plait_logical_not(plait_isnan(a));
    plait_array *sum = plait_sum_opt(a, good, NULL), *mean = plait_mean_opt(a, good, NULL);
    plait_array *min = plait_min_opt(a, good, NULL), *max = plait_max_opt(a, good, NULL), *all = plait_max(a);
    TOGETHER(sum, mean, min, max, all);
    assert_true(item(sum) == 13);
    assert_true(item(mean) == 13.0 / 4);
    assert_true(item(min) == 1);
    assert_true(item(max) == 5);
    assert_true(isnan(item(all)));
    plait_reduce_opts o = PLAIT_REDUCE_OPTS;
    o.axes = PLAIT_AXES(0);
    sum = plait_sum_opt(a, good, &o);
    mean = plait_mean_opt(a, good, &o);
    o.keepdims = true;
    max = plait_max_opt(a, good, &o);
    TOGETHER(sum, mean, max);
    READS(sum, 5, 5, 3);
    READS(mean, 2.5, 5, 3);
    READS(max, 4, 5, 3);
    o.axes = PLAIT_NO_AXES;
    READS(plait_sum_opt(a, good, &o), 1, 0, 3, 4, 5, 0);

    /* A mask that leaves nothing. */
    plait_array *nothing = plait_less(plait_arange(ctx, 0, 3, 1, PLAIT_I32), plait_int(0));
    plait_array *counts = plait_arange(ctx, 0, 3, 1, PLAIT_I32);
    sum = plait_sum_opt(a, nothing, NULL);
    mean = plait_mean_opt(a, nothing, NULL);
    min = plait_min_opt(a, nothing, NULL);
    max = plait_max_opt(a, nothing, NULL);
    plait_array *least = plait_min_opt(counts, nothing, NULL), *most = plait_max_opt(counts, nothing, NULL);
    TOGETHER(sum, mean, min, max);
    TOGETHER(least, most);
    assert_true(item(sum) == 0);
    assert_true(isnan(item(mean)));
    assert_true(item(min) == INFINITY);
    assert_true(item(max) == -INFINITY);
    assert_true(item(least) == INT32_MAX);
    assert_true(item(most) == INT32_MIN);
}

static void nothing(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    plait_array *a = plait_from_host(ctx, NULL, PLAIT_SHAPE(0, 4), PLAIT_F32);
    READS(plait_sum_axis(a, 0), 0, 0, 0, 0);
    READS(plait_mean_axis(a, 0), NAN, NAN, NAN, NAN);
    assert_true(item(plait_sum(a)) == 0);
    assert_true(isnan(item(plait_mean(plait_add(a, plait_num(1))))));
    assert_true(item(plait_sum(plait_zeros(ctx, PLAIT_SHAPE(3, 0, 2), PLAIT_I32))) == 0);
    plait_array *empties[] = {a,
                              plait_multiply(a, plait_num(2)),
                              plait_transpose(a),
                              plait_sum_axis(a, 1),
                              plait_max_axis(a, 1),
                              plait_slice(plait_arange(ctx, 0, 5, 1, PLAIT_F32), 0, 3, 3, 1),
                              plait_astype(a, PLAIT_U8),
                              plait_full(ctx, PLAIT_SHAPE(0), plait_num(3), PLAIT_F32),
                              plait_flip(a, PLAIT_SCALAR_SHAPE)};
    assert_ok(plait_eval(empties, sizeof empties / sizeof empties[0]));
    for (size_t i = 0; i < sizeof empties / sizeof empties[0]; i++) {
        assert_ok(plait_to_host(empties[i], NULL, 0, PLAIT_F32));
    }
}

static void dtype_of_reductions(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    plait_array *a = plait_full(ctx, PLAIT_SHAPE(1000), plait_int(INT32_MAX), PLAIT_I32);
    assert_true(item(plait_sum(a)) == 1000.0 * INT32_MAX); /* in 64 bits */
    plait_reduce_opts o = PLAIT_REDUCE_OPTS;
    o.dtype = PLAIT_I32;
    assert_true(item(plait_sum_opt(a, PLAIT_NONE, &o)) == -1000); /* wraps, as asked for */
    assert_true(item(plait_mean(plait_arange(ctx, 0, 4, 1, PLAIT_U8))) == 1.5);
    assert_true(item(plait_mean(plait_full(ctx, PLAIT_SCALAR_SHAPE, plait_int(7), PLAIT_I32))) == 7);
    assert_true(item(plait_sum(plait_full(ctx, PLAIT_SCALAR_SHAPE, plait_int(7), PLAIT_U8))) == 7);
}

/* More ones than f32 can count one by one, and more elements than 32 bits can. No memory is used: they are lazy. */
static void very_much(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    plait_array *ones = plait_ones(ctx, PLAIT_SHAPE(100000000), PLAIT_F32);
    plait_array *sum = plait_sum(ones), *mean = plait_mean(ones);
    TOGETHER(sum, mean);
    assert_true(item(sum) == 1e8);
    assert_true(item(mean) == 1);
    /* Work-items with long loops: every element is reached (llvmpipe ends loops that it finds too long). */
    enum { LONG = 4000000 };
    float *counted = malloc(LONG * sizeof *counted);
    assert_non_null(counted);
    plait_array *range = plait_add(plait_arange(ctx, 0, LONG, 1, PLAIT_F32), plait_num(1));
    assert_ok(plait_to_host(range, counted, LONG, PLAIT_F32));
    for (int i = 0; i < LONG; i++) {
        assert_true(counted[i] == (float)(i + 1));
    }
    free(counted);
    /* Broadcast from one stored element, so that it is a real read. */
    const float one = 1;
    plait_array *stored = plait_from_host(ctx, &one, PLAIT_SHAPE(1, 1), PLAIT_F32);
    plait_array *columns = plait_sum_axis(plait_broadcast_to(stored, PLAIT_SHAPE(20000000, 2)), 0);
    READS(columns, 2e7, 2e7);
}

static void min_and_max_keep_nan(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    static const int sizes[] = {1, 10, 257, 100000};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        int n = sizes[s];
        const int places[] = {0, n / 2, n - 1};
        plait_array *i = plait_arange(ctx, 0, n, 1, PLAIT_F32);
        for (size_t p = 0; p < 3; p++) {
            plait_array *a = plait_where(plait_equal(i, plait_num(places[p])), plait_num(NAN), i);
            plait_array *max = plait_max(a), *min = plait_min(a);
            TOGETHER(max, min);
            assert_true(isnan(item(max)));
            assert_true(isnan(item(min)));
        }
    }
    plait_array *low = plait_full(ctx, PLAIT_SHAPE(2), plait_num(-INFINITY), PLAIT_F32);
    plait_array *max = plait_max(low), *min = plait_min(plait_negative(low));
    plait_array *one = plait_max(plait_full(ctx, PLAIT_SHAPE(1, 1), plait_num(-10), PLAIT_F32));
    TOGETHER(max, min);
    assert_true(item(max) == -INFINITY);
    assert_true(item(min) == INFINITY);
    assert_true(item(one) == -10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_and_constants),
        cmocka_unit_test(views),
        cmocka_unit_test(odd_offsets),
        cmocka_unit_test(masks),
        cmocka_unit_test(nothing),
        cmocka_unit_test(dtype_of_reductions),
        cmocka_unit_test(very_much),
        cmocka_unit_test(min_and_max_keep_nan),
    };
    plait_status status = plait_open(&ctx, NULL);
    if (status == PLAIT_E_NO_DEVICE) {
        printf("skipped: %s\n", plait_last_error());
        return TEST_SKIPPED;
    }
    assert_ok(status);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    assert_ok(plait_close(ctx));
    return failed;
}
