/*
 * Tests of lib/array/npy_format.h: files written by NumPy (tests/golden/make_npy.py), and files that nobody should
 * write.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "testing.h"

#include "dtypes.h"
#include "npy_format.h"

#include <math.h>

/* The file in a block of exactly its size, so that a sanitizer sees the first byte read after it. */
static unsigned char *read_file(const char *name, size_t *size)
{
    char path[512];
    snprintf(path, sizeof path, "%s/npy/%s.npy", PLAIT_GOLDEN, name);
    FILE *f = fopen(path, "rb");
    if (f == NULL) {
        fail_msg("%s cannot be opened", path);
    }
    static unsigned char bytes[1 << 16];
    *size = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    unsigned char *copy = malloc(*size + (*size == 0));
    memcpy(copy, bytes, *size);
    return copy;
}

/* ---- good files ---- */

/* Element i of the good files in C order: see make_npy.py. */
static void check_values(const plait__npy_header *h, plait_dtype dtype, const unsigned char *data)
{
    plait__kind kind = plait__dtype_info(h->dtype)->kind;
    for (size_t i = 0; i < h->count; i++) {
        const unsigned char *element = data + i * plait_dtype_size(dtype);
        double expected = kind == PLAIT__KIND_BOOL   ? (double)(i % 2)
                          : kind == PLAIT__KIND_UINT ? (double)(i + 1)
                                                     : (double)i - 2;
        double re = NAN;
        double im = 0;
#define ONE(name, type)                                                                                                \
    case name: {                                                                                                       \
        type v;                                                                                                        \
        memcpy(&v, element, sizeof v);                                                                                 \
        re = (double)v;                                                                                                \
        break;                                                                                                         \
    }
        switch (dtype) {
            ONE(PLAIT_BOOL, uint8_t)
            ONE(PLAIT_I8, int8_t)
            ONE(PLAIT_I16, int16_t)
            ONE(PLAIT_I32, int32_t)
            ONE(PLAIT_I64, int64_t)
            ONE(PLAIT_U8, uint8_t)
            ONE(PLAIT_U16, uint16_t)
            ONE(PLAIT_U32, uint32_t)
            ONE(PLAIT_U64, uint64_t)
            ONE(PLAIT_F32, float)
            ONE(PLAIT_F64, double)
        case PLAIT_F16: {
            uint16_t v;
            memcpy(&v, element, sizeof v);
            re = (double)plait__f16_to_f32(v);
            break;
        }
        case PLAIT_C64: {
            float v[2];
            memcpy(v, element, sizeof v);
            re = (double)v[0];
            im = (double)v[1];
            break;
        }
        case PLAIT_C128: {
            double v[2];
            memcpy(v, element, sizeof v);
            re = v[0];
            im = v[1];
            break;
        }
        default:
            fail();
        }
        assert_true(re == expected);
        assert_true(im == (kind == PLAIT__KIND_COMPLEX ? 0.5 * (double)i : 0));
    }
}

