/*
 * What code may branch on, from what a device says.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#ifndef PLAIT__CAPS_H
#define PLAIT__CAPS_H

#include "runtime.h"

/* Everything but `real`. The limits of *info, emulated ones included, are taken as they are. */
void plait__caps_fill(plait__caps *caps, const plait_device_info *info);

#endif
