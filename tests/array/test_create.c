/* Numbers, constants, ranges and conversions, as nodes. */
#include "testing.h"

#include <plait/create.h>
#include <plait/ops.h>

#include <math.h>

#include "fake_engine.h"

static plait_ctx *ctx;

static plait_array *constant(plait_array *a, plait_dtype dtype)
{
    if (a == NULL) {
        fail_msg("%s", plait_last_error());
    }
    assert_int_equal(a->kind, PLAIT__NODE_CONSTANT);
    assert_string_equal(plait_dtype_name((plait_dtype)a->dtype), plait_dtype_name(dtype));
    return a;
}

#define TWO PLAIT_SHAPE(2)

static void zeros_and_ones(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    assert_true(constant(plait_zeros(ctx, TWO, PLAIT_DTYPE_DEFAULT), PLAIT_F32)->value.f == 0);
    assert_true(constant(plait_ones(ctx, TWO, PLAIT_DTYPE_DEFAULT), PLAIT_F32)->value.f == 1);
    assert_int_equal(constant(plait_ones(ctx, TWO, PLAIT_BOOL), PLAIT_BOOL)->value.i, 1);
    assert_int_equal(constant(plait_ones(ctx, TWO, PLAIT_I64), PLAIT_I64)->value.i, 1);
    plait_array *one = constant(plait_ones(ctx, PLAIT_SCALAR_SHAPE, PLAIT_C64), PLAIT_C64);
    assert_true(one->value.c[0] == 1 && one->value.c[1] == 0);
    assert_false(plait_array_is_evaluated(one));
    assert_true(plait_array_is_evaluated(plait_zeros(ctx, PLAIT_SHAPE(0), PLAIT_F32)));

    assert_fails_null(plait_zeros(NULL, TWO, PLAIT_F32), PLAIT_E_NULL, "plait_zeros");
    assert_fails_null(plait_zeros(ctx, TWO, PLAIT_F16), PLAIT_E_DTYPE, "f16");
    assert_fails_null(plait_ones(ctx, TWO, (plait_dtype)77), PLAIT_E_DTYPE, "bool, u8, i32, i64, f32, f64 and c64");
    assert_fails_null(plait_ones(ctx, PLAIT_SHAPE(2, -3), PLAIT_F32), PLAIT_E_SHAPE, "plait_ones: the shape (2, -3)");
    assert_fails_null(plait_zeros(ctx, PLAIT_SHAPE(1, 1, 1, 1, 1, 1, 1, 1, 1), PLAIT_F32), PLAIT_E_SHAPE, "at most 8");
    assert_fails_null(plait_zeros(ctx, PLAIT_SHAPE(INT64_C(1) << 61), PLAIT_F32), PLAIT_E_SHAPE, "64 bits");
    assert_non_null(plait_zeros(ctx, PLAIT_SHAPE(INT64_C(1) << 61), PLAIT_U8)); /* nothing is allocated */
    assert_fails_null(plait_zeros(ctx, plait_array_shape(NULL), PLAIT_F32), PLAIT_E_NULL, "plait_zeros");
}

