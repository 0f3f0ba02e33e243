#include "build_log.h"
#include "run_args.h"
#include "run_check.h"
#include "tool.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

const char tool_run_help[] =
    "plait run: run a kernel from an OpenCL C file, without a host program\n"
    "\n"
    "usage: plait run FILE.cl[:KERNEL] ARGS... [options]\n"
    "\n"
    "ARGS stand in the order of the kernel's parameters:\n"
    "  x.npy  p.png               an input; a picture is u8 (or u16) of HEIGHTxWIDTH or HEIGHTxWIDTHxCHANNELS\n"
    "  out:z.npy:f32:1000x3       an output, zero at first: file, dtype, shape\n"
    "  out:q.png:u8:480x640x4     the same to a picture\n"
    "  out:z.npy                  an output of the first input's dtype and shape\n"
    "  inout:x.npy:z.npy          read from the one file, changed, written to the other\n"
    "  local:256:f32              local memory for 256 floats\n"
    "  3  -0.5  0x10              a number, converted to the parameter's type if that can hold it\n"
    "Of a file with several kernels, name one; without a name they are listed.\n"
    "\n"
    "options:\n"
    "  --grid G        work-items, x first: 640x480. Default: the shape of the first output (else in-and-output, else\n"
    "                  input), last axis first, in elements of the parameter's type: of 480x640x4 u8 and uchar4\n"
    "                  640x480; a fourth axis and more multiply the third\n"
    "  --group L       work-items of a group: 16x16. Default: chosen by Plait\n"
    "  --round-up      round the grid up to whole groups; the kernel checks its bounds\n"
    "  --repeat N      launch N times and print the best and the median time\n"
    "  --device D      an index, gpu, cpu, part of a name, platform:device; default: PLAIT_DEVICE, else the best\n"
    "  -D NAME[=V]     define a macro\n"
    "  -I DIR          look for #include \"...\" there too\n"
    "  --options S     options for the OpenCL compiler\n"
    "  --              what follows are arguments only\n"
    "\n"
    "examples:\n"
    "  plait run scale.cl x.npy out:y.npy 2.5\n"
    "  plait run filter.cl:blur photo.png out:soft.png:u8:480x640x4 local:1296:u8 --group 16x16 --round-up\n"
    "  plait run sim.cl inout:state.npy:next.npy 0.01 --grid 1000 --repeat 100 --device cpu\n"
    "\n"
    "Exit status: 0 success, 1 failure, 2 wrong command line, 3 no device, 4 the program does not compile, 5 a file\n"
    "cannot be read or written, 6 no such kernel or arguments that do not match it.\n";

typedef struct run {
    char *file, *kernel_name; /* kernel_name NULL: none was named */
    run_arg *args;
    size_t n_args;
    plait_grid grid; /* dims 0: not given */
    int64_t group[3];
    size_t n_group;
    bool round_up;
    int64_t repeat;
    const char *device, *options;
    const char **defines, **includes; /* each has room for the whole command line */
    size_t n_defines, n_includes;

    plait_ctx *ctx;
    plait_queue *queue;
    plait_program *program;
    plait_kernel *kernel;
    plait_buffer **buffers; /* of the arguments; NULL where it is no array */
    double *seconds;        /* of each launch */
    bool device_times;
    double build_seconds;
} run;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- the command line ---- */

static bool is_identifier(const char *text)
{
    if (!isalpha((unsigned char)text[0]) && text[0] != '_') {
        return false;
    }
    for (; *text != '\0'; text++) {
        if (!isalnum((unsigned char)*text) && *text != '_') {
            return false;
        }
    }
    return true;
}

