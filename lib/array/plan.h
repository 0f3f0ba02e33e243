/*
 * A plan: which kernels compute the requested nodes, in which order.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 * schedule.c cuts the graph into groups, collapse.c chooses each group's dimensions and variant, structure.c names it
 * by its key, codegen*.c write its text, launch.c its arguments and sizes. All but the last are pure. After scheduling,
 * whatever generates text looks at the plan alone and never at a node: nodes may change while a program is built.
 */
#ifndef PLAIT__PLAN_H
#define PLAIT__PLAN_H

#include "arena.h"
#include "engine.h"
#include "hash.h"
#include "strbuf.h"

/* Above these a group is cut in two. */
#define PLAIT__GROUP_LEAVES 64
#define PLAIT__GROUP_INSTRUCTIONS 256
#define PLAIT__GROUP_ACCUMULATORS 16

/* A value that the plan writes to memory: in C order, at offset 0. */
typedef struct plait__store {
    plait_array *node; /* becomes ready with it; a reference until then; NULL: a contiguous copy for a family */
    plait_dtype dtype;
    plait_dims shape;
    plait__storage *storage; /* one reference, from the moment it is allocated until its last reader is enqueued */
    int32_t last_group;      /* position in the order of that reader (its writer, if there is none) */
} plait__store;

/* Where a group reads elements: a ready node's storage, or what an earlier group stores. */
typedef struct plait__source {
    plait_array *ready; /* or NULL */
    int32_t store;      /* index into plan->stores, or -1 */
} plait__source;

/* How a leaf moves along the innermost dimension; with SCALAR, along all. */
typedef enum plait__stride_class {
    PLAIT__STRIDE_SCALAR,
    PLAIT__STRIDE_ZERO,
    PLAIT__STRIDE_UNIT,
    PLAIT__STRIDE_ANY
} plait__stride_class;

typedef struct plait__leaf {
    plait__source source;
    plait_dtype dtype;
    bool is_index; /* not read from memory: the number of the element itself (of an IOTA) */
    plait__stride_class stride;
    plait__layout layout; /* by the section's dimensions: its space's, then the collapsed ones */
} plait__leaf;

typedef struct plait__number {
    plait_dtype dtype;
    plait__value value; /* of the class of the node it came from */
    plait_dtype from;
} plait__number;

typedef enum plait__instr_kind {
    PLAIT__INSTR_LEAF,   /* index: which leaf */
    PLAIT__INSTR_NUMBER, /* index: which number */
    PLAIT__INSTR_IOTA,   /* args: start, index, step */
    PLAIT__INSTR_OP,     /* op over args */
    PLAIT__INSTR_POWER,  /* args[0] to a power that is structure */
    PLAIT__INSTR_MAP,    /* text over args */
    PLAIT__INSTR_CAST,   /* args[0] */
    PLAIT__INSTR_REDUCED /* index: accumulator; reduction's finish; main section only */
} plait__instr_kind;

typedef enum plait__power {
    PLAIT__POWER_MINUS_ONE,
    PLAIT__POWER_HALF,
    PLAIT__POWER_ONE,
    PLAIT__POWER_TWO,
    PLAIT__POWER_THREE,
    PLAIT__POWER_NONE
} plait__power;

/* One value in static single assignment form. */
typedef struct plait__instr {
    uint8_t kind;
    uint8_t dtype;
    uint8_t in_dtype; /* OP, POWER: what the inputs are cast to (of SELECT all but the first) */
    uint8_t n_args;
    uint8_t power;
    uint32_t index;
    int32_t counts; /* REDUCED: the accumulator that counts the terms (with a mask), -1: all of them */
    const plait__op *op;
    const plait__reduction *reduction;
    const char *text;
    uint32_t *args; /* instructions of the same section */
} plait__instr;

/* A piece of code over one space. */
typedef struct plait__section {
    plait_dims space; /* before collapsing */
    plait_dims dims;  /* collapsed; a body's: the kept ones, then the reduced ones */
    plait__leaf *leaves;
    plait__number *numbers;
    plait__instr *instrs;
    uint32_t n_leaves, n_numbers, n_instrs;
} plait__section;

typedef struct plait__group_output {
    uint32_t value; /* instruction of the main section */
    int32_t store;
} plait__group_output;

