/*
 * Which kernel makes a matrix product, and how the work is cut. Pure: sizes, layouts and capabilities in, numbers out.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#ifndef PLAIT__MATMUL_CHOICE_H
#define PLAIT__MATMUL_CHOICE_H

#include "family.h"

typedef enum plait__matmul_form {
    PLAIT__MATMUL_TILES,
    PLAIT__MATMUL_BLOCKS,
    PLAIT__MATMUL_GROUPS,
    PLAIT__MATMUL_RUNS
} plait__matmul_form;

/* A row of matmul_table.def; members that a form does not have are 0. */
typedef struct plait__matmul_row {
    const char *name;
    plait__matmul_form form;
    uint32_t real_bytes;
    uint32_t waves_n, waves_m, lanes_n, lanes_m, quads_n, quads_m, depth;
    uint32_t height;
    uint32_t items; /* of a group; 1 for the cpu forms */
} plait__matmul_row;

enum {
#define TILES(name, ...) PLAIT__MATMUL_##name,
#define BLOCKS(name, ...) PLAIT__MATMUL_##name,
#define GROUPS(name, ...) PLAIT__MATMUL_##name,
#define RUNS(name) PLAIT__MATMUL_##name,
#include "matmul_table.def"
#undef TILES
#undef BLOCKS
#undef GROUPS
#undef RUNS
    PLAIT__MATMUL_ROW_COUNT
};
extern const plait__matmul_row plait__matmul_rows[PLAIT__MATMUL_ROW_COUNT];

/* What the kernels call the parts of a dtype (the table at the head of cl/matmul_types.cl). */
typedef struct plait__matmul_type {
    plait_dtype dtype;
    const char *real, *stored;
    uint32_t real_bytes;
    bool complex;
    uint32_t lanes; /* reals a CPU vector holds */
} plait__matmul_type;

/* NULL for a dtype that products do not have. */
const plait__matmul_type *plait__matmul_type_of(plait_dtype dtype);

/* One operand as a matrix: element (i, j) is at offset + i * row + j * col. */
typedef struct plait__matmul_operand {
    int64_t offset, row, col;
} plait__matmul_operand;

typedef struct plait__matmul_launch {
    const plait__matmul_row *row;
    const char *kernel_name;
    int64_t n, k, m; /* m is 1 in the vector forms */
    int64_t part;    /* terms of k that one partial result takes, a multiple of 128; at least k: no parts */
    int64_t parts;   /* how many partial results */
    int lanes;       /* GROUPS: work-items that share a row, or results of a group */
    size_t global;   /* work-items */
    int64_t height;  /* BLOCKS: rows and columns of a block, in elements */
    int64_t width;
    size_t scratch; /* BLOCKS: bytes for the packed operands */
} plait__matmul_launch;

/*
 * c (n x m) = a (n x k) b (k x m), or for the vector forms y (n) = x (n x k) v (k), where x is input `matrix`, read by
 * rows (neighbours along k) or by columns (neighbours along n) that are `pitch` apart. If product.parts is above 1,
 * `sum` adds the partial results up.
 */
typedef struct plait__matmul_choice {
    plait__matmul_launch product;
    plait__matmul_launch sum;
    int matrix;
    bool columns;
    int64_t pitch;
    plait__matmul_operand in[2];
} plait__matmul_choice;

/* Operands of one dtype, with elements, in layouts that plait__matmul_accepts. */
void plait__matmul_choose(plait__matmul_choice *out, const plait__caps *caps, plait_dtype dtype,
                          const plait__operand operands[2]);

/* Whether the kernels read an operand of one or two dimensions where it lies. */
bool plait__matmul_accepts(const plait_dims *shape, const plait__layout *layout);

#endif
