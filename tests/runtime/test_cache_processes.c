/*
 * Several processes on one cache folder: all are right, the folder is whole afterwards, and one that is killed holds up
 * nobody. Each process is this program again, as "worker", with a driver cache of its own.
 */
#include "device_testing.h"

#include <plait/kernel.h>

#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "file.h"

#define WORKERS 8

extern char **environ;

static char *folder;

static int make_folder(void **state)
{
    (void)state;
    folder = test_folder_make();
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    test_folder_remove(folder);
    return 0;
}

/* ---- the child ---- */

static int die(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, plait_last_error());
    return 1;
}

/* worker FOLDER NUMBER PROGRAMS: "write constant i" for every i, in an order of its own; prints the counts. */
static int worker(char **argv)
{
    unsigned number = (unsigned)atoi(argv[3]), n = (unsigned)atoi(argv[4]);
    plait_ctx *ctx;
    plait_ctx_opts o = PLAIT_CTX_OPTS;
    o.cache_folder = argv[2];
    if (plait_open(&ctx, &o)) {
        return die("open");
    }
    plait_queue *queue = plait_ctx_queue(ctx);
    plait_buffer *b;
    if (plait_buffer_create(&b, ctx, 4, NULL)) {
        return die("buffer");
    }
    const unsigned steps[WORKERS + 1] = {1, 3, 7, 9, 11, 13, 17, 19, 21}; /* no divisor in common with 10 or 40 */
    for (unsigned turn = 0; turn < n; turn++) {
        unsigned i = (turn * steps[number] + number * 5) % n;
        char source[100];
        int32_t value = -1;
        plait_program *p;
        plait_kernel *k;
        snprintf(source, sizeof source, "kernel void put(global int *x) { x[0] = %u; }\n", i);
        if (plait_program_from_source(&p, ctx, source, NULL) || plait_kernel_create(&k, p, "put") ||
            plait_launch(queue, k, plait_grid_groups(PLAIT_GRID(1), 1, 1, 1), PLAIT_BUFFER(b)) ||
            plait_buffer_read(queue, b, 0, &value, sizeof value)) {
            return die(source);
        }
        if (value != (int32_t)i) {
            fprintf(stderr, "%d instead of %u\n", (int)value, i);
            return 1;
        }
        plait_kernel_release(k);
        plait_program_release(p);
    }
    plait_stats s = PLAIT_STATS;
    if (plait_ctx_stats(ctx, &s)) {
        return die("stats");
    }
    printf("%llu %llu %llu\n", (unsigned long long)s.source_builds, (unsigned long long)s.binary_loads,
           (unsigned long long)s.cache_rejects);
    plait_buffer_release(b);
    return plait_close(ctx) ? die("close") : 0;
}

/* ---- the parent ---- */

static pid_t start(unsigned number, unsigned programs)
{
    char number_text[16], programs_text[16], pocl[4200], cache[4200];
    snprintf(number_text, sizeof number_text, "%u", number);
    snprintf(programs_text, sizeof programs_text, "%u", programs);
    snprintf(pocl, sizeof pocl, "%s/pocl%u", folder, number);
    snprintf(cache, sizeof cache, "%s/cache", folder);
    assert_int_equal(setenv("POCL_CACHE_DIR", pocl, 1), 0);
    assert_int_equal(setenv("CUDA_CACHE_DISABLE", "1", 1), 0);
    assert_int_equal(setenv("ASAN_OPTIONS", "detect_leaks=0", 1), 0); /* the leak checker crashes over a cold PoCL */
    char name[] = "worker";
    char *argv[] = {name, name, cache, number_text, programs_text, NULL};
    pid_t child;
    assert_int_equal(posix_spawn(&child, "/proc/self/exe", NULL, NULL, argv, environ), 0);
    return child;
}

static int end_of(pid_t child)
{
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A process of its own finds all entries good: no build, no reject. */
static void assert_all_there(unsigned programs)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    int keep = dup(1);
    fflush(stdout);
    dup2(ends[1], 1);
    close(ends[1]);
    pid_t child = start(WORKERS, programs);
    dup2(keep, 1);
    close(keep);
    char text[100] = "", wanted[100];
    ssize_t n = read(ends[0], text, sizeof text - 1);
    close(ends[0]);
    assert_int_equal(end_of(child), 0);
    assert_true(n > 0);
    snprintf(wanted, sizeof wanted, "0 %u 0\n", programs);
    assert_string_equal(text, wanted);
}

static void a_shared_folder(void **state)
{
    (void)state;
    const unsigned programs = 40;
    pid_t children[WORKERS];
    for (unsigned i = 0; i < WORKERS; i++) {
        children[i] = start(i, programs);
    }
    for (unsigned i = 0; i < WORKERS; i++) {
        assert_int_equal(end_of(children[i]), 0);
    }
    assert_all_there(programs);
    plait__names names;
    char cache[4200];
    snprintf(cache, sizeof cache, "%s/cache", folder);
    assert_ok(plait__folder_list(&names, cache));
    assert_int_equal(names.count, programs); /* and nothing else: no temporary files */
    plait__names_free(&names);
}

static void one_is_killed(void **state)
{
    (void)state;
    const unsigned programs = 10;
    pid_t children[3];
    for (unsigned i = 0; i < 3; i++) {
        children[i] = start(i, programs);
    }
    /* In the middle: when the first entry is there. */
    char cache[4200];
    snprintf(cache, sizeof cache, "%s/cache", folder);
    for (double limit = seconds() + 60; seconds() < limit;) {
        plait__names names = {0};
        plait__folder_list(&names, cache);
        size_t n = names.count;
        plait__names_free(&names);
        if (n > 0) {
            break;
        }
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
    assert_int_equal(kill(children[1], SIGKILL), 0);
    int status = end_of(children[1]);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    assert_int_equal(end_of(children[0]), 0);
    assert_int_equal(end_of(children[2]), 0);
    double begin = seconds();
    assert_all_there(programs);
    assert_true(seconds() - begin < 20); /* nobody waits for the dead; 10 loads, on a busy machine */
}

int main(int argc, char **argv)
{
    if (argc == 5 && strcmp(argv[1], "worker") == 0) {
        return worker(argv);
    }
    plait_close(open_or_skip());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_shared_folder, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(one_is_killed, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