/* FILE.cl or FILE.cl:KERNEL; a file whose name has a colon in it is taken as it is if it exists. */
static tool_exit parse_target(run *r, const char *word)
{
    r->file = strdup(word);
    if (r->file == NULL) {
        return tool_fail(TOOL_FAILED, "out of memory");
    }
    char *colon = strrchr(r->file, ':');
    if (colon != NULL && access(word, F_OK) != 0) {
        if (!is_identifier(colon + 1)) {
            return tool_fail(TOOL_USAGE, "%s: write FILE.cl or FILE.cl:KERNEL; '%s' is no kernel's name", word,
                             colon + 1);
        }
        *colon = '\0';
        r->kernel_name = colon + 1;
    }
    return TOOL_OK;
}

static tool_exit parse_grid(run *r, const char *value)
{
    int64_t sizes[3];
    size_t n;
    if (!run_parse_sizes(value, 3, sizes, &n)) {
        return tool_fail(TOOL_USAGE, "--grid %s: write 1 to 3 sizes, x first, as 640x480", value);
    }
    size_t global[3];
    for (size_t i = 0; i < n; i++) {
        global[i] = (size_t)sizes[i];
    }
    r->grid = plait_grid_from(global, n);
    return TOOL_OK;
}

static tool_exit parse_group(run *r, const char *value)
{
    bool ok = run_parse_sizes(value, 3, r->group, &r->n_group);
    for (size_t i = 0; ok && i < r->n_group; i++) {
        ok = r->group[i] > 0;
    }
    return ok ? TOOL_OK : tool_fail(TOOL_USAGE, "--group %s: write 1 to 3 positive sizes, x first, as 16x16", value);
}

static tool_exit parse_repeat(run *r, const char *value)
{
    size_t n;
    if (!run_parse_sizes(value, 1, &r->repeat, &n) || r->repeat < 1 || r->repeat > 10000000) {
        return tool_fail(TOOL_USAGE, "--repeat %s: write a number from 1 to 10000000", value);
    }
    return TOOL_OK;
}

/* Takes the option at argv[*i], with its value if it has one. */
static tool_exit parse_option(run *r, int argc, char **argv, int *i)
{
    const char *option = argv[*i];
    if (strcmp(option, "--round-up") == 0) {
        r->round_up = true;
        return TOOL_OK;
    }
    const bool attached = (option[1] == 'D' || option[1] == 'I') && option[2] != '\0';
    const char *value = attached ? option + 2 : *i + 1 < argc ? argv[*i + 1] : NULL;
    static const char *const known[] = {"--grid", "--group", "--repeat", "--device", "--options", "-D", "-I"};
    bool found = attached;
    for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++) {
        found = found || strcmp(option, known[k]) == 0;
    }
    if (!found) {
        return tool_fail(TOOL_USAGE, "'%s' is no option; see plait help run", option);
    }
    if (value == NULL) {
        return tool_fail(TOOL_USAGE, "%s needs a value", option);
    }
    *i += attached ? 0 : 1;
    if (strcmp(option, "--grid") == 0) {
        return parse_grid(r, value);
    }
    if (strcmp(option, "--group") == 0) {
        return parse_group(r, value);
    }
    if (strcmp(option, "--repeat") == 0) {
        return parse_repeat(r, value);
    }
    if (strcmp(option, "--device") == 0) {
        r->device = value;
    } else if (strcmp(option, "--options") == 0) {
        r->options = value;
    } else if (option[1] == 'D') {
        r->defines[r->n_defines++] = value;
    } else {
        r->includes[r->n_includes++] = value;
    }
    return TOOL_OK;
}

/* Whether a word that begins with '-' is a number all the same. */
static bool is_negative_number(const char *word)
{
    return isdigit((unsigned char)word[1]) || word[1] == '.' || strncmp(word, "-inf", 4) == 0 ||
           strncmp(word, "-nan", 4) == 0;
}

static tool_exit parse_words(run *r, int argc, char **argv)
{
    bool arguments_only = false;
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        tool_exit code;
        if (!arguments_only && strcmp(word, "--") == 0) {
            arguments_only = true;
            continue;
        }
        if (!arguments_only && word[0] == '-' && !is_negative_number(word)) {
            code = parse_option(r, argc, argv, &i);
        } else if (r->file == NULL) {
            code = parse_target(r, word);
        } else {
            code = run_arg_parse(&r->args[r->n_args++], word);
        }
        if (code != TOOL_OK) {
            return code;
        }
    }
    return r->file != NULL ? TOOL_OK : tool_fail(TOOL_USAGE, "run: no FILE.cl was named; see plait help run");
}

