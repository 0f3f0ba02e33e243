/*
 * Expressions of large arrays. Each case says once what it computes, how much memory it must move, and what the answer
 * is in plain C.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* What the cases work on: n numbers in [0, 1) each, seen in the shapes that the cases need. */
typedef struct data {
    bench *b;
    size_t n, rows, cols; /* n = rows * cols, about square */
    float *hx, *hy;
    plait_array *x, *y;     /* n */
    plait_array *u8;        /* n: 255 x, truncated */
    plait_array *x64, *y64; /* n / 2, NULL without fp64 */
} data;

typedef struct array_case {
    const char *name, *dtype;
    enum { FLAT, SQUARE, TALL, WIDE, HALF } shape;
    double bytes; /* least traffic for each of the n elements */
    int n_out;
    bool (*build)(const data *d, plait_array **out);
    /* Element i of output `output`; *scale: what its error is relative to. */
    double (*expect)(const data *d, int output, size_t i, double *scale);
} array_case;

static plait_array *reshape(plait_array *a, size_t rows, size_t cols)
{
    return plait_reshape(a, PLAIT_SHAPE((int64_t)rows, (int64_t)cols));
}

static plait_array *square(const data *d, plait_array *a)
{
    return reshape(a, d->rows, d->cols);
}

/* ---- elementwise ---- */

static bool add(const data *d, plait_array **out)
{
    return (*out = plait_add(d->x, d->y)) != NULL;
}
static double add_at(const data *d, int output, size_t i, double *scale)
{
    (void)output;
    (void)scale;
    return (double)d->hx[i] + (double)d->hy[i];
}

static bool add64(const data *d, plait_array **out)
{
    return (*out = plait_add(d->x64, d->y64)) != NULL;
}

static bool root(const data *d, plait_array **out)
{
    return (*out = plait_add(plait_multiply(plait_sqrt(d->x), plait_num(2)), d->y)) != NULL;
}
static double root_at(const data *d, int output, size_t i, double *scale)
{
    (void)output;
    (void)scale;
    return sqrt((double)d->hx[i]) * 2 + (double)d->hy[i];
}

static bool axpy(const data *d, plait_array **out)
{
    return (*out = plait_add(plait_multiply(plait_num(2.5), d->x), d->y)) != NULL;
}
static double axpy_at(const data *d, int output, size_t i, double *scale)
{
    (void)output;
    (void)scale;
    return 2.5 * (double)d->hx[i] + (double)d->hy[i];
}

static bool exponential(const data *d, plait_array **out)
{
    return (*out = plait_exp(d->x)) != NULL;
}
static double exponential_at(const data *d, int output, size_t i, double *scale)
{
    (void)output;
    (void)scale;
    return exp((double)d->hx[i]);
}

static bool clip(const data *d, plait_array **out)
{
    return (*out = plait_where(plait_less(d->x, d->y), d->x, plait_negative(d->y))) != NULL;
}
static double clip_at(const data *d, int output, size_t i, double *scale)
{
    (void)output;
    (void)scale;
    return d->hx[i] < d->hy[i] ? (double)d->hx[i] : -(double)d->hy[i];
}

static bool widen(const data *d, plait_array **out)
{
    return (*out = plait_multiply(plait_astype(d->u8, PLAIT_F32), plait_num(2))) != NULL;
}
static double widen_at(const data *d, int output, size_t i, double *scale)
{
    (void)output;
    (void)scale;
    return floor(255 * (double)d->hx[i]) * 2;
}

static bool add_row(const data *d, plait_array **out)
{
    plait_array *row = plait_slice(d->y, 0, 0, (int64_t)d->cols, 1);
    return (*out = plait_add(square(d, d->x), row)) != NULL;
}
static double add_row_at(const data *d, int output, size_t i, double *scale)
{
    (void)output;
    (void)scale;
    return (double)d->hx[i] + (double)d->hy[i % d->cols];
}

static bool add_column(const data *d, plait_array **out)
{
    plait_array *column = reshape(plait_slice(d->y, 0, 0, (int64_t)d->rows, 1), d->rows, 1);
    return (*out = plait_add(square(d, d->x), column)) != NULL;
}
static double add_column_at(const data *d, int output, size_t i, double *scale)
{
    (void)output;
    (void)scale;
    return (double)d->hx[i] + (double)d->hy[i / d->cols];
}

