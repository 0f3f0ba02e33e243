/*
 * Writes the public headers that come from the array layer's tables: ops.h from ops.def, reduce.h from reductions.def.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 *     gen_api ops > include/plait/ops.h
 *     gen_api reduce > include/plait/reduce.h
 *
 * The headers are checked in, so that a reader finds them where the others are; a test compares them with this
 * program's output.
 */
#include <stdio.h>
#include <string.h>

#include "op_table.h"
#include "reduction_table.h"

static const char head[] = " * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0\n"
                           " *\n"
                           " * Written by gen_api from lib/array/%s; a change is made there.\n"
                           " *\n";

static const char ops_intro[] =
    " * Builders, all of one kind: plait_add(x, y) records x + y, element by element, and computes nothing.\n"
    " *\n"
    " * Shapes. Operands are broadcast by NumPy's rule: aligned at the last axis, a size of 1 stretches.\n"
    " *\n"
    " * Dtypes. `common` is the dtype that the operands are promoted to: within integers and within floats the wider\n"
    " * one (u8 with i32: i32), bool with anything the other, an integer with a float the float, anything real with\n"
    " * c64 c64; f64 with c64 is PLAIT_E_DTYPE, because arrays have no c128 yet. Numbers (plait_num, plait_int,\n"
    " * plait_complex) are weak: they take the arrays' dtype where that can hold their kind; otherwise a float number\n"
    " * gives the default real dtype, a complex one c64, an integer (with bool) i64. `real` stands for the\n"
    " * context's default real dtype where common is bool or an integer, else for common.\n"
    " *\n"
    " * Operands of numbers alone give a number, computed at once in i64, f64 or a pair of f64.\n"
    " *\n"
    " * Errors, at the call: PLAIT_E_SHAPE with both shapes, PLAIT_E_DTYPE, PLAIT_E_RANGE (an integer number that\n"
    " * the other operand's dtype cannot hold), PLAIT_E_CONTEXT with both devices, PLAIT_E_UNSUPPORTED (f64 on a\n"
    " * device without it), PLAIT_E_CLOSED, PLAIT_E_NO_MEMORY; a NULL operand gives NULL.\n"
    " *\n"
    " * Rounding. Every operation rounds to its result's dtype, fused or not; the bits are the same either way. + - *\n"
    " * are correctly rounded, / and sqrt where the device does so, else within 2.5 and 3 ulp; pow is within 16 ulp,\n"
    " * exp and log within 3 (f64: 3; on a device without denormals results below the normal range may be 0).\n"
    " */\n";

static const char *const rule_text[] = {
    [PLAIT__RULE_SAME] = "the result has the common dtype",
    [PLAIT__RULE_FLOAT] = "computed in real, which is the result's dtype",
    [PLAIT__RULE_COMPARE] = "compared in the common dtype; the result is bool",
    [PLAIT__RULE_LOGIC] = "anything but zero is true; the result is bool",
    [PLAIT__RULE_REAL] = "the result has the dtype of x, of c64 f32",
    [PLAIT__RULE_SELECT] = "x is taken as a truth value; the result has the common dtype of y and z",
};

/* "For integers and floats; ", or nothing where an operation is defined for every dtype. */
static void put_accepted(const plait__op *op)
{
    static const char *const class_names[] = {[PLAIT__CLASS_BOOL] = "bool",
                                              [PLAIT__CLASS_INT] = "integers",
                                              [PLAIT__CLASS_FLOAT] = "floats",
                                              [PLAIT__CLASS_COMPLEX] = "complex"};
    static const plait__class order[] = {PLAIT__CLASS_BOOL, PLAIT__CLASS_INT, PLAIT__CLASS_FLOAT, PLAIT__CLASS_COMPLEX};
    const char *accepted[4];
    size_t n = 0;
    for (size_t i = 0; i < 4; i++) {
        /* These rules convert the operands before the expression sees them. */
        bool converted =
            op->rule == PLAIT__RULE_LOGIC || (op->rule == PLAIT__RULE_FLOAT && order[i] <= PLAIT__CLASS_INT);
        if (op->expression[order[i]] != NULL || converted) {
            accepted[n++] = class_names[order[i]];
        }
    }
    if (n == 4) {
        return;
    }
    printf("for ");
    for (size_t i = 0; i < n; i++) {
        printf("%s%s", i == 0 ? "" : i + 1 < n ? ", " : " and ", accepted[i]);
    }
    printf("; ");
}

static void put_ops(void)
{
    printf("/*\n * Plait: arithmetic, element by element.\n");
    printf(head, "ops.def");
    fputs(ops_intro, stdout);
    printf("#ifndef PLAIT_OPS_H\n#define PLAIT_OPS_H\n\n#include <plait/array.h>\n\nPLAIT_BEGIN\n");
    for (size_t i = 0; i < PLAIT__OP_COUNT; i++) {
        const plait__op *op = &plait__ops[i];
        printf("\n/*\n * %s.\n * Dtypes: ", op->doc);
        put_accepted(op);
        printf("%s. Since %s.\n */\n", rule_text[op->rule], op->since);
        printf("PLAIT_API plait_array *plait_%s(plait_array *x%s%s);\n", op->name,
               op->arity >= 2 ? ", plait_array *y" : "", op->arity >= 3 ? ", plait_array *z" : "");
    }
    printf("\nPLAIT_END\n\n#endif\n");
}

