/*
 * Tests of the .npy functions on files and arrays. The format itself is tested in test_npy_format.c.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "testing.h"

#include "alloc.h"

#include <plait/plait.h>

static plait_ctx *ctx;
static char *folder;

static const char *golden(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/npy/%s.npy", PLAIT_GOLDEN, name);
    return path;
}

static void test_host_files(void **state)
{
    (void)state;
    static const float values[6] = {1, -2, 0.5f, 3, 4, 5};
    const char *path = test_path(folder, "a, b.npy");
    assert_ok(plait_npy_write(path, values, PLAIT_SHAPE(2, 3), PLAIT_F32));
    plait_npy npy;
    assert_ok(plait_npy_read(path, &npy));
    assert_int_equal(npy.dtype, PLAIT_F32);
    assert_int_equal(npy.bytes, sizeof values);
    assert_true(npy.shape.n == 2 && npy.shape.d[0] == 2 && npy.shape.d[1] == 3);
    assert_memory_equal(npy.data, values, sizeof values);
    plait_npy_free(&npy);
    assert_null(npy.data);
    plait_npy_free(&npy);
    plait_npy_free(NULL);

    /* It replaces what is there, of another size. */
    assert_ok(plait_npy_write(path, NULL, PLAIT_SHAPE(0, 5), PLAIT_U16));
    assert_ok(plait_npy_read(path, &npy));
    assert_true(npy.dtype == PLAIT_U16 && npy.bytes == 0 && npy.shape.d[1] == 5);
    plait_npy_free(&npy);

    /* As in the file: no dtype is widened, bool is 0 and 1, order and byte order are this machine's. */
    assert_ok(plait_npy_read(golden("ok_uint64_big"), &npy));
    assert_int_equal(npy.dtype, PLAIT_U64);
    assert_int_equal(((const uint64_t *)npy.data)[5], 6);
    plait_npy_free(&npy);
    assert_ok(plait_npy_read(golden("ok_float32_fortran"), &npy));
    for (int i = 0; i < 24; i++) {
        assert_true(((const float *)npy.data)[i] == (float)(i - 2));
    }
    plait_npy_free(&npy);
}

static void test_host_refused(void **state)
{
    (void)state;
    plait_npy npy;
    const float value = 1;
    const char *path = test_path(folder, "refused.npy");
    assert_fails(plait_npy_read(NULL, &npy), PLAIT_E_NULL, "path");
    assert_fails(plait_npy_read(path, NULL), PLAIT_E_NULL, "out");
    assert_fails(plait_npy_read(path, &npy), PLAIT_E_IO, "refused.npy");
    assert_null(npy.data);
    assert_fails(plait_npy_read(folder, &npy), PLAIT_E_IO, folder);
    assert_fails(plait_npy_read(golden("bad_truncated"), &npy), PLAIT_E_FORMAT, "byte 70: truncated");
    assert_non_null(strstr(plait_last_error(), "plait_npy_read"));
    assert_non_null(strstr(plait_last_error(), "bad_truncated.npy"));
    assert_fails(plait_npy_write(NULL, &value, PLAIT_SHAPE(1), PLAIT_F32), PLAIT_E_NULL, "path");
    assert_fails(plait_npy_write(path, NULL, PLAIT_SHAPE(1), PLAIT_F32), PLAIT_E_NULL, "data");
    assert_fails(plait_npy_write(path, &value, PLAIT_SHAPE(1), PLAIT_BF16), PLAIT_E_DTYPE, "bf16");
    assert_fails(plait_npy_write(path, &value, PLAIT_SHAPE(1), PLAIT_DTYPE_DEFAULT), PLAIT_E_DTYPE, "plait_npy_write");
    assert_fails(plait_npy_write(path, &value, PLAIT_SHAPE(-1), PLAIT_F32), PLAIT_E_SHAPE, "(-1,)");
    assert_fails(plait_npy_write(test_path(folder, "no/such/folder.npy"), &value, PLAIT_SHAPE(1), PLAIT_F32),
                 PLAIT_E_IO, "folder.npy");
    assert_fails(plait_npy_read(path, &npy), PLAIT_E_IO, "refused.npy"); /* none of these left a file */
}

