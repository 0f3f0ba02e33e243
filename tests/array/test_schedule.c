/*
 * Tests of scheduling: which kernels, and that what they compute is what was asked for.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "testing.h"

#include "family.h"
#include "graph.h"
#include "params.h"

#define PLAN(...)                                                                                                      \
    graph_plan((plait_array *const[]){__VA_ARGS__}, sizeof((plait_array *const[]){__VA_ARGS__}) / sizeof(plait_array *))

static int teardown(void **state)
{
    (void)state;
    graph_clear();
    graph_caps.max_parameter_bytes = 1024;
    graph_caps.skeleton = PLAIT__SKELETON_DEVICE;
    return 0;
}

/* The plan is right and has so many groups; destroys it. */
static void expect_groups(plait__plan *plan, size_t n)
{
    graph_check(plan);
    assert_int_equal(plait__plan_group_count(plan), n);
    plait__plan_destroy(plan);
}

static plait_array *mean_of_squares(plait_dims shape, unsigned mask)
{
    plait_array *x = graph_leaf(shape, 1), *y = graph_leaf(shape, -3);
    plait_array *d = graph_op(PLAIT__OP_subtract, x, y, NULL);
    return graph_reduce(PLAIT__REDUCTION_mean, graph_op(PLAIT__OP_multiply, d, d, NULL), mask, false);
}

static void test_elementwise(void **state)
{
    (void)state;
    plait_array *x = graph_leaf(PLAIT_SHAPE(4, 8), 0), *y = graph_leaf(PLAIT_SHAPE(4, 8), 1);
    plait_array *z =
        graph_add(graph_op(PLAIT__OP_multiply, graph_op(PLAIT__OP_negative, x, NULL, NULL), graph_number(2), NULL), y);
    plait__plan *plan = PLAN(z);
    const plait__group *g = &plan->groups[0];
    assert_int_equal(g->section[PLAIT__MAIN].n_leaves, 2);
    assert_int_equal(g->section[PLAIT__MAIN].n_numbers, 1);
    assert_int_equal(g->section[PLAIT__MAIN].dims.n, 1); /* collapsed */
    assert_true(g->wide);
    expect_groups(plan, 1);
}

static void test_one_pass_over_the_data(void **state)
{
    (void)state;
    plait__plan *plan = PLAN(mean_of_squares(PLAIT_SHAPE(10, 30), 3));
    assert_int_equal(plan->groups[0].kind, PLAIT__GROUP_REDUCE);
    assert_int_equal(plan->groups[0].n_accumulators, 1);
    assert_int_equal(plan->groups[0].section[PLAIT__BODY].n_leaves, 2);
    expect_groups(plan, 1);
    for (unsigned mask = 1; mask < 4; mask++) {
        expect_groups(PLAN(mean_of_squares(PLAIT_SHAPE(3, 5), mask)), 1);
    }
}

static void test_results_join(void **state)
{
    (void)state;
    plait_array *m = graph_leaf(PLAIT_SHAPE(20), 0), *v = graph_leaf(PLAIT_SHAPE(20), 1),
                *w = graph_leaf(PLAIT_SHAPE(20), 2);
    plait_array *v2 = graph_add(graph_op(PLAIT__OP_multiply, v, graph_number(0.5), NULL), m);
    plait_array *w2 = graph_op(PLAIT__OP_subtract, w, graph_op(PLAIT__OP_multiply, v2, graph_number(0.25), NULL), NULL);
    plait__plan *plan = PLAN(w2, v2);
    assert_int_equal(plan->groups[0].n_outputs, 2);
    assert_int_equal(plan->groups[0].section[PLAIT__MAIN].n_leaves, 3);
    expect_groups(plan, 1);

    plait_array *x = graph_op(PLAIT__OP_negative, m, NULL, NULL);
    plait_array *sum = graph_reduce(PLAIT__REDUCTION_sum, x, 1, false),
                *max = graph_reduce(PLAIT__REDUCTION_max, x, 1, false);
    plait_array *mean = graph_reduce(PLAIT__REDUCTION_mean, x, 1, false);
    plan = PLAN(sum, max, mean, graph_add(sum, max));
    assert_int_equal(plan->groups[0].n_accumulators, 2); /* sum and mean gather the same */
    expect_groups(plan, 1);
    expect_groups(PLAN(graph_add(sum, max), mean, max), 1);
    /* Made from the same array, in different ways; and from another. */
    plait_array *squares = graph_reduce(PLAIT__REDUCTION_sum, graph_op(PLAIT__OP_multiply, m, m, NULL), 1, false);
    expect_groups(PLAN(graph_reduce(PLAIT__REDUCTION_sum, m, 1, false), squares), 1);
    expect_groups(PLAN(graph_reduce(PLAIT__REDUCTION_sum, v, 1, false), squares), 2);
}