static void full(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    assert_true(constant(plait_full(ctx, TWO, plait_num(2.5), PLAIT_DTYPE_DEFAULT), PLAIT_F32)->value.f == 2.5);
    assert_int_equal(constant(plait_full(ctx, TWO, plait_int(7), PLAIT_DTYPE_DEFAULT), PLAIT_I64)->value.i, 7);
    assert_true(constant(plait_full(ctx, TWO, plait_complex(1, 2), PLAIT_DTYPE_DEFAULT), PLAIT_C64)->value.c[1] == 2);
    constant(plait_full(ctx, TWO, plait_less(plait_int(1), plait_int(2)), PLAIT_DTYPE_DEFAULT), PLAIT_BOOL);
    assert_true(constant(plait_full(ctx, TWO, plait_int(7), PLAIT_F32), PLAIT_F32)->value.f == 7);
    assert_true(constant(plait_full(ctx, TWO, plait_int(7), PLAIT_C64), PLAIT_C64)->value.c[0] == 7);
    assert_int_equal(constant(plait_full(ctx, TWO, plait_num(NAN), PLAIT_BOOL), PLAIT_BOOL)->value.i, 1);
    assert_int_equal(constant(plait_full(ctx, TWO, plait_complex(0, 1), PLAIT_BOOL), PLAIT_BOOL)->value.i, 1);

    static const struct {
        double from;
        plait_dtype dtype;
        int64_t to;
    } saturated[] = {
        {NAN, PLAIT_I32, 0},
        {INFINITY, PLAIT_I32, INT32_MAX},
        {-INFINITY, PLAIT_I32, INT32_MIN},
        {3e9, PLAIT_I32, INT32_MAX},
        {-1.5, PLAIT_I32, -1},
        {1.9, PLAIT_I32, 1},
        {-128, PLAIT_U8, 0},
        {255.9, PLAIT_U8, 255},
        {1e20, PLAIT_I64, INT64_MAX},
        {-1e20, PLAIT_I64, INT64_MIN},
        {0x1p62, PLAIT_I64, INT64_C(1) << 62},
    };
    for (size_t i = 0; i < sizeof saturated / sizeof saturated[0]; i++) {
        plait_array *a = plait_full(ctx, TWO, plait_num(saturated[i].from), saturated[i].dtype);
        assert_true(constant(a, saturated[i].dtype)->value.i == saturated[i].to);
    }

    plait_array *scalar = plait_sqrt(plait_ones(ctx, PLAIT_SCALAR_SHAPE, PLAIT_F32));
    plait_array *spread = plait_full(ctx, PLAIT_SHAPE(2, 3), scalar, PLAIT_DTYPE_DEFAULT);
    assert_int_equal(spread->kind, PLAIT__NODE_AFFINE);
    assert_int_equal(plait_array_count(spread), 6);
    assert_int_equal(plait_array_dtype(plait_full(ctx, TWO, scalar, PLAIT_I32)), PLAIT_I32);

    assert_fails_null(plait_full(ctx, TWO, NULL, PLAIT_F32), PLAIT_E_NULL, "plait_full: value");
    assert_fails_null(plait_full(NULL, TWO, plait_num(1), PLAIT_F32), PLAIT_E_NULL, "plait_full: ctx");
    assert_fails_null(plait_full(ctx, TWO, plait_int(300), PLAIT_U8), PLAIT_E_RANGE, "300");
    assert_fails_null(plait_full(ctx, TWO, plait_complex(1, 1), PLAIT_F32), PLAIT_E_DTYPE, "complex");
    assert_fails_null(plait_full(ctx, TWO, spread, PLAIT_F32), PLAIT_E_SHAPE, "(2, 3)");
    assert_fails_null(plait_full(ctx, PLAIT_SHAPE(-1), plait_num(1), PLAIT_F32), PLAIT_E_SHAPE, "(-1,)");
    assert_fails_null(plait_full(ctx, PLAIT_SHAPE(-1), scalar, PLAIT_F32), PLAIT_E_SHAPE, "(-1,)");
    assert_fails_null(plait_full(ctx, TWO, plait_none(), PLAIT_F32), PLAIT_E_ARGUMENT, "PLAIT_NONE");
}

static void range_is(plait_array *a, plait_dtype dtype, size_t count)
{
    if (a == NULL) {
        fail_msg("%s", plait_last_error());
    }
    assert_string_equal(plait_dtype_name((plait_dtype)a->dtype), plait_dtype_name(dtype));
    assert_int_equal(plait_array_shape(a).n, 1);
    assert_int_equal(plait_array_count(a), count);
    assert_int_equal(a->kind, count > 0 ? PLAIT__NODE_IOTA : PLAIT__NODE_STORED);
}