static void test_good(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        plait_dtype dtype, array_dtype;
        plait_dims shape;
    } files[] = {
        {"ok_bool_c", PLAIT_BOOL, PLAIT_BOOL, {2, {2, 3}}},
        {"ok_int8_c", PLAIT_I8, PLAIT_I32, {2, {2, 3}}},
        {"ok_int16_c", PLAIT_I16, PLAIT_I32, {2, {2, 3}}},
        {"ok_int16_big", PLAIT_I16, PLAIT_I32, {2, {2, 3}}},
        {"ok_int32_c", PLAIT_I32, PLAIT_I32, {2, {2, 3}}},
        {"ok_int32_big", PLAIT_I32, PLAIT_I32, {2, {2, 3}}},
        {"ok_int32_8d", PLAIT_I32, PLAIT_I32, {8, {1, 2, 1, 2, 1, 2, 1, 3}}},
        {"ok_int64_c", PLAIT_I64, PLAIT_I64, {2, {2, 3}}},
        {"ok_int64_big", PLAIT_I64, PLAIT_I64, {2, {2, 3}}},
        {"ok_int64_0d", PLAIT_I64, PLAIT_I64, {0, {0}}},
        {"ok_uint8_c", PLAIT_U8, PLAIT_U8, {2, {2, 3}}},
        {"ok_uint16_c", PLAIT_U16, PLAIT_I32, {2, {2, 3}}},
        {"ok_uint16_big", PLAIT_U16, PLAIT_I32, {2, {2, 3}}},
        {"ok_uint16_fortran_big", PLAIT_U16, PLAIT_I32, {4, {33, 1, 2, 35}}},
        {"ok_uint32_c", PLAIT_U32, PLAIT_I64, {2, {2, 3}}},
        {"ok_uint32_big", PLAIT_U32, PLAIT_I64, {2, {2, 3}}},
        {"ok_uint64_c", PLAIT_U64, PLAIT_DTYPE_DEFAULT, {2, {2, 3}}},
        {"ok_uint64_big", PLAIT_U64, PLAIT_DTYPE_DEFAULT, {2, {2, 3}}},
        {"ok_float16_c", PLAIT_F16, PLAIT_F32, {2, {2, 3}}},
        {"ok_float16_big", PLAIT_F16, PLAIT_F32, {2, {2, 3}}},
        {"ok_float32_c", PLAIT_F32, PLAIT_F32, {2, {2, 3}}},
        {"ok_float32_big", PLAIT_F32, PLAIT_F32, {2, {2, 3}}},
        {"ok_float32_fortran", PLAIT_F32, PLAIT_F32, {3, {3, 4, 2}}},
        {"ok_float32_empty", PLAIT_F32, PLAIT_F32, {2, {0, 4}}},
        {"ok_float32_v2", PLAIT_F32, PLAIT_F32, {2, {2, 3}}},
        {"ok_float32_v3", PLAIT_F32, PLAIT_F32, {2, {2, 3}}},
        {"ok_float32_spacing", PLAIT_F32, PLAIT_F32, {2, {2, 3}}},
        {"ok_float32_trailing", PLAIT_F32, PLAIT_F32, {2, {2, 3}}},
        {"ok_float64_c", PLAIT_F64, PLAIT_F64, {2, {2, 3}}},
        {"ok_float64_big", PLAIT_F64, PLAIT_F64, {2, {2, 3}}},
        {"ok_float64_1d", PLAIT_F64, PLAIT_F64, {1, {5}}},
        {"ok_complex64_c", PLAIT_C64, PLAIT_C64, {2, {2, 3}}},
        {"ok_complex64_big", PLAIT_C64, PLAIT_C64, {2, {2, 3}}},
        {"ok_complex128_c", PLAIT_C128, PLAIT_DTYPE_DEFAULT, {2, {2, 3}}},
        {"ok_complex128_big", PLAIT_C128, PLAIT_DTYPE_DEFAULT, {2, {2, 3}}},
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        size_t size;
        unsigned char *bytes = read_file(files[i].name, &size);
        plait__npy_header h;
        if (plait__npy_parse(&h, files[i].name, bytes, size) != PLAIT_OK) {
            fail_msg("%s", plait_last_error());
        }
        assert_int_equal(h.dtype, files[i].dtype);
        assert_int_equal(h.shape.n, files[i].shape.n);
        assert_memory_equal(h.shape.d, files[i].shape.d, sizeof h.shape.d);
        assert_int_equal(plait__npy_array_dtype(h.dtype), files[i].array_dtype);
        const plait_dtype dtypes[2] = {h.dtype, files[i].array_dtype};
        for (int k = 0; k < 2 && dtypes[k] != PLAIT_DTYPE_DEFAULT; k++) {
            unsigned char *data = malloc(h.count * plait_dtype_size(dtypes[k]) + 1);
            plait__npy_convert(data, dtypes[k], &h, bytes + h.data_at);
            check_values(&h, dtypes[k], data);
            free(data);
        }
        free(bytes);
    }
}

static void test_bool_bytes(void **state)
{
    (void)state;
    const plait__npy_header h = {.dtype = PLAIT_BOOL, .shape = {1, {4}}, .count = 4, .bytes = 4};
    const unsigned char in[4] = {0, 1, 2, 255};
    unsigned char out[4];
    assert_false(plait__npy_is_plain(&h, PLAIT_BOOL));
    plait__npy_convert(out, PLAIT_BOOL, &h, in);
    assert_memory_equal(out, ((const unsigned char[]){0, 1, 1, 1}), 4);
}

