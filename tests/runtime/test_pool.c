#include "device_testing.h"
#include "queue_hold.h"

#include "pool.h"

#include <plait/buffer.h>

#define KIB ((size_t)1024)

static plait_ctx *open_with(const char *variable, const char *value, uint64_t limit)
{
    plait_ctx_opts o = PLAIT_CTX_OPTS;
    o.memory_limit = limit;
    if (variable != NULL) {
        setenv(variable, value, 1);
    }
    plait_ctx *ctx = NULL;
    plait_status status = plait_open(&ctx, &o);
    if (variable != NULL) {
        unsetenv(variable);
    }
    assert_ok(status);
    return ctx;
}

static plait_buffer *make(plait_ctx *ctx, size_t bytes)
{
    plait_buffer *buffer;
    assert_ok(plait_buffer_create(&buffer, ctx, bytes, NULL));
    return buffer;
}

static plait_stats stats_of(plait_ctx *ctx)
{
    plait_stats s = PLAIT_STATS;
    assert_ok(plait_ctx_stats(ctx, &s));
    return s;
}

/* Which memory a buffer has, without using it. */
static cl_mem memory_of(plait_ctx *ctx, plait_buffer *buffer)
{
    return plait__buffer_use(buffer, plait_ctx_queue(ctx));
}

static void classes_waste_at_most_an_eighth(void **state)
{
    (void)state;
    size_t before = 0;
    for (size_t bytes = 1; bytes < (size_t)1 << 40; bytes += bytes / 37 + 1) {
        size_t size = plait__pool_class_size(bytes);
        assert_true(size >= bytes && size >= 256);
        assert_true(size >= before);
        assert_true(bytes <= 256 || size - bytes <= bytes / 8);
        assert_int_equal(plait__pool_class_size(size), size);
        assert_int_equal(size % 32, 0);
        before = size;
    }
}

static void a_released_block_is_used_again(void **state)
{
    (void)state;
    plait_ctx *ctx = open_with(NULL, NULL, 0);
    plait_buffer *a = make(ctx, 100 * KIB);
    cl_mem first = memory_of(ctx, a);
    plait_stats s = stats_of(ctx);
    assert_true(s.memory_used >= 100 * KIB && s.memory_used <= 113 * KIB);
    assert_int_equal(s.memory_held, s.memory_used);
    plait_buffer_release(a);
    assert_int_equal(stats_of(ctx).memory_used, 0);
    assert_int_equal(stats_of(ctx).memory_held, s.memory_held);

    plait_buffer *b = make(ctx, 99 * KIB); /* another size that fits */
    assert_ptr_equal(memory_of(ctx, b), first);
    plait_buffer *c = make(ctx, 100 * KIB); /* the block is taken now */
    assert_ptr_not_equal(memory_of(ctx, c), first);
    plait_buffer_release(b);
    plait_buffer *d = make(ctx, 85 * KIB); /* loses less than a quarter */
    assert_ptr_equal(memory_of(ctx, d), first);
    plait_buffer_release(d);
    plait_buffer *e = make(ctx, 50 * KIB); /* would lose more */
    assert_ptr_not_equal(memory_of(ctx, e), first);
    assert_int_equal(stats_of(ctx).buffers, 2);
    plait_buffer_release(c);
    plait_buffer_release(e);
    assert_ok(plait_close(ctx));
}

static void the_best_fit_is_taken(void **state)
{
    (void)state;
    plait_ctx *ctx = open_with(NULL, NULL, 0);
    plait_buffer *large = make(ctx, 112 * KIB), *fitting = make(ctx, 96 * KIB);
    cl_mem fits = memory_of(ctx, fitting);
    plait_buffer_release(fitting);
    plait_buffer_release(large); /* the last to be released, but not the best */
    plait_buffer *again = make(ctx, 95 * KIB);
    assert_ptr_equal(memory_of(ctx, again), fits);
    plait_buffer_release(again);
    assert_ok(plait_close(ctx));
}

static void a_hundred_turns_hold_what_one_holds(void **state)
{
    (void)state;
    plait_ctx *ctx = open_with(NULL, NULL, 0);
    uint64_t held = 0;
    for (int turn = 0; turn < 100; turn++) {
        plait_buffer *buffers[10];
        for (size_t i = 0; i < 10; i++) {
            buffers[i] = make(ctx, 1000 + 777 * i * i);
            assert_ok(plait_buffer_fill(plait_ctx_queue(ctx), buffers[i], 0, 1000, "x", 1, NULL));
        }
        for (size_t i = 0; i < 10; i++) {
            plait_buffer_release(buffers[i]);
        }
        if (turn == 0) {
            held = stats_of(ctx).memory_held;
        }
    }
    assert_int_equal(stats_of(ctx).memory_held, held);
    assert_int_equal(stats_of(ctx).memory_used, 0);
    assert_true(stats_of(ctx).memory_peak <= held);
    assert_ok(plait_close(ctx));
}

