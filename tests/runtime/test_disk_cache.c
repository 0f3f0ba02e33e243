/* The disk cache: what makes a program be built again, what does not, and what happens to damaged entries. */
#include "device_testing.h"

#include <dirent.h>
#include <fcntl.h>
#include <locale.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctx.h"
#include "disk_cache.h"
#include "error.h"
#include "file.h"
#include "quirks.h"
#include "signature.h"

static char *folder; /* of sources; the cache is in its subfolder */
static char cache[4096];

static int make_folder(void **state)
{
    (void)state;
    folder = test_folder_make();
    snprintf(cache, sizeof cache, "%s", test_path(folder, "cache"));
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    test_folder_remove(folder);
    return 0;
}

static const char *put(const char *name, const char *text)
{
    const char *path = test_path(folder, name);
    test_file_write(path, text, strlen(text));
    return path;
}

/* ---- one "process": a context of its own ---- */

static plait_ctx *open_cached(void)
{
    plait_ctx *ctx;
    plait_ctx_opts o = PLAIT_CTX_OPTS;
    o.cache_folder = cache;
    assert_ok(plait_open(&ctx, &o));
    return ctx;
}

static plait_stats stats_of(plait_ctx *ctx)
{
    plait_stats s = PLAIT_STATS;
    assert_ok(plait_ctx_stats(ctx, &s));
    return s;
}

/* Runs the kernel `step` of a program on 1, 2, 3 and checks the results. */
static void run(plait_ctx *ctx, plait_program *program, float x, float y, float z)
{
    plait_kernel *k;
    plait_buffer *b;
    float values[3] = {1, 2, 3};
    plait_buffer_opts bo = PLAIT_BUFFER_OPTS;
    bo.data = values;
    assert_ok(plait_kernel_create(&k, program, "step"));
    assert_ok(plait_buffer_create(&b, ctx, sizeof values, &bo));
    assert_ok(plait_launch(plait_ctx_queue(ctx), k, plait_grid_groups(PLAIT_GRID(3), 1, 1, 1), PLAIT_BUFFER(b)));
    assert_ok(plait_buffer_read(plait_ctx_queue(ctx), b, 0, values, sizeof values));
    assert_true(values[0] == x && values[1] == y && values[2] == z);
    plait_buffer_release(b);
    plait_kernel_release(k);
}

typedef struct counts {
    uint64_t builds, loads, rejects;
} counts;

static counts run_file(const char *path, const plait_program_opts *o, float x, float y, float z)
{
    plait_ctx *ctx = open_cached();
    plait_program *p;
    assert_ok(plait_program_from_file(&p, ctx, path, o));
    run(ctx, p, x, y, z);
    plait_program_release(p);
    plait_stats s = stats_of(ctx);
    assert_ok(plait_close(ctx));
    return (counts){s.source_builds, s.binary_loads, s.cache_rejects};
}

static void assert_counts(counts c, uint64_t builds, uint64_t loads, uint64_t rejects)
{
    if (c.builds != builds || c.loads != loads || c.rejects != rejects) {
        fail_msg("%llu builds, %llu loads, %llu rejects", (unsigned long long)c.builds, (unsigned long long)c.loads,
                 (unsigned long long)c.rejects);
    }
}

/* ---- the files in the cache ---- */

static plait__names entries(void)
{
    plait__names names;
    assert_ok(plait__folder_list(&names, cache));
    return names;
}

static size_t entry_count(void)
{
    plait__names names = entries();
    size_t n = names.count;
    plait__names_free(&names);
    return n;
}

#define STEP_PLUS_1 "kernel void step(global float *x) { x[get_global_id(0)] += 1; }\n"

