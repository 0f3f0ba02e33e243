/*
 * One pass over a space that gathers some dimensions up, and what happens to the gathered values.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 * There are n_out outputs, and n_red elements go into each. They may be divided into `parts` pieces of `part` elements;
 * then each leaves a partial result, and `combine` ends the work. The innermost loop goes along the elements of an
 * output ("rows") or along neighbouring outputs (COLUMNS). What is where decides the order of additions, so the same
 * expression over the same layout gives the same bits on every run.
 *
 * Sums of floats: a lane takes at most BLOCK terms before what it has moves into a compensated pair, and pairs are
 * merged with their remainders: the error stays below (BLOCK + log2 n) eps sum |x|.
 *
 * What is defined before this file (as an example, where nothing is: the sum of b0):
 *
 *     I                type of indices
 *     CPU              1: few work-items, one lane after the other in loops that vectorise; 0: groups and local memory
 *     COLUMNS          see above
 *     KEPT, REDUCED    numbers of dimensions; the innermost reduced one has size `inner` if REDUCED > 1, the innermost
 *                      kept one has size `width`
 *     V                elements that an item reads at once, 1 or 4
 *     LANES, BLOCK     see above; LANES of the CPU form
 *     TILE             columns of one turn of the CPU form
 *     FOLDED           see the CPU form for COLUMNS
 *     PARAMETERS, COMBINE_PARAMETERS
 *     EACH(M)          M(k) for each accumulator: A<k> its type, P<k> that of pairs (where there are none, the same),
 *                      none<k>() an A of nothing, empty<k>() a P of nothing, join<k>(A, A), add<k>(P, A), merge<k>(P, P);
 *                      g<k> holds partial results, local<k> (CPU 0) a group's: one a work-item, with COLUMNS V
 *     LEAVES(M)        M(l) for each leaf: L<l> its type
 *     OUTPUT(o)        declares e<l>, where output o's elements of leaf l begin
 *     AT(r)            declares f<l>, where the row of reduced coordinates begins that element number r is in, from e<l>
 *     LOAD<l>(k), LOAD4_<l>(a, k)  element k (four from k on) of a row: of inner coordinate k; COLUMNS: of column k
 *     BODY(s)          computes y<k> s, of type A<k>, from a<l> s
 *     FINISH(o, s)     turns the pairs h<k> s into what is written for output o
 */
#ifndef PARAMETERS
#include "prelude.cl"
typedef int I;
#define CPU 0
#define COLUMNS 0
#define KEPT 0
#define REDUCED 1
#define V 1
#define LANES 64
#define BLOCK 128
#define TILE 256
#define FOLDED 0
#define L0 float
#define A0 float
#define P0 float2
#define EACH(M) M(0)
#define LEAVES(M) M(0)
#define PARAMETERS                                                                                                     \
    __global const float *restrict b0, __global float *restrict r0, __global P0 *restrict g0, const I n_out,           \
        const I n_red, const I parts, const I part, const I lanes, __local P0 *local0
#define COMBINE_PARAMETERS                                                                                             \
    __global float *restrict r0, __global P0 *restrict g0, const I n_out, const I n_red, const I parts,                \
        const I lanes, __local P0 *local0
#define none0() 0.0f
#define empty0() ((P0)(0.0f))
#define join0(x, y) ((x) + (y))
#define add0 plait_pair_add_float
#define merge0 plait_pair_merge_float
#define OUTPUT(o)
#define AT(r)
#define LOAD0(k) b0[k]
#define BODY(s) y0 s = a0 s
#define FINISH(o, s) r0[o] = plait_pair_value_float(h0 s);
#endif

#define READ(l) const L##l a##l = LOAD##l(k);
#define READ4(l)                                                                                                       \
    L##l a##l[V];                                                                                                      \
    LOAD4_##l(a##l, k)
#define RESULT(k) A##k y##k;
#define RESULT4(k) A##k y##k[V];
#define TOTAL(k) P##k h##k = empty##k();
#define PARTIAL(k) g##k[partial] = h##k;
#define GATHER(k) h##k = merge##k(h##k, g##k[partial]);

/* A value of one lane alone. */
#define LONE(k) A##k s##k = none##k();
#define JOIN_LONE(k) s##k = join##k(s##k, y##k);
#define ADD_LONE(k) h##k = add##k(h##k, s##k);

#if CPU

#define LANE_VALUES(k)                                                                                                 \
    A##k s##k[LANES];                                                                                                  \
    for (int l = 0; l < LANES; l++) {                                                                                  \
        s##k[l] = none##k();                                                                                           \
    }
