/* Eight threads on one context: their first arrays, builds, evaluations and reads at the same time, with right values.
 */
#include "testing.h"

#include <plait/create.h>
#include <plait/host.h>
#include <plait/ops.h>
#include <plait/reduce.h>
#include <plait/view.h>

#include "thread.h"

enum { THREADS = 8, ROUNDS = 200, N = 257 };

static plait_ctx *ctx;
static plait_array *shared;  /* 0, 1, 2, ... */
static plait_array *pending; /* twice that, evaluated by whoever is first */

typedef struct worker {
    int number;
    char failure[300];
} worker;

static bool check(worker *w, bool good, const char *what)
{
    if (!good && w->failure[0] == '\0') {
        snprintf(w->failure, sizeof w->failure, "thread %d: %s: %s", w->number, what, plait_last_error());
    }
    return good;
}

/* y = x * (t + 1) + t, all of it and its sum: each thread's own numbers with everybody's kernels. */
static bool one_round(worker *w, plait_array **slot)
{
    PLAIT_SCOPE;
    int t = w->number;
    plait_array *y = plait_add(plait_multiply(shared, plait_num(t + 1)), plait_num(t));
    float values[N];
    double sum;
    bool good = check(w, plait_to_host(y, values, N, PLAIT_F32) == PLAIT_OK, "plait_to_host");
    for (int i = 0; good && i < N; i++) {
        good = check(w, values[i] == (float)(i * (t + 1) + t), "a wrong element");
    }
    good = good && check(w, plait_item(plait_sum(plait_subtract(pending, y)), &sum) == PLAIT_OK, "plait_item");
    good = good && check(w, sum == (1.0 - t) * (N - 1) * N / 2 - (double)t * N, "a wrong sum");
    good = good && check(w, plait_assign(slot, plait_add(*slot, plait_slice(y, 0, 0, 3, 1))) == PLAIT_OK, "assign");
    return good;
}

static void work(void *argument)
{
    worker *w = argument;
    plait_array *slot = plait_keep(plait_zeros(ctx, PLAIT_SHAPE(3), PLAIT_F32));
    bool good = check(w, slot != NULL, "plait_zeros");
    for (int round = 0; round < ROUNDS && good; round++) {
        good = one_round(w, &slot);
    }
    float values[3];
    good = good && check(w, plait_to_host(slot, values, 3, PLAIT_F32) == PLAIT_OK, "plait_to_host");
    for (int i = 0; good && i < 3; i++) {
        good = check(w, values[i] == (float)(ROUNDS * (i * (w->number + 1) + w->number)), "a wrong carried value");
    }
    check(w, plait_release(slot) == PLAIT_OK, "plait_release");
}

static void eight_threads(void **state)
{
    (void)state;
    shared = plait_keep(plait_arange(ctx, 0, N, 1, PLAIT_F32));
    pending = plait_keep(plait_add(shared, shared));
    plait__thread threads[THREADS];
    static worker workers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        workers[i].number = i;
        assert_ok(plait__thread_start(&threads[i], work, &workers[i]));
    }
    for (int i = 0; i < THREADS; i++) {
        plait__thread_join(&threads[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_string_equal(workers[i].failure, "");
    }
    assert_ok(plait_release(shared));
    assert_ok(plait_release(pending));
    assert_ok(plait_drain(NULL));
    plait_stats stats = PLAIT_STATS;
    assert_ok(plait_ctx_stats(ctx, &stats));
    assert_int_equal(stats.arrays, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(eight_threads)};
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
