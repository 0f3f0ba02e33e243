/*
 * Tests of generated kernels on a device: layouts, reductions over every set of axes, both skeletons, small groups.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 * Everything of one test is evaluated in one call, over shapes of few dimensions, so that few kernels are built. The
 * operations themselves are test_golden's.
 */
#include "testing.h"

#include "runtime.h"

#include <math.h>
#include <plait/plait.h>

/* One context for each way of running kernels. */
static const struct {
    const char *skeleton, *emulate;
} ways[] = {{"cpu", ""}, {"device", ""}, {"device", "group=1"}, {"device", "group=16,local=1024,params=256"}};
#define WAYS (sizeof ways / sizeof ways[0])
static plait_ctx *contexts[WAYS];

static plait_ctx *open_way(size_t way)
{
    plait_ctx *ctx;
    setenv("PLAIT_SKELETON", ways[way].skeleton, 1);
    setenv("PLAIT_EMULATE", ways[way].emulate, 1);
    assert_ok(plait_open(&ctx, NULL));
    unsetenv("PLAIT_SKELETON");
    unsetenv("PLAIT_EMULATE");
    bool long_loops = strstr(plait_ctx_device(ctx)->quirks, "loops-end-after") == NULL;
    if (strcmp(ways[way].skeleton, "cpu") == 0 && !long_loops) { /* what the cpu skeleton consists of */
        assert_ok(plait_close(ctx));
        assert_ok(plait_open(&ctx, NULL));
    }
    return ctx;
}

static uint64_t launches(plait_ctx *ctx)
{
    plait_stats s = PLAIT_STATS;
    assert_ok(plait_ctx_stats(ctx, &s));
    return s.launches;
}

static uint64_t kernels(plait_ctx *ctx)
{
    plait_stats s = PLAIT_STATS;
    assert_ok(plait_ctx_stats(ctx, &s));
    return s.kernels;
}

/* ---- arrays with the values that they should have ---- */

typedef struct pair {
    plait_array *a;
    plait_dims shape;
    double *value; /* C order */
} pair;

#define MAX_PAIRS 256
static pair checked[MAX_PAIRS];
static size_t n_checked;

static int64_t count_of(plait_dims shape)
{
    return plait_shape_count(shape);
}

static float element(int64_t i)
{
    return (float)((i * 7919 + 13) % 2003 - 1001) / 16.0f; /* sums of some thousands are exact */
}

static pair stored(plait_ctx *ctx, plait_dims shape)
{
    int64_t n = count_of(shape);
    float *memory = malloc(((size_t)n + 1) * sizeof *memory);
    pair p = {.shape = shape, .value = malloc(((size_t)n + 1) * sizeof(double))};
    for (int64_t i = 0; i < n; i++) {
        memory[i] = element(i);
        p.value[i] = memory[i];
    }
    p.a = plait_from_host(ctx, memory, shape, PLAIT_F32);
    free(memory);
    return p;
}

/* A view: its element at coordinates c is the other's at start + step * c[axis]. Frees the other's value. */
static pair viewed(pair p, plait_array *view, const int *axis, const int64_t *start, const int64_t *step)
{
    pair v = {.a = view, .shape = plait_array_shape(view)};
    v.value = malloc(((size_t)count_of(v.shape) + 1) * sizeof(double));
    for (int64_t i = 0; i < count_of(v.shape); i++) {
        int64_t c[PLAIT_MAX_DIMS], rest = i, at = 0;
        for (int32_t d = v.shape.n; d-- > 0;) {
            c[d] = rest % v.shape.d[d];
            rest /= v.shape.d[d];
        }
        for (int32_t d = 0; d < p.shape.n; d++) {
            at = at * p.shape.d[d] + start[d] + (axis[d] < 0 ? 0 : step[d] * c[axis[d]]);
        }
        v.value[i] = p.value[at];
    }
    free(p.value);
    return v;
}

/* `shape` elements in several layouts: in C order, transposed, backwards, a block of something larger, repeated rows.
 */
