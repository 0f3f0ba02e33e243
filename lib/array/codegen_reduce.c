/*
 * Plait: the head that cl/reduce.cl expects.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "codegen.h"

#include "tune.h"

static const char *pair_type(const plait__accumulate *a)
{
    if (!plait__has_pair(a)) {
        return plait__cl_type(a->dtype);
    }
    switch (a->dtype) {
    case PLAIT_F32:
        return "float2";
    case PLAIT_F64:
        return "double2";
    case PLAIT_C64:
        return "float4";
    default:
        return "double4";
    }
}

/* What A_ZERO, A_MIN and A_MAX stand for: the least and the greatest value of the type. */
static void add_limits(plait__strbuf *s, plait_dtype dtype)
{
    static const struct {
        plait_dtype dtype;
        const char *min, *max;
    } limits[] = {
        {PLAIT_BOOL, "0", "1"},
        {PLAIT_I8, "CHAR_MIN", "CHAR_MAX"},
        {PLAIT_I16, "SHRT_MIN", "SHRT_MAX"},
        {PLAIT_I32, "INT_MIN", "INT_MAX"},
        {PLAIT_I64, "LONG_MIN", "LONG_MAX"},
        {PLAIT_U8, "0", "UCHAR_MAX"},
        {PLAIT_U16, "0", "USHRT_MAX"},
        {PLAIT_U32, "0", "UINT_MAX"},
        {PLAIT_U64, "0", "ULONG_MAX"},
        {PLAIT_F32, "-INFINITY", "INFINITY"},
        {PLAIT_F64, "-INFINITY", "INFINITY"},
    };
    const char *type = plait__cl_type(dtype);
    plait__strbuf_printf(s, "#define T %s\n#define A_ZERO ((%s)(0))\n", type, type);
    for (size_t k = 0; k < sizeof limits / sizeof limits[0]; k++) {
        if (limits[k].dtype == dtype) {
            plait__strbuf_printf(s, "#define A_MIN ((%s)%s)\n#define A_MAX ((%s)%s)\n", type, limits[k].min, type,
                                 limits[k].max);
        }
    }
    bool is_float = plait__dtype_class(dtype) == PLAIT__CLASS_FLOAT;
    plait__strbuf_printf(s, "#define A_MINIMUM(x, y) %s(x, y)\n#define A_MAXIMUM(x, y) %s(x, y)\n",
                         is_float ? "plait_fminimum" : "min", is_float ? "plait_fmaximum" : "max");
}

static void add_accumulator(plait__strbuf *s, const plait__group *g, uint32_t k)
{
    const plait__accumulate *a = &g->accumulators[k];
    const char *type = plait__cl_type(a->dtype);
    plait__strbuf_printf(s, "#define A%u %s\n#define P%u %s\n", k, type, k, pair_type(a));
    add_limits(s, a->dtype);
    plait__strbuf_printf(s, "static inline A%u none%u(void)\n{\n    return %s;\n}\n", k, k, a->reduction->identity);
    plait__strbuf_printf(s, "static inline A%u join%u(const A%u x, const A%u y)\n{\n    return %s;\n}\n", k, k, k, k,
                         a->reduction->combine);
    plait__strbuf_add(s, "#undef T\n#undef A_ZERO\n#undef A_MIN\n#undef A_MAX\n#undef A_MINIMUM\n#undef A_MAXIMUM\n");
    if (plait__has_pair(a)) {
        plait__strbuf_printf(s,
                             "#define empty%u() ((P%u)(0))\n#define add%u plait_pair_add_%s\n"
                             "#define merge%u plait_pair_merge_%s\n#define value%u plait_pair_value_%s\n",
                             k, k, k, type, k, type, k, type);
    } else {
        plait__strbuf_printf(
            s, "#define empty%u none%u\n#define add%u join%u\n#define merge%u join%u\n#define value%u(p) (p)\n", k, k,
            k, k, k, k, k);
    }
}

