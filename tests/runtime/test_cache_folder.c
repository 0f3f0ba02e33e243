/*
 * Cache folders that cannot be used, or not be trusted: the work goes on, with one warning at most and nothing written
 * elsewhere. Each case is a child process: this program again, as an unprivileged user where modes matter, since root
 * ignores them.
 */
#define _GNU_SOURCE /* unshare */
#include "device_testing.h"

#include <plait/kernel.h>

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"

#define NOBODY 65534

static char *folder;

static int make_folder(void **state)
{
    (void)state;
    folder = test_folder_make_for_others();
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    test_folder_remove(folder);
    return 0;
}

/* ---- the child ---- */

static int warnings;

static void count_warnings(void *user, plait_log_level level, const char *line)
{
    (void)user;
    if (level <= PLAIT_LOG_WARNING) {
        warnings++;
        printf("warning: %s\n", line);
    }
}

static int die(const char *what)
{
    printf("%s: %s\n", what, plait_last_error());
    return 1;
}

/* Adds 1 to 1, 2, 3 with two programs and prints what became of it. TEST_FOLDER is opts.cache_folder if set. */
static int work(void)
{
    plait_ctx *ctx;
    plait_ctx_opts o = PLAIT_CTX_OPTS;
    o.cache_folder = getenv("TEST_FOLDER");
    o.log = count_warnings;
    if (plait_open(&ctx, &o)) {
        return die("open");
    }
    printf("folder \"%s\"\n", plait_ctx_cache_folder(ctx));
    float x[3] = {1, 2, 3};
    plait_buffer_opts bo = PLAIT_BUFFER_OPTS;
    bo.data = x;
    plait_buffer *b;
    if (plait_buffer_create(&b, ctx, sizeof x, &bo)) {
        return die("buffer");
    }
    for (int i = 0; i < 2; i++) {
        plait_program *p;
        plait_kernel *k;
        char source[200];
        snprintf(source, sizeof source,
                 "kernel void half_step(global float *x) { x[get_global_id(0)] += %d / 2.0f; }\n", i == 0 ? 3 : -1);
        if (plait_program_from_source(&p, ctx, source, NULL) || plait_kernel_create(&k, p, "half_step") ||
            plait_launch(plait_ctx_queue(ctx), k, plait_grid_groups(PLAIT_GRID(3), 1, 1, 1), PLAIT_BUFFER(b))) {
            return die("kernel");
        }
        plait_kernel_release(k);
        plait_program_release(p);
    }
    if (plait_buffer_read(plait_ctx_queue(ctx), b, 0, x, sizeof x)) {
        return die("read");
    }
    plait_stats s = PLAIT_STATS;
    plait_ctx_stats(ctx, &s);
    printf("values %d %d %d, builds %d, loads %d, ", (int)x[0], (int)x[1], (int)x[2], (int)s.source_builds,
           (int)s.binary_loads);
    plait_buffer_release(b);
    int status = (int)plait_close(ctx);
    printf("warnings %d, error \"%s\"\n", warnings, plait_last_error());
    return status;
}

static int child(void)
{
    const char *user = getenv("TEST_USER");
    if (user != NULL && *user != 0 && geteuid() == 0 && (setgid(NOBODY) != 0 || setuid(NOBODY) != 0)) {
        printf("cannot become user %d: %s\n", NOBODY, strerror(errno));
        return 1;
    }
    return work();
}

/* As child, with a file system of its own for the cache that a nameless file fills: a full disk. */
static int full(void)
{
    const char *at = getenv("TEST_FOLDER");
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("tmpfs", at, "tmpfs", 0, "size=16k,mode=0700") != 0) {
        printf("no mount: %s\n", strerror(errno));
        return 0;
    }
    char path[4300];
    snprintf(path, sizeof path, "%s/filler", at);
    int filler = open(path, O_RDWR | O_CREAT, 0600);
    if (filler < 0 || unlink(path) != 0) {
        return die("filler");
    }
    while (write(filler, path, 1024) == 1024) {
    }
    int status = work();
    close(filler);
    plait__names names;
    if (plait__folder_list(&names, at) != PLAIT_OK) {
        return die("list");
    }
    printf("files %zu\n", names.count);
    plait__names_free(&names);
    return status;
}

