#include "testing.h"

#include "dtypes.h"

static void sizes_and_names(void **state)
{
    (void)state;
    static const struct {
        plait_dtype dtype;
        size_t size;
        const char *name;
        const char *numpy;
        const char *opencl;
        plait__kind kind;
        char npy;
    } rows[] = {
        {PLAIT_BOOL, 1, "bool", "bool", "uchar", PLAIT__KIND_BOOL, 'b'},
        {PLAIT_I8, 1, "i8", "int8", "char", PLAIT__KIND_INT, 'i'},
        {PLAIT_I16, 2, "i16", "int16", "short", PLAIT__KIND_INT, 'i'},
        {PLAIT_I32, 4, "i32", "int32", "int", PLAIT__KIND_INT, 'i'},
        {PLAIT_I64, 8, "i64", "int64", "long", PLAIT__KIND_INT, 'i'},
        {PLAIT_U8, 1, "u8", "uint8", "uchar", PLAIT__KIND_UINT, 'u'},
        {PLAIT_U16, 2, "u16", "uint16", "ushort", PLAIT__KIND_UINT, 'u'},
        {PLAIT_U32, 4, "u32", "uint32", "uint", PLAIT__KIND_UINT, 'u'},
        {PLAIT_U64, 8, "u64", "uint64", "ulong", PLAIT__KIND_UINT, 'u'},
        {PLAIT_F16, 2, "f16", "float16", "half", PLAIT__KIND_FLOAT, 'f'},
        {PLAIT_BF16, 2, "bf16", "bfloat16", "ushort", PLAIT__KIND_FLOAT, 0},
        {PLAIT_F32, 4, "f32", "float32", "float", PLAIT__KIND_FLOAT, 'f'},
        {PLAIT_F64, 8, "f64", "float64", "double", PLAIT__KIND_FLOAT, 'f'},
        {PLAIT_C64, 8, "c64", "complex64", "float2", PLAIT__KIND_COMPLEX, 'c'},
        {PLAIT_C128, 16, "c128", "complex128", "double2", PLAIT__KIND_COMPLEX, 'c'},
    };
    assert_int_equal(sizeof rows / sizeof rows[0], PLAIT_DTYPE_COUNT_ - 1);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(rows[i].dtype, i + 1);
        const plait__dtype_row *row = plait__dtype_info(rows[i].dtype);
        assert_int_equal(row->dtype, rows[i].dtype);
        assert_int_equal(plait_dtype_size(rows[i].dtype), rows[i].size);
        assert_int_equal(row->size, rows[i].size);
        assert_string_equal(plait_dtype_name(rows[i].dtype), rows[i].name);
        assert_string_equal(row->numpy, rows[i].numpy);
        assert_string_equal(row->opencl, rows[i].opencl);
        assert_int_equal(row->kind, rows[i].kind);
        assert_int_equal(row->npy, rows[i].npy);
        plait_dtype parsed;
        assert_ok(plait_dtype_parse(&parsed, rows[i].name));
        assert_int_equal(parsed, rows[i].dtype);
        assert_ok(plait_dtype_parse(&parsed, rows[i].numpy));
        assert_int_equal(parsed, rows[i].dtype);
    }
}

static void what_is_no_dtype(void **state)
{
    (void)state;
    const int values[] = {-1, 0, PLAIT_DTYPE_COUNT_, 1000};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(plait_dtype_size((plait_dtype)values[i]), 0);
        assert_string_equal(plait_dtype_name((plait_dtype)values[i]), "?");
        assert_null(plait__dtype_info((plait_dtype)values[i]));
    }
    plait_dtype out = PLAIT_F32;
    assert_fails(plait_dtype_parse(&out, "float31"), PLAIT_E_DTYPE,
                 "\"float31\" is no dtype; accepted are bool i8 i16");
    assert_int_equal(out, PLAIT_DTYPE_DEFAULT);
    assert_fails(plait_dtype_parse(&out, ""), PLAIT_E_DTYPE, "c128 and NumPy's names");
    assert_fails(plait_dtype_parse(&out, NULL), PLAIT_E_NULL, "plait_dtype_parse: name is NULL");
    assert_fails(plait_dtype_parse(NULL, "f32"), PLAIT_E_NULL, "out is NULL");
    plait_clear_error();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_and_names),
        cmocka_unit_test(what_is_no_dtype),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
