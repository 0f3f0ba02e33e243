/*
 * Plait: lines for the log callback.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "logger.h"

#include "alloc.h"
#include "error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool plait__log_wanted(const plait__logger *logger, plait_log_level level)
{
    return logger != NULL && logger->fn != NULL && level <= (logger->level ? logger->level : PLAIT_LOG_WARNING);
}

static void hand_out(const plait__logger *logger, plait_log_level level, char *text)
{
    for (char *line = text; line != NULL;) {
        char *end = strchr(line, '\n');
        if (end != NULL) {
            *end = '\0';
        }
        if (line[0] != '\0') {
            logger->fn(logger->user, level, line);
        }
        line = end != NULL ? end + 1 : NULL;
    }
}

void plait__log(const plait__logger *logger, plait_log_level level, const char *format, ...)
{
    if (!plait__log_wanted(logger, level)) {
        return;
    }
    char small[512];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    if (length < 0) {
        return;
    }
    /* Without memory for a long text its beginning has to do. */
    char *large = (size_t)length < sizeof small ? NULL : plait__try_malloc((size_t)length + 1);
    if (large != NULL) {
        va_start(args, format);
        vsnprintf(large, (size_t)length + 1, format, args);
        va_end(args);
    }
    plait__error saved = plait__error_save();
    hand_out(logger, level, large != NULL ? large : small);
    plait__error_restore(&saved);
    free(large);
}
