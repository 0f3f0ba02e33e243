/* Builders of reductions: shapes and dtypes of results, masks, and every refusal. */
#include "testing.h"

#include <plait/create.h>
#include <plait/ops.h>
#include <plait/reduce.h>

#include "fake_engine.h"

static plait_ctx *ctx;

static plait_array *array(plait_dtype dtype, plait_dims shape)
{
    plait_array *a = plait_zeros(ctx, shape, dtype);
    assert_non_null(a);
    return a;
}

#define CUBE(dtype) array(PLAIT_##dtype, PLAIT_SHAPE(2, 3, 4))

static void is(plait_array *a, plait_dtype dtype, plait_dims shape)
{
    if (a == NULL) {
        fail_msg("%s", plait_last_error());
        return;
    }
    assert_string_equal(plait_dtype_name((plait_dtype)a->dtype), plait_dtype_name(dtype));
    assert_int_equal(a->shape.n, shape.n);
    assert_memory_equal(a->shape.d, shape.d, (size_t)shape.n * sizeof shape.d[0]);
}

static plait_array *over(plait_dims axes, bool keepdims)
{
    plait_reduce_opts o = PLAIT_REDUCE_OPTS;
    o.axes = axes;
    o.keepdims = keepdims;
    return plait_sum_opt(CUBE(F32), PLAIT_NONE, &o);
}

static void shapes(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    is(plait_sum(CUBE(F32)), PLAIT_F32, PLAIT_SCALAR_SHAPE);
    is(plait_sum_axis(CUBE(F32), 0), PLAIT_F32, PLAIT_SHAPE(3, 4));
    is(plait_sum_axis(CUBE(F32), -1), PLAIT_F32, PLAIT_SHAPE(2, 3));
    is(over(PLAIT_SCALAR_SHAPE, true), PLAIT_F32, PLAIT_SHAPE(1, 1, 1));
    is(over(PLAIT_AXES(0, -1), false), PLAIT_F32, PLAIT_SHAPE(3));
    is(over(PLAIT_AXES(2, 0), true), PLAIT_F32, PLAIT_SHAPE(1, 3, 1));
    is(over(PLAIT_NO_AXES, false), PLAIT_F32, PLAIT_SHAPE(2, 3, 4));
    is(plait_sum_opt(CUBE(F32), PLAIT_NONE, NULL), PLAIT_F32, PLAIT_SCALAR_SHAPE);
    plait_array *a = over(PLAIT_AXES(2, 0), true);
    assert_int_equal(a->kind, PLAIT__NODE_REDUCE);
    assert_int_equal(a->axis_mask, 5);
    assert_int_equal(a->n_in, 1);
    assert_ptr_equal(a->reduction, &plait__reductions[PLAIT__REDUCTION_sum]);
    is(plait_max(array(PLAIT_F32, PLAIT_SCALAR_SHAPE)), PLAIT_F32, PLAIT_SCALAR_SHAPE);
}

