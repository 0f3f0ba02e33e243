#include "device_testing.h"

#include <plait/buffer.h>

static plait_ctx *ctx;
static plait_queue *queue;

static plait_buffer *make(size_t bytes)
{
    plait_buffer *buffer;
    assert_ok(plait_buffer_create(&buffer, ctx, bytes, NULL));
    return buffer;
}

static void sizes_come_back(void **state)
{
    (void)state;
    const size_t sizes[] = {0, 1, 3, 31, 32, 33, 255, 256, 257, 511, 512, 513, 1000, 65537, 1 << 20};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t n = sizes[i];
        unsigned char *in = malloc(n + 1), *out = malloc(n + 1);
        assert_true(in != NULL && out != NULL);
        for (size_t j = 0; j < n; j++) {
            in[j] = (unsigned char)(j * 7 + 1);
            out[j] = 0;
        }
        out[n] = 0xA5; /* a guard */
        plait_buffer_opts o = PLAIT_BUFFER_OPTS;
        o.data = in;
        plait_buffer *buffer;
        assert_ok(plait_buffer_create(&buffer, ctx, n, &o));
        assert_int_equal(plait_buffer_size(buffer), n);
        assert_ptr_equal(plait_buffer_ctx(buffer), ctx);
        assert_ok(plait_buffer_read(queue, buffer, 0, out, n));
        assert_memory_equal(in, out, n);
        assert_int_equal(out[n], 0xA5);
        plait_buffer_release(buffer);
        free(in);
        free(out);
    }
}

static void data_is_copied_in_before_the_call_returns(void **state)
{
    (void)state;
    static char data[100000];
    memset(data, 'a', sizeof data);
    plait_buffer_opts o;
    plait_buffer_opts_init(&o);
    o.data = data;
    plait_buffer *buffer;
    assert_ok(plait_buffer_create(&buffer, ctx, sizeof data, &o));
    memset(data, 'b', sizeof data);
    char last;
    assert_ok(plait_buffer_read(queue, buffer, sizeof data - 1, &last, 1));
    assert_int_equal(last, 'a');
    memset(data, 'c', sizeof data);
    assert_ok(plait_buffer_write(queue, buffer, 0, data, sizeof data));
    memset(data, 'd', sizeof data);
    assert_ok(plait_buffer_read(queue, buffer, sizeof data - 1, &last, 1));
    assert_int_equal(last, 'c');
    plait_buffer_release(buffer);
}

static void parts_are_written_and_read(void **state)
{
    (void)state;
    unsigned char model[300], data[300], out[300];
    memset(model, 0, sizeof model);
    plait_buffer *buffer = make(sizeof model);
    assert_ok(plait_buffer_fill(queue, buffer, 0, sizeof model, "\0", 1, NULL));
    for (size_t i = 0; i < 60; i++) {
        size_t offset = i * 13 % 280, n = i % 20 + 1;
        memset(data, (int)i + 1, n);
        memset(model + offset, (int)i + 1, n);
        assert_ok(plait_buffer_write(queue, buffer, offset, data, n));
    }
    assert_ok(plait_buffer_read(queue, buffer, 0, out, sizeof out));
    assert_memory_equal(out, model, sizeof model);
    for (size_t k = 0; k <= 64; k++) { /* every alignment */
        assert_ok(plait_buffer_read(queue, buffer, k, out, 200));
        assert_memory_equal(out, model + k, 200);
    }
    plait_buffer_release(buffer);
}

