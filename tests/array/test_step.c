/*
 * Loops: the same graph in every turn, so the same kernels; each product once a turn; values of their own time.
 * This test uses the real engine.
 */
#include "testing.h"

#include <plait/create.h>
#include <plait/host.h>
#include <plait/ops.h>
#include <plait/reduce.h>
#include <plait/view.h>

#include <math.h>

#include "build.h"
#include "family.h"

static plait_ctx *ctx;

static plait_stats stats(void)
{
    plait_stats s = PLAIT_STATS;
    assert_ok(plait_ctx_stats(ctx, &s));
    return s;
}

/* ---- a product of our own: (n, k) times (k) ---- */

static int products; /* enqueued */

static const char product_text[] =
    "kernel void product(global const float *a, ulong offset, ulong row, ulong column, global const float *b,\n"
    "                    global float *out, uint n, uint k)\n"
    "{\n"
    "    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) {\n"
    "        float sum = 0.0f;\n"
    "        for (uint j = 0; j < k; j++)\n"
    "            sum += a[offset + i * row + j * column] * b[j];\n"
    "        out[i] = sum;\n"
    "    }\n"
    "}\n";

static bool product_accepts(const plait_array *node, size_t i, const plait_dims *shape, const plait__layout *layout)
{
    (void)node;
    return i == 0 ? layout->strides[0] >= 0 && layout->strides[1] >= 0
                  : layout->offset == 0 && plait__layout_is_contiguous(shape, layout);
}

static plait_status product_plan(const plait_array *node, const plait__operand *in, const plait__operand *out,
                                 plait__kernel_request *requests, size_t *n)
{
    (void)node;
    (void)in;
    (void)out;
    requests[0] = (plait__kernel_request){
        .program_name = "product", .text = product_text, .options = "", .kernel_name = "product"};
    *n = 1;
    return PLAIT_OK;
}

static plait_status product_enqueue(const plait_array *node, plait_queue *queue, plait_kernel *const *kernels,
                                    const plait__operand *in, const plait__operand *out)
{
    (void)node;
    products++;
    const uint64_t layout[] = {(uint64_t)in[0].layout.offset, (uint64_t)in[0].layout.strides[0],
                               (uint64_t)in[0].layout.strides[1]};
    const uint32_t sizes[] = {(uint32_t)in[0].shape.d[0], (uint32_t)in[0].shape.d[1]};
    const plait_arg args[] = {plait_arg_buffer(in[0].buffer),          plait_arg_scalar(PLAIT_U64, &layout[0]),
                              plait_arg_scalar(PLAIT_U64, &layout[1]), plait_arg_scalar(PLAIT_U64, &layout[2]),
                              plait_arg_buffer(in[1].buffer),          plait_arg_buffer(out[0].buffer),
                              plait_arg_scalar(PLAIT_U32, &sizes[0]),  plait_arg_scalar(PLAIT_U32, &sizes[1])};
    return plait_launch_n(queue, kernels[0], plait_grid_1d(2), args, sizeof args / sizeof args[0], NULL);
}

static plait_array *product(plait_array *a, plait_array *b)
{
    static const plait__family family = {
        .name = "product", .accepts = product_accepts, .plan = product_plan, .enqueue = product_enqueue};
    if (a == NULL || b == NULL) {
        return NULL;
    }
    plait_array *const inputs[] = {a, b};
    plait_array *out;
    plait__family_build(&out, 1, &family, NULL, a->ctx, inputs, 2, &(plait_dtype){PLAIT_F32},
                        &(plait_dims){.n = 1, .d = {a->shape.d[0]}});
    return out;
}

/* ---- data ---- */

enum { N = 40, D = 3 };
static const double truth[D] = {1.5, -2, 0.25};

static plait_array *X, *y;

