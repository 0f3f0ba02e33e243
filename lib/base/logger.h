/*
 * Lines for the log callback of <plait/log.h>.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#ifndef PLAIT__LOGGER_H
#define PLAIT__LOGGER_H

#include <plait/log.h>

#include <stdarg.h>

/* Set up before other threads see it, not changed afterwards. A zeroed one is silent. */
typedef struct plait__logger {
    plait_log_fn fn; /* NULL: silent */
    void *user;
    plait_log_level level; /* what is less important than this is dropped; 0 means PLAIT_LOG_WARNING */
} plait__logger;

/* Would a line of this level be seen? For callers that would have to work for the text. */
bool plait__log_wanted(const plait__logger *logger, plait_log_level level);

/*
 * Hands the text to the callback, line by line. No lock may be held. Leaves the thread's last error alone, whatever
 * the callback does. `logger` may be NULL. Any thread.
 */
void plait__log(const plait__logger *logger, plait_log_level level, const char *format, ...) PLAIT_PRINTF(3, 4);

#endif
