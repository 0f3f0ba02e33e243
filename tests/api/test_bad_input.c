/*
 * What programs get wrong: each mistake gives a clear status and a sentence, nothing is lost, and the context goes on
 * working. (NULL: test_null.c. Sizes of zero: test_empty.c.)
 */
#include "api_testing.h"

#include <math.h>

static plait_ctx *ctx;
static plait_stats before;

static const char source[] = "kernel void twice(global const float *a, global float *b)\n"
                             "{\n"
                             "    b[get_global_id(0)] = 2 * a[get_global_id(0)];\n"
                             "}\n";

static int begin(void **state)
{
    (void)state;
    before = stats_of(ctx);
    return 0;
}

/* Nothing is left over, and the context computes. */
static int end(void **state)
{
    (void)state;
    assert_ok(plait_drain(ctx));
    assert_ok(plait_drain(NULL));
    assert_ok(plait_finish(ctx));
    plait_stats after = stats_of(ctx);
    assert_int_equal(after.arrays, before.arrays);
    assert_int_equal(after.buffers, before.buffers);
    assert_int_equal(after.memory_used, before.memory_used);
    PLAIT_SCOPE;
    double value;
    assert_ok(plait_item(plait_sum(plait_arange(ctx, 0, 1000, 1, PLAIT_F32)), &value));
    assert_true(value == 499500);
    return 0;
}

/* Both contexts are named, which here are on one device. */
static void both_are_named(void)
{
    const char *name = plait_ctx_device(ctx)->name;
    const char *first = strstr(plait_last_error(), name);
    if (first == NULL || strstr(first + 1, name) == NULL) {
        fail_msg("\"%s\" does not name both contexts' devices (%s)", plait_last_error(), name);
    }
}

#define assert_mixed(call)                                                                                             \
    assert_fails(call, PLAIT_E_CONTEXT, "");                                                                           \
    both_are_named()
#define assert_mixed_null(call)                                                                                        \
    assert_fails_null(call, PLAIT_E_CONTEXT, "");                                                                      \
    both_are_named()

static void two_contexts(void **state)
{
    (void)state;
    plait_ctx *other = open_or_skip();
    {
        PLAIT_SCOPE;
        plait_array *a = plait_arange(ctx, 0, 4, 1, PLAIT_F32), *b = plait_arange(other, 0, 4, 1, PLAIT_F32);
        plait_array *yes = plait_greater(b, plait_num(1));
        assert_mixed_null(plait_add(a, b));
        assert_mixed_null(plait_where(yes, a, a));
        assert_mixed_null(plait_sum_opt(a, yes, NULL));
        assert_mixed_null(plait_matmul(a, b));
        assert_mixed_null(plait_map("a + b", a, b));
        assert_mixed_null(plait_full(ctx, PLAIT_SHAPE(2), plait_sum(b), PLAIT_F32));
        assert_mixed(plait_eval((plait_array *const[]){a, b}, 2));
        assert_fails(plait_step(other, (plait_array *const[]){a}, 1), PLAIT_E_OWNERSHIP, "arrays[0]");

        plait_program *program;
        plait_kernel *kernel;
        plait_buffer *mine, *foreign;
        plait_queue *queue = plait_ctx_queue(ctx);
        plait_event *event;
        char bytes[16] = {0};
        const size_t extent[3] = {4, 1, 1};
        assert_ok(plait_program_from_source(&program, ctx, source, NULL));
        assert_ok(plait_kernel_create(&kernel, program, "twice"));
        assert_ok(plait_buffer_create(&mine, ctx, 16, NULL));
        assert_ok(plait_buffer_create(&foreign, other, 16, NULL));
        assert_mixed_null(plait_call1(kernel, PLAIT_GRID(4), PLAIT_IN(b), PLAIT_OUT(PLAIT_F32, PLAIT_SHAPE(4))));
        assert_mixed(plait_buffer_write(queue, foreign, 0, bytes, 16));
        assert_mixed(plait_buffer_read(queue, foreign, 0, bytes, 16));
        assert_mixed(plait_buffer_copy(queue, mine, 0, foreign, 0, 16, NULL));
        assert_mixed(plait_buffer_fill(queue, foreign, 0, 16, bytes, 1, NULL));
        assert_mixed(plait_buffer_copy_box(queue, foreign, (plait_box){0}, mine, (plait_box){0}, extent, NULL));
        assert_mixed(plait_launch(queue, kernel, PLAIT_GRID(4), PLAIT_BUFFER(mine), PLAIT_BUFFER(foreign)));
        assert_mixed(
            plait_launch(plait_ctx_queue(other), kernel, PLAIT_GRID(4), PLAIT_BUFFER(foreign), PLAIT_BUFFER(foreign)));
        assert_ok(plait_queue_mark(plait_ctx_queue(other), &event));
        assert_mixed(plait_queue_wait_event(queue, event));
        plait_event_release(event);
        plait_buffer_release(mine);
        plait_buffer_release(foreign);
        plait_kernel_release(kernel);
        plait_program_release(program);

        double value; /* both still work */
        assert_ok(plait_item(plait_sum(b), &value));
        assert_true(value == 6);
    }
    assert_ok(plait_close(other));
}

