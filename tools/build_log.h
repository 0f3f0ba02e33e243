/*
 * Source lines for the places that a compiler's log names.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#ifndef PLAIT_BUILD_LOG_H
#define PLAIT_BUILD_LOG_H

#include <stdio.h>

/*
 * Writes `log` to `out`; below each line that names FILE:LINE or FILE:LINE:COLUMN of a file that can be read, the
 * source line, with a caret where the column is known, unless the compiler shows it itself.
 */
void build_log_print(FILE *out, const char *log);

#endif