static void test_load(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    static const struct {
        const char *name;
        plait_dtype dtype;
        int first; /* the first of the six values, which go up by one */
    } files[] = {
        {"ok_int8_c", PLAIT_I32, -2},     {"ok_int16_big", PLAIT_I32, -2},       {"ok_uint16_c", PLAIT_I32, 1},
        {"ok_uint32_big", PLAIT_I64, 1},  {"ok_int32_c", PLAIT_I32, -2},         {"ok_int64_big", PLAIT_I64, -2},
        {"ok_uint8_c", PLAIT_U8, 1},      {"ok_float16_big", PLAIT_F32, -2},     {"ok_float32_c", PLAIT_F32, -2},
        {"ok_float32_v3", PLAIT_F32, -2}, {"ok_float32_spacing", PLAIT_F32, -2},
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        plait_array *a = plait_load_npy(ctx, golden(files[i].name));
        if (a == NULL) {
            fail_msg("%s", plait_last_error());
        }
        assert_int_equal(plait_array_dtype(a), files[i].dtype);
        int64_t out[6];
        assert_ok(plait_to_host(a, out, 6, PLAIT_I64));
        for (int k = 0; k < 6; k++) {
            assert_int_equal(out[k], files[i].first + k);
        }
    }
    float c[12];
    assert_ok(plait_to_host(plait_load_npy(ctx, golden("ok_complex64_big")), c, 6, PLAIT_C64));
    assert_true(c[10] == 3 && c[11] == 2.5f);
    unsigned char b[6];
    assert_ok(plait_to_host(plait_load_npy(ctx, golden("ok_bool_c")), b, 6, PLAIT_BOOL));
    assert_memory_equal(b, ((const unsigned char[]){0, 1, 0, 1, 0, 1}), 6);
    plait_array *empty = plait_load_npy(ctx, golden("ok_float32_empty"));
    assert_int_equal(plait_array_shape(empty).d[1], 4);
    int32_t *f = malloc(33 * 2 * 35 * sizeof *f);
    assert_ok(plait_to_host(plait_load_npy(ctx, golden("ok_uint16_fortran_big")), f, 33 * 2 * 35, PLAIT_I32));
    for (int i = 0; i < 33 * 2 * 35; i++) {
        assert_int_equal(f[i], i + 1);
    }
    free(f);
}

static void test_load_refused(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    assert_fails_null(plait_load_npy(NULL, golden("ok_int8_c")), PLAIT_E_NULL, "plait_load_npy");
    assert_fails_null(plait_load_npy(ctx, NULL), PLAIT_E_NULL, "path");
    assert_fails_null(plait_load_npy(ctx, test_path(folder, "missing.npy")), PLAIT_E_IO, "missing.npy");
    assert_fails_null(plait_load_npy(ctx, golden("ok_uint64_c")), PLAIT_E_DTYPE, "u64");
    assert_fails_null(plait_load_npy(ctx, golden("ok_complex128_c")), PLAIT_E_DTYPE, "c128");
    assert_fails_null(plait_load_npy(ctx, golden("bad_object")), PLAIT_E_FORMAT, "byte 20: an object dtype");
    assert_fails_null(plait_load_npy(ctx, golden("bad_structured")), PLAIT_E_FORMAT, "structured");
    assert_fails_null(plait_load_npy(ctx, golden("bad_huge")), PLAIT_E_FORMAT, "4611686018427387904 bytes");
    assert_fails_null(plait_load_npy(ctx, golden("bad_overflow")), PLAIT_E_FORMAT, "more elements than memory");
    assert_fails_null(plait_load_npy(ctx, golden("bad_nine_dimensions")), PLAIT_E_SHAPE, "8 dimensions");
    assert_fails_null(plait_load_npy(ctx, golden("bad_empty")), PLAIT_E_FORMAT, "bad_empty.npy: byte 0");
}