/* ---- device, program, kernel ---- */

static void show_log(void *user, plait_log_level level, const char *line)
{
    (void)user;
    (void)level;
    fprintf(stderr, "plait: %s\n", line);
}

static tool_exit fail_build(void)
{
    if (plait_last_status() != PLAIT_E_BUILD) {
        return tool_fail_plait();
    }
    fflush(stdout);
    fputs("plait: ", stderr);
    build_log_print(stderr, plait_last_error());
    return TOOL_BUILD;
}

static tool_exit check_source(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL) {
        return tool_fail(TOOL_FILE, "%s cannot be read: there is no such file, or it may not be opened", path);
    }
    int first = fgetc(f);
    while (isspace(first)) {
        first = fgetc(f);
    }
    fclose(f);
    return first != EOF ? TOOL_OK : tool_fail(TOOL_FILE, "%s is empty, or a folder", path);
}

static tool_exit open_device(run *r)
{
    plait_ctx_opts opts = PLAIT_CTX_OPTS;
    opts.device = r->device;
    opts.log = show_log;
    plait_queue_opts queue_opts = PLAIT_QUEUE_OPTS;
    queue_opts.profile = true;
    if (plait_open(&r->ctx, &opts) || plait_queue_create(&r->queue, r->ctx, &queue_opts)) {
        return tool_fail_plait();
    }
    return TOOL_OK;
}

static tool_exit build(run *r)
{
    plait_program_opts opts = PLAIT_PROGRAM_OPTS;
    opts.options = r->options;
    opts.defines = r->defines;
    opts.n_defines = r->n_defines;
    opts.include_dirs = r->includes;
    opts.n_include_dirs = r->n_includes;
    const double start = now();
    if (plait_program_from_file(&r->program, r->ctx, r->file, &opts)) {
        return fail_build();
    }
    r->build_seconds = now() - start;
    return TOOL_OK;
}

static tool_exit list_kernels(const run *r)
{
    const size_t n = plait_program_kernel_count(r->program);
    if (n == 0) {
        return tool_fail(TOOL_KERNEL, "%s has no kernel", r->file);
    }
    printf("%s has %zu kernels:\n", r->file, n);
    for (size_t i = 0; i < n; i++) {
        plait_kernel *kernel;
        if (plait_kernel_create(&kernel, r->program, plait_program_kernel_name(r->program, i))) {
            return tool_fail_plait();
        }
        run_print_signature(stdout, kernel, "  ");
        plait_kernel_release(kernel);
    }
    return tool_fail(TOOL_USAGE, "name the one to run: %s:%s", r->file, plait_program_kernel_name(r->program, 0));
}

static tool_exit choose_kernel(run *r)
{
    if (r->kernel_name == NULL && plait_program_kernel_count(r->program) != 1) {
        return list_kernels(r);
    }
    const char *name = r->kernel_name != NULL ? r->kernel_name : plait_program_kernel_name(r->program, 0);
    return plait_kernel_create(&r->kernel, r->program, name) ? tool_fail_plait() : TOOL_OK;
}

/* ---- the launches ---- */

static tool_exit fill_buffers(run *r, bool only_inouts)
{
    for (size_t i = 0; i < r->n_args; i++) {
        const run_arg *arg = &r->args[i];
        if (!run_arg_is_array(arg) || (only_inouts && arg->kind != RUN_INOUT)) {
            continue;
        }
        if ((r->buffers[i] == NULL && plait_buffer_create(&r->buffers[i], r->ctx, arg->bytes, NULL)) ||
            plait_buffer_write(r->queue, r->buffers[i], 0, arg->data, arg->bytes)) {
            return tool_fail_plait();
        }
    }
    return TOOL_OK;
}

