/*
 * Some cases need a process of their own: this program again, with a role.
 */
#include "device_testing.h"

#include "alloc.h"
#include "ctx.h"

#include <plait/buffer.h>

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static char *folder;

static void opens_and_closes(void **state)
{
    (void)state;
    plait_ctx *ctx = open_or_skip();
    const plait_device_info *info = plait_ctx_device(ctx);
    assert_non_null(info);
    assert_true(strlen(info->name) > 0);
    assert_true(info->max_group_size > 0 && info->compute_units > 0);
    assert_non_null(plait_ctx_queue(ctx));
    assert_ok(plait_finish(ctx));
    assert_ok(plait_ctx_trim(ctx));
    assert_ok(plait_close(ctx));
    assert_ok(plait_close(NULL));
}

static void a_second_context_is_independent(void **state)
{
    (void)state;
    plait_ctx *a = open_or_skip(), *b = open_or_skip();
    assert_ok(plait_close(a));
    assert_ok(plait_finish(b));
    plait_buffer *buffer;
    assert_ok(plait_buffer_create(&buffer, b, 100, NULL));
    plait_buffer_release(buffer);
    assert_ok(plait_close(b));
}

static void options_are_checked(void **state)
{
    (void)state;
    plait_ctx *ctx = (plait_ctx *)&ctx;
    plait_ctx_opts o = PLAIT_CTX_OPTS;
    assert_fails(plait_open(NULL, NULL), PLAIT_E_NULL, "out");
    o.size = 0;
    assert_fails(plait_open(&ctx, &o), PLAIT_E_ARGUMENT, "opts.size is 0");
    assert_null(ctx);
    plait_ctx_opts_init(&o);
    o.real = PLAIT_I32;
    assert_fails(plait_open(&ctx, &o), PLAIT_E_ARGUMENT, "opts.real is i32");
    plait_ctx_opts_init(&o);
    o.log_level = (plait_log_level)9;
    assert_fails(plait_open(&ctx, &o), PLAIT_E_ARGUMENT, "opts.log_level is 9");
    plait_ctx_opts_init(&o);
    o.device = "there is no such device";
    assert_fails(plait_open(&ctx, &o), PLAIT_E_NO_DEVICE, "opts.device=\"there is no such device\"");
    plait_ctx_opts_init(NULL);

    /* A program built against a newer header: fine as long as it does not use what is new. */
    struct {
        plait_ctx_opts known;
        uint64_t unknown;
    } newer = {.known = PLAIT_CTX_OPTS};
    newer.known.size = sizeof newer;
    newer.unknown = 1;
    assert_fails(plait_open(&ctx, &newer.known), PLAIT_E_ARGUMENT, "does not have");
    newer.unknown = 0;
    assert_ok(plait_open(&ctx, &newer.known));
    assert_ok(plait_close(ctx));
    /* And one built against an older one. */
    plait_ctx_opts_init(&o);
    o.size = offsetof(plait_ctx_opts, memory_limit);
    o.memory_limit = 1; /* beyond its struct: not read */
    assert_ok(plait_open(&ctx, &o));
    assert_true(plait__ctx_caps(ctx)->global_memory > 1);
    assert_ok(plait_close(ctx));
}