static void test_save(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    const char *path = test_path(folder, "saved.npy");
    static const plait_dtype dtypes[] = {PLAIT_BOOL, PLAIT_U8, PLAIT_I32, PLAIT_I64, PLAIT_F32, PLAIT_F64, PLAIT_C64};
    for (size_t d = 0; d < sizeof dtypes / sizeof dtypes[0]; d++) {
        if (dtypes[d] == PLAIT_F64 && !plait_ctx_device(ctx)->fp64) {
            continue;
        }
        unsigned char values[12 * 16];
        for (size_t i = 0; i < sizeof values; i++) {
            values[i] = dtypes[d] == PLAIT_BOOL ? i % 3 == 0 : (unsigned char)(i % 100);
        }
        assert_ok(plait_save_npy(path, plait_from_host(ctx, values, PLAIT_SHAPE(3, 4), dtypes[d])));
        plait_npy npy;
        assert_ok(plait_npy_read(path, &npy));
        assert_int_equal(npy.dtype, dtypes[d]);
        assert_memory_equal(npy.data, values, npy.bytes);
        plait_npy_free(&npy);
    }

    /* A pending view of a pending expression is computed, and its elements stand in its own order. */
    float in[6] = {0, 1, 2, 3, 4, 5};
    plait_array *a = plait_from_host(ctx, in, PLAIT_SHAPE(2, 3), PLAIT_F32);
    assert_ok(plait_save_npy(path, plait_transpose(plait_add(a, a))));
    plait_npy npy;
    assert_ok(plait_npy_read(path, &npy));
    assert_true(npy.shape.n == 2 && npy.shape.d[0] == 3 && npy.shape.d[1] == 2);
    assert_memory_equal(npy.data, ((const float[]){0, 6, 2, 8, 4, 10}), npy.bytes);
    plait_npy_free(&npy);

    assert_ok(plait_save_npy(path, plait_num(0.1)));
    assert_ok(plait_npy_read(path, &npy));
    assert_true(npy.dtype == PLAIT_F64 && npy.shape.n == 0 && *(const double *)npy.data == 0.1);
    plait_npy_free(&npy);

    assert_ok(plait_save_npy(path, plait_zeros(ctx, PLAIT_SHAPE(0, 3), PLAIT_I64)));
    assert_int_equal(plait_array_shape(plait_load_npy(ctx, path)).d[1], 3);

    assert_fails(plait_save_npy(path, NULL), PLAIT_E_NULL, "plait_save_npy");
    assert_fails(plait_save_npy(NULL, a), PLAIT_E_NULL, "path");
    assert_fails(plait_save_npy(test_path(folder, "no/x.npy"), a), PLAIT_E_IO, "x.npy");
    assert_fails(plait_save_npy(folder, a), PLAIT_E_IO, folder);
    assert_int_equal(plait_array_shape(plait_load_npy(ctx, path)).d[1], 3); /* the old file is as it was */
}

static void test_exhausted_memory(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    const char *path = test_path(folder, "memory.npy");
    float in[6] = {0, 1, 2, 3, 4, 5};
    plait_array *a = plait_from_host(ctx, in, PLAIT_SHAPE(6), PLAIT_F32);
    bool pending = false;
    for (int64_t n = 1; !pending; n++) {
        plait_npy npy = {0};
        plait__alloc_fail_at(n);
        plait_status st = plait_save_npy(path, a);
        if (st == PLAIT_OK) {
            st = plait_npy_read(golden("ok_float32_fortran"), &npy);
        }
        if (st == PLAIT_OK && plait_load_npy(ctx, golden("ok_uint16_fortran_big")) == NULL) {
            st = plait_last_status();
        }
        pending = plait__alloc_fail_pending() != 0;
        plait__alloc_fail_at(0);
        assert_int_equal(st, pending ? PLAIT_OK : PLAIT_E_NO_MEMORY);
        plait_npy_free(&npy);
    }
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
    return plait_close(ctx) == PLAIT_OK ? 0 : 1;
}

int main(void)
{
    plait_status st = plait_open(&ctx, NULL);
    if (st == PLAIT_E_NO_DEVICE) {
        printf("skipped: %s\n", plait_last_error());
        return TEST_SKIPPED;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_host_files), cmocka_unit_test(test_host_refused),
        cmocka_unit_test(test_load),       cmocka_unit_test(test_load_refused),
        cmocka_unit_test(test_save),       cmocka_unit_test(test_exhausted_memory),
    };
    return cmocka_run_group_tests_name("npy", tests, setup, teardown);
}
