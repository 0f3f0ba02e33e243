/*
 * Plait: the head that cl/elementwise.cl expects.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "codegen.h"

#include "tune.h"

void plait__codegen_elementwise(plait__strbuf *s, const plait__group *g, plait__skeleton skeleton)
{
    const plait__section *c = &g->section[PLAIT__MAIN];
    int32_t rank = c->dims.n;
    int vector = g->wide ? 4 : 1;
    plait__cl_functions(s, g);
    plait__strbuf_printf(s, "typedef %s I;\n#define RANK %d\n#define CPU %d\n#define V %d\n", g->large ? "long" : "int",
                         (int)rank, skeleton == PLAIT__SKELETON_CPU ? 1 : 0, vector);
    plait__strbuf_printf(s, "#define TILED %d\n", g->tiled ? 1 : 0);
    if (g->tiled) {
        plait__strbuf_printf(s, "#define TILE_ROWS %d\n#define TILE %d\n",
                             (int)plait__tuned(skeleton, PLAIT__TUNE_TILE_ROWS),
                             (int)plait__tuned(skeleton, PLAIT__TUNE_TILE));
    }
    if (rank > 1) {
        plait__strbuf_printf(s, "#define inner d%d\n", (int)(rank - 1));
    }
    for (uint32_t j = 0; j < g->n_outputs; j++) {
        plait__strbuf_printf(s, "#define R%u %s\n", j,
                             plait__cl_type((plait_dtype)c->instrs[g->outputs[j].value].dtype));
    }
    plait__strbuf_add(s, "#define OUTPUTS(M)");
    for (uint32_t j = 0; j < g->n_outputs; j++) {
        plait__strbuf_printf(s, " M(%u)", j);
    }
    plait__strbuf_add(s, "\n");
    plait__cl_leaves(s, g, PLAIT__MAIN, vector);

    plait__strbuf_add(s, "static inline void body(");
    for (uint32_t l = 0; l < c->n_leaves; l++) {
        plait__strbuf_printf(s, "const L%u a%u, ", l, l);
    }
    for (uint32_t k = 0; k < c->n_numbers; k++) {
        plait__strbuf_printf(s, "const %s c%u, ", plait__cl_type(c->numbers[k].dtype), k);
    }
    for (uint32_t j = 0; j < g->n_outputs; j++) {
        plait__strbuf_printf(s, "%sR%u *y%u", j == 0 ? "" : ", ", j, j);
    }
    plait__strbuf_add(s, ")\n{\n");
    plait__cl_instrs(s, g, PLAIT__MAIN);
    for (uint32_t j = 0; j < g->n_outputs; j++) {
        plait__strbuf_printf(s, "    *y%u = ", j);
        plait__cl_value(s, g, PLAIT__MAIN, g->outputs[j].value);
        plait__strbuf_add(s, ";\n");
    }
    plait__strbuf_add(s, "}\n#define BODY(s) body(");
    for (uint32_t l = 0; l < c->n_leaves; l++) {
        plait__strbuf_printf(s, "a%u s, ", l);
    }
    for (uint32_t k = 0; k < c->n_numbers; k++) {
        plait__strbuf_printf(s, "c%u, ", k);
    }
    for (uint32_t j = 0; j < g->n_outputs; j++) {
        plait__strbuf_printf(s, "%s&(y%u s)", j == 0 ? "" : ", ", j);
    }
    plait__strbuf_add(s, ")\n#define ROW(row)");
    plait__cl_position(s, g, PLAIT__MAIN, "e", NULL, 0, rank - 1, "(row)");
    plait__strbuf_add(s, "\n");
    plait__cl_params(s, g, skeleton, PLAIT__KERNEL_MAIN, "PARAMETERS");
    plait__strbuf_add(s, "#include \"elementwise.cl\"\n");
}
