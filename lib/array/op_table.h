/*
 * The table of elementwise operations, one row each in ops.def.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#ifndef PLAIT__OP_TABLE_H
#define PLAIT__OP_TABLE_H

#include <plait/dtype.h>

/* What an expression computes in. */
typedef enum plait__class {
    PLAIT__CLASS_BOOL,
    PLAIT__CLASS_INT, /* signed */
    PLAIT__CLASS_UINT,
    PLAIT__CLASS_FLOAT,
    PLAIT__CLASS_COMPLEX,
    PLAIT__CLASS_COUNT
} plait__class;

/* Which dtypes go in and out, after promotion of the inputs to their common dtype P. */
typedef enum plait__dtype_rule {
    PLAIT__RULE_SAME,    /* in P, out P */
    PLAIT__RULE_FLOAT,   /* in P, integers and bool made the context's real dtype; out the same */
    PLAIT__RULE_COMPARE, /* in P, out bool */
    PLAIT__RULE_LOGIC,   /* in bool, out bool */
    PLAIT__RULE_REAL,    /* in P; out P, of complex the real dtype (abs, real, imag) */
    PLAIT__RULE_SELECT   /* first input bool, the others P; out P (where) */
} plait__dtype_rule;

/*
 * An expression is OpenCL C over x, y, z of the compute type T of P's class (for SELECT x is an int, 0 or 1, whatever
 * T is). It may use
 *
 *     T, U            the compute type, and for integers the unsigned type of its size
 *     TL(1.5)         a literal of T's real type
 *     RE(x), IM(x)    the parts of a complex x
 *     + - on complex, ?: on everything, OpenCL's max, min, fabs, sqrt, exp, log, pow, isnan
 *     plait_...       the functions of cl/prelude.cl
 *
 * Its value is converted to the node's dtype. In the bool class T is int and every input 0 or 1; LOGIC rows have that
 * class alone, because their inputs are converted to bool.
 */
typedef struct plait__op {
    const char *name;     /* "add" */
    const char *function; /* "plait_add" */
    uint8_t arity;        /* 1 to 3 */
    plait__dtype_rule rule;
    const char *expression[PLAIT__CLASS_COUNT]; /* by class of P; NULL: not defined for it */
    const char *since;
    const char *doc; /* one line for the header, in NumPy's terms */
} plait__op;

/* The rows, in ops.def's order; PLAIT__OP_add and so on are indices. */
enum {
#define PLAIT_OP(name, arity, rule, b, i, u, f, c, since, doc) PLAIT__OP_##name,
#include "ops.def"
#undef PLAIT_OP
    PLAIT__OP_COUNT
};
extern const plait__op plait__ops[PLAIT__OP_COUNT];

/* Of a value that is no dtype: PLAIT__CLASS_COUNT. */
plait__class plait__dtype_class(plait_dtype dtype);

#endif