/* ---- the parent ---- */

/*
 * Runs the child with these variables ("NAME=value", NULL: none) and a driver cache that anybody may write to. The leak
 * checker cannot look into a process that has changed its user; test_disk_cache goes the same ways under it.
 */
static char *run(const char *role, const char *a, const char *b, const char *c)
{
    char pocl[4200];
    snprintf(pocl, sizeof pocl, "POCL_CACHE_DIR=%s/pocl", folder);
    mkdir(test_path(folder, "pocl"), 0777);
    chmod(test_path(folder, "pocl"), 0777);
    const char *const env[] = {
        pocl, "PLAIT_EMULATE=", "ASAN_OPTIONS=detect_leaks=0", a ? a : "UNUSED=", b ? b : "UNUSED=", c ? c : "UNUSED=",
        NULL};
    return run_self(role, env);
}

static const char *variable(const char *name, const char *below)
{
    static char texts[4][4300];
    static unsigned turn;
    char *text = texts[turn++ % 4];
    snprintf(text, sizeof texts[0], "%s=%s%s%s", name, folder, *below ? "/" : "", below);
    return text;
}

static size_t files_in(const char *below)
{
    plait__names names;
    assert_ok(plait__folder_list(&names, test_path(folder, below)));
    size_t n = names.count;
    plait__names_free(&names);
    return n;
}

static void make(const char *below, mode_t mode, bool nobodys)
{
    const char *path = test_path(folder, below);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(chmod(path, mode), 0);
    if (nobodys && geteuid() == 0) {
        assert_int_equal(chown(path, NOBODY, NOBODY), 0);
    }
}

static void assert_off(char *output, const char *reason)
{
    assert_says(output, "folder \"\"\n");
    assert_says(output, "values 2 3 4, builds 2, loads 0, warnings 1, error \"\"");
    assert_says(output, "warning: compiled programs are not kept on disk: ");
    assert_says(output, reason);
    free(output);
}

static void no_home(void **state)
{
    (void)state;
    assert_off(run("child", "HOME=", "XDG_CACHE_HOME=", "PLAIT_CACHE_DIR="), "neither XDG_CACHE_HOME nor HOME");
    assert_int_equal(files_in(""), 1); /* pocl */
}

static void the_default_places(void **state)
{
    (void)state;
    make("home", 0700, false);
    make("xdg", 0700, false);
    make("env", 0700, false);
    char *output = run("child", variable("HOME", "home"), "XDG_CACHE_HOME=", "PLAIT_CACHE_DIR=");
    assert_says(output, "/home/.cache/plait\"");
    assert_says(output, "builds 2, loads 0, warnings 0");
    free(output);
    assert_int_equal(files_in("home/.cache/plait"), 2);
    output = run("child", variable("HOME", "home"), variable("XDG_CACHE_HOME", "xdg"), "PLAIT_CACHE_DIR=");
    assert_says(output, "/xdg/plait\"");
    free(output);
    assert_int_equal(files_in("xdg/plait"), 2);
    output =
        run("child", variable("HOME", "home"), variable("XDG_CACHE_HOME", "xdg"), variable("PLAIT_CACHE_DIR", "env"));
    assert_says(output, "/env\"");
    free(output);
    assert_int_equal(files_in("env"), 2);
    output = run("child", variable("PLAIT_CACHE_DIR", "env"), variable("TEST_FOLDER", "opts"), NULL);
    assert_says(output, "/opts\"");
    free(output);
    assert_int_equal(files_in("opts"), 2);
    output = run("child", variable("PLAIT_CACHE_DIR", "env"), "TEST_FOLDER=", NULL); /* "" is off */
    assert_says(output, "folder \"\"\nvalues 2 3 4, builds 2, loads 0, warnings 0");
    free(output);
}

