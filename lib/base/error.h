/*
 * How the library's own code reports failure (the public half is <plait/status.h>).
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 * The rule: the function that finds a failure records it, once, with plait__fail; everyone above passes the status (or
 * the NULL) on and does not touch the record. A public function checks its arguments at the door with the
 * PLAIT__REQUIRE macros; below the door the same conditions are asserts.
 *
 * Threads: the record belongs to the calling thread; its memory goes with the thread.
 */
#ifndef PLAIT__ERROR_H
#define PLAIT__ERROR_H

#include <plait/status.h>

#include <stdarg.h>

/*
 * Records `code` and the sentence, which replace the thread's last error, and returns `code`. The arguments may point
 * into the present last error. Never fails itself: where memory is exhausted, the code's general sentence stands in.
 */
plait_status plait__fail(plait_status code, const char *format, ...) PLAIT_PRINTF(2, 3);
plait_status plait__fail_v(plait_status code, const char *format, va_list args) PLAIT_PRINTF(2, 0);

/* The system's text for an errno value, for use in a sentence. Writes to `out` and returns it. */
#define PLAIT__ERRNO_SIZE 128
const char *plait__errno_text(int error, char out[PLAIT__ERRNO_SIZE]);

/*
 * A NULL arrived where an object is needed. If the thread has a failure on record, the NULL is taken to be its
 * consequence: the record stays and its code is returned. Otherwise records and returns PLAIT_E_NULL.
 */
plait_status plait__fail_null(const char *function, const char *argument);

/*
 * Takes the thread's error away (which leaves none) and puts it back, for code that must call something that may fail
 * without disturbing the record. Every saved error is either restored or dropped.
 */
typedef struct plait__error {
    plait_status code;
    const char *sentence; /* what plait_last_error() returns */
    char *owned;          /* the memory behind sentence; NULL when it is static */
} plait__error;

plait__error plait__error_save(void);
void plait__error_restore(plait__error *saved);
void plait__error_drop(plait__error *saved);

/* For functions that return a plait_status. */
#define PLAIT__REQUIRE(condition, code, ...)                                                                           \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            return plait__fail((code), __VA_ARGS__);                                                                   \
        }                                                                                                              \
    } while (0)

/* For functions that return an object. */
#define PLAIT__REQUIRE_PTR(condition, code, ...)                                                                       \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            plait__fail((code), __VA_ARGS__);                                                                          \
            return NULL;                                                                                               \
        }                                                                                                              \
    } while (0)

/* The argument named must not be NULL; the sentence names the function and the argument. */
#define PLAIT__REQUIRE_ARG(argument)                                                                                   \
    do {                                                                                                               \
        if ((argument) == NULL) {                                                                                      \
            return plait__fail_null(__func__, #argument);                                                              \
        }                                                                                                              \
    } while (0)

#define PLAIT__REQUIRE_ARG_PTR(argument)                                                                               \
    do {                                                                                                               \
        if ((argument) == NULL) {                                                                                      \
            plait__fail_null(__func__, #argument);                                                                     \
            return NULL;                                                                                               \
        }                                                                                                              \
    } while (0)

/* Passes a failing status on. */
#define PLAIT__TRY(call)                                                                                               \
    do {                                                                                                               \
        plait_status status_ = (call);                                                                                 \
        if (status_ != PLAIT_OK) {                                                                                     \
            return status_;                                                                                            \
        }                                                                                                              \
    } while (0)

#endif