static void patterns_of_every_size(void **state)
{
    (void)state;
    unsigned char pattern[128], model[1024], out[1024];
    for (size_t i = 0; i < sizeof pattern; i++) {
        pattern[i] = (unsigned char)(i + 1);
    }
    plait_buffer *buffer = make(sizeof model);
    for (size_t size = 1; size <= 128; size *= 2) {
        const size_t offset = size, bytes = (sizeof model / size - 2) * size;
        plait_event *event;
        memset(model, 0xEE, sizeof model);
        assert_ok(plait_buffer_fill(queue, buffer, 0, sizeof model, "\xEE", 1, NULL));
        for (size_t i = 0; i < bytes; i++) {
            model[offset + i] = pattern[i % size];
        }
        assert_ok(plait_buffer_fill(queue, buffer, offset, bytes, pattern, size, &event));
        assert_ok(plait_event_wait(event));
        plait_event_release(event);
        assert_ok(plait_buffer_read(queue, buffer, 0, out, sizeof out));
        assert_memory_equal(out, model, sizeof model);
    }
    const size_t wrong[] = {0, 3, 5, 24, 127, 129, 256, SIZE_MAX};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_fails(plait_buffer_fill(queue, buffer, 0, 0, pattern, wrong[i], NULL), PLAIT_E_ARGUMENT, "pattern_size");
    }
    assert_fails(plait_buffer_fill(queue, buffer, 2, 8, pattern, 4, NULL), PLAIT_E_ARGUMENT, "multiples");
    assert_fails(plait_buffer_fill(queue, buffer, 4, 6, pattern, 4, NULL), PLAIT_E_ARGUMENT, "multiples");
    assert_fails(plait_buffer_fill(queue, buffer, 1024, 4, pattern, 4, NULL), PLAIT_E_RANGE, "1024 bytes");
    plait_buffer_release(buffer);
}

static void copies_within_and_between(void **state)
{
    (void)state;
    unsigned char model[1000], out[1000];
    for (size_t i = 0; i < sizeof model; i++) {
        model[i] = (unsigned char)(i % 251);
    }
    plait_buffer *a = make(sizeof model), *b = make(2000);
    plait_event *event = NULL;
    assert_ok(plait_buffer_write(queue, a, 0, model, sizeof model));
    assert_ok(plait_buffer_copy(queue, b, 501, a, 3, 900, &event));
    assert_non_null(event);
    assert_ok(plait_event_wait(event));
    plait_event_release(event);
    assert_ok(plait_buffer_read(queue, b, 501, out, 900));
    assert_memory_equal(out, model + 3, 900);

    /* Side by side is fine, a single shared byte is not. */
    assert_ok(plait_buffer_copy(queue, a, 500, a, 0, 500, NULL));
    assert_ok(plait_buffer_read(queue, a, 500, out, 500));
    assert_memory_equal(out, model, 500);
    assert_fails(plait_buffer_copy(queue, a, 499, a, 0, 500, NULL), PLAIT_E_RANGE, "overlap");
    assert_fails(plait_buffer_copy(queue, a, 0, a, 499, 500, &event), PLAIT_E_RANGE, "overlap");
    assert_null(event);
    assert_fails(plait_buffer_copy(queue, a, 7, a, 7, 1, NULL), PLAIT_E_RANGE, "overlap");
    assert_ok(plait_buffer_copy(queue, a, 7, a, 7, 0, NULL));
    assert_ok(plait_buffer_read(queue, a, 0, out, 500));
    assert_memory_equal(out, model, 500);
    plait_buffer_release(a);
    plait_buffer_release(b);
}

static void nothing_is_a_valid_amount(void **state)
{
    (void)state;
    plait_buffer *empty = make(0), *some = make(10);
    plait_event *event = NULL;
    assert_int_equal(plait_buffer_size(empty), 0);
    assert_ok(plait_buffer_write(queue, empty, 0, NULL, 0));
    assert_ok(plait_buffer_read(queue, empty, 0, NULL, 0));
    assert_ok(plait_buffer_copy(queue, some, 10, empty, 0, 0, &event));
    assert_ok(plait_event_wait(event)); /* also of nothing there is an event */
    plait_event_release(event);
    assert_ok(plait_buffer_fill(queue, empty, 0, 0, "x", 1, &event));
    assert_ok(plait_event_wait(event));
    plait_event_release(event);
    assert_fails(plait_buffer_write(queue, empty, 1, "x", 0), PLAIT_E_RANGE, "offset 1");
    assert_fails(plait_buffer_write(queue, empty, 0, "x", 1), PLAIT_E_RANGE, "0 bytes");
    plait_buffer_release(plait_buffer_retain(empty));
    plait_buffer_release(empty);
    plait_buffer_release(some);
}

