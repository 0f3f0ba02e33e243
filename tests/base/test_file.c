#include "testing.h"

#include "alloc.h"
#include "file.h"
#include "thread.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

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

static const char *in(const char *name)
{
    return test_path(folder, name);
}

static plait_status write_text(const char *path, const char *text)
{
    const plait__part part = {text, strlen(text)};
    return plait__file_write(path, &part, 1, 0644);
}

static void holds(const char *path, const char *text)
{
    char *data;
    size_t size;
    assert_ok(plait__file_read(&data, &size, path, 1 << 20));
    assert_int_equal(size, strlen(text));
    assert_string_equal(data, text);
    free(data);
}

static size_t names_in(const char *path)
{
    plait__names names;
    assert_ok(plait__folder_list(&names, path));
    size_t count = names.count;
    plait__names_free(&names);
    return count;
}

static void written_files_are_read_back(void **state)
{
    (void)state;
    const plait__part parts[] = {{"head ", 5}, {NULL, 0}, {"body", 4}};
    assert_ok(plait__file_write(in("f"), parts, 3, 0640));
    holds(in("f"), "head body");
    plait__file_info info;
    assert_ok(plait__file_stat(&info, in("f")));
    assert_int_equal(info.type, PLAIT__FILE_REGULAR);
    assert_int_equal(info.size, 9);
    assert_int_equal(info.mode & ~0640u, 0);
    assert_int_equal(info.owner, plait__user_id());
    assert_ok(write_text(in("f"), "new"));
    holds(in("f"), "new");
    assert_ok(write_text(in("f"), ""));
    holds(in("f"), "");
    assert_int_equal(names_in(folder), 1);
}

static void large_files(void **state)
{
    (void)state;
    size_t size = 3000001;
    char *data = malloc(size);
    for (size_t i = 0; i < size; i++) {
        data[i] = (char)(i * 31);
    }
    const plait__part part = {data, size};
    assert_ok(plait__file_write(in("large"), &part, 1, 0600));
    char *back;
    size_t back_size;
    assert_ok(plait__file_read(&back, &back_size, in("large"), size));
    assert_int_equal(back_size, size);
    assert_memory_equal(back, data, size);
    free(back);
    assert_fails(plait__file_read(&back, &back_size, in("large"), size - 1), PLAIT_E_IO,
                 "larger than the 3000000 bytes");
    assert_null(back);

    plait__mapping mapping;
    assert_ok(plait__file_map(&mapping, in("large")));
    assert_int_equal(mapping.size, size);
    assert_memory_equal(mapping.data, data, size);
    plait__file_unmap(&mapping);
    assert_null(mapping.data);
    plait__file_unmap(&mapping);
    free(data);
}

static void files_whose_size_stat_does_not_know(void **state)
{
    (void)state;
    char *data;
    size_t size;
    assert_ok(plait__file_read(&data, &size, "/proc/self/status", 1 << 20));
    assert_non_null(strstr(data, "Pid:"));
    free(data);
    assert_fails(plait__file_read(&data, &size, "/dev/zero", 100000), PLAIT_E_IO, "larger than the 100000 bytes");
    assert_fails(plait__file_read(&data, &size, folder, 100), PLAIT_E_IO, "directory");
    plait__mapping mapping;
    assert_fails(plait__file_map(&mapping, "/dev/null"), PLAIT_E_IO, "not a regular file");
    assert_int_equal(mkfifo(in("fifo"), 0600), 0); /* that nobody writes to: it must not be waited for */
    assert_fails(plait__file_map(&mapping, in("fifo")), PLAIT_E_IO, "not a regular file");
    assert_int_equal(unlink(in("fifo")), 0);
    test_file_write(in("empty"), "", 0);
    assert_ok(plait__file_map(&mapping, in("empty")));
    assert_non_null(mapping.data);
    assert_int_equal(mapping.size, 0);
    plait__file_unmap(&mapping);
}

static void what_is_missing(void **state)
{
    (void)state;
    char *data;
    size_t size;
    assert_fails(plait__file_read(&data, &size, in("none"), 100), PLAIT_E_IO, "No such file or directory");
    assert_on_record(PLAIT_E_IO, in("none"));
    plait__mapping mapping;
    assert_fails(plait__file_map(&mapping, in("none")), PLAIT_E_IO, "No such file");
    plait__file_info info;
    assert_ok(plait__file_stat(&info, in("none")));
    assert_int_equal(info.type, PLAIT__FILE_MISSING);
    test_file_write(in("f"), "x", 1);
    assert_ok(plait__file_stat(&info, in("f/below")));
    assert_int_equal(info.type, PLAIT__FILE_MISSING);
    assert_ok(plait__file_remove(in("none")));
    assert_ok(plait__file_remove(in("f")));
    assert_ok(plait__file_stat(&info, in("f")));
    assert_int_equal(info.type, PLAIT__FILE_MISSING);
    assert_fails(plait__file_touch(in("f")), PLAIT_E_IO, "cannot touch");
    plait__names names;
    assert_fails(plait__folder_list(&names, in("none")), PLAIT_E_IO, "cannot list");
    assert_fails_null(plait__path_real(in("none")), PLAIT_E_IO, "cannot find");
    assert_fails(write_text(in("none/f"), "x"), PLAIT_E_IO, "cannot write");
}