static bool transposed_add(const data *d, plait_array **out)
{
    return (*out = plait_add(plait_transpose(square(d, d->x)), reshape(d->y, d->cols, d->rows))) != NULL;
}
static double transposed_add_at(const data *d, int output, size_t i, double *scale)
{
    (void)output;
    (void)scale;
    return (double)d->hx[i % d->rows * d->cols + i / d->rows] + (double)d->hy[i];
}

static bool transposed(const data *d, plait_array **out)
{
    return (*out = plait_negative(plait_transpose(square(d, d->x)))) != NULL;
}
static double transposed_at(const data *d, int output, size_t i, double *scale)
{
    (void)output;
    (void)scale;
    return -(double)d->hx[i % d->rows * d->cols + i / d->rows];
}

/* ---- reductions ---- */

static bool mean_square(const data *d, plait_array **out)
{
    return (*out = plait_mean(plait_square(plait_subtract(d->x, d->y)))) != NULL;
}
static double mean_square_at(const data *d, int output, size_t i, double *scale)
{
    (void)output;
    (void)i;
    (void)scale;
    double sum = 0;
    for (size_t j = 0; j < d->n; j++) {
        const double e = (double)d->hx[j] - (double)d->hy[j];
        sum += e * e;
    }
    return sum / (double)d->n;
}

static bool sum(const data *d, plait_array **out)
{
    return (*out = plait_sum(d->x)) != NULL;
}
static double sum_at(const data *d, int output, size_t i, double *scale)
{
    (void)output;
    (void)i;
    (void)scale;
    double s = 0;
    for (size_t j = 0; j < d->n; j++) {
        s += (double)d->hx[j];
    }
    return s;
}

static bool sum_u8(const data *d, plait_array **out)
{
    return (*out = plait_sum(d->u8)) != NULL;
}
static double sum_u8_at(const data *d, int output, size_t i, double *scale)
{
    (void)output;
    (void)i;
    (void)scale;
    double s = 0;
    for (size_t j = 0; j < d->n; j++) {
        s += floor(255 * (double)d->hx[j]);
    }
    return s;
}

static bool min_max(const data *d, plait_array **out)
{
    out[0] = plait_min(d->x);
    out[1] = plait_max(d->x);
    return out[0] != NULL && out[1] != NULL;
}
static double min_max_at(const data *d, int output, size_t i, double *scale)
{
    (void)i;
    *scale = 1;
    double m = (double)d->hx[0];
    for (size_t j = 1; j < d->n; j++) {
        const double v = (double)d->hx[j];
        m = output == 0 ? fmin(m, v) : fmax(m, v);
    }
    return m;
}

/* The sum of `count` elements of x, `step` apart from `start` on. */
static double strided_sum(const data *d, size_t start, size_t step, size_t count)
{
    double s = 0;
    for (size_t j = 0; j < count; j++) {
        s += (double)d->hx[start + j * step];
    }
    return s;
}

static bool sum_rows(const data *d, plait_array **out)
{
    return (*out = plait_sum_axis(square(d, d->x), 1)) != NULL;
}
static double sum_rows_at(const data *d, int output, size_t i, double *scale)
{
    (void)output;
    (void)scale;
    return strided_sum(d, i * d->cols, 1, d->cols);
}

static bool sum_columns(const data *d, plait_array **out)
{
    return (*out = plait_sum_axis(square(d, d->x), 0)) != NULL;
}
static double sum_columns_at(const data *d, int output, size_t i, double *scale)
{
    (void)output;
    (void)scale;
    return strided_sum(d, i, d->cols, d->rows);
}

static bool sum_tall(const data *d, plait_array **out)
{
    return (*out = plait_sum_axis(reshape(d->x, d->n / 4, 4), 0)) != NULL;
}
static double sum_tall_at(const data *d, int output, size_t i, double *scale)
{
    (void)output;
    (void)scale;
    return strided_sum(d, i, 4, d->n / 4);
}

