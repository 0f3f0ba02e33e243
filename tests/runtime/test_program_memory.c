/*
 * Every allocation on the way from a source to a launch fails once: each time a clean failure or success, nothing lost
 * (the leak checker looks), and the context still works. On the test driver, which compiles in no time.
 */
#include "device_testing.h"

#include <plait/kernel.h>

#include <sys/stat.h>

#include "alloc.h"

static const char *const source =
    "kernel void fill_u32(global uint *out, uint value) { out[get_global_id(0)] = value; }\n"
    "kernel void other(global uint *out) {}\n";

static plait_status once(plait_ctx *ctx, plait_buffer *b, uint32_t value, bool cached)
{
    plait_program *p = NULL;
    plait_kernel *k = NULL;
    plait_event *event = NULL;
    plait_program_opts o = PLAIT_PROGRAM_OPTS;
    const char *defines[] = {"UNUSED=1"};
    o.defines = defines;
    o.n_defines = 1;
    o.no_cache = !cached;
    const plait_arg args[] = {PLAIT_BUFFER(b), PLAIT_INT(value)};
    plait_status status = plait_program_from_source(&p, ctx, source, &o);
    if (status == PLAIT_OK) {
        status = plait_kernel_create(&k, p, "fill_u32");
    }
    if (status == PLAIT_OK) {
        status = plait_launch_n(plait_ctx_queue(ctx), k, plait_grid_1d(4), args, 2, &event);
    }
    plait_event_release(event);
    plait_kernel_release(k);
    plait_program_release(p);
    return status;
}

static int child(void)
{
    plait_ctx *ctx;
    plait_buffer *b;
    if (plait_open(&ctx, NULL) || plait_buffer_create(&b, ctx, 16, NULL)) {
        printf("%s\n", plait_last_error());
        return 1;
    }
    /* Built each time; loaded from the cache, or built where that failed. */
    for (int mode = 0; mode < 2; mode++) {
        int failures = 0;
        for (int64_t n = 1;; n++) {
            plait_clear_error();
            plait__alloc_fail_at(n);
            plait_status status = once(ctx, b, (uint32_t)n, mode > 0);
            bool over = plait__alloc_fail_pending() != 0;
            plait__alloc_fail_at(0);
            if (status != PLAIT_OK && (status != PLAIT_E_NO_MEMORY || plait_last_status() != status)) {
                printf("mode %d, allocation %d: %s: %s\n", mode, (int)n, plait_status_name(status), plait_last_error());
                return 1;
            }
            failures += status != PLAIT_OK;
            if (over) {
                break;
            }
            uint32_t value = 0;
            if (once(ctx, b, 7, mode > 0) || plait_buffer_read(plait_ctx_queue(ctx), b, 0, &value, 4) || value != 7) {
                printf("mode %d, after allocation %d: %s\n", mode, (int)n, plait_last_error());
                return 1;
            }
        }
        printf("mode %d: %s failures\n", mode, failures > 10 ? "many" : "few");
    }
    plait_buffer_release(b);
    return (int)plait_close(ctx);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    const char *icd = getenv("TEST_ICD");
    assert_non_null(icd);
    char *folder = test_folder_make();
    char vendors[4200], cache[4200];
    snprintf(vendors, sizeof vendors, "OCL_ICD_VENDORS=%s/vendors/", folder);
    snprintf(cache, sizeof cache, "PLAIT_CACHE_DIR=%s/cache", folder);
    assert_int_equal(mkdir(test_path(folder, "vendors"), 0755), 0);
    test_file_write(test_path(folder, "vendors/test.icd"), icd, strlen(icd));
    const char *const env[] = {vendors, "TEST_ICD_MODE=gpu", cache, "PLAIT_DEVICE=", "PLAIT_EMULATE=", NULL};
    char *output = run_self("child", env);
    assert_string_equal(output, "mode 0: many failures\nmode 1: many failures\n");
    free(output);
    test_folder_remove(folder);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "child") == 0) {
        return child();
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