static void a_second_run_builds_nothing(void **state)
{
    (void)state;
    const char *path = put("a.cl", STEP_PLUS_1);
    assert_counts(run_file(path, NULL, 2, 3, 4), 1, 0, 0);
    assert_counts(run_file(path, NULL, 2, 3, 4), 0, 1, 0);
    assert_int_equal(entry_count(), 1);
    struct stat info;
    assert_int_equal(stat(cache, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0700);
}

typedef struct change {
    size_t offset; /* of the field in the identity */
    const char *value;
} change;

static void another_driver_is_another_key(void **state)
{
    (void)state;
    put("a.cl", STEP_PLUS_1);
    const change changes[] = {
        {offsetof(plait__cache_identity, driver_version), "driver of tomorrow"},
        {offsetof(plait__cache_identity, device_name), "another device"},
        {offsetof(plait__cache_identity, platform_version), "another platform"},
        {offsetof(plait__cache_identity, library), "0.2.0"},
        /* What ends one field must not pass for the next. */
        {offsetof(plait__cache_identity, driver_version), "1\noptions 0 "},
    };
    assert_counts(run_file(test_path(folder, "a.cl"), NULL, 2, 3, 4), 1, 0, 0);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        for (int turn = 0; turn < 2; turn++) {
            plait_ctx *ctx = open_cached();
            char *identity = (char *)plait__disk_cache_identity(ctx->cache);
            memcpy(identity + changes[i].offset, &changes[i].value, sizeof changes[i].value);
            plait_program *p;
            assert_ok(plait_program_from_file(&p, ctx, test_path(folder, "a.cl"), NULL));
            run(ctx, p, 2, 3, 4);
            plait_program_release(p);
            assert_int_equal(stats_of(ctx).source_builds, turn == 0);
            assert_int_equal(stats_of(ctx).cache_rejects, 0);
            assert_ok(plait_close(ctx));
        }
    }
    plait_program_opts o = PLAIT_PROGRAM_OPTS;
    o.options = "-cl-mad-enable";
    assert_counts(run_file(test_path(folder, "a.cl"), &o, 2, 3, 4), 1, 0, 0);
    assert_counts(run_file(test_path(folder, "a.cl"), NULL, 2, 3, 4), 0, 1, 0); /* the old entry is as good as ever */
}

static void edited_headers_are_seen(void **state)
{
    (void)state;
    const char *inner = "float f(float x) { return x + %d; }\n";
    char text[200];
    assert_int_equal(mkdir(test_path(folder, "one"), 0700), 0);
    assert_int_equal(mkdir(test_path(folder, "two"), 0700), 0);
    put("a.cl",
        "#include \"outer.h\"\nkernel void step(global float *x) { int i = get_global_id(0); x[i] = f(x[i]); }\n");
    put("outer.h", "#include \"inner.h\"\n");
    snprintf(text, sizeof text, inner, 1);
    put("one/inner.h", text);
    char one[4096], two[4096];
    snprintf(one, sizeof one, "%s", test_path(folder, "one"));
    snprintf(two, sizeof two, "%s", test_path(folder, "two"));
    const char *dirs[] = {one, two};
    plait_program_opts o = PLAIT_PROGRAM_OPTS;
    o.include_dirs = dirs;
    o.n_include_dirs = 2;
    char path[4096];
    snprintf(path, sizeof path, "%s", test_path(folder, "a.cl"));
    assert_counts(run_file(path, &o, 2, 3, 4), 1, 0, 0);
    assert_counts(run_file(path, &o, 2, 3, 4), 0, 1, 0);
    snprintf(text, sizeof text, inner, 10); /* a header that a header includes */
    put("one/inner.h", text);
    assert_counts(run_file(path, &o, 11, 12, 13), 1, 0, 0);
    put("outer.h", "#include \"inner.h\"\n#define f(x) (f(x) + 100)\n"); /* a header that the kernel includes */
    assert_counts(run_file(path, &o, 111, 112, 113), 1, 0, 0);
    snprintf(text, sizeof text, inner, 20); /* the same name in a folder that is put in front */
    put("two/inner.h", text);
    dirs[0] = two;
    dirs[1] = one;
    assert_counts(run_file(path, &o, 121, 122, 123), 1, 0, 0);
    assert_int_equal(unlink(test_path(two, "inner.h")), 0);
    assert_counts(run_file(path, &o, 111, 112, 113), 0, 1, 0); /* the other one again, which is known */
    assert_int_equal(unlink(test_path(one, "inner.h")), 0);
    plait_ctx *ctx = open_cached();
    plait_program *p;
    assert_fails(plait_program_from_file(&p, ctx, path, &o), PLAIT_E_BUILD,
                 "outer.h:1: the included file \"inner.h\" was not found");
    assert_ok(plait_close(ctx));
}

/* ---- damage ---- */

#define PROGRAMS 5

static counts run_five(void)
{
    plait_ctx *ctx = open_cached();
    for (int i = 0; i < PROGRAMS; i++) {
        char source[100];
        plait_program *p;
        snprintf(source, sizeof source, "kernel void step(global float *x) { x[get_global_id(0)] += %d; }\n", i);
        assert_ok(plait_program_from_source(&p, ctx, source, NULL));
        run(ctx, p, (float)(1 + i), (float)(2 + i), (float)(3 + i));
        plait_program_release(p);
    }
    plait_stats s = stats_of(ctx);
    assert_ok(plait_close(ctx));
    return (counts){s.source_builds, s.binary_loads, s.cache_rejects};
}

