/*
 * A process forks after it has computed: the child is told at its first call, ends without harm, and the parent goes
 * on.
 */
#include "api_testing.h"

#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool refused(plait_status status)
{
    return status == PLAIT_E_FORKED && plait_last_status() == PLAIT_E_FORKED &&
           strstr(plait_last_error(), "forked") != NULL;
}

/* What the child does with all that the parent has: 0 if every call said so. */
static int use_everything(plait_ctx *ctx, plait_array *stored, plait_array *pending, plait_array **slot)
{
    double value;
    float out[3];
    plait_ctx *fresh;
    const float data[3] = {1, 2, 3};
    plait_clear_error();
    if (!refused(plait_item(plait_sum(stored), &value))) {
        return 1;
    }
    plait_clear_error();
    if (!refused(plait_eval(&pending, 1)) || !refused(plait_to_host(stored, out, 3, PLAIT_F32))) {
        return 2;
    }
    plait_clear_error();
    if (plait_add(stored, plait_num(1)) != NULL || !refused(plait_last_status())) {
        return 3;
    }
    plait_clear_error();
    if (plait_from_host(ctx, data, PLAIT_SHAPE(3), PLAIT_F32) != NULL || !refused(plait_last_status())) {
        return 4;
    }
    if (!refused(plait_open(&fresh, NULL)) || !refused(plait_finish(ctx)) || !refused(plait_drain(ctx))) {
        return 5;
    }
    {
        PLAIT_SCOPE; /* with something carried, so that its end would evaluate */
        plait_assign(slot, pending);
    }
    /* What needs no device still works; what the parent owns is left alone. */
    if (plait_shape_count(PLAIT_SHAPE(2, 3)) != 6 || plait_item(plait_num(2), &value) != PLAIT_OK || value != 2) {
        return 6;
    }
    plait_release(stored);
    plait_release(pending);
    return refused(plait_close(ctx)) ? 0 : 7;
}

static void the_child_is_told_and_the_parent_goes_on(void **state)
{
    (void)state;
    plait_ctx *ctx = open_or_skip();
    const float data[3] = {1, 2, 3};
    float out[3];
    plait_array *stored = plait_keep(plait_from_host(ctx, data, PLAIT_SHAPE(3), PLAIT_F32));
    assert_ok(plait_to_host(plait_add(stored, plait_num(1)), out, 3, PLAIT_F32));
    for (int way = 0; way < 3; way++) {
        plait_array *pending = plait_keep(plait_add(stored, plait_num(1)));
        plait_array *slot = NULL;
        fflush(NULL);
        double begin = seconds();
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            alarm(60);
            /* way 0: ends at once, with all exit handlers; way 1: after use, with them; way 2: without */
            int result = way == 0 ? 0 : use_everything(ctx, stored, pending, &slot);
            if (way == 2) {
                _exit(result);
            }
            exit(result);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
        assert_true(seconds() - begin < 5);
        assert_ok(plait_to_host(pending, out, 3, PLAIT_F32));
        assert_true(out[0] == 2 && out[1] == 3 && out[2] == 4);
        assert_ok(plait_release(pending));
        plait_array *new_one = plait_keep(plait_multiply(stored, plait_num(way)));
        assert_ok(plait_to_host(new_one, out, 3, PLAIT_F32));
        assert_true(out[2] == (float)(3 * way));
        assert_ok(plait_release(new_one));
    }
    assert_ok(plait_release(stored));
    assert_ok(plait_drain(ctx));
    plait_stats s = stats_of(ctx);
    assert_int_equal(s.arrays, 0);
    assert_int_equal(s.buffers, 0);
    assert_ok(plait_close(ctx));
}

/* A process that forks first and opens then may, on both sides. */
static int fork_first(void)
{
    pid_t child = fork();
    plait_ctx *ctx;
    double value = 0;
    plait_status status = plait_open(&ctx, NULL);
    bool good = status == PLAIT_E_NO_DEVICE;
    if (status == PLAIT_OK) {
        plait_array *sum = plait_sum(plait_arange(ctx, 0, 5, 1, PLAIT_F32));
        good = plait_item(sum, &value) == PLAIT_OK && value == 10 && plait_close(ctx) == PLAIT_OK;
    }
    if (child == 0) {
        _exit(good ? 0 : 1);
    }
    int result = 1;
    waitpid(child, &result, 0);
    return good && result == 0 ? 0 : 1;
}

static int before_anything;

static void forking_first_is_fine(void **state)
{
    (void)state;
    assert_int_equal(before_anything, 0);
}

int main(void)
{
    fflush(NULL);
    pid_t child = fork(); /* so that this process has not used the library yet when the tests begin */
    if (child == 0) {
        alarm(60);
        _exit(fork_first());
    }
    waitpid(child, &before_anything, 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_child_is_told_and_the_parent_goes_on),
        cmocka_unit_test(forking_first_is_fine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