static void add_arguments(plait__strbuf *s, const plait__section *c, const char *t, bool declare, const char *suffix)
{
    for (uint32_t l = 0; l < c->n_leaves; l++) {
        const plait__leaf *leaf = &c->leaves[l];
        if (declare) {
            plait__strbuf_printf(s, "const %s %sa%u, ", leaf->is_index ? "I" : plait__cl_type(leaf->dtype), t, l);
        } else {
            plait__strbuf_printf(s, "%sa%u%s, ", t, l, suffix);
        }
    }
    for (uint32_t k = 0; k < c->n_numbers; k++) {
        if (declare) {
            plait__strbuf_printf(s, "const %s %sc%u, ", plait__cl_type(c->numbers[k].dtype), t, k);
        } else {
            plait__strbuf_printf(s, "%sc%u, ", t, k);
        }
    }
}

/* From the leaves to the values that are gathered. */
static void add_body(plait__strbuf *s, const plait__group *g)
{
    const plait__section *c = &g->section[PLAIT__BODY];
    plait__strbuf_add(s, "static inline void body(");
    add_arguments(s, c, "", true, "");
    for (uint32_t k = 0; k < g->n_accumulators; k++) {
        plait__strbuf_printf(s, "%sA%u *y%u", k == 0 ? "" : ", ", k, k);
    }
    plait__strbuf_add(s, ")\n{\n");
    plait__cl_instrs(s, g, PLAIT__BODY);
    for (uint32_t k = 0; k < g->n_accumulators; k++) {
        const plait__accumulate *a = &g->accumulators[k];
        plait__strbuf value = {0};
        plait__cl_value(&value, g, PLAIT__BODY, a->value);
        plait__strbuf_printf(s, "    *y%u = ", k);
        if (a->mask >= 0) {
            plait__cl_value(s, g, PLAIT__BODY, (uint32_t)a->mask);
            plait__strbuf_add(s, " ? ");
        }
        plait__cl_cast(s, a->dtype, (plait_dtype)c->instrs[a->value].dtype, plait__strbuf_text(&value));
        if (a->mask >= 0) {
            plait__strbuf_printf(s, " : none%u()", k);
        }
        plait__strbuf_add(s, ";\n");
        plait__strbuf_free(&value);
    }
    plait__strbuf_add(s, "}\n#define BODY(s) body(");
    add_arguments(s, c, "", false, " s");
    for (uint32_t k = 0; k < g->n_accumulators; k++) {
        plait__strbuf_printf(s, "%s&(y%u s)", k == 0 ? "" : ", ", k);
    }
    plait__strbuf_add(s, ")\n");
}

/* From the gathered values to what is written. */
static void add_tail(plait__strbuf *s, const plait__group *g)
{
    const plait__section *c = &g->section[PLAIT__MAIN];
    plait__strbuf_add(s, "static inline void tail(");
    add_arguments(s, c, "t", true, "");
    for (uint32_t k = 0; k < g->n_accumulators; k++) {
        plait__strbuf_printf(s, "const A%u x%u, ", k, k);
    }
    plait__strbuf_add(s, "const I n");
    for (uint32_t j = 0; j < g->n_outputs; j++) {
        plait__strbuf_printf(s, ", R%u *y%u", j, j);
    }
    plait__strbuf_add(s, ")\n{\n");
    plait__cl_instrs(s, g, PLAIT__MAIN);
    for (uint32_t j = 0; j < g->n_outputs; j++) {
        plait__strbuf_printf(s, "    *y%u = ", j);
        plait__cl_value(s, g, PLAIT__MAIN, g->outputs[j].value);
        plait__strbuf_add(s, ";\n");
    }
    plait__strbuf_add(s, "}\n#define FINISH(o, s) \\\n    {");
    plait__cl_position(s, g, PLAIT__MAIN, "te", NULL, 0, g->kept, "(o)");
    for (uint32_t l = 0; l < c->n_leaves; l++) {
        const plait__leaf *leaf = &c->leaves[l];
        if (leaf->is_index) {
            plait__strbuf_printf(s, " \\\n    const I ta%u = te%u;", l, l);
        } else {
            plait__strbuf_printf(s, " \\\n    const %s ta%u = tb%u[te%u];", plait__cl_type(leaf->dtype), l, l, l);
        }
    }
    for (uint32_t j = 0; j < g->n_outputs; j++) {
        plait__strbuf_printf(s, " \\\n    R%u z%u;", j, j);
    }
    plait__strbuf_add(s, " \\\n    tail(");
    add_arguments(s, c, "t", false, "");
    for (uint32_t k = 0; k < g->n_accumulators; k++) {
        plait__strbuf_printf(s, "value%u(h%u s), ", k, k);
    }
    plait__strbuf_add(s, "n_red");
    for (uint32_t j = 0; j < g->n_outputs; j++) {
        plait__strbuf_printf(s, ", &z%u", j);
    }
    plait__strbuf_add(s, ");");
    for (uint32_t j = 0; j < g->n_outputs; j++) {
        plait__strbuf_printf(s, " \\\n    r%u[o] = z%u;", j, j);
    }
    plait__strbuf_add(s, " \\\n    }\n");
}

