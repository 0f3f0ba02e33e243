#include "testing.h"

#include "clock.h"
#include "process.h"
#include "thread.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#define SECOND ((uint64_t)1000000000)

static void write_all(int fd, const char *text, size_t size)
{
    while (size > 0) {
        ssize_t n = write(fd, text, size);
        if (n <= 0) {
            _exit(99);
        }
        text += n;
        size -= (size_t)n;
    }
}

static int answer(int fd, void *argument)
{
    write_all(fd, argument, strlen(argument));
    printf("to nowhere\n");
    fflush(stdout);
    return 7;
}

static int crash(int fd, void *argument)
{
    write_all(fd, "before", 6);
    raise(*(int *)argument);
    return 0;
}

static int hang(int fd, void *argument)
{
    (void)argument;
    write_all(fd, "hanging", 7);
    while (pause() == -1) {
    }
    return 0;
}

static int hang_with_a_child(int fd, void *argument)
{
    if (fork() == 0) {
        pause();
    }
    return hang(fd, argument);
}

static int leave_a_child(int fd, void *argument)
{
    (void)argument;
    if (fork() == 0) {
        sleep(20);
        _exit(0);
    }
    write_all(fd, "left", 4);
    return 3;
}

static int flood(int fd, void *argument)
{
    static char block[65536];
    (void)argument;
    memset(block, 'z', sizeof block);
    for (int i = 0; i < 40; i++) {
        write_all(fd, block, sizeof block);
    }
    return 0;
}

static void the_answer_comes_back(void **state)
{
    (void)state;
    plait__process_result r;
    char text[] = "device 0: fine";
    assert_ok(plait__process_call(&r, answer, text, 10 * SECOND));
    assert_int_equal(r.end, PLAIT__PROCESS_EXITED);
    assert_int_equal(r.code, 7);
    assert_string_equal(r.output, "device 0: fine");
    assert_int_equal(r.output_size, strlen(text));
    free(r.output);
}

static void handler(int number)
{
    (void)number;
    _exit(0);
}

static void a_crash_is_reported_with_its_signal(void **state)
{
    (void)state;
    int signals[] = {SIGSEGV, SIGABRT, SIGFPE, SIGKILL};
    signal(SIGSEGV, handler); /* the program's own crash handler does not hide it */
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        plait__process_result r;
        assert_ok(plait__process_call(&r, crash, &signals[i], 10 * SECOND));
        assert_int_equal(r.end, PLAIT__PROCESS_SIGNALLED);
        assert_int_equal(r.code, signals[i]);
        assert_string_equal(r.output, "before");
        free(r.output);
    }
    signal(SIGSEGV, SIG_DFL);
}

static void a_hang_is_cut_off(void **state)
{
    (void)state;
    int (*const functions[])(int, void *) = {hang, hang_with_a_child};
    for (size_t i = 0; i < 2; i++) {
        plait__process_result r;
        uint64_t start = plait__now_ns();
        assert_ok(plait__process_call(&r, functions[i], NULL, SECOND / 5));
        uint64_t took = plait__now_ns() - start;
        assert_int_equal(r.end, PLAIT__PROCESS_TIMED_OUT);
        assert_string_equal(r.output, "hanging");
        assert_true(took >= SECOND / 5 && took < 5 * SECOND);
        free(r.output);
    }
}

static void grandchildren_that_keep_the_pipe_do_not_delay(void **state)
{
    (void)state;
    plait__process_result r;
    uint64_t start = plait__now_ns();
    assert_ok(plait__process_call(&r, leave_a_child, NULL, 10 * SECOND));
    assert_true(plait__now_ns() - start < 5 * SECOND);
    assert_int_equal(r.end, PLAIT__PROCESS_EXITED);
    assert_int_equal(r.code, 3);
    assert_string_equal(r.output, "left");
    free(r.output);
}

static void too_much_output_is_cut(void **state)
{
    (void)state;
    plait__process_result r;
    assert_ok(plait__process_call(&r, flood, NULL, 20 * SECOND));
    assert_int_equal(r.end, PLAIT__PROCESS_EXITED);
    assert_int_equal(r.output_size, PLAIT__PROCESS_OUTPUT);
    assert_int_equal(r.output[PLAIT__PROCESS_OUTPUT - 1], 'z');
    free(r.output);
}

