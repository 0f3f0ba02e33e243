/*
 * Sums that are too long for their accumulators elsewhere: more than 2^24 terms in f32, more than 2^32 elements. Each
 * on both skeletons, and with work-groups of one item. What is summed is broadcast: it takes no memory.
 */
#include "api_testing.h"

#include <math.h>

static double item(plait_array *a)
{
    double value = 0;
    assert_array(a);
    assert_ok(plait_item(a, &value));
    return value;
}

static plait_array *sum(plait_array *a, int axis, bool keepdims)
{
    plait_reduce_opts o = PLAIT_REDUCE_OPTS;
    o.axes = PLAIT_AXES(axis);
    o.keepdims = keepdims;
    return plait_sum_opt(a, PLAIT_NONE, &o);
}

static void both_are(plait_array *pair, float wanted)
{
    float found[2] = {0, 0};
    assert_array(pair);
    assert_ok(plait_to_host(pair, found, 2, PLAIT_F32));
    assert_true(found[0] == wanted && found[1] == wanted);
}

/* n is 10^8, or less where that takes too long. */
static void long_sums(plait_ctx *ctx, int64_t n)
{
    PLAIT_SCOPE;
    const float two[2] = {1, 1};
    plait_array *one = plait_from_host(ctx, two, PLAIT_SHAPE(1, 2), PLAIT_F32);
    plait_array *ones = plait_broadcast_to(plait_index(one, 1, 0), PLAIT_SHAPE(n));
    plait_array *rows = plait_broadcast_to(one, PLAIT_SHAPE(n / 5, 2));
    plait_array *tenths = plait_full(ctx, PLAIT_SHAPE(n / 10), plait_num(0.1), PLAIT_F32);
    plait_array *all[] = {
        plait_sum(ones),
        plait_mean(ones),
        plait_sum(tenths),
        sum(rows, 0, false),
        sum(rows, 0, true),
        sum(plait_transpose(rows), 1, false),
        plait_sum(plait_full(ctx, PLAIT_SHAPE(n), plait_int(1), PLAIT_F32)),
    };
    assert_ok(plait_eval(all, sizeof all / sizeof *all));
    assert_true(item(all[0]) == (double)(float)n);
    assert_true(item(all[1]) == 1);
    double tenth = (double)0.1F * (double)(n / 10);
    assert_true(fabs(item(all[2]) - tenth) < 1e-5 * tenth);
    both_are(all[3], (float)(n / 5));
    both_are(all[4], (float)(n / 5));
    assert_shape(all[4], 1, 2);
    both_are(all[5], (float)(n / 5));
    assert_true(item(all[6]) == (double)(float)n);
}

static void big_counts(plait_ctx *ctx)
{
    PLAIT_SCOPE;
    const float one[1] = {1};
    plait_array *vast =
        plait_broadcast_to(plait_from_host(ctx, one, PLAIT_SHAPE(1), PLAIT_F32), PLAIT_SHAPE(70000, 70000));
    assert_int_equal(plait_array_count(vast), INT64_C(4900000000));
    plait_array *all[] = {plait_sum(vast), plait_sum(plait_greater(vast, plait_num(0.5))), plait_max(vast)};
    assert_ok(plait_eval(all, 3));
    assert_true(item(all[0]) == (double)4900000000.0F); /* as near as f32 comes to it */
    int64_t count;
    assert_ok(plait_item_int(all[1], &count));
    assert_int_equal(count, INT64_C(4900000000));
    assert_true(item(all[2]) == 1);
}

/* Stored, so that memory is read: more than 2^24 terms, and an odd number of them. */
static void stored(plait_ctx *ctx)
{
    PLAIT_SCOPE;
    const int64_t n = (1 << 24) + 1001;
    plait_array *ones = plait_add(plait_ones(ctx, PLAIT_SHAPE(n), PLAIT_F32), plait_num(0));
    assert_ok(plait_eval(&ones, 1));
    assert_true(item(plait_sum(ones)) == (double)(float)n);
    assert_true(item(plait_mean(ones)) == 1);
    assert_true(item(plait_sum(plait_slice(ones, 0, 1, PLAIT_OPEN, 1))) == (double)(float)(n - 1));
}

static void with(const char *skeleton, const char *emulate, int64_t n, bool big)
{
    setenv("PLAIT_SKELETON", skeleton, 1);
    setenv("PLAIT_EMULATE", emulate, 1);
    plait_ctx *ctx = open_or_skip();
    if (strstr(plait_ctx_device(ctx)->quirks, "loops-end") != NULL) { /* no work-item has many turns there */
        if (strcmp(skeleton, "device") == 0) {
            stored(ctx);
        }
    } else {
        long_sums(ctx, n);
        if (big) {
            big_counts(ctx);
            stored(ctx);
        }
    }
    assert_ok(plait_close(ctx));
}

static void on_the_cpu_skeleton(void **state)
{
    (void)state;
    with("cpu", "", 100000000, true);
}

static void on_the_device_skeleton(void **state)
{
    (void)state;
    with("device", "", 100000000, true);
}

static void in_groups_of_one(void **state)
{
    (void)state;
    with("device", "group=1", 100000000, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_the_cpu_skeleton),
        cmocka_unit_test(on_the_device_skeleton),
        cmocka_unit_test(in_groups_of_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
