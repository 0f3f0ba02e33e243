/*
 * Plait: from a group to the text of its program - what all heads share.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "codegen.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "dtypes.h"

const char *plait__cl_type(plait_dtype dtype)
{
    return plait__dtype_info(dtype)->opencl;
}

static bool is_f64(plait_dtype dtype)
{
    return dtype == PLAIT_F64 || dtype == PLAIT_C128;
}

static plait_dtype real_dtype(plait_dtype dtype)
{
    return dtype == PLAIT_C64 ? PLAIT_F32 : dtype == PLAIT_C128 ? PLAIT_F64 : dtype;
}

void plait__cl_cast(plait__strbuf *s, plait_dtype to, plait_dtype from, const char *value)
{
    plait__class a = plait__dtype_class(from), b = plait__dtype_class(to);
    if (from == to) {
        plait__strbuf_add(s, value);
    } else if (b == PLAIT__CLASS_BOOL && a == PLAIT__CLASS_COMPLEX) {
        plait__strbuf_printf(s, "(uchar)(%s.x != 0 || %s.y != 0)", value, value);
    } else if (b == PLAIT__CLASS_BOOL) {
        plait__strbuf_printf(s, "(uchar)(%s != 0)", value);
    } else if (b == PLAIT__CLASS_COMPLEX && a == PLAIT__CLASS_COMPLEX) {
        plait__strbuf_printf(s, "convert_%s(%s)", plait__cl_type(to), value);
    } else if (b == PLAIT__CLASS_COMPLEX) {
        plait__strbuf_printf(s, "(%s)((%s)%s, 0)", plait__cl_type(to), plait__cl_type(real_dtype(to)), value);
    } else if (a == PLAIT__CLASS_FLOAT && (b == PLAIT__CLASS_INT || b == PLAIT__CLASS_UINT)) {
        plait__strbuf_printf(s, "plait_%s_to_%s(%s)", plait_dtype_name(from), plait__cl_type(to), value);
    } else {
        assert(a != PLAIT__CLASS_COMPLEX); /* builders refuse it */
        plait__strbuf_printf(s, "(%s)%s", plait__cl_type(to), value);
    }
}

/* ---- values ---- */

#define VALUE_TEXT 32

static const char *value_text(char out[VALUE_TEXT], const plait__group *g, int section, uint32_t value)
{
    const plait__instr *i = &g->section[section].instrs[value];
    const char *prefix = plait__cl_prefix(g, section);
    unsigned n = i->kind == PLAIT__INSTR_LEAF || i->kind == PLAIT__INSTR_NUMBER ? i->index : value;
    const char *letter = i->kind == PLAIT__INSTR_LEAF ? "a" : i->kind == PLAIT__INSTR_NUMBER ? "c" : "v";
    snprintf(out, VALUE_TEXT, "%s%s%u", prefix, letter, n);
    return out;
}

void plait__cl_value(plait__strbuf *s, const plait__group *g, int section, uint32_t value)
{
    char text[VALUE_TEXT];
    plait__strbuf_add(s, value_text(text, g, section, value));
}

static void add_arg(plait__strbuf *s, const plait__group *g, int section, uint32_t value, plait_dtype to)
{
    char text[VALUE_TEXT];
    plait_dtype from = (plait_dtype)g->section[section].instrs[value].dtype;
    plait__cl_cast(s, to, from, value_text(text, g, section, value));
}

/* ---- functions ---- */

static const char *const power_names[] = {"reciprocal", "root", "first", "second", "third"};

static void add_op_name(plait__strbuf *s, const plait__instr *i)
{
    const char *name = i->kind == PLAIT__INSTR_POWER ? power_names[i->power] : i->op->name;
    plait__strbuf_printf(s, "%s_%s", name, plait_dtype_name((plait_dtype)i->in_dtype));
}

static const char *unsigned_type(plait_dtype dtype)
{
    switch (plait_dtype_size(dtype)) {
    case 1:
        return "uchar";
    case 2:
        return "ushort";
    case 4:
        return "uint";
    default:
        return "ulong";
    }
}

/* TL(1.5) stands for a literal of the real type. */
static void add_expression(plait__strbuf *s, const char *text, plait_dtype dtype)
{
    const char *tl;
    while ((tl = strstr(text, "TL(")) != NULL) {
        const char *end = strchr(tl, ')');
        plait__strbuf_add_bytes(s, text, (size_t)(tl - text));
        plait__strbuf_add_bytes(s, tl + 3, (size_t)(end - tl - 3));
        plait__strbuf_add(s, is_f64(dtype) ? "" : "f");
        text = end + 1;
    }
    plait__strbuf_add(s, text);
}

