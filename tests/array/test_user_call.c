/*
 * Tests of plait_call: users' kernels in expressions.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "testing.h"

#include "alloc.h"

#include <plait/plait.h>

static plait_ctx *ctx;
static plait_program *program;
static plait_kernel *scale, *sum_difference, *accumulate, *shift, *pairs;

/* One of each kind of parameter. */
static const char source[] =
    "kernel void scale(global const float *x, global float *y, float factor, int n)\n"
    "{\n"
    "    int i = get_global_id(0);\n"
    "    if (i < n) y[i] = x[i] * factor;\n"
    "}\n"
    "kernel void sum_difference(global const float *x, global const float *y, global float *sum, global float "
    "*difference)\n"
    "{\n"
    "    int i = get_global_id(0);\n"
    "    sum[i] = x[i] + y[i];\n"
    "    difference[i] = x[i] - y[i];\n"
    "}\n"
    "kernel void accumulate(global float *total, constant float *x)\n"
    "{\n"
    "    total[get_global_id(0)] += x[get_global_id(0)];\n"
    "}\n"
    "typedef struct { float a, b; } line;\n"
    "kernel void shift(global const uchar *mask, global float *y, line l, local float *scratch)\n"
    "{\n"
    "    int i = get_global_id(0);\n"
    "    scratch[get_local_id(0)] = mask[i] ? l.a : l.b;\n"
    "    y[i] = scratch[get_local_id(0)];\n"
    "}\n"
    "kernel void pairs(global const float2 *z, global float4 *v)\n"
    "{\n"
    "    v[get_global_id(0)] = (float4)(z[get_global_id(0)], 1.0f, 2.0f);\n"
    "}\n";

static plait_array *floats(const float *values, int64_t n)
{
    return plait_from_host(ctx, values, PLAIT_SHAPE(n), PLAIT_F32);
}

static const float x4[4] = {1, 2, 3, 4};
static const float y4[4] = {10, 20, 30, 40};

static void test_one_result(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    plait_array *a = floats(x4, 4);
    plait_array *r = plait_call1(scale, PLAIT_GRID(4), PLAIT_IN(a), PLAIT_OUT(PLAIT_F32, PLAIT_SHAPE(4)),
                                 PLAIT_NUM(2.5), PLAIT_INT(4));
    assert_non_null(r);
    assert_false(plait_array_is_evaluated(r));
    float out[4];
    assert_ok(plait_to_host(plait_add(r, plait_num(1)), out, 4, PLAIT_F32));
    assert_memory_equal(out, ((const float[]){3.5f, 6, 8.5f, 11}), sizeof out);

    /* The input is an expression, then a view that must be copied first; the grid is rounded up. */
    r = plait_call1(scale, plait_grid_round_up(plait_grid_groups(PLAIT_GRID(3), 2, 1, 1)),
                    PLAIT_IN(plait_flip(plait_slice(plait_multiply(a, a), 0, 1, PLAIT_OPEN, 1), PLAIT_AXES(0))),
                    PLAIT_OUT(PLAIT_F32, PLAIT_SHAPE(3)), PLAIT_INT(10), PLAIT_INT(3));
    assert_ok(plait_to_host(r, out, 3, PLAIT_F32));
    assert_memory_equal(out, ((const float[]){160, 90, 40}), 3 * sizeof out[0]);
}

static void test_two_results(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    plait_array *both[2];
    float out[4];
    plait_array *a = floats(x4, 4);
    plait_array *b = floats(y4, 4);
    const plait_arg args[] = {PLAIT_IN(a), PLAIT_IN(b), PLAIT_OUT(PLAIT_F32, PLAIT_SHAPE(4)),
                              PLAIT_OUT(PLAIT_F32, PLAIT_SHAPE(2, 2))};
    assert_ok(plait_call_n(both, 2, sum_difference, PLAIT_GRID(4), args, 4));
    assert_int_equal(plait_array_shape(both[1]).n, 2);
    /* Only the second is asked for first. */
    assert_ok(plait_to_host(plait_sum_axis(both[1], 0), out, 2, PLAIT_F32));
    assert_memory_equal(out, ((const float[]){-36, -54}), 2 * sizeof out[0]);
    assert_ok(plait_to_host(both[0], out, 4, PLAIT_F32));
    assert_memory_equal(out, ((const float[]){11, 22, 33, 44}), sizeof out);
}