/* The time of one launch: the device's own, or, where it has no clock, the host's. */
static tool_exit launch_once(run *r, const plait_arg *args, double *seconds)
{
    plait_event *event;
    const double start = now();
    if (plait_launch_n(r->queue, r->kernel, r->grid, args, r->n_args, &event)) {
        const tool_exit failed = tool_fail_plait();
        if (plait_last_status() == PLAIT_E_LAUNCH && r->n_group > 0 && !r->round_up) {
            fputs("plait: here, --round-up rounds the grid up to whole groups\n", stderr);
        }
        return failed;
    }
    plait_times times;
    tool_exit code = plait_event_wait(event) ? tool_fail_plait() : TOOL_OK;
    *seconds = now() - start;
    if (code == TOOL_OK && plait_ctx_device(r->ctx)->timestamps && plait_event_times(event, &times) == PLAIT_OK) {
        *seconds = 1e-9 * (double)(times.ended - times.started);
        r->device_times = true;
    }
    plait_event_release(event);
    return code;
}

static tool_exit launch_all(run *r)
{
    plait_arg *args = calloc(r->n_args + 1, sizeof(plait_arg));
    r->seconds = calloc((size_t)r->repeat, sizeof(double));
    if (args == NULL || r->seconds == NULL) {
        free(args);
        return tool_fail(TOOL_FAILED, "out of memory");
    }
    for (size_t i = 0; i < r->n_args; i++) {
        const run_arg *arg = &r->args[i];
        args[i] = run_arg_is_array(arg)    ? plait_arg_buffer(r->buffers[i])
                  : arg->kind == RUN_LOCAL ? plait_arg_local(arg->bytes)
                                           : arg->number;
    }
    tool_exit code = TOOL_OK;
    for (int64_t turn = 0; turn < r->repeat && code == TOOL_OK; turn++) {
        /* Each launch starts from the same data, so the result does not depend on how often it is timed. */
        code = turn > 0 ? fill_buffers(r, true) : TOOL_OK;
        if (code == TOOL_OK) {
            code = launch_once(r, args, &r->seconds[turn]);
        }
    }
    free(args);
    return code;
}

static tool_exit save_results(run *r)
{
    for (size_t i = 0; i < r->n_args; i++) {
        run_arg *arg = &r->args[i];
        if (arg->out_path == NULL) {
            continue;
        }
        if (plait_buffer_read(r->queue, r->buffers[i], 0, arg->data, arg->bytes)) {
            return tool_fail_plait();
        }
        const tool_exit code = run_arg_save(arg);
        if (code != TOOL_OK) {
            return code;
        }
        char shape[RUN_SHAPE_TEXT];
        printf("wrote    %s: %s of %s\n", arg->out_path, plait_dtype_name(arg->dtype),
               run_shape_text(arg->shape, shape));
    }
    return TOOL_OK;
}

/* ---- the report ---- */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static const char *time_text(double seconds, char out[32])
{
    if (seconds < 1e-3) {
        snprintf(out, 32, "%.2f us", seconds * 1e6);
    } else if (seconds < 1) {
        snprintf(out, 32, "%.3f ms", seconds * 1e3);
    } else {
        snprintf(out, 32, "%.3f s", seconds);
    }
    return out;
}

static void print_sizes(const char *label, const size_t *sizes, uint32_t dims)
{
    printf("%s%zu", label, sizes[0]);
    for (uint32_t i = 1; i < dims; i++) {
        printf("x%zu", sizes[i]);
    }
}