static bool sum_wide(const data *d, plait_array **out)
{
    return (*out = plait_sum_axis(reshape(d->x, 16, d->n / 16), 0)) != NULL;
}
static double sum_wide_at(const data *d, int output, size_t i, double *scale)
{
    (void)output;
    (void)scale;
    return strided_sum(d, i, d->n / 16, 16);
}

static const array_case cases[] = {
    {"x+y", "f32", FLAT, 12, 1, add, add_at},
    {"sqrt(x)*2+y", "f32", FLAT, 12, 1, root, root_at},
    {"2.5*x+y", "f32", FLAT, 12, 1, axpy, axpy_at},
    {"exp(x)", "f32", FLAT, 8, 1, exponential, exponential_at},
    {"where(x<y,x,-y)", "f32", FLAT, 12, 1, clip, clip_at},
    {"x+y f64", "f64", HALF, 12, 1, add64, add_at},
    {"u8 to f32 times 2", "u8", FLAT, 5, 1, widen, widen_at},
    {"x+row", "f32", SQUARE, 8, 1, add_row, add_row_at},
    {"x+column", "f32", SQUARE, 8, 1, add_column, add_column_at},
    {"x.T+y", "f32", SQUARE, 12, 1, transposed_add, transposed_add_at},
    {"-x.T", "f32", SQUARE, 8, 1, transposed, transposed_at},
    {"mean((x-y)^2)", "f32", FLAT, 8, 1, mean_square, mean_square_at},
    {"sum", "f32", FLAT, 4, 1, sum, sum_at},
    {"sum u8", "u8", FLAT, 1, 1, sum_u8, sum_u8_at},
    {"min and max", "f32", FLAT, 4, 2, min_max, min_max_at},
    {"sum axis 1", "f32", SQUARE, 4, 1, sum_rows, sum_rows_at},
    {"sum axis 0", "f32", SQUARE, 4, 1, sum_columns, sum_columns_at},
    {"sum axis 0 tall", "f32", TALL, 4, 1, sum_tall, sum_tall_at},
    {"sum axis 0 wide", "f32", WIDE, 4, 1, sum_wide, sum_wide_at},
};
#define CASES (sizeof cases / sizeof *cases)

typedef struct run_state {
    const data *d;
    const array_case *c;
} run_state;

static bool call(void *user)
{
    const run_state *s = user;
    plait_array *out[2];
    PLAIT_SCOPE;
    return s->c->build(s->d, out) && plait_eval(out, (size_t)s->c->n_out) == PLAIT_OK;
}

static bool finish(void *user)
{
    const run_state *s = user;
    return plait_finish(s->d->b->ctx) == PLAIT_OK;
}

/* The largest relative error over a sample of the outputs' elements; negative: failed. */
static double check(const data *d, const array_case *c)
{
    PLAIT_SCOPE;
    plait_array *out[2];
    double worst = 0;
    if (!c->build(d, out) || plait_eval(out, (size_t)c->n_out) != PLAIT_OK) {
        return -1;
    }
    for (int o = 0; o < c->n_out; o++) {
        const size_t count = plait_array_count(out[o]);
        const plait_dtype dtype = plait_array_dtype(out[o]) == PLAIT_F64 ? PLAIT_F64 : PLAIT_F32;
        void *host = malloc(count * plait_dtype_size(dtype));
        if (host == NULL || plait_to_host(out[o], host, count, dtype) != PLAIT_OK) {
            free(host);
            return -1;
        }
        /* Some 40 elements of a reduction's result, where each costs a loop; 10,000 of an elementwise one. */
        const size_t some = count < d->n / 2 ? 40 : 10000, samples = count < some ? count : some;
        for (size_t t = 0; t < samples; t++) {
            const size_t i = t == samples - 1 ? count - 1 : count / samples * t;
            double scale = 0;
            const double want = c->expect(d, o, i, &scale);
            const double got = dtype == PLAIT_F64 ? ((double *)host)[i] : (double)((float *)host)[i];
            const double error = fabs(got - want) / (scale > 0 ? scale : fmax(fabs(want), 1e-3));
            worst = error <= worst ? worst : error; /* a NaN stays */
        }
        free(host);
    }
    return worst;
}

