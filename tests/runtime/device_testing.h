/*
 * For tests that need a device, and for those that run themselves again as a child with another environment.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#ifndef PLAIT_DEVICE_TESTING_H
#define PLAIT_DEVICE_TESTING_H

#include "testing.h"

#include "process.h"

#include <plait/context.h>

/* A context on the best device; ends the program as skipped where there is none. */
static inline plait_ctx *open_or_skip(void)
{
    plait_ctx *ctx;
    plait_status status = plait_open(&ctx, NULL);
    if (status == PLAIT_E_NO_DEVICE) {
        printf("skipped: %s\n", plait_last_error());
        exit(TEST_SKIPPED);
    }
    assert_ok(status);
    return ctx;
}

/*
 * Runs this program again with the one argument `role` and with the variables in `env` (ended by NULL). The output,
 * which the caller frees, is what it printed; it must have exited with 0.
 */
static inline char *run_self(const char *role, const char *const env[])
{
    const char *const argv[] = {"/proc/self/exe", role, NULL};
    char *files = NULL; /* the loader would list these drivers beside those of the folder that the child is given */
    for (size_t i = 0; env[i] != NULL; i++) {
        if (strncmp(env[i], "OCL_ICD_VENDORS=", 16) == 0 && files == NULL && getenv("OCL_ICD_FILENAMES") != NULL) {
            files = strdup(getenv("OCL_ICD_FILENAMES"));
            unsetenv("OCL_ICD_FILENAMES");
        }
    }
    plait__process_result result;
    plait_status status = plait__process_run(&result, argv[0], argv, env, UINT64_C(60000000000));
    if (files != NULL) {
        setenv("OCL_ICD_FILENAMES", files, 1);
        free(files);
    }
    assert_ok(status);
    if (result.end != PLAIT__PROCESS_EXITED || result.code != 0) {
        fail_msg("the child \"%s\" ended with %d, code %d: %s", role, (int)result.end, result.code, result.output);
    }
    return result.output;
}

#define assert_says(text, words)                                                                                       \
    do {                                                                                                               \
        if (strstr((text), (words)) == NULL) {                                                                         \
            fail_msg("\"%s\" does not say \"%s\"", (text), (words));                                                   \
        }                                                                                                              \
    } while (0)

#define assert_says_not(text, words)                                                                                   \
    do {                                                                                                               \
        if (strstr((text), (words)) != NULL) {                                                                         \
            fail_msg("\"%s\" says \"%s\"", (text), (words));                                                           \
        }                                                                                                              \
    } while (0)

#endif
