/*
 * Plait: the library's version, and the counterpart of allocations handed to the caller.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include <plait/common.h>

#include <stdlib.h>

const char *plait_version(void)
{
    return PLAIT_VERSION_STRING;
}

void plait_free(void *memory)
{
    free(memory);
}
