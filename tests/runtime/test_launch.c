/* Launches: what arguments and grids are accepted, and what is said about those that are not. */
#include "device_testing.h"

#include <plait/kernel.h>

#include "kernel.h"
#include "runtime.h"

static const char source[] =
    "typedef struct { int a; float b; } pair;\n"
    "kernel void mixed(global float *out, const global uint *in, constant int *table, local int *scratch, uint n,\n"
    "                  float a, float4 v, uchar small, pair s, float2 z)\n"
    "{\n"
    "    size_t i = get_global_id(0);\n"
    "    scratch[get_local_id(0)] = table[0];\n"
    "    if (i < n)\n"
    "        out[i] = in[i] * a + v.s3 + small + s.a + s.b + z.y + scratch[get_local_id(0)];\n"
    "}\n"
    "kernel void sizes(global uint *out, uint n)\n"
    "{\n"
    "    size_t i = (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + "
    "get_global_id(0);\n"
    "    if (i < n)\n"
    "        out[i] = get_local_size(0) * 1000000 + get_local_size(1) * 1000 + get_local_size(2);\n"
    "}\n"
    "kernel __attribute__((reqd_work_group_size(4, 1, 1))) void fixed(global uint *out)\n"
    "{\n"
    "    out[get_global_id(0)] = get_local_size(0);\n"
    "}\n"
    "kernel void maybe(global uint *out, global uint *none)\n"
    "{\n"
    "    out[get_global_id(0)] = none == 0;\n"
    "}\n"
    "kernel void greedy(global uint *out)\n"
    "{\n"
    "    local uint big[500];\n"
    "    big[get_local_id(0)] = 1;\n"
    "    out[0] = big[0];\n"
    "}\n";

static char *folder;

typedef struct device {
    plait_ctx *ctx;
    plait_queue *queue;
    plait_program *program;
    plait_kernel *mixed, *sizes, *fixed, *maybe, *greedy;
    plait_buffer *out, *in;
} device;

/* A context with PLAIT_EMULATE set to `emulate` (NULL: not), the kernels, and two buffers of 1,000 uints, 0, 1, 2 ...
 */
static device open_device(const char *emulate)
{
    device d;
    plait_ctx_opts o = PLAIT_CTX_OPTS;
    o.cache_folder = folder;
    assert_int_equal(emulate != NULL ? setenv("PLAIT_EMULATE", emulate, 1) : unsetenv("PLAIT_EMULATE"), 0);
    assert_ok(plait_open(&d.ctx, &o));
    d.queue = plait_ctx_queue(d.ctx);
    assert_ok(plait_program_from_source(&d.program, d.ctx, source, NULL));
    assert_ok(plait_kernel_create(&d.mixed, d.program, "mixed"));
    assert_ok(plait_kernel_create(&d.sizes, d.program, "sizes"));
    assert_ok(plait_kernel_create(&d.fixed, d.program, "fixed"));
    assert_ok(plait_kernel_create(&d.maybe, d.program, "maybe"));
    assert_ok(plait_kernel_create(&d.greedy, d.program, "greedy"));
    uint32_t values[1000];
    for (uint32_t i = 0; i < 1000; i++) {
        values[i] = i;
    }
    plait_buffer_opts bo = PLAIT_BUFFER_OPTS;
    bo.data = values;
    assert_ok(plait_buffer_create(&d.out, d.ctx, sizeof values, &bo));
    assert_ok(plait_buffer_create(&d.in, d.ctx, sizeof values, &bo));
    return d;
}

static void close_device(device *d)
{
    plait_kernel_release(d->mixed);
    plait_kernel_release(d->sizes);
    plait_kernel_release(d->fixed);
    plait_kernel_release(d->maybe);
    plait_kernel_release(d->greedy);
    plait_program_release(d->program);
    plait_buffer_release(d->out);
    plait_buffer_release(d->in);
    assert_ok(plait_close(d->ctx));
}

static uint32_t first_of(const device *d)
{
    uint32_t value;
    assert_ok(plait_buffer_read(d->queue, d->out, 0, &value, sizeof value));
    return value;
}

/* ---- arguments ---- */

static device d;

static int open_plain(void **state)
{
    (void)state;
    folder = test_folder_make();
    d = open_device(NULL);
    return 0;
}

static int close_plain(void **state)
{
    (void)state;
    close_device(&d);
    test_folder_remove(folder);
    return 0;
}

