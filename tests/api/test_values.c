/*
 * Arrays are values: what is computed late uses the values of its own time, whatever happens to names, buffers and host
 * memory meanwhile, and nobody's array changes under him.
 */
#include "api_testing.h"

static plait_ctx *ctx;

#define N 5

static void has(plait_array *a, float v0, float v1, float v2, float v3, float v4)
{
    const float wanted[N] = {v0, v1, v2, v3, v4};
    float found[N];
    assert_array(a);
    assert_ok(plait_to_host(a, found, N, PLAIT_F32));
    for (int i = 0; i < N; i++) {
        if (found[i] != wanted[i]) {
            fail_msg("element %d is %g, not %g", i, (double)found[i], (double)wanted[i]);
        }
    }
}

static plait_array *count(void)
{
    return plait_arange(ctx, 0, N, 1, PLAIT_F32);
}

static void a_new_value_in_the_same_name(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    plait_array *a = NULL;
    plait_assign(&a, count());
    plait_array *old = a, *third = plait_index(a, 0, 3), *c = plait_add(a, plait_num(1)),
                *view = plait_flip(a, PLAIT_AXES(0));
    for (int evaluated = 0; evaluated < 2; evaluated++) {
        if (evaluated) {
            assert_ok(plait_eval(&a, 1));
        }
        /* In place of a[:] = 0, a += 1 inside a view, an upload. */
        const float other[N] = {9, 9, 9, 9, 9};
        plait_assign(&a, plait_zeros(ctx, PLAIT_SHAPE(N), PLAIT_F32));
        plait_assign(&a, plait_add(plait_flip(a, PLAIT_AXES(0)), plait_num(300)));
        plait_assign(&a, plait_from_host(ctx, other, PLAIT_SHAPE(N), PLAIT_F32));
        has(a, 9, 9, 9, 9, 9);
        has(old, 0, 1, 2, 3, 4);
        has(c, 1, 2, 3, 4, 5);
        has(view, 4, 3, 2, 1, 0);
        double item;
        assert_ok(plait_item(third, &item));
        assert_true(item == 3);
        plait_assign(&a, old);
    }
    plait_release(a);
}

/* Two names for one array, of which one gets another value. */
static void two_names(void **state)
{
    (void)state;
    plait_array *a = NULL, *b = NULL;
    {
        PLAIT_SCOPE;
        plait_assign(&a, count());
        plait_assign(&b, a);
        plait_assign(&a, plait_multiply(a, plait_num(10)));
    }
    has(a, 0, 10, 20, 30, 40);
    has(b, 0, 1, 2, 3, 4);
    {
        PLAIT_SCOPE; /* the other way round, through a view, with nothing evaluated in between */
        plait_assign(&b, plait_slice(a, 0, PLAIT_OPEN, PLAIT_OPEN, -1));
        plait_assign(&a, plait_add(a, b));
        plait_assign(&b, plait_subtract(b, plait_num(1)));
    }
    has(a, 40, 40, 40, 40, 40);
    has(b, 39, 29, 19, 9, -1);
    assert_ok(plait_release(a));
    assert_ok(plait_release(b));
}

/* The caller's memory is read at the call; he may do with it what he likes. */
static void host_memory_is_read_at_once(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    float *data = malloc(N * sizeof *data);
    assert_non_null(data);
    for (int i = 0; i < N; i++) {
        data[i] = (float)i;
    }
    plait_array *a = plait_from_host(ctx, data, PLAIT_SHAPE(N), PLAIT_F32), *c = plait_add(a, plait_num(1));
    memset(data, 0xFF, N * sizeof *data);
    free(data);
    has(c, 1, 2, 3, 4, 5);
}

/* An input may go before what uses it is computed, and its memory to somebody else. */
static void released_before_it_is_used(void **state)
{
    (void)state;
    plait_array *c;
    {
        PLAIT_SCOPE;
        plait_array *a = plait_add(count(), plait_num(0.5));
        assert_ok(plait_eval(&a, 1));
        c = plait_keep(plait_multiply(a, plait_num(2)));
    }
    {
        PLAIT_SCOPE;
        plait_array *poison[20];
        for (int i = 0; i < 20; i++) {
            poison[i] = plait_add(plait_full(ctx, PLAIT_SHAPE(N), plait_num(i), PLAIT_F32), count());
        }
        assert_ok(plait_eval(poison, 20));
    }
    has(c, 1, 3, 5, 7, 9);
    assert_ok(plait_release(c));
}

/* A kernel that changes its array gets a copy of it. */
static void kernels_change_copies(void **state)
{
    (void)state;
    static const char source[] = "kernel void clear(global float *a) { a[get_global_id(0)] = -1; }\n";
    PLAIT_SCOPE;
    plait_program *program;
    plait_kernel *clear;
    assert_ok(plait_program_from_source(&program, ctx, source, NULL));
    assert_ok(plait_kernel_create(&clear, program, "clear"));
    plait_array *a = plait_add(count(), plait_num(0)), *later = plait_add(a, plait_num(1)),
                *view = plait_slice(a, 0, 1, 5, 1);
    assert_ok(plait_eval(&a, 1));
    plait_array *changed = plait_call1(clear, PLAIT_GRID(N), PLAIT_INOUT(a));
    plait_array *tail = plait_call1(clear, PLAIT_GRID(4), PLAIT_INOUT(view));
    assert_ok(plait_eval((plait_array *const[]){changed, tail}, 2));
    has(changed, -1, -1, -1, -1, -1);
    has(a, 0, 1, 2, 3, 4);
    has(later, 1, 2, 3, 4, 5);
    float rest[4];
    assert_ok(plait_to_host(view, rest, 4, PLAIT_F32));
    for (int i = 0; i < 4; i++) {
        assert_float_equal(rest[i], (float)(1 + i), 0);
    }
    plait_kernel_release(clear);
    plait_program_release(program);
}