static void the_environment_is_read_and_checked(void **state)
{
    (void)state;
    plait_ctx *ctx;
    setenv("PLAIT_EMULATE", "group=16,nofp64,memory=1M", 1);
    ctx = open_or_skip();
    const plait__caps *caps = plait__ctx_caps(ctx);
    assert_int_equal(caps->max_group, 16);
    assert_false(caps->fp64 || plait_ctx_device(ctx)->fp64);
    assert_int_equal(plait_ctx_device(ctx)->max_group_size, 16);
    assert_int_equal(caps->global_memory, 1 << 20);
    assert_ok(plait_close(ctx));
    plait_ctx_opts o = PLAIT_CTX_OPTS;
    o.real = PLAIT_F64;
    assert_fails(plait_open(&ctx, &o), PLAIT_E_UNSUPPORTED, "double precision");
    setenv("PLAIT_EMULATE", "sixteen", 1);
    assert_fails(plait_open(&ctx, NULL), PLAIT_E_ARGUMENT, "\"sixteen\"");
    unsetenv("PLAIT_EMULATE");

    setenv("PLAIT_SKELETON", "both", 1);
    assert_fails(plait_open(&ctx, NULL), PLAIT_E_ARGUMENT, "PLAIT_SKELETON");
    setenv("PLAIT_SKELETON", "device", 1);
    assert_ok(plait_open(&ctx, NULL));
    assert_int_equal(plait__ctx_caps(ctx)->skeleton, PLAIT__SKELETON_DEVICE);
    assert_ok(plait_close(ctx));
    unsetenv("PLAIT_SKELETON");

    setenv("PLAIT_MEMORY_LIMIT", "much", 1);
    assert_fails(plait_open(&ctx, NULL), PLAIT_E_ARGUMENT, "PLAIT_MEMORY_LIMIT");
    setenv("PLAIT_MEMORY_LIMIT", "2M", 1);
    assert_ok(plait_open(&ctx, NULL));
    assert_int_equal(plait__ctx_caps(ctx)->global_memory, 2 << 20);
    assert_ok(plait_close(ctx));
    plait_ctx_opts_init(&o);
    o.memory_limit = 3 << 20; /* the option beats the variable */
    assert_ok(plait_open(&ctx, &o));
    assert_int_equal(plait__ctx_caps(ctx)->global_memory, 3 << 20);
    assert_int_equal(plait__ctx_caps(ctx)->real, PLAIT_F32);
    assert_ok(plait_close(ctx));
    unsetenv("PLAIT_MEMORY_LIMIT");
}

static void a_closed_context_refuses_and_releases(void **state)
{
    (void)state;
    plait_ctx *ctx = open_or_skip();
    plait_buffer *buffer, *empty;
    plait_queue *queue, *own;
    plait_event *event = NULL;
    assert_ok(plait_buffer_create(&buffer, ctx, 64, NULL));
    assert_ok(plait_buffer_create(&empty, ctx, 0, NULL));
    assert_ok(plait_queue_create(&queue, ctx, NULL));
    own = plait_queue_retain(plait_ctx_queue(ctx));
    assert_ok(plait_buffer_fill(queue, buffer, 0, 64, "x", 1, NULL));
    assert_ok(plait_close(ctx));

    char byte;
    plait_stats stats = PLAIT_STATS;
    plait_queue *other;
    plait_buffer *fresh;
    assert_fails(plait_buffer_read(queue, buffer, 0, &byte, 1), PLAIT_E_CLOSED, "plait_buffer_read");
    assert_fails(plait_buffer_write(own, buffer, 0, &byte, 1), PLAIT_E_CLOSED, "plait_buffer_write");
    assert_fails(plait_buffer_fill(queue, empty, 0, 0, "x", 1, NULL), PLAIT_E_CLOSED, "closed");
    assert_fails(plait_buffer_create(&fresh, plait_buffer_ctx(buffer), 1, NULL), PLAIT_E_CLOSED, "closed");
    assert_null(fresh);
    assert_fails(plait_queue_finish(queue), PLAIT_E_CLOSED, "plait_queue_finish");
    assert_fails(plait_queue_flush(own), PLAIT_E_CLOSED, "plait_queue_flush");
    assert_fails(plait_queue_mark(queue, &event), PLAIT_E_CLOSED, "closed");
    assert_null(event);
    assert_fails(plait_queue_create(&other, ctx, NULL), PLAIT_E_CLOSED, "closed");
    assert_fails(plait_finish(ctx), PLAIT_E_CLOSED, "plait_finish");
    assert_fails(plait_ctx_stats(ctx, &stats), PLAIT_E_CLOSED, "closed");
    assert_fails(plait_ctx_trim(ctx), PLAIT_E_CLOSED, "closed");
    assert_fails_null(plait_ctx_queue(ctx), PLAIT_E_CLOSED, "closed");
    assert_string_equal(plait_ctx_cache_folder(ctx), "");
    assert_fails(plait_close(ctx), PLAIT_E_CLOSED, "plait_close");
    assert_int_equal(plait_buffer_size(buffer), 64);

    plait_buffer_release(buffer);
    plait_queue_release(queue);
    plait_buffer_release(empty);
    plait_queue_release(own);
}

static void events_outlive_their_context(void **state)
{
    (void)state;
    plait_ctx *ctx = open_or_skip();
    plait_event *event;
    assert_ok(plait_queue_mark(plait_ctx_queue(ctx), &event));
    assert_ok(plait_close(ctx));
    bool done;
    plait_times times;
    assert_fails(plait_event_wait(event), PLAIT_E_CLOSED, "plait_event_wait");
    assert_fails(plait_event_done(event, &done), PLAIT_E_CLOSED, "plait_event_done");
    assert_fails(plait_event_times(event, &times), PLAIT_E_CLOSED, "plait_event_times");
    plait_event_release(plait_event_retain(event));
    plait_event_release(event);
}