static void trimming_gives_unused_memory_back(void **state)
{
    (void)state;
    plait_ctx *ctx = open_with(NULL, NULL, 0);
    plait_buffer *a = make(ctx, 100 * KIB), *b = make(ctx, 10 * KIB);
    plait_buffer_release(a);
    assert_ok(plait_ctx_trim(ctx));
    plait_stats s = stats_of(ctx);
    assert_int_equal(s.memory_held, 10 * KIB);
    assert_int_equal(s.memory_used, 10 * KIB);
    assert_true(s.memory_peak >= 110 * KIB);
    plait_buffer_release(b);
    assert_ok(plait_ctx_trim(ctx));
    assert_int_equal(stats_of(ctx).memory_held, 0);
    assert_ok(plait_close(ctx));
}

static void the_limit_holds_and_the_context_lives_on(void **state)
{
    (void)state;
    plait_ctx *ctx = open_with(NULL, NULL, 1024 * KIB);
    plait_buffer *a = make(ctx, 640 * KIB), *b = NULL;
    assert_fails(plait_buffer_create(&b, ctx, 500 * KIB, NULL), PLAIT_E_DEVICE_MEMORY, "512000 bytes");
    assert_null(b);
    assert_on_record(PLAIT_E_DEVICE_MEMORY, "holds 655360 bytes, 0 of them free, and its limit is 1048576");
    b = make(ctx, 384 * KIB);
    assert_int_equal(stats_of(ctx).memory_held, 1024 * KIB);
    plait_buffer *c = NULL;
    assert_fails(plait_buffer_create(&c, ctx, 1, NULL), PLAIT_E_DEVICE_MEMORY, "refused");
    /* What lies in the pool makes room. */
    plait_buffer_release(a);
    plait_buffer *d = make(ctx, 100 * KIB), *e = make(ctx, 500 * KIB);
    assert_true(stats_of(ctx).memory_held <= 1024 * KIB);
    plait_buffer_release(b);
    plait_buffer_release(d);
    plait_buffer_release(e);
    /* Where a class's size is above the limit, the exact size still fits. */
    a = make(ctx, 1024 * KIB - 1);
    plait_buffer_release(a);
    assert_fails(plait_buffer_create(&c, ctx, 1024 * KIB + 1, NULL), PLAIT_E_RANGE, "largest buffer");
    assert_ok(plait_close(ctx));
}

static void nothing_above_the_devices_largest_is_asked_for(void **state)
{
    (void)state;
    plait_ctx *ctx = open_with(NULL, NULL, 0);
    size_t largest = (size_t)plait__ctx_caps(ctx)->max_allocation;
    plait_buffer *a = NULL;
    char expected[64];
    snprintf(expected, sizeof expected, "%zu bytes", largest + 1);
    assert_fails(plait_buffer_create(&a, ctx, largest + 1, NULL), PLAIT_E_RANGE, expected);
    assert_fails(plait_buffer_create(&a, ctx, SIZE_MAX, NULL), PLAIT_E_RANGE, "largest buffer");
    assert_null(a);
    a = make(ctx, 10);
    plait_buffer_release(a);
    assert_ok(plait_close(ctx));
}

static void another_queue_waits_for_the_contexts_own(void **state)
{
    (void)state;
    plait_ctx *ctx = open_with(NULL, NULL, 0);
    plait_queue *own = plait_ctx_queue(ctx), *other;
    assert_ok(plait_queue_create(&other, ctx, NULL));
    plait_buffer *a = make(ctx, 10 * KIB);
    cl_event gate = queue_hold(own);
    assert_ok(plait_buffer_fill(own, a, 0, 10 * KIB, "a", 1, NULL));
    cl_mem memory = memory_of(ctx, a);
    plait_buffer_release(a); /* its fill has not run */

    plait_buffer *b = make(ctx, 10 * KIB);
    plait_event *event;
    char data[100];
    assert_ok(plait_buffer_fill(other, b, 0, 10 * KIB, "b", 1, &event));
    assert_waits(event);
    queue_let_go(gate);
    assert_ok(plait_event_wait(event));
    assert_ok(plait_buffer_read(other, b, 0, data, sizeof data));
    assert_ptr_equal(memory_of(ctx, b), memory);
    for (size_t i = 0; i < sizeof data; i++) {
        assert_int_equal(data[i], 'b');
    }
    plait_event_release(event);
    plait_buffer_release(b);
    plait_queue_release(other);
    assert_ok(plait_close(ctx));
}