static const char *power_text(const plait__instr *i)
{
    bool is_float = plait__dtype_class((plait_dtype)i->in_dtype) == PLAIT__CLASS_FLOAT;
    switch ((plait__power)i->power) {
    case PLAIT__POWER_MINUS_ONE:
        return "TL(1.0) / x";
    case PLAIT__POWER_HALF:
        return "sqrt(x)";
    case PLAIT__POWER_TWO:
        return is_float ? "x * x" : "(T)((U)x * (U)x)";
    case PLAIT__POWER_THREE:
        return is_float ? "x * x * x" : "(T)((U)x * (U)x * (U)x)";
    default:
        return "x";
    }
}

static void add_op_function(plait__strbuf *s, const plait__instr *i)
{
    static const char *const names[] = {"x", "y", "z"};
    plait_dtype dtype = (plait_dtype)i->in_dtype;
    bool logic = i->op->rule == PLAIT__RULE_LOGIC, select = i->op->rule == PLAIT__RULE_SELECT;
    const char *type = logic ? "int" : plait__cl_type(dtype);
    plait__strbuf_printf(s, "#define T %s\n#define U %s\n", type, unsigned_type(dtype));
    plait__strbuf_printf(s, "static inline %s ", plait__cl_type((plait_dtype)i->dtype));
    add_op_name(s, i);
    for (uint32_t k = 0; k < i->n_args; k++) {
        plait__strbuf_printf(s, "%sconst %s %s", k == 0 ? "(" : ", ", select && k == 0 ? "int" : type, names[k]);
    }
    plait__strbuf_add(s, ")\n{\n    return ");
    const char *text = i->kind == PLAIT__INSTR_POWER ? power_text(i) : i->op->expression[plait__dtype_class(dtype)];
    assert(text != NULL); /* builders refuse it */
    add_expression(s, text, dtype);
    plait__strbuf_add(s, ";\n}\n#undef T\n#undef U\n");
}

/* The user's text stands on a line of its own, which the compiler's messages then name. */
static void add_map_function(plait__strbuf *s, const plait__group *g, int section, uint32_t value)
{
    const plait__section *c = &g->section[section];
    const plait__instr *i = &c->instrs[value];
    plait__strbuf_printf(s, "static inline %s map_%s%u(", plait__cl_type((plait_dtype)i->dtype),
                         plait__cl_prefix(g, section), value);
    for (uint32_t k = 0; k < i->n_args; k++) {
        plait_dtype dtype = (plait_dtype)c->instrs[i->args[k]].dtype;
        plait__strbuf_printf(s, "%sconst %s %c", k == 0 ? "" : ", ", plait__cl_type(dtype), 'a' + (int)k);
    }
    /* A bool is 0 or 1, whatever the value's own type. */
    plait__strbuf_printf(s, ")\n{\n    return %s(\n#line 1 \"plait_map: ", i->dtype == PLAIT_BOOL ? "0 != " : "");
    for (const char *p = i->text; *p != 0; p++) {
        if (*p == '"' || *p == '\\') {
            plait__strbuf_add_char(s, '\\');
        }
        plait__strbuf_add_char(s, *p);
    }
    /* What is missing at its end is then missing on that line, too. */
    plait__strbuf_printf(s, "\"\n%s);\n#line 1 \"plait generated\"\n}\n", i->text);
}

static bool same_function(const plait__instr *a, const plait__instr *b)
{
    return a->kind == b->kind && a->in_dtype == b->in_dtype && a->op == b->op && a->power == b->power;
}

static void add_finish_function(plait__strbuf *s, const plait__instr *i)
{
    plait_dtype dtype = (plait_dtype)i->dtype;
    const char *type = plait__cl_type(dtype);
    plait__strbuf_printf(s, "static inline %s %s_%s(const %s x, const %s n)\n{\n    return %s;\n}\n", type,
                         i->reduction->name, plait_dtype_name(dtype), type, plait__cl_type(real_dtype(dtype)),
                         i->reduction->finish);
}

static bool group_uses_f64(const plait__group *g)
{
    for (int c = 0; c < 2; c++) {
        const plait__section *section = &g->section[c];
        for (uint32_t v = 0; v < section->n_instrs; v++) {
            if (is_f64((plait_dtype)section->instrs[v].dtype) || is_f64((plait_dtype)section->instrs[v].in_dtype)) {
                return true;
            }
        }
    }
    return false;
}

