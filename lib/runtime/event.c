#include "queues.h"

#include "alloc.h"
#include "error.h"

#include <stdlib.h>

struct plait_event {
    plait__refs refs;
    plait_ctx *ctx;
    cl_event cl;
    bool profile;        /* its queue measures times */
    atomic_bool flushed; /* its queue has been flushed since */
};

plait_status plait__event_wrap(plait_event **out, plait_queue *queue, cl_event cl)
{
    plait_event *event = plait__calloc(1, sizeof *event);
    if (event == NULL) {
        clReleaseEvent(cl);
        return PLAIT_E_NO_MEMORY;
    }
    plait__refs_init(&event->refs);
    event->ctx = plait__ctx_retain(queue->ctx);
    event->cl = cl;
    event->profile = queue->profile;
    *out = event;
    return PLAIT_OK;
}

plait_event *plait_event_retain(plait_event *event)
{
    PLAIT__REQUIRE_ARG_PTR(event);
    plait__refs_up(&event->refs);
    return event;
}

void plait_event_release(plait_event *event)
{
    if (event == NULL || plait__ctx_out_of_reach(event->ctx) || !plait__refs_down(&event->refs)) {
        return;
    }
    clReleaseEvent(event->cl);
    plait__ctx_release(event->ctx);
    free(event);
}

static plait_status check(const plait_event *event, const char *function)
{
    return event == NULL ? plait__fail_null(function, "event") : plait__ctx_check(event->ctx, function);
}

/* Somebody other than the event's own queue is about to depend on it: without a flush it might never start. */
static void flush(plait_event *event)
{
    if (!atomic_exchange(&event->flushed, true)) {
        cl_command_queue queue = NULL;
        clGetEventInfo(event->cl, CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, NULL);
        if (queue != NULL) {
            clFlush(queue);
        }
    }
}

/* CL_COMPLETE, one of the states before it, or the negative code by which the command failed. */
static plait_status state(plait_event *event, const char *function, cl_int *out)
{
    cl_int code = clGetEventInfo(event->cl, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof *out, out, NULL);
    if (code != CL_SUCCESS) {
        return plait__cl_fail(event->ctx, code, function, "asking for an event's state");
    }
    return *out < 0 ? plait__cl_fail(event->ctx, *out, function, "the command of the event failed") : PLAIT_OK;
}

static plait_status wait(plait_event *event, const char *function)
{
    cl_int code = clWaitForEvents(1, &event->cl);
    if (code != CL_SUCCESS) {
        cl_int found;
        PLAIT__TRY(state(event, function, &found)); /* the command's own code says more */
        return plait__cl_fail(event->ctx, code, function, "waiting for an event");
    }
    return PLAIT_OK;
}

plait_status plait__event_enqueue_wait(plait_event *event, plait_queue *queue, const char *function)
{
    plait_ctx *ctx = queue->ctx;
    PLAIT__REQUIRE(event->ctx == ctx, PLAIT_E_CONTEXT,
                   "%s: the queue belongs to a context on %s, the event to another, on %s", function, ctx->info.name,
                   event->ctx->info.name);
    flush(event);
    cl_int code = clEnqueueBarrierWithWaitList(queue->cl, 1, &event->cl, NULL);
    return code == CL_SUCCESS ? PLAIT_OK : plait__cl_fail(ctx, code, function, "enqueueing the wait");
}

plait_status plait_event_wait(plait_event *event)
{
    PLAIT__TRY(check(event, __func__));
    return wait(event, __func__);
}

plait_status plait_event_done(plait_event *event, bool *done)
{
    PLAIT__REQUIRE_ARG(done);
    *done = false;
    PLAIT__TRY(check(event, __func__));
    flush(event);
    cl_int found;
    PLAIT__TRY(state(event, __func__, &found));
    *done = found == CL_COMPLETE;
    return PLAIT_OK;
}

plait_status plait_event_times(plait_event *event, plait_times *out)
{
    PLAIT__REQUIRE_ARG(out);
    *out = (plait_times){0};
    PLAIT__TRY(check(event, __func__));
    PLAIT__REQUIRE(event->ctx->caps.timestamps, PLAIT_E_UNSUPPORTED, "%s: %s does not measure the times of commands",
                   __func__, event->ctx->info.name);
    PLAIT__REQUIRE(
        event->profile, PLAIT_E_UNSUPPORTED,
        "%s: the event's queue was made without `profile` (of plait_queue_opts, or of plait_ctx_opts for the "
        "context's own)",
        __func__);
    PLAIT__TRY(wait(event, __func__));
    plait_times times;
    const struct {
        cl_profiling_info what;
        uint64_t *time;
    } questions[] = {
        {CL_PROFILING_COMMAND_QUEUED, &times.queued},
        {CL_PROFILING_COMMAND_SUBMIT, &times.submitted},
        {CL_PROFILING_COMMAND_START, &times.started},
        {CL_PROFILING_COMMAND_END, &times.ended},
    };
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        cl_ulong time = 0;
        cl_int code = clGetEventProfilingInfo(event->cl, questions[i].what, sizeof time, &time, NULL);
        if (code != CL_SUCCESS) {
            return plait__cl_fail(event->ctx, code, __func__, "asking for an event's times");
        }
        *questions[i].time = time;
    }
    *out = times;
    return PLAIT_OK;
}