#define LAYOUTS 5
static pair laid_out(plait_ctx *ctx, plait_dims s, int layout)
{
    static const int same[] = {0, 1, 2, 3, 4}, turned[] = {2, 1, 0};
    static const int64_t zero[5] = {0}, one[] = {1, 1, 1, 1, 1}, minus[] = {-1, -1, -1};
    switch (layout) {
    case 1: {
        pair p = stored(ctx, PLAIT_SHAPE(s.d[2], s.d[1], s.d[0]));
        return viewed(p, plait_transpose(p.a), turned, zero, one);
    }
    case 2: {
        pair p = stored(ctx, s);
        const int64_t last[] = {s.d[0] - 1, s.d[1] - 1, s.d[2] - 1};
        return viewed(p, plait_flip(p.a, PLAIT_AXES(0, 1, 2)), same, last, minus);
    }
    case 3: {
        pair p = stored(ctx, PLAIT_SHAPE(s.d[0], s.d[1] + 2, s.d[2] + 3));
        const int64_t start[] = {0, 1, 3};
        plait_array *v = plait_slice(p.a, 1, 1, s.d[1] + 1, 1);
        return viewed(p, plait_slice(v, 2, 3, PLAIT_OPEN, 1), same, start, one);
    }
    case 4: {
        pair p = stored(ctx, PLAIT_SHAPE(s.d[0], 1, s.d[2]));
        static const int repeated[] = {0, -1, 2};
        return viewed(p, plait_broadcast_to(p.a, s), repeated, zero, one);
    }
    default:
        return stored(ctx, s);
    }
}

/* After a test that failed. */
static int forget(void **state)
{
    (void)state;
    n_checked = 0;
    return 0;
}

static void want(plait_array *a, plait_dims shape, double *value)
{
    if (a == NULL) {
        fail_msg("%s", plait_last_error());
    }
    assert_true(n_checked < MAX_PAIRS);
    checked[n_checked++] = (pair){.a = a, .shape = shape, .value = value};
}

/* Evaluates what is wanted and compares; a relative error of `tolerance` is let pass. */
static void check(double tolerance)
{
    plait_array *arrays[MAX_PAIRS];
    for (size_t k = 0; k < n_checked; k++) {
        arrays[k] = checked[k].a;
    }
    assert_ok(plait_eval(arrays, n_checked));
    for (size_t k = 0; k < n_checked; k++) {
        size_t n = (size_t)count_of(checked[k].shape);
        double *got = malloc((n + 1) * sizeof *got);
        assert_int_equal(plait_array_count(checked[k].a), n);
        assert_ok(plait_to_host(checked[k].a, got, n, PLAIT_F64));
        for (size_t i = 0; i < n; i++) {
            double expected = checked[k].value[i];
            bool same = got[i] == expected || (isnan(got[i]) && isnan(expected)) ||
                        fabs(got[i] - expected) <= tolerance * fabs(expected);
            if (!same) {
                fail_msg("result %d, element %d: %.9g, not %.9g", (int)k, (int)i, got[i], expected);
            }
        }
        free(got);
        free(checked[k].value);
    }
    n_checked = 0;
}

/* ---- elementwise kernels ---- */

static double *map2(pair x, pair y)
{
    int64_t n = count_of(x.shape);
    double *v = malloc(((size_t)n + 1) * sizeof *v);
    for (int64_t i = 0; i < n; i++) {
        v[i] = 2 * x.value[i] - y.value[i];
    }
    return v;
}

static void test_layouts(void **state)
{
    (void)state;
    for (size_t way = 0; way < WAYS; way += 1) {
        PLAIT_SCOPE;
        plait_ctx *ctx = contexts[way];
        const plait_dims shapes[] = {PLAIT_SHAPE(5, 3, 7), PLAIT_SHAPE(6, 5, 8), PLAIT_SHAPE(1, 1, 1)};
        for (size_t s = 0; s < (way < 2 ? 3 : 1); s++) {
            for (int i = 0; i < LAYOUTS; i++) {
                pair x = laid_out(ctx, shapes[s], i), y = laid_out(ctx, shapes[s], (i + 1) % LAYOUTS);
                want(plait_subtract(plait_multiply(x.a, plait_num(2)), y.a), x.shape, map2(x, y));
                free(x.value);
                free(y.value);
            }
        }
        if (way == 0) { /* more than one block of a kernel that goes through a transposed array */
            plait_dims blocks = PLAIT_SHAPE(70, 1, 130);
            pair x = laid_out(ctx, blocks, 1), y = laid_out(ctx, blocks, 0);
            want(plait_subtract(plait_multiply(x.a, plait_num(2)), y.a), x.shape, map2(x, y));
            free(x.value);
            free(y.value);
        }
        check(0);
    }
}