static void test_what_two_groups_want_is_stored(void **state)
{
    (void)state;
    plait_array *x = graph_leaf(PLAIT_SHAPE(6, 4), 0);
    plait_array *t = graph_op(PLAIT__OP_negative, x, NULL, NULL);
    plait_array *sum = graph_reduce(PLAIT__REDUCTION_sum, t, 2, true);
    expect_groups(PLAN(sum, graph_add(t, graph_number(1))), 2); /* t and t + 1; sum */
    /* A circle, if groups joined without a care: t - sum(t) reads sum(t), which reads t. */
    expect_groups(PLAN(t, graph_op(PLAIT__OP_subtract, t, sum, NULL)), 3);
    /* Softmax: the maximum, e, its sum, e / sum. */
    plait_array *max = graph_reduce(PLAIT__REDUCTION_max, x, 2, true);
    plait_array *e = graph_op(PLAIT__OP_maximum, graph_op(PLAIT__OP_subtract, x, max, NULL), graph_number(-2), NULL);
    plait_array *total = graph_reduce(PLAIT__REDUCTION_sum, e, 2, true);
    expect_groups(PLAN(graph_op(PLAIT__OP_multiply, e, total, NULL)), 4);
}

static void test_tail(void **state)
{
    (void)state;
    plait_array *x = graph_leaf(PLAIT_SHAPE(6, 4), 0), *b = graph_leaf(PLAIT_SHAPE(6), 10);
    plait_array *sum = graph_reduce(PLAIT__REDUCTION_sum, x, 2, false);
    expect_groups(PLAN(graph_add(graph_op(PLAIT__OP_multiply, sum, b, NULL), graph_number(3))), 1);
    /* A value that ends in the reduction's kernel and not in each of its many readers. */
    plait_array *kept = graph_reduce(PLAIT__REDUCTION_sum, x, 1, true);
    plait_array *scale = graph_op(PLAIT__OP_negative, graph_add(kept, graph_number(1)), NULL, NULL);
    plait__plan *plan = PLAN(graph_op(PLAIT__OP_multiply, x, scale, NULL));
    assert_int_equal(plan->groups[0].kind, PLAIT__GROUP_REDUCE);
    assert_int_equal(plan->groups[1].section[PLAIT__MAIN].n_instrs, 3);
    expect_groups(plan, 2);
}

