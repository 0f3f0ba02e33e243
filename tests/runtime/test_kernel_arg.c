/* Numbers on their way to a kernel's parameter, and the constructors of arguments and grids. */
#include "testing.h"

#include <math.h>

#include "kernel_arg.h"

static bool converts_int(int64_t value, plait_dtype dtype)
{
    unsigned char out[PLAIT__NUMBER_BYTES];
    plait_arg arg = plait_arg_int(value);
    return plait__number_convert(out, dtype, &arg);
}

static bool converts_num(double value, plait_dtype dtype)
{
    unsigned char out[PLAIT__NUMBER_BYTES];
    plait_arg arg = plait_arg_num(value);
    return plait__number_convert(out, dtype, &arg);
}

static void integers_to_integers(void **state)
{
    (void)state;
    const struct {
        plait_dtype dtype;
        int64_t min, max;
    } ranges[] = {{PLAIT_BOOL, 0, 1},
                  {PLAIT_I8, -128, 127},
                  {PLAIT_I16, -32768, 32767},
                  {PLAIT_I32, INT32_MIN, INT32_MAX},
                  {PLAIT_I64, INT64_MIN, INT64_MAX},
                  {PLAIT_U8, 0, 255},
                  {PLAIT_U16, 0, 65535},
                  {PLAIT_U32, 0, UINT32_MAX},
                  {PLAIT_U64, 0, INT64_MAX}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        plait_dtype dtype = ranges[i].dtype;
        assert_true(converts_int(ranges[i].min, dtype));
        assert_true(converts_int(ranges[i].max, dtype));
        if (ranges[i].min > INT64_MIN) {
            assert_false(converts_int(ranges[i].min - 1, dtype));
        }
        if (ranges[i].max < INT64_MAX) {
            assert_false(converts_int(ranges[i].max + 1, dtype));
            assert_true(converts_num((double)ranges[i].max, dtype));
            assert_false(converts_num((double)ranges[i].max + 1, dtype));
        }
        assert_false(converts_num(0.5, dtype));
        assert_false(converts_num((double)NAN, dtype));
        assert_false(converts_num((double)INFINITY, dtype));
        assert_false(converts_num(-(double)INFINITY, dtype));
        assert_false(converts_num(0x1p64, dtype));
        assert_true(converts_num(-0.0, dtype));
    }
    assert_true(converts_num(0x1p63, PLAIT_U64));
    assert_false(converts_num(0x1p63, PLAIT_I64));
    assert_true(converts_num(-0x1p63, PLAIT_I64));
    int16_t small = 0;
    plait_arg arg = plait_arg_int(-12345);
    assert_true(plait__number_convert(&small, PLAIT_I16, &arg));
    assert_int_equal(small, -12345);
    uint64_t large = 0;
    arg = plait_arg_num(0x1p63);
    assert_true(plait__number_convert(&large, PLAIT_U64, &arg));
    assert_true(large == UINT64_C(1) << 63);
}

static void numbers_to_floats(void **state)
{
    (void)state;
    assert_true(converts_int(16777216, PLAIT_F32));
    assert_false(converts_int(16777217, PLAIT_F32));
    assert_true(converts_int(INT64_MIN, PLAIT_F32));
    assert_false(converts_int(INT64_MAX, PLAIT_F32));
    assert_false(converts_int(INT64_MAX, PLAIT_F64));
    assert_true(converts_int(2048, PLAIT_F16));
    assert_false(converts_int(2049, PLAIT_F16));
    assert_false(converts_int(100000, PLAIT_F16));
    assert_true(converts_num(0.1, PLAIT_F32)); /* rounds */
    assert_false(converts_num(1e39, PLAIT_F32));
    assert_false(converts_num(1e-60, PLAIT_F32));
    assert_true(converts_num(1e-45, PLAIT_F32));
    assert_true(converts_num((double)NAN, PLAIT_F32));
    assert_true(converts_num(-(double)INFINITY, PLAIT_F16));
    assert_true(converts_num(65504.0, PLAIT_F16));
    assert_false(converts_num(65520.0, PLAIT_F16));
    assert_false(converts_num(1.0, PLAIT_C64));
    assert_false(converts_num(1.0, PLAIT_BF16));
    assert_false(converts_num(1.0, PLAIT_DTYPE_DEFAULT));
    float f = 0;
    plait_arg arg = plait_arg_num(0.1);
    assert_true(plait__number_convert(&f, PLAIT_F32, &arg));
    assert_true(f == 0.1f);
}

static void halves(void **state)
{
    (void)state;
    const struct {
        double value;
        uint16_t bits;
    } cases[] = {{0.0, 0},
                 {-0.0, 0x8000},
                 {1.0, 0x3C00},
                 {-2.0, 0xC000},
                 {65504.0, 0x7BFF},
                 {0x1p-14, 0x0400},
                 {0x1p-24, 0x0001},
                 {1023 * 0x1p-24, 0x03FF},
                 {1.0 / 3, 0x3555},
                 {2049.0, 0x6800},
                 {2051.0, 0x6802},
                 {0x1.ffbp-15, 0x03FF},
                 {0x1.ffep-15, 0x0400},
                 {1.9998, 0x4000},
                 {(double)INFINITY, 0x7C00}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint16_t bits = 1;
        plait_arg arg = plait_arg_num(cases[i].value);
        assert_true(plait__number_convert(&bits, PLAIT_F16, &arg));
        if (bits != cases[i].bits) {
            fail_msg("%a: 0x%04x, not 0x%04x", cases[i].value, bits, cases[i].bits);
        }
    }
}

static void constructors(void **state)
{
    (void)state;
    const float pair[2] = {1, 2};
    plait_arg arg = plait_arg_scalar(PLAIT_C64, pair);
    assert_int_equal(arg.kind, PLAIT_ARG_SCALAR);
    assert_int_equal(arg.bytes, 8);
    assert_memory_equal(arg.value.raw, pair, 8);
    assert_int_equal(plait_arg_scalar(PLAIT_F32, NULL).kind, PLAIT_ARG_NONE);
    assert_int_equal(plait_arg_scalar(PLAIT_DTYPE_DEFAULT, pair).kind, PLAIT_ARG_NONE);
    assert_int_equal(plait_arg_scalar((plait_dtype)99, pair).kind, PLAIT_ARG_NONE);
    plait_grid g = plait_grid_round_up(plait_grid_groups(PLAIT_GRID(10, 20), 4, 5, 1));
    assert_int_equal(g.dims, 2);
    assert_int_equal(g.global[1], 20);
    assert_int_equal(g.group[1], 5);
    assert_true(g.round_up);
    assert_int_equal(PLAIT_GRID(1, 2, 3).dims, 3);
    assert_int_equal(plait_grid_3d(1, 2, 3).global[2], 3);
    assert_int_equal(plait_grid_1d(7).global[1], 1);
    const size_t sizes[] = {1, 2, 3, 4};
    assert_int_equal(plait_grid_from(sizes, 4).dims, 4);
    assert_int_equal(plait_grid_from(NULL, 0).dims, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_to_integers),
        cmocka_unit_test(numbers_to_floats),
        cmocka_unit_test(halves),
        cmocka_unit_test(constructors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