static void ranges(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    range_is(plait_arange(ctx, 0, 5, 1, PLAIT_DTYPE_DEFAULT), PLAIT_F32, 5);
    range_is(plait_arange(ctx, 0, 1, 0.1, PLAIT_F32), PLAIT_F32, 10);
    range_is(plait_arange(ctx, 5, 0, -2, PLAIT_I32), PLAIT_I32, 3);
    range_is(plait_arange(ctx, 5, 0, 1, PLAIT_I32), PLAIT_I32, 0);
    range_is(plait_arange(ctx, 3, 3, 1, PLAIT_F32), PLAIT_F32, 0);
    range_is(plait_arange(ctx, 0, 256, 1, PLAIT_U8), PLAIT_U8, 256);
    range_is(plait_arange(ctx, 200, -1, -100, PLAIT_U8), PLAIT_U8, 3);
    range_is(plait_arange(ctx, 0, 2.5, 1, PLAIT_I64), PLAIT_I64, 3);
    range_is(plait_arange(ctx, 0, 2, 1, PLAIT_C64), PLAIT_C64, 2);
    plait_array *down = plait_arange(ctx, 5, 0, -2, PLAIT_I32);
    assert_int_equal(down->number[0].i, 5);
    assert_int_equal(down->number[1].i, -2);
    plait_array *fine = plait_arange(ctx, 0, 1, 0.25, PLAIT_F32);
    assert_true(fine->number[1].f == 0.25);

    assert_fails_null(plait_arange(ctx, 0, 5, 0, PLAIT_F32), PLAIT_E_ARGUMENT, "step");
    assert_fails_null(plait_arange(ctx, 0, INFINITY, 1, PLAIT_F32), PLAIT_E_ARGUMENT, "finite");
    assert_fails_null(plait_arange(ctx, NAN, 5, 1, PLAIT_F32), PLAIT_E_ARGUMENT, "finite");
    assert_fails_null(plait_arange(ctx, 0, 5, 0.5, PLAIT_I32), PLAIT_E_ARGUMENT, "step must be a whole number for i32");
    assert_fails_null(plait_arange(ctx, 0.5, 5, 1, PLAIT_I32), PLAIT_E_ARGUMENT, "start");
    assert_fails_null(plait_arange(ctx, 0, 257, 1, PLAIT_U8), PLAIT_E_RANGE, "u8");
    assert_fails_null(plait_arange(ctx, -1, 3, 1, PLAIT_U8), PLAIT_E_RANGE, "u8");
    assert_fails_null(plait_arange(ctx, 0, 1e10, 1e9, PLAIT_I32), PLAIT_E_RANGE, "i32");
    assert_fails_null(plait_arange(ctx, 0, 2, 1, PLAIT_BOOL), PLAIT_E_DTYPE, "bool");
    assert_fails_null(plait_arange(ctx, 0, 1e30, 1, PLAIT_F32), PLAIT_E_SHAPE, "64 bits");
    assert_fails_null(plait_arange(ctx, 0, 1e300, 1e-300, PLAIT_F32), PLAIT_E_SHAPE, "64 bits");
    assert_fails_null(plait_arange(NULL, 0, 1, 1, PLAIT_F32), PLAIT_E_NULL, "plait_arange");
}

static void conversion(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    plait_array *a = plait_sqrt(plait_ones(ctx, TWO, PLAIT_F32));
    assert_ptr_equal(plait_astype(a, PLAIT_F32), a);
    plait_array *b = plait_astype(a, PLAIT_I32);
    assert_int_equal(b->kind, PLAIT__NODE_CAST);
    assert_int_equal(b->dtype, PLAIT_I32);
    plait_array *c = plait_astype(a, PLAIT_C64);
    assert_non_null(plait_astype(c, PLAIT_BOOL));
    assert_fails_null(plait_astype(c, PLAIT_F32), PLAIT_E_DTYPE, "plait_real");
    assert_fails_null(plait_astype(c, PLAIT_I64), PLAIT_E_DTYPE, "c64 does not become i64");
    assert_fails_null(plait_astype(a, PLAIT_I16), PLAIT_E_DTYPE, "i16");
    assert_fails_null(plait_astype(a, PLAIT_DTYPE_DEFAULT), PLAIT_E_DTYPE, "plait_astype");
    assert_fails_null(plait_astype(plait_num(1), PLAIT_F32), PLAIT_E_ARGUMENT, "plait_full");
    assert_fails_null(plait_astype(NULL, PLAIT_F32), PLAIT_E_NULL, "plait_astype");
    plait_array *empty = plait_astype(plait_zeros(ctx, PLAIT_SHAPE(0, 3), PLAIT_F32), PLAIT_U8);
    assert_true(plait_array_is_evaluated(empty));
}

static void default_real(void **state)
{
    (void)state;
    if (!plait_ctx_device(ctx)->fp64) {
        skip();
    }
    plait_ctx_opts o = PLAIT_CTX_OPTS;
    o.real = PLAIT_F64;
    plait_ctx *wide = fake_open(&o);
    {
        PLAIT_SCOPE;
        assert_int_equal(plait_array_dtype(plait_arange(wide, 0, 3, 1, PLAIT_DTYPE_DEFAULT)), PLAIT_F64);
        plait_array *a = plait_full(wide, TWO, plait_int(3), PLAIT_DTYPE_DEFAULT);
        assert_int_equal(plait_array_dtype(plait_divide(a, a)), PLAIT_F64);
        assert_int_equal(plait_array_dtype(plait_multiply(a, plait_num(1))), PLAIT_F64);
        assert_int_equal(plait_array_dtype(plait_full(wide, TWO, plait_num(3), PLAIT_DTYPE_DEFAULT)), PLAIT_F64);
        assert_int_equal(plait_array_dtype(plait_zeros(wide, TWO, PLAIT_DTYPE_DEFAULT)), PLAIT_F32);
    }
    assert_ok(plait_close(wide));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zeros_and_ones), cmocka_unit_test(full),         cmocka_unit_test(ranges),
        cmocka_unit_test(conversion),     cmocka_unit_test(default_real),
    };
    ctx = fake_open(NULL);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    assert_ok(plait_close(ctx));
    return failed;
}