static void every_queue_waits_for_others_earlier_use(void **state)
{
    (void)state;
    plait_ctx *ctx = open_with(NULL, NULL, 0);
    plait_queue *own = plait_ctx_queue(ctx), *other, *third;
    assert_ok(plait_queue_create(&other, ctx, NULL));
    assert_ok(plait_queue_create(&third, ctx, NULL));
    plait_queue *const later[] = {own, third, other};
    for (size_t i = 0; i < 3; i++) {
        plait_buffer *a = make(ctx, 10 * KIB);
        cl_event gate = queue_hold(other);
        assert_ok(plait_buffer_fill(other, a, 0, 10 * KIB, "a", 1, NULL));
        plait_buffer_release(a);
        plait_buffer *b = make(ctx, 10 * KIB);
        plait_event *event;
        char byte;
        assert_int_equal(stats_of(ctx).memory_held, 10 * KIB); /* the same block */
        assert_ok(plait_buffer_fill(later[i], b, 0, 10 * KIB, "b", 1, &event));
        assert_waits(event);
        queue_let_go(gate);
        assert_ok(plait_event_wait(event));
        assert_ok(plait_queue_finish(other));
        assert_ok(plait_buffer_read(later[i], b, 5, &byte, 1));
        assert_int_equal(byte, 'b');
        plait_event_release(event);
        plait_buffer_release(b);
    }
    plait_queue_release(other);
    plait_queue_release(third);
    assert_ok(plait_close(ctx));
}

/* A block that nobody uses any more is better than one whose queue is still at work. */
static void a_block_that_is_done_comes_first(void **state)
{
    (void)state;
    plait_ctx *ctx = open_with(NULL, NULL, 0);
    plait_queue *other;
    assert_ok(plait_queue_create(&other, ctx, NULL));
    plait_buffer *idle = make(ctx, 10 * KIB), *busy = make(ctx, 10 * KIB);
    cl_mem idle_memory = memory_of(ctx, idle);
    cl_event gate = queue_hold(other);
    assert_ok(plait_buffer_fill(other, busy, 0, 10 * KIB, "a", 1, NULL));
    plait_buffer_release(idle);
    plait_buffer_release(busy);
    plait_buffer *next = make(ctx, 10 * KIB);
    assert_ptr_equal(memory_of(ctx, next), idle_memory);
    queue_let_go(gate);
    plait_buffer_release(next);
    plait_queue_release(other);
    assert_ok(plait_close(ctx));
}

static void a_released_queue_is_still_waited_for(void **state)
{
    (void)state;
    plait_ctx *ctx = open_with(NULL, NULL, 0);
    plait_queue *own = plait_ctx_queue(ctx), *other;
    assert_ok(plait_queue_create(&other, ctx, NULL));
    plait_buffer *a = make(ctx, 10 * KIB);
    cl_event gate = queue_hold(other);
    assert_ok(plait_buffer_fill(other, a, 0, 10 * KIB, "a", 1, NULL));
    plait_queue_release(other); /* the block still knows it */
    plait_buffer_release(a);
    plait_buffer *b = make(ctx, 10 * KIB);
    plait_event *event;
    assert_ok(plait_buffer_fill(own, b, 0, 10 * KIB, "b", 1, &event));
    assert_waits(event);
    queue_let_go(gate);
    assert_ok(plait_event_wait(event));
    plait_event_release(event);
    plait_buffer_release(b);
    assert_ok(plait_close(ctx));
}

static void a_block_of_many_queues_goes_back_to_the_driver(void **state)
{
    (void)state;
    enum { QUEUES = 12 };
    plait_ctx *ctx = open_with(NULL, NULL, 0);
    plait_queue *queues[QUEUES];
    plait_buffer *a = make(ctx, 10 * KIB);
    for (size_t i = 0; i < QUEUES; i++) {
        assert_ok(plait_queue_create(&queues[i], ctx, NULL));
        for (int twice = 0; twice < 2; twice++) {
            assert_ok(plait_buffer_fill(queues[i], a, 100 * i, 100, "x", 1, NULL));
        }
    }
    for (size_t i = 0; i < QUEUES; i++) {
        assert_ok(plait_queue_finish(queues[i]));
        plait_queue_release(queues[i]);
    }
    char data[100 * QUEUES];
    assert_ok(plait_buffer_read(plait_ctx_queue(ctx), a, 0, data, sizeof data));
    for (size_t i = 0; i < sizeof data; i++) {
        assert_int_equal(data[i], 'x');
    }
    plait_buffer_release(a);
    assert_int_equal(stats_of(ctx).memory_held, 0);
    a = make(ctx, 10 * KIB);
    plait_buffer_release(a);
    assert_int_equal(stats_of(ctx).memory_held, 10 * KIB);
    assert_ok(plait_close(ctx));
}