static void make_data(void)
{
    float x[N * D], target[N];
    for (int i = 0; i < N; i++) {
        double sum = 0;
        for (int j = 0; j < D; j++) {
            x[i * D + j] = (float)sin(1 + i * (j + 1) * 0.7);
            sum += (double)x[i * D + j] * truth[j];
        }
        target[i] = (float)sum;
    }
    X = plait_keep(plait_from_host(ctx, x, PLAIT_SHAPE(N, D), PLAIT_F32));
    y = plait_keep(plait_from_host(ctx, target, PLAIT_SHAPE(N), PLAIT_F32));
    assert_true(X != NULL && y != NULL);
}

static void is_solved(plait_array *w)
{
    float found[D];
    assert_ok(plait_to_host(w, found, D, PLAIT_F32));
    for (int j = 0; j < D; j++) {
        assert_true(fabs(found[j] - truth[j]) < 1e-3);
    }
}

/* ---- tests ---- */

static double loss_of(plait_array *r)
{
    double loss = NAN;
    assert_ok(plait_item(plait_mean(plait_square(r)), &loss));
    return loss;
}

/* A thousand turns with a loss read in each: whatever is compiled is compiled in the first two. */
static void no_new_kernel(void **state)
{
    (void)state;
    plait_array *w = plait_keep(plait_zeros(ctx, PLAIT_SHAPE(D), PLAIT_F32));
    plait_stats after_two = {0};
    double first = 0, last = 0;
    for (int turn = 0; turn < 1000; turn++) {
        PLAIT_SCOPE;
        plait_array *r = plait_subtract(product(X, w), y);
        last = loss_of(r);
        first = turn == 0 ? last : first;
        plait_array *gradient = product(plait_transpose(X), r);
        plait_assign(&w, plait_subtract(w, plait_multiply(plait_num(0.02 + 1e-6 * turn), gradient)));
        if (turn == 2) {
            after_two = stats();
        }
    }
    plait_stats now = stats();
    assert_int_equal(now.kernels, after_two.kernels);
    assert_int_equal(now.source_builds + now.binary_loads, after_two.source_builds + after_two.binary_loads);
    assert_true(last < first * 1e-6);
    is_solved(w);
    assert_ok(plait_release(w));
}

/* The same without scopes, as wrappers in other languages do it. */
static void steps_without_scopes(void **state)
{
    (void)state;
    plait_array *w = plait_keep(plait_zeros(ctx, PLAIT_SHAPE(D), PLAIT_F32));
    plait_stats after_two = {0};
    for (int turn = 0; turn < 1000; turn++) {
        plait_array *r = plait_subtract(product(X, w), y);
        loss_of(r);
        plait_array *next = plait_keep(
            plait_subtract(w, plait_multiply(plait_num(0.02 + 1e-6 * turn), product(plait_transpose(X), r))));
        assert_ok(plait_release(w));
        w = next;
        assert_ok(plait_step(ctx, &w, 1));
        if (turn == 2) {
            after_two = stats();
        }
        assert_true(stats().arrays < 20);
    }
    assert_int_equal(stats().kernels, after_two.kernels);
    is_solved(w);
    assert_ok(plait_release(w));
    assert_ok(plait_drain(NULL));
}

static void two_products_a_turn(void **state)
{
    (void)state;
    plait_array *w = plait_keep(plait_zeros(ctx, PLAIT_SHAPE(D), PLAIT_F32));
    plait_array *v = plait_keep(plait_zeros(ctx, PLAIT_SHAPE(D), PLAIT_F32));
    products = 0;
    for (int turn = 0; turn < 200; turn++) {
        PLAIT_SCOPE;
        plait_array *r = plait_subtract(product(X, w), y);
        plait_array *gradient = product(plait_transpose(X), r);
        plait_assign(&v, plait_subtract(plait_multiply(v, plait_num(0.5)), plait_multiply(gradient, plait_num(0.01))));
        plait_assign(&w, plait_add(w, v));
        if (turn % 10 == 9) {
            loss_of(r);
        }
    }
    assert_int_equal(products, 2 * 200);
    is_solved(w);

    /* A loss of a kept residual, read after the turn that made it: no third product. */
    plait_array *kept = NULL;
    products = 0;
    for (int turn = 0; turn < 20; turn++) {
        PLAIT_SCOPE;
        plait_array *r = plait_subtract(product(X, w), y);
        plait_assign(&kept, r);
        plait_assign(&w, plait_subtract(w, plait_multiply(plait_num(0.01), product(plait_transpose(X), r))));
    }
    loss_of(kept);
    assert_int_equal(products, 2 * 20);
    assert_ok(plait_release(kept));
    assert_ok(plait_release(w));
    assert_ok(plait_release(v));
}