#define JOIN_LANE(k) s##k[l] = join##k(s##k[l], y##k);
#define FOLD_LANES(k)                                                                                                  \
    for (int d = LANES / 2; d > 0; d /= 2) {                                                                           \
        for (int l = 0; l < d; l++) {                                                                                  \
            s##k[l] = join##k(s##k[l], s##k[l + d]);                                                                   \
        }                                                                                                              \
    }                                                                                                                  \
    h##k = add##k(h##k, s##k[0]);

#if !COLUMNS

__kernel void reduce(PARAMETERS)
{
    const I first = (I)get_global_id(0) * chunk, last = min(first + chunk, n_out * parts);
    for (I partial = first; partial < last; partial++) {
        const I o = partial / parts, begin = (partial - o * parts) * part, end = min(begin + part, n_red);
        OUTPUT(o)
        EACH(TOTAL)
        for (I r = begin; r < end;) {
            AT(r)
#if REDUCED > 1
            const I from = r % inner;
            const I m = min(min(inner - from, end - r), (I)(LANES * BLOCK));
#else
            const I from = r, m = min(end - r, (I)(LANES * BLOCK));
#endif
            if (m >= LANES) {
                EACH(LANE_VALUES)
                I t = 0;
                for (; t + LANES <= m; t += LANES) {
                    for (int l = 0; l < LANES; l++) {
                        const I k = from + t + l;
                        LEAVES(READ)
                        EACH(RESULT)
                        BODY();
                        EACH(JOIN_LANE)
                    }
                }
                for (int l = 0; t + l < m; l++) {
                    const I k = from + t + l;
                    LEAVES(READ)
                    EACH(RESULT)
                    BODY();
                    EACH(JOIN_LANE)
                }
                EACH(FOLD_LANES)
            } else {
                EACH(LONE)
                for (I t = 0; t < m; t++) {
                    const I k = from + t;
                    LEAVES(READ)
                    EACH(RESULT)
                    BODY();
                    EACH(JOIN_LONE)
                }
                EACH(ADD_LONE)
            }
            r += m;
        }
        if (parts == 1) {
            FINISH(o, )
        } else {
            EACH(PARTIAL)
        }
    }
}

#else /* COLUMNS */

#define TILE_TOTALS(k)                                                                                                 \
    P##k h##k[TILE];                                                                                                   \
    A##k s##k[TILE];                                                                                                   \
    for (int t = 0; t < w; t++) {                                                                                      \
        h##k[t] = empty##k();                                                                                          \
    }
#define TILE_VALUES(k)                                                                                                 \
    for (int t = 0; t < w; t++) {                                                                                      \
        s##k[t] = none##k();                                                                                           \
    }
#define TAKE_TILE(k) A##k v##k = s##k[t];
#define JOIN_TILE(k) v##k = join##k(v##k, y##k);
#define GIVE_TILE(k) s##k[t] = v##k;
#define ADD_TILE(k)                                                                                                    \
    for (int t = 0; t < w; t++) {                                                                                      \
        h##k[t] = add##k(h##k[t], s##k[t]);                                                                            \
    }
#define FOLD_TILE(k)                                                                                                   \
    for (int t = (int)width; t < w; t++) {                                                                             \
        h##k[t % (int)width] = merge##k(h##k[t % (int)width], h##k[t]);                                                \
    }
#define PARTIAL_TILE(k) g##k[partial] = h##k[t];

/* Row r of the tile, joined to column t of it. */
#define TILE_ROW(r)                                                                                                    \
    {                                                                                                                  \
        AT(r)                                                                                                          \
        const I k = from + t;                                                                                          \
        LEAVES(READ)                                                                                                   \
        EACH(RESULT)                                                                                                   \
        BODY();                                                                                                        \
        EACH(JOIN_TILE)                                                                                                \
    }
/* `n` rows, each `step` after the one before, in one turn: the tile is read and written once. */
#define TILE_ROWS(n, rows)                                                                                             \
    for (int t = 0; t < n; t++) {                                                                                      \
        EACH(TAKE_TILE)                                                                                                \
        rows EACH(GIVE_TILE)                                                                                           \
    }

/*
 * FOLDED: rows lie behind each other in memory and are short, so `fold` of them are taken for one row of fold * width
 * columns, whose sums are merged in the end.
 */
