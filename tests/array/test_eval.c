/* The driver of the engine: what is locked, what is built, what happens after failures, and how far the host runs
 * ahead. */
#include "testing.h"

#include <plait/create.h>
#include <plait/ops.h>

#include "array_ctx.h"
#include "build.h"
#include "eval.h"
#include "fake_engine.h"
#include "thread.h"

static plait_ctx *ctx;

static int begin_test(void **state)
{
    (void)state;
    fake_reset();
    plait_clear_error();
    return 0;
}

static int end_test(void **state)
{
    (void)state;
    assert_false(atomic_load(&fake.overlap));
    assert_ok(plait_drain(ctx));
    assert_ok(plait_drain(NULL));
    return 0;
}

static plait_array *pending(void)
{
    plait_array *a = plait_add(plait_zeros(ctx, PLAIT_SHAPE(4), PLAIT_F32), plait_num(1));
    assert_non_null(a);
    return a;
}

static plait_status eval(plait_array *a)
{
    return plait_eval(&a, 1);
}

static void once(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    plait_array *list[] = {pending(), plait_num(2), pending()};
    assert_ok(plait_eval(list, 3));
    assert_int_equal(fake.n_requested, 2);
    assert_true(plait_array_is_evaluated(list[0]));
    assert_ok(plait_eval(list, 3)); /* what is evaluated costs nothing */
    assert_int_equal(atomic_load(&fake.plans), 1);
    assert_ok(plait_eval(NULL, 0));
    assert_ok(plait_eval(list + 1, 1));
    assert_fails(plait_eval(NULL, 1), PLAIT_E_NULL, "arrays");
    assert_fails(plait_eval((plait_array *const[]){list[0], NULL}, 2), PLAIT_E_NULL, "plait_eval");
    assert_fails(plait_eval((plait_array *const[]){plait_none()}, 1), PLAIT_E_ARGUMENT, "PLAIT_NONE");
}

/* An action given a NULL returns the status of what made it, and leaves the sentence alone. */
static void consequence(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    plait_array *bad = plait_sqrt(plait_zeros(ctx, PLAIT_SHAPE(-1), PLAIT_F32));
    assert_int_equal(eval(bad), PLAIT_E_SHAPE);
    assert_on_record(PLAIT_E_SHAPE, "plait_zeros");
}

/* As often as a lookup finds kernels missing, they are built and the graph is scheduled again. */
static void builds(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    atomic_store(&fake.missing, 2);
    assert_ok(eval(pending()));
    assert_int_equal(atomic_load(&fake.builds), 2);
    assert_int_equal(atomic_load(&fake.plans), 3);
    assert_int_equal(atomic_load(&fake.runs), 1);

    atomic_store(&fake.missing, 1000000);
    assert_fails(eval(pending()), PLAIT_E_INTERNAL, "plait_eval");
}

static void evaluate_meanwhile(void *argument)
{
    fake.during_build = NULL;
    plait_array *a = argument;
    assert_ok(plait_eval(&a, 1));
}

/* While a program is built others may evaluate, the same array too. */
static void no_lock_while_building(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    plait_array *a = pending();
    fake.argument = a;
    fake.during_build = evaluate_meanwhile;
    atomic_store(&fake.missing, 1);
    assert_ok(eval(a));
    assert_true(plait_array_is_evaluated(a));
}

static void failures(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    plait_array *a = pending();
    plait_status *const failing[] = {&fake.fail_plan, &fake.fail_build, &fake.fail_run};
    for (size_t i = 0; i < 3; i++) {
        atomic_store(&fake.missing, 1);
        *failing[i] = PLAIT_E_DEVICE_MEMORY;
        assert_fails(eval(a), PLAIT_E_DEVICE_MEMORY, "as told");
        *failing[i] = PLAIT_OK;
        assert_false(plait_array_is_evaluated(a));
        assert_int_equal(a->n_in, 2);
        assert_non_null(a->in);
    }
    assert_ok(eval(a));
}

/* ---- guards ---- */

static void deep_graphs(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    plait_array *a = plait_keep(pending());
    for (int i = 0; i < 1000; i++) {
        PLAIT_SCOPE;
        plait_array *b = plait_keep(plait_add(a, plait_num(1)));
        assert_true(b->height <= 256);
        plait_release(a);
        a = b;
    }
    assert_int_equal(atomic_load(&fake.runs), 3);

    /* A guard that fails is nobody's failure yet. */
    fake.fail_run = PLAIT_E_DEVICE_MEMORY;
    for (int i = 0; i < 600; i++) {
        PLAIT_SCOPE;
        plait_array *b = plait_keep(plait_add(a, plait_num(1)));
        assert_non_null(b);
        plait_release(a);
        a = b;
    }
    assert_int_equal(plait_last_status(), PLAIT_OK);
    fake.fail_run = PLAIT_OK;
    assert_ok(eval(a));
    assert_ok(plait_release(a));
}