/* A kernel of the user's gets a view's elements in order, whether they lie in memory already or not. */
static void kernels_see_views(void **state)
{
    (void)state;
    static const char source[] = "kernel void more(global float *a) { a[get_global_id(0)] += 100; }\n"
                                 "kernel void same(global const float *a, global float *b)\n"
                                 "{\n"
                                 "    b[get_global_id(0)] = a[get_global_id(0)];\n"
                                 "}\n";
    plait_program *program;
    plait_kernel *more, *same;
    assert_ok(plait_program_from_source(&program, ctx, source, NULL));
    assert_ok(plait_kernel_create(&more, program, "more"));
    assert_ok(plait_kernel_create(&same, program, "same"));
    for (int when = 0; when < 3; when++) { /* nothing, what is viewed, or the views are evaluated before */
        PLAIT_SCOPE;
        plait_array *a = plait_add(plait_arange(ctx, 0, 24, 1, PLAIT_F32), plait_num(0));
        plait_array *m = plait_reshape(a, PLAIT_SHAPE(4, 6)), *columns = plait_slice(m, 1, 1, 4, 1);
        plait_array *views[] = {
            plait_slice(a, 0, 1, 13, 1),
            plait_flip(a, PLAIT_AXES(0)),
            plait_transpose(m),
            columns,
            plait_reshape(columns, PLAIT_SHAPE(2, 2, 3)),
            plait_reshape(plait_transpose(m), PLAIT_SHAPE(24)),
            plait_reshape(plait_slice(a, 0, 2, 14, 1), PLAIT_SHAPE(3, 4)),
        };
        if (when > 0) {
            assert_ok(when == 1 ? plait_eval(&a, 1) : plait_eval(views, 7));
        }
        for (size_t i = 0; i < 7; i++) {
            size_t n = plait_array_count(views[i]);
            plait_array *changed = plait_call1(more, PLAIT_GRID(n), PLAIT_INOUT(views[i]));
            plait_array *copy =
                plait_call1(same, PLAIT_GRID(n), PLAIT_IN(views[i]), PLAIT_OUT(PLAIT_F32, plait_array_shape(views[i])));
            float view[24], x[24], y[24];
            assert_ok(plait_to_host(changed, x, n, PLAIT_F32));
            assert_ok(plait_to_host(copy, y, n, PLAIT_F32));
            assert_ok(plait_to_host(views[i], view, n, PLAIT_F32));
            for (size_t k = 0; k < n; k++) {
                if (x[k] != view[k] + 100 || y[k] != view[k]) {
                    fail_msg("view %zu, element %zu: %g and %g of %g", i, k, (double)x[k], (double)y[k],
                             (double)view[k]);
                }
            }
        }
        float first[12];
        assert_ok(plait_to_host(views[4], first, 12, PLAIT_F32));
        assert_true(first[0] == 1 && first[3] == 7 && first[11] == 21);
    }
    plait_kernel_release(more);
    plait_kernel_release(same);
    plait_program_release(program);
}

/* x += transpose(x) and the like cannot run into themselves. */
static void overlapping(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    plait_array *x = NULL, *o = NULL;
    plait_assign(&x, plait_reshape(plait_arange(ctx, 0, 10000, 1, PLAIT_F32), PLAIT_SHAPE(100, 100)));
    plait_assign(&o, plait_ones(ctx, PLAIT_SHAPE(20000), PLAIT_F32));
    assert_ok(plait_eval((plait_array *const[]){x, o}, 2));
    plait_assign(&x, plait_add(x, plait_transpose(x)));
    plait_array *shifted = plait_add(plait_slice(o, 0, 1, PLAIT_OPEN, 1), plait_slice(o, 0, 0, -1, 1));
    plait_array *asymmetry = plait_sum(plait_abs(plait_subtract(x, plait_transpose(x))));
    double total, different, twos;
    assert_ok(plait_item(plait_sum(x), &total));
    assert_ok(plait_item(asymmetry, &different));
    assert_ok(plait_item(plait_sum(plait_equal(shifted, plait_num(2))), &twos));
    assert_true(total == 99990000);
    assert_true(different == 0);
    assert_true(twos == 19999);
    plait_release(x);
    plait_release(o);
}

int main(void)
{
    ctx = open_or_skip();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_value_in_the_same_name),
        cmocka_unit_test(two_names),
        cmocka_unit_test(host_memory_is_read_at_once),
        cmocka_unit_test(released_before_it_is_used),
        cmocka_unit_test(kernels_change_copies),
        cmocka_unit_test(kernels_see_views),
        cmocka_unit_test(overlapping),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    assert_ok(plait_drain(ctx));
    plait_stats s = stats_of(ctx);
    if (failed == 0) {
        assert_int_equal(s.arrays, 0);
    }
    assert_ok(plait_close(ctx));
    return failed;
}
