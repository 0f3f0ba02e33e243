/*
 * Option structs at the door of a public function.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#ifndef PLAIT__OPTS_H
#define PLAIT__OPTS_H

#include <plait/status.h>

/*
 * Copies the caller's struct, whose first member is its `size`, to *out of `out_size` bytes; NULL gives the defaults.
 * An older, smaller struct leaves the newer members 0; in a newer, larger one the members unknown here must be 0. *out
 * has its own size afterwards. Errors: PLAIT_E_ARGUMENT.
 */
plait_status plait__opts_read(const char *function, void *out, size_t out_size, const void *opts);

#endif