static void test_views_fold(void **state)
{
    (void)state;
    plait_array *x = graph_leaf(PLAIT_SHAPE(6, 4), 0), *y = graph_leaf(PLAIT_SHAPE(4, 6), 5),
                *row = graph_leaf(PLAIT_SHAPE(6), 2);
    expect_groups(PLAN(graph_add(graph_add(graph_transpose(x), y), row)), 1);
    expect_groups(PLAN(graph_transpose(graph_add(x, graph_transpose(y)))), 1);
    expect_groups(PLAN(graph_slice(graph_slice(graph_add(x, x), 0, 5, 3, -2), 1, 1, 2, 2)), 1);
    /* Reshapes move to the leaves. */
    plait_array *r = graph_reshape(graph_add(x, graph_number(1)), PLAIT_SHAPE(2, 12));
    expect_groups(PLAN(graph_add(graph_transpose(r), graph_leaf(PLAIT_SHAPE(12, 2), 3))), 1);
    expect_groups(PLAN(graph_reduce(PLAIT__REDUCTION_sum, r, 2, false)), 1);
    /* Not so where the elements do not lie in that order: written out first. */
    r = graph_reshape(graph_add(graph_transpose(x), graph_number(1)), PLAIT_SHAPE(3, 8));
    expect_groups(PLAN(graph_add(r, r)), 2);
    r = graph_reshape(graph_transpose(x), PLAIT_SHAPE(3, 8));
    expect_groups(PLAN(graph_add(r, r)), 2);
    /* Of an array that is there, a view is one of its storage. */
    expect_groups(PLAN(graph_transpose(x)), 0);
    expect_groups(PLAN(graph_reshape(graph_transpose(graph_transpose(x)), PLAIT_SHAPE(24))), 0);
    expect_groups(
        PLAN(graph_transpose(graph_reduce(PLAIT__REDUCTION_sum, graph_leaf(PLAIT_SHAPE(2, 3, 4), 0), 1, false))), 1);
    plait__layout every_third = {.offset = 2, .strides = {12, 3}};
    plait_array *s = graph_strided(PLAIT_SHAPE(5, 4), every_third, 70);
    expect_groups(PLAN(graph_reshape(s, PLAIT_SHAPE(20))), 0);
    every_third.strides[0] = 14;
    s = graph_strided(PLAIT_SHAPE(5, 4), every_third, 70);
    expect_groups(PLAN(graph_reshape(s, PLAIT_SHAPE(20))), 1);
    expect_groups(PLAN(graph_add(graph_reshape(s, PLAIT_SHAPE(2, 10)), graph_number(1)), graph_add(s, s)), 3);
}

static void test_two_views_of_one_value(void **state)
{
    (void)state;
    plait_array *t = graph_leaf(PLAIT_SHAPE(3, 3), 0);
    for (int i = 0; i < 40; i++) { /* inlining would make 2^40 instructions */
        t = graph_op(i % 2 ? PLAIT__OP_subtract : PLAIT__OP_add, t, graph_transpose(t), NULL);
    }
    expect_groups(PLAN(t), 40);
}

static void test_numbers_and_iota(void **state)
{
    (void)state;
    plait_array *i = graph_iota(6), *c = graph_constant(PLAIT_SHAPE(4, 6), 7);
    expect_groups(PLAN(graph_add(graph_add(i, c), graph_reshape(graph_iota(24), PLAIT_SHAPE(4, 6)))), 1);
    expect_groups(PLAN(i, c), 2);
    expect_groups(
        PLAN(graph_reduce(PLAIT__REDUCTION_sum,
                          graph_broadcast(graph_constant(PLAIT_SHAPE(1, 1), 2), PLAIT_SHAPE(30, 40)), 3, false)),
        1);
    expect_groups(PLAN(graph_transpose(graph_reshape(graph_iota(24), PLAIT_SHAPE(4, 6)))), 1);
}

static void test_masks(void **state)
{
    (void)state;
    plait_array *x = graph_leaf(PLAIT_SHAPE(6, 4), -3), *zero = graph_number(0);
    plait_array *where = graph_op(PLAIT__OP_where, graph_op(PLAIT__OP_maximum, x, zero, NULL), graph_number(1), zero);
    for (unsigned mask = 1; mask < 4; mask++) {
        expect_groups(PLAN(graph_masked(PLAIT__REDUCTION_mean, x, where, mask),
                           graph_masked(PLAIT__REDUCTION_max, x, where, mask)),
                      1);
    }
}

