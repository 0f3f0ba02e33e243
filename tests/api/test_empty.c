/*
 * Sizes of zero: arrays without elements through every operation, and buffers, boxes, grids of nothing.
 */
#include "api_testing.h"

#include <math.h>
#include <unistd.h>

static plait_ctx *ctx;

static const plait_dtype dtypes[] = {PLAIT_BOOL, PLAIT_U8, PLAIT_I32, PLAIT_I64, PLAIT_F32, PLAIT_F64, PLAIT_C64};
#define N_DTYPES (sizeof dtypes / sizeof *dtypes)

static bool available(plait_dtype dtype)
{
    return dtype != PLAIT_F64 || plait_ctx_device(ctx)->fp64;
}

typedef plait_array *(*unary)(plait_array *);
typedef plait_array *(*binary)(plait_array *, plait_array *);

static const unary unaries[] = {
    plait_abs,         plait_exp,      plait_imag, plait_isnan, plait_log,
    plait_logical_not, plait_negative, plait_real, plait_sqrt,  plait_square,
};
static const binary binaries[] = {
    plait_add,     plait_divide,     plait_equal,       plait_greater,    plait_greater_equal,
    plait_less,    plait_less_equal, plait_logical_and, plait_logical_or, plait_maximum,
    plait_minimum, plait_multiply,   plait_not_equal,   plait_pow,        plait_subtract,
};

/* It is there, has this shape, evaluates, and "copies" to the host without touching it. */
static void is_empty(plait_array *a, plait_dims shape)
{
    assert_array(a);
    assert_shape_is(plait_array_shape(a), shape);
    assert_int_equal(plait_array_count(a), 0);
    assert_ok(plait_eval(&a, 1));
    assert_true(plait_array_is_evaluated(a));
    char untouched = 'x';
    assert_ok(plait_to_host(a, &untouched, 0, PLAIT_DTYPE_DEFAULT));
    assert_ok(plait_to_host(a, NULL, 0, PLAIT_DTYPE_DEFAULT));
    assert_int_equal(untouched, 'x');
}

static void through_every_operation(void **state)
{
    (void)state;
    const plait_dims shapes[] = {PLAIT_SHAPE(0), PLAIT_SHAPE(0, 4), PLAIT_SHAPE(3, 0, 2)};
    uint64_t launches = stats_of(ctx).launches, buffers = stats_of(ctx).buffers;
    for (size_t s = 0; s < 3; s++) {
        for (size_t d = 0; d < N_DTYPES; d++) {
            PLAIT_SCOPE;
            if (!available(dtypes[d])) {
                continue;
            }
            plait_array *a = plait_from_host(ctx, NULL, shapes[s], dtypes[d]);
            is_empty(a, shapes[s]);
            is_empty(plait_zeros(ctx, shapes[s], dtypes[d]), shapes[s]);
            is_empty(plait_full(ctx, shapes[s], plait_int(1), dtypes[d]), shapes[s]);
            for (size_t i = 0; i < sizeof unaries / sizeof *unaries; i++) {
                plait_clear_error();
                plait_array *r = unaries[i](a);
                if (r != NULL || plait_last_status() != PLAIT_E_DTYPE) {
                    is_empty(r, shapes[s]);
                }
            }
            for (size_t i = 0; i < sizeof binaries / sizeof *binaries; i++) {
                plait_clear_error();
                plait_array *r = binaries[i](a, a);
                if (r == NULL && plait_last_status() == PLAIT_E_DTYPE) {
                    continue;
                }
                is_empty(r, shapes[s]);
                is_empty(binaries[i](a, plait_ones(ctx, PLAIT_SHAPE(1), dtypes[d])), shapes[s]);
            }
            is_empty(plait_multiply(a, plait_int(1)), shapes[s]);
            is_empty(plait_where(a, a, plait_int(0)), shapes[s]);
            for (size_t to = 0; to < N_DTYPES; to++) {
                plait_clear_error();
                if (available(dtypes[to])) {
                    plait_array *r = plait_astype(a, dtypes[to]);
                    if (r != NULL || plait_last_status() != PLAIT_E_DTYPE) {
                        is_empty(r, shapes[s]);
                        assert_int_equal(plait_array_dtype(r), dtypes[to]);
                    }
                }
            }
            is_empty(plait_map("a", a), shapes[s]);
            char *text;
            assert_ok(plait_to_text(a, NULL, &text));
            assert_non_null(strchr(text, '['));
            plait_free(text);
        }
    }
    plait_stats now = stats_of(ctx);
    assert_int_equal(now.launches, launches); /* nothing reached the device */
    assert_int_equal(now.buffers, buffers);
    assert_int_equal(now.memory_used, 0);
}