void plait__codegen_reduce(plait__strbuf *s, const plait__group *g, plait__skeleton skeleton)
{
    int vector = g->wide ? 4 : 1;
    int last = (int)(g->kept + g->reduced - 1);
    plait__cl_functions(s, g);
    plait__strbuf_printf(s, "typedef %s I;\n#define CPU %d\n#define COLUMNS %d\n#define KEPT %d\n#define REDUCED %d\n",
                         g->large ? "long" : "int", skeleton == PLAIT__SKELETON_CPU ? 1 : 0, g->columns ? 1 : 0,
                         (int)g->kept, (int)g->reduced);
    plait__strbuf_printf(s, "#define V %d\n#define LANES %d\n#define BLOCK %d\n#define TILE %d\n#define FOLDED %d\n",
                         vector, (int)plait__tuned(skeleton, PLAIT__TUNE_LANES),
                         (int)plait__tuned(skeleton, PLAIT__TUNE_BLOCK),
                         (int)plait__tuned(skeleton, PLAIT__TUNE_COLUMNS), g->folded ? 1 : 0);
    if (g->reduced > 1 && !g->columns) {
        plait__strbuf_printf(s, "#define inner d%d\n", last);
    }
    if (g->columns && g->kept > 1) {
        plait__strbuf_printf(s, "#define width d%d\n", (int)g->kept - 1);
    } else if (g->columns) {
        plait__strbuf_add(s, "#define width n_out\n");
    }
    plait__strbuf_add(s, "#define EACH(M)");
    for (uint32_t k = 0; k < g->n_accumulators; k++) {
        plait__strbuf_printf(s, " M(%u)", k);
    }
    plait__strbuf_add(s, "\n");
    for (uint32_t k = 0; k < g->n_accumulators; k++) {
        add_accumulator(s, g, k);
    }
    for (uint32_t j = 0; j < g->n_outputs; j++) {
        plait_dtype dtype = (plait_dtype)g->section[PLAIT__MAIN].instrs[g->outputs[j].value].dtype;
        plait__strbuf_printf(s, "#define R%u %s\n", j, plait__cl_type(dtype));
    }
    plait__cl_leaves(s, g, PLAIT__BODY, vector);
    add_body(s, g);
    add_tail(s, g);
    plait__strbuf_add(s, "#define OUTPUT(o)");
    plait__cl_position(s, g, PLAIT__BODY, "e", NULL, 0, g->columns ? g->kept - 1 : g->kept,
                       g->columns ? "(o) / width" : "(o)");
    plait__strbuf_add(s, "\n#define AT(r)");
    if (g->columns) {
        plait__cl_position(s, g, PLAIT__BODY, "f", "e", g->kept, g->reduced, "(r)");
    } else {
        plait__cl_position(s, g, PLAIT__BODY, "f", "e", g->kept, g->reduced - 1, "(r) / inner");
    }
    plait__strbuf_add(s, "\n");
    plait__cl_params(s, g, skeleton, PLAIT__KERNEL_MAIN, "PARAMETERS");
    plait__cl_params(s, g, skeleton, PLAIT__KERNEL_COMBINE, "COMBINE_PARAMETERS");
    plait__strbuf_add(s, "#include \"reduce.cl\"\n");
}