typedef struct pair {
    int32_t a;
    float b;
} pair;

static const float vector[4] = {1, 2, 3, 0.5f}, two[2] = {0, 0.25f};
static const pair whole = {10, 0.125f};
static const unsigned char small = 200;

/* Right arguments for `mixed`. */
static void fill(plait_arg args[10])
{
    const plait_arg list[10] = {PLAIT_BUFFER(d.out),
                                PLAIT_BUFFER(d.in),
                                PLAIT_BUFFER(d.in),
                                PLAIT_LOCAL(4096 * 4),
                                PLAIT_INT(100),
                                PLAIT_NUM(0.5),
                                plait_arg_bytes(vector, sizeof vector),
                                plait_arg_scalar(PLAIT_U8, &small),
                                plait_arg_bytes(&whole, sizeof whole),
                                plait_arg_scalar(PLAIT_C64, two)};
    memcpy(args, list, sizeof list);
}

static void all_kinds_arrive(void **state)
{
    (void)state;
    plait_arg args[10];
    fill(args);
    plait_event *event;
    assert_ok(plait_launch_n(d.queue, d.mixed, plait_grid_1d(100), args, 10, &event));
    assert_non_null(event);
    assert_ok(plait_event_wait(event));
    plait_event_release(event);
    float out[100];
    assert_ok(plait_buffer_read(d.queue, d.out, 0, out, sizeof out));
    for (size_t i = 0; i < 100; i++) {
        assert_true(out[i] == (float)i * 0.5f + 0.5f + 200 + 10 + 0.125f + 0.25f);
    }
}

static void refused(size_t index, plait_arg arg, plait_status status, const char *words)
{
    plait_arg args[10];
    fill(args);
    args[index] = arg;
    assert_fails(plait_launch_n(d.queue, d.mixed, plait_grid_1d(100), args, 10, NULL), status, words);
}

static void wrong_arguments_are_named(void **state)
{
    (void)state;
    plait_arg args[10];
    fill(args);
    assert_fails(plait_launch_n(d.queue, d.mixed, plait_grid_1d(100), args, 9, NULL), PLAIT_E_KERNEL,
                 "mixed: argument 9 (\"z\", float2): the argument is missing: mixed takes 10, 9 given");
    assert_fails(plait_launch_n(d.queue, d.maybe, plait_grid_1d(100), args, 3, NULL), PLAIT_E_KERNEL,
                 "maybe takes 2 arguments, but 3 were given");
    assert_fails(plait_launch_n(d.queue, d.maybe, plait_grid_1d(100), NULL, 0, NULL), PLAIT_E_KERNEL,
                 "argument 0 (\"out\", uint*): the argument is missing");
    assert_fails(plait_launch_n(d.queue, d.maybe, plait_grid_1d(100), NULL, 2, NULL), PLAIT_E_NULL, "args");

    const float f = 1;
    const int32_t i = 1;
    refused(0, PLAIT_INT(0), PLAIT_E_KERNEL,
            "argument 0 (\"out\", float*): the parameter is a buffer; a number was given");
    refused(0, plait_arg_scalar(PLAIT_F32, &f), PLAIT_E_KERNEL, "is a buffer; a scalar was given");
    refused(0, plait_arg_bytes(vector, 16), PLAIT_E_KERNEL, "is a buffer; a value was given");
    refused(0, PLAIT_LOCAL(16), PLAIT_E_KERNEL, "is a buffer; local memory was given");
    refused(0, PLAIT_BUFFER(NULL), PLAIT_E_NULL, "argument 0 (\"out\", float*): the buffer is NULL");
    refused(2, PLAIT_LOCAL(16), PLAIT_E_KERNEL, "a buffer in constant memory; local memory was given");
    refused(3, PLAIT_BUFFER(d.in), PLAIT_E_KERNEL, "argument 3 (\"scratch\", int*): the parameter is local memory");
    refused(3, PLAIT_LOCAL(0), PLAIT_E_KERNEL, "0 bytes of local memory");
    refused(3, PLAIT_LOCAL((size_t)1 << 40), PLAIT_E_LAUNCH, "1099511627776 bytes of local memory");
    refused(4, PLAIT_BUFFER(d.in), PLAIT_E_KERNEL,
            "argument 4 (\"n\", uint): the parameter is a value; a buffer was given");
    refused(4, PLAIT_LOCAL(4), PLAIT_E_KERNEL, "is a value; local memory was given");
    refused(4, PLAIT_NUM(3.5), PLAIT_E_KERNEL, "argument 4 (\"n\", uint): the number 3.5 would lose its value as u32");
    refused(4, PLAIT_INT(-1), PLAIT_E_KERNEL, "the number -1 would lose its value as u32");
    refused(4, plait_arg_scalar(PLAIT_F32, &f), PLAIT_E_KERNEL, "a scalar of dtype f32 was given");
    refused(4, plait_arg_scalar(PLAIT_I32, &i), PLAIT_E_KERNEL, "a scalar of dtype i32 was given");
    refused(4, plait_arg_bytes(vector, 8), PLAIT_E_KERNEL, "a value of 8 bytes was given; the parameter has 4");
    refused(5, PLAIT_NUM(1e300), PLAIT_E_KERNEL, "argument 5 (\"a\", float): the number 1e+300 would lose its value");
    refused(6, PLAIT_NUM(1), PLAIT_E_KERNEL, "argument 6 (\"v\", float4): a number was given, but");
    refused(6, plait_arg_scalar(PLAIT_F32, &f), PLAIT_E_KERNEL, "a scalar of dtype f32 was given");
    refused(6, plait_arg_bytes(vector, 12), PLAIT_E_KERNEL, "12 bytes was given; the parameter has 16");
    refused(6, plait_arg_bytes(NULL, 16), PLAIT_E_NULL, "pointer to the value is NULL");
    refused(7, PLAIT_INT(300), PLAIT_E_KERNEL,
            "argument 7 (\"small\", uchar): the number 300 would lose its value as u8");
    refused(8, PLAIT_INT(1), PLAIT_E_KERNEL, "argument 8 (\"s\", pair): a number was given, but");
    refused(9, (plait_arg){0}, PLAIT_E_KERNEL, "argument 9 (\"z\", float2): the argument is empty");
    refused(9, plait_arg_scalar(PLAIT_F32, NULL), PLAIT_E_KERNEL, "the argument is empty");
    refused(9, (plait_arg){.kind = PLAIT_ARG_IN}, PLAIT_E_KERNEL, "arrays are arguments of plait_call only");

    /* Nothing was lost by all that. */
    all_kinds_arrive(state);
}

