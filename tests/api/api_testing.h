/*
 * For the tests of the public API: they link the shared library alone.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#ifndef PLAIT_API_TESTING_H
#define PLAIT_API_TESTING_H

#include "testing.h"

#include <plait/plait.h>

/* A context on the best device; ends the program as skipped where there is none. */
static inline plait_ctx *open_with_or_skip(const plait_ctx_opts *opts)
{
    plait_ctx *ctx;
    plait_status status = plait_open(&ctx, opts);
    if (status == PLAIT_E_NO_DEVICE) {
        printf("skipped: %s\n", plait_last_error());
        exit(TEST_SKIPPED);
    }
    assert_ok(status);
    return ctx;
}

static inline plait_ctx *open_or_skip(void)
{
    return open_with_or_skip(NULL);
}

static inline plait_stats stats_of(const plait_ctx *ctx)
{
    plait_stats s = PLAIT_STATS;
    assert_ok(plait_ctx_stats(ctx, &s));
    return s;
}

/* An array is there; the sentence is shown where it is not. */
#define assert_array(a)                                                                                                \
    do {                                                                                                               \
        if ((a) == NULL) {                                                                                             \
            fail_msg("%s: %s", #a, plait_last_error());                                                                \
        }                                                                                                              \
    } while (0)

/* The shape is exactly this. */
#define assert_shape(a, ...) assert_shape_is(plait_array_shape(a), PLAIT_SHAPE(__VA_ARGS__))

static inline void assert_shape_is(plait_dims found, plait_dims wanted)
{
    assert_int_equal(found.n, wanted.n);
    for (int i = 0; i < found.n; i++) {
        assert_int_equal(found.d[i], wanted.d[i]);
    }
}

#endif