static void larger_than_the_device_allows(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    size_t most = (size_t)plait_ctx_device(ctx)->max_allocation;
    plait_buffer *buffer;
    assert_fails(plait_buffer_create(&buffer, ctx, most + 1, NULL), PLAIT_E_RANGE, "the largest buffer");
    assert_fails(plait_buffer_create(&buffer, ctx, SIZE_MAX, NULL), PLAIT_E_RANGE, "18446744073709551615 bytes");
    assert_null(buffer);
    /* The data is not read: there is too much of it. */
    int64_t elements = (int64_t)(most / 4) + 1;
    assert_fails_null(plait_from_host(ctx, "abc", PLAIT_SHAPE(elements), PLAIT_F32), PLAIT_E_RANGE, "largest buffer");
    plait_array *constant = plait_ones(ctx, PLAIT_SHAPE(elements), PLAIT_F32);
    plait_array *range = plait_arange(ctx, 0, (double)elements, 1, PLAIT_F32);
    assert_array(constant); /* takes no memory until it is needed */
    assert_fails(plait_eval(&constant, 1), PLAIT_E_RANGE, "largest buffer");
    assert_fails(plait_eval((plait_array *const[]){range, constant}, 2), PLAIT_E_RANGE, "largest buffer");
    assert_fails(plait_to_host(range, &constant, 1, PLAIT_F32), PLAIT_E_RANGE, "room for 1 element");
    assert_fails_null(plait_zeros(ctx, PLAIT_SHAPE(INT64_MAX / 2, 3), PLAIT_F32), PLAIT_E_SHAPE, "64 bits");
    assert_fails_null(plait_zeros(ctx, PLAIT_SHAPE(INT64_C(1) << 61, 4), PLAIT_U8), PLAIT_E_SHAPE, "64 bits");
    assert_array(plait_zeros(ctx, PLAIT_SHAPE(INT64_C(1) << 60), PLAIT_U8));
    assert_array(plait_zeros(ctx, PLAIT_SHAPE(INT64_C(1) << 60, 1000, 0), PLAIT_F32));
}