static void test_f16(void **state)
{
    (void)state;
    static const struct {
        uint16_t half;
        float value;
    } cases[] = {
        {0x0000, 0.0f},      {0x8000, -0.0f},           {0x3c00, 1.0f},         {0xc000, -2.0f},
        {0x7bff, 65504.0f},  {0x0400, 0x1p-14f},        {0x03ff, 0x1.ff8p-15f}, {0x0001, 0x1p-24f},
        {0x8001, -0x1p-24f}, {0x3555, 0.333251953125f}, {0x7c00, INFINITY},     {0xfc00, -INFINITY},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        float got = plait__f16_to_f32(cases[i].half);
        assert_memory_equal(&got, &cases[i].value, sizeof got);
    }
    assert_true(isnan(plait__f16_to_f32(0x7e00)));
    assert_true(isnan(plait__f16_to_f32(0xfc01)));
}

/* ---- bad files ---- */

static void test_bad(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        plait_status code;
        const char *sentence; /* after "NAME: " */
    } files[] = {
        {"bad_truncated", PLAIT_E_FORMAT,
         "byte 70: truncated: the header promises 24 bytes of elements, the file has 23"},
        {"bad_no_elements", PLAIT_E_FORMAT, "byte 70: truncated"},
        {"bad_huge", PLAIT_E_FORMAT, "byte 86: truncated: the header promises 4611686018427387904 bytes"},
        {"bad_overflow", PLAIT_E_FORMAT, "byte 61: 'shape' has more elements than memory can hold"},
        {"bad_too_large_size", PLAIT_E_FORMAT, "byte 61: a size of 'shape' is not an integer of 64 bits"},
        {"bad_negative", PLAIT_E_FORMAT, "byte 61: a size of 'shape' is negative"},
        {"bad_nine_dimensions", PLAIT_E_SHAPE, "byte 86: the array has more than 8 dimensions"},
        {"bad_shape_number", PLAIT_E_FORMAT, "byte 61: 'shape' is a number in brackets, not a tuple"},
        {"bad_shape_list", PLAIT_E_FORMAT, "byte 60: 'shape' must be a tuple"},
        {"bad_shape_commas", PLAIT_E_FORMAT, "byte 63: a size of 'shape'"},
        {"bad_shape_float", PLAIT_E_FORMAT, "byte 62: a ',' or ')' is expected"},
        {"bad_shape_open", PLAIT_E_FORMAT, "byte 65: a ',' or ')' is expected"},
        {"bad_object", PLAIT_E_FORMAT, "byte 20: an object dtype"},
        {"bad_structured", PLAIT_E_FORMAT, "byte 20: a structured dtype"},
        {"bad_structured_unicode", PLAIT_E_FORMAT, "byte 22: a structured dtype"},
        {"bad_string", PLAIT_E_DTYPE, "byte 20: the dtype '<U2' is not one of Plait's"},
        {"bad_datetime", PLAIT_E_DTYPE, "byte 20: the dtype '<M8[D]' is not one"},
        {"bad_longdouble", PLAIT_E_DTYPE, "byte 20: the dtype '<f16' is not one"},
        {"bad_no_order", PLAIT_E_FORMAT, "byte 20: the dtype does not say which byte order"},
        {"bad_descr_empty", PLAIT_E_DTYPE, "byte 20: the dtype '' is not one"},
        {"bad_descr_nul", PLAIT_E_DTYPE, "byte 20: the dtype '<?2' is not one"},
        {"bad_descr_number", PLAIT_E_FORMAT, "byte 20: a string is expected as the value of 'descr'"},
        {"bad_order_number", PLAIT_E_FORMAT, "byte 44: 'fortran_order' must be True or False"},
        {"bad_missing_key", PLAIT_E_FORMAT, "byte 45: the header has no 'fortran_order'"},
        {"bad_extra_key", PLAIT_E_FORMAT, "byte 68: the header has a key that is none of"},
        {"bad_twice", PLAIT_E_FORMAT, "byte 27: the header has this key twice"},
        {"bad_unended_string", PLAIT_E_DTYPE, "byte 20: the dtype '<f4, ' is not one"},
        {"bad_escape", PLAIT_E_FORMAT, "byte 21: an escape or newline"},
        {"bad_no_comma", PLAIT_E_FORMAT, "byte 26: a ',' or '}' is expected"},
        {"bad_no_colon", PLAIT_E_FORMAT, "byte 19: a ':' is expected"},
        {"bad_no_brace", PLAIT_E_FORMAT, "byte 10: the header is not a Python dictionary"},
        {"bad_after", PLAIT_E_FORMAT, "byte 70: something follows the header's dictionary"},
        {"bad_empty_header", PLAIT_E_FORMAT, "byte 10: the header is not a Python dictionary"},
        {"bad_header_length", PLAIT_E_FORMAT, "byte 8: the header should have 60000 bytes, but the file ends after 84"},
        {"bad_header_length_4g", PLAIT_E_FORMAT, "byte 8: a header of 4294967295 bytes is not plausible"},
        {"bad_version", PLAIT_E_FORMAT, "byte 6: format version 4.0 is not known"},
        {"bad_minor", PLAIT_E_FORMAT, "byte 6: format version 1.1 is not known"},
        {"bad_in_version", PLAIT_E_FORMAT, "byte 6: the file ends inside its version"},
        {"bad_in_length", PLAIT_E_FORMAT, "byte 8: the file ends inside the header's length"},
        {"bad_magic", PLAIT_E_FORMAT, "byte 0: this is not an .npy file"},
        {"bad_zip", PLAIT_E_FORMAT, "byte 0: this is a zip archive"},
        {"bad_empty", PLAIT_E_FORMAT, "byte 0: this is not an .npy file"},
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        size_t size;
        unsigned char *bytes = read_file(files[i].name, &size);
        plait__npy_header h;
        assert_int_equal(plait__npy_parse(&h, files[i].name, bytes, size), files[i].code);
        assert_int_equal(plait_last_status(), files[i].code);
        char start[256];
        snprintf(start, sizeof start, "%s: %s", files[i].name, files[i].sentence);
        if (strncmp(plait_last_error(), start, strlen(start)) != 0) {
            fail_msg("\"%s\" does not start with \"%s\"", plait_last_error(), start);
        }
        free(bytes);
    }
}