static void test_kept_values(void **state)
{
    (void)state;
    plait_array *x = graph_leaf(PLAIT_SHAPE(5), 0);
    plait_array *t = graph_add(x, x);
    atomic_store(&t->kept, 1);
    plait__plan *plan = PLAN(graph_add(t, x));
    assert_int_equal(plan->n_inlined, 1);
    assert_ptr_equal(plan->inlined[0], t);
    assert_int_equal(plan->n_stores, 1);
    expect_groups(plan, 1);
    t->inlined = 1; /* as the first evaluation leaves it */
    plan = PLAN(graph_op(PLAIT__OP_subtract, t, x, NULL));
    assert_int_equal(plan->n_stores, 2);
    assert_int_equal(plan->n_inlined, 0);
    expect_groups(plan, 1);
}

/* ---- families ---- */

static bool accepts_transposed(const plait_array *node, size_t i, const plait_dims *shape, const plait__layout *layout)
{
    (void)node;
    (void)i;
    return layout->offset == 0 && (layout->strides[1] == 1 || layout->strides[0] == 1) && shape->n == 2;
}

static const plait__family plain = {.name = "plain"};
static const plait__family picky = {.name = "picky", .accepts = accepts_transposed};

static void test_families(void **state)
{
    (void)state;
    plait_array *x = graph_leaf(PLAIT_SHAPE(5, 5), 0);
    plait_array *sum = graph_add(x, x);
    /* Inputs are stored, consumers read what it stores. */
    expect_groups(PLAN(graph_add(graph_family(&plain, sum, x), x)), 3);
    /* A refused layout is copied, whether the array is there or not; an accepted one is not. */
    expect_groups(PLAN(graph_family(&plain, graph_transpose(x), x)), 2);
    expect_groups(PLAN(graph_family(&picky, graph_transpose(x), x)), 1);
    expect_groups(PLAN(graph_family(&picky, graph_transpose(sum), sum)), 2);
    expect_groups(PLAN(graph_family(&picky, graph_slice(graph_leaf(PLAIT_SHAPE(5, 6), 0), 1, 1, 5, 1), x)), 2);
    expect_groups(PLAN(graph_family(&plain, graph_constant(PLAIT_SHAPE(5, 5), 2), graph_transpose(sum))), 3);
    plait__layout strided = {.offset = 3, .strides = {12, 2}};
    plait_array *s = graph_strided(PLAIT_SHAPE(5, 5), strided, 70);
    expect_groups(PLAN(graph_family(&plain, s, s), graph_add(s, x)), 3);
    expect_groups(PLAN(graph_transpose(graph_family(&plain, x, x))), 1);
    /* Views that lie in memory in C order, but not at its beginning; and reshapes of what lies in steps. */
    plait_array *seven = graph_leaf(PLAIT_SHAPE(7, 5), 0);
    expect_groups(PLAN(graph_family(&plain, graph_slice(seven, 0, 2, 5, 1), x)), 2);
    expect_groups(PLAN(graph_family(&plain, graph_slice(graph_add(seven, seven), 0, 2, 5, 1), graph_add(seven, seven))),
                  3);
    plait__layout steps = {.offset = 3, .strides = {20, 4}};
    s = graph_strided(PLAIT_SHAPE(5, 5), steps, 110);
    expect_groups(PLAN(graph_family(&plain, graph_reshape(graph_reshape(s, PLAIT_SHAPE(25)), PLAIT_SHAPE(5, 5)), x)),
                  2);
    plait_array *f = graph_family(&plain, graph_family(&plain, x, sum), graph_add(sum, graph_number(1)));
    expect_groups(PLAN(f, graph_add(f, f)), 4);
}

/* ---- limits ---- */

