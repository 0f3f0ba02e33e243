/*
 * A program's locale with a decimal comma reaches neither kernels nor files, text or cache keys.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "testing.h"

#include <locale.h>
#include <math.h>
#include <plait/plait.h>

static char *folder;

static plait_ctx *open_with_cache(void)
{
    plait_ctx_opts o = PLAIT_CTX_OPTS;
    o.cache_folder = folder;
    plait_ctx *ctx;
    plait_status st = plait_open(&ctx, &o);
    if (st == PLAIT_E_NO_DEVICE) {
        printf("skipped: %s\n", plait_last_error());
        exit(TEST_SKIPPED);
    }
    assert_ok(st);
    return ctx;
}

static void expect(plait_array *a, const float *expected, size_t n)
{
    float got[8];
    assert_true(n <= 8);
    assert_ok(plait_to_host(a, got, n, PLAIT_F32));
    for (size_t i = 0; i < n; i++) {
        if (got[i] != expected[i] && !(isnan(got[i]) && isnan(expected[i]))) {
            fail_msg("element %zu is %a, not %a", i, (double)got[i], (double)expected[i]);
        }
    }
}

/* Everything that writes numbers into text that something else reads. Returns how many programs were compiled. */
static uint64_t work(void)
{
    plait_ctx *ctx = open_with_cache();
    plait_scope scope = plait_scope_begin();
    const float in[2] = {2, 4};
    plait_array *x = plait_from_host(ctx, in, PLAIT_SHAPE(2), PLAIT_F32);

    expect(plait_add(plait_multiply(x, plait_num(0.5)), plait_num(1.25)), (const float[]){2.25f, 3.25f}, 2);
    expect(plait_map("a * 0.5f + 1.25f", x), (const float[]){2.25f, 3.25f}, 2);
    expect(plait_pow(x, plait_num(0.5)), (const float[]){sqrtf(2), 2}, 2);
    expect(plait_arange(ctx, 0, 1, 0.25, PLAIT_F32), (const float[]){0, 0.25f, 0.5f, 0.75f}, 4);

    /* Numbers keep their exact value on the way into a kernel. */
    const float exact[6] = {0x1p-100f, 1e38f, INFINITY, NAN, -0.0f, 0x1p63f};
    for (int i = 0; i < 6; i++) {
        plait_array *one = plait_where(plait_less(x, plait_num(0)), x, plait_num((double)exact[i]));
        expect(one, (const float[]){exact[i], exact[i]}, 2);
    }
    float zero;
    assert_ok(plait_to_host(plait_multiply(plait_index(x, 0, 0), plait_num(-0.0)), &zero, 1, PLAIT_F32));
    assert_true(zero == 0 && signbit(zero));

    char *text;
    assert_ok(plait_to_text(plait_multiply(x, plait_num(0.05)), NULL, &text));
    assert_string_equal(text, "[0.1 0.2]");
    plait_free(text);
    const char *path = test_path(folder, "numbers.npy");
    assert_ok(plait_save_npy(path, plait_reshape(plait_arange(ctx, 0, 6000, 1, PLAIT_F32), PLAIT_SHAPE(2, 3000))));
    assert_int_equal(plait_array_shape(plait_load_npy(ctx, path)).d[1], 3000);

    plait_stats stats = PLAIT_STATS;
    assert_ok(plait_ctx_stats(ctx, &stats));
    assert_ok(plait_scope_end(scope));
    assert_ok(plait_close(ctx));
    return stats.source_builds;
}

static void test_comma(void **state)
{
    (void)state;
    assert_true(work() > 0);
    if (!test_comma_locale()) {
        print_message("skipped: no locale with a decimal comma\n");
        skip();
    }
    char sample[8];
    snprintf(sample, sizeof sample, "%.1f", 0.5);
    assert_string_equal(sample, "0,5");
    uint64_t builds = work();
    setlocale(LC_ALL, "C");
    assert_int_equal(builds, 0); /* the keys were the same */
}

static int setup(void **state)
{
    (void)state;
    folder = test_folder_make();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    test_folder_remove(folder);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_comma)};
    return cmocka_run_group_tests_name("locale", tests, setup, teardown);
}
