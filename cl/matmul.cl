/*
 * Products of two matrices: c (n x m) = a (n x k) b (k x m), in two skeletons.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 *     matmul_tiles    device: a group makes one tile of c out of tiles of a and b in local memory
 *     matmul_blocks   cpu: a work-item makes blocks of c out of packed blocks of a and panels of b
 *
 * Operands are read where they are, by two strides each (in elements), one of which is 1; which one decides only in
 * what order elements are fetched. c is contiguous. Where n x m offers too little work, k is cut into parts of `part`
 * terms: part number s writes its own n x m matrix at c + s * n * m, and matvec.cl adds these up.
 */
#include "matmul_types.cl"

#ifndef FORM_TILES
#define FORM_TILES 1
#endif

#if FORM_TILES

/*
 * A group has WAVES_N x WAVES_M waves of LANES_N x LANES_M work-items, and every work-item makes QUADS_N x QUADS_M
 * squares of 4 x 4 reals. The squares of a wave interleave, so that neighbours read neighbouring quads of local memory.
 */
#ifndef WAVES_N
#define WAVES_N 4
#define WAVES_M 2
#define LANES_N 4
#define LANES_M 8
#define QUADS_N 2
#define QUADS_M 2
#define DEPTH 16
#endif

#define WAVE (LANES_N * LANES_M)
#define ITEMS (WAVES_N * WAVES_M * WAVE)
#define TILE_N (WAVES_N * LANES_N * QUADS_N * 4) /* in reals */
#define TILE_M (WAVES_M * LANES_M * QUADS_M * 4)
#define PITCH_N (TILE_N + 4) /* keeps the scattered stores of a tile off one bank of local memory */
#define PITCH_M (TILE_M + 4)
#define SPAN_N (TILE_N / PARTS) /* in elements */
#define SPAN_M (TILE_M / PARTS)

#if COMPLEX
#define PUT(tile, at, v) ((tile)[at] = (v).x, (tile)[(at) + 1] = (v).y)
#else
#define PUT(tile, at, v) ((tile)[at] = (v))
#endif

/*
 * A tile of an operand is `span` elements along n or m and DEPTH along k. The group reads it in rows of whichever of the
 * two lies in memory element by element (`fast`): a row takes PIECES(fast) reads of a work-item, or a read takes
 * several rows. All sizes are powers of two, so what does not depend on the item is known when this is compiled.
 */
#define PIECES(fast) ((fast) > ITEMS ? (fast) / ITEMS : 1)
#define ROWS(fast) ((fast) > ITEMS ? 1 : ITEMS / (fast))
#define EACH_(i, n) _Pragma("unroll") for (int i = 0; i < (n); i++)
#define EACH_READ(fast, span) EACH_(j, (span)*DEPTH / ITEMS / PIECES(fast)) EACH_(i, PIECES(fast))

/* Whether a tile's rows run along k or along n or m; the item's place in its first row, and which row that is. */
typedef struct reader {
    bool along_k;
    int in_row, across;
    long step; /* in memory, from one element of a row to the next */
    long hop;  /* in memory, from the rows of one read to those of the next */
} reader;

/*
 * fetch_N reads the item's share of a tile into registers; elements outside of the operand are zeros. put_N writes it to
 * local memory as tile[k][n or m].
 */
#define FETCH_(fast, span, in, out)                                                                                    \
    EACH_READ(fast, span)                                                                                              \
    {                                                                                                                  \
        const int x = read.in_row + i * ITEMS, y = read.across + j * ROWS(fast);                                       \
        r[j * PIECES(fast) + i] = x < in && y < out ? READ(p + j * read.hop + i * ITEMS * read.step) : (value)0;       \
    }
#define FETCH_WHOLE_(fast, span)                                                                                       \
    EACH_READ(fast, span)                                                                                              \
    r[j * PIECES(fast) + i] = READ(p + j * read.hop + i * ITEMS * read.step);
