/*
 * Which rows of quirks.def apply to a device.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#ifndef PLAIT__QUIRKS_H
#define PLAIT__QUIRKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
#define X(id, name, platform, device, driver) PLAIT__QUIRK_ROW_##id,
#include "quirks.def"
#undef X
    PLAIT__QUIRK_COUNT
};

/* The bits of a set of quirks. */
enum {
#define X(id, name, platform, device, driver) PLAIT__QUIRK_##id = 1 << PLAIT__QUIRK_ROW_##id,
#include "quirks.def"
#undef X
};

/* The set of a device. None of the strings is NULL. */
uint32_t plait__quirks_match(const char *platform_name, const char *device_name, const char *driver_version);

/* The name of row `row` (below PLAIT__QUIRK_COUNT). */
const char *plait__quirk_name(unsigned row);

/* Whether `part` occurs in `text`, ASCII letter case ignored; "" occurs in everything. */
bool plait__contains_nocase(const char *text, const char *part);

#endif