static void *release_buffer(void *buffer)
{
    plait_buffer_release(buffer);
    return NULL;
}

static void others_may_release_while_it_closes(void **state)
{
    (void)state;
    for (int round = 0; round < 10; round++) {
        plait_ctx *ctx = open_or_skip();
        plait_buffer *buffers[8];
        plait_queue *queue;
        assert_ok(plait_queue_create(&queue, ctx, NULL));
        for (size_t i = 0; i < 8; i++) {
            assert_ok(plait_buffer_create(&buffers[i], ctx, 1000 * (i + 1), NULL));
            assert_ok(plait_buffer_fill(queue, buffers[i], 0, 1000, "x", 1, NULL));
        }
        plait_queue_release(queue);
        pthread_t threads[8];
        for (size_t i = 0; i < 8; i++) {
            assert_int_equal(pthread_create(&threads[i], NULL, release_buffer, buffers[i]), 0);
        }
        assert_ok(plait_close(ctx));
        for (size_t i = 0; i < 8; i++) {
            pthread_join(threads[i], NULL);
        }
    }
}

static void statistics_reach_as_far_as_their_size(void **state)
{
    (void)state;
    plait_ctx *ctx = open_or_skip();
    plait_buffer *buffer;
    char data[300] = {0};
    assert_ok(plait_buffer_create(&buffer, ctx, sizeof data, NULL));
    assert_ok(plait_buffer_write(plait_ctx_queue(ctx), buffer, 0, data, sizeof data));
    assert_ok(plait_buffer_read(plait_ctx_queue(ctx), buffer, 0, data, 100));
    plait_stats s = PLAIT_STATS;
    assert_ok(plait_ctx_stats(ctx, &s));
    assert_int_equal(s.size, sizeof s);
    assert_int_equal(s.buffers, 1);
    assert_int_equal(s.bytes_to_device, 300);
    assert_int_equal(s.bytes_from_device, 100);
    assert_int_equal(s.memory_used, 320);
    assert_int_equal(s.launches, 0);
    plait__ctx_count_arrays(ctx, 3);
    plait__ctx_count_arrays(ctx, -1);
    assert_ok(plait_ctx_stats(ctx, &s));
    assert_int_equal(s.arrays, 2);

    plait_stats older = PLAIT_STATS;
    older.size = offsetof(plait_stats, buffers);
    older.buffers = 77;
    assert_ok(plait_ctx_stats(ctx, &older));
    assert_int_equal(older.buffers, 77);
    assert_int_equal(older.memory_used, 320);
    older.size = 0;
    assert_fails(plait_ctx_stats(ctx, &older), PLAIT_E_ARGUMENT, "PLAIT_STATS");
    assert_fails(plait_ctx_stats(ctx, NULL), PLAIT_E_NULL, "stats");
    assert_fails(plait_ctx_stats(NULL, &s), PLAIT_E_NULL, "ctx");
    plait_buffer_release(buffer);
    assert_ok(plait_ctx_stats(ctx, &s));
    assert_int_equal(s.buffers, 0);
    assert_ok(plait_close(ctx));
}

static void null_is_refused_everywhere(void **state)
{
    (void)state;
    plait_queue *queue;
    assert_fails_null(plait_ctx_device(NULL), PLAIT_E_NULL, "ctx");
    assert_fails_null(plait_ctx_queue(NULL), PLAIT_E_NULL, "ctx");
    assert_fails(plait_finish(NULL), PLAIT_E_NULL, "ctx");
    assert_fails(plait_ctx_trim(NULL), PLAIT_E_NULL, "ctx");
    assert_string_equal(plait_ctx_cache_folder(NULL), "");
    assert_fails(plait_queue_create(&queue, NULL, NULL), PLAIT_E_NULL, "ctx");
    plait_stats_init(NULL);
}

/* ---- what higher layers keep in a context ---- */

static int attached, closed, freed, order[3];
static plait_status close_status;

static void *attach(plait_ctx *ctx)
{
    (void)ctx;
    attached++;
    return &attached;
}

static plait_status on_close(plait_ctx *ctx, void *state)
{
    assert_ptr_equal(state, &attached);
    assert_ok(plait_finish(ctx)); /* the device still works */
    order[closed++] = 'a';
    return close_status == PLAIT_OK ? PLAIT_OK : plait_finish(NULL);
}