static void test_inout(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    plait_array *total = floats(y4, 4);
    plait_array *a = floats(x4, 4);
    plait_array *r;
    float out[4];
    assert_ok(plait_call(&r, 1, accumulate, PLAIT_GRID(4), PLAIT_INOUT(total), PLAIT_IN(a)));
    assert_ok(plait_to_host(r, out, 4, PLAIT_F32));
    assert_memory_equal(out, ((const float[]){11, 22, 33, 44}), sizeof out);
    assert_ok(plait_to_host(total, out, 4, PLAIT_F32)); /* the input is a value, and stays */
    assert_memory_equal(out, y4, sizeof out);

    /* An expression, and the same array on both sides. */
    plait_array *e = plait_add(total, a);
    assert_ok(plait_call(&r, 1, accumulate, PLAIT_GRID(4), PLAIT_INOUT(e), PLAIT_IN(e)));
    assert_ok(plait_to_host(r, out, 4, PLAIT_F32));
    assert_memory_equal(out, ((const float[]){22, 44, 66, 88}), sizeof out);
}

/* Everything that is borrowed was read when the call returns. */
static void test_borrowed(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    const unsigned char mask[4] = {1, 0, 0, 1};
    plait_array *m = plait_from_host(ctx, mask, PLAIT_SHAPE(4), PLAIT_BOOL);
    float line[2] = {5, 7};
    plait_arg args[] = {PLAIT_IN(m), PLAIT_OUT(PLAIT_F32, PLAIT_SHAPE(4)), plait_arg_bytes(line, sizeof line),
                        PLAIT_LOCAL(4 * sizeof(float))};
    plait_kernel *own;
    assert_ok(plait_kernel_create(&own, program, "shift"));
    plait_array *r = plait_call1_n(own, plait_grid_groups(PLAIT_GRID(4), 4, 1, 1), args, 4);
    assert_non_null(r);
    plait_kernel_release(own); /* the array keeps it alive */
    memset(args, 0, sizeof args);
    line[0] = line[1] = -1;
    float out[4];
    assert_ok(plait_to_host(r, out, 4, PLAIT_F32));
    assert_memory_equal(out, ((const float[]){5, 7, 7, 5}), sizeof out);
}

static void test_vectors(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    plait_array *z = plait_from_host(ctx, x4, PLAIT_SHAPE(2), PLAIT_C64);
    plait_array *r = plait_call1(pairs, PLAIT_GRID(2), PLAIT_IN(z), PLAIT_OUT(PLAIT_F32, PLAIT_SHAPE(2, 4)));
    float out[8];
    assert_ok(plait_to_host(r, out, 8, PLAIT_F32));
    assert_memory_equal(out, ((const float[]){1, 2, 1, 2, 3, 4, 1, 2}), sizeof out);
    assert_fails_null(plait_call1(pairs, PLAIT_GRID(2), PLAIT_IN(z), PLAIT_OUT(PLAIT_F32, PLAIT_SHAPE(7))),
                      PLAIT_E_KERNEL, "28 bytes");
    assert_fails_null(plait_call1(pairs, PLAIT_GRID(2), PLAIT_IN(z), PLAIT_OUT(PLAIT_I32, PLAIT_SHAPE(8))),
                      PLAIT_E_KERNEL, "dtype i32");
}

static void test_empty(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    plait_array *none = plait_zeros(ctx, PLAIT_SHAPE(0), PLAIT_F32);
    plait_array *r = plait_call1(scale, PLAIT_GRID(4), PLAIT_IN(none), PLAIT_OUT(PLAIT_F32, PLAIT_SHAPE(0, 3)),
                                 PLAIT_NUM(1), PLAIT_INT(0));
    assert_non_null(r);
    assert_ok(plait_eval(&r, 1));
    assert_ok(plait_to_host(r, NULL, 0, PLAIT_F32));
    r = plait_call1(scale, PLAIT_GRID(0), PLAIT_IN(none), PLAIT_OUT(PLAIT_F32, PLAIT_SHAPE(2)), PLAIT_NUM(1),
                    PLAIT_INT(0));
    assert_ok(plait_eval(&r, 1)); /* holds anything */
}

