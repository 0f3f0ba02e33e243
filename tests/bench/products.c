/*
 * Matrix products, products of a table and a vector, and a turn of gradient descent.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef enum product_form { PLAIN, LEFT_TRANSPOSED, RIGHT_TRANSPOSED, TABLE_TURN } product_form;

typedef struct product_case {
    const char *name;
    plait_dtype dtype;
    int64_t n, k, m; /* m = 0: a vector */
    product_form form;
    bool gpu_only; /* too large for a CPU */
} product_case;

/* LEFT_TRANSPOSED: a is stored as k x n and seen as n x k. RIGHT_TRANSPOSED: b is stored as m x k. */
static const product_case cases[] = {
    {"256", PLAIT_F32, 256, 256, 256, PLAIN, false},
    {"512", PLAIT_F32, 512, 512, 512, PLAIN, false},
    {"513", PLAIT_F32, 513, 513, 513, PLAIN, false},
    {"1000", PLAIT_F32, 1000, 1000, 1000, PLAIN, false},
    {"1024", PLAIT_F32, 1024, 1024, 1024, PLAIN, false},
    {"1025", PLAIT_F32, 1025, 1025, 1025, PLAIN, false},
    {"1024 a.T b", PLAIT_F32, 1024, 1024, 1024, LEFT_TRANSPOSED, false},
    {"1024 a b.T", PLAIT_F32, 1024, 1024, 1024, RIGHT_TRANSPOSED, false},
    {"2048", PLAIT_F32, 2048, 2048, 2048, PLAIN, false},
    {"4096", PLAIT_F32, 4096, 4096, 4096, PLAIN, true},
    {"8192", PLAIT_F32, 8192, 8192, 8192, PLAIN, true},
    {"1024 f64", PLAIT_F64, 1024, 1024, 1024, PLAIN, false},
    {"4096 f64", PLAIT_F64, 4096, 4096, 4096, PLAIN, true},
    {"8192 f64", PLAIT_F64, 8192, 8192, 8192, PLAIN, true},
    {"1024 c64", PLAIT_C64, 1024, 1024, 1024, PLAIN, false},
    {"1024 i32", PLAIT_I32, 1024, 1024, 1024, PLAIN, false},
    {"Gram X.T X", PLAIT_F32, 64, 1 << 20, 64, LEFT_TRANSPOSED, false},
    {"X w", PLAIT_F32, 1 << 20, 13, 0, PLAIN, false},
    {"X w wide", PLAIT_F32, 1 << 20, 100, 0, PLAIN, false},
    {"X.T r", PLAIT_F32, 13, 1 << 20, 0, LEFT_TRANSPOSED, false},
    {"X.T r wide", PLAIT_F32, 100, 1 << 20, 0, LEFT_TRANSPOSED, false},
    {"A v", PLAIT_F32, 4096, 4096, 0, PLAIN, false},
    {"A v large", PLAIT_F32, 16384, 16384, 0, PLAIN, true},
    {"A.T v large", PLAIT_F32, 16384, 16384, 0, LEFT_TRANSPOSED, true},
    {"gradient descent turn", PLAIT_F32, 1 << 20, 13, 0, TABLE_TURN, false},
};

typedef struct product_state {
    bench *b;
    const product_case *c;
    plait_array *a, *bb, *y; /* as stored; y and w: the turn's */
    plait_array *w;
    void *ha, *hb;
} product_state;

static plait_array *product(const product_state *s)
{
    return plait_matmul(s->c->form == LEFT_TRANSPOSED ? plait_transpose(s->a) : s->a,
                        s->c->form == RIGHT_TRANSPOSED ? plait_transpose(s->bb) : s->bb);
}

static bool call(void *user)
{
    product_state *s = user;
    PLAIT_SCOPE;
    if (s->c->form == TABLE_TURN) {
        plait_array *r = plait_subtract(plait_matmul(s->a, s->w), s->y);
        plait_array *step = plait_multiply(plait_num(1e-7), plait_matmul(plait_transpose(s->a), r));
        return plait_assign(&s->w, plait_subtract(s->w, step)) == PLAIT_OK;
    }
    plait_array *out = product(s);
    return plait_eval(&out, 1) == PLAIT_OK;
}

static bool finish(void *user)
{
    const product_state *s = user;
    return plait_finish(s->b->ctx) == PLAIT_OK;
}

/* `count` numbers in [-1, 1) (integers: -64 to 63), real parts then imaginary ones. */
static void *make(plait_dtype dtype, size_t count, uint64_t seed)
{
    char *data = malloc(count * plait_dtype_size(dtype));
    for (size_t i = 0; data != NULL && i < count; i++) {
        const float v = bench_number(seed, i) * 2 - 1;
        switch (dtype) {
        case PLAIT_F64:
            ((double *)data)[i] = (double)v;
            break;
        case PLAIT_I32:
            ((int32_t *)data)[i] = (int32_t)floorf(v * 64);
            break;
        case PLAIT_C64:
            ((float *)data)[2 * i] = v;
            ((float *)data)[2 * i + 1] = bench_number(seed + 100, i) * 2 - 1;
            break;
        default:
            ((float *)data)[i] = v;
            break;
        }
    }
    return data;
}

static double part_of(const void *data, plait_dtype dtype, size_t i, int part)
{
    switch (dtype) {
    case PLAIT_F64:
        return part == 0 ? ((const double *)data)[i] : 0;
    case PLAIT_I32:
        return part == 0 ? ((const int32_t *)data)[i] : 0;
    case PLAIT_C64:
        return (double)((const float *)data)[2 * i + (size_t)part];
    default:
        return part == 0 ? (double)((const float *)data)[i] : 0;
    }
}