static void objects_of_other_contexts(void **state)
{
    (void)state;
    device other = open_device(NULL);
    refused(1, PLAIT_BUFFER(other.in), PLAIT_E_CONTEXT,
            "argument 1 (\"in\", uint*): the buffer belongs to a context on ");
    assert_fails(plait_launch(other.queue, d.sizes, PLAIT_GRID(1), PLAIT_BUFFER(d.out), PLAIT_INT(1)), PLAIT_E_CONTEXT,
                 "the kernel sizes belongs to a context on ");
    assert_fails(plait_launch(NULL, d.sizes, PLAIT_GRID(1), PLAIT_BUFFER(d.out), PLAIT_INT(1)), PLAIT_E_NULL, "queue");
    assert_fails(plait_launch(d.queue, NULL, PLAIT_GRID(1), PLAIT_BUFFER(d.out), PLAIT_INT(1)), PLAIT_E_NULL, "kernel");
    close_device(&other);
}

static void an_empty_buffer_is_a_null_pointer(void **state)
{
    (void)state;
    plait_buffer *empty;
    assert_ok(plait_buffer_create(&empty, d.ctx, 0, NULL));
    assert_ok(plait_launch(d.queue, d.maybe, PLAIT_GRID(1), PLAIT_BUFFER(d.out), PLAIT_BUFFER(empty)));
    assert_int_equal(first_of(&d), 1);
    plait_buffer_release(empty);
}

/* ---- grids ---- */

static uint64_t launches(void)
{
    plait_stats s = PLAIT_STATS;
    assert_ok(plait_ctx_stats(d.ctx, &s));
    return s.launches;
}

/* The local size with which `sizes` runs on this grid: x * 1000000 + y * 1000 + z. */
static uint32_t group_of(const device *dev, plait_grid grid)
{
    assert_ok(plait_launch(dev->queue, dev->sizes, grid, PLAIT_BUFFER(dev->out), PLAIT_INT(1)));
    return first_of(dev);
}

