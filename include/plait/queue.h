/*
 * Plait: queues order the work of a device, events mark and time it.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 * A queue runs its commands in the order in which they were enqueued. Between two queues only events order:
 * plait_queue_wait_event(b, event_of_a). Arrays use the context's own queue.
 *
 * Threads: a queue may be used from several threads; commands of one thread keep their order. An event may be used and
 * released from any thread.
 */
#ifndef PLAIT_QUEUE_H
#define PLAIT_QUEUE_H

#include <plait/context.h>

PLAIT_BEGIN

typedef struct plait_queue plait_queue;
typedef struct plait_event plait_event;

typedef struct plait_queue_opts {
    size_t size;  /* set by PLAIT_QUEUE_OPTS */
    bool profile; /* its events carry device times */
} plait_queue_opts;

#define PLAIT_QUEUE_OPTS PLAIT_OPTS_(plait_queue_opts)
PLAIT_API void plait_queue_opts_init(plait_queue_opts *opts);

/* A new in-order queue; opts may be NULL. The caller releases it. Errors: PLAIT_E_NULL, PLAIT_E_CLOSED, PLAIT_E_OPENCL.
 */
PLAIT_API plait_status plait_queue_create(plait_queue **out, plait_ctx *ctx, const plait_queue_opts *opts);
PLAIT_API plait_queue *plait_queue_retain(plait_queue *queue);
PLAIT_API void plait_queue_release(plait_queue *queue); /* NULL is fine; enqueued work still runs */

/* The context's own queue, borrowed: it lives as long as the context is open. */
PLAIT_API plait_queue *plait_ctx_queue(plait_ctx *ctx);

/* Hands enqueued commands to the device without waiting. */
PLAIT_API plait_status plait_queue_flush(plait_queue *queue);
/* Waits for all commands enqueued so far. Returns the first failure among them. */
PLAIT_API plait_status plait_queue_finish(plait_queue *queue);
/* Commands enqueued to `queue` after this start when `event` (of any queue of the same context) is complete. */
PLAIT_API plait_status plait_queue_wait_event(plait_queue *queue, plait_event *event);
/* An event that completes when everything enqueued so far has. The caller releases it. */
PLAIT_API plait_status plait_queue_mark(plait_queue *queue, plait_event **out);

PLAIT_API plait_event *plait_event_retain(plait_event *event);
PLAIT_API void plait_event_release(plait_event *event); /* NULL is fine */
/* Waits for it. Returns the failure of the command it marks, if that failed. */
PLAIT_API plait_status plait_event_wait(plait_event *event);
/* *done tells whether it is complete, without waiting. */
PLAIT_API plait_status plait_event_done(plait_event *event, bool *done);

/* Times of one command in nanoseconds of the device's own clock; comparable between the events of one device. */
typedef struct plait_times {
    uint64_t queued, submitted, started, ended;
} plait_times;

/*
 * Waits for the event and tells its times. Errors: PLAIT_E_UNSUPPORTED if its queue was not made with `profile` or the
 * device has no usable clock, or the failure of the command.
 */
PLAIT_API plait_status plait_event_times(plait_event *event, plait_times *out);

PLAIT_END

#endif
