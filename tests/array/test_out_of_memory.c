/*
 * Host memory runs out at every allocation of a whole piece of work, one after the other: the work fails with
 * PLAIT_E_NO_MEMORY, or gets along; nothing is lost, and the next try gives the right answer.
 */
#include "testing.h"

#include <plait/create.h>
#include <plait/host.h>
#include <plait/ops.h>
#include <plait/reduce.h>
#include <plait/user.h>
#include <plait/view.h>

#include <math.h>

#include "alloc.h"

enum { N = 600 };

static plait_ctx *ctx;
static float xs[N], ys[N];

static uint64_t arrays_alive(void)
{
    plait_stats stats = PLAIT_STATS;
    assert_ok(plait_ctx_stats(ctx, &stats));
    return stats.arrays;
}

/* 0 if all went well, else the status; the slot holds the older or the newer value. */
static plait_status work(plait_array **slot, double *mean)
{
    PLAIT_SCOPE;
    plait_array *x = plait_from_host(ctx, xs, PLAIT_SHAPE(20, 30), PLAIT_F32);
    plait_array *y = plait_from_host(ctx, ys, PLAIT_SHAPE(N), PLAIT_F32);
    plait_array *difference = plait_subtract(x, plait_reshape(y, PLAIT_SHAPE(20, 30)));
    plait_status status = plait_item(plait_mean(plait_square(difference)), mean);
    if (status != PLAIT_OK) {
        return status;
    }
    plait_array *rows = plait_sum_axis(plait_reshape(plait_transpose(x), PLAIT_SHAPE(20, 30)), 1);
    plait_array *mapped = plait_map("a * 2 + b", rows, plait_index(difference, 1, 3));
    status = plait_assign(slot, plait_where(plait_less(mapped, plait_num(0)), plait_num(0), mapped));
    float values[20];
    return status != PLAIT_OK ? status : plait_to_host(*slot, values, 20, PLAIT_F32);
}

static void every_allocation(void **state)
{
    (void)state;
    double expected, mean;
    plait_array *slot = NULL;
    assert_ok(work(&slot, &expected)); /* kernels are built here, not below */
    assert_ok(plait_drain(NULL));
    uint64_t alive = arrays_alive();
    int64_t n = 1, failures = 0;
    for (;; n++) {
        plait_clear_error();
        plait__alloc_fail_at(n);
        plait_status status = work(&slot, &mean);
        bool done = plait__alloc_fail_pending() != 0;
        plait__alloc_fail_at(0);
        if (status != PLAIT_OK) {
            assert_string_equal(plait_status_name(status), "PLAIT_E_NO_MEMORY");
            assert_int_equal(plait_last_status(), PLAIT_E_NO_MEMORY);
            failures++;
        } else {
            assert_true(mean == expected);
        }
        assert_ok(work(&slot, &mean)); /* the context is as good as before */
        assert_true(mean == expected);
        assert_int_equal(arrays_alive(), alive);
        if (done) {
            break;
        }
    }
    assert_true(failures > 30);
    assert_ok(plait_release(slot));
    assert_ok(plait_drain(NULL));
    assert_int_equal(arrays_alive(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation)};
    plait_status status = plait_open(&ctx, NULL);
    if (status == PLAIT_E_NO_DEVICE) {
        printf("skipped: %s\n", plait_last_error());
        return TEST_SKIPPED;
    }
    assert_ok(status);
    for (int i = 0; i < N; i++) {
        xs[i] = (float)sin(i);
        ys[i] = (float)cos(i);
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    assert_ok(plait_close(ctx));
    return failed;
}