static void a_failed_write_leaves_the_old_contents_and_nothing_else(void **state)
{
    (void)state;
    assert_ok(write_text(in("f"), "old"));
    size_t before = names_in(folder);
    /* A limit on the file size stands for the full disk. */
    pid_t pid = fork();
    if (pid == 0) {
        struct rlimit limit = {1000, 1000};
        setrlimit(RLIMIT_FSIZE, &limit);
        signal(SIGXFSZ, SIG_IGN);
        static char data[5000];
        const plait__part part = {data, sizeof data};
        _exit(plait__file_write(in("f"), &part, 1, 0600) == PLAIT_E_IO && strstr(plait_last_error(), "too large") ? 0
                                                                                                                  : 1);
    }
    int status;
    waitpid(pid, &status, 0);
    assert_int_equal(status, 0);
    holds(in("f"), "old");
    assert_int_equal(names_in(folder), before);

    for (int64_t n = 1;; n++) {
        plait__alloc_fail_at(n);
        plait_status result = write_text(in("f"), "new");
        if (plait__alloc_fail_pending() > 0) {
            plait__alloc_fail_at(0);
            assert_int_equal(result, PLAIT_OK);
            break;
        }
        assert_int_equal(result, PLAIT_E_NO_MEMORY);
        holds(in("f"), "old");
    }
    holds(in("f"), "new");
    assert_int_equal(names_in(folder), before);
    mkdir(in("sub"), 0700);
    assert_fails(write_text(in("sub"), "x"), PLAIT_E_IO, "directory");
    assert_int_equal(names_in(folder), before + 1);
}