static void views(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    plait_array *five = plait_arange(ctx, 0, 5, 1, PLAIT_F32);
    plait_array *none = plait_slice(five, 0, 3, 3, 1);
    is_empty(none, PLAIT_SHAPE(0));
    is_empty(plait_slice(five, 0, 4, 1, 1), PLAIT_SHAPE(0));
    is_empty(plait_slice(five, 0, 9, 99, 1), PLAIT_SHAPE(0));
    is_empty(plait_slice(five, 0, 1, 4, -1), PLAIT_SHAPE(0));
    is_empty(plait_slice(none, 0, PLAIT_OPEN, PLAIT_OPEN, -1), PLAIT_SHAPE(0));
    is_empty(plait_multiply(none, plait_num(2)), PLAIT_SHAPE(0));
    is_empty(plait_flip(none, PLAIT_AXES(0)), PLAIT_SHAPE(0));
    is_empty(plait_transpose(none), PLAIT_SHAPE(0));
    plait_array *a = plait_zeros(ctx, PLAIT_SHAPE(3, 0, 2), PLAIT_I32);
    is_empty(plait_transpose(a), PLAIT_SHAPE(2, 0, 3));
    is_empty(plait_permute_dims(a, PLAIT_AXES(1, 2, 0)), PLAIT_SHAPE(0, 2, 3));
    is_empty(plait_flip(a, PLAIT_AXES(1, 2)), PLAIT_SHAPE(3, 0, 2));
    is_empty(plait_expand_dims(a, PLAIT_AXES(0, -1)), PLAIT_SHAPE(1, 3, 0, 2, 1));
    is_empty(plait_squeeze(plait_expand_dims(a, PLAIT_AXES(0)), PLAIT_AXES(0)), PLAIT_SHAPE(3, 0, 2));
    is_empty(plait_index(a, 0, 1), PLAIT_SHAPE(0, 2));
    assert_fails_null(plait_index(a, 1, 0), PLAIT_E_RANGE, "plait_index");
    is_empty(plait_broadcast_to(a, PLAIT_SHAPE(5, 3, 0, 2)), PLAIT_SHAPE(5, 3, 0, 2));
    is_empty(plait_broadcast_to(plait_ones(ctx, PLAIT_SHAPE(1), PLAIT_F32), PLAIT_SHAPE(4, 0)), PLAIT_SHAPE(4, 0));
    assert_fails_null(plait_broadcast_to(a, PLAIT_SHAPE(3, 1, 2)), PLAIT_E_SHAPE, "");
    is_empty(plait_reshape(a, PLAIT_SHAPE(0)), PLAIT_SHAPE(0));
    is_empty(plait_reshape(a, PLAIT_SHAPE(7, 0)), PLAIT_SHAPE(7, 0));
    is_empty(plait_reshape(a, PLAIT_SHAPE(-1, 4)), PLAIT_SHAPE(0, 4));
    assert_fails_null(plait_reshape(a, PLAIT_SHAPE(-1, 0)), PLAIT_E_SHAPE, "-1");
    assert_fails_null(plait_reshape(a, PLAIT_SCALAR_SHAPE), PLAIT_E_SHAPE, "");
    is_empty(plait_arange(ctx, 5, 0, 1, PLAIT_F32), PLAIT_SHAPE(0));
    is_empty(plait_add(a, plait_ones(ctx, PLAIT_SHAPE(1, 2), PLAIT_I32)), PLAIT_SHAPE(3, 0, 2));
    assert_fails_null(plait_add(a, plait_ones(ctx, PLAIT_SHAPE(5, 2), PLAIT_I32)), PLAIT_E_SHAPE, "");
}