/* What is over a limit fails; what was made before stays, and what is released makes room. */
static void out_of_memory(void **state)
{
    (void)state;
    plait_ctx_opts o = PLAIT_CTX_OPTS;
    o.memory_limit = 9 << 20;
    plait_ctx *small = open_with_or_skip(&o);
    {
        PLAIT_SCOPE;
        double value;
        plait_array *a = plait_keep(plait_arange(small, 0, 1 << 20, 1, PLAIT_F32));
        plait_array *b = plait_keep(plait_multiply(a, plait_num(2)));
        assert_ok(plait_eval((plait_array *const[]){a, b}, 2));
        plait_array *c = plait_keep(plait_add(a, b));
        assert_fails(plait_eval(&c, 1), PLAIT_E_DEVICE_MEMORY, "4194304 bytes");
        assert_false(plait_array_is_evaluated(c));
        assert_ok(plait_item(plait_index(b, 0, -1), &value)); /* unharmed */
        assert_true(value == 2097150);
        assert_fails(plait_eval(&c, 1), PLAIT_E_DEVICE_MEMORY, "limit");
        plait_array *last = plait_keep(plait_index(c, 0, -1));
        assert_ok(plait_release(b));         /* c holds it */
        assert_ok(plait_item(last, &value)); /* needs no memory to speak of */
        assert_true(value == 3145725);
        assert_ok(plait_release(last));
        assert_ok(plait_release(c));
        assert_ok(plait_release(a));
    }
    plait_stats s = stats_of(small);
    assert_int_equal(s.arrays, 0);
    assert_int_equal(s.buffers, 0);
    assert_ok(plait_close(small));
}

static void outside_of_a_buffer(void **state)
{
    (void)state;
    plait_queue *queue = plait_ctx_queue(ctx);
    plait_buffer *a, *b;
    char bytes[64];
    memset(bytes, 7, sizeof bytes);
    plait_buffer_opts o = PLAIT_BUFFER_OPTS;
    o.data = bytes;
    assert_ok(plait_buffer_create(&a, ctx, 64, &o));
    assert_ok(plait_buffer_create(&b, ctx, 32, NULL));
    char zeros[64] = {0};
    assert_fails(plait_buffer_write(queue, a, 1, zeros, 64), PLAIT_E_RANGE, "64 bytes at offset 1");
    assert_fails(plait_buffer_write(queue, a, SIZE_MAX, zeros, 2), PLAIT_E_RANGE, "plait_buffer_write");
    assert_fails(plait_buffer_write(queue, a, 2, zeros, SIZE_MAX), PLAIT_E_RANGE, "plait_buffer_write");
    assert_fails(plait_buffer_read(queue, a, 65, zeros, 0), PLAIT_E_RANGE, "plait_buffer_read");
    assert_fails(plait_buffer_read(queue, b, 0, zeros, 33), PLAIT_E_RANGE, "plait_buffer_read");
    assert_fails(plait_buffer_copy(queue, b, 0, a, 0, 33, NULL), PLAIT_E_RANGE, "dst");
    assert_fails(plait_buffer_copy(queue, b, 0, a, 33, 32, NULL), PLAIT_E_RANGE, "src");
    assert_fails(plait_buffer_copy(queue, a, 0, a, 31, 32, NULL), PLAIT_E_RANGE, "overlap");
    assert_fails(plait_buffer_fill(queue, a, 60, 8, zeros, 4, NULL), PLAIT_E_RANGE, "plait_buffer_fill");
    assert_fails(plait_buffer_fill(queue, a, 0, 6, zeros, 4, NULL), PLAIT_E_ARGUMENT, "pattern");
    assert_fails(plait_buffer_fill(queue, a, 0, 6, zeros, 3, NULL), PLAIT_E_ARGUMENT, "pattern");
    assert_fails(plait_buffer_fill(queue, a, 0, 0, zeros, 0, NULL), PLAIT_E_ARGUMENT, "pattern");
    const size_t extent[3] = {8, 4, 2}, vast[3] = {8, SIZE_MAX, 2};
    const plait_box packed = {0}, far = {.offset = 1}, narrow = {.row_pitch = 7}, flat = {.slice_pitch = 31};
    assert_fails(plait_buffer_write_box(queue, a, far, zeros, packed, extent), PLAIT_E_RANGE, "plait_buffer_write_box");
    assert_fails(plait_buffer_read_box(queue, b, packed, zeros, packed, extent), PLAIT_E_RANGE, "");
    assert_fails(plait_buffer_read_box(queue, a, packed, zeros, packed, vast), PLAIT_E_RANGE, "");
    assert_fails(plait_buffer_write_box(queue, a, narrow, zeros, packed, extent), PLAIT_E_ARGUMENT, "row pitch");
    assert_fails(plait_buffer_write_box(queue, a, flat, zeros, packed, extent), PLAIT_E_ARGUMENT, "slice pitch");
    assert_fails(plait_buffer_copy_box(queue, b, packed, a, packed, extent, NULL), PLAIT_E_RANGE, "");
    char back[64];
    assert_ok(plait_buffer_read(queue, a, 0, back, 64));
    assert_memory_equal(back, bytes, 64); /* none of them changed anything */
    plait_buffer_release(a);
    plait_buffer_release(b);
}