/* Kernels of 4 and of more dimensions; elements of every size; an index. */
static void test_many_dimensions(void **state)
{
    (void)state;
    for (size_t way = 0; way < 2; way++) {
        PLAIT_SCOPE;
        plait_ctx *ctx = contexts[way];
        for (int n = 4; n <= 8; n += 2) {
            plait_dims shape = {n, {2, 3, 2, 3, 2, 1, 2, 2}}, turned = {n, {0}}, order = {n, {0}};
            for (int d = 0; d < n; d++) { /* evens up, odds up: nothing collapses */
                order.d[d] = d < n / 2 ? 2 * d + 1 : 2 * (d - n / 2);
                turned.d[d] = shape.d[order.d[d]];
            }
            static const int64_t zero[8] = {0}, one[] = {1, 1, 1, 1, 1, 1, 1, 1};
            int axis[8];
            for (int d = 0; d < n; d++) {
                axis[order.d[d]] = d;
            }
            pair p = stored(ctx, shape);
            pair v = viewed(p, plait_permute_dims(p.a, order), axis, zero, one);
            pair y = stored(ctx, turned);
            want(plait_subtract(plait_multiply(v.a, plait_num(2)), y.a), v.shape, map2(v, y));
            double *sum = calloc(1, sizeof *sum);
            for (int64_t i = 0; i < count_of(v.shape); i++) {
                *sum += v.value[i] * y.value[i];
            }
            want(plait_sum(plait_multiply(v.a, y.a)), PLAIT_SCALAR_SHAPE, sum);
            free(v.value);
            free(y.value);
        }
        check(1e-6);
    }
}

static void test_lengths(void **state)
{
    (void)state;
    for (size_t way = 0; way < WAYS; way++) {
        PLAIT_SCOPE;
        plait_ctx *ctx = contexts[way];
        uint64_t before = kernels(ctx);
        static const int64_t lengths[] = {0,   1,   2,   3,   4,   5,   31,   32,    33,
                                          255, 256, 257, 511, 512, 513, 1000, 65537, 1000000};
        for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++) {
            pair x = stored(ctx, PLAIT_SHAPE(lengths[k])), y = stored(ctx, PLAIT_SHAPE(lengths[k]));
            want(plait_subtract(plait_multiply(x.a, plait_num(2)), y.a), x.shape, map2(x, y));
            free(x.value);
            free(y.value);
        }
        for (size_t k = 0; k < n_checked; k++) { /* one by one */
            assert_ok(plait_eval(&checked[k].a, 1));
        }
        assert_true(kernels(ctx) - before <= 2);
        check(0);
    }
}

static void test_offsets(void **state)
{
    (void)state;
    for (size_t way = 0; way < 2; way++) {
        PLAIT_SCOPE;
        plait_ctx *ctx = contexts[way];
        for (int64_t k = 0; k <= 64; k += k < 8 ? 1 : 7) {
            pair x = stored(ctx, PLAIT_SHAPE(1024));
            double *v = malloc((size_t)(1024 - k) * sizeof *v), *sum = calloc(1, sizeof *sum);
            for (int64_t i = k; i < 1024; i++) {
                v[i - k] = 2 * x.value[i];
                *sum += x.value[i];
            }
            plait_array *slice = plait_slice(x.a, 0, k, PLAIT_OPEN, 1);
            want(plait_multiply(slice, plait_num(2)), PLAIT_SHAPE(1024 - k), v);
            want(plait_sum(slice), PLAIT_SCALAR_SHAPE, sum);
            free(x.value);
        }
        check(1e-6);
    }
}

/* ---- reductions ---- */

typedef plait_array *(*reducer)(plait_array *, plait_array *, const plait_reduce_opts *);

