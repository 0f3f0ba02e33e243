/*
 * The kernel handle.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#ifndef PLAIT__KERNEL_H
#define PLAIT__KERNEL_H

#include "program.h"

struct plait_kernel {
    plait__refs refs;
    plait_program *program; /* a reference */
    plait__kernel_slot *slot;
};

#endif
