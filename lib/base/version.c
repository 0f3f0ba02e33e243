/*
 * Plait: the version of the library that is loaded.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include <plait/common.h>

const char *plait_version(void)
{
    return PLAIT_VERSION_STRING;
}