static void a_folder_that_is_read_only(void **state)
{
    (void)state;
    make("ro", 0500, true);
    char *output = run("child", variable("TEST_FOLDER", "ro"), "TEST_USER=nobody", NULL);
    assert_says(output, "values 2 3 4, builds 2, loads 0, warnings 1, error \"\"");
    free(output);
    assert_int_equal(files_in("ro"), 0);
    /* Its entries are read all the same. */
    assert_int_equal(chmod(test_path(folder, "ro"), 0700), 0);
    free(run("child", variable("TEST_FOLDER", "ro"), "TEST_USER=nobody", NULL));
    assert_int_equal(files_in("ro"), 2);
    assert_int_equal(chmod(test_path(folder, "ro"), 0500), 0);
    output = run("child", variable("TEST_FOLDER", "ro"), "TEST_USER=nobody", NULL);
    assert_says(output, "values 2 3 4, builds 0, loads 2, warnings 0, error \"\"");
    free(output);
    /* One that cannot be made. */
    assert_off(run("child", variable("TEST_FOLDER", "ro/sub"), "TEST_USER=nobody", NULL), "/ro/sub");
}

static void a_path_that_is_a_file(void **state)
{
    (void)state;
    test_file_write(test_path(folder, "file"), "text", 4);
    assert_off(run("child", variable("TEST_FOLDER", "file"), NULL, NULL), "/file");
    assert_off(run("child", variable("TEST_FOLDER", "file/below"), NULL, NULL), "/file");
    char *text;
    size_t size;
    assert_ok(plait__file_read(&text, &size, test_path(folder, "file"), 100));
    assert_string_equal(text, "text");
    free(text);
}

static void a_path_with_blanks_and_other_letters(void **state)
{
    (void)state;
    for (int turn = 0; turn < 2; turn++) {
        char *output = run("child", variable("TEST_FOLDER", "mit Platz/für Ümläute 漢字"), NULL, NULL);
        assert_says(output, turn == 0 ? "values 2 3 4, builds 2, loads 0, warnings 0"
                                      : "values 2 3 4, builds 0, loads 2, warnings 0");
        free(output);
    }
    assert_int_equal(files_in("mit Platz/für Ümläute 漢字"), 2);
}

static void a_full_disk(void **state)
{
    (void)state;
    make("disk", 0700, false);
    char *output = run("full", variable("TEST_FOLDER", "disk"), NULL, NULL);
    if (strncmp(output, "no mount", 8) == 0) {
        printf("skipped: a file system of our own cannot be mounted here (%s)\n", output);
        free(output);
        skip();
        return;
    }
    assert_says(output, "values 2 3 4, builds 2, loads 0, warnings 1, error \"\"");
    assert_says(output, "files 0\n");
    free(output);
}

static void a_folder_of_another_user(void **state)
{
    (void)state;
    if (geteuid() != 0) {
        printf("skipped: only root can make a folder for another user\n");
        skip();
        return;
    }
    make("theirs", 0700, true);
    assert_off(run("child", variable("TEST_FOLDER", "theirs"), NULL, NULL),
               "belongs to another user (65534, you are 0)");
    assert_int_equal(files_in("theirs"), 0);
}

static void a_folder_that_others_may_write_to(void **state)
{
    (void)state;
    make("open", 0777, false);
    assert_off(run("child", variable("TEST_FOLDER", "open"), NULL, NULL), "other users may write to");
    assert_int_equal(chmod(test_path(folder, "open"), 0720), 0);
    assert_off(run("child", variable("TEST_FOLDER", "open"), NULL, NULL), "(mode 0720)");
    assert_int_equal(files_in("open"), 0);
    assert_int_equal(chmod(test_path(folder, "open"), 0755), 0); /* readable is fine */
    char *output = run("child", variable("TEST_FOLDER", "open"), NULL, NULL);
    assert_says(output, "builds 2, loads 0, warnings 0");
    free(output);
}

int main(int argc, char **argv)
{
    if (argc == 2) {
        return strcmp(argv[1], "full") == 0 ? full() : child();
    }
    plait_close(open_or_skip());
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)
        T(no_home),
        T(the_default_places),
        T(a_folder_that_is_read_only),
        T(a_path_that_is_a_file),
        T(a_path_with_blanks_and_other_letters),
        T(a_full_disk),
        T(a_folder_of_another_user),
        T(a_folder_that_others_may_write_to),
#undef T
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