static const struct {
    reducer build;
    int kind; /* of reference() */
} reducers[] = {{plait_sum_opt, 0}, {plait_mean_opt, 1}, {plait_min_opt, 2}, {plait_max_opt, 3}};

static double *reference(pair x, unsigned mask, int kind, plait_dims *shape)
{
    *shape = (plait_dims){0, {0}};
    int64_t terms = 1;
    for (int32_t d = 0; d < x.shape.n; d++) {
        if (mask >> d & 1) {
            terms *= x.shape.d[d];
        } else {
            shape->d[shape->n++] = x.shape.d[d];
        }
    }
    int64_t n = count_of(*shape);
    double *v = malloc(((size_t)n + 1) * sizeof *v);
    for (int64_t o = 0; o < n; o++) {
        v[o] = kind == 2 ? INFINITY : kind == 3 ? -INFINITY : 0;
    }
    for (int64_t i = 0; i < count_of(x.shape); i++) {
        int64_t rest = i, o = 0, unit = 1;
        for (int32_t d = x.shape.n; d-- > 0;) {
            if ((mask >> d & 1) == 0) {
                o += rest % x.shape.d[d] * unit;
                unit *= x.shape.d[d];
            }
            rest /= x.shape.d[d];
        }
        double e = x.value[i];
        bool lost = isnan(v[o]) || isnan(e); /* NaN stays */
        v[o] = kind < 2 ? v[o] + e : lost ? NAN : kind == 2 ? fmin(v[o], e) : fmax(v[o], e);
    }
    for (int64_t o = 0; o < n && kind == 1; o++) {
        v[o] /= (double)terms;
    }
    return v;
}

static plait_dims axes_of(unsigned mask)
{
    plait_dims axes = {0, {0}};
    for (int d = 0; d < 8; d++) {
        if (mask >> d & 1) {
            axes.d[axes.n++] = d;
        }
    }
    return axes;
}

static void want_reductions(pair x, unsigned mask, plait_array *a)
{
    plait_reduce_opts opts = PLAIT_REDUCE_OPTS;
    opts.axes = axes_of(mask);
    for (size_t r = 0; r < sizeof reducers / sizeof reducers[0]; r++) {
        plait_dims shape;
        double *v = reference(x, mask, reducers[r].kind, &shape);
        want(reducers[r].build(a, PLAIT_NONE, &opts), shape, v);
    }
}

static void test_axes(void **state)
{
    (void)state;
    for (size_t way = 0; way < WAYS; way++) {
        /* The same kernels for all but the last, which can be read in vectors. */
        const plait_dims shapes[] = {PLAIT_SHAPE(5, 3, 7), PLAIT_SHAPE(3, 130, 9), PLAIT_SHAPE(70, 2, 301),
                                     PLAIT_SHAPE(6, 3, 1703), PLAIT_SHAPE(70, 4, 300)};
        for (size_t s = 0; s < (way == 1 ? 5 : 4); s++) {
            PLAIT_SCOPE;
            for (unsigned mask = 1; mask < 8; mask++) {
                if ((way > 1 || s == 4) && mask != 1 && mask != 6 && mask != 7) {
                    continue;
                }
                for (int layout = 0; layout < LAYOUTS; layout++) {
                    if (layout > 0 && (mask != (unsigned)layout || way > 1)) {
                        continue;
                    }
                    pair x = laid_out(contexts[way], shapes[s], layout);
                    want_reductions(x, mask, x.a);
                    free(x.value);
                }
            }
            check(1e-6);
        }
    }
}

static void test_reduced_lengths(void **state)
{
    (void)state;
    for (size_t way = 0; way < WAYS; way++) {
        PLAIT_SCOPE;
        plait_ctx *ctx = contexts[way];
        uint64_t before = kernels(ctx);
        static const int64_t lengths[] = {1,   2,   31,  32,  33,  127,  128,   129,    255,
                                          256, 257, 511, 512, 513, 1000, 65537, 1000000};
        for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++) {
            pair x = stored(ctx, PLAIT_SHAPE(lengths[k]));
            size_t first = n_checked;
            want_reductions(x, 1, x.a);
            plait_array *group[4];
            for (size_t r = 0; r < 4; r++) {
                group[r] = checked[first + r].a;
            }
            assert_ok(plait_eval(group, 4)); /* one pass */
            free(x.value);
        }
        assert_true(kernels(ctx) - before <= 2);
        check(1e-6);
    }
}