static void damaged_entries_are_repaired(void **state)
{
    (void)state;
    assert_counts(run_five(), PROGRAMS, 0, 0);
    enum { EMPTY, HALF, ONE_BIT, OTHER_BYTES, LONGER, SWAPPED, KINDS };
    for (int kind = 0; kind < KINDS; kind++) {
        plait__names names = entries();
        assert_int_equal(names.count, PROGRAMS);
        for (size_t i = 0; i < names.count; i++) {
            const char *path = test_path(cache, names.names[i]);
            char *bytes, *other;
            size_t size, other_size;
            assert_ok(plait__file_read(&bytes, &size, path, SIZE_MAX / 2));
            if (kind == EMPTY || kind == HALF) {
                test_file_write(path, bytes, kind == EMPTY ? 0 : size / 2);
            } else if (kind == ONE_BIT) {
                bytes[size / 2] = (char)(bytes[size / 2] ^ 16);
                test_file_write(path, bytes, size);
            } else if (kind == OTHER_BYTES) {
                unsigned char noise[4096];
                uint32_t seed = (uint32_t)i + 1;
                for (size_t at = 0; at < sizeof noise; at++) {
                    noise[at] = (unsigned char)((seed = seed * 1664525 + 1013904223) >> 24);
                }
                test_file_write(path, noise, sizeof noise);
            } else if (kind == LONGER) {
                bytes[size] = 'x'; /* in place of the NUL that plait__file_read adds */
                test_file_write(path, bytes, size + 1);
            } else if (i % 2 == 0) {
                const char *path2 = test_path(cache, names.names[(i + 1) % PROGRAMS]);
                assert_ok(plait__file_read(&other, &other_size, path2, SIZE_MAX / 2));
                test_file_write(path2, bytes, size);
                test_file_write(path, other, other_size);
                free(other);
            }
            free(bytes);
        }
        plait__names_free(&names);
        assert_counts(run_five(), PROGRAMS, 0, PROGRAMS);
        assert_counts(run_five(), 0, PROGRAMS, 0);
    }
}

/* An entry with a right checksum whose binary or signatures are not what the driver or Plait accepts. */
static void entries_that_do_not_load(void **state)
{
    (void)state;
    const char *path = put("a.cl", STEP_PLUS_1);
    assert_counts(run_file(path, NULL, 2, 3, 4), 1, 0, 0);
    plait__names names = entries();
    char name[4096];
    snprintf(name, sizeof name, "%s", test_path(cache, names.names[0]));
    plait__names_free(&names);
    char *bytes;
    size_t size;
    assert_ok(plait__file_read(&bytes, &size, name, SIZE_MAX / 2));
    plait__cache_entry good;
    assert_true(plait__cache_entry_parse(&good, bytes, size));
    plait__cache_entry bad[] = {good, good, good};
    bad[0].binary = (plait__bytes){"no binary of any driver", 23};
    bad[1].binary = (plait__bytes){"", 0};
    bad[2].signatures = (plait__bytes){"\1\0\0\0", 4};
    plait_ctx *ctx = open_cached();
    bool aborts = strcmp(plait_ctx_device(ctx)->platform_name, "rusticl") == 0; /* at a binary that is not its own */
    assert_ok(plait_close(ctx));
    for (size_t i = aborts ? 2 : 0; i < 3; i++) {
        unsigned char header[PLAIT__CACHE_HEADER];
        plait__cache_entry_header(header, &bad[i]);
        const plait__part parts[] = {{header, sizeof header},
                                     {bad[i].key.data, bad[i].key.size},
                                     {bad[i].signatures.data, bad[i].signatures.size},
                                     {bad[i].binary.data, bad[i].binary.size}};
        assert_ok(plait__file_write(name, parts, 4, 0600));
        plait__fail(PLAIT_E_AXIS, "what was on record");
        assert_counts(run_file(path, NULL, 2, 3, 4), 1, 0, 1);
        assert_string_equal(plait_last_error(), "what was on record"); /* a reject is no failure */
        assert_counts(run_file(path, NULL, 2, 3, 4), 0, 1, 0);
    }
    free(bytes);
}

/* ---- what is kept ---- */

