/*
 * The figures of tune.def.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#ifndef PLAIT__TUNE_H
#define PLAIT__TUNE_H

#include "runtime.h"

typedef enum plait__tune {
#define X(name, device, cpu, what) PLAIT__TUNE_##name,
#include "tune.def"
#undef X
    PLAIT__TUNE_COUNT
} plait__tune;

static inline int64_t plait__tuned(plait__skeleton skeleton, plait__tune which)
{
    static const int32_t table[PLAIT__TUNE_COUNT][2] = {
#define X(name, device, cpu, what) {device, cpu},
#include "tune.def"
#undef X
    };
    return table[which][skeleton];
}

#endif
