/*
 * Plait: the log callback.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 * A context writes nothing anywhere by itself; it hands one line at a time to the callback that its options name.
 */
#ifndef PLAIT_LOG_H
#define PLAIT_LOG_H

#include <plait/common.h>

PLAIT_BEGIN

typedef enum plait_log_level {
    PLAIT_LOG_ERROR = 1,   /* something failed; a status was returned as well */
    PLAIT_LOG_WARNING = 2, /* work goes on, but not as the user would wish: an unwritable cache folder, say */
    PLAIT_LOG_INFO = 3,    /* a program was built, a cache entry repaired */
    PLAIT_LOG_DEBUG = 4
} plait_log_level;

/*
 * `line` ends without a newline and is good only during the call. The callback may be called from any thread that uses
 * the context, also from several at a time, and never while the library holds a lock; it must not close the context.
 */
typedef void (*plait_log_fn)(void *user, plait_log_level level, const char *line);

PLAIT_END

#endif