static void what_is_not_kept(void **state)
{
    (void)state;
    const char *path = put("a.cl", STEP_PLUS_1);
    plait_program_opts o = PLAIT_PROGRAM_OPTS;
    o.no_cache = true;
    assert_counts(run_file(path, &o, 2, 3, 4), 1, 0, 0);
    assert_int_equal(entry_count(), 0);
    assert_counts(run_file(path, NULL, 2, 3, 4), 1, 0, 0);
    assert_counts(run_file(path, &o, 2, 3, 4), 1, 0, 0); /* nor is it read */
    assert_int_equal(entry_count(), 1);
    /* A program of which the driver reads more than its text. */
    path = put("b.cl", "#ifdef NEVER\n#include <other.h>\n#endif\n" STEP_PLUS_1);
    assert_counts(run_file(path, NULL, 2, 3, 4), 1, 0, 0);
    assert_int_equal(entry_count(), 1);
    assert_int_equal(setenv("PLAIT_CACHE_SIZE", "0", 1), 0);
    assert_counts(run_file(path, NULL, 2, 3, 4), 1, 0, 0);
    plait_ctx *ctx = open_cached();
    assert_string_equal(plait_ctx_cache_folder(ctx), "");
    assert_ok(plait_close(ctx));
    assert_int_equal(setenv("PLAIT_CACHE_SIZE", "much", 1), 0);
    assert_fails(plait_open(&ctx, NULL), PLAIT_E_ARGUMENT, "PLAIT_CACHE_SIZE");
    assert_int_equal(unsetenv("PLAIT_CACHE_SIZE"), 0);
}

/* Cached programs know their kernels' parameters, whatever the driver's binaries remember. */
static void signatures_come_from_the_entry(void **state)
{
    (void)state;
    const char *source =
        "kernel void step(global float *x) { x[get_global_id(0)] += 1; }\n"
        "kernel void other(const global uchar *in, float4 value, local int *scratch) { *scratch = *in; }\n";
    const char *path = put("a.cl", source);
    for (int turn = 0; turn < 2; turn++) {
        plait_ctx *ctx = open_cached();
        plait_program *p;
        plait_kernel *k;
        plait_param param;
        assert_ok(plait_program_from_file(&p, ctx, path, NULL));
        assert_int_equal(plait_program_cached(p), turn == 1);
        assert_string_equal(plait_program_log(p), turn == 1 ? "" : plait_program_log(p));
        assert_int_equal(plait_program_kernel_count(p), 2);
        assert_string_equal(plait_program_kernel_name(p, 1), "other");
        assert_ok(plait_kernel_create(&k, p, "other"));
        assert_ok(plait_kernel_param(k, 0, &param));
        assert_string_equal(param.name, "in");
        assert_string_equal(param.type, "uchar*");
        assert_true(param.is_const);
        assert_ok(plait_kernel_param(k, 1, &param));
        assert_int_equal(param.bytes, 16);
        assert_ok(plait_kernel_param(k, 2, &param));
        assert_int_equal(param.kind, PLAIT_PARAM_LOCAL);
        plait_kernel_release(k);
        run(ctx, p, 2, 3, 4);
        plait_program_release(p);
        assert_ok(plait_close(ctx));
    }
}

/* Where a binary holds machine code only for what has been launched, the entry is written after the launches. */
static void machine_code_is_in_the_entry(void **state)
{
    (void)state;
    const char *path = put("a.cl", STEP_PLUS_1);
    plait_ctx *ctx = open_cached();
    bool after_launch = (ctx->quirks & PLAIT__QUIRK_BINARY_AFTER_LAUNCH) != 0;
    plait_program *p;
    plait_kernel *k;
    plait_buffer *b;
    assert_ok(plait_program_from_file(&p, ctx, path, NULL));
    assert_int_equal(entry_count(), after_launch ? 0 : 1);
    assert_ok(plait_kernel_create(&k, p, "step"));
    assert_ok(plait_buffer_create(&b, ctx, 64, NULL));
    const size_t groups[] = {1, 4, 4};
    for (size_t i = 0; i < 3; i++) {
        assert_ok(
            plait_launch(plait_ctx_queue(ctx), k, plait_grid_groups(PLAIT_GRID(16), groups[i], 1, 1), PLAIT_BUFFER(b)));
        plait__names names = entries();
        assert_int_equal(names.count, 1); /* at once: the program may never close its context */
        char *bytes;
        size_t size;
        assert_ok(plait__file_read(&bytes, &size, test_path(cache, names.names[0]), SIZE_MAX / 2));
        plait__cache_entry entry;
        assert_true(plait__cache_entry_parse(&entry, bytes, size));
        plait__signatures s;
        assert_true(plait__signatures_decode(&s, entry.signatures.data, entry.signatures.size));
        assert_int_equal(s.kernels[0].n_variants, !after_launch ? 0 : i == 0 ? 1 : 2);
        plait__signatures_free(&s);
        free(bytes);
        plait__names_free(&names);
    }
    plait_buffer_release(b);
    plait_kernel_release(k);
    plait_program_release(p);
    assert_ok(plait_close(ctx));
    /* A program that was never launched is saved when it goes. */
    path = put("b.cl", STEP_PLUS_1 "// another\n");
    ctx = open_cached();
    assert_ok(plait_program_from_file(&p, ctx, path, NULL));
    plait_program_release(p);
    assert_int_equal(entry_count(), 2);
    assert_ok(plait_close(ctx));
    ctx = open_cached();
    path = put("c.cl", STEP_PLUS_1 "// a third\n");
    assert_ok(plait_program_from_file(&p, ctx, path, NULL));
    assert_ok(plait_close(ctx)); /* or when the context is closed */
    assert_int_equal(entry_count(), 3);
    plait_program_release(p);
}