__kernel void reduce(PARAMETERS)
{
#if FOLDED
    const I tiles = 1, strips = 1, step = fold;
#else
    const I tiles = (width + TILE - 1) / TILE, strips = n_out / width * tiles, step = 1;
#endif
    const I first = (I)get_global_id(0) * chunk, last = min(first + chunk, strips * parts);
    for (I task = first; task < last; task++) {
        const I p = task / strips, strip = task - p * strips;
        const I line = strip / tiles, from = (strip - line * tiles) * TILE;
        const int w = (int)(FOLDED ? step * width : min((I)TILE, width - from));
        const I begin = p * part, end = min(begin + part, n_red), o0 = line * width;
        OUTPUT(o0)
        EACH(TILE_TOTALS)
        I r = begin;
        while (r + step <= end) {
            EACH(TILE_VALUES)
            const I stop = min(r + BLOCK * step, end);
            for (; r + 4 * step <= stop; r += 4 * step) {
                TILE_ROWS(w, TILE_ROW(r) TILE_ROW(r + step) TILE_ROW(r + 2 * step) TILE_ROW(r + 3 * step))
            }
            for (; r + step <= stop; r += step) {
                TILE_ROWS(w, TILE_ROW(r))
            }
            EACH(ADD_TILE)
        }
#if FOLDED
        EACH(FOLD_TILE)
        if (r < end) { /* the rows that are left are fewer than `fold` */
            EACH(TILE_VALUES)
            for (; r < end; r++) {
                TILE_ROWS((int)width, TILE_ROW(r))
            }
            EACH(ADD_TILE)
        }
        const int columns = (int)width;
#else
        const int columns = w;
#endif
        for (int t = 0; t < columns; t++) {
            const I o = o0 + from + t;
            if (parts == 1) {
                FINISH(o, [t])
            } else {
                const I partial = p * n_out + o;
                EACH(PARTIAL_TILE)
            }
        }
    }
}

#endif

__kernel void combine(COMBINE_PARAMETERS)
{
    const I first = (I)get_global_id(0) * chunk, last = min(first + chunk, n_out);
    for (I o = first; o < last; o++) {
        EACH(TOTAL)
        for (I p = 0; p < parts; p++) {
            const I partial = COLUMNS ? p * n_out + o : o * parts + p;
            EACH(GATHER)
        }
        FINISH(o, )
    }
}

#else /* of the device form */

#define UNROLL 4

#define ITEM_VALUES(k)                                                                                                 \
    A##k s##k[V];                                                                                                      \
    _Pragma("unroll") for (int v = 0; v < V; v++)                                                                      \
    {                                                                                                                  \
        s##k[v] = none##k();                                                                                           \
    }
#define JOIN_ITEM(k) s##k[v] = join##k(s##k[v], y##k[v]);
#define JOIN_FIRST(k) s##k[0] = join##k(s##k[0], y##k);
#define ADD_ITEM(k)                                                                                                    \
    _Pragma("unroll") for (int d = V / 2; d > 0; d /= 2)                                                               \
    {                                                                                                                  \
        for (int v = 0; v < d; v++) {                                                                                  \
            s##k[v] = join##k(s##k[v], s##k[v + d]);                                                                   \
        }                                                                                                              \
    }                                                                                                                  \
    h##k = add##k(h##k, s##k[0]);

/*
 * Merges the pairs of `count` items that lie `distance` apart, of all accumulators and of VALUES columns at once; item 0
 * of each `count` gets the results. All items of the group come here, and none of the barriers depends on anything:
 * compilers copy code for every barrier that does. count is a power of two.
 */
#define SHARE(k)                                                                                                       \
    for (int v = 0; v < VALUES; v++) {                                                                                 \
        local##k[me + v * size] = MINE(k);                                                                             \
    }
#define MERGE_SHARED(k)                                                                                                \
    for (int v = 0; v < VALUES; v++) {                                                                                 \
        local##k[me + v * size] = merge##k(local##k[me + v * size], local##k[me + v * size + d * distance]);           \
    }
#define TAKE(k)                                                                                                        \
    for (int v = 0; v < VALUES; v++) {                                                                                 \
        MINE(k) = local##k[me + v * size];                                                                             \
    }
#define MERGE_ITEMS                                                                                                    \
    EACH(SHARE)                                                                                                        \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
    for (int d = count / 2; d > 0; d /= 2) {                                                                           \
        if (lane < d) {                                                                                                \
            EACH(MERGE_SHARED)                                                                                         \
        }                                                                                                              \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                                  \
    }                                                                                                                  \
    EACH(TAKE)

#if !COLUMNS

#define VALUES 1
#define MINE(k) h##k