static void test_many_leaves(void **state)
{
    (void)state;
    plait_array *sum = graph_leaf(PLAIT_SHAPE(3), 0);
    for (int i = 0; i < 5000; i++) {
        sum = graph_add(sum, graph_leaf(PLAIT_SHAPE(3), i % 7));
    }
    plait__plan *plan = PLAN(sum);
    graph_check(plan);
    for (uint32_t k = 0; k < plan->n_groups; k++) {
        const plait__section *s = &plan->groups[k].section[PLAIT__MAIN];
        assert_true(s->n_leaves <= PLAIT__GROUP_LEAVES);
        assert_true(12 * s->n_leaves + 16 <= 1024);
    }
    assert_true(plan->n_groups < 120);
    assert_true(plait__plan_kernel_count(plan) <= 2);
    plait__plan_destroy(plan);

    /* A tree of the same. */
    static plait_array *level[4096];
    for (size_t i = 0; i < 4096; i++) {
        level[i] = graph_leaf(PLAIT_SHAPE(3), (double)(i % 5));
    }
    for (size_t n = 2048; n > 0; n /= 2) {
        for (size_t i = 0; i < n; i++) {
            level[i] = graph_add(level[2 * i], level[2 * i + 1]);
        }
    }
    plan = PLAN(level[0]);
    graph_check(plan);
    assert_true(plan->n_groups < 400);
    plait__plan_destroy(plan);
}

static void test_few_parameter_bytes(void **state)
{
    (void)state;
    graph_caps.max_parameter_bytes = 256;
    plait_array *sum = graph_leaf(PLAIT_SHAPE(2, 3, 2), 0);
    for (int i = 0; i < 30; i++) {
        plait_array *x = graph_transpose(graph_leaf(PLAIT_SHAPE(2, 3, 2), i));
        sum = graph_add(sum, i % 2 ? x : graph_leaf(PLAIT_SHAPE(2, 3, 2), 1));
        if (i % 7 == 6) {
            sum = graph_add(sum, graph_reduce(PLAIT__REDUCTION_max, sum, 1u << i % 3, true));
        }
    }
    plait__plan *plan = PLAN(sum);
    graph_check(plan);
    for (uint32_t k = 0; k < plan->n_groups; k++) {
        for (int kernel = 0; kernel < (plan->groups[k].kind == PLAIT__GROUP_REDUCE ? 2 : 1); kernel++) {
            plait__kernel_param params[200];
            size_t n = plait__group_params(&plan->groups[k], graph_caps.skeleton, kernel, params), bytes = 0;
            for (size_t i = 0; i < n; i++) {
                bool pointer = params[i].what == PLAIT__PARAM_LEAF || params[i].what == PLAIT__PARAM_OUTPUT ||
                               params[i].what == PLAIT__PARAM_PARTIAL || params[i].what == PLAIT__PARAM_LOCAL;
                bytes += pointer ? 8 : 4;
            }
            assert_true(bytes <= 256);
        }
    }
    plait__plan_destroy(plan);
}

static void test_deep_graph(void **state)
{
    (void)state;
    plait_array *x = graph_leaf(PLAIT_SHAPE(2), 0), *t = x;
    for (int i = 0; i < 100000; i++) {
        t = graph_op(i % 2 ? PLAIT__OP_subtract : PLAIT__OP_add, t, i % 3 ? x : graph_number(1), NULL);
    }
    plait__plan *plan = PLAN(t);
    graph_check(plan);
    assert_true(plan->n_groups < 1000);
    plait__plan_destroy(plan);
}

static void test_empty(void **state)
{
    (void)state;
    plait_array *none = graph_leaf(PLAIT_SHAPE(0, 4), 0);
    plait__plan *plan = PLAN(graph_add(none, none));
    assert_int_equal(plan->n_groups, 0);
    assert_int_equal(plan->n_aliases, 1);
    plait__plan_destroy(plan);
    expect_groups(PLAN(graph_reduce(PLAIT__REDUCTION_sum, graph_add(none, none), 1, false)), 1);
    expect_groups(PLAN(graph_reduce(PLAIT__REDUCTION_mean, none, 3, false)), 1);
    plan = PLAN(graph_reduce(PLAIT__REDUCTION_sum, none, 2, false));
    assert_int_equal(plan->n_groups, 0);
    plait__plan_destroy(plan);
}

/* ---- keys ---- */

static plait__hash128 key_of(plait_array *node)
{
    plait__plan *plan = PLAN(node);
    assert_int_equal(plan->n_groups, 1);
    plait__hash128 key = plan->groups[0].key;
    plait__plan_destroy(plan);
    return key;
}

