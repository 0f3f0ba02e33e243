/*
 * Tests of generated texts: compared with the files in tests/golden/codegen, and with what must never be in them.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 * No device. After a change that is meant, run the program with PLAIT_GOLDEN_WRITE=1 and read the difference.
 */
#include "testing.h"

#include "graph.h"

static char *text_of(plait_array *const *nodes, size_t n, size_t group)
{
    plait__plan *plan = graph_plan(nodes, n);
    char *text = NULL;
    assert_true(group < plait__plan_group_count(plan));
    assert_ok(plait__plan_group_text(plan, &graph_caps, group, &text));
    plait__plan_destroy(plan);
    return text;
}

static char *file_text(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL) {
        return NULL;
    }
    char *text = calloc(1, 1 << 16);
    assert_true(fread(text, 1, (1 << 16) - 1, f) < (1 << 16) - 1);
    fclose(f);
    return text;
}

static void compare(const char *name, char *text)
{
    char path[500];
    snprintf(path, sizeof path, "%s/codegen/%s_%s.cl", PLAIT_GOLDEN, name,
             graph_caps.skeleton == PLAIT__SKELETON_CPU ? "cpu" : "device");
    if (getenv("PLAIT_GOLDEN_WRITE") != NULL) {
        test_file_write(path, text, strlen(text));
    }
    char *expected = file_text(path);
    if (expected == NULL || strcmp(text, expected) != 0) {
        fail_msg("%s differs; the text is now\n%s", path, text);
    }
    free(expected);
    free(text);
}

static plait_array *of_dtype(plait_array *a, plait_dtype dtype)
{
    a->dtype = (uint8_t)dtype;
    return a;
}

static plait_array *x(plait_dims shape)
{
    return graph_leaf(shape, 0);
}

/* ---- the cases ---- */

static plait_array *add_contiguous(void)
{
    return graph_add(x(PLAIT_SHAPE(64)), x(PLAIT_SHAPE(64)));
}

static plait_array *root_times_two_plus(void)
{
    plait_array *root = graph_op(PLAIT__OP_sqrt, x(PLAIT_SHAPE(64)), NULL, NULL);
    return graph_add(graph_op(PLAIT__OP_multiply, root, graph_number(2), NULL), x(PLAIT_SHAPE(64)));
}

static plait_array *row_and_column(void)
{
    return graph_add(graph_add(x(PLAIT_SHAPE(3, 8)), x(PLAIT_SHAPE(8))), x(PLAIT_SHAPE(3, 1)));
}

static plait_array *transposed(void)
{
    return graph_add(graph_transpose(x(PLAIT_SHAPE(2, 3, 5))), x(PLAIT_SHAPE(5, 3, 2)));
}

static plait_array *mixed_dtypes(void)
{
    plait_array *bytes = of_dtype(x(PLAIT_SHAPE(64)), PLAIT_U8), *ints = of_dtype(x(PLAIT_SHAPE(64)), PLAIT_I32);
    plait_array *less = of_dtype(graph_op(PLAIT__OP_less, bytes, ints, NULL), PLAIT_BOOL);
    less->in_dtype = PLAIT_I32;
    plait_array *where = graph_op(PLAIT__OP_where, less, x(PLAIT_SHAPE(64)), graph_number(1));
    plait_array *back = graph_map("a * b", where, ints);
    back->kind = PLAIT__NODE_CAST;
    back->n_in = 1;
    return of_dtype(back, PLAIT_U8);
}

static plait_array *users_map(void)
{
    return graph_map("a * b + \"\\\"[0]", x(PLAIT_SHAPE(64)), x(PLAIT_SHAPE(64)));
}

static plait_array *powers(void)
{
    plait_array *a = graph_op(PLAIT__OP_pow, x(PLAIT_SHAPE(64)), graph_number(2), NULL);
    plait_array *b = graph_op(PLAIT__OP_pow, x(PLAIT_SHAPE(64)), graph_number(-1), NULL);
    return graph_add(a, graph_op(PLAIT__OP_pow, b, graph_number(2.5), NULL));
}

static plait_array *range_and_constant(void)
{
    return graph_add(graph_reshape(graph_iota(24), PLAIT_SHAPE(4, 6)), graph_constant(PLAIT_SHAPE(4, 6), 1));
}

static plait_array *squares(plait_dims shape)
{
    plait_array *d = graph_op(PLAIT__OP_subtract, x(shape), x(shape), NULL);
    return graph_op(PLAIT__OP_multiply, d, d, NULL);
}

static plait_array *mean_of_squares(void)
{
    return graph_reduce(PLAIT__REDUCTION_mean, squares(PLAIT_SHAPE(64)), 1, false);
}

static plait_array *rows(void)
{
    plait_array *sum = graph_reduce(PLAIT__REDUCTION_sum, squares(PLAIT_SHAPE(6, 8)), 2, false);
    return graph_add(graph_op(PLAIT__OP_multiply, sum, x(PLAIT_SHAPE(6)), NULL), graph_number(1));
}

static plait_array *columns(void)
{
    return graph_reduce(PLAIT__REDUCTION_sum, squares(PLAIT_SHAPE(6, 8)), 1, true);
}

static plait_array *outer_axes_of_three(void)
{
    return graph_reduce(PLAIT__REDUCTION_max, x(PLAIT_SHAPE(5, 6, 7)), 5, false);
}

static plait_array *masked_mean(void)
{
    plait_array *where = of_dtype(graph_op(PLAIT__OP_less, x(PLAIT_SHAPE(6, 8)), graph_number(0), NULL), PLAIT_BOOL);
    return graph_masked(PLAIT__REDUCTION_mean, x(PLAIT_SHAPE(6, 8)), where, 2);
}

