/*
 * Tests of lib/array/host_cast.h: what C leaves open is decided.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "testing.h"

#include "host_cast.h"

#include <math.h>

static int64_t float_to_int(double f, plait_dtype dtype)
{
    unsigned char element[16];
    plait__element_store(element, dtype, PLAIT_F64, (plait__value){.f = f});
    return plait__element_load(dtype, element).i;
}

static void test_float_to_int(void **state)
{
    (void)state;
    static const struct {
        double f;
        int64_t u8, i32, i64;
    } cases[] = {
        {NAN, 0, 0, 0},
        {INFINITY, 255, INT32_MAX, INT64_MAX},
        {-INFINITY, 0, INT32_MIN, INT64_MIN},
        {3e9, 255, INT32_MAX, 3000000000},
        {-1.5, 0, -1, -1},
        {1.9, 1, 1, 1},
        {-0.9, 0, 0, 0},
        {255.9, 255, 255, 255},
        {68469.13, 255, 68469, 68469},
        {1e20, 255, INT32_MAX, INT64_MAX},
        {-1e20, 0, INT32_MIN, INT64_MIN},
        {0x1p63, 255, INT32_MAX, INT64_MAX},
        {-0x1p63, 0, INT32_MIN, INT64_MIN},
        {2147483647.5, 255, INT32_MAX, 2147483647},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(float_to_int(cases[i].f, PLAIT_U8), cases[i].u8);
        assert_int_equal(float_to_int(cases[i].f, PLAIT_I32), cases[i].i32);
        assert_int_equal(float_to_int(cases[i].f, PLAIT_I64), cases[i].i64);
        assert_int_equal(float_to_int(cases[i].f, PLAIT_BOOL), cases[i].f != 0);
    }
    assert_int_equal(float_to_int(-0.0, PLAIT_BOOL), 0);
    assert_int_equal(float_to_int(1e-300, PLAIT_BOOL), 1);
}

static void test_int_wraps(void **state)
{
    (void)state;
    unsigned char element[16];
    plait__element_store(element, PLAIT_U8, PLAIT_I64, (plait__value){.i = -1});
    assert_int_equal(plait__element_load(PLAIT_U8, element).i, 255);
    plait__element_store(element, PLAIT_I32, PLAIT_I64, (plait__value){.i = INT64_C(0x180000001)});
    assert_int_equal(plait__element_load(PLAIT_I32, element).i, INT32_MIN + 1);
    plait__element_store(element, PLAIT_BOOL, PLAIT_I32, (plait__value){.i = 256});
    assert_int_equal(plait__element_load(PLAIT_BOOL, element).i, 1);
}

static void test_floats(void **state)
{
    (void)state;
    unsigned char element[16];
    plait__element_store(element, PLAIT_F32, PLAIT_F64, (plait__value){.f = 0.1});
    assert_true(plait__element_load(PLAIT_F32, element).f == (double)0.1f);
    plait__element_store(element, PLAIT_F32, PLAIT_I64, (plait__value){.i = INT64_MAX});
    assert_true(plait__element_load(PLAIT_F32, element).f == 0x1p63);
    plait__element_store(element, PLAIT_F64, PLAIT_I64, (plait__value){.i = -3});
    assert_true(plait__element_load(PLAIT_F64, element).f == -3);
}

static void test_complex(void **state)
{
    (void)state;
    unsigned char element[16];
    plait__element_store(element, PLAIT_C64, PLAIT_I32, (plait__value){.i = 7});
    plait__value z = plait__element_load(PLAIT_C64, element);
    assert_true(z.c[0] == 7 && z.c[1] == 0);
    plait__element_store(element, PLAIT_C64, PLAIT_C64, (plait__value){.c = {1.5, -2}});
    z = plait__element_load(PLAIT_C64, element);
    assert_true(z.c[0] == 1.5 && z.c[1] == -2);
    plait__element_store(element, PLAIT_BOOL, PLAIT_C64, (plait__value){.c = {0, NAN}});
    assert_int_equal(plait__element_load(PLAIT_BOOL, element).i, 1);
    plait__element_store(element, PLAIT_BOOL, PLAIT_C64, (plait__value){.c = {0, -0.0}});
    assert_int_equal(plait__element_load(PLAIT_BOOL, element).i, 0);
    assert_ok(plait__check_conversion(PLAIT_C64, PLAIT_BOOL, "f"));
    assert_ok(plait__check_conversion(PLAIT_BOOL, PLAIT_C64, "f"));
    assert_fails(plait__check_conversion(PLAIT_C64, PLAIT_F32, "f"), PLAIT_E_DTYPE,
                 "f: a complex array does not convert to f32");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_float_to_int),
        cmocka_unit_test(test_int_wraps),
        cmocka_unit_test(test_floats),
        cmocka_unit_test(test_complex),
    };
    return cmocka_run_group_tests_name("host_cast", tests, NULL, NULL);
}
