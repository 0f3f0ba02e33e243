/*
 * The places that a compiler's log names.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#ifndef PLAIT__BUILD_LOG_H
#define PLAIT__BUILD_LOG_H

/*
 * NVIDIA's compiler ignores #line: its messages begin with "<kernel>:12:5:", where 12 counts the lines of the text it
 * was given. Returns the log with the file and line that the #line directives of `source` give for it; a log without
 * such messages comes back as it is. Takes `log` over; the result is freed with free(). NULL: no memory (recorded).
 */
char *plait__log_name_places(char *log, const char *source);

#endif