static void programs_are_run(void **state)
{
    (void)state;
    plait__process_result r;
    const char *const argv[] = {"sh", "-c", "echo \"$PLAIT_TEST_A-$PLAIT_TEST_B-$0\"; echo noise >&2; exit 4", "zero",
                                NULL};
    const char *const env[] = {"PLAIT_TEST_B=new", NULL};
    setenv("PLAIT_TEST_A", "kept", 1);
    setenv("PLAIT_TEST_B", "old", 1);
    assert_ok(plait__process_run(&r, "/bin/sh", argv, env, 10 * SECOND));
    assert_int_equal(r.end, PLAIT__PROCESS_EXITED);
    assert_int_equal(r.code, 4);
    assert_string_equal(r.output, "kept-new-zero\n");
    free(r.output);
    assert_string_equal(getenv("PLAIT_TEST_B"), "old");

    const char *const killed[] = {"sh", "-c", "kill -SEGV $$", NULL};
    assert_ok(plait__process_run(&r, "/bin/sh", killed, NULL, 10 * SECOND));
    assert_int_equal(r.end, PLAIT__PROCESS_SIGNALLED);
    assert_int_equal(r.code, SIGSEGV);
    free(r.output);

    const char *const slow[] = {"sh", "-c", "sleep 30", NULL};
    uint64_t start = plait__now_ns();
    assert_ok(plait__process_run(&r, "/bin/sh", slow, NULL, SECOND / 5));
    assert_int_equal(r.end, PLAIT__PROCESS_TIMED_OUT);
    assert_true(plait__now_ns() - start < 5 * SECOND);
    free(r.output);

    assert_fails(plait__process_run(&r, "/no/such/program", slow, NULL, SECOND), PLAIT_E_IO, "No such file");
    assert_null(r.output);
    plait_clear_error();
}

/* The program that is started sees the descriptors that are meant to be inherited, and not the pipes made for it. */
static void nothing_else_is_inherited(void **state)
{
    (void)state;
    size_t expected = 1; /* the folder that ls itself opens */
    for (int fd = 0; fd < 1024; fd++) {
        int flags = fcntl(fd, F_GETFD);
        expected += fd <= 2 || (flags >= 0 && (flags & FD_CLOEXEC) == 0);
    }
    plait__process_result r;
    const char *const argv[] = {"ls", "/proc/self/fd", NULL};
    assert_ok(plait__process_run(&r, "/bin/ls", argv, NULL, 10 * SECOND));
    size_t seen = 0;
    for (size_t i = 0; i < r.output_size; i++) {
        seen += r.output[i] == '\n';
    }
    free(r.output);
    assert_int_equal(seen, expected);
}

static void programs_that_ignore_their_children(void **state)
{
    (void)state;
    signal(SIGCHLD, SIG_IGN);
    plait__process_result r;
    char text[] = "still answered";
    assert_ok(plait__process_call(&r, answer, text, 10 * SECOND));
    assert_int_equal(r.end, PLAIT__PROCESS_UNKNOWN);
    assert_string_equal(r.output, "still answered");
    free(r.output);
    signal(SIGCHLD, SIG_DFL);
}

/* With its standard descriptors closed a program's pipes would take their numbers. */
static int with_closed_descriptors(int fd, void *argument)
{
    (void)argument;
    plait__process_result inner;
    char text[] = "inner";
    for (int i = 0; i < 3; i++) {
        close(i);
    }
    if (plait__process_call(&inner, answer, text, 10 * SECOND) != PLAIT_OK) {
        return 1;
    }
    write_all(fd, inner.output, inner.output_size);
    free(inner.output);
    const char *const argv[] = {"sh", "-c", "echo ,shell", NULL};
    if (plait__process_run(&inner, "/bin/sh", argv, NULL, 10 * SECOND) != PLAIT_OK) {
        return 2;
    }
    write_all(fd, inner.output, inner.output_size);
    free(inner.output);
    return 0;
}

static void closed_standard_descriptors(void **state)
{
    (void)state;
    plait__process_result r;
    assert_ok(plait__process_call(&r, with_closed_descriptors, NULL, 20 * SECOND));
    assert_int_equal(r.code, 0);
    assert_string_equal(r.output, "inner,shell\n");
    free(r.output);
}

static atomic_bool stop;

static void allocate(void *unused)
{
    (void)unused;
    while (!atomic_load(&stop)) {
        free(malloc(100));
    }
}

static void beside_other_threads(void **state)
{
    (void)state;
    plait__thread thread;
    assert_ok(plait__thread_start(&thread, allocate, NULL));
    for (int i = 0; i < 10; i++) {
        plait__process_result r;
        char text[] = "x";
        assert_ok(plait__process_call(&r, answer, text, 10 * SECOND));
        assert_string_equal(r.output, "x");
        free(r.output);
        const char *const argv[] = {"echo", "y", NULL};
        assert_ok(plait__process_run(&r, "/bin/echo", argv, NULL, 10 * SECOND));
        assert_string_equal(r.output, "y\n");
        free(r.output);
    }
    atomic_store(&stop, true);
    plait__thread_join(&thread);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_answer_comes_back),       cmocka_unit_test(a_crash_is_reported_with_its_signal),
        cmocka_unit_test(a_hang_is_cut_off),           cmocka_unit_test(grandchildren_that_keep_the_pipe_do_not_delay),
        cmocka_unit_test(too_much_output_is_cut),      cmocka_unit_test(programs_are_run),
        cmocka_unit_test(nothing_else_is_inherited),   cmocka_unit_test(programs_that_ignore_their_children),
        cmocka_unit_test(closed_standard_descriptors), cmocka_unit_test(beside_other_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