/* `lanes` neighbouring items work on one output, or one part of it. */
__kernel void reduce(PARAMETERS)
{
    const int me = (int)get_local_id(0), size = (int)get_local_size(0);
    const int count = (int)lanes, distance = 1, lane = me % count;
    const I partial = (I)get_group_id(0) * ((I)get_local_size(0) / lanes) + me / count;
    const bool valid = partial < n_out * parts;
    const I o = partial / parts;
    EACH(TOTAL)
    if (valid) {
        const I begin = (partial - o * parts) * part, end = min(begin + part, n_red), step = lanes * V;
        OUTPUT(o)
        I r = begin + lane * V;
        while (r < end) {
            EACH(ITEM_VALUES)
            int b = 0;
#if REDUCED == 1
            AT(r)
            for (; b + UNROLL <= BLOCK && r + (UNROLL - 1) * step + V <= end; b += UNROLL) {
#pragma unroll
                for (int u = 0; u < UNROLL; u++) {
                    const I k = r + u * step;
                    LEAVES(READ4)
                    EACH(RESULT4)
#pragma unroll
                    for (int v = 0; v < V; v++) {
                        BODY([v]);
                        EACH(JOIN_ITEM)
                    }
                }
                r += UNROLL * step;
            }
            for (; b < BLOCK && r < end; b += V, r += step) {
                for (I k = r; k < min(r + V, end); k++) {
                    LEAVES(READ)
                    EACH(RESULT)
                    BODY();
                    EACH(JOIN_FIRST)
                }
            }
#else
            for (; b < BLOCK && r < end; b++, r += step) {
                AT(r)
                const I k = r % inner;
                LEAVES(READ4)
                EACH(RESULT4)
#pragma unroll
                for (int v = 0; v < V; v++) {
                    BODY([v]);
                    EACH(JOIN_ITEM)
                }
            }
#endif
            EACH(ADD_ITEM)
        }
    }
    MERGE_ITEMS
    if (valid && lane == 0) {
        if (parts == 1) {
            FINISH(o, )
        } else {
            EACH(PARTIAL)
        }
    }
}

#else /* COLUMNS */

#define COLUMN_TOTALS(k)                                                                                               \
    P##k t##k[V];                                                                                                      \
    _Pragma("unroll") for (int v = 0; v < V; v++)                                                                      \
    {                                                                                                                  \
        t##k[v] = empty##k();                                                                                          \
    }
#define ADD_COLUMNS(k)                                                                                                 \
    _Pragma("unroll") for (int v = 0; v < V; v++)                                                                      \
    {                                                                                                                  \
        t##k[v] = add##k(t##k[v], s##k[v]);                                                                            \
    }
#define ONE_COLUMN(k) const P##k h##k = t##k[v];
#define VALUES V
#define MINE(k) t##k[v]

/* `lanes` neighbouring items have V columns each; the others of the group take further rows of the same columns. */
__kernel void reduce(PARAMETERS)
{
    const int me = (int)get_local_id(0), size = (int)get_local_size(0);
    const int distance = (int)lanes, count = size / distance, lane = me / distance;
    const I tiles = (width + lanes * V - 1) / (lanes * V), strips = n_out / width * tiles;
    const I task = (I)get_group_id(0), p = task / strips, strip = task - p * strips;
    const I line = strip / tiles, k = ((strip - line * tiles) * lanes + me % distance) * V;
    const I begin = p * part, end = min(begin + part, n_red), o0 = line * width;
    EACH(COLUMN_TOTALS)
    if (k + V <= width) {
        OUTPUT(o0)
        for (I r = begin + lane; r < end;) {
            EACH(ITEM_VALUES)
            for (int b = 0; b < BLOCK && r < end; b++, r += count) {
                AT(r)
                LEAVES(READ4)
                EACH(RESULT4)
#pragma unroll
                for (int v = 0; v < V; v++) {
                    BODY([v]);
                    EACH(JOIN_ITEM)
                }
            }
            EACH(ADD_COLUMNS)
        }
    }
    MERGE_ITEMS
    if (lane == 0 && k + V <= width) {
#pragma unroll
        for (int v = 0; v < V; v++) {
            const I o = o0 + k + v;
            EACH(ONE_COLUMN)
            if (parts == 1) {
                FINISH(o, )
            } else {
                const I partial = p * n_out + o;
                EACH(PARTIAL)
            }
        }
    }
}

#endif

#undef VALUES
#undef MINE
#define VALUES 1
#define MINE(k) h##k

/* `lanes` items share the parts of one output: neighbours, where an output's partial results are neighbours. */
__kernel void combine(COMBINE_PARAMETERS)
{
    const int me = (int)get_local_id(0), size = (int)get_local_size(0), count = (int)lanes, outputs = size / count;
    const int distance = COLUMNS ? outputs : 1, lane = COLUMNS ? me / outputs : me % count;
    const I o = (I)get_group_id(0) * outputs + (COLUMNS ? me % outputs : me / count);
    EACH(TOTAL)
    if (o < n_out) {
        for (I p = lane; p < parts; p += count) {
            const I partial = COLUMNS ? p * n_out + o : o * parts + p;
            EACH(GATHER)
        }
    }
    MERGE_ITEMS
    if (o < n_out && lane == 0) {
        FINISH(o, )
    }
}

#endif