static void shape_text(const data *d, const array_case *c, char *text, size_t size)
{
    switch (c->shape) {
    case FLAT:
        snprintf(text, size, "%zu", d->n);
        break;
    case HALF:
        snprintf(text, size, "%zu", d->n / 2);
        break;
    case SQUARE:
        snprintf(text, size, "%zux%zu", d->rows, d->cols);
        break;
    case TALL:
        snprintf(text, size, "%zux4", d->n / 4);
        break;
    case WIDE:
        snprintf(text, size, "16x%zu", d->n / 16);
        break;
    }
}

static void measure(bench *b, const data *d, const array_case *c)
{
    const double error = check(d, c);
    if (error < 0) {
        bench_fail(b, "arrays", c->name, plait_last_error());
        return;
    }
    run_state s = {d, c};
    const bench_work work = {call, finish, &s};
    bench_samples samples = {.n = 0};
    if (!bench_run(b, &work, &samples, 12)) {
        bench_fail(b, "arrays", c->name, plait_last_error());
        return;
    }
    const bool right = error < 1e-5;
    bench_row *row = bench_add(b, "arrays", c->name);
    snprintf(row->dtype, sizeof row->dtype, "%s", c->dtype);
    shape_text(d, c, row->shape, sizeof row->shape);
    snprintf(row->check, sizeof row->check, "%s", right ? "ok" : "failed");
    snprintf(row->against, sizeof row->against, "raw/%s", c->bytes >= 12 ? "triad" : c->bytes >= 5 ? "copy" : "read");
    row->error = error;
    row->bytes = c->bytes * (double)d->n;
    bench_keep(row, &samples);
    bench_show(b, row);
    if (!right) {
        bench_fail(b, "arrays", c->name, "wrong result");
    }
}

static bool open_data(data *d)
{
    bench *b = d->b;
    d->n = b->n;
    for (d->rows = 1; d->rows * d->rows < d->n; d->rows *= 2) {
    }
    d->cols = d->n / d->rows;
    d->hx = malloc(d->n * sizeof *d->hx);
    d->hy = malloc(d->n * sizeof *d->hy);
    if (d->hx == NULL || d->hy == NULL) {
        return bench_fail(b, "arrays", "data", "out of memory");
    }
    for (size_t i = 0; i < d->n; i++) {
        d->hx[i] = bench_number(1, i);
        d->hy[i] = bench_number(2, i);
    }
    PLAIT_SCOPE;
    const plait_dims shape = PLAIT_SHAPE((int64_t)d->n);
    d->x = plait_keep(plait_from_host(b->ctx, d->hx, shape, PLAIT_F32));
    d->y = plait_keep(plait_from_host(b->ctx, d->hy, shape, PLAIT_F32));
    d->u8 = plait_keep(plait_astype(plait_multiply(d->x, plait_num(255)), PLAIT_U8));
    if (b->device.fp64) {
        d->x64 = plait_keep(plait_astype(plait_slice(d->x, 0, 0, (int64_t)d->n / 2, 1), PLAIT_F64));
        d->y64 = plait_keep(plait_astype(plait_slice(d->y, 0, 0, (int64_t)d->n / 2, 1), PLAIT_F64));
    }
    plait_array *const made[] = {d->u8, d->x64, d->y64};
    return plait_eval(made, b->device.fp64 ? 3 : 1) == PLAIT_OK || bench_fail(b, "arrays", "data", plait_last_error());
}

void bench_arrays(bench *b)
{
    bool any = false;
    for (size_t i = 0; i < CASES; i++) {
        any |= bench_wanted(b, "arrays", cases[i].name);
    }
    if (!any) {
        return;
    }
    data d = {.b = b};
    if (open_data(&d)) {
        for (size_t i = 0; i < CASES; i++) {
            if (bench_wanted(b, "arrays", cases[i].name) && (cases[i].shape != HALF || d.x64 != NULL)) {
                measure(b, &d, &cases[i]);
            }
        }
    }
    plait_array *const kept[] = {d.x, d.y, d.u8, d.x64, d.y64};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        plait_release(kept[i]);
    }
    plait_ctx_trim(b->ctx);
    free(d.hx);
    free(d.hy);
}