#define DEFINE_FETCH(start, fetch, put, span, pitch)                                                                   \
    reader start(long outer, long deep, int t)                                                                         \
    {                                                                                                                  \
        reader read;                                                                                                   \
        read.along_k = deep == 1;                                                                                      \
        read.in_row = read.along_k ? t % DEPTH : t % (span);                                                           \
        read.across = read.along_k ? t / DEPTH : t / (span);                                                           \
        read.step = read.along_k ? deep : outer;                                                                       \
        read.hop = read.along_k ? ROWS(DEPTH) * outer : ROWS(span) * deep;                                             \
        return read;                                                                                                   \
    }                                                                                                                  \
    void fetch(value *r, global const element *p, reader read, int outer_left, int deep_left)                          \
    {                                                                                                                  \
        if (outer_left >= (span) && deep_left >= DEPTH) {                                                              \
            if (read.along_k) {                                                                                        \
                FETCH_WHOLE_(DEPTH, span)                                                                              \
            } else {                                                                                                   \
                FETCH_WHOLE_(span, span)                                                                               \
            }                                                                                                          \
        } else if (read.along_k) {                                                                                     \
            FETCH_(DEPTH, span, deep_left, outer_left)                                                                 \
        } else {                                                                                                       \
            FETCH_(span, span, outer_left, deep_left)                                                                  \
        }                                                                                                              \
    }                                                                                                                  \
    void put(local REAL *tile, const value *r, reader read)                                                            \
    {                                                                                                                  \
        if (read.along_k) {                                                                                            \
            tile += read.in_row * (pitch) + read.across * PARTS;                                                       \
            EACH_READ(DEPTH, span)                                                                                     \
            PUT(tile, i * ITEMS * (pitch) + j * ROWS(DEPTH) * PARTS, r[j * PIECES(DEPTH) + i]);                        \
        } else {                                                                                                       \
            tile += read.across * (pitch) + read.in_row * PARTS;                                                       \
            EACH_READ(span, span)                                                                                      \
            PUT(tile, j * ROWS(span) * (pitch) + i * ITEMS * PARTS, r[j * PIECES(span) + i]);                          \
        }                                                                                                              \
    }
DEFINE_FETCH(start_a, fetch_a, put_a, SPAN_N, PITCH_N)
DEFINE_FETCH(start_b, fetch_b, put_b, SPAN_M, PITCH_M)

#define WRITE(q, v)                                                                                                    \
    if (col + (q) < m_left) {                                                                                          \
        STORE(to + (q), add ? READ(to + (q)) + (v) : (v));                                                             \
    }

/* Groups that run at the same time work on a band of this many rows of tiles, so that they share operands in cache. */
#define BAND 8

kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
matmul_tiles(global const element *a, long a_offset, long a_row, long a_col, global const element *b, long b_offset,
             long b_row, long b_col, global element *c, long c_offset, long n, long k, long m, long part)
{
    local REAL4 tiles_a[2][DEPTH * PITCH_N / 4], tiles_b[2][DEPTH * PITCH_M / 4];

    const long rows = (n + SPAN_N - 1) / SPAN_N, cols = (m + SPAN_M - 1) / SPAN_M;
    const long s = get_group_id(0) / (rows * cols), tile = get_group_id(0) % (rows * cols);
    const long band = tile / (BAND * cols) * BAND, height = min(rows - band, (long)BAND);
    const long row0 = (band + tile % (BAND * cols) % height) * SPAN_N;
    const long col0 = tile % (BAND * cols) / height * SPAN_M;
    const int n_left = (int)min(n - row0, (long)SPAN_N), m_left = (int)min(m - col0, (long)SPAN_M);
    const long first = s * part, terms = min(k - first, part);

    const int t = get_local_id(0), wave = t / WAVE, lane = t % WAVE;
    /* Both coordinates take bits from both ends of the lane: the lanes that share a cycle then share few quads. */
#if LANES_N == 4 && LANES_M == 8
    const int lane_n = (lane & 1) | ((lane >> 1) & 2), lane_m = ((lane >> 1) & 1) | ((lane >> 2) & 6);
#else
    const int lane_n = lane / LANES_M, lane_m = lane % LANES_M;
#endif
    const int quad_n = wave / WAVES_M * (LANES_N * QUADS_N) + lane_n;
    const int quad_m = wave % WAVES_M * (LANES_M * QUADS_M) + lane_m;

    const reader read_a = start_a(a_row, a_col, t), read_b = start_b(b_col, b_row, t);
    a += a_offset + row0 * a_row + first * a_col;
    b += b_offset + first * b_row + col0 * b_col;
    a += read_a.along_k ? read_a.across * a_row + read_a.in_row * a_col : read_a.across * a_col + read_a.in_row * a_row;
    b += read_b.along_k ? read_b.across * b_col + read_b.in_row * b_row : read_b.across * b_row + read_b.in_row * b_col;
    c += c_offset + s * n * m + row0 * m + col0;

    value next_a[SPAN_N * DEPTH / ITEMS], next_b[SPAN_M * DEPTH / ITEMS];
    fetch_a(next_a, a, read_a, n_left, (int)min(terms, (long)DEPTH));
    fetch_b(next_b, b, read_b, m_left, (int)min(terms, (long)DEPTH));
    put_a((local REAL *)tiles_a[0], next_a, read_a);
    put_b((local REAL *)tiles_b[0], next_b, read_b);
    barrier(CLK_LOCAL_MEM_FENCE);

    REAL4 sum[QUADS_N * 4][QUADS_M];
    EACH_(i, QUADS_N * 4)
    EACH_(j, QUADS_M)
    sum[i][j] = (REAL4)0;

    for (long done = 0; done < terms; done += DEPTH) {
        const int now = (int)(done / DEPTH % 2);
        const long left = terms - done - DEPTH;
        if (left > 0) {
            a += DEPTH * a_col;
            b += DEPTH * b_row;
            fetch_a(next_a, a, read_a, n_left, (int)min(left, (long)DEPTH));
            fetch_b(next_b, b, read_b, m_left, (int)min(left, (long)DEPTH));
        }

        local const REAL4 *tile_a = tiles_a[now] + quad_n, *tile_b = tiles_b[now] + quad_m;
        /* Not unrolled altogether: compilers would fetch all quads at once and run out of registers. */
        _Pragma("unroll 1") for (int turn = 0; turn < 2; turn++)
        {
            EACH_(d, DEPTH / 2)
            {
                REAL4 x[QUADS_N], y[QUADS_M];
                EACH_(i, QUADS_N)
                x[i] = tile_a[d * (PITCH_N / 4) + i * LANES_N];
                EACH_(j, QUADS_M)
                y[j] = tile_b[d * (PITCH_M / 4) + j * LANES_M];
                EACH_(i, QUADS_N)
                EACH_(j, QUADS_M)
                {
                    sum[i * 4][j] = MAD((REAL4)x[i].x, y[j], sum[i * 4][j]);
                    sum[i * 4 + 1][j] = MAD((REAL4)x[i].y, y[j], sum[i * 4 + 1][j]);
                    sum[i * 4 + 2][j] = MAD((REAL4)x[i].z, y[j], sum[i * 4 + 2][j]);
                    sum[i * 4 + 3][j] = MAD((REAL4)x[i].w, y[j], sum[i * 4 + 3][j]);
                }
            }
            tile_a += DEPTH / 2 * (PITCH_N / 4);
            tile_b += DEPTH / 2 * (PITCH_M / 4);
        }

        if (left > 0) {
            put_a((local REAL *)tiles_a[1 - now], next_a, read_a);
            put_b((local REAL *)tiles_b[1 - now], next_b, read_b);
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        if (left <= 0 || (done + DEPTH) % BLOCK == 0) { /* this block's sums join those of the blocks before it */
            const bool add = done >= BLOCK;
            EACH_(i, QUADS_N)
            EACH_(j, QUADS_M)
            {
                const int row = (quad_n + i * LANES_N) * 4 / PARTS, col = (quad_m + j * LANES_M) * 4 / PARTS;
                EACH_(r, 4 / PARTS)
                if (row + r < n_left) {
                    global element *to = c + (row + r) * m + col;
#if COMPLEX
                    const REAL4 re = sum[i * 4 + 2 * r][j], im = sum[i * 4 + 2 * r + 1][j];
                    WRITE(0, (value)(re.x - im.y, re.y + im.x))
                    WRITE(1, (value)(re.z - im.w, re.w + im.z))
#else
                    const REAL4 v = sum[i * 4 + r][j];
                    WRITE(0, v.x)
                    WRITE(1, v.y)
                    WRITE(2, v.z)
                    WRITE(3, v.w)
#endif
                }
                EACH_(r, 4)
                sum[i * 4 + r][j] = (REAL4)0;
            }
        }
    }
}

#else /* FORM_BLOCKS */

/*
 * A block of `height` rows of a is packed BLOCK terms deep, in strips of STRIP rows; a panel of b PANEL columns wide.
 * Both then lie in the order in which the innermost loop reads them, edges filled with zeros: STRIP x 2 vectors of sums
 * stay in registers. Numbers of rows and columns are in reals.
 */
#ifndef HEIGHT /* the most rows of a block: HEIGHT * BLOCK reals stay in the second level of cache */
#define HEIGHT 96
#endif
#define STRIP 6
#define PANEL (2 * LANES)
#define STRIP_ROWS (STRIP / PARTS) /* in elements */
#define PANEL_COLS (PANEL / PARTS)

void pack_strip(global REAL *to, global const element *a, long row, long col, int rows, int terms)
{
    if (rows < STRIP_ROWS) {
        for (int i = 0; i < STRIP * terms; i++) {
            to[i] = 0;
        }
    }
    for (int r = 0; r < rows; r++) {
        for (int i = 0; i < terms; i++) {
            const value v = READ(a + r * row + i * col);
#if COMPLEX
            to[i * STRIP + 2 * r] = v.x;
            to[i * STRIP + 2 * r + 1] = v.y;
#else
            to[i * STRIP + r] = v;
#endif
        }
    }
}

void pack_panel(global REAL *to, global const element *b, long row, long col, int cols, int terms)
{
    if (cols == PANEL_COLS && col == 1) {
        for (int i = 0; i < terms; i++) {
            global const STORED *from = (global const STORED *)(b + i * row);
            JOIN(vstore, LANES)(LOAD(from), 0, to + i * PANEL);
            JOIN(vstore, LANES)(LOAD(from + LANES), 0, to + i * PANEL + LANES);
        }
        return;
    }
    if (cols < PANEL_COLS) {
        for (int i = 0; i < PANEL * terms; i++) {
            to[i] = 0;
        }
    }
    for (int j = 0; j < cols; j++) {
        for (int i = 0; i < terms; i++) {
            const value v = READ(b + i * row + j * col);
#if COMPLEX
            to[i * PANEL + 2 * j] = v.x;
            to[i * PANEL + 2 * j + 1] = v.y;
#else
            to[i * PANEL + j] = v;
#endif
        }
    }
}

#define EACH_ROW(X) X(0) X(1) X(2) X(3) X(4) X(5)
#define CLEAR(r) VECTOR left##r = (VECTOR)0, right##r = (VECTOR)0;
#define STEP(r)                                                                                                        \
    left##r = MAD((VECTOR)a[r], x, left##r);                                                                           \
    right##r = MAD((VECTOR)a[r], y, right##r);
#define KEEP(r)                                                                                                        \
    JOIN(vstore, LANES)(left##r, 0, sums + r * PANEL);                                                                 \
    JOIN(vstore, LANES)(right##r, 0, sums + r * PANEL + LANES);
#define WRITE_VECTOR(v, to) JOIN(vstore, LANES)(JOIN(JOIN(convert_, STORED), LANES)(add ? LOAD(to) + (v) : (v)), 0, to);
#define WRITE_ROW(r) WRITE_VECTOR(left##r, c + r * m) WRITE_VECTOR(right##r, c + r * m + LANES)

/* One square of STRIP x PANEL sums over a packed strip and a packed panel; written to c, or added to what is there. */
void multiply(global element *c, long m, global const REAL *a, global const REAL *b, int terms, int rows, int cols,
              bool add)
{
    EACH_ROW(CLEAR)
    for (int i = 0; i < terms; i++) {
        const VECTOR x = JOIN(vload, LANES)(0, b), y = JOIN(vload, LANES)(0, b + LANES);
        EACH_ROW(STEP)
        a += STRIP;
        b += PANEL;
    }
#if !COMPLEX
    if (rows == STRIP && cols == PANEL) {
        EACH_ROW(WRITE_ROW)
        return;
    }
#endif
    REAL sums[STRIP * PANEL];
    EACH_ROW(KEEP)
    for (int r = 0; r < rows; r++) {
        for (int j = 0; j < cols; j++) {
#if COMPLEX
            const REAL *re = sums + 2 * r * PANEL, *im = re + PANEL;
            const value v = (value)(re[2 * j] - im[2 * j + 1], re[2 * j + 1] + im[2 * j]);
#else
            const value v = sums[r * PANEL + j];
#endif
            global element *to = c + r * m + j;
            STORE(to, add ? READ(to) + v : v);
        }
    }
}

/*
 * Blocks of c are `height` x `width` elements; the work-items share them, and the parts of k, evenly and in order.
 * scratch has (HEIGHT + PANEL) * BLOCK reals for each work-item.
 */
kernel void matmul_blocks(global const element *a, long a_offset, long a_row, long a_col, global const element *b,
                          long b_offset, long b_row, long b_col, global element *c, long c_offset, long n, long k,
                          long m, long part, global REAL *scratch, long height, long width)
{
    const long down = (n + height - 1) / height, across = (m + width - 1) / width, parts = (k + part - 1) / part;
    const long tasks = down * across * parts, item = get_global_id(0), items = get_global_size(0);
    global REAL *packed_a = scratch + item * ((HEIGHT + PANEL) * BLOCK), *packed_b = packed_a + HEIGHT * BLOCK;

    for (long task = tasks * item / items; task < tasks * (item + 1) / items; task++) {
        const long s = task / (down * across), row0 = task / across % down * height, col0 = task % across * width;
        const long row1 = min(row0 + height, n), col1 = min(col0 + width, m), end = min((s + 1) * part, k);
        for (long first = s * part; first < end; first += BLOCK) {
            const int terms = (int)min(end - first, (long)BLOCK);
            for (long i = row0; i < row1; i += STRIP_ROWS) {
                pack_strip(packed_a + (i - row0) * PARTS * terms, a + a_offset + i * a_row + first * a_col, a_row,
                           a_col, (int)min(row1 - i, (long)STRIP_ROWS), terms);
            }
            for (long j = col0; j < col1; j += PANEL_COLS) {
                const int cols = (int)min(col1 - j, (long)PANEL_COLS);
                pack_panel(packed_b, b + b_offset + first * b_row + j * b_col, b_row, b_col, cols, terms);
                for (long i = row0; i < row1; i += STRIP_ROWS) {
                    multiply(c + c_offset + s * n * m + i * m + j, m, packed_a + (i - row0) * PARTS * terms, packed_b,
                             terms, (int)min(row1 - i, (long)STRIP_ROWS), cols, first > s * part);
                }
            }
        }
    }
}

#endif