static void options(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    plait_ctx *none;
    plait_ctx_opts co = PLAIT_CTX_OPTS;
    co.device = "a device that nobody makes";
    assert_fails(plait_open(&none, &co), PLAIT_E_NO_DEVICE, "a device that nobody makes");
    assert_non_null(strstr(plait_last_error(), plait_ctx_device(ctx)->name)); /* lists what exists */
    assert_null(none);
    co.device = "99";
    assert_fails(plait_open(&none, &co), PLAIT_E_NO_DEVICE, "99");
    co.device = "0:99";
    assert_fails(plait_open(&none, &co), PLAIT_E_NO_DEVICE, "0:99");
    plait_device_list *list;
    size_t index;
    assert_ok(plait_device_list_create(&list));
    assert_fails(plait_device_list_choose(list, "-1", &index, NULL), PLAIT_E_NO_DEVICE, "-1");
    assert_fails_null(plait_device_list_get(list, plait_device_list_count(list)), PLAIT_E_RANGE, "index");
    assert_fails_null(plait_device_list_platform(list, SIZE_MAX), PLAIT_E_RANGE, "index");
    plait_device_list_release(list);

    /* A struct that was not begun with its initialiser. */
    co = (plait_ctx_opts){.device = "cpu"};
    assert_fails(plait_open(&none, &co), PLAIT_E_ARGUMENT, "opts.size");
    plait_buffer *buffer;
    plait_queue *queue;
    plait_program *program;
    char *text;
    assert_fails(plait_buffer_create(&buffer, ctx, 4, &(plait_buffer_opts){0}), PLAIT_E_ARGUMENT, "opts.size");
    assert_fails(plait_queue_create(&queue, ctx, &(plait_queue_opts){0}), PLAIT_E_ARGUMENT, "opts.size");
    assert_fails(plait_program_from_source(&program, ctx, source, &(plait_program_opts){0}), PLAIT_E_ARGUMENT,
                 "opts.size");
    plait_array *a = plait_arange(ctx, 0, 6, 1, PLAIT_F32);
    assert_fails_null(plait_sum_opt(a, PLAIT_NONE, &(plait_reduce_opts){0}), PLAIT_E_ARGUMENT, "opts.size");
    assert_fails(plait_to_text(a, &(plait_print_opts){0}, &text), PLAIT_E_ARGUMENT, "opts.size");
    assert_fails(plait_ctx_stats(ctx, &(plait_stats){0}), PLAIT_E_ARGUMENT, "size");
    plait_print_opts po = PLAIT_PRINT_OPTS;
    po.line_width = -5;
    assert_fails(plait_to_text(a, &po, &text), PLAIT_E_ARGUMENT, "line_width");
}