static void poison_fills_fresh_and_reused_memory(void **state)
{
    (void)state;
    plait_ctx *ctx = open_with("PLAIT_POISON", "1", 0);
    plait_queue *other;
    assert_ok(plait_queue_create(&other, ctx, NULL));
    plait_queue *const queues[] = {plait_ctx_queue(ctx), other};
    for (int i = 0; i < 4; i++) {
        unsigned char data[1001];
        memset(data, 1, sizeof data);
        plait_buffer *a = make(ctx, sizeof data);
        assert_ok(plait_buffer_read(queues[i % 2], a, 0, data, sizeof data));
        for (size_t j = 0; j < sizeof data; j++) {
            assert_int_equal(data[j], 0xFF);
        }
        memset(data, 2, sizeof data);
        assert_ok(plait_buffer_write(queues[i % 2], a, 0, data, sizeof data));
        plait_buffer_release(a);
    }
    plait_queue_release(other);
    assert_ok(plait_close(ctx));
    setenv("PLAIT_POISON", "perhaps", 1);
    assert_fails(plait_open(&ctx, NULL), PLAIT_E_ARGUMENT, "PLAIT_POISON");
    unsetenv("PLAIT_POISON");
}

/* ---- with the test driver, whose memory can be made small ---- */

static void role_refused(void **state)
{
    (void)state;
    plait_ctx *ctx;
    plait_buffer *a, *b, *c;
    assert_ok(plait_open(&ctx, NULL));
    a = make(ctx, 640 * KIB);
    plait_buffer_release(a);
    b = make(ctx, 480 * KIB); /* fits only without what the pool keeps */
    assert_int_equal(stats_of(ctx).memory_held, 480 * KIB);
    assert_fails(plait_buffer_create(&c, ctx, 768 * KIB, NULL), PLAIT_E_DEVICE_MEMORY,
                 "the driver (CL_MEM_OBJECT_ALLOCATION_FAILURE) refused");
    assert_on_record(PLAIT_E_DEVICE_MEMORY, "786432 bytes");
    assert_int_equal(stats_of(ctx).memory_held, 480 * KIB);
    assert_int_equal(stats_of(ctx).buffers, 1);
    plait_buffer_release(b);
    c = make(ctx, 768 * KIB);
    plait_buffer_release(c);
    assert_ok(plait_close(ctx));
}

static void what_the_driver_refuses_is_tried_again_without_the_pool(void **state)
{
    (void)state;
    char *folder = test_folder_make(), vendors[4200], text[4200];
    int n = snprintf(text, sizeof text, "%s\n", getenv("TEST_ICD"));
    test_file_write(test_path(folder, "test.icd"), text, (size_t)n);
    snprintf(vendors, sizeof vendors, "OCL_ICD_VENDORS=%s/", folder);
    const char *const modes[] = {"TEST_ICD_MODE=gpu,memory=1048576",
                                 "TEST_ICD_MODE=gpu,memory=1048576,platform=NVIDIA CUDA"};
    for (size_t i = 0; i < 2; i++) {
        const char *const env[] = {vendors, modes[i], "PLAIT_DEVICE=", NULL};
        free(run_self("refused", env));
    }
    test_folder_remove(folder);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "refused") == 0) {
        const struct CMUnitTest role[] = {cmocka_unit_test(role_refused)};
        return cmocka_run_group_tests(role, NULL, NULL);
    }
    plait_close(open_or_skip());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_waste_at_most_an_eighth),
        cmocka_unit_test(a_released_block_is_used_again),
        cmocka_unit_test(the_best_fit_is_taken),
        cmocka_unit_test(a_hundred_turns_hold_what_one_holds),
        cmocka_unit_test(trimming_gives_unused_memory_back),
        cmocka_unit_test(the_limit_holds_and_the_context_lives_on),
        cmocka_unit_test(nothing_above_the_devices_largest_is_asked_for),
        cmocka_unit_test(another_queue_waits_for_the_contexts_own),
        cmocka_unit_test(every_queue_waits_for_others_earlier_use),
        cmocka_unit_test(a_block_that_is_done_comes_first),
        cmocka_unit_test(a_released_queue_is_still_waited_for),
        cmocka_unit_test(a_block_of_many_queues_goes_back_to_the_driver),
        cmocka_unit_test(poison_fills_fresh_and_reused_memory),
        cmocka_unit_test(what_the_driver_refuses_is_tried_again_without_the_pool),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
