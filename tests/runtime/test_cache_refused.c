/* A driver that refuses its own binaries: programs are built from source, without the caller noticing. */
#include "device_testing.h"

#include <plait/kernel.h>

#include <sys/stat.h>

static char *folder;

/* The child: builds a program, runs a kernel of it, and prints the counts. */
static int child(void)
{
    plait_ctx *ctx;
    plait_program *p;
    plait_kernel *k;
    plait_buffer *b;
    uint32_t out[4] = {0};
    const char *source = "kernel void fill_u32(global uint *out, uint value) { out[get_global_id(0)] = value; }\n";
    if (plait_open(&ctx, NULL) || plait_program_from_source(&p, ctx, source, NULL) ||
        plait_kernel_create(&k, p, "fill_u32") || plait_buffer_create(&b, ctx, sizeof out, NULL) ||
        plait_launch(plait_ctx_queue(ctx), k, PLAIT_GRID(4), PLAIT_BUFFER(b), PLAIT_INT(42)) ||
        plait_buffer_read(plait_ctx_queue(ctx), b, 0, out, sizeof out)) {
        printf("%s\n", plait_last_error());
        return 1;
    }
    plait_stats s = PLAIT_STATS;
    plait_ctx_stats(ctx, &s);
    printf("%u %u; builds %d loads %d rejects %d cached %d; \"%s\"\n", out[0], out[3], (int)s.source_builds,
           (int)s.binary_loads, (int)s.cache_rejects, plait_program_cached(p), plait_last_error());
    plait_buffer_release(b);
    plait_kernel_release(k);
    plait_program_release(p);
    return (int)plait_close(ctx);
}

static void assert_child_says(const char *mode, const char *words)
{
    char vendors[4200], mode_env[100], cache[4200];
    snprintf(vendors, sizeof vendors, "OCL_ICD_VENDORS=%s/vendors/", folder);
    snprintf(mode_env, sizeof mode_env, "TEST_ICD_MODE=%s", mode);
    snprintf(cache, sizeof cache, "PLAIT_CACHE_DIR=%s/cache", folder);
    const char *const env[] = {vendors, mode_env, cache, "PLAIT_DEVICE=", "PLAIT_EMULATE=", "PLAIT_SKELETON=", NULL};
    char *output = run_self("child", env);
    assert_string_equal(output, words);
    free(output);
}

static void refused_binaries_are_built_again(void **state)
{
    (void)state;
    const char *icd = getenv("TEST_ICD");
    assert_non_null(icd);
    folder = test_folder_make();
    assert_int_equal(mkdir(test_path(folder, "vendors"), 0755), 0);
    test_file_write(test_path(folder, "vendors/test.icd"), icd, strlen(icd));
    assert_child_says("gpu", "42 42; builds 1 loads 0 rejects 0 cached 0; \"\"\n");
    assert_child_says("gpu", "42 42; builds 0 loads 1 rejects 0 cached 1; \"\"\n");
    assert_child_says("gpu,refuse-binaries", "42 42; builds 1 loads 0 rejects 1 cached 0; \"\"\n");
    assert_child_says("gpu", "42 42; builds 0 loads 1 rejects 0 cached 1; \"\"\n");
    assert_child_says("gpu,driver=next", "42 42; builds 1 loads 0 rejects 0 cached 0; \"\"\n");
    test_folder_remove(folder);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "child") == 0) {
        return child();
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(refused_binaries_are_built_again)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
