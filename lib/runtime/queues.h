/*
 * The inside of queues and events.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#ifndef PLAIT__QUEUES_H
#define PLAIT__QUEUES_H

#include "ctx.h"

/*
 * The context's own queue has no count of its own: it lives in its context, and a reference to it is one to the
 * context. Every other queue holds its context.
 */
struct plait_queue {
    plait__refs refs;
    plait_ctx *ctx;
    cl_command_queue cl;
    bool profile;
    plait_queue *previous, *next; /* in ctx->queues, under ctx->lock */
};

/* The context's own, in plait_open. It does not hold the context. Freed by plait__queue_destroy_own. */
plait_status plait__queue_create_own(plait_queue **out, plait_ctx *ctx, bool profile);
void plait__queue_destroy_own(plait_queue *queue);

/* clFinish, where that can be relied on. */
cl_int plait__queue_wait(plait_queue *queue);

/*
 * For commands that must be over when a function returns: the two arguments that make it so, and the wait after it.
 *
 *     plait__blocking b;
 *     plait__blocking_begin(&b, queue);
 *     code = clEnqueueReadBuffer(queue->cl, mem, b.flag, ..., b.event);
 *     code = plait__blocking_end(&b, code);
 */
typedef struct plait__blocking {
    cl_bool flag;
    cl_event *event; /* NULL, or &own */
    cl_event own;
} plait__blocking;

void plait__blocking_begin(plait__blocking *b, const plait_queue *queue);
cl_int plait__blocking_end(plait__blocking *b, cl_int code);

/* PLAIT_OK, or the failure (recorded) that `function` reports for its argument `queue`. */
plait_status plait__queue_check(const plait_queue *queue, const char *function);

/* Makes `queue` wait for `event`. Errors: PLAIT_E_CONTEXT. */
plait_status plait__event_enqueue_wait(plait_event *event, plait_queue *queue, const char *function);

/* Waits for all queues of the context. Returns the first failure. */
plait_status plait__queues_finish(plait_ctx *ctx, const char *function);

#endif
