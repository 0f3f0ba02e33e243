/*
 * How a matrix product is cut into work.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "matmul_choice.h"

#include <assert.h>

#define BLOCK 128                         /* terms that cl/matmul_types.cl lets one accumulator take */
#define STRIP 6                           /* reals: rows that cl/matmul.cl's cpu form makes at a time */
#define VECTOR_ROWS 8                     /* rows that cl/matvec.cl's cpu form reads at a time */
#define VECTOR_WIDTH 512                  /* reals: results of one of its strips */
#define PARTIAL_BYTES ((int64_t)64 << 20) /* the most memory that partial results take */

const plait__matmul_row plait__matmul_rows[PLAIT__MATMUL_ROW_COUNT] = {
#define TILES(id, bytes, wn, wm, ln, lm, qn, qm, deep)                                                                 \
    [PLAIT__MATMUL_##id] = {.name = #id,                                                                               \
                            .form = PLAIT__MATMUL_TILES,                                                               \
                            .real_bytes = bytes,                                                                       \
                            .waves_n = wn,                                                                             \
                            .waves_m = wm,                                                                             \
                            .lanes_n = ln,                                                                             \
                            .lanes_m = lm,                                                                             \
                            .quads_n = qn,                                                                             \
                            .quads_m = qm,                                                                             \
                            .depth = deep,                                                                             \
                            .items = (wn) * (wm) * (ln) * (lm)},
#define BLOCKS(id, rows) [PLAIT__MATMUL_##id] = {.name = #id, .form = PLAIT__MATMUL_BLOCKS, .height = rows, .items = 1},
#define GROUPS(id, n) [PLAIT__MATMUL_##id] = {.name = #id, .form = PLAIT__MATMUL_GROUPS, .items = n},
#define RUNS(id) [PLAIT__MATMUL_##id] = {.name = #id, .form = PLAIT__MATMUL_RUNS, .items = 1},
#include "matmul_table.def"
#undef TILES
#undef BLOCKS
#undef GROUPS
#undef RUNS
};

static const plait__matmul_type types[] = {
    {PLAIT_U8, "uint", "uchar", 4, false, 8},     {PLAIT_I32, "uint", "uint", 4, false, 8},
    {PLAIT_I64, "ulong", "ulong", 8, false, 4},   {PLAIT_F32, "float", "float", 4, false, 8},
    {PLAIT_F64, "double", "double", 8, false, 4}, {PLAIT_C64, "float", "float", 4, true, 8},
};

const plait__matmul_type *plait__matmul_type_of(plait_dtype dtype)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (types[i].dtype == dtype) {
            return &types[i];
        }
    }
    return NULL;
}

/* What one choice is about. */
typedef struct problem {
    const plait__caps *caps;
    const plait__matmul_type *type;
    int64_t n, k, m;
} problem;

static int64_t ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