static void a_range_that_leaves_the_buffer_changes_nothing(void **state)
{
    (void)state;
    plait_buffer *a = make(100), *b = make(50);
    char data[200], out[100];
    memset(data, 'n', sizeof data);
    assert_ok(plait_buffer_fill(queue, a, 0, 100, "o", 1, NULL));
    const struct {
        size_t offset, bytes;
    } wrong[] = {{0, 101}, {100, 1}, {101, 0}, {50, 51}, {SIZE_MAX, 1}, {1, SIZE_MAX}, {SIZE_MAX, SIZE_MAX}};
    plait_event *event = (plait_event *)&event;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        size_t offset = wrong[i].offset, bytes = wrong[i].bytes;
        char words[64];
        snprintf(words, sizeof words, "%zu bytes at offset %zu", bytes, offset);
        assert_fails(plait_buffer_write(queue, a, offset, data, bytes), PLAIT_E_RANGE, words);
        assert_on_record(PLAIT_E_RANGE, "100 bytes");
        assert_fails(plait_buffer_read(queue, a, offset, out, bytes), PLAIT_E_RANGE, words);
        assert_fails(plait_buffer_fill(queue, a, offset, bytes, "f", 1, NULL), PLAIT_E_RANGE, words);
        assert_fails(plait_buffer_copy(queue, a, offset, b, 0, bytes, &event), PLAIT_E_RANGE, words);
        assert_null(event);
        assert_fails(plait_buffer_copy(queue, b, 0, a, offset, bytes, NULL), PLAIT_E_RANGE, "bytes");
    }
    assert_fails(plait_buffer_copy(queue, a, 0, b, 0, 60, NULL), PLAIT_E_RANGE, "src, which has 50 bytes");
    assert_ok(plait_buffer_read(queue, a, 0, out, 100));
    for (size_t i = 0; i < 100; i++) {
        assert_int_equal(out[i], 'o');
    }
    plait_buffer_release(a);
    plait_buffer_release(b);
}

static void null_is_refused_everywhere(void **state)
{
    (void)state;
    plait_buffer *a = make(10), *out = a;
    char data[10];
    const size_t extent[3] = {1, 1, 1};
    const plait_box box = {0, 0, 0};
    plait_buffer_opts o = {0};
    assert_fails(plait_buffer_create(NULL, ctx, 1, NULL), PLAIT_E_NULL, "out");
    assert_fails(plait_buffer_create(&out, NULL, 1, NULL), PLAIT_E_NULL, "ctx");
    assert_null(out);
    assert_fails(plait_buffer_create(&out, ctx, 1, &o), PLAIT_E_ARGUMENT, "opts.size");
    assert_fails(plait_buffer_write(NULL, a, 0, data, 1), PLAIT_E_NULL, "queue");
    assert_fails(plait_buffer_write(queue, NULL, 0, data, 1), PLAIT_E_NULL, "dst");
    assert_fails(plait_buffer_write(queue, a, 0, NULL, 1), PLAIT_E_NULL, "src");
    assert_fails(plait_buffer_read(NULL, a, 0, data, 1), PLAIT_E_NULL, "queue");
    assert_fails(plait_buffer_read(queue, NULL, 0, data, 1), PLAIT_E_NULL, "src");
    assert_fails(plait_buffer_read(queue, a, 0, NULL, 1), PLAIT_E_NULL, "dst");
    assert_fails(plait_buffer_copy(NULL, a, 0, a, 5, 1, NULL), PLAIT_E_NULL, "queue");
    assert_fails(plait_buffer_copy(queue, NULL, 0, a, 5, 1, NULL), PLAIT_E_NULL, "dst");
    assert_fails(plait_buffer_copy(queue, a, 0, NULL, 5, 1, NULL), PLAIT_E_NULL, "src");
    assert_fails(plait_buffer_fill(NULL, a, 0, 1, "x", 1, NULL), PLAIT_E_NULL, "queue");
    assert_fails(plait_buffer_fill(queue, NULL, 0, 1, "x", 1, NULL), PLAIT_E_NULL, "dst");
    assert_fails(plait_buffer_fill(queue, a, 0, 1, NULL, 1, NULL), PLAIT_E_NULL, "pattern");
    assert_fails(plait_buffer_write_box(queue, NULL, box, data, box, extent), PLAIT_E_NULL, "dst");
    assert_fails(plait_buffer_write_box(queue, a, box, NULL, box, extent), PLAIT_E_NULL, "src");
    assert_fails(plait_buffer_write_box(queue, a, box, data, box, NULL), PLAIT_E_NULL, "extent");
    assert_fails(plait_buffer_read_box(NULL, a, box, data, box, extent), PLAIT_E_NULL, "queue");
    assert_fails(plait_buffer_read_box(queue, a, box, NULL, box, extent), PLAIT_E_NULL, "dst");
    assert_fails(plait_buffer_copy_box(queue, a, box, NULL, box, extent, NULL), PLAIT_E_NULL, "src");
    assert_fails(plait_buffer_copy_box(queue, a, box, a, box, NULL, NULL), PLAIT_E_NULL, "extent");
    assert_fails_null(plait_buffer_retain(NULL), PLAIT_E_NULL, "buffer");
    assert_int_equal(plait_buffer_size(NULL), 0);
    assert_null(plait_buffer_ctx(NULL));
    plait_buffer_release(NULL);
    plait_buffer_opts_init(NULL);
    plait_buffer_release(a);
}

