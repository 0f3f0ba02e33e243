/*
 * Stops a queue until it is let go, to see what waits for what.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#ifndef PLAIT_QUEUE_HOLD_H
#define PLAIT_QUEUE_HOLD_H

#include "testing.h"

#include "ctx.h"

#include <time.h>

/* Commands enqueued to `queue` from now on start after queue_let_go. */
static inline cl_event queue_hold(plait_queue *queue)
{
    cl_int code;
    cl_event gate = clCreateUserEvent(plait__queue_ctx(queue)->cl, &code);
    assert_int_equal(code, CL_SUCCESS);
    assert_int_equal(clEnqueueBarrierWithWaitList(plait__queue_cl(queue), 1, &gate, NULL), CL_SUCCESS);
    return gate;
}

static inline void queue_let_go(cl_event gate)
{
    assert_int_equal(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    assert_int_equal(clReleaseEvent(gate), CL_SUCCESS);
}

/* Not done now and not a little later either. */
static inline void assert_waits(plait_event *event)
{
    for (int i = 0; i < 5; i++) {
        bool done;
        assert_ok(plait_event_done(event, &done));
        assert_false(done);
        struct timespec pause = {.tv_nsec = 4000000};
        nanosleep(&pause, NULL);
    }
}

#endif