static const char reduce_intro[] =
    " * Builders with three forms each:\n"
    " *\n"
    " *     plait_array *total = plait_sum(a);                   // over all axes: a 0-d array\n"
    " *     plait_array *rows = plait_sum_axis(a, -1);           // over one axis, which disappears\n"
    " *     plait_reduce_opts o = PLAIT_REDUCE_OPTS;\n"
    " *     o.axes = PLAIT_AXES(0, 2);\n"
    " *     o.keepdims = true;                                   // reduced axes stay, with size 1\n"
    " *     plait_array *some = plait_sum_opt(a, mask, &o);      // only where mask is true\n"
    " *\n"
    " * The expression that feeds a reduction is computed inside its kernel: "
    "plait_mean(plait_square(plait_subtract(x,\n"
    " * y))) reads x and y once and writes one number.\n"
    " *\n"
    " * Float sums and means are within (128 + log2 n) eps sum|a| of the exact one for every n, and give the same "
    "bits\n"
    " * on every run of the same expression and layouts.\n"
    " *\n"
    " * Masks. `mask` is a bool array that broadcasts to a's shape, or PLAIT_NONE. Elements where it is false do not\n"
    " * count, not even as NaN; where it leaves nothing, sum gives 0, mean NaN, min the largest value of the dtype "
    "and\n"
    " * max the smallest (inf and -inf for floats).\n"
    " *\n"
    " * Errors, at the call: PLAIT_E_ARGUMENT for a number (plait_num: it has no axes), PLAIT_E_AXIS (out of range or "
    "repeated), PLAIT_E_SHAPE (min, max of nothing; a mask that\n"
    " * does not broadcast), PLAIT_E_DTYPE, PLAIT_E_ARGUMENT (opts->size 0), PLAIT_E_CONTEXT, PLAIT_E_UNSUPPORTED,\n"
    " * PLAIT_E_CLOSED, PLAIT_E_NO_MEMORY; a NULL array or mask gives NULL.\n"
    " */\n";

static const char reduce_opts[] =
    "typedef struct plait_reduce_opts {\n"
    "    size_t size;       /* set by PLAIT_REDUCE_OPTS */\n"
    "    plait_dims axes;   /* default all; negative ones count from the end; PLAIT_NO_AXES: none is reduced */\n"
    "    bool keepdims;     /* reduced axes stay in the shape, with size 1 */\n"
    "    plait_dtype dtype; /* the elements are converted to it first, as by plait_astype, and the result has it */\n"
    "} plait_reduce_opts;\n"
    "\n"
    "#define PLAIT_REDUCE_OPTS PLAIT_OPTS_(plait_reduce_opts)\n"
    "PLAIT_API void plait_reduce_opts_init(plait_reduce_opts *opts);\n";

static void put_reductions(void)
{
    printf("/*\n * Plait: reductions.\n");
    printf(head, "reductions.def");
    fputs(reduce_intro, stdout);
    printf("#ifndef PLAIT_REDUCE_H\n#define PLAIT_REDUCE_H\n\n#include <plait/array.h>\n\nPLAIT_BEGIN\n\n");
    fputs(reduce_opts, stdout);
    for (size_t i = 0; i < PLAIT__REDUCTION_COUNT; i++) {
        const plait__reduction *r = &plait__reductions[i];
        printf("\n/*\n * %s.\n * Dtypes: %s; %s. Since %s.\n */\n", r->doc, r->complex_ok ? "all" : "not for complex",
               r->result == PLAIT__RESULT_REAL    ? "of integers and bool the context's default real dtype, else a's"
               : r->accumulator == PLAIT__ACC_SUM ? "of integers and bool i64, else a's"
                                                  : "the result has a's",
               r->since);
        printf("PLAIT_API plait_array *plait_%s(plait_array *a);\n", r->name);
        printf("PLAIT_API plait_array *plait_%s_axis(plait_array *a, int axis);\n", r->name);
        /* The last form is long for some names: broken as clang-format would. */
        char line[200];
        snprintf(line, sizeof line, "PLAIT_API plait_array *plait_%s_opt(plait_array *a, plait_array *mask, ", r->name);
        printf("%sconst plait_reduce_opts *opts);\n", line);
    }
    printf("\nPLAIT_END\n\n#endif\n");
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "ops") == 0) {
        put_ops();
    } else if (argc == 2 && strcmp(argv[1], "reduce") == 0) {
        put_reductions();
    } else {
        fprintf(stderr, "usage: gen_api ops|reduce > header\n");
        return 2;
    }
    return fflush(stdout) == 0 && ferror(stdout) == 0 ? 0 : 1;
}