static plait_status on_close_higher(plait_ctx *ctx, void *state)
{
    (void)ctx;
    (void)state;
    order[closed++] = 'l';
    return PLAIT_OK;
}

static void on_free(void *state)
{
    assert_ptr_equal(state, &attached);
    freed++;
}

static void layers_keep_state_in_slots(void **state)
{
    (void)state;
    const plait__slot_ops array_ops = {attach, on_close, on_free}, linalg_ops = {attach, on_close_higher, on_free};
    plait_ctx *ctx = open_or_skip();
    assert_ptr_equal(plait__ctx_state(ctx, PLAIT__SLOT_ARRAY, &array_ops), &attached);
    assert_ptr_equal(plait__ctx_state(ctx, PLAIT__SLOT_ARRAY, &array_ops), &attached);
    assert_int_equal(attached, 1);
    assert_non_null(plait__ctx_state(ctx, PLAIT__SLOT_LINALG, &linalg_ops));
    plait__ctx_retain(ctx);
    assert_ok(plait_close(ctx));
    assert_int_equal(closed, 2);
    assert_int_equal(order[0], 'l'); /* the higher layer first */
    assert_int_equal(order[1], 'a');
    assert_int_equal(freed, 0);
    plait__ctx_release(ctx);
    assert_int_equal(freed, 2);

    close_status = PLAIT_E_NULL;
    ctx = open_or_skip();
    assert_non_null(plait__ctx_state(ctx, PLAIT__SLOT_ARRAY, &array_ops));
    assert_fails(plait_close(ctx), PLAIT_E_NULL, "plait_finish");
    assert_int_equal(freed, 3);
}

/* ---- the log ---- */

static void collect(void *user, plait_log_level level, const char *line)
{
    assert_true(level >= PLAIT_LOG_ERROR && level <= PLAIT_LOG_DEBUG);
    char *text = user;
    snprintf(text + strlen(text), 2000 - strlen(text), "%s\n", line);
}

static void the_log_tells_what_was_opened(void **state)
{
    (void)state;
    plait_ctx_opts o = PLAIT_CTX_OPTS;
    char text[2000] = "";
    o.log = collect;
    o.log_user = text;
    o.log_level = PLAIT_LOG_INFO;
    plait_ctx *ctx;
    assert_ok(plait_open(&ctx, &o));
    assert_says(text, plait_ctx_device(ctx)->name);
    plait__ctx_log(ctx, PLAIT_LOG_DEBUG, "not wanted");
    assert_says_not(text, "not wanted");
    assert_ok(plait_close(ctx));
    text[0] = 0;
    o.log_level = (plait_log_level)0; /* warnings */
    assert_ok(plait_open(&ctx, &o));
    assert_string_equal(text, "");
    assert_ok(plait_close(ctx));
}

/* ---- processes ---- */

static int child_of_fork(plait_ctx *ctx, plait_buffer *buffer, plait_queue *queue, plait_event *event)
{
    char data[4];
    plait_ctx *fresh;
    plait_device_list *list;
    plait_buffer *other;
    bool done;
    if (plait_ctx_queue(ctx) != NULL || plait_last_status() != PLAIT_E_FORKED) {
        return 1;
    }
    if (plait_buffer_write(queue, buffer, 0, data, 4) != PLAIT_E_FORKED) {
        return 2;
    }
    if (plait_open(&fresh, NULL) != PLAIT_E_FORKED || plait_device_list_create(&list) != PLAIT_E_FORKED) {
        return 3;
    }
    if (plait_finish(ctx) != PLAIT_E_FORKED || plait_queue_finish(queue) != PLAIT_E_FORKED) {
        return 4;
    }
    if (plait_event_wait(event) != PLAIT_E_FORKED || plait_event_done(event, &done) != PLAIT_E_FORKED) {
        return 5;
    }
    if (plait_buffer_create(&other, ctx, 5, NULL) != PLAIT_E_FORKED || plait_close(ctx) != PLAIT_E_FORKED) {
        return 6;
    }
    plait_buffer_release(buffer);
    plait_queue_release(queue);
    plait_event_release(event);
    return 0;
}

