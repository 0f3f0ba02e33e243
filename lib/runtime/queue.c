#include "queues.h"

#include "alloc.h"
#include "error.h"
#include "opts.h"
#include "quirks.h"

#include <stdlib.h>

void plait_queue_opts_init(plait_queue_opts *opts)
{
    if (opts != NULL) {
        *opts = (plait_queue_opts)PLAIT_QUEUE_OPTS;
    }
}

static plait_status create(plait_queue **out, plait_ctx *ctx, bool profile, const char *function)
{
    plait_queue *queue = plait__calloc(1, sizeof *queue);
    if (queue == NULL) {
        return PLAIT_E_NO_MEMORY;
    }
    plait__refs_init(&queue->refs);
    queue->ctx = ctx;
    queue->profile = profile && ctx->caps.timestamps;
    cl_int code;
    queue->cl = clCreateCommandQueue(ctx->cl, ctx->cl_device, queue->profile ? CL_QUEUE_PROFILING_ENABLE : 0, &code);
    if (code != CL_SUCCESS) {
        free(queue);
        return plait__cl_fail(ctx, code, function, "creating a queue on %s", ctx->info.name);
    }
    *out = queue;
    return PLAIT_OK;
}

plait_status plait__queue_create_own(plait_queue **out, plait_ctx *ctx, bool profile)
{
    return create(out, ctx, profile, "plait_open");
}

void plait__queue_destroy_own(plait_queue *queue)
{
    free(queue);
}

plait_status plait_queue_create(plait_queue **out, plait_ctx *ctx, const plait_queue_opts *opts)
{
    PLAIT__REQUIRE_ARG(out);
    *out = NULL;
    PLAIT__TRY(plait__ctx_check(ctx, __func__));
    plait_queue_opts o;
    PLAIT__TRY(plait__opts_read(__func__, &o, sizeof o, opts));
    PLAIT__TRY(create(out, ctx, o.profile, __func__));
    plait__ctx_retain(ctx);
    plait__lock(&ctx->lock);
    (*out)->next = ctx->queues;
    if (ctx->queues != NULL) {
        ctx->queues->previous = *out;
    }
    ctx->queues = *out;
    plait__unlock(&ctx->lock);
    return PLAIT_OK;
}

plait_queue *plait_queue_retain(plait_queue *queue)
{
    PLAIT__REQUIRE_ARG_PTR(queue);
    if (queue == queue->ctx->queue) {
        plait__ctx_retain(queue->ctx);
    } else {
        plait__refs_up(&queue->refs);
    }
    return queue;
}

void plait_queue_release(plait_queue *queue)
{
    if (queue == NULL) {
        return;
    }
    plait_ctx *ctx = queue->ctx;
    if (queue == ctx->queue) {
        plait__ctx_release(ctx);
        return;
    }
    /* In a forked child the lock may be held by a thread that does not exist, and the driver must not be called. */
    if (plait__ctx_out_of_reach(ctx) || !plait__refs_down(&queue->refs)) {
        return;
    }
    plait__lock(&ctx->lock);
    if (queue->previous != NULL) {
        queue->previous->next = queue->next;
    } else {
        ctx->queues = queue->next;
    }
    if (queue->next != NULL) {
        queue->next->previous = queue->previous;
    }
    plait__unlock(&ctx->lock);
    clReleaseCommandQueue(queue->cl); /* flushes: what was enqueued still runs */
    free(queue);
    plait__ctx_release(ctx);
}

plait_queue *plait_ctx_queue(plait_ctx *ctx)
{
    return plait__ctx_check(ctx, __func__) == PLAIT_OK ? ctx->queue : NULL;
}

cl_command_queue plait__queue_cl(plait_queue *queue)
{
    return queue->cl;
}

plait_ctx *plait__queue_ctx(const plait_queue *queue)
{
    return queue->ctx;
}

plait_status plait__queue_check(const plait_queue *queue, const char *function)
{
    return queue == NULL ? plait__fail_null(function, "queue") : plait__ctx_check(queue->ctx, function);
}

plait_status plait_queue_flush(plait_queue *queue)
{
    PLAIT__TRY(plait__queue_check(queue, __func__));
    cl_int code = clFlush(queue->cl);
    return code == CL_SUCCESS ? PLAIT_OK : plait__cl_fail(queue->ctx, code, __func__, "handing the commands over");
}

void plait__blocking_begin(plait__blocking *b, const plait_queue *queue)
{
    bool by_event = (queue->ctx->quirks & PLAIT__QUIRK_BLOCKING_RETURNS_EARLY) != 0;
    b->flag = by_event ? CL_FALSE : CL_TRUE;
    b->event = by_event ? &b->own : NULL;
}

cl_int plait__blocking_end(plait__blocking *b, cl_int code)
{
    if (code == CL_SUCCESS && b->event != NULL) {
        code = clWaitForEvents(1, b->event);
        clReleaseEvent(b->own);
    }
    return code;
}

cl_int plait__queue_wait(plait_queue *queue)
{
    plait__blocking b;
    plait__blocking_begin(&b, queue);
    if (b.event == NULL) {
        return clFinish(queue->cl);
    }
    return plait__blocking_end(&b, clEnqueueMarkerWithWaitList(queue->cl, 0, NULL, b.event));
}

static plait_status finish(plait_queue *queue, const char *function)
{
    cl_int code = plait__queue_wait(queue);
    return code == CL_SUCCESS ? PLAIT_OK : plait__cl_fail(queue->ctx, code, function, "waiting for the commands");
}

plait_status plait_queue_finish(plait_queue *queue)
{
    PLAIT__TRY(plait__queue_check(queue, __func__));
    return finish(queue, __func__);
}

/* One reference more, unless the last one is just being given back. */
static bool retain_live(plait_queue *queue)
{
    size_t n = plait__refs_count(&queue->refs);
    while (n > 0) {
        if (atomic_compare_exchange_weak(&queue->refs.count, &n, n + 1)) {
            return true;
        }
    }
    return false;
}

plait_status plait__queues_finish(plait_ctx *ctx, const char *function)
{
    plait_status status = finish(ctx->queue, function);
    /* The wait happens outside of the lock, on a queue that is retained meanwhile; releasing it may take the lock. */
    plait_queue *current = NULL;
    for (;;) {
        plait__lock(&ctx->lock);
        plait_queue *next = current == NULL ? ctx->queues : current->next;
        while (next != NULL && !retain_live(next)) {
            next = next->next;
        }
        plait__unlock(&ctx->lock);
        plait_queue_release(current);
        if (next == NULL) {
            return status;
        }
        if (status == PLAIT_OK) {
            status = finish(next, function);
        } else {
            plait__queue_wait(next); /* the record stays that of the first failure */
        }
        current = next;
    }
}

plait_status plait_queue_wait_event(plait_queue *queue, plait_event *event)
{
    PLAIT__TRY(plait__queue_check(queue, __func__));
    PLAIT__REQUIRE_ARG(event);
    return plait__event_enqueue_wait(event, queue, __func__);
}

plait_status plait_queue_mark(plait_queue *queue, plait_event **out)
{
    PLAIT__REQUIRE_ARG(out);
    *out = NULL;
    PLAIT__TRY(plait__queue_check(queue, __func__));
    cl_event event;
    cl_int code = clEnqueueMarkerWithWaitList(queue->cl, 0, NULL, &event);
    return code == CL_SUCCESS ? plait__event_wrap(out, queue, event)
                              : plait__cl_fail(queue->ctx, code, __func__, "enqueueing a marker");
}
