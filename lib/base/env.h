/*
 * Environment variables. A variable that is set to nothing counts as not set.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 * The environment is read at each call; threads: any, as long as nobody calls setenv meanwhile.
 */
#ifndef PLAIT__ENV_H
#define PLAIT__ENV_H

#include <plait/status.h>

/* NULL where not set. The environment's own storage. */
const char *plait__env_text(const char *name);

/*
 * Each gives `fallback` where the variable is not set, and PLAIT_E_ARGUMENT, with the variable's name, where it does
 * not hold what it should (*out is then the fallback).
 */
/* A size in bytes as plait__parse_size reads it: "512M", "2G". */
plait_status plait__env_size(uint64_t *out, const char *name, uint64_t fallback);
/* 1, true, yes, on; 0, false, no, off; in any case. */
plait_status plait__env_bool(bool *out, const char *name, bool fallback);

#endif