static void a_forked_child_is_told_and_ends(void **state)
{
    (void)state;
    plait_ctx *ctx = open_or_skip();
    plait_buffer *buffer;
    plait_queue *queue;
    plait_event *event;
    char data[4] = "abc", back[4] = "";
    assert_ok(plait_buffer_create(&buffer, ctx, 4, NULL));
    assert_ok(plait_queue_create(&queue, ctx, NULL));
    assert_ok(plait_buffer_write(queue, buffer, 0, data, 4));
    assert_ok(plait_queue_mark(queue, &event));
    fflush(NULL);
    for (int whole_exit = 0; whole_exit < 2; whole_exit++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            alarm(20);
            plait_clear_error();
            int result = child_of_fork(ctx, buffer, queue, event);
            if (whole_exit) {
                exit(result); /* with the drivers' own exit handlers */
            }
            _exit(result);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
        assert_ok(plait_buffer_read(queue, buffer, 0, back, 4));
        assert_string_equal(back, "abc");
    }
    plait_event_release(event);
    plait_queue_release(queue);
    plait_buffer_release(buffer);
    assert_ok(plait_close(ctx));
}

/* A child that forks before it uses OpenCL may use it on both sides. */
static int role_fork_first(void)
{
    pid_t child = fork();
    plait_ctx *ctx;
    plait_status status = plait_open(&ctx, NULL);
    if (status == PLAIT_OK) {
        status = plait_close(ctx);
    }
    if (child == 0) {
        _exit(status == PLAIT_OK ? 0 : 1);
    }
    int result = 1;
    waitpid(child, &result, 0);
    return status == PLAIT_OK && result == 0 ? 0 : 1;
}

static atomic_bool enqueued;

static void *exit_in_thread(void *unused)
{
    (void)unused;
    while (!atomic_load(&enqueued)) {
    }
    exit(0);
}

/* Ends without closing: at the end of main, or from another thread while commands run. */
static int role_exit(bool from_thread)
{
    static plait_ctx *ctx; /* static: nothing is lost, and a leak checker need not complain */
    static plait_buffer *buffer;
    const size_t size = 1 << 20;
    if (plait_open(&ctx, NULL) != PLAIT_OK || plait_buffer_create(&buffer, ctx, size, NULL) != PLAIT_OK) {
        return 1;
    }
    pthread_t thread;
    if (from_thread && pthread_create(&thread, NULL, exit_in_thread, NULL) != 0) {
        return 1;
    }
    for (int i = 0; i < (from_thread ? 300 : 3); i++) {
        if (plait_buffer_fill(plait_ctx_queue(ctx), buffer, 0, size, "x", 1, NULL) != PLAIT_OK) {
            return 2;
        }
    }
    if (from_thread) {
        atomic_store(&enqueued, true); /* a thread inside of a driver's call is the driver's to survive */
        for (;;) {
            pause();
        }
    }
    return 0;
}

static void programs_may_end_without_closing(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        const char *const env[] = {NULL};
        free(run_self("exit", env));
        free(run_self("exit-from-thread", env));
    }
    const char *const env[] = {NULL};
    free(run_self("fork-first", env));
}

/* ---- with the test driver ---- */

static char *run_with_icd(const char *role, const char *mode)
{
    char vendors[4200], modes[300], text[4200];
    snprintf(vendors, sizeof vendors, "OCL_ICD_VENDORS=%s/", folder);
    snprintf(modes, sizeof modes, "TEST_ICD_MODE=%s", mode);
    int n = snprintf(text, sizeof text, "%s\n", getenv("TEST_ICD"));
    test_file_write(test_path(folder, "test.icd"), text, (size_t)n);
    const char *const env[] = {vendors, modes, "PLAIT_DEVICE=", "PLAIT_CACHE_DIR=", NULL};
    return run_self(role, env);
}

/* finish=-36 on what calls itself NVIDIA's platform: the context is gone. */
static int role_lost(void)
{
    plait_ctx *ctx;
    plait_buffer *buffer;
    if (plait_open(&ctx, NULL) != PLAIT_OK || plait_buffer_create(&buffer, ctx, 10, NULL) != PLAIT_OK) {
        return 1;
    }
    printf("finish: %s", plait_status_name(plait_finish(ctx)));
    printf(": %s\n", plait_last_error());
    plait_buffer *other;
    printf("create: %s\n", plait_status_name(plait_buffer_create(&other, ctx, 10, NULL)));
    plait_buffer_release(other);
    plait_buffer_release(buffer);
    printf("close: %s\n", plait_status_name(plait_close(ctx)));
    return 0;
}