/* The results have elements although the input has none: all in one evaluation. */
static void reductions(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    plait_array *none = plait_zeros(ctx, PLAIT_SHAPE(0), PLAIT_F32),
                *wide = plait_zeros(ctx, PLAIT_SHAPE(0, 4), PLAIT_F32);
    plait_array *ints = plait_zeros(ctx, PLAIT_SHAPE(3, 0, 2), PLAIT_I32);
    plait_array *three = plait_ones(ctx, PLAIT_SHAPE(3), PLAIT_F32), *no = plait_zeros(ctx, PLAIT_SHAPE(3), PLAIT_BOOL);
    plait_array *zero[] = {
        plait_sum(none),
        plait_sum_axis(wide, 0),
        plait_sum(ints),
        plait_sum_axis(ints, 1),
        plait_sum_opt(three, no, NULL),
        plait_matmul(plait_zeros(ctx, PLAIT_SHAPE(3, 0), PLAIT_F32), plait_zeros(ctx, PLAIT_SHAPE(0, 4), PLAIT_F32)),
        plait_matmul(none, none),
        plait_sum(plait_square(plait_slice(three, 0, 2, 2, 1))),
    };
    plait_array *nan[] = {
        plait_mean(none),
        plait_mean_axis(wide, 0),
        plait_mean(ints),
        plait_mean_opt(three, no, NULL),
        plait_mean(plait_subtract(none, plait_num(1))),
    };
    enum { ZERO = sizeof zero / sizeof *zero, ALL = ZERO + sizeof nan / sizeof *nan };
    plait_array *all[ALL];
    memcpy(all, zero, sizeof zero);
    memcpy(all + ZERO, nan, sizeof nan);
    assert_ok(plait_eval(all, ALL));
    for (size_t i = 0; i < ALL; i++) {
        double values[12];
        size_t n = plait_array_count(all[i]);
        assert_in_range(n, 1, 12);
        assert_ok(plait_to_host(all[i], values, n, PLAIT_F64));
        for (size_t k = 0; k < n; k++) {
            if (i < ZERO ? values[k] != 0 : !isnan(values[k])) {
                fail_msg("result %zu has %g at %zu", i, values[k], k);
            }
        }
    }
    assert_shape(zero[1], 4);
    assert_shape(zero[3], 3, 2);
    assert_shape(zero[5], 3, 4);
    assert_int_equal(plait_array_dtype(zero[2]), PLAIT_I64);

    is_empty(plait_sum_axis(wide, 1), PLAIT_SHAPE(0));
    is_empty(plait_mean_axis(wide, 1), PLAIT_SHAPE(0));
    is_empty(plait_max_axis(wide, 1), PLAIT_SHAPE(0)); /* no row, so nothing is missing */
    is_empty(plait_min_axis(ints, 2), PLAIT_SHAPE(3, 0));
    is_empty(plait_matmul(wide, plait_zeros(ctx, PLAIT_SHAPE(4, 2), PLAIT_F32)), PLAIT_SHAPE(0, 2));
    is_empty(plait_matmul(wide, plait_zeros(ctx, PLAIT_SHAPE(4), PLAIT_F32)), PLAIT_SHAPE(0));
    plait_reduce_opts o = PLAIT_REDUCE_OPTS;
    o.keepdims = true;
    o.axes = PLAIT_AXES(0, 2);
    is_empty(plait_sum_opt(ints, PLAIT_NONE, &o), PLAIT_SHAPE(1, 0, 1));
    assert_fails_null(plait_max(none), PLAIT_E_SHAPE, "plait_max");
    assert_fails_null(plait_min(ints), PLAIT_E_SHAPE, "(3, 0, 2)");
    assert_fails_null(plait_min_axis(wide, 0), PLAIT_E_SHAPE, "(0, 4)");
    assert_fails_null(plait_max_opt(none, plait_zeros(ctx, PLAIT_SHAPE(0), PLAIT_BOOL), NULL), PLAIT_E_SHAPE, "");
    double value;
    assert_fails(plait_item(none, &value), PLAIT_E_RANGE, "0 elements");
}

static void files(void **state)
{
    (void)state;
    char path[] = "empty-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    {
        PLAIT_SCOPE;
        assert_ok(plait_save_npy(path, plait_zeros(ctx, PLAIT_SHAPE(3, 0, 2), PLAIT_C64)));
        plait_array *a = plait_load_npy(ctx, path);
        is_empty(a, PLAIT_SHAPE(3, 0, 2));
        assert_int_equal(plait_array_dtype(a), PLAIT_C64);
        plait_npy npy;
        assert_ok(plait_npy_write(path, NULL, PLAIT_SHAPE(0, 4), PLAIT_U16));
        assert_ok(plait_npy_read(path, &npy));
        assert_shape_is(npy.shape, PLAIT_SHAPE(0, 4));
        assert_int_equal(npy.bytes, 0);
        plait_npy_free(&npy);
    }
    unlink(path);
}

