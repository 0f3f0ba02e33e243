/*
 * Many threads on one context. Runs under ThreadSanitizer too, there with the test driver: others are not instrumented.
 */
#include "device_testing.h"

#include "ctx.h"

#include <plait/buffer.h>

#include <pthread.h>

enum { THREADS = 8, ROUNDS = 60, BYTES = 4000 };

static plait_ctx *ctx;
static pthread_barrier_t start;

typedef struct worker {
    pthread_t thread;
    unsigned number;
    plait_buffer *shared; /* of all threads, each with its own part */
    const char *failure;
} worker;

#define CHECK(w, condition)                                                                                            \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            (w)->failure = #condition;                                                                                 \
            return NULL;                                                                                               \
        }                                                                                                              \
    } while (0)

static void run_all(void *(*function)(void *), plait_buffer *shared)
{
    worker workers[THREADS];
    assert_int_equal(pthread_barrier_init(&start, NULL, THREADS), 0);
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i] = (worker){.number = i, .shared = shared};
        assert_int_equal(pthread_create(&workers[i].thread, NULL, function, &workers[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
    }
    pthread_barrier_destroy(&start);
    for (unsigned i = 0; i < THREADS; i++) {
        if (workers[i].failure != NULL) {
            fail_msg("thread %u: %s", i, workers[i].failure);
        }
    }
}

/* Buffers made, filled, copied, read and released, on a queue of the thread's own or on the context's. */
static void *use_buffers(void *argument)
{
    worker *w = argument;
    plait_queue *queue = w->number % 2 == 0 ? plait_queue_retain(plait_ctx_queue(ctx)) : NULL;
    pthread_barrier_wait(&start);
    if (queue == NULL) {
        CHECK(w, plait_queue_create(&queue, ctx, NULL) == PLAIT_OK);
    }
    unsigned char in[BYTES], out[BYTES];
    for (unsigned round = 0; round < ROUNDS; round++) {
        size_t n = BYTES - (round * 37 + w->number * 101) % 2000;
        plait_buffer *a, *b;
        plait_event *event;
        memset(in, (int)(w->number * 16 + round % 16), n);
        CHECK(w, plait_buffer_create(&a, ctx, n, NULL) == PLAIT_OK);
        CHECK(w, plait_buffer_create(&b, ctx, n, NULL) == PLAIT_OK);
        CHECK(w, plait_buffer_write(queue, a, 0, in, n) == PLAIT_OK);
        CHECK(w, plait_buffer_copy(queue, b, 0, a, 0, n, &event) == PLAIT_OK);
        plait_buffer_release(a); /* its copy may still run */
        CHECK(w, plait_event_wait(event) == PLAIT_OK);
        plait_event_release(event);
        CHECK(w, plait_buffer_read(queue, b, 0, out, n) == PLAIT_OK);
        CHECK(w, memcmp(in, out, n) == 0);
        plait_buffer_release(b);
        if (round % 16 == 7) {
            CHECK(w, plait_ctx_trim(ctx) == PLAIT_OK);
        }
        if (round % 16 == 11) {
            plait_stats s = PLAIT_STATS;
            CHECK(w, plait_finish(ctx) == PLAIT_OK);
            CHECK(w, plait_ctx_stats(ctx, &s) == PLAIT_OK);
            CHECK(w, s.memory_used <= s.memory_held);
        }
    }
    plait_queue_release(queue);
    return NULL;
}

static void threads_do_not_disturb_each_other(void **state)
{
    (void)state;
    run_all(use_buffers, NULL);
    plait_stats s = PLAIT_STATS;
    assert_ok(plait_ctx_stats(ctx, &s));
    assert_int_equal(s.buffers, 0);
    assert_int_equal(s.memory_used, 0);
}

/* One buffer that every thread uses on a queue of its own. */
static void *use_shared(void *argument)
{
    worker *w = argument;
    plait_queue *queue;
    CHECK(w, plait_queue_create(&queue, ctx, NULL) == PLAIT_OK);
    pthread_barrier_wait(&start);
    unsigned char out[100];
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned char byte = (unsigned char)(w->number + round);
        plait_buffer *mine = plait_buffer_retain(w->shared);
        CHECK(w, plait_buffer_fill(queue, mine, 100 * w->number, 100, &byte, 1, NULL) == PLAIT_OK);
        CHECK(w, plait_buffer_read(queue, mine, 100 * w->number, out, 100) == PLAIT_OK);
        CHECK(w, out[0] == byte && out[99] == byte);
        plait_buffer_release(mine);
    }
    plait_queue_release(queue);
    return NULL;
}