static plait_array *scaled(int64_t n, double number)
{
    return graph_op(PLAIT__OP_multiply, graph_leaf(PLAIT_SHAPE(n), 0), graph_number(number), NULL);
}

static plait_array *powered(double exponent)
{
    return graph_op(PLAIT__OP_pow, graph_leaf(PLAIT_SHAPE(8), 1), graph_number(exponent), NULL);
}

static void test_keys_are_structure(void **state)
{
    (void)state;
    plait__hash128 key = key_of(scaled(1000, 0.5));
    for (int64_t n = 2; n < 200; n++) {
        assert_true(plait__hash_equal(key_of(scaled(n, (double)n)), key));
    }
    assert_true(
        plait__hash_equal(key_of(mean_of_squares(PLAIT_SHAPE(7), 1)), key_of(mean_of_squares(PLAIT_SHAPE(50, 20), 3))));
    assert_false(plait__hash_equal(key_of(mean_of_squares(PLAIT_SHAPE(7, 3), 1)),
                                   key_of(mean_of_squares(PLAIT_SHAPE(7, 3), 2))));
    plait_array *x = graph_leaf(PLAIT_SHAPE(8), 0), *y = graph_leaf(PLAIT_SHAPE(8), 0);
    assert_false(plait__hash_equal(key_of(graph_add(x, x)), key_of(graph_add(x, y))));
    assert_false(plait__hash_equal(key_of(graph_map("a", x, NULL)), key_of(graph_map("-a", x, NULL))));
    /* Exponents that have a form of their own are structure, the others numbers. */
    assert_true(plait__hash_equal(key_of(powered(2.5)), key_of(powered(7))));
    static const double special[] = {-1, 0.5, 1, 2, 3};
    for (size_t i = 0; i < 5; i++) {
        for (size_t j = 0; j < 5; j++) {
            assert_int_equal(plait__hash_equal(key_of(powered(special[i])), key_of(powered(special[j]))), i == j);
        }
        assert_false(plait__hash_equal(key_of(powered(special[i])), key_of(powered(7))));
    }
}

/* ---- anything ---- */

static uint32_t seed;