static void test_nan_and_limits(void **state)
{
    (void)state;
    for (size_t way = 0; way < WAYS; way++) {
        PLAIT_SCOPE;
        plait_ctx *ctx = contexts[way];
        static const int64_t lengths[] = {1, 10, 257, 1000000};
        float *x = malloc(1000000 * sizeof *x);
        for (int where = 0; where < 5; where++) {
            for (size_t k = 0; k < 4; k++) {
                int64_t n = lengths[k];
                for (int64_t i = 0; i < n; i++) {
                    x[i] = where == 3 ? -10.0f : where == 4 ? -INFINITY : 1.0f;
                }
                if (where < 3) {
                    x[where == 0 ? 0 : where == 1 ? n / 2 : n - 1] = NAN;
                }
                plait_array *a = plait_from_host(ctx, x, PLAIT_SHAPE(n), PLAIT_F32);
                for (int r = 0; r < 2; r++) {
                    double *v = malloc(sizeof *v);
                    *v = where < 3 ? NAN : where == 3 ? -10 : -INFINITY;
                    want(r == 0 ? plait_min(a) : plait_max(a), PLAIT_SCALAR_SHAPE, v);
                }
                double *v = malloc(sizeof *v);
                *v = where < 3 ? NAN : where == 3 ? -10.0 * (double)n : -INFINITY;
                want(plait_sum(a), PLAIT_SCALAR_SHAPE, v);
            }
        }
        free(x);
        check(0);
    }
}

/* Integers in 64 bits, bools counted, complex by part; what is left of a sum that overflows on the way. */
static void test_dtypes(void **state)
{
    (void)state;
    for (size_t way = 0; way < 2; way++) {
        PLAIT_SCOPE;
        plait_ctx *ctx = contexts[way];
        enum { N = 5000 };
        static int32_t ints[N];
        static int64_t longs[N];
        static uint8_t bytes[N], bools[N];
        static float complexes[N][2];
        double sums[5] = {0}, im = 0, min = INFINITY, max = -INFINITY;
        for (int i = 0; i < N; i++) {
            ints[i] = 2000000000 - i;
            longs[i] = ((int64_t)1 << 40) * (i % 7 - 3);
            bytes[i] = (uint8_t)(i * 31);
            bools[i] = i % 3 == 0;
            complexes[i][0] = element(i);
            complexes[i][1] = -element(i + 5);
            sums[0] += ints[i];
            sums[1] += (double)longs[i];
            sums[2] += bytes[i];
            sums[3] += bools[i];
            sums[4] += complexes[i][0];
            im += complexes[i][1];
            min = fmin(min, ints[i]);
            max = fmax(max, bytes[i]);
        }
        const void *memory[] = {ints, longs, bytes, bools, complexes};
        static const plait_dtype dtypes[] = {PLAIT_I32, PLAIT_I64, PLAIT_U8, PLAIT_BOOL, PLAIT_C64};
        for (int k = 0; k < 5; k++) {
            plait_array *a = plait_from_host(ctx, memory[k], PLAIT_SHAPE(N), dtypes[k]);
            plait_array *sum = plait_sum(a);
            assert_int_equal(plait_array_dtype(sum), k == 4 ? PLAIT_C64 : PLAIT_I64);
            double *v = malloc(sizeof *v), *m = malloc(sizeof *m);
            *v = sums[k];
            *m = sums[k] / N;
            want(plait_real(sum), PLAIT_SCALAR_SHAPE, v);
            want(plait_real(plait_mean(a)), PLAIT_SCALAR_SHAPE, m);
            if (k == 4) {
                double *w = malloc(sizeof *w);
                *w = im;
                want(plait_imag(sum), PLAIT_SCALAR_SHAPE, w);
            }
            if (k == 0 || k == 2) {
                double *w = malloc(sizeof *w);
                *w = k == 0 ? min : max;
                want(k == 0 ? plait_min(a) : plait_max(a), PLAIT_SCALAR_SHAPE, w);
            }
        }
        check(1e-6);
    }
}

