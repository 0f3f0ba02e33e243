/*
 * Programs end with status 0 and say nothing, however they leave the library: without closing, through destructors of
 * static objects, from another thread while kernels run, after unloading the library. Crashes at exit come and go with
 * the order in which threads die, so each program runs PLAIT_TEST_REPEATS times.
 */
#include "api_testing.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static char *folder;

static int repeats(void)
{
    const char *text = getenv("PLAIT_TEST_REPEATS");
    int n = text != NULL ? atoi(text) : 0;
    return n > 0 ? n : 25;
}

/* The exit status, or 1000 and the signal. Output and errors go to `log`. */
static int run(const char *name, const char *argument, const char *log)
{
    char program[4200], arg[4200];
    snprintf(program, sizeof program, "%s/exit_%s", getenv("EXIT_PROGRAMS"), name);
    snprintf(arg, sizeof arg, "%s", argument);
    char *argv[] = {program, arg[0] != '\0' ? arg : NULL, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    pid_t child;
    assert_int_equal(posix_spawn(&child, program, &actions, NULL, argv, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static void runs_silently(const char *name, const char *argument)
{
    const char *log = test_path(folder, name);
    for (int i = 0; i < repeats(); i++) {
        int status = run(name, argument, log);
        char said[4000] = "";
        FILE *f = fopen(log, "r");
        assert_non_null(f);
        size_t n = fread(said, 1, sizeof said - 1, f);
        fclose(f);
        if (status != 0 || n > 0) {
            fail_msg("exit_%s, run %d: status %d, and it said \"%s\"", name, i, status, said);
        }
    }
}

static void without_closing(void **state)
{
    (void)state;
    runs_silently("open", "");
}

static void through_destructors(void **state)
{
    (void)state;
    if (getenv("EXIT_WITHOUT_CPP") != NULL) {
        skip();
    }
    runs_silently("object", "");
}

static void from_another_thread(void **state)
{
    (void)state;
    runs_silently("thread", "");
}

static void after_unloading(void **state)
{
    (void)state;
    runs_silently("dlopen", getenv("PLAIT_LIBRARY"));
}

int main(void)
{
    plait_close(open_or_skip());
    folder = test_folder_make();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_closing),
        cmocka_unit_test(through_destructors),
        cmocka_unit_test(from_another_thread),
        cmocka_unit_test(after_unloading),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    test_folder_remove(folder);
    return failed;
}