/* Memory that nothing but pending nodes hold: a quarter of the device's, and they are evaluated. */
static void heavy_graphs(void **state)
{
    (void)state;
    plait_ctx_opts o = PLAIT_CTX_OPTS;
    o.memory_limit = 64 << 20;
    plait_ctx *small = fake_open(&o);
    plait_dims mebi = PLAIT_SHAPE(1 << 18);
    plait_array *sum = plait_keep(plait_zeros(small, mebi, PLAIT_F32));
    plait__array_state *its = plait__array_state_of(small);
    int evaluations = 0;
    for (int i = 0; i < 100; i++) {
        PLAIT_SCOPE;
        plait_array *x = plait__build_stored(small, PLAIT_F32, &mebi, plait__storage_create(NULL));
        plait_array *next = plait_keep(plait_add(sum, x));
        if (plait_array_is_evaluated(next)) {
            evaluations++;
        }
        assert_true(atomic_load(&its->pinned) <= 20 << 20);
        plait_release(sum);
        sum = next;
    }
    assert_true(evaluations >= 5 && evaluations <= 7);

    /* What a scope still holds is not counted: it is the program's own. */
    fake.runs = 0;
    {
        PLAIT_SCOPE;
        for (int i = 0; i < 100; i++) {
            plait_array *x = plait__build_stored(small, PLAIT_F32, &mebi, plait__storage_create(NULL));
            plait_negative(x);
        }
    }
    assert_int_equal(atomic_load(&fake.runs), 0);
    assert_ok(plait_release(sum));
    assert_int_equal(atomic_load(&its->pinned), 0);

    /* Pinned by a graph that this builder does not reach: it is not tried again with every array that is built. */
    plait_array *heavy[20];
    for (int i = 0; i < 20; i++) {
        PLAIT_SCOPE;
        heavy[i] =
            plait_keep(plait_negative(plait__build_stored(small, PLAIT_F32, &mebi, plait__storage_create(NULL))));
    }
    fake.runs = 0;
    for (int i = 0; i < 50; i++) {
        PLAIT_SCOPE;
        plait_negative(plait_ones(small, PLAIT_SHAPE(2), PLAIT_F32));
    }
    assert_true(atomic_load(&fake.runs) <= 1);
    for (int i = 0; i < 20; i++) {
        assert_ok(plait_release(heavy[i]));
    }
    assert_ok(plait_close(small));
}

/* ---- in flight ---- */

static void host_does_not_run_away(void **state)
{
    (void)state;
    plait__array_state *its = plait__array_state_of(ctx);
    for (int i = 0; i < 1000; i++) {
        PLAIT_SCOPE;
        assert_ok(eval(pending()));
        assert_true(its->n_in_flight * PLAIT__EVALS_PER_EVENT + its->since_event < 256);
    }
    assert_int_equal(its->n_in_flight, PLAIT__EVENTS_IN_FLIGHT - 1);
}

/* ---- closing ---- */

static void close_context(void *argument)
{
    assert_ok(plait_close(argument));
}

static plait__thread closer;

static void close_meanwhile(void *argument)
{
    fake.during_build = NULL;
    assert_ok(plait__thread_start(&closer, close_context, argument));
    while (!atomic_load(&plait__array_state_of(argument)->closed)) {
    }
}

/* plait_close waits for a build of another thread; then that finds the context closed. */
static void closed_while_building(void **state)
{
    (void)state;
    plait_ctx *other = fake_open(NULL);
    plait_array *a = plait_keep(plait_negative(plait_zeros(other, PLAIT_SHAPE(2), PLAIT_F32)));
    fake.argument = other;
    fake.during_build = close_meanwhile;
    atomic_store(&fake.missing, 1);
    assert_fails(eval(a), PLAIT_E_CLOSED, "plait_eval");
    plait__thread_join(&closer);
    assert_ok(plait_release(a));
}

/* ---- threads ---- */

typedef struct worker {
    plait_array *shared;
    int seed;
    int wrong;
} worker;

/* Builds on arrays that others evaluate at the same time, evaluates them too, keeps, assigns and drops. */
static void work(void *argument)
{
    worker *w = argument;
    plait_array *slot = NULL;
    for (int i = 0; i < 300; i++) {
        PLAIT_SCOPE;
        plait_array *mine = plait_keep(w->shared);
        plait_array *a = plait_add(mine, plait_num(i)), *b = plait_multiply(a, mine);
        w->wrong += b == NULL;
        if ((i + w->seed) % 7 == 0) {
            w->wrong += eval(mine) != PLAIT_OK;
        }
        if ((i + w->seed) % 3 == 0) {
            w->wrong += plait_eval((plait_array *const[]){a, b}, 2) != PLAIT_OK;
        }
        w->wrong += plait_assign(&slot, slot != NULL && i % 5 != 0 ? plait_add(slot, b) : b) != PLAIT_OK;
        w->wrong += plait_release(mine) != PLAIT_OK;
    }
    w->wrong += plait_release(slot) != PLAIT_OK;
}

static void eight_threads(void **state)
{
    (void)state;
    enum { THREADS = 8 };
    plait__thread threads[THREADS];
    worker workers[THREADS];
    for (int round = 0; round < 3; round++) {
        plait_array *shared = plait_keep(pending());
        atomic_store(&fake.missing, 50);
        for (int i = 0; i < THREADS; i++) {
            workers[i] = (worker){.shared = shared, .seed = i};
            assert_ok(plait__thread_start(&threads[i], work, &workers[i]));
        }
        for (int i = 0; i < THREADS; i++) {
            plait__thread_join(&threads[i]);
            assert_int_equal(workers[i].wrong, 0);
        }
        assert_int_equal(atomic_load(&shared->kept), 1);
        assert_true(plait_array_is_evaluated(shared));
        assert_ok(plait_release(shared));
    }
    assert_ok(plait_drain(ctx));
    plait_stats stats = PLAIT_STATS;
    assert_ok(plait_ctx_stats(ctx, &stats));
    assert_int_equal(stats.arrays, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_test, end_test)
    const struct CMUnitTest tests[] = {
        TEST(once),
        TEST(consequence),
        TEST(builds),
        TEST(no_lock_while_building),
        TEST(failures),
        TEST(deep_graphs),
        TEST(heavy_graphs),
        TEST(host_does_not_run_away),
        TEST(closed_while_building),
        TEST(eight_threads),
    };
    ctx = fake_open(NULL);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    assert_ok(plait_close(ctx));
    return failed;
}
