/*
 * The table of reductions, one row each in reductions.def.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#ifndef PLAIT__REDUCTION_TABLE_H
#define PLAIT__REDUCTION_TABLE_H

#include <plait/dtype.h>

/* What a reduction accumulates in. */
typedef enum plait__accumulator {
    PLAIT__ACC_SAME, /* the input's dtype: min, max */
    PLAIT__ACC_SUM,  /* integers and bool i64 (unsigned ones u64 as soon as arrays have that); floats and complex:
                        blocks of at most 128 terms, whose sums move into a compensated pair (see cl/reduce.cl) */
} plait__accumulator;

typedef enum plait__result_rule {
    PLAIT__RESULT_ACC, /* dtype of the accumulator: sum (integers in 64 bits), min, max */
    PLAIT__RESULT_REAL /* floats and complex keep theirs, integers and bool give the context's real dtype: mean */
} plait__result_rule;

typedef struct plait__reduction {
    const char *name; /* "sum": the function is plait_sum */
    plait__accumulator accumulator;
    plait__result_rule result;
    bool has_identity; /* empty input gives the identity; without one it is PLAIT_E_SHAPE */
    bool complex_ok;
    const char *identity; /* OpenCL C of type A (the accumulator's); what an element counts as that a mask leaves out */
    const char *combine;  /* OpenCL C over x, y of type A */
    const char *finish;   /* OpenCL C over x (of the result's type R) and n (of R's real type, the count) */
    const char *since;
    const char *doc;
} plait__reduction;

enum {
#define PLAIT_REDUCTION(name, acc, result, has_identity, complex_ok, identity, combine, finish, since, doc)            \
    PLAIT__REDUCTION_##name,
#include "reductions.def"
#undef PLAIT_REDUCTION
    PLAIT__REDUCTION_COUNT
};
extern const plait__reduction plait__reductions[PLAIT__REDUCTION_COUNT];

/* The dtype it accumulates in, and that of its result, for input of a dtype that arrays have; `real`: the context's. */
plait_dtype plait__reduction_accumulator(const plait__reduction *reduction, plait_dtype in);
plait_dtype plait__reduction_result(const plait__reduction *reduction, plait_dtype in, plait_dtype real);

#endif
