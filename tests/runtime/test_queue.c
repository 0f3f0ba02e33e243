#include "device_testing.h"
#include "queue_hold.h"

#include <plait/buffer.h>

#define N 1024

static plait_ctx *ctx;

static plait_buffer *new_buffer(void)
{
    plait_buffer *buffer;
    assert_ok(plait_buffer_create(&buffer, ctx, N, NULL));
    return buffer;
}

static void assert_holds(plait_queue *queue, plait_buffer *buffer, char expected)
{
    char data[N];
    assert_ok(plait_buffer_read(queue, buffer, 0, data, N));
    for (size_t i = 0; i < N; i++) {
        assert_int_equal(data[i], expected);
    }
}

static void commands_run_in_their_order(void **state)
{
    (void)state;
    plait_queue *queue;
    assert_ok(plait_queue_create(&queue, ctx, NULL));
    plait_buffer *a = new_buffer(), *b = new_buffer();
    for (char c = 'a'; c <= 'z'; c++) {
        assert_ok(plait_buffer_fill(queue, a, 0, N, &c, 1, NULL));
        assert_ok(plait_buffer_copy(queue, b, 0, a, 0, N, NULL));
    }
    assert_ok(plait_buffer_fill(queue, a, 0, N, "!", 1, NULL));
    assert_holds(queue, b, 'z');
    assert_holds(queue, a, '!');
    plait_buffer_release(a);
    plait_buffer_release(b);
    plait_queue_release(queue);
}

static void an_event_tells_when_its_command_is_done(void **state)
{
    (void)state;
    plait_queue *queue;
    plait_event *fill, *mark;
    bool done;
    assert_ok(plait_queue_create(&queue, ctx, NULL));
    plait_buffer *a = new_buffer();
    cl_event gate = queue_hold(queue);
    assert_ok(plait_buffer_fill(queue, a, 0, N, "x", 1, &fill));
    assert_ok(plait_queue_mark(queue, &mark));
    assert_waits(fill);
    assert_waits(mark);
    queue_let_go(gate);
    assert_ok(plait_event_wait(mark));
    assert_ok(plait_event_done(mark, &done));
    assert_true(done);
    assert_ok(plait_event_done(fill, &done));
    assert_true(done);
    assert_ok(plait_event_wait(fill));
    plait_event_release(plait_event_retain(fill));
    plait_event_release(fill);
    plait_event_release(mark);
    plait_buffer_release(a);
    plait_queue_release(queue);
}

static void between_queues_events_order(void **state)
{
    (void)state;
    plait_queue *first, *second;
    assert_ok(plait_queue_create(&first, ctx, NULL));
    assert_ok(plait_queue_create(&second, ctx, NULL));
    plait_buffer *a = new_buffer(), *b = new_buffer();
    assert_ok(plait_buffer_fill(first, a, 0, N, "-", 1, NULL));
    assert_ok(plait_queue_finish(first));

    cl_event gate = queue_hold(first);
    plait_event *filled, *copied;
    assert_ok(plait_buffer_fill(first, a, 0, N, "x", 1, &filled));
    assert_ok(plait_queue_wait_event(second, filled));
    assert_ok(plait_buffer_copy(second, b, 0, a, 0, N, &copied));
    assert_waits(copied);
    queue_let_go(gate);
    assert_ok(plait_event_wait(copied));
    assert_holds(second, b, 'x');
    plait_event_release(filled);
    plait_event_release(copied);
    plait_buffer_release(a);
    plait_buffer_release(b);
    plait_queue_release(first);
    plait_queue_release(second);
}

static void a_released_queue_still_does_its_work(void **state)
{
    (void)state;
    plait_queue *queue;
    plait_event *event;
    assert_ok(plait_queue_create(&queue, ctx, NULL));
    plait_buffer *a = new_buffer();
    assert_ok(plait_buffer_fill(queue, a, 0, N, "q", 1, &event));
    assert_ptr_equal(plait_queue_retain(queue), queue);
    plait_queue_release(queue);
    plait_queue_release(queue);
    assert_ok(plait_event_wait(event));
    plait_event_release(event);
    assert_holds(plait_ctx_queue(ctx), a, 'q');
    plait_buffer_release(a);
}

static void finish_waits_for_every_queue(void **state)
{
    (void)state;
    enum { QUEUES = 5 };
    plait_queue *queues[QUEUES];
    plait_event *events[QUEUES];
    plait_buffer *a = new_buffer();
    for (size_t i = 0; i < QUEUES; i++) {
        assert_ok(plait_queue_create(&queues[i], ctx, NULL));
    }
    plait_queue_release(queues[2]); /* out of the middle of the list */
    for (size_t i = 0; i < QUEUES; i++) {
        if (i != 2) {
            assert_ok(plait_buffer_fill(queues[i], a, i * 4, 4, "x", 1, &events[i]));
            assert_ok(plait_queue_flush(queues[i]));
        }
    }
    assert_ok(plait_finish(ctx));
    for (size_t i = 0; i < QUEUES; i++) {
        if (i != 2) {
            bool done;
            assert_ok(plait_event_done(events[i], &done));
            assert_true(done);
            plait_event_release(events[i]);
            plait_queue_release(queues[i]);
        }
    }
    plait_buffer_release(a);
}