static void buffers_and_launches(void **state)
{
    (void)state;
    static const char source[] = "kernel void count(global int *out, global const int *in, int n)\n"
                                 "{\n"
                                 "    out[0] = in == 0 ? n : -1;\n"
                                 "}\n";
    plait_queue *queue = plait_ctx_queue(ctx);
    plait_buffer *none, *some;
    plait_event *event = NULL;
    char bytes[16] = "abcdefghijklmno";
    const size_t extent[3] = {0, 5, 5}, flat[3] = {4, 0, 1};
    const plait_box box = {0};
    plait_buffer_opts o = PLAIT_BUFFER_OPTS;
    o.data = bytes;
    assert_ok(plait_buffer_create(&none, ctx, 0, &o));
    assert_int_equal(plait_buffer_size(none), 0);
    assert_int_equal(stats_of(ctx).memory_used, 0);
    assert_ok(plait_buffer_create(&some, ctx, 16, &o));
    assert_ok(plait_buffer_write(queue, none, 0, bytes, 0));
    assert_ok(plait_buffer_read(queue, none, 0, bytes, 0));
    assert_ok(plait_buffer_read(queue, some, 16, bytes, 0)); /* at the very end */
    assert_ok(plait_buffer_copy(queue, none, 0, some, 3, 0, &event));
    assert_ok(plait_event_wait(event)); /* of nothing, but an event */
    plait_event_release(event);
    assert_ok(plait_buffer_fill(queue, none, 0, 0, bytes, 4, &event));
    assert_ok(plait_event_wait(event));
    plait_event_release(event);
    assert_ok(plait_buffer_write_box(queue, none, box, bytes, box, extent));
    assert_ok(plait_buffer_read_box(queue, some, box, bytes, box, flat));
    assert_ok(plait_buffer_copy_box(queue, some, box, none, box, extent, &event));
    assert_ok(plait_event_wait(event));
    plait_event_release(event);
    assert_string_equal(bytes, "abcdefghijklmno");
    assert_fails(plait_buffer_write(queue, none, 1, bytes, 0), PLAIT_E_RANGE, "");
    assert_fails(plait_buffer_write(queue, none, 0, bytes, 1), PLAIT_E_RANGE, "");

    plait_program *program;
    plait_kernel *count;
    assert_ok(plait_program_from_source(&program, ctx, source, NULL));
    assert_ok(plait_kernel_create(&count, program, "count"));
    uint64_t launches = stats_of(ctx).launches;
    assert_ok(plait_launch(queue, count, PLAIT_GRID(0), PLAIT_BUFFER(some), PLAIT_BUFFER(none), PLAIT_INT(1)));
    const plait_arg args[] = {PLAIT_BUFFER(some), PLAIT_BUFFER(none), PLAIT_INT(2)};
    assert_ok(plait_launch_n(queue, count, PLAIT_GRID(3, 0, 2), args, 3, &event));
    assert_ok(plait_event_wait(event));
    plait_event_release(event);
    assert_int_equal(stats_of(ctx).launches, launches);
    assert_ok(plait_buffer_read(queue, some, 0, bytes, 16));
    assert_string_equal(bytes, "abcdefghijklmno");
    /* An empty buffer is a null pointer to the kernel. */
    assert_ok(plait_launch(queue, count, PLAIT_GRID(1), PLAIT_BUFFER(some), PLAIT_BUFFER(none), PLAIT_INT(42)));
    int value;
    assert_ok(plait_buffer_read(queue, some, 0, &value, 4));
    assert_int_equal(value, 42);
    plait_buffer_release(none);
    plait_buffer_release(some);
    {
        PLAIT_SCOPE;
        plait_array *empty = plait_zeros(ctx, PLAIT_SHAPE(0), PLAIT_I32);
        plait_array *one =
            plait_call1(count, PLAIT_GRID(1), PLAIT_OUT(PLAIT_I32, PLAIT_SHAPE(1)), PLAIT_IN(empty), PLAIT_INT(7));
        int64_t item;
        assert_ok(plait_item_int(one, &item));
        assert_int_equal(item, 7);
        is_empty(plait_call1(count, PLAIT_GRID(0), PLAIT_OUT(PLAIT_I32, PLAIT_SHAPE(0)), PLAIT_IN(empty), PLAIT_INT(7)),
                 PLAIT_SHAPE(0));
    }
    plait_kernel_release(count);
    plait_program_release(program);
}

int main(void)
{
    ctx = open_or_skip();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(through_every_operation),
        cmocka_unit_test(views),
        cmocka_unit_test(reductions),
        cmocka_unit_test(files),
        cmocka_unit_test(buffers_and_launches),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    plait_stats s = stats_of(ctx);
    if (failed == 0) {
        assert_int_equal(s.arrays, 0);
        assert_int_equal(s.buffers, 0);
    }
    assert_ok(plait_close(ctx));
    return failed;
}
