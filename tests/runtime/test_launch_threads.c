/* Many threads, one kernel: arguments are nobody else's. Everything starts at the very first use, so that lazy set-up
 * and compilation race as well. */
#include "device_testing.h"

#include <plait/kernel.h>

#include <stdatomic.h>

#include "cache_entry.h"
#include "ctx.h"
#include "file.h"
#include "quirks.h"
#include "runtime.h"
#include "signature.h"
#include "thread.h"

#define THREADS 8
#define ROUNDS 1000
#define N 257

static const char source[] = "kernel void scale(global float *y, const global float *x, float a, float b, uint n)\n"
                             "{\n"
                             "    size_t i = get_global_id(0);\n"
                             "    if (i < n)\n"
                             "        y[i] = x[i] * a + b;\n"
                             "}\n";

static plait_ctx *ctx;
static atomic_int ready;
static atomic_bool go;

typedef struct job {
    plait__thread thread;
    int number;
    bool raw; /* by the launch without checks, a generated program's kernel */
    char failure[1000];
} job;

static bool work(job *j)
{
    float x[N], y[N];
    for (int i = 0; i < N; i++) {
        x[i] = (float)i;
    }
    plait_buffer_opts bo = PLAIT_BUFFER_OPTS;
    bo.data = x;
    plait_queue *queue = NULL;
    plait_buffer *in = NULL, *out = NULL;
    plait_program *program = NULL;
    plait_kernel *kernel = NULL;
    bool good = plait_queue_create(&queue, ctx, NULL) == PLAIT_OK &&
                plait_buffer_create(&in, ctx, sizeof x, &bo) == PLAIT_OK &&
                plait_buffer_create(&out, ctx, sizeof y, NULL) == PLAIT_OK;
    if (good && j->raw) {
        good = plait__kernel_get(ctx, "threads", source, sizeof source - 1, "", "scale", &kernel) == PLAIT_OK;
    } else if (good) {
        good = plait_program_from_source(&program, ctx, source, NULL) == PLAIT_OK &&
               plait_kernel_create(&kernel, program, "scale") == PLAIT_OK;
    }
    for (int round = 0; good && round < ROUNDS; round++) {
        float a = (float)(j->number + 1), b = (float)(j->number + round);
        if (j->raw) {
            plait__raw_arg args[5] = {{.buffer = out}, {.buffer = in}, {.size = 4}, {.size = 4}, {.size = 4}};
            uint32_t n = N;
            memcpy(args[2].value, &a, 4);
            memcpy(args[3].value, &b, 4);
            memcpy(args[4].value, &n, 4);
            const size_t global[1] = {320}, group[1] = {32};
            good = plait__launch_raw(queue, kernel, 1, global, group, args, 5, NULL) == PLAIT_OK;
        } else {
            good =
                plait_launch(queue, kernel, plait_grid_round_up(plait_grid_groups(PLAIT_GRID(N), 32, 1, 1)),
                             PLAIT_BUFFER(out), PLAIT_BUFFER(in), PLAIT_NUM(a), PLAIT_NUM(b), PLAIT_INT(N)) == PLAIT_OK;
        }
        good = good && plait_buffer_read(queue, out, 0, y, sizeof y) == PLAIT_OK;
        for (int i = 0; good && i < N; i++) {
            if (y[i] != x[i] * a + b) {
                snprintf(j->failure, sizeof j->failure, "thread %d, round %d, element %d: %g", j->number, round, i,
                         (double)y[i]);
                good = false;
            }
        }
    }
    if (!good && j->failure[0] == 0) {
        snprintf(j->failure, sizeof j->failure, "thread %d: %s", j->number, plait_last_error());
    }
    if (!j->raw) {
        plait_kernel_release(kernel);
        plait_program_release(program);
    }
    plait_buffer_release(in);
    plait_buffer_release(out);
    plait_queue_release(queue);
    return good;
}

static void start(void *argument)
{
    job *j = argument;
    atomic_fetch_add(&ready, 1);
    while (!atomic_load(&go)) {
    }
    work(j);
}

static void run_threads(bool raw)
{
    static job jobs[THREADS];
    memset(jobs, 0, sizeof jobs);
    atomic_store(&ready, 0);
    atomic_store(&go, false);
    plait_ctx_opts o = PLAIT_CTX_OPTS;
    o.cache_folder = "";
    assert_ok(plait_open(&ctx, &o));
    for (int i = 0; i < THREADS; i++) {
        jobs[i].number = i;
        jobs[i].raw = raw;
        assert_ok(plait__thread_start(&jobs[i].thread, start, &jobs[i]));
    }
    while (atomic_load(&ready) < THREADS) {
    }
    atomic_store(&go, true);
    for (int i = 0; i < THREADS; i++) {
        plait__thread_join(&jobs[i].thread);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_string_equal(jobs[i].failure, "");
    }
    plait_stats s = PLAIT_STATS;
    assert_ok(plait_ctx_stats(ctx, &s));
    assert_int_equal(s.source_builds, 1); /* for eight that asked at once */
    assert_int_equal(s.launches, THREADS * ROUNDS);
    assert_ok(plait_close(ctx));
}

static void checked_launches(void **state)
{
    (void)state;
    run_threads(false);
}

static void raw_launches(void **state)
{
    (void)state;
    run_threads(true);
}

/*
 * Each thread launches with a group size of its own while the program is saved after the launches of others (on drivers
 * that want that). In the end the entry knows them all, and a second context builds and saves nothing.
 */