static int64_t at_least(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t at_most(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The largest power of two up to n, at least 1. */
static int64_t power_of_two(int64_t n)
{
    int64_t p = 1;
    while (p <= n / 2) {
        p *= 2;
    }
    return p;
}

static int64_t tile_n(const plait__matmul_row *r)
{
    return (int64_t)r->waves_n * r->lanes_n * r->quads_n * 4;
}

static int64_t tile_m(const plait__matmul_row *r)
{
    return (int64_t)r->waves_m * r->lanes_m * r->quads_m * 4;
}

static size_t local_bytes(const plait__matmul_row *r, const plait__matmul_type *type)
{
    if (r->form == PLAIT__MATMUL_TILES) {
        return 2 * r->depth * (size_t)(tile_n(r) + 4 + tile_m(r) + 4) * type->real_bytes;
    }
    return r->form == PLAIT__MATMUL_GROUPS ? r->items * (size_t)type->real_bytes * (type->complex ? 2 : 1) : 0;
}

static bool fits(const problem *p, const plait__matmul_row *r)
{
    return r->items <= p->caps->max_group && local_bytes(r, p->type) <= p->caps->local_memory &&
           (r->real_bytes == 0 || r->real_bytes == p->type->real_bytes);
}

/* Cuts k into about `wanted` parts of at least `least` terms, in multiples of 128, as far as memory allows. */
static void cut(plait__matmul_launch *l, const problem *p, int64_t wanted, int64_t least)
{
    const int64_t bytes = p->n * p->m * (int64_t)plait_dtype_size(p->type->dtype);
    wanted = at_most(at_most(wanted, p->k / least), PARTIAL_BYTES / bytes);
    l->part = wanted <= 1 ? p->k : ceil_div(ceil_div(p->k, wanted), BLOCK) * BLOCK;
    l->parts = ceil_div(p->k, l->part);
}

static plait__matmul_launch start(const problem *p, const plait__matmul_row *row, const char *kernel_name)
{
    return (plait__matmul_launch){
        .row = row, .kernel_name = kernel_name, .n = p->n, .k = p->k, .m = p->m, .part = p->k, .parts = 1};
}

static void tiles(plait__matmul_launch *out, const problem *p)
{
    const int64_t parts = p->type->complex ? 2 : 1;
    const plait__matmul_row *row = NULL;
    int64_t count = 0;
    for (size_t i = 0; i < PLAIT__MATMUL_ROW_COUNT; i++) {
        const plait__matmul_row *r = &plait__matmul_rows[i];
        if (r->form != PLAIT__MATMUL_TILES || !fits(p, r)) {
            continue;
        }
        /* A smaller tile is worth it only where it keeps more of the device busy. */
        const int64_t more = ceil_div(p->n * parts, tile_n(r)) * ceil_div(p->m * parts, tile_m(r));
        if (row != NULL && (count >= p->caps->compute_units || r->real_bytes == 0)) {
            break;
        }
        row = r;
        count = more;
    }
    assert(row != NULL);
    *out = start(p, row, "matmul_tiles");
    if (count < p->caps->compute_units) {
        cut(out, p, ceil_div(2 * (int64_t)p->caps->compute_units, count), 4 * BLOCK);
    }
    out->global = (size_t)(count * out->parts) * row->items;
}

static void blocks(plait__matmul_launch *out, const problem *p)
{
    const int64_t parts = p->type->complex ? 2 : 1, strip = STRIP / parts;
    const plait__matmul_row *row = &plait__matmul_rows[PLAIT__MATMUL_BLOCKS_96];
    *out = start(p, row, "matmul_blocks");

    /*
     * Few work-items, no more than the work is worth, with blocks of equal size. Packing must pay, so blocks stay at
     * least half as high as they may be; where that leaves too few of them, k is cut.
     */
    const int64_t work = (int64_t)at_most(p->n * p->m, INT64_MAX / p->k) * p->k;
    const int64_t items = at_least(1, at_most(4 * (int64_t)p->caps->compute_units, work / 65536));
    const int64_t fewest = ceil_div(p->n * parts, row->height), most = 2 * p->n * parts / row->height;
    const int64_t wanted = at_least(fewest, at_most(ceil_div(fewest, items) * items, most));
    out->height = ceil_div(ceil_div(p->n, wanted), strip) * strip;
    const int64_t down = ceil_div(p->n, out->height);
    const int64_t panel = 2 * p->type->lanes / parts;
    const int64_t across = down >= items ? 1 : at_most(ceil_div(items, down), ceil_div(p->m, 4 * panel));
    out->width = ceil_div(ceil_div(p->m, across), panel) * panel;
    const int64_t tasks = down * ceil_div(p->m, out->width);
    if (tasks < items) {
        cut(out, p, ceil_div(items, tasks), 8 * BLOCK);
    }
    out->global = (size_t)at_most(items, tasks * out->parts);
    out->scratch = out->global * (row->height + 2 * p->type->lanes) * BLOCK * p->type->real_bytes;
}

static const plait__matmul_row *groups_row(const problem *p)
{
    for (size_t i = 0; i < PLAIT__MATMUL_ROW_COUNT; i++) {
        const plait__matmul_row *r = &plait__matmul_rows[i];
        if (r->form == PLAIT__MATMUL_GROUPS && fits(p, r)) {
            return r;
        }
    }
    return &plait__matmul_rows[PLAIT__MATMUL_GROUPS_1];
}

static void groups(plait__matmul_launch *out, const problem *p, bool columns, bool may_cut)
{
    const plait__matmul_row *row = groups_row(p);
    *out = start(p, row, columns ? "matvec_columns" : "matvec_rows");
    int64_t results; /* of a group */
    int64_t turn;    /* terms that the group takes at a time */
    if (columns) {
        int64_t lanes = power_of_two(at_most(at_most(2 * p->n - 1, 64), row->items));
        while (!may_cut && lanes > 8 && ceil_div(p->n, lanes) < p->caps->compute_units) {
            lanes /= 2; /* more groups in place of parts */
        }
        out->lanes = (int)lanes;
        results = lanes;
        turn = row->items / lanes;
    } else {
        const int64_t lanes = power_of_two(at_most(p->k / 4, row->items));
        out->lanes = (int)lanes;
        results = row->items / lanes;
        turn = lanes;
    }
    const int64_t count = ceil_div(p->n, results), wanted = 8 * (int64_t)p->caps->compute_units;
    if (may_cut && count < wanted / 2) {
        cut(out, p, ceil_div(wanted, count), at_least(BLOCK, 16 * turn));
    }
    out->global = (size_t)(count * out->parts) * row->items;
}

static void runs(plait__matmul_launch *out, const problem *p, bool columns, bool may_cut)
{
    *out = start(p, &plait__matmul_rows[PLAIT__MATMUL_RUNS_8], columns ? "matvec_columns" : "matvec_rows");
    const int64_t results = columns ? VECTOR_WIDTH / (p->type->complex ? 2 : 1) : VECTOR_ROWS;
    const int64_t work = at_most(p->n, INT64_MAX / p->k) * p->k;
    const int64_t items = at_least(1, at_most(4 * (int64_t)p->caps->compute_units, work / 32768));
    const int64_t tasks = ceil_div(p->n, results);
    if (may_cut && tasks < items) {
        cut(out, p, ceil_div(items, tasks), 16 * BLOCK);
    }
    out->global = (size_t)at_most(items, tasks * out->parts);
}

static void vector(plait__matmul_launch *out, const problem *p, bool columns, bool may_cut)
{
    if (p->caps->skeleton == PLAIT__SKELETON_CPU) {
        runs(out, p, columns, may_cut);
    } else {
        groups(out, p, columns, may_cut);
    }
}

/* Along an axis of at most one element any stride will do. */
static bool is_unit(int64_t size, int64_t stride)
{
    return size <= 1 || stride == 1;
}

bool plait__matmul_accepts(const plait_dims *shape, const plait__layout *layout)
{
    for (int i = 0; i < shape->n; i++) {
        if (is_unit(shape->d[i], layout->strides[i])) {
            return true;
        }
    }
    return false;
}

void plait__matmul_choose(plait__matmul_choice *out, const plait__caps *caps, plait_dtype dtype,
                          const plait__operand operands[2])
{
    const plait__operand *a = &operands[0], *b = &operands[1];
    problem p = {.caps = caps, .type = plait__matmul_type_of(dtype)};
    assert(p.type != NULL);
    p.n = a->shape.n == 2 ? a->shape.d[0] : 1;
    p.k = b->shape.d[0];
    p.m = b->shape.n == 2 ? b->shape.d[1] : 1;
    assert(p.n > 0 && p.k > 0 && p.m > 0);
    *out = (plait__matmul_choice){0};
    out->in[0] = (plait__matmul_operand){.offset = a->layout.offset,
                                         .row = a->shape.n == 2 ? a->layout.strides[0] : 0,
                                         .col = a->layout.strides[a->shape.n - 1]};
    out->in[1] = (plait__matmul_operand){
        .offset = b->layout.offset, .row = b->layout.strides[0], .col = b->shape.n == 2 ? b->layout.strides[1] : 0};

    int64_t inner = 0;
    if (p.m == 1 && is_unit(p.k, out->in[1].row)) {
        out->matrix = 0;
        out->pitch = out->in[0].row;
        inner = out->in[0].col;
    } else if (p.n == 1 && is_unit(p.k, out->in[0].col)) {
        out->matrix = 1;
        out->pitch = out->in[1].col;
        inner = out->in[1].row;
        p.n = p.m;
        p.m = 1;
    } else if (caps->skeleton == PLAIT__SKELETON_CPU) {
        blocks(&out->product, &p);
    } else {
        tiles(&out->product, &p);
    }
    if (out->product.row == NULL) {
        out->columns = !is_unit(p.k, inner);
        if (out->columns) {
            out->pitch = inner;
        }
        vector(&out->product, &p, out->columns, true);
    }
    if (out->product.parts > 1) {
        const problem sum = {.caps = caps, .type = p.type, .n = p.n * p.m, .k = out->product.parts, .m = 1};
        vector(&out->sum, &sum, true, false);
    }
}