static void test_refused(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    plait_array *a = floats(x4, 4);
    plait_array *out[2] = {a, a};
    plait_grid grid = PLAIT_GRID(4);
    plait_arg result = PLAIT_OUT(PLAIT_F32, PLAIT_SHAPE(4));

#define REFUSED(status, words, ...)                                                                                    \
    do {                                                                                                               \
        out[0] = a;                                                                                                    \
        assert_fails(plait_call(out, 1, scale, grid, __VA_ARGS__), status, words);                                     \
        assert_null(out[0]);                                                                                           \
    } while (0)
    REFUSED(PLAIT_E_KERNEL, "takes 4, 3 given", PLAIT_IN(a), result, PLAIT_NUM(2));
    REFUSED(PLAIT_E_KERNEL, "4 arguments, but 5", PLAIT_IN(a), result, PLAIT_NUM(2), PLAIT_INT(4), PLAIT_INT(4));
    REFUSED(PLAIT_E_KERNEL, "\"n\"", PLAIT_IN(a), result, PLAIT_NUM(2), PLAIT_NUM(4.5));
    REFUSED(PLAIT_E_KERNEL, "would lose its value", PLAIT_IN(a), result, PLAIT_NUM(1e300), PLAIT_INT(4));
    REFUSED(PLAIT_E_KERNEL, "\"y\", float*): PLAIT_IN was given", PLAIT_IN(a), PLAIT_IN(a),
            PLAIT_OUT(PLAIT_F32, PLAIT_SHAPE(1)), PLAIT_INT(4));
    REFUSED(PLAIT_E_KERNEL, "\"x\", float*): PLAIT_OUT was given", result, PLAIT_IN(a), PLAIT_NUM(2), PLAIT_INT(4));
    REFUSED(PLAIT_E_KERNEL, "an array of dtype i32", PLAIT_IN(plait_astype(a, PLAIT_I32)), result, PLAIT_NUM(2),
            PLAIT_INT(4));
    REFUSED(PLAIT_E_KERNEL, "a value; an array was given", PLAIT_IN(a), result, PLAIT_IN(a), PLAIT_INT(4));
    REFUSED(PLAIT_E_KERNEL, "a buffer; a number was given", PLAIT_INT(4), result, PLAIT_NUM(2), PLAIT_INT(4));
    REFUSED(PLAIT_E_KERNEL, "the argument is empty", PLAIT_IN(a), result, PLAIT_NUM(2),
            plait_arg_scalar(PLAIT_I32, NULL));
    REFUSED(PLAIT_E_ARGUMENT, "is a number", PLAIT_IN(plait_num(1)), result, PLAIT_NUM(2), PLAIT_INT(4));
    REFUSED(PLAIT_E_NULL, "argument 0", PLAIT_IN(NULL), result, PLAIT_NUM(2), PLAIT_INT(4));
    REFUSED(PLAIT_E_SHAPE, "(-1,)", PLAIT_IN(a), PLAIT_OUT(PLAIT_F32, PLAIT_SHAPE(-1)), PLAIT_NUM(2), PLAIT_INT(4));
    REFUSED(PLAIT_E_DTYPE, "bf16", PLAIT_IN(a), PLAIT_OUT(PLAIT_BF16, PLAIT_SHAPE(4)), PLAIT_NUM(2), PLAIT_INT(4));
    REFUSED(PLAIT_E_ARGUMENT, "no result", PLAIT_IN(a), PLAIT_IN(a), PLAIT_NUM(2), PLAIT_INT(4));

    plait_buffer *buffer;
    assert_ok(plait_buffer_create(&buffer, ctx, 16, NULL));
    REFUSED(PLAIT_E_ARGUMENT, "a buffer was given", PLAIT_BUFFER(buffer), result, PLAIT_NUM(2), PLAIT_INT(4));
    plait_buffer_release(buffer);

    grid = plait_grid_groups(PLAIT_GRID(5), 2, 1, 1);
    REFUSED(PLAIT_E_LAUNCH, "the next multiple is 6", PLAIT_IN(a), result, PLAIT_NUM(2), PLAIT_INT(4));
    grid = (plait_grid){.dims = 4};
    REFUSED(PLAIT_E_LAUNCH, "1 to 3 dimensions", PLAIT_IN(a), result, PLAIT_NUM(2), PLAIT_INT(4));
    grid = PLAIT_GRID(4);

    const plait_arg good[] = {PLAIT_IN(a), result, PLAIT_NUM(2), PLAIT_INT(4)};
    out[0] = out[1] = a;
    assert_fails(plait_call_n(out, 2, scale, grid, good, 4), PLAIT_E_ARGUMENT, "1 results (PLAIT_OUT and PLAIT_INOUT)");
    assert_true(out[0] == NULL && out[1] == NULL);
    assert_fails(plait_call_n(NULL, 1, scale, grid, good, 4), PLAIT_E_NULL, "out");
    assert_fails(plait_call_n(out, 1, NULL, grid, good, 4), PLAIT_E_NULL, "kernel");
    assert_fails(plait_call_n(out, 1, scale, grid, NULL, 4), PLAIT_E_NULL, "args");
    assert_fails_null(plait_call1_n(scale, grid, good, 3), PLAIT_E_KERNEL, "plait_call1_n");
    assert_fails(plait_launch_n(plait_ctx_queue(ctx), scale, grid, good, 4, NULL), PLAIT_E_KERNEL, "plait_call only");

    /* Nothing is lost. */
    float values[4];
    assert_ok(plait_to_host(plait_call1_n(scale, grid, good, 4), values, 4, PLAIT_F32));
    assert_memory_equal(values, ((const float[]){2, 4, 6, 8}), sizeof values);
}