static void launch_variant(void *argument)
{
    job *j = argument;
    atomic_fetch_add(&ready, 1);
    while (!atomic_load(&go)) {
    }
    plait_program *program = NULL;
    plait_kernel *kernel = NULL;
    plait_queue *queue = NULL;
    plait_buffer *x = NULL, *y = NULL;
    if (plait_program_from_source(&program, ctx, source, NULL) || plait_kernel_create(&kernel, program, "scale") ||
        plait_queue_create(&queue, ctx, NULL) || plait_buffer_create(&x, ctx, 256, NULL) ||
        plait_buffer_create(&y, ctx, 256, NULL) ||
        plait_launch(queue, kernel, plait_grid_groups(PLAIT_GRID(64), (size_t)1 << j->number, 1, 1), PLAIT_BUFFER(y),
                     PLAIT_BUFFER(x), PLAIT_INT(1), PLAIT_INT(0), PLAIT_INT(64)) ||
        plait_queue_finish(queue)) {
        snprintf(j->failure, sizeof j->failure, "thread %d: %s", j->number, plait_last_error());
    }
    plait_buffer_release(x);
    plait_buffer_release(y);
    plait_queue_release(queue);
    plait_kernel_release(kernel);
    plait_program_release(program);
}

static void programs_are_saved_while_others_launch(void **state)
{
    (void)state;
    enum { VARIANTS = 5 }; /* groups of 1 to 16 */
    static job jobs[VARIANTS];
    char *folder = test_folder_make();
    plait_ctx_opts o = PLAIT_CTX_OPTS;
    o.cache_folder = folder;
    char *entry[2] = {NULL, NULL};
    size_t size[2];
    for (int turn = 0; turn < 2; turn++) {
        memset(jobs, 0, sizeof jobs);
        atomic_store(&ready, 0);
        atomic_store(&go, false);
        assert_ok(plait_open(&ctx, &o));
        plait_program *held; /* else each thread might load it anew */
        assert_ok(plait_program_from_source(&held, ctx, source, NULL));
        for (int i = 0; i < VARIANTS; i++) {
            jobs[i].number = i;
            assert_ok(plait__thread_start(&jobs[i].thread, launch_variant, &jobs[i]));
        }
        while (atomic_load(&ready) < VARIANTS) {
        }
        atomic_store(&go, true);
        for (int i = 0; i < VARIANTS; i++) {
            plait__thread_join(&jobs[i].thread);
            assert_string_equal(jobs[i].failure, "");
        }
        plait_stats s = PLAIT_STATS;
        assert_ok(plait_ctx_stats(ctx, &s));
        assert_int_equal(s.source_builds, turn == 0);
        plait_program_release(held);
        bool after_launch = (ctx->quirks & PLAIT__QUIRK_BINARY_AFTER_LAUNCH) != 0;
        assert_ok(plait_close(ctx));
        plait__names names;
        assert_ok(plait__folder_list(&names, folder));
        assert_int_equal(names.count, 1);
        assert_ok(plait__file_read(&entry[turn], &size[turn], test_path(folder, names.names[0]), SIZE_MAX / 2));
        plait__names_free(&names);
        plait__cache_entry e;
        plait__signatures signatures;
        assert_true(plait__cache_entry_parse(&e, entry[turn], size[turn]));
        assert_true(plait__signatures_decode(&signatures, e.signatures.data, e.signatures.size));
        assert_int_equal(signatures.kernels[0].n_variants, after_launch ? VARIANTS : 0);
        plait__signatures_free(&signatures);
    }
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(entry[0], entry[1], size[0]);
    free(entry[0]);
    free(entry[1]);
    test_folder_remove(folder);
}

/*
 * A text that does not compile fails for all who wait for it, each with the log on its own record. (Assigning an unknown
 * name to a pointer ends the process inside NVIDIA's compiler, driver 580, in raw OpenCL too; so it is to an element.)
 */
static void fail_to_build(void *argument)
{
    job *j = argument;
    atomic_fetch_add(&ready, 1);
    while (!atomic_load(&go)) {
    }
    plait_program *p;
    plait_status status = plait_program_from_source(&p, ctx, "kernel void bad(global int *x) { x[0] = here; }\n", NULL);
    snprintf(j->failure, sizeof j->failure, "%s %d", strstr(plait_last_error(), "here") != NULL ? "log" : "no log",
             (int)status);
}

static void failures_reach_everybody(void **state)
{
    (void)state;
    static job jobs[THREADS];
    atomic_store(&ready, 0);
    atomic_store(&go, false);
    assert_ok(plait_open(&ctx, NULL));
    for (int i = 0; i < THREADS; i++) {
        assert_ok(plait__thread_start(&jobs[i].thread, fail_to_build, &jobs[i]));
    }
    while (atomic_load(&ready) < THREADS) {
    }
    atomic_store(&go, true);
    char wanted[20];
    snprintf(wanted, sizeof wanted, "log %d", (int)PLAIT_E_BUILD);
    for (int i = 0; i < THREADS; i++) {
        plait__thread_join(&jobs[i].thread);
        assert_string_equal(jobs[i].failure, wanted);
    }
    assert_ok(plait_close(ctx));
}

int main(void)
{
    plait_close(open_or_skip());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checked_launches),
        cmocka_unit_test(raw_launches),
        cmocka_unit_test(programs_are_saved_while_others_launch),
        cmocka_unit_test(failures_reach_everybody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