static void dtypes(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    static const struct {
        plait_dtype in, sum, mean, min;
    } rows[] = {
        {PLAIT_BOOL, PLAIT_I64, PLAIT_F32, PLAIT_BOOL},         {PLAIT_U8, PLAIT_I64, PLAIT_F32, PLAIT_U8},
        {PLAIT_I32, PLAIT_I64, PLAIT_F32, PLAIT_I32},           {PLAIT_I64, PLAIT_I64, PLAIT_F32, PLAIT_I64},
        {PLAIT_F32, PLAIT_F32, PLAIT_F32, PLAIT_F32},           {PLAIT_F64, PLAIT_F64, PLAIT_F64, PLAIT_F64},
        {PLAIT_C64, PLAIT_C64, PLAIT_C64, PLAIT_DTYPE_DEFAULT},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].in == PLAIT_F64 && !plait_ctx_device(ctx)->fp64) {
            continue;
        }
        plait_array *a = array(rows[i].in, PLAIT_SHAPE(5)), *scalar = array(rows[i].in, PLAIT_SCALAR_SHAPE);
        is(plait_sum(a), rows[i].sum, PLAIT_SCALAR_SHAPE);
        is(plait_mean(a), rows[i].mean, PLAIT_SCALAR_SHAPE);
        is(plait_sum(scalar), rows[i].sum, PLAIT_SCALAR_SHAPE);
        is(plait_mean(scalar), rows[i].mean, PLAIT_SCALAR_SHAPE);
        if (rows[i].min != PLAIT_DTYPE_DEFAULT) {
            is(plait_min(a), rows[i].min, PLAIT_SCALAR_SHAPE);
            is(plait_max(scalar), rows[i].min, PLAIT_SCALAR_SHAPE);
        } else {
            assert_fails_null(plait_min(a), PLAIT_E_DTYPE, "plait_min: it is not defined for c64");
        }
    }
    plait_reduce_opts o = PLAIT_REDUCE_OPTS;
    o.dtype = PLAIT_F32;
    plait_array *a = plait_sum_opt(CUBE(I32), PLAIT_NONE, &o);
    is(a, PLAIT_F32, PLAIT_SCALAR_SHAPE);
    assert_int_equal(a->in[0]->kind, PLAIT__NODE_CAST); /* converted first */
    o.dtype = PLAIT_I32;
    is(plait_sum_opt(CUBE(I32), PLAIT_NONE, &o), PLAIT_I32, PLAIT_SCALAR_SHAPE);
    is(plait_mean_opt(CUBE(I32), PLAIT_NONE, &o), PLAIT_I32, PLAIT_SCALAR_SHAPE);
    o.dtype = PLAIT_C64;
    assert_fails_null(plait_max_opt(CUBE(F32), PLAIT_NONE, &o), PLAIT_E_DTYPE, "plait_max");
    o.dtype = PLAIT_U16;
    assert_fails_null(plait_sum_opt(CUBE(F32), PLAIT_NONE, &o), PLAIT_E_DTYPE, "u16");
}

static void masks(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    plait_array *a = CUBE(F32), *mask = plait_less(array(PLAIT_F32, PLAIT_SHAPE(3, 1)), plait_num(1));
    plait_array *sum = plait_sum_opt(a, mask, NULL);
    is(sum, PLAIT_F32, PLAIT_SCALAR_SHAPE);
    assert_int_equal(sum->n_in, 2);
    is(sum->in[1], PLAIT_BOOL, PLAIT_SHAPE(2, 3, 4));

    /* The mean is taken over what the mask lets through. */
    plait_reduce_opts o = PLAIT_REDUCE_OPTS;
    o.axes = PLAIT_AXES(1);
    plait_array *mean = plait_mean_opt(a, mask, &o);
    is(mean, PLAIT_F32, PLAIT_SHAPE(2, 4));
    assert_ptr_equal(mean->op, &plait__ops[PLAIT__OP_divide]);
    is(mean->in[0], PLAIT_F32, PLAIT_SHAPE(2, 4));
    is(mean->in[1], PLAIT_I64, PLAIT_SHAPE(2, 4));
    is(plait_mean_opt(CUBE(I32), mask, NULL), PLAIT_F32, PLAIT_SCALAR_SHAPE);
    is(plait_mean_opt(CUBE(C64), mask, NULL), PLAIT_C64, PLAIT_SCALAR_SHAPE);

    /* With no axis to reduce, the mask still says what each element is. */
    o.axes = PLAIT_NO_AXES;
    plait_array *selected = plait_max_opt(a, mask, &o);
    is(selected, PLAIT_F32, PLAIT_SHAPE(2, 3, 4));
    assert_int_equal(selected->axis_mask, 8);
    is(plait_sum_opt(array(PLAIT_U8, PLAIT_SCALAR_SHAPE), array(PLAIT_BOOL, PLAIT_SCALAR_SHAPE), NULL), PLAIT_I64,
       PLAIT_SCALAR_SHAPE);

    assert_fails_null(plait_sum_opt(a, NULL, NULL), PLAIT_E_NULL, "plait_sum_opt: mask");
    assert_fails_null(plait_sum_opt(a, a, NULL), PLAIT_E_DTYPE, "mask is f32; it must be bool");
    assert_fails_null(plait_sum_opt(a, array(PLAIT_BOOL, PLAIT_SHAPE(2, 3)), NULL), PLAIT_E_SHAPE,
                      "(2, 3) does not broadcast to the array's, (2, 3, 4)");
    assert_fails_null(plait_sum_opt(a, array(PLAIT_BOOL, PLAIT_SHAPE(1, 2, 3, 4)), NULL), PLAIT_E_SHAPE, "mask");
    assert_fails_null(plait_sum_opt(a, plait_num(1), NULL), PLAIT_E_ARGUMENT, "mask is a number");
}