/* A file may end anywhere. */
static void test_every_length(void **state)
{
    (void)state;
    size_t size;
    unsigned char *bytes = read_file("ok_float32_spacing", &size);
    for (size_t n = 0; n < size; n++) {
        unsigned char *cut = malloc(n + (n == 0));
        memcpy(cut, bytes, n);
        plait__npy_header h;
        assert_int_equal(plait__npy_parse(&h, "cut", cut, n), PLAIT_E_FORMAT);
        free(cut);
    }
    free(bytes);
}

/* ---- heads ---- */

static void test_head(void **state)
{
    (void)state;
    static const plait_dims shapes[] = {
        {0, {0}}, {1, {7}}, {2, {0, 4}}, {8, {1, 2, 3, 4, 5, 6, 7, 8}}, {2, {INT64_MAX, 0}},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        for (int d = PLAIT_BOOL; d < PLAIT_DTYPE_COUNT_; d++) {
            if (d == PLAIT_BF16) {
                continue;
            }
            plait__strbuf s = {0};
            plait__npy_head(&s, shapes[i], (plait_dtype)d);
            assert_int_equal(s.status, PLAIT_OK);
            assert_int_equal(s.length % 64, 0);
            assert_int_equal(s.text[s.length - 1], '\n');
            size_t n = (size_t)plait_shape_count(shapes[i]) * plait_dtype_size((plait_dtype)d);
            unsigned char *file = calloc(1, s.length + n);
            memcpy(file, s.text, s.length);
            plait__npy_header h;
            assert_int_equal(plait__npy_parse(&h, "head", file, s.length + n), PLAIT_OK);
            assert_int_equal(h.dtype, d);
            assert_int_equal(h.shape.n, shapes[i].n);
            assert_memory_equal(h.shape.d, shapes[i].d, sizeof h.shape.d);
            assert_int_equal(h.data_at, s.length);
            assert_true(!h.swapped && !h.fortran);
            plait__strbuf_free(&s);
            free(file);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good), cmocka_unit_test(test_bool_bytes),   cmocka_unit_test(test_f16),
        cmocka_unit_test(test_bad),  cmocka_unit_test(test_every_length), cmocka_unit_test(test_head),
    };
    return cmocka_run_group_tests_name("npy_format", tests, NULL, NULL);
}