static void links_and_devices_are_written_through(void **state)
{
    (void)state;
    mkdir(in("real"), 0700);
    assert_ok(write_text(in("real/target"), "old"));
    assert_int_equal(symlink("real/target", in("link")), 0);
    assert_ok(write_text(in("link"), "new"));
    holds(in("real/target"), "new");
    struct stat info;
    assert_int_equal(lstat(in("link"), &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_int_equal(symlink("nowhere", in("dangling")), 0);
    assert_fails(write_text(in("dangling"), "x"), PLAIT_E_IO, "dangling");

    assert_ok(write_text("/dev/null", "gone"));
    assert_int_equal(lstat("/dev/null", &info), 0);
    assert_true(S_ISCHR(info.st_mode));
}

struct reader {
    const char *path;
    bool good;
};

static void readers_never_see_half_a_file(void *argument)
{
    struct reader *reader = argument;
    for (int i = 0; i < 2000; i++) {
        char *data;
        size_t size;
        if (plait__file_read(&data, &size, reader->path, 1 << 20) != PLAIT_OK || size != 20000 ||
            data[0] != data[size - 1]) {
            reader->good = false;
        }
        free(data);
    }
}

static void writers_and_readers_together(void **state)
{
    (void)state;
    static char data[20000];
    memset(data, 'a', sizeof data);
    const plait__part part = {data, sizeof data};
    const char *path = in("shared");
    assert_ok(plait__file_write(path, &part, 1, 0600));
    struct reader readers[2] = {{path, true}, {path, true}};
    plait__thread threads[2];
    for (int t = 0; t < 2; t++) {
        assert_ok(plait__thread_start(&threads[t], readers_never_see_half_a_file, &readers[t]));
    }
    for (int i = 0; i < 300; i++) {
        memset(data, 'a' + i % 26, sizeof data);
        assert_ok(plait__file_write(path, &part, 1, 0600));
    }
    for (int t = 0; t < 2; t++) {
        plait__thread_join(&threads[t]);
        assert_true(readers[t].good);
    }
}

static void folders_are_made_with_their_parents(void **state)
{
    (void)state;
    assert_ok(plait__folder_make(in("a/b b/c\xc3\xa9/")));
    assert_ok(plait__folder_make(in("a//b b")));
    assert_ok(plait__folder_make("/"));
    plait__file_info info;
    assert_ok(plait__file_stat(&info, in("a/b b/c\xc3\xa9")));
    assert_int_equal(info.type, PLAIT__FILE_FOLDER);
    assert_int_equal(info.mode & 0777, 0700);
    assert_ok(plait__file_stat(&info, in("a")));
    assert_int_equal(info.mode & 0777, 0700);
    test_file_write(in("a/file"), "x", 1);
    assert_fails(plait__folder_make(in("a/file")), PLAIT_E_IO, "Not a directory");
    assert_fails(plait__folder_make(in("a/file/c")), PLAIT_E_IO, "Not a directory");
    assert_fails(plait__folder_make("/proc/none"), PLAIT_E_IO, "cannot make the folder");
    assert_fails(plait__file_remove(in("a")), PLAIT_E_IO, "cannot remove");
}

static void folders_are_listed_in_order(void **state)
{
    (void)state;
    mkdir(in("list"), 0700);
    assert_int_equal(names_in(in("list")), 0);
    static const char *const names[] = {"list/b", "list/a", "list/.hidden", "list/B", "list/\xc3\xa9"};
    for (size_t i = 0; i < 5; i++) {
        test_file_write(in(names[i]), "", 0);
    }
    plait__names list;
    assert_ok(plait__folder_list(&list, in("list")));
    assert_int_equal(list.count, 5);
    static const char *const sorted[] = {".hidden", "B", "a", "b", "\xc3\xa9"};
    for (size_t i = 0; i < 5; i++) {
        assert_string_equal(list.names[i], sorted[i]);
    }
    plait__names_free(&list);
    assert_int_equal(list.count, 0);
    for (int64_t n = 1;; n++) {
        plait__alloc_fail_at(n);
        plait_status status = plait__folder_list(&list, in("list"));
        bool done = plait__alloc_fail_pending() > 0;
        plait__alloc_fail_at(0);
        if (done) {
            assert_int_equal(status, PLAIT_OK);
            plait__names_free(&list);
            break;
        }
        assert_int_equal(status, PLAIT_E_NO_MEMORY);
        assert_null(list.names);
    }
}

static void touching_moves_the_time_forward(void **state)
{
    (void)state;
    test_file_write(in("t"), "x", 1);
    const struct timespec old[2] = {{1000, 0}, {1000, 5}};
    assert_int_equal(utimensat(AT_FDCWD, in("t"), old, 0), 0);
    plait__file_info info;
    assert_ok(plait__file_stat(&info, in("t")));
    assert_int_equal(info.mtime_ns, 1000000000005);
    assert_ok(plait__file_touch(in("t")));
    assert_ok(plait__file_stat(&info, in("t")));
    assert_true(info.mtime_ns > (int64_t)1500000000 * 1000000000);
}

static void joined(const char *a, const char *b, const char *expected)
{
    char *path = plait__path_join(a, b);
    assert_string_equal(path, expected);
    free(path);
}

static void folder_of(const char *path, const char *expected)
{
    char *result = plait__path_folder(path);
    assert_string_equal(result, expected);
    free(result);
}

static void paths(void **state)
{
    (void)state;
    joined("a", "b", "a/b");
    joined("a/", "b", "a/b");
    joined("/", "b", "/b");
    joined("", "b", "b");
    joined("a", "/b", "/b");
    folder_of("a/b", "a");
    folder_of("/a", "/");
    folder_of("a", ".");
    folder_of("/a/b/c", "/a/b");

    mkdir(in("p"), 0700);
    assert_int_equal(symlink("p", in("q")), 0);
    char *real = plait__path_real(in("q/../q/."));
    char *expected = plait__path_real(in("p"));
    assert_string_equal(real, expected);
    assert_int_equal(real[0], '/');
    free(real);
    free(expected);
}

static void cache_is(const char *xdg, const char *home, const char *expected)
{
    xdg != NULL ? setenv("XDG_CACHE_HOME", xdg, 1) : unsetenv("XDG_CACHE_HOME");
    home != NULL ? setenv("HOME", home, 1) : unsetenv("HOME");
    char *path = NULL;
    assert_ok(plait__cache_folder(&path));
    if (expected == NULL) {
        assert_null(path);
    } else {
        assert_string_equal(path, expected);
    }
    free(path);
}

static void the_users_cache_folder(void **state)
{
    (void)state;
    cache_is("/x", "/home/u", "/x/plait");
    cache_is("", "/home/u", "/home/u/.cache/plait");
    cache_is("relative", "/home/u", "/home/u/.cache/plait");
    cache_is(NULL, "/home/u", "/home/u/.cache/plait");
    cache_is(NULL, NULL, NULL);
    cache_is(NULL, "", NULL);
}

int main(void)
{
#define EACH(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        EACH(written_files_are_read_back),
        EACH(large_files),
        EACH(files_whose_size_stat_does_not_know),
        EACH(what_is_missing),
        EACH(a_failed_write_leaves_the_old_contents_and_nothing_else),
        EACH(links_and_devices_are_written_through),
        EACH(writers_and_readers_together),
        EACH(folders_are_made_with_their_parents),
        EACH(folders_are_listed_in_order),
        EACH(touching_moves_the_time_forward),
        EACH(paths),
        EACH(the_users_cache_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