static void times_are_in_order(void **state)
{
    (void)state;
    plait_queue_opts o = PLAIT_QUEUE_OPTS;
    o.profile = true;
    plait_queue *queue;
    plait_event *first, *second;
    plait_times t1, t2;
    assert_ok(plait_queue_create(&queue, ctx, &o));
    plait_buffer *a = new_buffer();
    assert_ok(plait_buffer_fill(queue, a, 0, N, "x", 1, &first));
    assert_ok(plait_buffer_fill(queue, a, 0, N, "y", 1, &second));
    if (plait__ctx_caps(ctx)->timestamps) {
        assert_ok(plait_event_times(second, &t2)); /* waits by itself */
        assert_ok(plait_event_times(first, &t1));
        assert_true(t1.queued > 0);
        assert_true(t1.queued <= t1.submitted && t1.submitted <= t1.started && t1.started <= t1.ended);
        assert_true(t2.queued <= t2.submitted && t2.submitted <= t2.started && t2.started <= t2.ended);
        assert_true(t1.queued <= t2.queued);
        assert_true(t1.ended <= t2.started);
    } else {
        assert_fails(plait_event_times(first, &t1), PLAIT_E_UNSUPPORTED, plait_ctx_device(ctx)->name);
        assert_int_equal(t1.ended, 0);
    }
    plait_event_release(first);
    plait_event_release(second);
    plait_queue_release(queue);

    assert_ok(plait_queue_create(&queue, ctx, NULL));
    assert_ok(plait_buffer_fill(queue, a, 0, N, "x", 1, &first));
    assert_fails(plait_event_times(first, &t1), PLAIT_E_UNSUPPORTED, "plait_event_times");
    assert_ok(plait_event_wait(first));
    plait_event_release(first);
    plait_queue_release(queue);
    plait_buffer_release(a);
}

static void the_contexts_own_queue_has_times_if_asked(void **state)
{
    (void)state;
    plait_ctx_opts o = PLAIT_CTX_OPTS;
    o.profile = true;
    plait_ctx *profiled;
    plait_event *event;
    plait_times times;
    assert_ok(plait_open(&profiled, &o));
    assert_ok(plait_queue_mark(plait_ctx_queue(profiled), &event));
    plait_status expected = plait__ctx_caps(profiled)->timestamps ? PLAIT_OK : PLAIT_E_UNSUPPORTED;
    assert_int_equal(plait_event_times(event, &times), expected);
    plait_event_release(event);
    assert_ok(plait_close(profiled));
}

static void a_wrong_call_is_refused(void **state)
{
    (void)state;
    plait_queue *queue, *own = plait_ctx_queue(ctx);
    plait_event *event = (plait_event *)&event;
    bool done = true;
    plait_times times;
    assert_fails(plait_queue_create(NULL, ctx, NULL), PLAIT_E_NULL, "out");
    plait_queue_opts o = {0};
    assert_fails(plait_queue_create(&queue, ctx, &o), PLAIT_E_ARGUMENT, "opts.size");
    assert_null(queue);
    assert_fails(plait_queue_flush(NULL), PLAIT_E_NULL, "queue");
    assert_fails(plait_queue_finish(NULL), PLAIT_E_NULL, "queue");
    assert_fails(plait_queue_mark(NULL, &event), PLAIT_E_NULL, "queue");
    assert_null(event);
    assert_fails(plait_queue_mark(own, NULL), PLAIT_E_NULL, "out");
    assert_fails(plait_queue_wait_event(own, NULL), PLAIT_E_NULL, "event");
    assert_fails(plait_queue_wait_event(NULL, NULL), PLAIT_E_NULL, "queue");
    assert_fails(plait_event_wait(NULL), PLAIT_E_NULL, "event");
    assert_fails(plait_event_done(NULL, &done), PLAIT_E_NULL, "event");
    assert_false(done);
    assert_fails(plait_event_times(NULL, &times), PLAIT_E_NULL, "event");
    assert_ok(plait_queue_mark(own, &event));
    assert_fails(plait_event_done(event, NULL), PLAIT_E_NULL, "done");
    assert_fails(plait_event_times(event, NULL), PLAIT_E_NULL, "out");
    assert_fails_null(plait_queue_retain(NULL), PLAIT_E_NULL, "queue");
    assert_fails_null(plait_event_retain(NULL), PLAIT_E_NULL, "event");
    plait_queue_release(NULL);
    plait_event_release(NULL);
    plait_queue_opts_init(NULL);

    plait_ctx *other = open_or_skip();
    assert_fails(plait_queue_wait_event(plait_ctx_queue(other), event), PLAIT_E_CONTEXT, plait_ctx_device(other)->name);
    assert_ok(plait_close(other));
    plait_event_release(event);
    assert_ok(plait_queue_finish(own));
}

int main(void)
{
    ctx = open_or_skip();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_run_in_their_order),
        cmocka_unit_test(an_event_tells_when_its_command_is_done),
        cmocka_unit_test(between_queues_events_order),
        cmocka_unit_test(a_released_queue_still_does_its_work),
        cmocka_unit_test(finish_waits_for_every_queue),
        cmocka_unit_test(times_are_in_order),
        cmocka_unit_test(the_contexts_own_queue_has_times_if_asked),
        cmocka_unit_test(a_wrong_call_is_refused),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return plait_close(ctx) == PLAIT_OK ? failed : 1;
}