static void a_lost_device_is_told_apart(void **state)
{
    (void)state;
    char *output = run_with_icd("lost", "platform=NVIDIA CUDA,gpu,finish=-36");
    assert_says(output, "finish: PLAIT_E_DEVICE_LOST: plait_finish: ");
    assert_says(output, "CL_INVALID_COMMAND_QUEUE (-36)");
    assert_says(output, "create: PLAIT_E_DEVICE_LOST");
    assert_says(output, "close: PLAIT_E_DEVICE_LOST");
    free(output);
    output = run_with_icd("lost", "gpu,finish=-36"); /* a driver without that defect: an ordinary failure */
    assert_says(output, "finish: PLAIT_E_OPENCL");
    assert_says(output, "create: PLAIT_OK");
    free(output);
    output = run_with_icd("lost", "gpu,finish=-9999");
    assert_says(output, "finish: PLAIT_E_DEVICE_LOST");
    assert_says(output, "illegal memory access");
    free(output);
}

/* Every allocation fails in turn; what is left over after a failure a leak checker would see. */
static plait_status work_with_objects(void)
{
    plait_ctx *ctx = NULL;
    plait_buffer *buffer = NULL;
    plait_queue *queue = NULL;
    plait_event *event = NULL;
    char data[100] = {0};
    plait_buffer_opts o = PLAIT_BUFFER_OPTS;
    o.data = data;
    plait_status status = plait_open(&ctx, NULL);
    if (status == PLAIT_OK) {
        status = plait_buffer_create(&buffer, ctx, sizeof data, &o);
    }
    if (status == PLAIT_OK) {
        status = plait_queue_create(&queue, ctx, NULL);
    }
    if (status == PLAIT_OK) {
        status = plait_buffer_fill(queue, buffer, 0, sizeof data, "x", 1, &event);
    }
    plait_event_release(event);
    plait_queue_release(queue);
    plait_buffer_release(buffer);
    plait_status closed_status = plait_close(ctx);
    return status == PLAIT_OK ? closed_status : status;
}

static int role_no_memory(void)
{
    for (int64_t n = 1; n < 1000; n++) {
        plait__alloc_fail_at(n);
        plait_status status = work_with_objects();
        bool unused = plait__alloc_fail_pending() != 0;
        plait__alloc_fail_at(0);
        if (unused) {
            printf("%d allocations: %s\n", (int)n - 1, plait_status_name(status));
            return status == PLAIT_OK && n > 20 ? 0 : 1;
        }
        /* Some failures only cost a line in the log. */
        if (status != PLAIT_OK && (status != PLAIT_E_NO_MEMORY || plait_last_status() != PLAIT_E_NO_MEMORY)) {
            printf("allocation %d: %s: %s\n", (int)n, plait_status_name(status), plait_last_error());
            return 1;
        }
    }
    return 1;
}

static void exhausted_memory_is_survived(void **state)
{
    (void)state;
    char *output = run_with_icd("no-memory", "gpu");
    assert_says(output, "allocations: PLAIT_OK");
    free(output);
}

int main(int argc, char **argv)
{
    const char *role = argc > 1 ? argv[1] : "";
    if (strcmp(role, "exit") == 0) {
        return role_exit(false);
    }
    if (strcmp(role, "exit-from-thread") == 0) {
        return role_exit(true);
    }
    if (strcmp(role, "fork-first") == 0) {
        return role_fork_first();
    }
    if (strcmp(role, "lost") == 0) {
        return role_lost();
    }
    if (strcmp(role, "no-memory") == 0) {
        return role_no_memory();
    }
    folder = test_folder_make();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opens_and_closes),
        cmocka_unit_test(a_second_context_is_independent),
        cmocka_unit_test(options_are_checked),
        cmocka_unit_test(the_environment_is_read_and_checked),
        cmocka_unit_test(a_closed_context_refuses_and_releases),
        cmocka_unit_test(events_outlive_their_context),
        cmocka_unit_test(others_may_release_while_it_closes),
        cmocka_unit_test(statistics_reach_as_far_as_their_size),
        cmocka_unit_test(null_is_refused_everywhere),
        cmocka_unit_test(layers_keep_state_in_slots),
        cmocka_unit_test(the_log_tells_what_was_opened),
        cmocka_unit_test(a_forked_child_is_told_and_ends),
        cmocka_unit_test(programs_may_end_without_closing),
        cmocka_unit_test(a_lost_device_is_told_apart),
        cmocka_unit_test(exhausted_memory_is_survived),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    test_folder_remove(folder);
    return failed;
}
