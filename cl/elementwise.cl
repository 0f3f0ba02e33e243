/*
 * One pass over a space: reads leaves, computes, writes outputs.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 * What is defined before this file (as an example, where nothing is: z = x + y):
 *
 *     I               type of indices
 *     RANK            dimensions; the innermost of size `inner`, when there are several
 *     CPU             1: few work-items, each with a chunk of the points; 0: one item for each V points
 *     TILED           CPU and RANK > 1, 1: a chunk is of blocks of TILE_ROWS rows and TILE columns, for the sake of leaves
 *                     whose neighbours in a column share a cache line
 *     V               points of one item, 1 or 4
 *     PARAMETERS      the kernel's: whatever the following use, then `inner` (RANK > 1), n (points), with CPU chunk
 *     LEAVES(M)       M(l) for each leaf l, of type L<l> (a macro)
 *     OUTPUTS(M)      M(j) for each output j, of type R<j> (a macro), to be written to r<j>
 *     ROW(row)        declares e<l>, where leaf l's elements of a row begin
 *     LOAD<l>(k)      element k of leaf l in the row
 *     LOAD4_<l>(a, k) a[0..4) = the four from k on
 *     BODY(s)         computes y<j> s from a<l> s; s is empty or [number]
 */
#ifndef PARAMETERS
typedef int I;
#define L0 float
#define L1 float
#define R0 float
#define RANK 1
#define CPU 0
#define TILED 0
#define V 1
#define PARAMETERS __global const float *restrict b0, __global const float *restrict b1, __global float *restrict r0, const I n
#define LEAVES(M) M(0) M(1)
#define OUTPUTS(M) M(0)
#define ROW(row)
#define LOAD0(k) b0[k]
#define LOAD1(k) b1[k]
#define BODY(s) y0 s = a0 s + a1 s
#endif

#define READ(l) const L##l a##l = LOAD##l(k);
#define RESULT(j) R##j y##j;
#define WRITE(j) r##j[i] = y##j;
#define READ4(l)                                                                                                       \
    L##l a##l[V];                                                                                                      \
    LOAD4_##l(a##l, k)
#define RESULT4(j) R##j y##j[V];
#define WRITE4(j) PLAIT_STORE4(R##j, r##j + i, y##j)

#if CPU

__kernel void elementwise(PARAMETERS)
{
#if TILED
    const I points = (n / inner + TILE_ROWS - 1) / TILE_ROWS * ((inner + TILE - 1) / TILE);
#else
    const I points = n;
#endif
    const I begin = (I)get_global_id(0) * chunk, end = min(begin + chunk, points);
#if RANK == 1
    ROW(0)
    for (I i = begin; i < end; i++) {
        const I k = i;
        LEAVES(READ)
        OUTPUTS(RESULT)
        BODY();
        OUTPUTS(WRITE)
    }
#elif TILED
    const I columns = (inner + TILE - 1) / TILE, rows = n / inner;
    for (I task = begin; task < end; task++) {
        const I above = task / columns * TILE_ROWS, below = min(above + TILE_ROWS, rows);
        const I left = (task % columns) * TILE, right = min(left + TILE, inner);
        for (I row = above; row < below; row++) {
            ROW(row)
            for (I k = left; k < right; k++) {
                const I i = row * inner + k;
                LEAVES(READ)
                OUTPUTS(RESULT)
                BODY();
                OUTPUTS(WRITE)
            }
        }
    }
#else
    for (I first = begin; first < end;) {
        const I row = first / inner, column = first - row * inner, m = min(inner - column, end - first);
        ROW(row)
        for (I t = 0; t < m; t++) {
            const I k = column + t, i = first + t;
            LEAVES(READ)
            OUTPUTS(RESULT)
            BODY();
            OUTPUTS(WRITE)
        }
        first += m;
    }
#endif
}

#else

__kernel void elementwise(PARAMETERS)
{
    I i = (I)get_global_id(0) * V;
    if (i >= n) {
        return;
    }
#if RANK == 1
    ROW(0)
    I k = i;
#else
    const I row = i / inner;
    I k = i - row * inner;
    ROW(row)
#endif
#if V > 1
    if (i + V <= n) {
        LEAVES(READ4)
        OUTPUTS(RESULT4)
#pragma unroll
        for (int v = 0; v < V; v++) {
            BODY([v]);
        }
        OUTPUTS(WRITE4)
        return;
    }
#endif
    for (int v = 0; v < V && i < n; v++, i++, k++) {
        LEAVES(READ)
        OUTPUTS(RESULT)
        BODY();
        OUTPUTS(WRITE)
    }
}

#endif