static void one_buffer_on_many_queues(void **state)
{
    (void)state;
    plait_buffer *shared;
    assert_ok(plait_buffer_create(&shared, ctx, 100 * THREADS, NULL));
    run_all(use_shared, shared);
    plait_buffer_release(shared);
}

/* Failures are each thread's own, and leave the context as it is. */
static void *fail_in_turn(void *argument)
{
    worker *w = argument;
    char expected[40];
    snprintf(expected, sizeof expected, "%u bytes at offset 0", 2000 + w->number);
    pthread_barrier_wait(&start);
    for (unsigned round = 0; round < ROUNDS; round++) {
        char byte[1] = {0};
        CHECK(w, plait_buffer_write(plait_ctx_queue(ctx), w->shared, 0, byte, 2000 + w->number) == PLAIT_E_RANGE);
        CHECK(w, strstr(plait_last_error(), expected) != NULL);
        CHECK(w, plait_buffer_write(plait_ctx_queue(ctx), w->shared, w->number, byte, 1) == PLAIT_OK);
    }
    return NULL;
}

static void errors_belong_to_their_thread(void **state)
{
    (void)state;
    plait_buffer *shared;
    assert_ok(plait_buffer_create(&shared, ctx, 100, NULL));
    run_all(fail_in_turn, shared);
    plait_buffer_release(shared);
}

static void *open_and_close(void *argument)
{
    worker *w = argument;
    pthread_barrier_wait(&start);
    for (unsigned round = 0; round < 3; round++) {
        plait_ctx *mine;
        plait_buffer *buffer;
        CHECK(w, plait_open(&mine, NULL) == PLAIT_OK);
        CHECK(w, plait_buffer_create(&buffer, mine, 1000, NULL) == PLAIT_OK);
        CHECK(w, plait_buffer_fill(plait_ctx_queue(mine), buffer, 0, 1000, "x", 1, NULL) == PLAIT_OK);
        CHECK(w, plait_close(mine) == PLAIT_OK);
        plait_buffer_release(buffer);
    }
    return NULL;
}

static void contexts_open_and_close_side_by_side(void **state)
{
    (void)state;
    run_all(open_and_close, NULL);
}

static int attached;

static void *attach(plait_ctx *owner)
{
    (void)owner;
    attached++;
    return &attached;
}

static plait_status on_close(plait_ctx *owner, void *state)
{
    (void)owner;
    (void)state;
    return PLAIT_OK;
}

static void on_free(void *state)
{
    (void)state;
}

static const plait__slot_ops ops = {attach, on_close, on_free};

static void *ask_for_state(void *argument)
{
    worker *w = argument;
    pthread_barrier_wait(&start);
    CHECK(w, plait__ctx_state(ctx, PLAIT__SLOT_FFT, &ops) == &attached);
    return NULL;
}

static void a_slot_is_filled_once(void **state)
{
    (void)state;
    run_all(ask_for_state, NULL);
    assert_int_equal(attached, 1);
}

int main(void)
{
    ctx = open_or_skip();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_do_not_disturb_each_other),
        cmocka_unit_test(one_buffer_on_many_queues),
        cmocka_unit_test(errors_belong_to_their_thread),
        cmocka_unit_test(contexts_open_and_close_side_by_side),
        cmocka_unit_test(a_slot_is_filled_once),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return plait_close(ctx) == PLAIT_OK ? failed : 1;
}
