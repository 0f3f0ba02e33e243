/*
 * Plait: the table of elementwise operations.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "op_table.h"

#include <stddef.h>

#define E(...) #__VA_ARGS__
#define NONE NULL
#define PLAIT_OP(name, arity, rule, b, i, u, f, c, since, doc)                                                         \
    {#name, "plait_" #name, arity, rule, {b, i, u, f, c}, since, doc},
const plait__op plait__ops[PLAIT__OP_COUNT] = {
#include "ops.def"
};
#undef PLAIT_OP
#undef E
#undef NONE

#define PLAIT_OP(name, arity, rule, b, i, u, f, c, since, doc)                                                         \
    _Static_assert((arity) >= 1 && (arity) <= 3, "ops.def: " #name " has one to three inputs");                        \
    _Static_assert((rule) != PLAIT__RULE_SELECT || (arity) == 3, "ops.def: " #name " selects between two inputs");
#include "ops.def"
#undef PLAIT_OP