void plait__cl_functions(plait__strbuf *s, const plait__group *g)
{
    plait__strbuf_add(s, group_uses_f64(g) ? "#define PLAIT_F64\n" : "");
    plait__strbuf_add(s, "#include \"prelude.cl\"\n");
    for (int c = 1; c >= 0; c--) { /* users' first: no macro of ours is in their way */
        for (uint32_t v = 0; v < g->section[c].n_instrs; v++) {
            if (g->section[c].instrs[v].kind == PLAIT__INSTR_MAP) {
                add_map_function(s, g, c, v);
            }
        }
    }
    const plait__instr *written[PLAIT__GROUP_INSTRUCTIONS];
    uint32_t n = 0;
    for (int c = 1; c >= 0; c--) {
        for (uint32_t v = 0; v < g->section[c].n_instrs; v++) {
            const plait__instr *i = &g->section[c].instrs[v];
            if (i->kind != PLAIT__INSTR_OP && i->kind != PLAIT__INSTR_POWER && i->kind != PLAIT__INSTR_REDUCED) {
                continue;
            }
            uint32_t k = 0;
            while (k < n && !(same_function(written[k], i) &&
                              (i->kind != PLAIT__INSTR_REDUCED ||
                               (written[k]->reduction == i->reduction && written[k]->dtype == i->dtype)))) {
                k++;
            }
            if (k < n) {
                continue;
            }
            if (n < PLAIT__GROUP_INSTRUCTIONS) {
                written[n++] = i;
            }
            if (i->kind == PLAIT__INSTR_REDUCED) {
                add_finish_function(s, i);
            } else {
                add_op_function(s, i);
            }
        }
    }
}

/* ---- instructions ---- */

static void add_iota(plait__strbuf *s, const plait__group *g, int section, const plait__instr *i)
{
    plait_dtype dtype = (plait_dtype)i->dtype;
    const char *type = plait__cl_type(dtype);
    char start[VALUE_TEXT], index[VALUE_TEXT], step[VALUE_TEXT];
    value_text(start, g, section, i->args[0]);
    value_text(index, g, section, i->args[1]);
    value_text(step, g, section, i->args[2]);
    switch (plait__dtype_class(dtype)) {
    case PLAIT__CLASS_FLOAT:
        plait__strbuf_printf(s, "%s + (%s)%s * %s", start, type, index, step);
        break;
    case PLAIT__CLASS_COMPLEX:
        plait__strbuf_printf(s, "%s + (%s)%s * %s", start, plait__cl_type(real_dtype(dtype)), index, step);
        break;
    case PLAIT__CLASS_BOOL:
        plait__strbuf_printf(s, "(uchar)((%s + %s * %s) != 0)", start, index, step);
        break;
    default: {
        const char *u = unsigned_type(dtype);
        plait__strbuf_printf(s, "(%s)((%s)%s + (%s)%s * (%s)%s)", type, u, start, u, index, u, step);
        break;
    }
    }
}

static void add_instr(plait__strbuf *s, const plait__group *g, int section, uint32_t value)
{
    const plait__section *c = &g->section[section];
    const plait__instr *i = &c->instrs[value];
    if (i->kind == PLAIT__INSTR_LEAF || i->kind == PLAIT__INSTR_NUMBER) {
        return; /* arguments of the function */
    }
    plait_dtype dtype = (plait_dtype)i->dtype;
    plait__strbuf_printf(s, "    const %s ", plait__cl_type(dtype));
    plait__cl_value(s, g, section, value);
    plait__strbuf_add(s, " = ");
    switch ((plait__instr_kind)i->kind) {
    case PLAIT__INSTR_OP:
    case PLAIT__INSTR_POWER:
        add_op_name(s, i);
        for (uint32_t k = 0; k < i->n_args; k++) {
            plait__strbuf_add(s, k == 0 ? "(" : ", ");
            bool selects = i->op->rule == PLAIT__RULE_SELECT && k == 0;
            add_arg(s, g, section, i->args[k], selects ? PLAIT_BOOL : (plait_dtype)i->in_dtype);
        }
        plait__strbuf_add(s, ")");
        break;
    case PLAIT__INSTR_MAP:
        plait__strbuf_printf(s, "map_%s%u", plait__cl_prefix(g, section), value);
        for (uint32_t k = 0; k < i->n_args; k++) {
            plait__strbuf_add(s, k == 0 ? "(" : ", ");
            plait__cl_value(s, g, section, i->args[k]);
        }
        plait__strbuf_add(s, ")");
        break;
    case PLAIT__INSTR_CAST:
        add_arg(s, g, section, i->args[0], dtype);
        break;
    case PLAIT__INSTR_REDUCED: {
        char x[VALUE_TEXT], n[VALUE_TEXT] = "n";
        snprintf(x, sizeof x, "x%u", i->index);
        if (i->counts >= 0) {
            snprintf(n, sizeof n, "x%d", (int)i->counts);
        }
        plait__strbuf_printf(s, "%s_%s(", i->reduction->name, plait_dtype_name(dtype));
        plait__cl_cast(s, dtype, g->accumulators[i->index].dtype, x);
        plait__strbuf_printf(s, ", (%s)%s)", plait__cl_type(real_dtype(dtype)), n);
        break;
    }
    default:
        add_iota(s, g, section, i);
        break;
    }
    plait__strbuf_add(s, ";\n");
}