static void report(run *r)
{
    const plait_device_info *device = plait_ctx_device(r->ctx);
    char a[32], b[32], c[32];
    printf("device   [%zu] %s\n", device->index, device->name);
    printf("kernel   %s, %s in %s\n", plait_kernel_name(r->kernel),
           plait_program_cached(r->program) ? "from the cache" : "compiled", time_text(r->build_seconds, a));
    print_sizes("grid     ", r->grid.global, r->grid.dims);
    if (r->grid.group[0] != 0) {
        print_sizes(" in groups of ", r->grid.group, r->grid.dims);
    }
    printf("%s\n", r->grid.round_up ? ", rounded up" : "");

    const double first = r->seconds[0];
    const size_t n = (size_t)r->repeat;
    const char *clock = r->device_times ? "device" : "host's clock: the device has none";
    qsort(r->seconds, n, sizeof(double), by_value);
    const double best = r->seconds[0];
    if (n == 1) {
        printf("time     %s (%s)\n", time_text(best, a), clock);
    } else {
        printf("time     best %s, median %s, first %s of %zu (%s)\n", time_text(best, a),
               time_text(r->seconds[n / 2], b), time_text(first, c), n, clock);
    }
    double bytes = 0;
    for (size_t i = 0; i < r->n_args; i++) {
        if (run_arg_is_array(&r->args[i])) {
            bytes += (double)r->args[i].bytes * (r->args[i].kind == RUN_INOUT ? 2 : 1);
        }
    }
    printf("data     %.3f MB, each array read or written once", bytes * 1e-6);
    if (best > 0 && bytes > 0) {
        printf(": %.2f GB/s", bytes * 1e-9 / best);
    }
    printf("\n");
}

static tool_exit run_all(run *r)
{
    tool_exit code = check_source(r->file);
    if (code == TOOL_OK) {
        code = run_args_load(r->args, r->n_args);
    }
    if (code == TOOL_OK) {
        code = open_device(r);
    }
    if (code == TOOL_OK) {
        code = build(r);
    }
    if (code == TOOL_OK) {
        code = choose_kernel(r);
    }
    if (code == TOOL_OK) {
        code = run_check_arguments(r->kernel, r->args, r->n_args);
    }
    if (code == TOOL_OK && r->grid.dims == 0) {
        code = run_default_grid(r->kernel, r->args, r->n_args, &r->grid);
    }
    if (code != TOOL_OK) {
        return code;
    }
    if (r->n_group > r->grid.dims) {
        return tool_fail(TOOL_USAGE, "--group has %zu sizes and the grid only %" PRIu32, r->n_group, r->grid.dims);
    }
    r->grid.round_up = r->round_up;
    for (size_t i = 0; r->n_group > 0 && i < r->grid.dims; i++) {
        r->grid.group[i] = i < r->n_group ? (size_t)r->group[i] : 1;
    }
    code = fill_buffers(r, false);
    if (code == TOOL_OK) {
        code = launch_all(r);
    }
    if (code == TOOL_OK) {
        report(r);
        code = save_results(r);
    }
    return code;
}

static void release_all(run *r)
{
    for (size_t i = 0; i < r->n_args; i++) {
        if (r->buffers != NULL) {
            plait_buffer_release(r->buffers[i]);
        }
        run_arg_free(&r->args[i]);
    }
    plait_kernel_release(r->kernel);
    plait_program_release(r->program);
    plait_queue_release(r->queue);
    plait_close(r->ctx);
    free(r->buffers);
    free(r->args);
    free(r->seconds);
    free(r->defines);
    free(r->includes);
    free(r->file);
}

tool_exit tool_run(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            fputs(tool_run_help, stdout);
            return TOOL_OK;
        }
    }
    run r = {.repeat = 1};
    const size_t room = (size_t)argc + 1;
    r.args = calloc(room, sizeof(run_arg));
    r.buffers = calloc(room, sizeof(plait_buffer *));
    r.defines = calloc(room, sizeof(char *));
    r.includes = calloc(room, sizeof(char *));
    tool_exit code = TOOL_FAILED;
    if (r.args == NULL || r.buffers == NULL || r.defines == NULL || r.includes == NULL) {
        tool_fail(code, "out of memory");
    } else {
        code = parse_words(&r, argc, argv);
    }
    if (code == TOOL_OK) {
        code = run_all(&r);
    }
    release_all(&r);
    return code;
}