static void test_masked(void **state)
{
    (void)state;
    for (size_t way = 0; way < 2; way++) {
        PLAIT_SCOPE;
        pair x = stored(contexts[way], PLAIT_SHAPE(40, 50));
        plait_reduce_opts opts = PLAIT_REDUCE_OPTS;
        opts.axes = PLAIT_AXES(1);
        plait_array *positive = plait_greater(x.a, plait_num(0));
        for (size_t r = 0; r < 4; r++) {
            double *v = malloc(40 * sizeof *v);
            for (int i = 0; i < 40; i++) {
                double n = 0;
                v[i] = reducers[r].kind == 2 ? INFINITY : reducers[r].kind == 3 ? -INFINITY : 0;
                for (int j = 0; j < 50; j++) {
                    double e = x.value[50 * i + j];
                    if (e > 0) {
                        n++;
                        v[i] = reducers[r].kind < 2 ? v[i] + e : reducers[r].kind == 2 ? fmin(v[i], e) : fmax(v[i], e);
                    }
                }
                v[i] /= reducers[r].kind == 1 ? n : 1;
            }
            want(reducers[r].build(x.a, positive, &opts), PLAIT_SHAPE(40), v);
        }
        free(x.value);
        check(1e-6);
    }
}

static void test_one_pass(void **state)
{
    (void)state;
    for (size_t way = 0; way < WAYS; way++) {
        PLAIT_SCOPE;
        plait_ctx *ctx = contexts[way];
        pair x = stored(ctx, PLAIT_SHAPE(300, 1000)), y = stored(ctx, PLAIT_SHAPE(300, 1000));
        plait_array *mean = plait_mean(plait_square(plait_subtract(x.a, plait_multiply(y.a, plait_num(3)))));
        double *v = calloc(1, sizeof *v);
        for (int64_t i = 0; i < count_of(x.shape); i++) {
            *v += (x.value[i] - 3 * y.value[i]) * (x.value[i] - 3 * y.value[i]) / (double)count_of(x.shape);
        }
        uint64_t before = launches(ctx);
        assert_ok(plait_eval(&mean, 1));
        assert_true(launches(ctx) - before <= 2);
        want(mean, PLAIT_SCALAR_SHAPE, v);
        check(1e-6);
        free(x.value);
        free(y.value);
    }
}

static void test_same_bits(void **state)
{
    (void)state;
    for (size_t way = 0; way < WAYS; way++) {
        PLAIT_SCOPE;
        plait_ctx *ctx = contexts[way];
        float *x = malloc(300000 * sizeof *x), first[301] = {0};
        for (int i = 0; i < 300000; i++) {
            x[i] = sinf((float)i);
        }
        plait_array *a = plait_from_host(ctx, x, PLAIT_SHAPE(1000, 300), PLAIT_F32);
        for (int turn = 0; turn < 5; turn++) {
            float now[301];
            assert_ok(plait_to_host(plait_sum(a), now, 1, PLAIT_F32));
            assert_ok(plait_to_host(plait_sum_axis(a, 0), now + 1, 300, PLAIT_F32));
            if (turn == 0) {
                memcpy(first, now, sizeof now);
            }
            assert_memory_equal(first, now, sizeof now);
        }
        free(x);
    }
}

/* Without identity there would be nothing to give; the mean of nothing is NaN. */
static void test_nothing(void **state)
{
    (void)state;
    for (size_t way = 0; way < 2; way++) {
        PLAIT_SCOPE;
        plait_array *none = plait_zeros(contexts[way], PLAIT_SHAPE(0, 4), PLAIT_F32);
        plait_array *more =
            plait_add(plait_multiply(none, plait_num(2)), plait_slice(none, 0, PLAIT_OPEN, PLAIT_OPEN, -1));
        double *zeros = calloc(4, sizeof *zeros), *nans = malloc(4 * sizeof *nans), *zero = calloc(1, sizeof *zero);
        for (int i = 0; i < 4; i++) {
            nans[i] = NAN;
        }
        want(plait_sum_axis(more, 0), PLAIT_SHAPE(4), zeros);
        want(plait_mean_axis(more, 0), PLAIT_SHAPE(4), nans);
        want(plait_sum(more), PLAIT_SCALAR_SHAPE, zero);
        want(plait_sum_axis(more, 1), PLAIT_SHAPE(0), calloc(1, sizeof(double)));
        uint64_t before = launches(contexts[way]);
        assert_ok(plait_eval(&more, 1));
        assert_int_equal(launches(contexts[way]), before);
        check(0);
    }
}

