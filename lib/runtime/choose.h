/*
 * Which of several devices is meant; pure, without OpenCL.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#ifndef PLAIT__CHOOSE_H
#define PLAIT__CHOOSE_H

#include <plait/device.h>

#include "strbuf.h"

/*
 * The device for `wanted` (NULL or "": any but an emulator), as <plait/device.h> describes it. `origin` names what
 * `wanted` came from, "PLAIT_DEVICE", say. *index becomes its place in `devices`, and the reason is added to `why`
 * (unless NULL). Errors: PLAIT_E_NO_DEVICE, whose sentence begins with `function` and lists the devices or, where there
 * is none, ends with `advice`.
 */
plait_status plait__choose(const char *function, const plait_device_info *devices, size_t n, const char *wanted,
                           const char *origin, const char *advice, size_t *index, plait__strbuf *why);

/* "discrete GPU", "CPU" ... */
const char *plait__device_type_text(plait_device_type type);

#endif
