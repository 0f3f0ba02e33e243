/*
 * Plait: the thread's last error, status names and sentences.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "error.h"

#include "alloc.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local plait__error last = {PLAIT_OK, "", NULL};

/*
 * The key exists for its destructor only: it frees the sentence of a thread that ends. The main thread's sentence stays
 * reachable until the process ends.
 */
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool key_made;

static void drop_at_thread_end(void *unused)
{
    (void)unused;
    plait_clear_error();
}

static void make_key(void)
{
    key_made = pthread_key_create(&key, drop_at_thread_end) == 0;
}

static bool will_be_freed(void)
{
    pthread_once(&key_once, make_key);
    return key_made && (pthread_getspecific(key) != NULL || pthread_setspecific(key, &last) == 0);
}

static void record(plait_status code, const char *sentence, char *owned)
{
    char *displaced = last.owned;
    last = (plait__error){code, sentence, owned};
    free(displaced);
}

/* The formatted text, or NULL where that is impossible. */
static char *format_text(const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length < 0 || !will_be_freed()) {
        return NULL;
    }
    char *text = plait__try_malloc((size_t)length + 1);
    if (text != NULL) {
        vsnprintf(text, (size_t)length + 1, format, args);
    }
    return text;
}

plait_status plait__fail_v(plait_status code, const char *format, va_list args)
{
    assert(code != PLAIT_OK);
    char *text = format_text(format, args);
    record(code, text != NULL ? text : plait_status_text(code), text);
    return code;
}

plait_status plait__fail(plait_status code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    plait__fail_v(code, format, args);
    va_end(args);
    return code;
}

plait_status plait__fail_null(const char *function, const char *argument)
{
    if (last.code != PLAIT_OK) {
        return last.code;
    }
    return plait__fail(PLAIT_E_NULL, "%s: %s is NULL", function, argument);
}

const char *plait__errno_text(int error, char out[PLAIT__ERRNO_SIZE])
{
    /* strerror_r's POSIX form: an error number means that nothing useful was written. */
    if (strerror_r(error, out, PLAIT__ERRNO_SIZE) != 0) {
        snprintf(out, PLAIT__ERRNO_SIZE, "error %d", error);
    }
    return out;
}

plait__error plait__error_save(void)
{
    plait__error saved = last;
    last = (plait__error){PLAIT_OK, "", NULL};
    return saved;
}

void plait__error_restore(plait__error *saved)
{
    record(saved->code, saved->sentence, saved->owned);
    *saved = (plait__error){PLAIT_OK, "", NULL};
}

void plait__error_drop(plait__error *saved)
{
    free(saved->owned);
    *saved = (plait__error){PLAIT_OK, "", NULL};
}

const char *plait_last_error(void)
{
    return last.sentence;
}

plait_status plait_last_status(void)
{
    return last.code;
}

void plait_clear_error(void)
{
    record(PLAIT_OK, "", NULL);
}

static const struct {
    const char *name;
    const char *text;
} statuses[] = {
#define STATUS_ROW(name, value, text) [value] = {"PLAIT_" #name, text},
    PLAIT_STATUS_MAP(STATUS_ROW)
#undef STATUS_ROW
};

/* Rows are stored by value: a gap in the values would leave a row of NULLs. */
_Static_assert(sizeof statuses / sizeof statuses[0] == PLAIT_STATUS_COUNT_, "status values have no gaps");
#define STATUS_ONE(name, value, text) +1
_Static_assert((0 PLAIT_STATUS_MAP(STATUS_ONE)) == PLAIT_STATUS_COUNT_, "status values are not repeated");
#undef STATUS_ONE

const char *plait_status_name(plait_status status)
{
    return (unsigned)status < PLAIT_STATUS_COUNT_ ? statuses[status].name : "PLAIT_E_?";
}

const char *plait_status_text(plait_status status)
{
    return (unsigned)status < PLAIT_STATUS_COUNT_ ? statuses[status].text : "unknown status";
}