static uint32_t below(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

static plait_array *random_node(plait_array **pool, size_t n)
{
    plait_array *a = pool[below((uint32_t)n)], *b = pool[below((uint32_t)n)];
    plait_dims s = a->shape;
    int axis = s.n > 0 ? (int)below((uint32_t)s.n) : 0;
    switch (below(14)) {
    case 0:
        return graph_transpose(a);
    case 1:
        return s.n == 0 ? graph_add(a, a) : graph_slice(a, axis, s.d[axis] - 1, s.d[axis], -1);
    case 2:
        return s.n == 0 || s.d[axis] < 2 ? graph_op(PLAIT__OP_negative, a, NULL, NULL)
                                         : graph_slice(a, axis, 1, s.d[axis] - 1, 1);
    case 3: /* (a, b, c) -> (c, a * b) */
        return s.n != 3 ? graph_reshape(a, PLAIT_SHAPE(plait_shape_count(s)))
                        : graph_reshape(a, PLAIT_SHAPE(s.d[2], s.d[0] * s.d[1]));
    case 4:
        return s.n > 4 ? a
                       : graph_reshape(a, s.n == 1 && s.d[0] % 6 == 0 ? PLAIT_SHAPE(2, s.d[0] / 6, 3)
                                                                      : PLAIT_SHAPE(plait_shape_count(s), 1));
    case 5:
    case 6:
    case 7:
        if (s.n == 0) {
            return graph_add(a, graph_number(3));
        }
        return graph_reduce(below(2) ? PLAIT__REDUCTION_sum : PLAIT__REDUCTION_max, a, 1 + below((1u << s.n) - 1),
                            below(2) != 0);
    case 8:
        return graph_op(PLAIT__OP_maximum, a, graph_number(below(9)), NULL);
    case 9:
        return graph_family(&plain, a, a);
    case 10:
        return graph_iota(6);
    default:
        break;
    }
    /* An operation on two, if their shapes broadcast. */
    for (int32_t i = 1; i <= a->shape.n && i <= b->shape.n; i++) {
        int64_t p = a->shape.d[a->shape.n - i], q = b->shape.d[b->shape.n - i];
        if (p != q && p != 1 && q != 1) {
            return graph_add(a, a);
        }
    }
    return graph_op(below(2) ? PLAIT__OP_subtract : PLAIT__OP_maximum, a, b, NULL);
}

static void test_random_graphs(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < 3000; round++) {
        seed = round;
        graph_caps.skeleton = round % 2 ? PLAIT__SKELETON_CPU : PLAIT__SKELETON_DEVICE;
        graph_caps.max_parameter_bytes = round % 5 == 0 ? 256 : 1024;
        plait_array *pool[60];
        plait__layout layout = {.offset = 1, .strides = {2, 9}};
        size_t n = 0;
        pool[n++] = graph_leaf(PLAIT_SHAPE(2, 3, 4), 1);
        pool[n++] = graph_leaf(PLAIT_SHAPE(4, 3), 2);
        pool[n++] = graph_leaf(PLAIT_SHAPE(3, 1), -2);
        pool[n++] = graph_strided(PLAIT_SHAPE(4, 3), layout, 40);
        plait__layout steps = {.offset = 2, .strides = {9, 3}};
        pool[n++] = graph_strided(PLAIT_SHAPE(4, 3), steps, 40);
        pool[n++] = graph_leaf(PLAIT_SCALAR_SHAPE, 4);
        size_t size = 8 + below(40);
        while (n < size) {
            plait_array *node = random_node(pool, n);
            double most = 0;
            for (int64_t i = 0; i < plait_shape_count(node->shape); i++) {
                double v = graph_value(node)[i] < 0 ? -graph_value(node)[i] : graph_value(node)[i];
                most = v > most ? v : most;
            }
            pool[n++] = most < 1e12 && node->shape.n < 7 && plait_shape_count(node->shape) < 5000 ? node : pool[0];
            if (below(10) == 0) {
                atomic_store(&pool[n - 1]->kept, 1);
                pool[n - 1]->inlined = (uint8_t)below(2);
            }
        }
        plait_array *requested[4];
        size_t n_requested = 1 + below(4);
        for (size_t k = 0; k < n_requested; k++) {
            requested[k] = pool[n - 1 - below(k == 0 ? 1 : (uint32_t)n)];
        }
        plait__plan *plan = graph_plan(requested, n_requested);
        graph_check(plan);
        for (uint32_t k = 0; k < plan->n_groups; k++) { /* what it reads has a higher level */
            assert_true(k == 0 || plan->groups[k - 1].level >= plan->groups[k].level);
        }
        plait__plan_destroy(plan);
        graph_clear();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_elementwise, teardown),
        cmocka_unit_test_teardown(test_one_pass_over_the_data, teardown),
        cmocka_unit_test_teardown(test_results_join, teardown),
        cmocka_unit_test_teardown(test_what_two_groups_want_is_stored, teardown),
        cmocka_unit_test_teardown(test_tail, teardown),
        cmocka_unit_test_teardown(test_views_fold, teardown),
        cmocka_unit_test_teardown(test_two_views_of_one_value, teardown),
        cmocka_unit_test_teardown(test_numbers_and_iota, teardown),
        cmocka_unit_test_teardown(test_masks, teardown),
        cmocka_unit_test_teardown(test_kept_values, teardown),
        cmocka_unit_test_teardown(test_families, teardown),
        cmocka_unit_test_teardown(test_many_leaves, teardown),
        cmocka_unit_test_teardown(test_few_parameter_bytes, teardown),
        cmocka_unit_test_teardown(test_deep_graph, teardown),
        cmocka_unit_test_teardown(test_empty, teardown),
        cmocka_unit_test_teardown(test_keys_are_structure, teardown),
        cmocka_unit_test_teardown(test_random_graphs, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