/* What one pass over the input space gathers. */
typedef struct plait__accumulate {
    const plait__reduction *reduction;
    plait_dtype dtype; /* the accumulator's */
    uint32_t value;    /* instruction of the body */
    int32_t mask;      /* instruction of the body that says whether the element counts, -1: always */
} plait__accumulate;

/*
 * Sums of floats and complex numbers are kept as compensated pairs (cl/prelude.cl), everything else in the
 * accumulator's own type; partial results likewise. The bytes of one.
 */
static inline bool plait__has_pair(const plait__accumulate *a)
{
    plait__class class = plait__dtype_class(a->dtype);
    return a->reduction->accumulator == PLAIT__ACC_SUM &&
           (class == PLAIT__CLASS_FLOAT || class == PLAIT__CLASS_COMPLEX);
}

static inline size_t plait__pair_bytes(const plait__accumulate *a)
{
    return (plait__has_pair(a) ? 2 : 1) * plait_dtype_size(a->dtype);
}

typedef enum plait__group_kind {
    PLAIT__GROUP_ELEMENTWISE,
    PLAIT__GROUP_REDUCE, /* main is the tail: what happens to the reduced values */
    PLAIT__GROUP_FAMILY
} plait__group_kind;

enum { PLAIT__MAIN = 0, PLAIT__BODY = 1 };

typedef struct plait__family_input {
    plait__source source;
    plait_dtype dtype;
    plait_dims shape;
    plait__layout layout;
} plait__family_input;

typedef struct plait__group {
    plait__group_kind kind;
    int32_t level; /* groups run from the highest to 0: what a group reads has a higher level than the group */
    plait__section section[2];
    plait__group_output *outputs;
    uint32_t n_outputs;

    /* REDUCE */
    uint8_t axis_mask; /* of the body's space */
    plait__accumulate *accumulators;
    uint32_t n_accumulators;
    int32_t kept, reduced; /* how many of the body's collapsed dimensions are which */
    bool columns;          /* the innermost loop goes along the last kept dimension, not along the last reduced one */
    bool folded;           /* cpu skeleton: short rows behind each other are taken for long ones */

    /* variant */
    bool wide;  /* leaves may be read in vectors of 4 along the innermost dimension */
    bool large; /* 64-bit indices */
    bool tiled; /* cpu skeleton: goes in blocks through leaves that move in steps */

    /* FAMILY */
    plait_array *node; /* one reference */
    plait__family_input *inputs;
    uint32_t n_inputs;
    int32_t *stores; /* of its results: n_out of the node's, -1: not wanted by this plan */
    uint32_t n_results;
    struct plait__kernel_request *requests; /* of what lookup did not find */

    plait__hash128 key;
    plait_kernel *kernels[4]; /* borrowed, once looked up: PLAIT__KERNEL_...; of a family its own */
    uint32_t n_kernels;
    bool found;
} plait__group;

/* Kernels of a generated program: the main one, and the one that combines a reduction's partial results. */
enum { PLAIT__KERNEL_MAIN = 0, PLAIT__KERNEL_COMBINE = 1 };

/* A node that needs no kernel of its own: a view of something stored, or no elements at all (source of neither). */
typedef struct plait__alias {
    plait_array *node;
    plait__source source;
    plait__layout layout;
} plait__alias;

struct plait__plan {
    plait__arena arena;
    const plait__caps *caps;
    plait_array **requested; /* references */
    size_t n_requested;
    plait__store *stores;
    uint32_t n_stores;
    plait__group *groups; /* in the order in which they run */
    uint32_t n_groups;
    plait__alias *aliases;
    uint32_t n_aliases;
    plait_array **inlined; /* kept nodes that this plan inlines */
    uint32_t n_inlined;
};

/* schedule.c: fills a plan whose requested nodes and caps are set. */
plait_status plait__schedule(plait__plan *plan);

/* collapse.c: dimensions, strides and variant of a group whose leaves carry layouts by its spaces. */
void plait__group_collapse(plait__group *group, const plait__caps *caps);

/* structure.c: the key of a group's text: equal keys, equal text. */
void plait__group_key(plait__group *group, const plait__caps *caps);

static inline plait__section *plait__group_inner_section(plait__group *group)
{
    return &group->section[group->kind == PLAIT__GROUP_REDUCE ? PLAIT__BODY : PLAIT__MAIN];
}

#endif