static void arguments_of_builders(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    plait_array *a = plait_reshape(plait_arange(ctx, 0, 6, 1, PLAIT_F32), PLAIT_SHAPE(2, 3));
    plait_array *i = plait_arange(ctx, 0, 3, 1, PLAIT_U8);
    plait_array *c = plait_multiply(a, plait_complex(0, 1));
    const double inf = INFINITY, nan = NAN;

    assert_fails_null(plait_arange(ctx, nan, 1, 1, PLAIT_F32), PLAIT_E_ARGUMENT, "finite");
    assert_fails_null(plait_arange(ctx, 0, inf, 1, PLAIT_F32), PLAIT_E_ARGUMENT, "finite");
    assert_fails_null(plait_arange(ctx, 0, 1, 0, PLAIT_F32), PLAIT_E_ARGUMENT, "step");
    assert_fails_null(plait_arange(ctx, 0, 1, 1e-300, PLAIT_F32), PLAIT_E_SHAPE, "64 bits");
    assert_fails_null(plait_arange(ctx, 0, 300, 1, PLAIT_U8), PLAIT_E_RANGE, "u8");
    assert_fails_null(plait_arange(ctx, 0.5, 3, 1, PLAIT_I32), PLAIT_E_ARGUMENT, "whole");
    assert_fails_null(plait_zeros(ctx, PLAIT_SHAPE(3, -1), PLAIT_F32), PLAIT_E_SHAPE, "negative");
    assert_fails_null(plait_zeros(ctx, PLAIT_SHAPE(1, 1, 1, 1, 1, 1, 1, 1, 1), PLAIT_F32), PLAIT_E_SHAPE, "9");
    assert_fails_null(plait_zeros(ctx, PLAIT_SHAPE(3), PLAIT_F16), PLAIT_E_DTYPE, "f16");
    assert_fails_null(plait_zeros(ctx, PLAIT_SHAPE(3), (plait_dtype)99), PLAIT_E_DTYPE, "plait_zeros");
    assert_fails_null(plait_from_host(ctx, "abc", PLAIT_SHAPE(3), PLAIT_DTYPE_DEFAULT), PLAIT_E_DTYPE, "");
    assert_fails_null(plait_full(ctx, PLAIT_SHAPE(3), plait_int(256), PLAIT_U8), PLAIT_E_RANGE, "256");
    assert_fails_null(plait_full(ctx, PLAIT_SHAPE(3), a, PLAIT_F32), PLAIT_E_SHAPE, "(2, 3)");
    assert_fails_null(plait_astype(c, PLAIT_F32), PLAIT_E_DTYPE, "plait_real");
    assert_fails_null(plait_astype(a, PLAIT_C128), PLAIT_E_DTYPE, "c128");

    assert_fails_null(plait_add(a, plait_zeros(ctx, PLAIT_SHAPE(2), PLAIT_F32)), PLAIT_E_SHAPE, "(2, 3) and (2,)");
    assert_fails_null(plait_add(i, plait_int(-1)), PLAIT_E_RANGE, "-1");
    assert_fails_null(plait_less(c, a), PLAIT_E_DTYPE, "c64");
    assert_fails_null(plait_add(a, PLAIT_NONE), PLAIT_E_ARGUMENT, "PLAIT_NONE");
    assert_fails_null(plait_matmul(a, a), PLAIT_E_SHAPE, "(2, 3)");
    assert_fails_null(plait_matmul(a, plait_num(2)), PLAIT_E_ARGUMENT, "number");

    plait_reduce_opts o = PLAIT_REDUCE_OPTS;
    o.axes = PLAIT_AXES(0, -2);
    assert_fails_null(plait_sum_opt(a, PLAIT_NONE, &o), PLAIT_E_AXIS, "twice");
    o.axes = PLAIT_AXES(2);
    assert_fails_null(plait_sum_opt(a, PLAIT_NONE, &o), PLAIT_E_AXIS, "axis 2");
    o.axes.n = -7;
    assert_fails_null(plait_sum_opt(a, PLAIT_NONE, &o), PLAIT_E_AXIS, "-7");
    assert_fails_null(plait_sum_axis(a, -3), PLAIT_E_AXIS, "-3");
    assert_fails_null(plait_sum_opt(a, a, NULL), PLAIT_E_DTYPE, "mask");
    assert_fails_null(plait_sum_opt(a, plait_ones(ctx, PLAIT_SHAPE(4), PLAIT_BOOL), NULL), PLAIT_E_SHAPE, "(4,)");
    assert_fails_null(plait_max(c), PLAIT_E_DTYPE, "c64");
    assert_fails_null(plait_sum(plait_num(3)), PLAIT_E_ARGUMENT, "number");

    assert_fails_null(plait_slice(a, 0, 0, 1, 0), PLAIT_E_ARGUMENT, "step");
    assert_fails_null(plait_slice(a, 2, 0, 1, 1), PLAIT_E_AXIS, "2");
    assert_fails_null(plait_index(a, 1, 3), PLAIT_E_RANGE, "3");
    assert_fails_null(plait_index(a, 1, INT64_MIN), PLAIT_E_RANGE, "");
    assert_fails_null(plait_permute_dims(a, PLAIT_AXES(0)), PLAIT_E_AXIS, "");
    assert_fails_null(plait_permute_dims(a, PLAIT_AXES(0, 0)), PLAIT_E_AXIS, "twice");
    assert_fails_null(plait_squeeze(a, PLAIT_AXES(0)), PLAIT_E_SHAPE, "size 2");
    assert_fails_null(plait_expand_dims(a, PLAIT_AXES(5)), PLAIT_E_AXIS, "5");
    assert_fails_null(plait_broadcast_to(a, PLAIT_SHAPE(2, 4)), PLAIT_E_SHAPE, "(2, 4)");
    assert_fails_null(plait_reshape(a, PLAIT_SHAPE(4, 2)), PLAIT_E_SHAPE, "(4, 2)");
    assert_fails_null(plait_reshape(a, PLAIT_SHAPE(-1, -1)), PLAIT_E_SHAPE, "-1");
    assert_fails_null(plait_reshape(a, PLAIT_SHAPE(-1, 4)), PLAIT_E_SHAPE, "(-1, 4)");

    float out[6];
    double one;
    assert_fails(plait_to_host(a, out, 5, PLAIT_F32), PLAIT_E_RANGE, "5");
    assert_fails(plait_to_host(a, out, 6, PLAIT_F16), PLAIT_E_DTYPE, "f16");
    assert_fails(plait_to_host(c, out, 6, PLAIT_F32), PLAIT_E_DTYPE, "complex");
    assert_fails(plait_item(a, &one), PLAIT_E_RANGE, "(2, 3)");
    assert_fails(plait_release(a), PLAIT_E_OWNERSHIP, "plait_keep");
    assert_fails_null(plait_load_npy(ctx, "there/is/no/such.npy"), PLAIT_E_IO, "there/is/no/such.npy");
    assert_fails_null(plait_load_npy(ctx, "."), PLAIT_E_IO, "");
    assert_fails(plait_save_npy("there/is/no/such.npy", a), PLAIT_E_IO, "there/is/no/such.npy");
}

