/*
 * Plait: the public functions of ops.def.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include <plait/ops.h>

#include "build.h"

#define PARAMETERS_1 plait_array *x
#define PARAMETERS_2 plait_array *x, plait_array *y
#define PARAMETERS_3 plait_array *x, plait_array *y, plait_array *z
#define INPUTS_1 x
#define INPUTS_2 x, y
#define INPUTS_3 x, y, z

#define PLAIT_OP(name, arity, rule, b, i, u, f, c, since, doc)                                                         \
    plait_array *plait_##name(PARAMETERS_##arity)                                                                      \
    {                                                                                                                  \
        return plait__build_op(&plait__ops[PLAIT__OP_##name], (plait_array *const[]){INPUTS_##arity});                 \
    }
#include "ops.def"
#undef PLAIT_OP