static void two_contexts_do_not_mix(void **state)
{
    (void)state;
    plait_ctx *other = open_or_skip();
    plait_buffer *mine = make(10), *theirs;
    char data[10];
    const size_t extent[3] = {1, 1, 1};
    const plait_box box = {0, 0, 0};
    assert_ok(plait_buffer_create(&theirs, other, 10, NULL));
    assert_fails(plait_buffer_write(queue, theirs, 0, data, 1), PLAIT_E_CONTEXT, "dst");
    assert_fails(plait_buffer_read(queue, theirs, 0, data, 1), PLAIT_E_CONTEXT, plait_ctx_device(ctx)->name);
    assert_fails(plait_buffer_copy(queue, mine, 0, theirs, 0, 1, NULL), PLAIT_E_CONTEXT, "src");
    assert_fails(plait_buffer_copy(queue, theirs, 0, mine, 0, 1, NULL), PLAIT_E_CONTEXT, "dst");
    assert_fails(plait_buffer_fill(plait_ctx_queue(other), mine, 0, 1, "x", 1, NULL), PLAIT_E_CONTEXT, "dst");
    assert_fails(plait_buffer_copy_box(queue, mine, box, theirs, box, extent, NULL), PLAIT_E_CONTEXT, "src");
    plait_buffer_release(theirs);
    assert_ok(plait_close(other));
    assert_ok(plait_buffer_fill(queue, mine, 0, 10, "x", 1, NULL));
    plait_buffer_release(mine);
    assert_ok(plait_queue_finish(queue));
}

int main(void)
{
    ctx = open_or_skip();
    queue = plait_ctx_queue(ctx);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_come_back),
        cmocka_unit_test(data_is_copied_in_before_the_call_returns),
        cmocka_unit_test(parts_are_written_and_read),
        cmocka_unit_test(patterns_of_every_size),
        cmocka_unit_test(copies_within_and_between),
        cmocka_unit_test(nothing_is_a_valid_amount),
        cmocka_unit_test(a_range_that_leaves_the_buffer_changes_nothing),
        cmocka_unit_test(null_is_refused_everywhere),
        cmocka_unit_test(two_contexts_do_not_mix),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return plait_close(ctx) == PLAIT_OK ? failed : 1;
}