/* The largest error of 64 sampled elements relative to sum|a||b|; negative: failed. */
static double check(product_state *s)
{
    PLAIT_SCOPE;
    const product_case *c = s->c;
    const size_t n = (size_t)c->n, k = (size_t)c->k, m = c->m > 0 ? (size_t)c->m : 1;
    plait_array *out = product(s);
    void *host = malloc(n * m * plait_dtype_size(c->dtype));
    if (host == NULL || plait_to_host(out, host, n * m, c->dtype) != PLAIT_OK) {
        free(host);
        return -1;
    }
    double worst = 0;
    for (size_t t = 0; t < 64; t++) {
        const size_t i = t == 0 ? n - 1 : t * 2654435761u % n, j = t == 0 ? m - 1 : t * 40503u % m;
        double re = 0, im = 0, scale = 0;
        for (size_t l = 0; l < k; l++) {
            const size_t at_a = c->form == LEFT_TRANSPOSED ? l * n + i : i * k + l;
            const size_t at_b = c->form == RIGHT_TRANSPOSED ? j * k + l : l * m + j;
            const double ar = part_of(s->ha, c->dtype, at_a, 0), ai = part_of(s->ha, c->dtype, at_a, 1);
            const double br = part_of(s->hb, c->dtype, at_b, 0), bi = part_of(s->hb, c->dtype, at_b, 1);
            re += ar * br - ai * bi;
            im += ar * bi + ai * br;
            scale += hypot(ar, ai) * hypot(br, bi);
        }
        const double error =
            hypot(part_of(host, c->dtype, i * m + j, 0) - re, part_of(host, c->dtype, i * m + j, 1) - im);
        worst = error / scale <= worst ? worst : error / scale;
    }
    free(host);
    return worst;
}

static bool open_case(product_state *s)
{
    const product_case *c = s->c;
    const int64_t m = c->m > 0 ? c->m : 1;
    const bool turn = c->form == TABLE_TURN;
    s->ha = make(c->dtype, (size_t)(c->n * c->k), 3);
    s->hb = make(c->dtype, (size_t)((turn ? c->n : c->k) * m), 4);
    if (s->ha == NULL || s->hb == NULL) {
        return false;
    }
    const plait_dims a = c->form == LEFT_TRANSPOSED ? PLAIT_SHAPE(c->k, c->n) : PLAIT_SHAPE(c->n, c->k);
    const plait_dims b = c->m == 0                     ? PLAIT_SHAPE(turn ? c->n : c->k)
                         : c->form == RIGHT_TRANSPOSED ? PLAIT_SHAPE(c->m, c->k)
                                                       : PLAIT_SHAPE(c->k, c->m);
    s->a = plait_keep(plait_from_host(s->b->ctx, s->ha, a, c->dtype));
    plait_array *second = plait_keep(plait_from_host(s->b->ctx, s->hb, b, c->dtype));
    if (turn) {
        s->y = second;
        s->w = plait_keep(plait_zeros(s->b->ctx, PLAIT_SHAPE(c->k), c->dtype));
    } else {
        s->bb = second;
    }
    return s->a != NULL && second != NULL;
}

static void measure(product_state *s)
{
    const product_case *c = s->c;
    bench *b = s->b;
    const bool turn = c->form == TABLE_TURN, vector = c->m == 0;
    const double error = turn ? 0 : check(s);
    const double bound = c->dtype == PLAIT_F64 ? 1e-14 : c->dtype == PLAIT_I32 ? 0 : 1e-6;
    const bench_work work = {call, finish, s};
    bench_samples samples = {.n = 0};
    if (error < 0 || !bench_run(b, &work, &samples, 12)) {
        bench_fail(b, "products", c->name, plait_last_error());
        return;
    }
    bench_row *row = bench_add(b, "products", c->name);
    snprintf(row->dtype, sizeof row->dtype, "%s", plait_dtype_name(c->dtype));
    if (vector) {
        snprintf(row->shape, sizeof row->shape, "%lldx%lld", (long long)c->n, (long long)c->k);
        /* A turn has to read the table twice: its second product needs all of the first. */
        const double elements = (double)(c->n * c->k) * (turn ? 2 : 1) + (double)(c->n + c->k);
        row->bytes = elements * (double)plait_dtype_size(c->dtype);
        snprintf(row->against, sizeof row->against, "raw/read");
    } else {
        snprintf(row->shape, sizeof row->shape, "%lldx%lldx%lld", (long long)c->n, (long long)c->k, (long long)c->m);
        row->flops = (c->dtype == PLAIT_C64 ? 8.0 : 2.0) * (double)c->n * (double)c->k * (double)c->m;
    }
    if (!turn) {
        snprintf(row->check, sizeof row->check, "%s", error <= bound ? "ok" : "failed");
        row->error = error;
    }
    bench_keep(row, &samples);
    bench_show(b, row);
    if (!(error <= bound)) {
        bench_fail(b, "products", c->name, "wrong result");
    }
}

void bench_products(bench *b)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const product_case *c = &cases[i];
        if (!bench_wanted(b, "products", c->name) || (c->gpu_only && !b->gpu) ||
            (c->dtype == PLAIT_F64 && !b->device.fp64) || (b->quick && c->n * c->k > 1 << 21)) {
            continue;
        }
        product_state s = {.b = b, .c = c};
        if (open_case(&s)) {
            measure(&s);
        } else {
            bench_fail(b, "products", c->name, plait_last_error());
        }
        plait_release(s.a);
        plait_release(s.bb);
        plait_release(s.y);
        plait_release(s.w);
        free(s.ha);
        free(s.hb);
    }
    plait_ctx_trim(b->ctx);
}
