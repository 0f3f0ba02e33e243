/* The dtypes of results: the whole matrix, numbers, and what is refused. */
#include "testing.h"

#include <plait/create.h>

#include "promote.h"

static const plait_dtype all[] = {PLAIT_BOOL, PLAIT_U8, PLAIT_I32, PLAIT_I64, PLAIT_F32, PLAIT_F64, PLAIT_C64};
enum { N = sizeof all / sizeof all[0] };

/* NumPy 2.4's np.promote_types where kinds are equal, PyTorch's torch.promote_types where they are not. */
static const char *const expected[N] = {
    "bool u8 i32 i64 f32 f64 c64", "u8 u8 i32 i64 f32 f64 c64",   "i32 i32 i32 i64 f32 f64 c64",
    "i64 i64 i64 i64 f32 f64 c64", "f32 f32 f32 f32 f32 f64 c64", "f64 f64 f64 f64 f64 f64 ?",
    "c64 c64 c64 c64 c64 ? c64",
};

static void matrix(void **state)
{
    (void)state;
    for (size_t i = 0; i < N; i++) {
        char row[100] = "";
        for (size_t j = 0; j < N; j++) {
            plait_dtype dtype = plait__promote(all[i], all[j]);
            strcat(row, j > 0 ? " " : "");
            strcat(row, plait_dtype_name(dtype));
            assert_int_equal(dtype, plait__promote(all[j], all[i]));
        }
        assert_string_equal(row, expected[i]);
        assert_int_equal(plait__promote(all[i], all[i]), all[i]);
    }
}

/* The order in which three operands are combined does not matter, as far as each combination exists. */
static void associative(void **state)
{
    (void)state;
    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < N; j++) {
            for (size_t k = 0; k < N; k++) {
                plait_dtype left = plait__promote(plait__promote(all[i], all[j]), all[k]);
                plait_dtype right = plait__promote(all[i], plait__promote(all[j], all[k]));
                assert_int_equal(left, right);
            }
        }
    }
}

static void not_of_arrays(void **state)
{
    (void)state;
    static const plait_dtype others[] = {PLAIT_DTYPE_DEFAULT, PLAIT_I8,  PLAIT_I16,  PLAIT_U16,  PLAIT_U32,
                                         PLAIT_U64,           PLAIT_F16, PLAIT_BF16, PLAIT_C128, (plait_dtype)99};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        assert_false(plait__dtype_of_arrays(others[i]));
        assert_int_equal(plait__promote(others[i], PLAIT_F32), PLAIT_DTYPE_DEFAULT);
    }
    assert_int_equal(plait__dtype_class((plait_dtype)99), PLAIT__CLASS_COUNT);
    assert_int_equal(plait__dtype_class(PLAIT_BF16), PLAIT__CLASS_FLOAT);
    assert_int_equal(plait__dtype_class(PLAIT_U16), PLAIT__CLASS_UINT);
}

/* Stand-ins: what promotion looks at. */
static plait_array strong(plait_dtype dtype)
{
    return (plait_array){.dtype = (uint8_t)dtype, .kind = PLAIT__NODE_STORED};
}

static plait_array weak(plait_dtype dtype, int64_t value)
{
    return (plait_array){.dtype = (uint8_t)dtype, .kind = PLAIT__NODE_NUMBER, .weak = true, .value = {.i = value}};
}

static plait_status common(plait_dtype *out, plait_array a, plait_array b)
{
    return plait__common_dtype(out, (plait_array *const[]){&a, &b}, 2, PLAIT_F32, "plait_add");
}