/* Whichever allocation fails: a status, no result, nothing lost. */
static void test_exhausted_memory(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    plait_array *a = floats(x4, 4);
    const float line[2] = {1, 2};
    const unsigned char mask[4] = {1, 0, 0, 1};
    plait_array *m = plait_from_host(ctx, mask, PLAIT_SHAPE(4), PLAIT_BOOL);
    const plait_arg two[] = {PLAIT_IN(a), PLAIT_IN(a), PLAIT_OUT(PLAIT_F32, PLAIT_SHAPE(4)),
                             PLAIT_OUT(PLAIT_F32, PLAIT_SHAPE(4))};
    const plait_arg bytes[] = {PLAIT_IN(m), PLAIT_OUT(PLAIT_F32, PLAIT_SHAPE(4)), plait_arg_bytes(line, sizeof line),
                               PLAIT_LOCAL(16)};
    bool pending = false;
    for (int64_t n = 1; !pending; n++) {
        plait_array *out[2] = {a, a};
        plait__alloc_fail_at(n);
        plait_status st = plait_call_n(out, 2, sum_difference, PLAIT_GRID(4), two, 4);
        plait_array *r = plait_call1_n(shift, PLAIT_GRID(4), bytes, 4);
        pending = plait__alloc_fail_pending() != 0;
        plait__alloc_fail_at(0);
        assert_true(st == PLAIT_OK || (st == PLAIT_E_NO_MEMORY && out[0] == NULL && out[1] == NULL));
        assert_true((st == PLAIT_OK && r != NULL) == pending);
    }
}

static void test_two_contexts(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    plait_ctx *other;
    assert_ok(plait_open(&other, NULL));
    plait_array *b = plait_from_host(other, x4, PLAIT_SHAPE(4), PLAIT_F32);
    assert_fails_null(plait_call1(scale, PLAIT_GRID(4), PLAIT_IN(b), PLAIT_OUT(PLAIT_F32, PLAIT_SHAPE(4)), PLAIT_NUM(2),
                                  PLAIT_INT(4)),
                      PLAIT_E_CONTEXT, "the kernel scale belongs to a context on");
    assert_ok(plait_close(other));
}

/* A pending call outlives the context's closing, without a crash. */
static void test_closed(void **state)
{
    (void)state;
    plait_ctx *other;
    plait_program *p;
    plait_kernel *k;
    assert_ok(plait_open(&other, NULL));
    assert_ok(plait_program_from_source(&p, other, source, NULL));
    assert_ok(plait_kernel_create(&k, p, "accumulate"));
    plait_program_release(p);
    plait_array *a = plait_from_host(other, x4, PLAIT_SHAPE(4), PLAIT_F32);
    plait_array *r = plait_keep(plait_call1(k, PLAIT_GRID(4), PLAIT_INOUT(a), PLAIT_IN(a)));
    plait_kernel_release(k);
    assert_ok(plait_close(other));
    float out[4];
    assert_fails(plait_to_host(r, out, 4, PLAIT_F32), PLAIT_E_CLOSED, "plait_to_host");
    assert_ok(plait_release(r));
}

static int setup(void **state)
{
    (void)state;
    assert_ok(plait_program_from_source(&program, ctx, source, NULL));
    assert_ok(plait_kernel_create(&scale, program, "scale"));
    assert_ok(plait_kernel_create(&sum_difference, program, "sum_difference"));
    assert_ok(plait_kernel_create(&accumulate, program, "accumulate"));
    assert_ok(plait_kernel_create(&shift, program, "shift"));
    assert_ok(plait_kernel_create(&pairs, program, "pairs"));
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    plait_kernel_release(scale);
    plait_kernel_release(sum_difference);
    plait_kernel_release(accumulate);
    plait_kernel_release(shift);
    plait_kernel_release(pairs);
    plait_program_release(program);
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
        cmocka_unit_test(test_one_result), cmocka_unit_test(test_two_results),      cmocka_unit_test(test_inout),
        cmocka_unit_test(test_borrowed),   cmocka_unit_test(test_vectors),          cmocka_unit_test(test_empty),
        cmocka_unit_test(test_refused),    cmocka_unit_test(test_exhausted_memory), cmocka_unit_test(test_two_contexts),
        cmocka_unit_test(test_closed),
    };
    return cmocka_run_group_tests_name("user_call", tests, setup, teardown);
}