/* Indices of 64 bits, without the memory. */
static void test_more_than_int_holds(void **state)
{
    (void)state;
    for (size_t way = 0; way < 2; way++) {
        PLAIT_SCOPE;
        plait_ctx *ctx = contexts[way];
        float row[3] = {1, 2, 4};
        plait_array *a = plait_from_host(ctx, row, PLAIT_SHAPE(1, 3), PLAIT_F32);
        plait_array *wide = plait_broadcast_to(a, PLAIT_SHAPE(way == 0 ? 800000000 : 400000000, 3));
        double n = way == 0 ? 800000000.0 : 400000000.0, *v = malloc(3 * sizeof *v);
        for (int k = 0; k < 3; k++) {
            v[k] = n * row[k];
        }
        want(plait_sum_axis(wide, 0), PLAIT_SHAPE(3), v);
        check(1e-7);
    }
}

static void test_users_text_in_the_log(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    float x[2] = {1, 2};
    plait_array *a = plait_from_host(contexts[0], x, PLAIT_SHAPE(2), PLAIT_F32);
    plait_array *bad = plait_map("a + nosuchthing", a);
    assert_fails(plait_eval(&bad, 1), PLAIT_E_BUILD, "plait_map: a + nosuchthing");
}

/* One operation that needs more arguments than the device takes; the context goes on. */
static void test_too_many_arguments(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    plait_ctx *ctx = contexts[WAYS - 1]; /* 256 bytes */
    plait_array *inputs[16];
    for (int k = 0; k < 16; k++) {
        pair p = laid_out(ctx, PLAIT_SHAPE(5, 3, 7), 3);
        inputs[k] = p.a;
        free(p.value);
    }
    plait_array *all = plait_map_n("a+b+c+d+e+f+g+h+i+j+k+l+m+n+o+p", inputs, 16, PLAIT_F32);
    assert_non_null(all);
    assert_fails(plait_eval(&all, 1), PLAIT_E_UNSUPPORTED, "bytes of kernel arguments");
    plait_array *some = plait_map_n("a+b+c", inputs, 3, PLAIT_F32);
    assert_ok(plait_eval(&some, 1));
}

static int setup(void **state)
{
    (void)state;
    for (size_t way = 0; way < WAYS; way++) {
        contexts[way] = open_way(way);
    }
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    for (size_t way = 0; way < WAYS; way++) {
        assert_ok(plait_close(contexts[way]));
    }
    return 0;
}

int main(void)
{
    plait_ctx *ctx;
    if (plait_open(&ctx, NULL) != PLAIT_OK) {
        printf("skipped: %s\n", plait_last_error());
        return TEST_SKIPPED;
    }
    plait_close(ctx);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_layouts, forget),
        cmocka_unit_test_teardown(test_many_dimensions, forget),
        cmocka_unit_test_teardown(test_lengths, forget),
        cmocka_unit_test_teardown(test_offsets, forget),
        cmocka_unit_test_teardown(test_axes, forget),
        cmocka_unit_test_teardown(test_reduced_lengths, forget),
        cmocka_unit_test_teardown(test_nan_and_limits, forget),
        cmocka_unit_test_teardown(test_dtypes, forget),
        cmocka_unit_test_teardown(test_masked, forget),
        cmocka_unit_test_teardown(test_one_pass, forget),
        cmocka_unit_test_teardown(test_same_bits, forget),
        cmocka_unit_test_teardown(test_nothing, forget),
        cmocka_unit_test_teardown(test_more_than_int_holds, forget),
        cmocka_unit_test_teardown(test_users_text_in_the_log, forget),
        cmocka_unit_test_teardown(test_too_many_arguments, forget),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
