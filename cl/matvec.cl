/*
 * Products of a matrix and a vector: y (n) = x (n x k) v (k), in two forms for each skeleton.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 *     matvec_rows     x's elements lie next to each other along k: each result is the dot product of a row
 *     matvec_columns  they lie next to each other along n: rows of memory are added up, weighted by v
 *
 * The transposed product of a table and a vector (n x d, stored by rows) is of the second kind, so neither it nor the
 * plain one ever copies the table. The distance of neighbours in memory is 1; `pitch` is that of x's other direction.
 * v has a step of 1. Where n offers too little work, k is cut into parts of `part` terms: part number s writes n
 * results at y + s * n, which matvec_columns with weighted = 0 (all weights 1) then adds up. All sizes in elements.
 */
#include "matmul_types.cl"

#ifndef FORM_DEVICE
#define FORM_DEVICE 1
#endif

#if FORM_DEVICE

#ifndef ITEMS
#define ITEMS 256 /* of a group, a power of two */
#endif
#define CHAINS 4 /* independent sums of a work-item, so that its reads do not wait for each other */

/* Adds up the values of `count` work-items that are `step` apart, in a fixed tree; the first of them has the sum. */
value add_up(local value *values, value v, int item, int count, int step)
{
    values[item] = v;
    for (int apart = count / 2; apart > 0; apart /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item / step % count < apart) {
            values[item] += values[item + apart * step];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return values[item];
}

/*
 * The weighted sum of terms at p, p + p_step, ... with weights at v, v + v_step, ...: `terms` of them in all, of which
 * this work-item is to take every one.
 */
value chain(global const element *p, long p_step, global const element *v, long v_step, long terms, int weighted)
{
    value hi = 0, lo = 0;
    while (terms > 0) {
        const int now = (int)min(terms, (long)(BLOCK * CHAINS));
        value sums[CHAINS];
#pragma unroll
        for (int c = 0; c < CHAINS; c++) {
            sums[c] = (value)0;
        }
        int i = 0;
        for (; i + CHAINS <= now; i += CHAINS) {
#pragma unroll
            for (int c = 0; c < CHAINS; c++) {
                const value x = READ(p + c * p_step), w = weighted ? READ(v + c * v_step) : ONE;
                sums[c] = ADD_PRODUCT(x, w, sums[c]);
            }
            p += CHAINS * p_step;
            v += CHAINS * v_step;
        }
        for (; i < now; i++) {
            const value x = READ(p), w = weighted ? READ(v) : ONE;
            sums[0] = ADD_PRODUCT(x, w, sums[0]);
            p += p_step;
            v += v_step;
        }
        const value sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
        ADD_COMPENSATED(value, hi, lo, sum);
        terms -= now;
    }
    return SETTLE(hi, lo);
}

/* `lanes` work-items (a power of two up to ITEMS) share a row. */
kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
matvec_rows(global const element *x, long x_offset, long pitch, global const element *v, long v_offset,
            global element *y, long y_offset, long n, long k, long part, int lanes)
{
    local value values[ITEMS];
    const int item = get_local_id(0), lane = item % lanes;
    const long rows = ITEMS / lanes, groups = (n + rows - 1) / rows;
    const long s = get_group_id(0) / groups, row = get_group_id(0) % groups * rows + item / lanes;
    const long first = s * part + lane, end = min((s + 1) * part, k);
    value sum = 0;
    if (row < n && first < end) {
        sum = chain(x + x_offset + row * pitch + first, lanes, v + v_offset + first, lanes,
                    (end - first + lanes - 1) / lanes, 1);
    }
    sum = add_up(values, sum, item, lanes, 1);
    if (lane == 0 && row < n) {
        STORE(y + y_offset + s * n + row, sum);
    }
}

/* A group takes `lanes` neighbouring results (a power of two up to ITEMS), and ITEMS / lanes rows of memory a turn. */
kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
matvec_columns(global const element *x, long x_offset, long pitch, global const element *v, long v_offset,
               global element *y, long y_offset, long n, long k, long part, int lanes, int weighted)
{
    local value values[ITEMS];
    const int item = get_local_id(0), rows = ITEMS / lanes;
    const long groups = (n + lanes - 1) / lanes;
    const long s = get_group_id(0) / groups, col = get_group_id(0) % groups * lanes + item % lanes;
    const long first = s * part + item / lanes, end = min((s + 1) * part, k);
    value sum = 0;
    if (col < n && first < end) {
        sum = chain(x + x_offset + first * pitch + col, rows * pitch, v + v_offset + first, rows,
                    (end - first + rows - 1) / rows, weighted);
    }
    sum = add_up(values, sum, item, rows, lanes);
    if (item < lanes && col < n) {
        STORE(y + y_offset + s * n + col, sum);
    }
}

#else /* FORM_CPU */

#define ROWS 8 /* of memory that are read at a time */
#define EACH_ROW(r) for (int r = 0; r < ROWS; r++)

/* The value that begins at the j-th real of an array of reals. */
#if COMPLEX
#define GET(array, j) vload2(0, (array) + (j))
#define SET(array, j, v) vstore2(v, 0, (array) + (j))
#else
#define GET(array, j) ((array)[j])
#define SET(array, j, v) ((array)[j] = (v))
#endif

/* The sum of a vector's elements. */
value add_lanes(VECTOR v)
{
#if LANES == 8
    const REAL4 four = v.lo + v.hi;
#else
    const REAL4 four = v;
#endif
    const JOIN(REAL, 2) two = four.lo + four.hi;
#if COMPLEX
    return two;
#else
    return two.x + two.y;
#endif
}

/* The dot products of ROWS rows of x with v, `terms` long. */
void dot_rows(value *out, global const element *x, long pitch, global const element *v, long terms)
{
    VECTOR hi[ROWS], lo[ROWS];
    value tail[ROWS];
#if COMPLEX
    VECTOR hi_im[ROWS], lo_im[ROWS]; /* x times v with its parts exchanged: what the imaginary part is made of */
#endif
    global const STORED *from[ROWS];
#pragma unroll
    EACH_ROW(r)
    {
        from[r] = (global const STORED *)(x + r * pitch);
        hi[r] = lo[r] = (VECTOR)0;
        tail[r] = (value)0;
#if COMPLEX
        hi_im[r] = lo_im[r] = (VECTOR)0;
#endif
    }
    global const STORED *weights = (global const STORED *)v;
    const long whole = terms * PARTS / LANES * LANES;
    for (long first = 0; first < whole; first += BLOCK * LANES) {
        const long end = min(first + BLOCK * LANES, whole);
        VECTOR sum[ROWS];
#if COMPLEX
        VECTOR sum_im[ROWS];
#endif
#pragma unroll
        EACH_ROW(r)
        {
            sum[r] = (VECTOR)0;
#if COMPLEX
            sum_im[r] = (VECTOR)0;
#endif
        }
        for (long i = first; i < end; i += LANES) {
            const VECTOR w = LOAD(weights + i);
#pragma unroll
            EACH_ROW(r)
            {
                const VECTOR one = LOAD(from[r] + i);
                sum[r] = MAD(one, w, sum[r]);
#if COMPLEX
                sum_im[r] = MAD(one, SWAP(w), sum_im[r]);
#endif
            }
        }
#pragma unroll
        EACH_ROW(r)
        {
            if (first == 0) { /* most tables' rows are one block */
                hi[r] = sum[r];
            } else {
                ADD_COMPENSATED(VECTOR, hi[r], lo[r], sum[r]);
            }
#if COMPLEX
            ADD_COMPENSATED(VECTOR, hi_im[r], lo_im[r], sum_im[r]);
#endif
        }
    }
    for (long i = whole / PARTS; i < terms; i++) {
        const value w = READ(v + i);
#pragma unroll
        EACH_ROW(r) tail[r] = ADD_PRODUCT(READ((global const element *)from[r] + i), w, tail[r]);
    }
#pragma unroll
    EACH_ROW(r)
    {
#if COMPLEX
        const value same = add_lanes(SETTLE(hi[r], lo[r])), crossed = add_lanes(SETTLE(hi_im[r], lo_im[r]));
        out[r] = (value)(same.x - same.y, crossed.x + crossed.y) + tail[r];
#else
        out[r] = add_lanes(SETTLE(hi[r], lo[r])) + tail[r];
#endif
    }
}

/* The dot product of one row, which is cut into ROWS pieces so that as many sums are under way. */
value dot_row(global const element *x, global const element *v, long terms)
{
    value hi = 0, lo = 0;
    const long piece = min(terms / (ROWS * LANES) * LANES, (long)(BLOCK * LANES / PARTS));
    long first = 0;
    while (piece > 0 && terms - first >= piece * ROWS) {
        VECTOR sum[ROWS];
#if COMPLEX
        VECTOR sum_im[ROWS];
#endif
#pragma unroll
        EACH_ROW(r)
        {
            sum[r] = (VECTOR)0;
#if COMPLEX
            sum_im[r] = (VECTOR)0;
#endif
        }
        global const STORED *from = (global const STORED *)(x + first), *weights = (global const STORED *)(v + first);
        for (long i = 0; i < piece * PARTS * ROWS; i += LANES * ROWS) {
#pragma unroll
            EACH_ROW(r)
            {
                const VECTOR one = LOAD(from + i + r * LANES), w = LOAD(weights + i + r * LANES);
                sum[r] = MAD(one, w, sum[r]);
#if COMPLEX
                sum_im[r] = MAD(one, SWAP(w), sum_im[r]);
#endif
            }
        }
#pragma unroll
        EACH_ROW(r)
        {
#if COMPLEX
            const value same = add_lanes(sum[r]), crossed = add_lanes(sum_im[r]);
            const value one = (value)(same.x - same.y, crossed.x + crossed.y);
#else
            const value one = add_lanes(sum[r]);
#endif
            ADD_COMPENSATED(value, hi, lo, one);
        }
        first += piece * ROWS;
    }
    while (first < terms) {
        const long end = min(first + BLOCK, terms);
        value sum = 0;
        for (; first < end; first++) {
            sum = ADD_PRODUCT(READ(x + first), READ(v + first), sum);
        }
        ADD_COMPENSATED(value, hi, lo, sum);
    }
    return SETTLE(hi, lo);
}

/* The work-items share the strips of ROWS rows, and the parts of k, evenly and in order. */
kernel void matvec_rows(global const element *x, long x_offset, long pitch, global const element *v, long v_offset,
                        global element *y, long y_offset, long n, long k, long part)
{
    const long strips = (n + ROWS - 1) / ROWS, parts = (k + part - 1) / part, tasks = strips * parts;
    const long item = get_global_id(0), items = get_global_size(0);
    const long begin = tasks * item / items, end = tasks * (item + 1) / items;
    long s = begin / strips, row = begin % strips * ROWS;
    for (long task = begin; task < end; task++) {
        const long first = s * part, terms = min(part, k - first);
        global const element *from = x + x_offset + row * pitch + first, *weights = v + v_offset + first;
        global element *to = y + y_offset + s * n + row;
        if (n - row >= ROWS) {
            value out[ROWS];
            dot_rows(out, from, pitch, weights, terms);
            for (int r = 0; r < ROWS; r++) {
                STORE(to + r, out[r]);
            }
        } else {
            for (int r = 0; r < n - row; r++) {
                STORE(to + r, dot_row(from + r * pitch, weights, terms));
            }
        }
        row += ROWS;
        if (row >= n) {
            row = 0;
            s++;
        }
    }
}

#define WIDTH 512 /* results of a strip, in reals: their sums stay in the first level of cache */

/* Adds the weighted rows of x to `sums`: `reals` numbers of each of `rows` rows. */
void add_rows(REAL *sums, int reals, global const element *x, long pitch, global const element *v, int rows,
              int weighted)
{
    int i = 0;
    for (; i + ROWS <= rows; i += ROWS) {
        value w[ROWS];
        global const STORED *from[ROWS];
#pragma unroll
        EACH_ROW(r)
        {
            w[r] = weighted ? READ(v + i + r) : ONE;
            from[r] = (global const STORED *)(x + (i + r) * pitch);
        }
        int j = 0;
        for (; j + LANES <= reals; j += LANES) {
            VECTOR sum = JOIN(vload, LANES)(0, sums + j);
#pragma unroll
            EACH_ROW(r)
            {
                const VECTOR one = LOAD(from[r] + j);
#if COMPLEX
                const value turned = (value)(-w[r].y, w[r].y);
                sum = MAD(one, (VECTOR)w[r].x, sum);
                sum = MAD(SWAP(one), (VECTOR)(turned, turned, turned, turned), sum);
#else
                sum = MAD(one, (VECTOR)w[r], sum);
#endif
            }
            JOIN(vstore, LANES)(sum, 0, sums + j);
        }
        for (; j < reals; j += PARTS) {
            value sum = GET(sums, j);
#pragma unroll
            EACH_ROW(r)
            sum = ADD_PRODUCT(READ((global const element *)from[r] + j / PARTS), w[r], sum);
            SET(sums, j, sum);
        }
    }
    for (; i < rows; i++) {
        const value w = weighted ? READ(v + i) : ONE;
        for (int j = 0; j < reals; j += PARTS) {
            const value sum = ADD_PRODUCT(READ(x + i * pitch + j / PARTS), w, GET(sums, j));
            SET(sums, j, sum);
        }
    }
}

/* The work-items share the strips of WIDTH results, and the parts of k, evenly and in order. */
kernel void matvec_columns(global const element *x, long x_offset, long pitch, global const element *v, long v_offset,
                           global element *y, long y_offset, long n, long k, long part, int weighted)
{
    const long width = WIDTH / PARTS;
    const long strips = (n + width - 1) / width, parts = (k + part - 1) / part, tasks = strips * parts;
    const long item = get_global_id(0), items = get_global_size(0);
    for (long task = tasks * item / items; task < tasks * (item + 1) / items; task++) {
        const long s = task / strips, col = task % strips * width, first = s * part, end = min(first + part, k);
        const int reals = (int)min(n - col, width) * PARTS;
        REAL hi[WIDTH], lo[WIDTH], sums[WIDTH];
        for (int j = 0; j < reals; j++) {
            hi[j] = lo[j] = 0;
        }
        for (long i = first; i < end; i += BLOCK) {
            for (int j = 0; j < reals; j++) {
                sums[j] = 0;
            }
            add_rows(sums, reals, x + x_offset + i * pitch + col, pitch, weighted ? v + v_offset + i : v,
                     (int)min(end - i, (long)BLOCK), weighted);
            for (int j = 0; j < reals; j++) {
                ADD_COMPENSATED(REAL, hi[j], lo[j], sums[j]);
            }
        }
        for (int j = 0; j < reals; j += PARTS) {
            const value high = GET(hi, j), low = GET(lo, j);
            STORE(y + y_offset + s * n + col + j / PARTS, SETTLE(high, low));
        }
    }
}

#endif
