/*
 * From a group to the text of its program. Pure: no node, no device, no lock.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 * A text is a head - types, functions and macros that this expression needs - followed by the template of its family
 * (cl/elementwise.cl, cl/reduce.cl), which says what it expects of the head.
 */
#ifndef PLAIT__CODEGEN_H
#define PLAIT__CODEGEN_H

#include "params.h"

/* The text of a generated group (no family's), freed with free(). */
plait_status plait__codegen(const plait__group *group, const plait__caps *caps, char **text);

/* ---- shared by the files that write heads ---- */

const char *plait__cl_type(plait_dtype dtype);
/* `value`, of dtype `from`, converted to `to`, as plait_astype does. */
void plait__cl_cast(plait__strbuf *s, plait_dtype to, plait_dtype from, const char *value);

/* "t" before the names of a reduction's main section, "" elsewhere. */
static inline const char *plait__cl_prefix(const plait__group *group, int section)
{
    return group->kind == PLAIT__GROUP_REDUCE && section == PLAIT__MAIN ? "t" : "";
}

/* Extensions, users' expressions, and the functions that the group's instructions call. */
void plait__cl_functions(plait__strbuf *s, const plait__group *group);
/* The type of a kernel's parameters and the macro that lists them. */
void plait__cl_params(plait__strbuf *s, const plait__group *group, plait__skeleton skeleton, int kernel,
                      const char *macro);
/* The instructions of a section as the inside of a function, and the name of a value in it. */
void plait__cl_instrs(plait__strbuf *s, const plait__group *group, int section);
void plait__cl_value(plait__strbuf *s, const plait__group *group, int section, uint32_t value);
/* Leaf macros of a section: types, LOAD and, for the inner section, LOAD4. */
void plait__cl_leaves(plait__strbuf *s, const plait__group *group, int section, int vector);
/*
 * Statements that declare `name`<l> for every leaf: `from`<l> (or the parameter q<l> if from is NULL) and the strides
 * of dimensions first..first+n times the coordinates of the number `number` among them, the sizes' parameters being
 * d<i>.
 */
void plait__cl_position(plait__strbuf *s, const plait__group *group, int section, const char *name, const char *from,
                        int32_t first, int32_t n, const char *number);

void plait__codegen_elementwise(plait__strbuf *s, const plait__group *group, plait__skeleton skeleton);
void plait__codegen_reduce(plait__strbuf *s, const plait__group *group, plait__skeleton skeleton);

#endif