static void the_users_own_code(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    plait_queue *queue = plait_ctx_queue(ctx);
    plait_program *program;
    plait_kernel *kernel;
    plait_buffer *buffer;
    assert_fails(plait_program_from_source(&program, ctx, "", NULL), PLAIT_E_ARGUMENT, "empty");
    assert_fails(plait_program_from_file(&program, ctx, "no/such.cl", NULL), PLAIT_E_IO, "no/such.cl");
    assert_fails(plait_program_from_source(&program, ctx, "kernel void f(global int *a) { a[0] = nowhere; }", NULL),
                 PLAIT_E_BUILD, "nowhere");
    assert_null(program);
    assert_ok(plait_program_from_source(&program, ctx, source, NULL));
    assert_fails(plait_kernel_create(&kernel, program, "thrice"), PLAIT_E_KERNEL, "twice");
    assert_null(kernel);
    assert_ok(plait_kernel_create(&kernel, program, "twice"));
    assert_ok(plait_buffer_create(&buffer, ctx, 16, NULL));
    plait_arg b = plait_arg_buffer(buffer);
    assert_fails(plait_launch(queue, kernel, PLAIT_GRID(4), b), PLAIT_E_KERNEL, "\"b\"");
    assert_fails(plait_launch(queue, kernel, PLAIT_GRID(4), b, b, b), PLAIT_E_KERNEL, "3");
    assert_fails(plait_launch(queue, kernel, PLAIT_GRID(4), b, PLAIT_INT(4)), PLAIT_E_KERNEL, "\"b\"");
    assert_fails(plait_launch(queue, kernel, PLAIT_GRID(4), b, PLAIT_LOCAL(4)), PLAIT_E_KERNEL, "\"b\"");
    assert_fails(plait_launch(queue, kernel, plait_grid_from(NULL, 4), b, b), PLAIT_E_LAUNCH, "");
    assert_fails(plait_launch(queue, kernel, plait_grid_groups(PLAIT_GRID(4), 3, 1, 1), b, b), PLAIT_E_LAUNCH, "6");
    assert_fails(plait_launch(queue, kernel, plait_grid_groups(PLAIT_GRID(1 << 24), 1 << 24, 1, 1), b, b),
                 PLAIT_E_LAUNCH, "16777216");
    plait_array *a = plait_arange(ctx, 0, 4, 1, PLAIT_F32), *out[2];
    assert_fails(plait_launch(queue, kernel, PLAIT_GRID(4), PLAIT_IN(a), b), PLAIT_E_KERNEL, "plait_call");

    assert_fails_null(plait_call1(kernel, PLAIT_GRID(4), PLAIT_IN(a), PLAIT_IN(a)), PLAIT_E_ARGUMENT, "no result");
    assert_fails(plait_call(out, 2, kernel, PLAIT_GRID(4), PLAIT_IN(a), PLAIT_OUT(PLAIT_F32, PLAIT_SHAPE(4))),
                 PLAIT_E_ARGUMENT, "n_out is 2");
    assert_null(out[0]);
    assert_null(out[1]);
    assert_fails_null(plait_call1(kernel, PLAIT_GRID(4), PLAIT_IN(a), PLAIT_OUT(PLAIT_I32, PLAIT_SHAPE(4))),
                      PLAIT_E_KERNEL, "\"b\"");
    assert_fails_null(plait_call1(kernel, PLAIT_GRID(4), PLAIT_OUT(PLAIT_F32, PLAIT_SHAPE(4)), PLAIT_IN(a)),
                      PLAIT_E_KERNEL, "cannot write");
    assert_fails_null(plait_call1(kernel, PLAIT_GRID(4), b, PLAIT_OUT(PLAIT_F32, PLAIT_SHAPE(4))), PLAIT_E_ARGUMENT,
                      "buffer");
    assert_fails_null(plait_map("", a), PLAIT_E_ARGUMENT, "");
    assert_fails_null(plait_map("a; b", a), PLAIT_E_ARGUMENT, "");
    assert_fails_null(plait_map("(a", a), PLAIT_E_ARGUMENT, "");
    assert_fails_null(plait_map("a + c", a, a), PLAIT_E_ARGUMENT, "");
    /* The compiler finds these out, at evaluation, and every time. */
    plait_array *wrong = plait_map("a + no_such_function(a)", a);
    assert_array(wrong);
    plait_array *more = plait_sum(plait_multiply(wrong, plait_num(2)));
    double value;
    assert_fails(plait_eval(&wrong, 1), PLAIT_E_BUILD, "no_such_function");
    assert_fails(plait_item(more, &value), PLAIT_E_BUILD, "no_such_function");
    assert_fails(plait_eval(&wrong, 1), PLAIT_E_BUILD, "no_such_function");
    plait_buffer_release(buffer);
    plait_kernel_release(kernel);
    plait_program_release(program);
}

int main(void)
{
    ctx = open_or_skip();
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(two_contexts), TEST(larger_than_the_device_allows), TEST(out_of_memory),      TEST(outside_of_a_buffer),
        TEST(options),      TEST(arguments_of_builders),         TEST(the_users_own_code),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    plait_stats s = stats_of(ctx);
    assert_int_equal(s.arrays, 0);
    assert_int_equal(s.buffers, 0);
    assert_int_equal(s.memory_used, 0);
    assert_ok(plait_close(ctx));
    return failed;
}
