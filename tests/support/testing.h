/*
 * What every unit test includes: cmocka with the headers it must find before it, and a few helpers.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#ifndef PLAIT_TESTING_H
#define PLAIT_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The exit status by which a test program says "skipped"; print the reason as a line "skipped: ..." before it. */
#define TEST_SKIPPED 77

/* A call fails with this status, which is on record with a sentence that contains `words`. Includes <plait/status.h>.
 */
#define assert_fails(call, status, words)                                                                              \
    do {                                                                                                               \
        plait_clear_error();                                                                                           \
        assert_string_equal(plait_status_name(call), plait_status_name(status));                                       \
        assert_on_record(status, words);                                                                               \
    } while (0)

/* The same for a call whose failure is a NULL. */
#define assert_fails_null(call, status, words)                                                                         \
    do {                                                                                                               \
        plait_clear_error();                                                                                           \
        assert_null(call);                                                                                             \
        assert_on_record(status, words);                                                                               \
    } while (0)

#define assert_on_record(status, words)                                                                                \
    do {                                                                                                               \
        assert_string_equal(plait_status_name(plait_last_status()), plait_status_name(status));                        \
        if (strstr(plait_last_error(), (words)) == NULL) {                                                             \
            fail_msg("the sentence \"%s\" does not say \"%s\"", plait_last_error(), (words));                          \
        }                                                                                                              \
    } while (0)

/* A call succeeds; the sentence is shown where it does not. */
#define assert_ok(call)                                                                                                \
    do {                                                                                                               \
        if ((call) != 0) {                                                                                             \
            fail_msg("%s: %s", #call, plait_last_error());                                                             \
        }                                                                                                              \
    } while (0)

/* A fresh folder of the test's own (absolute path), and its removal with all that is in it. */
char *test_folder_make(void);
/* The same where other users can reach it, which the clone of root's home is not: for children that change their user. */
char *test_folder_make_for_others(void);
void test_folder_remove(char *folder);

/* "folder/name" in static storage that four calls share; not for several threads at once. */
const char *test_path(const char *folder, const char *name);

void test_file_write(const char *path, const void *data, size_t size);

/*
 * Switches the process to a locale with a decimal comma and grouping, made on the spot where the system has none. False
 * where that is impossible. setlocale(LC_ALL, "C") switches back.
 */
bool test_comma_locale(void);

#endif