static void numbers(void **state)
{
    (void)state;
    /* Each column: a number of the kind beside an array of the dtype. */
    static const struct {
        plait_dtype number;
        const char *with[N];
    } rows[] = {
        {PLAIT_BOOL, {"bool", "u8", "i32", "i64", "f32", "f64", "c64"}},
        {PLAIT_I64, {"i64", "u8", "i32", "i64", "f32", "f64", "c64"}},
        {PLAIT_F64, {"f32", "f32", "f32", "f32", "f32", "f64", "c64"}},
        {PLAIT_C64, {"c64", "c64", "c64", "c64", "c64", NULL, "c64"}},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        for (size_t i = 0; i < N; i++) {
            plait_dtype dtype = PLAIT_DTYPE_DEFAULT;
            if (rows[r].with[i] == NULL) {
                assert_fails(common(&dtype, weak(rows[r].number, 1), strong(all[i])), PLAIT_E_DTYPE, "c128");
                continue;
            }
            assert_ok(common(&dtype, weak(rows[r].number, 1), strong(all[i])));
            assert_string_equal(plait_dtype_name(dtype), rows[r].with[i]);
            assert_ok(common(&dtype, strong(all[i]), weak(rows[r].number, 1)));
            assert_string_equal(plait_dtype_name(dtype), rows[r].with[i]);
        }
    }
    plait_dtype dtype;
    assert_fails(common(&dtype, strong(PLAIT_F64), strong(PLAIT_C64)), PLAIT_E_DTYPE, "c128");
}

static void default_real(void **state)
{
    (void)state;
    plait_array a = strong(PLAIT_I32), half = weak(PLAIT_F64, 0);
    plait_dtype dtype;
    assert_ok(plait__common_dtype(&dtype, (plait_array *const[]){&a, &half}, 2, PLAIT_F64, "plait_add"));
    assert_int_equal(dtype, PLAIT_F64);
    assert_ok(plait__common_dtype(&dtype, (plait_array *const[]){&half}, 1, PLAIT_F64, "plait_where"));
    assert_int_equal(dtype, PLAIT_F64);
    assert_int_equal(plait__promote_real(PLAIT_U8, PLAIT_F64), PLAIT_F64);
    assert_int_equal(plait__promote_real(PLAIT_F32, PLAIT_F64), PLAIT_F32);
    assert_int_equal(plait__promote_real(PLAIT_C64, PLAIT_F64), PLAIT_C64);
    assert_int_equal(plait__real_part(PLAIT_C64), PLAIT_F32);
    assert_int_equal(plait__real_part(PLAIT_I64), PLAIT_I64);
}

static void ranges(void **state)
{
    (void)state;
    plait_dtype dtype;
    assert_fails(common(&dtype, strong(PLAIT_U8), weak(PLAIT_I64, 256)), PLAIT_E_RANGE,
                 "plait_add: the number 256 does not fit the other operand's dtype u8");
    assert_fails(common(&dtype, strong(PLAIT_U8), weak(PLAIT_I64, -1)), PLAIT_E_RANGE, "-1");
    assert_fails(common(&dtype, strong(PLAIT_I32), weak(PLAIT_I64, INT64_C(2147483648))), PLAIT_E_RANGE, "i32");
    assert_ok(common(&dtype, strong(PLAIT_I32), weak(PLAIT_I64, INT32_MIN)));
    assert_ok(common(&dtype, strong(PLAIT_U8), weak(PLAIT_I64, 255)));
    assert_ok(common(&dtype, strong(PLAIT_F32), weak(PLAIT_I64, INT64_MAX)));
    assert_ok(common(&dtype, strong(PLAIT_BOOL), weak(PLAIT_I64, 7)));

    /* Beside a float number the result is a float, so the integer need not fit u8, wherever it stands. */
    plait_array a = strong(PLAIT_U8), big = weak(PLAIT_I64, 1000), half = weak(PLAIT_F64, 0);
    plait_array *orders[3][3] = {{&a, &big, &half}, {&big, &a, &half}, {&half, &a, &big}};
    for (size_t i = 0; i < 3; i++) {
        assert_ok(plait__common_dtype(&dtype, orders[i], 3, PLAIT_F32, "plait_map"));
        assert_int_equal(dtype, PLAIT_F32);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrix),  cmocka_unit_test(associative),  cmocka_unit_test(not_of_arrays),
        cmocka_unit_test(numbers), cmocka_unit_test(default_real), cmocka_unit_test(ranges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
