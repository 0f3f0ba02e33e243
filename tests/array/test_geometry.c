/*
 * Tests of how groups are divided among work-items: whatever the sizes and limits, everything is done once.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "testing.h"

#include "graph.h"
#include "launch_group.h"
#include "tune.h"

static const int64_t sizes[] = {1, 2, 3, 4, 5, 31, 32, 33, 256, 257, 1000, 4096, 65537, 1000000, 1 << 27};
#define SIZES (sizeof sizes / sizeof sizes[0])

static bool is_power_of_two(int64_t n)
{
    return n > 0 && (n & (n - 1)) == 0;
}

static void check_elementwise(const plait__group *g, const plait__geometry *geo)
{
    int64_t items = (int64_t)geo->items[0];
    assert_true(geo->group[0] >= 1 && geo->items[0] % geo->group[0] == 0);
    if (graph_caps.skeleton == PLAIT__SKELETON_DEVICE) {
        int64_t vector = g->wide ? 4 : 1;
        assert_true(items * vector >= geo->count);
        assert_true((items - (int64_t)geo->group[0]) * vector < geo->count);
        return;
    }
    int64_t tasks = geo->count;
    if (g->tiled) {
        int64_t inner = g->section[PLAIT__MAIN].dims.d[g->section[PLAIT__MAIN].dims.n - 1];
        int64_t rows = plait__tuned(PLAIT__SKELETON_CPU, PLAIT__TUNE_TILE_ROWS);
        int64_t tile = plait__tuned(PLAIT__SKELETON_CPU, PLAIT__TUNE_TILE);
        tasks = (geo->count / inner + rows - 1) / rows * ((inner + tile - 1) / tile);
    }
    assert_int_equal(geo->group[0], 1);
    assert_true(items * geo->chunk[0] >= tasks && (items - 1) * geo->chunk[0] < tasks);
}

static void check_parts(const plait__geometry *geo)
{
    assert_true(geo->parts >= 1 && geo->part >= 1);
    assert_true(geo->parts * geo->part >= geo->terms);
    assert_true(geo->parts == 1 || (geo->parts - 1) * geo->part < geo->terms); /* none is empty */
}

static void check_reduce(const plait__group *g, const plait__geometry *geo)
{
    const plait__section *body = &g->section[PLAIT__BODY];
    int64_t width = g->columns ? body->dims.d[g->kept - 1] : 1;
    int64_t vector = g->wide ? 4 : 1;
    check_parts(geo);
    for (int kernel = 0; kernel < 2; kernel++) {
        int64_t group = (int64_t)geo->group[kernel], groups = (int64_t)geo->items[kernel] / group;
        assert_int_equal(geo->items[kernel] % geo->group[kernel], 0);
        bool main = kernel == PLAIT__KERNEL_MAIN;
        if (graph_caps.skeleton == PLAIT__SKELETON_CPU) {
            int64_t tile = plait__tuned(PLAIT__SKELETON_CPU, PLAIT__TUNE_COLUMNS);
            int64_t tasks = !main        ? geo->count
                            : g->columns ? geo->count / width * ((width + tile - 1) / tile) * geo->parts
                                         : geo->count * geo->parts;
            assert_int_equal(group, 1);
            assert_true(groups * geo->chunk[kernel] >= tasks && (groups - 1) * geo->chunk[kernel] < tasks);
            assert_true(!g->folded || (geo->fold >= 1 && geo->fold * width <= tile));
            continue;
        }
        int64_t lanes = geo->lanes[kernel];
        assert_true(is_power_of_two(lanes) && is_power_of_two(group) && lanes <= group);
        size_t bytes = 0;
        for (uint32_t k = 0; k < g->n_accumulators; k++) {
            bytes += (size_t)geo->local_pairs[kernel] * plait__pair_bytes(&g->accumulators[k]);
        }
        assert_true(bytes <= graph_caps.local_memory || group == 1);
        assert_true(geo->local_pairs[kernel] >= group * (main && g->columns ? vector : 1));
        if (!main) {
            assert_true(groups * (group / lanes) >= geo->count);
        } else if (g->columns) {
            assert_int_equal(groups,
                             geo->count / width * ((width + lanes * vector - 1) / (lanes * vector)) * geo->parts);
        } else {
            assert_true(groups * (group / lanes) >= geo->count * geo->parts);
            assert_true(geo->parts == 1 || geo->part % vector == 0); /* vectors stay aligned */
        }
    }
}

static void check(plait_array *node)
{
    static const size_t limits[][2] = {{256, 256}, {1024, 64}, {96, 1}, {16, 16}, {1, 256}};
    for (int skeleton = 0; skeleton < 2; skeleton++) {
        graph_caps.skeleton = skeleton == 0 ? PLAIT__SKELETON_DEVICE : PLAIT__SKELETON_CPU;
        plait__plan *plan = graph_plan(&node, 1);
        assert_int_equal(plan->n_groups, 1);
        const plait__group *g = &plan->groups[0];
        for (size_t k = 0; k < sizeof limits / sizeof limits[0]; k++) {
            plait__geometry geo = plait__group_geometry(g, &graph_caps, limits[k]);
            assert_true(geo.group[0] <= limits[k][0]);
            if (g->kind == PLAIT__GROUP_REDUCE) {
                check_reduce(g, &geo);
            } else {
                check_elementwise(g, &geo);
            }
        }
        plait__plan_destroy(plan);
    }
}

/* An array of any size that takes no memory. */
static plait_array *large(int64_t rows, int64_t columns, int64_t row, int64_t column)
{
    plait__layout layout = {.strides = {row, column}};
    return graph_strided(PLAIT_SHAPE(rows, columns), layout, 1);
}

static void test_every_size_and_limit(void **state)
{
    (void)state;
    static const size_t local_memories[] = {1024, 32768};
    static const uint32_t units[] = {1, 2, 132};
    for (size_t m = 0; m < 6; m++) {
        graph_caps.local_memory = local_memories[m % 2];
        graph_caps.compute_units = units[m / 2];
        for (size_t i = 0; i < SIZES; i++) {
            for (size_t j = 0; j < SIZES; j++) {
                int64_t rows = sizes[i], columns = sizes[j];
                if (rows * columns > (int64_t)1 << 40) {
                    continue;
                }
                plait_array *x = large(rows, columns, columns, 1), *turned = large(rows, columns, 1, rows);
                check(graph_add(x, x));
                check(graph_add(x, turned));
                check(graph_reduce(PLAIT__REDUCTION_sum, x, 1, false));
                check(graph_reduce(PLAIT__REDUCTION_sum, x, 2, false));
                check(graph_reduce(PLAIT__REDUCTION_max, x, 3, false));
                check(graph_reduce(PLAIT__REDUCTION_mean, turned, 1, false));
                graph_clear();
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_size_and_limit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