static plait_array *integers(void)
{
    plait_array *sum = graph_reduce(PLAIT__REDUCTION_sum, of_dtype(x(PLAIT_SHAPE(64)), PLAIT_I32), 1, false);
    return of_dtype(sum, PLAIT_I64);
}

static plait_array *complex_sum(void)
{
    plait_array *sum = graph_reduce(PLAIT__REDUCTION_sum, of_dtype(x(PLAIT_SHAPE(64)), PLAIT_C64), 1, false);
    return of_dtype(sum, PLAIT_C64);
}

static plait_array *doubles(void)
{
    plait_array *a = of_dtype(x(PLAIT_SHAPE(64)), PLAIT_F64);
    plait_array *sum = of_dtype(graph_op(PLAIT__OP_exp, a, NULL, NULL), PLAIT_F64);
    sum->in_dtype = PLAIT_F64;
    return of_dtype(graph_reduce(PLAIT__REDUCTION_mean, sum, 1, false), PLAIT_F64);
}

static const struct {
    const char *name;
    plait_array *(*build)(void);
} cases[] = {
    {"add_contiguous", add_contiguous},
    {"root_times_two_plus", root_times_two_plus},
    {"row_and_column", row_and_column},
    {"transposed", transposed},
    {"mixed_dtypes", mixed_dtypes},
    {"users_map", users_map},
    {"powers", powers},
    {"range_and_constant", range_and_constant},
    {"mean_of_squares", mean_of_squares},
    {"rows", rows},
    {"columns", columns},
    {"outer_axes_of_three", outer_axes_of_three},
    {"masked_mean", masked_mean},
    {"integers", integers},
    {"complex_sum", complex_sum},
    {"doubles", doubles},
};

static void test_golden_texts(void **state)
{
    (void)state;
    for (int skeleton = 0; skeleton < 2; skeleton++) {
        graph_caps.skeleton = skeleton == 0 ? PLAIT__SKELETON_DEVICE : PLAIT__SKELETON_CPU;
        for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
            plait_array *node = cases[k].build();
            compare(cases[k].name, text_of(&node, 1, 0));
            graph_clear();
        }
    }
}

static void test_results_of_one_pass(void **state)
{
    (void)state;
    graph_caps.skeleton = PLAIT__SKELETON_DEVICE;
    plait_array *a = x(PLAIT_SHAPE(6, 8));
    plait_array *nodes[] = {graph_reduce(PLAIT__REDUCTION_sum, a, 3, false),
                            graph_reduce(PLAIT__REDUCTION_max, a, 3, false),
                            graph_reduce(PLAIT__REDUCTION_mean, a, 3, false)};
    compare("three_of_one_pass", text_of(nodes, 3, 0));
    plait_array *more[] = {graph_add(a, a), graph_op(PLAIT__OP_subtract, a, graph_number(1), NULL)};
    compare("two_outputs", text_of(more, 2, 0));
    graph_clear();
}

/* Of everything above that has no f64: no double, no number with a point that lacks its f. */
static void test_no_double_where_there_is_none(void **state)
{
    (void)state;
    for (int skeleton = 0; skeleton < 2; skeleton++) {
        graph_caps.skeleton = skeleton == 0 ? PLAIT__SKELETON_DEVICE : PLAIT__SKELETON_CPU;
        for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
            plait_array *node = cases[k].build();
            char *text = text_of(&node, 1, 0);
            bool has_f64 = strcmp(cases[k].name, "doubles") == 0;
            assert_int_equal(strstr(text, "double") != NULL, has_f64);
            assert_int_equal(strstr(text, "PLAIT_F64") != NULL, has_f64);
            for (const char *p = text; (p = strchr(p, '.')) != NULL; p++) {
                const char *end = p + 1;
                while (*end >= '0' && *end <= '9') {
                    end++;
                }
                if (p > text && p[-1] >= '0' && p[-1] <= '9' && !has_f64) {
                    assert_int_equal(*end, 'f');
                }
            }
            free(text);
            graph_clear();
        }
    }
}

/* Sizes, strides and numbers are arguments. */
static void test_text_is_structure(void **state)
{
    (void)state;
    static const int64_t sizes[] = {2, 64, 1000, 1 << 20};
    char *first = NULL;
    for (size_t k = 0; k < 4; k++) {
        plait_array *a =
            graph_strided(PLAIT_SHAPE(sizes[k]), (plait__layout){.offset = (int64_t)k, .strides = {3}}, 4 << 20);
        plait_array *node = graph_op(PLAIT__OP_multiply, a, graph_number(0.1 * (double)k), NULL);
        char *text = text_of(&node, 1, 0);
        if (first == NULL) {
            first = text;
        } else {
            assert_string_equal(first, text);
            free(text);
        }
        graph_clear();
    }
    free(first);
}

/* Indices of 64 bits where 32 might not do. */
static void test_large(void **state)
{
    (void)state;
    plait_array *row = x(PLAIT_SHAPE(1, 8));
    plait_array *small = graph_reduce(PLAIT__REDUCTION_sum, graph_broadcast(row, PLAIT_SHAPE(1000, 8)), 1, false);
    plait_array *large = graph_reduce(PLAIT__REDUCTION_sum, graph_broadcast(row, PLAIT_SHAPE(1000000000, 8)), 1, false);
    char *a = text_of(&small, 1, 0), *b = text_of(&large, 1, 0);
    assert_non_null(strstr(a, "typedef int I;"));
    assert_non_null(strstr(b, "typedef long I;"));
    free(a);
    free(b);
    graph_clear();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden_texts),
        cmocka_unit_test(test_results_of_one_pass),
        cmocka_unit_test(test_no_double_where_there_is_none),
        cmocka_unit_test(test_text_is_structure),
        cmocka_unit_test(test_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