static void empty(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    plait_array *a = array(PLAIT_F32, PLAIT_SHAPE(0, 4));
    is(plait_sum_axis(a, 0), PLAIT_F32, PLAIT_SHAPE(4));
    assert_int_equal(plait_sum_axis(a, 0)->kind, PLAIT__NODE_REDUCE);
    is(plait_sum_axis(a, 1), PLAIT_F32, PLAIT_SHAPE(0));
    is(plait_mean(a), PLAIT_F32, PLAIT_SCALAR_SHAPE);
    is(plait_max_axis(a, 1), PLAIT_F32, PLAIT_SHAPE(0)); /* of each of no rows */
    assert_fails_null(plait_max(a), PLAIT_E_SHAPE, "plait_max: there is nothing to take it of: the shape is (0, 4)");
    assert_fails_null(plait_min_axis(a, 0), PLAIT_E_SHAPE, "plait_min_axis");
    assert_fails_null(plait_min(array(PLAIT_I32, PLAIT_SHAPE(3, 0, 2))), PLAIT_E_SHAPE, "(3, 0, 2)");
}

static void errors(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    plait_array *a = CUBE(F32);
    assert_fails_null(plait_sum(NULL), PLAIT_E_NULL, "plait_sum: a is NULL");
    assert_fails_null(plait_sum(plait_none()), PLAIT_E_ARGUMENT, "PLAIT_NONE");
    assert_fails_null(plait_sum(plait_num(1)), PLAIT_E_ARGUMENT, "a is a number");
    assert_fails_null(plait_mean_axis(a, 3), PLAIT_E_AXIS, "plait_mean_axis: axis 3");
    assert_fails_null(plait_mean_axis(a, -4), PLAIT_E_AXIS, "axis -4");
    assert_fails_null(over(PLAIT_AXES(1, 1), false), PLAIT_E_AXIS, "plait_sum_opt: axis 1 is named twice");
    assert_fails_null(over(PLAIT_AXES(1, -2), false), PLAIT_E_AXIS, "twice");
    assert_fails_null(plait_sum_axis(array(PLAIT_F32, PLAIT_SCALAR_SHAPE), 0), PLAIT_E_AXIS, "0 dimensions");
    plait_reduce_opts o = {0};
    assert_fails_null(plait_sum_opt(a, PLAIT_NONE, &o), PLAIT_E_ARGUMENT, "plait_sum_opt");
    plait_reduce_opts_init(&o);
    assert_int_equal(o.size, sizeof o);
    o.axes.n = 9;
    assert_fails_null(plait_sum_opt(a, PLAIT_NONE, &o), PLAIT_E_AXIS, "9 axes");
    o.axes.n = -2;
    assert_fails_null(plait_sum_opt(a, PLAIT_NONE, &o), PLAIT_E_AXIS, "axes");
    plait_ctx *other = fake_open(NULL);
    {
        PLAIT_SCOPE;
        plait_array *mask = plait_ones(other, PLAIT_SHAPE(4), PLAIT_BOOL);
        assert_fails_null(plait_sum_opt(a, mask, NULL), PLAIT_E_CONTEXT, "plait_sum_opt");
    }
    assert_ok(plait_close(other));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes), cmocka_unit_test(dtypes), cmocka_unit_test(masks),
        cmocka_unit_test(empty),  cmocka_unit_test(errors),
    };
    ctx = fake_open(NULL);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    assert_ok(plait_close(ctx));
    return failed;
}