/* A kept value that is pending: the first evaluation that uses it inlines it, the second computes and stores it. */
static void stored_the_second_time(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    plait_array *a = plait_keep(plait_exp(plait_multiply(y, plait_num(0.5))));
    loss_of(a);
    assert_false(plait_array_is_evaluated(a));
    loss_of(plait_add(a, y));
    assert_true(plait_array_is_evaluated(a));
    assert_ok(plait_release(a));
}

/* What is computed late uses the values that were there when it was written down. */
static void values_of_their_own_time(void **state)
{
    (void)state;
    plait_array *a = plait_keep(plait_arange(ctx, 0, 5, 1, PLAIT_F32));
    {
        PLAIT_SCOPE;
        plait_array *b = plait_keep(plait_index(a, 0, 3));
        plait_array *c = plait_keep(plait_add(a, plait_num(1)));
        plait_assign(&a, plait_full(ctx, PLAIT_SHAPE(5), plait_num(300), PLAIT_F32));
        plait_array *d = plait_keep(plait_add(plait_slice(a, 0, 1, 3, 1), b));
        plait_release(plait_keep(a));
        double item;
        assert_ok(plait_item(b, &item));
        assert_true(item == 3);
        float values[5];
        assert_ok(plait_to_host(c, values, 5, PLAIT_F32));
        for (int i = 0; i < 5; i++) {
            assert_true(values[i] == (float)(i + 1));
        }
        assert_ok(plait_to_host(d, values, 2, PLAIT_F32));
        assert_true(values[0] == 303 && values[1] == 303);
        plait_release(b);
        plait_release(c);
        plait_release(d);
    }
    assert_ok(plait_release(a));
}

/* In a carried chain nothing of the turn before stays in memory. */
static void memory_is_level(void **state)
{
    (void)state;
    plait_array *a = plait_keep(plait_ones(ctx, PLAIT_SHAPE(1 << 16), PLAIT_F32));
    uint64_t after_ten = 0;
    for (int turn = 0; turn < 300; turn++) {
        PLAIT_SCOPE;
        plait_assign(&a, plait_add(plait_multiply(a, plait_num(0.5)), plait_num(1)));
        if (turn == 10) {
            after_ten = stats().memory_peak;
        }
    }
    assert_int_equal(stats().memory_peak, after_ten);
    double mean;
    {
        PLAIT_SCOPE;
        assert_ok(plait_item(plait_mean(a), &mean));
    }
    assert_true(fabs(mean - 2) < 1e-6);
    assert_ok(plait_release(a));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_new_kernel),
        cmocka_unit_test(steps_without_scopes),
        cmocka_unit_test(two_products_a_turn),
        cmocka_unit_test(stored_the_second_time),
        cmocka_unit_test(values_of_their_own_time),
        cmocka_unit_test(memory_is_level),
    };
    plait_status status = plait_open(&ctx, NULL);
    if (status == PLAIT_E_NO_DEVICE) {
        printf("skipped: %s\n", plait_last_error());
        return TEST_SKIPPED;
    }
    assert_ok(status);
    make_data();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    plait_release(X);
    plait_release(y);
    assert_ok(plait_drain(ctx));
    assert_ok(plait_drain(NULL));
    assert_int_equal(stats().arrays, 0);
    assert_ok(plait_close(ctx));
    return failed;
}
