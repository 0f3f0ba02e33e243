/*
 * Smaller devices made of larger ones, for tests: PLAIT_EMULATE and PLAIT_SKELETON.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 * PLAIT_EMULATE is a list of items separated by commas:
 *
 *     group=16            no work-group of more than 16 items
 *     group=1024x1x1      at most 1024 by 1 by 1 (and 1024 in all)
 *     nofp64, nofp16, noint64atomics
 *     local=1024          bytes of local memory; likewise params= for a kernel's arguments
 *     memory=64M          bytes of device memory, and of the largest buffer
 *
 * A value above what the device has changes nothing. PLAIT_SKELETON is "cpu" or "device".
 */
#ifndef PLAIT__EMULATE_H
#define PLAIT__EMULATE_H

#include "runtime.h"

typedef struct plait__emulation {
    size_t group; /* 0 in any member: as the device is */
    size_t groups[3];
    bool no_fp64, no_fp16, no_int64_atomics;
    uint64_t local, params, memory;
} plait__emulation;

/* Reads the text of PLAIT_EMULATE (NULL: nothing). Errors: PLAIT_E_ARGUMENT, naming the item and those there are. */
plait_status plait__emulation_parse(plait__emulation *out, const char *text);

/* Lowers the limits in *info. */
void plait__emulation_apply(const plait__emulation *emulation, plait_device_info *info);

/* Reads the text of PLAIT_SKELETON; NULL leaves *skeleton as it is. Errors: PLAIT_E_ARGUMENT. */
plait_status plait__skeleton_parse(plait__skeleton *skeleton, const char *text);

#endif