void plait__cl_instrs(plait__strbuf *s, const plait__group *g, int section)
{
    for (uint32_t v = 0; v < g->section[section].n_instrs; v++) {
        add_instr(s, g, section, v);
    }
}

/* ---- parameters, leaves, positions ---- */

static void add_param(plait__strbuf *s, const plait__group *g, const plait__kernel_param *p)
{
    const plait__section *c = &g->section[p->section];
    const char *t = plait__cl_prefix(g, p->section);
    switch ((plait__param_what)p->what) {
    case PLAIT__PARAM_LEAF:
        plait__strbuf_printf(s, "__global const %s *restrict %sb%u", plait__cl_type(c->leaves[p->index].dtype), t,
                             p->index);
        break;
    case PLAIT__PARAM_OFFSET:
        plait__strbuf_printf(s, "const I %sq%u", t, p->index);
        break;
    case PLAIT__PARAM_STRIDE:
        plait__strbuf_printf(s, "const I %ss%u_%d", t, p->index, p->dim);
        break;
    case PLAIT__PARAM_NUMBER:
        plait__strbuf_printf(s, "const %s %sc%u", plait__cl_type(c->numbers[p->index].dtype), t, p->index);
        break;
    case PLAIT__PARAM_OUTPUT: {
        plait_dtype dtype = (plait_dtype)c->instrs[g->outputs[p->index].value].dtype;
        plait__strbuf_printf(s, "__global %s *restrict r%u", plait__cl_type(dtype), p->index);
        break;
    }
    case PLAIT__PARAM_PARTIAL:
        plait__strbuf_printf(s, "__global P%u *restrict g%u", p->index, p->index);
        break;
    case PLAIT__PARAM_SIZE:
        plait__strbuf_printf(s, "const I d%d", p->dim);
        break;
    case PLAIT__PARAM_COUNT:
        plait__strbuf_add(s, g->kind == PLAIT__GROUP_REDUCE ? "const I n_out" : "const I n");
        break;
    case PLAIT__PARAM_TERMS:
        plait__strbuf_add(s, "const I n_red");
        break;
    case PLAIT__PARAM_PARTS:
        plait__strbuf_add(s, "const I parts");
        break;
    case PLAIT__PARAM_PART:
        plait__strbuf_add(s, "const I part");
        break;
    case PLAIT__PARAM_CHUNK:
        plait__strbuf_add(s, "const I chunk");
        break;
    case PLAIT__PARAM_FOLD:
        plait__strbuf_add(s, "const I fold");
        break;
    case PLAIT__PARAM_LANES:
        plait__strbuf_add(s, "const I lanes");
        break;
    case PLAIT__PARAM_LOCAL:
        plait__strbuf_printf(s, "__local P%u *local%u", p->index, p->index);
        break;
    }
}

void plait__cl_params(plait__strbuf *s, const plait__group *g, plait__skeleton skeleton, int kernel, const char *macro)
{
    size_t n = plait__group_params(g, skeleton, kernel, NULL);
    plait__arena arena = {0};
    plait__kernel_param *params = plait__arena_array(&arena, n, sizeof *params);
    if (params == NULL) {
        s->status = PLAIT_E_NO_MEMORY;
        return;
    }
    plait__group_params(g, skeleton, kernel, params);
    plait__strbuf_printf(s, "#define %s", macro);
    for (size_t k = 0; k < n; k++) {
        plait__strbuf_add(s, k == 0 ? " \\\n    " : ", \\\n    ");
        add_param(s, g, &params[k]);
    }
    plait__strbuf_add(s, "\n");
    plait__arena_free(&arena);
}

