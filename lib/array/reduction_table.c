/*
 * Plait: the table of reductions.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "reduction_table.h"

#define PLAIT_REDUCTION(name, acc, result, has_identity, complex_ok, identity, combine, finish, since, doc)            \
    {#name, acc, result, has_identity, complex_ok, identity, combine, finish, since, doc},
const plait__reduction plait__reductions[PLAIT__REDUCTION_COUNT] = {
#include "reductions.def"
};
#undef PLAIT_REDUCTION

/* The engine accumulates what has no identity in the input's own dtype, so that nothing is lost on the way. */
#define PLAIT_REDUCTION(name, acc, result, has_identity, complex_ok, identity, combine, finish, since, doc)            \
    _Static_assert((has_identity) || (acc) == PLAIT__ACC_SAME, "reductions.def: " #name " is a selection of "          \
                                                               "elements");
#include "reductions.def"
#undef PLAIT_REDUCTION

static bool is_integer(plait_dtype dtype)
{
    return dtype >= PLAIT_BOOL && dtype <= PLAIT_U64;
}

plait_dtype plait__reduction_accumulator(const plait__reduction *reduction, plait_dtype in)
{
    return reduction->accumulator == PLAIT__ACC_SUM && is_integer(in) ? PLAIT_I64 : in;
}

plait_dtype plait__reduction_result(const plait__reduction *reduction, plait_dtype in, plait_dtype real)
{
    if (reduction->result == PLAIT__RESULT_REAL) {
        return is_integer(in) ? real : in;
    }
    return plait__reduction_accumulator(reduction, in);
}