static void the_locale_changes_no_key(void **state)
{
    (void)state;
    const char *path = put("a.cl", STEP_PLUS_1);
    assert_counts(run_file(path, NULL, 2, 3, 4), 1, 0, 0);
    if (!test_comma_locale()) {
        skip();
    }
    counts c = run_file(path, NULL, 2, 3, 4);
    setlocale(LC_ALL, "C");
    assert_counts(c, 0, 1, 0);
}

/* ---- size ---- */

static void set_age(const char *path, time_t seconds)
{
    const struct timespec times[2] = {{.tv_sec = time(NULL) - seconds}, {.tv_sec = time(NULL) - seconds}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

/* The store alone, with entries of known sizes. */
static void the_oldest_entries_go(void **state)
{
    (void)state;
    assert_int_equal(setenv("PLAIT_CACHE_SIZE", "10000", 1), 0);
    plait_ctx *ctx = open_cached();
    put("cache/.plait-tmp-old", "x");
    put("cache/.plait-tmp-new", "x");
    put("cache/notes.txt", "x");
    set_age(test_path(cache, ".plait-tmp-old"), 120);
    set_age(test_path(cache, "notes.txt"), 100000);
    static const char binary[20000];
    char keys[8][8];
    for (int i = 0; i < 8; i++) {
        snprintf(keys[i], sizeof keys[i], "key %d", i);
        plait__cache_entry entry = {{keys[i], 5}, {"", 0}, {binary, 1500 - 5 - PLAIT__CACHE_HEADER}};
        char *path = plait__disk_cache_path(ctx->cache, keys[i], 5);
        assert_non_null(path);
        if (i == 6) { /* 9,000 bytes so far; a hit on the first makes it the newest */
            void *memory;
            assert_int_equal(plait__disk_cache_load(ctx->cache, keys[0], 5, &memory, &entry), PLAIT__CACHE_FOUND);
            free(memory);
            entry = (plait__cache_entry){{keys[i], 5}, {"", 0}, {binary, 1500 - 5 - PLAIT__CACHE_HEADER}};
        }
        plait__disk_cache_store(ctx->cache, &entry);
        if (i < 6) {
            set_age(path, 100 - i);
        }
        free(path);
    }
    /* The seventh passed the limit: the oldest three but the first went, which leaves 7,500; the eighth fits. */
    const bool kept[8] = {true, false, false, true, true, true, true, true};
    for (int i = 0; i < 8; i++) {
        char *path = plait__disk_cache_path(ctx->cache, keys[i], 5);
        assert_non_null(path);
        if (exists(path) != kept[i]) {
            fail_msg("entry %d: %d", i, exists(path));
        }
        free(path);
    }
    assert_false(exists(test_path(cache, ".plait-tmp-old")));
    assert_true(exists(test_path(cache, ".plait-tmp-new")));
    assert_true(exists(test_path(cache, "notes.txt")));
    /* One that is larger than all of the cache is not kept, and drives nothing else out. */
    size_t before = entry_count();
    plait__disk_cache_store(ctx->cache, &(plait__cache_entry){{"large", 5}, {"", 0}, {binary, sizeof binary}});
    assert_int_equal(entry_count(), before);
    assert_ok(plait_close(ctx));
    assert_int_equal(unsetenv("PLAIT_CACHE_SIZE"), 0);
}

int main(void)
{
    plait_close(open_or_skip());
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)
        T(a_second_run_builds_nothing),    T(another_driver_is_another_key), T(edited_headers_are_seen),
        T(damaged_entries_are_repaired),   T(entries_that_do_not_load),      T(what_is_not_kept),
        T(signatures_come_from_the_entry), T(machine_code_is_in_the_entry),  T(the_locale_changes_no_key),
        T(the_oldest_entries_go),
#undef T
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