static void nothing_to_do_is_success(void **state)
{
    (void)state;
    uint64_t before = launches();
    const plait_arg args[] = {PLAIT_BUFFER(d.out), PLAIT_INT(1)};
    plait_event *event;
    assert_ok(plait_launch_n(d.queue, d.sizes, plait_grid_1d(0), args, 2, &event));
    assert_ok(plait_event_wait(event));
    plait_event_release(event);
    assert_ok(plait_launch_n(d.queue, d.sizes, plait_grid_groups(plait_grid_2d(16, 0), 4, 1, 1), args, 2, NULL));
    assert_ok(plait_launch_n(d.queue, d.fixed, plait_grid_1d(0), args, 1, NULL));
    assert_fails(plait_launch_n(d.queue, d.sizes, plait_grid_1d(0), args, 1, NULL), PLAIT_E_KERNEL, "missing");
    assert_int_equal(launches(), before);
}

static void grids_that_are_refused(void **state)
{
    (void)state;
    uint64_t before = launches();
    const plait_arg args[] = {PLAIT_BUFFER(d.out), PLAIT_INT(1)};
    const struct {
        plait_grid grid;
        const char *words;
    } cases[] = {
        {{.dims = 0}, "a grid has 1 to 3 dimensions"},
        {{.dims = 4, .global = {1, 1, 1}}, "a grid has 1 to 3 dimensions"},
        {plait_grid_groups(plait_grid_1d(1000), 16, 1, 1),
         "the group of 16 does not divide the global size 1000 in dimension 0; the next multiple is 1008"},
        {plait_grid_groups(plait_grid_2d(8, 10), 4, 3, 1),
         "the group of 3 does not divide the global size 10 in dimension 1; the next multiple is 12"},
        {plait_grid_groups(plait_grid_2d(8, 8), 4, 0, 1), "the group's size in dimension 1 is 0"},
        {plait_grid_groups(plait_grid_1d((size_t)1 << 30), (size_t)1 << 30, 1, 1), "the device allows"},
        {plait_grid_groups(plait_grid_3d(64, 1024, 1024), 64, 64, 64), "this kernel can have at most"},
        {plait_grid_round_up(plait_grid_groups(plait_grid_1d(SIZE_MAX), 16, 1, 1)), "does not divide"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_fails(plait_launch_n(d.queue, d.sizes, cases[i].grid, args, 2, NULL), PLAIT_E_LAUNCH, cases[i].words);
    }
    assert_fails(plait_launch_n(d.queue, d.fixed, plait_grid_groups(plait_grid_1d(64), 8, 1, 1), args, 1, NULL),
                 PLAIT_E_LAUNCH, "groups of 4 x 1 x 1 (reqd_work_group_size); 8 given");
    assert_fails(plait_launch_n(d.queue, d.fixed, plait_grid_1d(7), args, 1, NULL), PLAIT_E_LAUNCH,
                 "the group of 4 does not divide the global size 7");
    assert_int_equal(launches(), before);
}

static void groups_that_are_given(void **state)
{
    (void)state;
    assert_int_equal(group_of(&d, plait_grid_groups(plait_grid_1d(64), 16, 1, 1)), 16001001);
    assert_int_equal(group_of(&d, plait_grid_groups(plait_grid_3d(4, 4, 2), 2, 4, 1)), 2004001);
    assert_int_equal(group_of(&d, plait_grid_round_up(plait_grid_groups(plait_grid_1d(50), 16, 1, 1))), 16001001);
    assert_ok(plait_launch(d.queue, d.fixed, PLAIT_GRID(8), PLAIT_BUFFER(d.out)));
    assert_int_equal(first_of(&d), 4);
}

static void the_group_when_none_is_given(void **state)
{
    (void)state;
    const plait__caps *caps = plait__ctx_caps(d.ctx);
    size_t largest = 1; /* usual size that this kernel allows */
    for (int i = 2; i >= 0; i--) {
        largest = caps->groups[i] <= plait_kernel_max_group(d.sizes) ? caps->groups[i] : largest;
    }
    assert_int_equal(group_of(&d, plait_grid_1d(largest * 3)), largest * 1000000 + 1001);
    /* 7 is divided by no usual size: the driver chooses, or with round_up the largest that fits. */
    uint32_t chosen = group_of(&d, plait_grid_1d(7)) / 1000000;
    assert_true(chosen == 1 || chosen == 7);
    assert_int_equal(group_of(&d, plait_grid_round_up(plait_grid_1d(7))) / 1000000, largest);
}

/* Whatever the limit, the same answers; never a group above it. */
static void emulated_limits_are_kept(void **state)
{
    (void)state;
    const size_t limits[] = {1, 16};
    for (size_t l = 0; l < 2; l++) {
        char emulate[40];
        snprintf(emulate, sizeof emulate, "group=%zu,local=1024", limits[l]);
        device small_one = open_device(emulate);
        assert_int_equal(plait_kernel_max_group(small_one.sizes), limits[l]);
        assert_true(group_of(&small_one, plait_grid_1d(960)) / 1000000 <= limits[l]);
        assert_int_equal(group_of(&small_one, plait_grid_2d(7, 3)), 1001001);
        assert_fails(plait_launch(small_one.queue, small_one.sizes,
                                  plait_grid_groups(plait_grid_1d(64), 2 * limits[l], 1, 1),
                                  PLAIT_BUFFER(small_one.out), PLAIT_INT(1)),
                     PLAIT_E_LAUNCH, "a group of");
        if (small_one.greedy->slot->local_bytes != 0) { /* PoCL 5 does not tell */
            assert_fails(plait_launch(small_one.queue, small_one.greedy, PLAIT_GRID(1), PLAIT_BUFFER(small_one.out)),
                         PLAIT_E_LAUNCH, "bytes of local variables; the device has 1024");
        }
        if (limits[l] == 1) {
            assert_fails(plait_launch(small_one.queue, small_one.fixed, PLAIT_GRID(8), PLAIT_BUFFER(small_one.out)),
                         PLAIT_E_LAUNCH, "a group of 4");
        }
        close_device(&small_one);
    }
    assert_int_equal(unsetenv("PLAIT_EMULATE"), 0);
}

/* ---- without checks ---- */

static void raw_launches(void **state)
{
    (void)state;
    plait__raw_arg args[2] = {{.buffer = d.out}, {.size = 4, .value = {1}}};
    const size_t global[3] = {32, 2, 1}, group[3] = {8, 2, 1}, none[3] = {0};
    assert_ok(plait__launch_raw(d.queue, d.sizes, 2, global, group, args, 2, NULL));
    assert_int_equal(first_of(&d), 8002001);
    plait_event *event;
    assert_ok(plait__launch_raw(d.queue, d.sizes, 2, global, none, args, 2, &event));
    assert_ok(plait_event_wait(event));
    plait_event_release(event);
    plait__raw_arg null[2] = {{.buffer = d.out}, {0}};
    assert_ok(plait__launch_raw(d.queue, d.maybe, 1, global, NULL, null, 2, NULL));
    assert_int_equal(first_of(&d), 1);
    /* Every kind of argument. */
    const uint32_t n = 100;
    const float a = 0.5f;
    plait__raw_arg all[10] = {{.buffer = d.out}, {.buffer = d.in}, {.buffer = d.in}, {.local_bytes = 64}, {.size = 4},
                              {.size = 4},       {.size = 16},     {.size = 1},      {.size = 8},         {.size = 8}};
    memcpy(all[4].value, &n, 4);
    memcpy(all[5].value, &a, 4);
    memcpy(all[6].value, vector, 16);
    memcpy(all[7].value, &small, 1);
    memcpy(all[8].value, &whole, 8);
    memcpy(all[9].value, two, 8);
    assert_ok(plait__launch_raw(d.queue, d.mixed, 1, (const size_t[]){96}, (const size_t[]){16}, all, 10, NULL));
    float out[96];
    assert_ok(plait_buffer_read(d.queue, d.out, 0, out, sizeof out));
    assert_true(out[95] == 95 * 0.5f + 0.5f + 200 + 10 + 0.125f + 0.25f);
    args[1].size = 8;
    assert_fails(plait__launch_raw(d.queue, d.sizes, 2, global, group, args, 2, NULL), PLAIT_E_OPENCL, "argument 1");
}

int main(void)
{
    unsetenv("PLAIT_EMULATE");
    plait_close(open_or_skip());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_kinds_arrive),          cmocka_unit_test(wrong_arguments_are_named),
        cmocka_unit_test(objects_of_other_contexts), cmocka_unit_test(an_empty_buffer_is_a_null_pointer),
        cmocka_unit_test(nothing_to_do_is_success),  cmocka_unit_test(grids_that_are_refused),
        cmocka_unit_test(groups_that_are_given),     cmocka_unit_test(the_group_when_none_is_given),
        cmocka_unit_test(emulated_limits_are_kept),  cmocka_unit_test(raw_launches),
    };
    return cmocka_run_group_tests(tests, open_plain, close_plain);
}
