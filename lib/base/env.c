/*
 * Plait: environment variables.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "env.h"

#include "error.h"
#include "number.h"

#include <stdlib.h>
#include <strings.h>

const char *plait__env_text(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

plait_status plait__env_size(uint64_t *out, const char *name, uint64_t fallback)
{
    *out = fallback;
    const char *value = plait__env_text(name);
    if (value != NULL && !plait__parse_size(out, value)) {
        return plait__fail(PLAIT_E_ARGUMENT,
                           "the environment variable %s is \"%.64s\", but must be a size such as 4096, 512M or 2G",
                           name, value);
    }
    return PLAIT_OK;
}

plait_status plait__env_bool(bool *out, const char *name, bool fallback)
{
    static const char *const words[2][4] = {{"0", "false", "no", "off"}, {"1", "true", "yes", "on"}};
    *out = fallback;
    const char *value = plait__env_text(name);
    if (value == NULL) {
        return PLAIT_OK;
    }
    for (int truth = 0; truth < 2; truth++) {
        for (int i = 0; i < 4; i++) {
            if (strcasecmp(value, words[truth][i]) == 0) {
                *out = truth == 1;
                return PLAIT_OK;
            }
        }
    }
    return plait__fail(PLAIT_E_ARGUMENT, "the environment variable %s is \"%.64s\", but must be 1 or 0", name, value);
}