void plait__cl_leaves(plait__strbuf *s, const plait__group *g, int section, int vector)
{
    const plait__section *c = &g->section[section];
    bool reduce = g->kind == PLAIT__GROUP_REDUCE;
    int32_t inner = plait__group_inner_dim(g, section);
    char at = reduce ? 'f' : 'e';
    for (uint32_t l = 0; l < c->n_leaves; l++) {
        const plait__leaf *leaf = &c->leaves[l];
        const char *type = leaf->is_index ? "I" : plait__cl_type(leaf->dtype);
        plait__strbuf_printf(s, "#define L%u %s\n#define LOAD%u(k) ", l, type, l);
        if (leaf->is_index) {
            plait__strbuf_printf(s, "(%c%u", at, l);
        } else {
            plait__strbuf_printf(s, "b%u[%c%u", l, at, l);
        }
        if (leaf->stride == PLAIT__STRIDE_UNIT) {
            plait__strbuf_add(s, " + (k)");
        } else if (leaf->stride == PLAIT__STRIDE_ANY) {
            plait__strbuf_printf(s, " + (k) * s%u_%d", l, inner);
        }
        plait__strbuf_add(s, leaf->is_index ? ")\n" : "]\n");
        if (vector == 1) {
            plait__strbuf_printf(s, "#define LOAD4_%u(a, k) (a)[0] = LOAD%u(k);\n", l, l);
        } else if (leaf->stride == PLAIT__STRIDE_UNIT && !leaf->is_index) {
            plait__strbuf_printf(s, "#define LOAD4_%u(a, k) PLAIT_LOAD4(L%u, a, b%u + %c%u + (k))\n", l, l, l, at, l);
        } else {
            plait__strbuf_printf(
                s, "#define LOAD4_%u(a, k) for (int u_ = 0; u_ < V; u_++) { (a)[u_] = LOAD%u((k) + u_); }\n", l, l);
        }
    }
    plait__strbuf_add(s, "#define LEAVES(M)");
    for (uint32_t l = 0; l < c->n_leaves; l++) {
        plait__strbuf_printf(s, " M(%u)", l);
    }
    plait__strbuf_add(s, "\n");
}

void plait__cl_position(plait__strbuf *s, const plait__group *g, int section, const char *name, const char *from,
                        int32_t first, int32_t n, const char *number)
{
    const plait__section *c = &g->section[section];
    const char *t = plait__cl_prefix(g, section);
    bool moves = false;
    for (uint32_t l = 0; l < c->n_leaves; l++) {
        moves = moves || c->leaves[l].stride != PLAIT__STRIDE_SCALAR;
    }
    if (moves && n > 0) { /* coordinates, the innermost first; the outermost is what is left */
        plait__strbuf_printf(s, " \\\n    const I %sn%d = %s", name, first + n - 1, number);
        for (int32_t d = first + n - 1; d > first; d--) {
            plait__strbuf_printf(s, ", %sx%d = %sn%d %% d%d, %sn%d = %sn%d / d%d", name, d, name, d, d, name, d - 1,
                                 name, d, d);
        }
        plait__strbuf_printf(s, ", %sx%d = %sn%d;", name, first, name, first);
    }
    for (uint32_t l = 0; l < c->n_leaves; l++) {
        if (from == NULL) {
            plait__strbuf_printf(s, " \\\n    const I %s%u = %sq%u", name, l, t, l);
        } else {
            plait__strbuf_printf(s, " \\\n    const I %s%u = %s%u", name, l, from, l);
        }
        for (int32_t d = first; d < first + n && c->leaves[l].stride != PLAIT__STRIDE_SCALAR; d++) {
            plait__strbuf_printf(s, " + %sx%d * %ss%u_%d", name, d, t, l, d);
        }
        plait__strbuf_add(s, ";");
    }
}

plait_status plait__codegen(const plait__group *group, const plait__caps *caps, char **text)
{
    plait__strbuf s = {0};
    *text = NULL;
    if (group->kind == PLAIT__GROUP_REDUCE) {
        plait__codegen_reduce(&s, group, caps->skeleton);
    } else {
        assert(group->kind == PLAIT__GROUP_ELEMENTWISE);
        plait__codegen_elementwise(&s, group, caps->skeleton);
    }
    *text = plait__strbuf_take(&s);
    return *text != NULL ? PLAIT_OK : plait_last_status();
}
