/* Builders of elementwise operations: shapes and dtypes of results, and every refusal. */
#include "testing.h"

#include <plait/create.h>
#include <plait/ops.h>

#include "build.h"
#include "family.h"
#include "fake_engine.h"

static plait_ctx *ctx;

static plait_array *array(plait_dtype dtype, plait_dims shape)
{
    plait_array *a = plait__build_stored(ctx, dtype, &shape, plait__storage_create(NULL));
    assert_non_null(a);
    return a;
}

#define OF(dtype) array(PLAIT_##dtype, PLAIT_SHAPE(3))

static void is(plait_array *a, plait_dtype in, plait_dtype out)
{
    if (a == NULL) {
        fail_msg("%s", plait_last_error());
        return;
    }
    assert_int_equal(a->kind, PLAIT__NODE_ELEMENTWISE);
    assert_string_equal(plait_dtype_name((plait_dtype)a->in_dtype), plait_dtype_name(in));
    assert_string_equal(plait_dtype_name((plait_dtype)a->dtype), plait_dtype_name(out));
}

static void dtypes(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    is(plait_add(OF(U8), OF(I32)), PLAIT_I32, PLAIT_I32);
    is(plait_add(OF(I64), OF(F32)), PLAIT_F32, PLAIT_F32);
    is(plait_add(OF(BOOL), OF(BOOL)), PLAIT_BOOL, PLAIT_BOOL);
    is(plait_multiply(OF(I32), plait_num(0.5)), PLAIT_F32, PLAIT_F32);
    is(plait_multiply(OF(F32), plait_complex(0, 1)), PLAIT_C64, PLAIT_C64);
    is(plait_divide(OF(I32), OF(I32)), PLAIT_F32, PLAIT_F32);
    is(plait_divide(OF(F64), OF(I32)), PLAIT_F64, PLAIT_F64);
    is(plait_divide(OF(BOOL), plait_int(3)), PLAIT_F32, PLAIT_F32);
    is(plait_pow(OF(U8), plait_int(2)), PLAIT_U8, PLAIT_U8);
    is(plait_pow(OF(I32), plait_num(2)), PLAIT_F32, PLAIT_F32);
    is(plait_sqrt(OF(U8)), PLAIT_F32, PLAIT_F32);
    is(plait_exp(OF(C64)), PLAIT_C64, PLAIT_C64);
    is(plait_less(OF(U8), OF(I64)), PLAIT_I64, PLAIT_BOOL);
    is(plait_equal(OF(C64), plait_num(1)), PLAIT_C64, PLAIT_BOOL);
    is(plait_isnan(OF(F64)), PLAIT_F64, PLAIT_BOOL);
    is(plait_logical_and(OF(F64), OF(C64)), PLAIT_BOOL, PLAIT_BOOL);
    is(plait_logical_not(OF(I32)), PLAIT_BOOL, PLAIT_BOOL);
    is(plait_abs(OF(C64)), PLAIT_C64, PLAIT_F32);
    is(plait_abs(OF(I32)), PLAIT_I32, PLAIT_I32);
    is(plait_imag(OF(BOOL)), PLAIT_BOOL, PLAIT_BOOL);
    is(plait_where(OF(F64), OF(U8), plait_int(3)), PLAIT_U8, PLAIT_U8);
    is(plait_where(OF(BOOL), plait_num(1), plait_num(2)), PLAIT_F32, PLAIT_F32);
    is(plait_where(plait_int(1), OF(I32), OF(F32)), PLAIT_F32, PLAIT_F32);
    is(plait_where(OF(BOOL), plait_int(1), plait_less(plait_int(1), plait_int(2))), PLAIT_I64, PLAIT_I64);
}

static void undefined(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    assert_fails_null(plait_subtract(OF(BOOL), OF(BOOL)), PLAIT_E_DTYPE, "plait_subtract: it is not defined for bool");
    assert_fails_null(plait_negative(OF(BOOL)), PLAIT_E_DTYPE, "bool");
    assert_fails_null(plait_pow(OF(BOOL), OF(BOOL)), PLAIT_E_DTYPE, "bool");
    assert_fails_null(plait_pow(OF(C64), OF(F32)), PLAIT_E_DTYPE, "plait_pow: it is not defined for c64");
    assert_fails_null(plait_maximum(OF(C64), OF(F32)), PLAIT_E_DTYPE, "c64");
    assert_fails_null(plait_less(OF(C64), OF(F32)), PLAIT_E_DTYPE, "c64");
    assert_fails_null(plait_sqrt(OF(C64)), PLAIT_E_DTYPE, "c64");
    assert_fails_null(plait_add(OF(F64), OF(C64)), PLAIT_E_DTYPE, "c128");
    assert_fails_null(plait_add(OF(F64), plait_complex(1, 1)), PLAIT_E_DTYPE, "c128");
    assert_fails_null(plait_add(OF(U8), plait_int(256)), PLAIT_E_RANGE, "256");
}

static void shape_is(plait_array *a, plait_dims shape)
{
    assert_non_null(a);
    assert_int_equal(a->shape.n, shape.n);
    assert_memory_equal(a->shape.d, shape.d, (size_t)shape.n * sizeof shape.d[0]);
}

#define SHAPED(...) array(PLAIT_F32, PLAIT_SHAPE(__VA_ARGS__))

static void shapes(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    shape_is(plait_add(SHAPED(3, 4), SHAPED(4)), PLAIT_SHAPE(3, 4));
    shape_is(plait_add(SHAPED(3, 1), SHAPED(1, 4)), PLAIT_SHAPE(3, 4));
    shape_is(plait_add(SHAPED(5, 1, 1), SHAPED(3, 4)), PLAIT_SHAPE(5, 3, 4));
    shape_is(plait_add(array(PLAIT_F32, PLAIT_SCALAR_SHAPE), SHAPED(2)), PLAIT_SHAPE(2));
    shape_is(plait_where(SHAPED(2, 1, 1), SHAPED(3, 1), SHAPED(4)), PLAIT_SHAPE(2, 3, 4));
    shape_is(plait_negative(array(PLAIT_F32, PLAIT_SCALAR_SHAPE)), PLAIT_SCALAR_SHAPE);
    assert_fails_null(plait_add(SHAPED(3, 4), SHAPED(3)), PLAIT_E_SHAPE,
                      "plait_add: the shapes (3, 4) and (3,) do not broadcast");
    assert_fails_null(plait_where(SHAPED(2), SHAPED(3), SHAPED(2)), PLAIT_E_SHAPE, "(2,) and (3,)");
    /* Each fits, their product does not. */
    plait_array *row = plait_zeros(ctx, PLAIT_SHAPE(1, INT64_C(1) << 40), PLAIT_F32);
    plait_array *column = plait_zeros(ctx, PLAIT_SHAPE(INT64_C(1) << 40, 1), PLAIT_F32);
    assert_fails_null(plait_add(row, column), PLAIT_E_SHAPE, "64 bits");
}

/* No elements: nothing to compute, and no memory. */
static void empty(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    plait_array *a = plait_add(SHAPED(0, 4), SHAPED(4));
    shape_is(a, PLAIT_SHAPE(0, 4));
    assert_true(plait_array_is_evaluated(a));
    assert_null(a->storage->buffer);
    shape_is(plait_add(SHAPED(0), SHAPED(1)), PLAIT_SHAPE(0));
    shape_is(plait_less(SHAPED(3, 0), plait_num(1)), PLAIT_SHAPE(3, 0));
    assert_fails_null(plait_add(SHAPED(0), SHAPED(2)), PLAIT_E_SHAPE, "(0,) and (2,)");
}

static void nothing_given(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    plait_array *a = SHAPED(2);
    assert_fails_null(plait_add(NULL, a), PLAIT_E_NULL, "plait_add: x is NULL");
    assert_fails_null(plait_add(a, NULL), PLAIT_E_NULL, "plait_add: y is NULL");
    assert_fails_null(plait_where(a, a, NULL), PLAIT_E_NULL, "plait_where: z is NULL");
    assert_fails_null(plait_add(plait_none(), a), PLAIT_E_ARGUMENT, "x is PLAIT_NONE");

    /* A NULL that is the consequence of a failure leaves that on record, through any number of calls. */
    plait_clear_error();
    plait_array *bad = plait_sqrt(plait_multiply(plait_add(SHAPED(3), SHAPED(2)), a));
    assert_null(bad);
    assert_on_record(PLAIT_E_SHAPE, "plait_add");
    /* Success does not clear it, a failure of its own replaces it. */
    assert_non_null(plait_add(a, a));
    assert_on_record(PLAIT_E_SHAPE, "plait_add");
    assert_null(plait_sqrt(array(PLAIT_C64, PLAIT_SHAPE(1))));
    assert_on_record(PLAIT_E_DTYPE, "plait_sqrt");
}

static void accessors(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    plait_array *a = array(PLAIT_I64, PLAIT_SHAPE(2, 5));
    assert_int_equal(plait_array_dtype(a), PLAIT_I64);
    assert_int_equal(plait_array_count(a), 10);
    assert_ptr_equal(plait_array_ctx(a), ctx);
    assert_true(plait_array_is_evaluated(a));
    assert_false(plait_array_is_evaluated(plait_negative(a)));
    for (int i = 0; i < 2; i++) {
        plait_array *nothing = i == 0 ? NULL : plait_none();
        assert_int_equal(plait_array_dtype(nothing), PLAIT_DTYPE_DEFAULT);
        assert_int_equal(plait_array_shape(nothing).n, -1);
        assert_int_equal(plait_array_count(nothing), 0);
        assert_null(plait_array_ctx(nothing));
        assert_false(plait_array_is_evaluated(nothing));
    }
}

static void mixed_contexts(void **state)
{
    (void)state;
    plait_ctx *other = fake_open(NULL);
    {
        PLAIT_SCOPE;
        plait_array *here = SHAPED(2), *there = plait_zeros(other, PLAIT_SHAPE(2), PLAIT_F32);
        const char *name = plait_ctx_device(ctx)->name;
        assert_fails_null(plait_add(here, there), PLAIT_E_CONTEXT, "plait_add: its arrays are of two contexts");
        assert_fails_null(plait_where(plait_num(1), there, here), PLAIT_E_CONTEXT, name);
        plait_array *const both[] = {here, there};
        assert_fails(plait_eval(both, 2), PLAIT_E_CONTEXT, "plait_eval");
        assert_non_null(plait_add(there, plait_num(1)));
    }
    assert_ok(plait_close(other));
}

static void without_double(void **state)
{
    (void)state;
    assert_int_equal(setenv("PLAIT_EMULATE", "nofp64", 1), 0);
    plait_ctx *single = fake_open(NULL);
    assert_int_equal(unsetenv("PLAIT_EMULATE"), 0);
    {
        PLAIT_SCOPE;
        assert_fails_null(plait_zeros(single, PLAIT_SHAPE(2), PLAIT_F64), PLAIT_E_UNSUPPORTED,
                          plait_ctx_device(single)->name);
        plait_array *a = plait_zeros(single, PLAIT_SHAPE(2), PLAIT_I32);
        assert_fails_null(plait_astype(a, PLAIT_F64), PLAIT_E_UNSUPPORTED, "plait_astype");
        is(plait_add(a, plait_num(0.1)), PLAIT_F32, PLAIT_F32); /* a number's double is no device's business */
        is(plait_divide(a, plait_multiply(plait_num(2), plait_num(3))), PLAIT_F32, PLAIT_F32);
    }
    assert_ok(plait_close(single));
}

/* ---- families ---- */

static int released;

static void release_call(void *call)
{
    (void)call;
    released++;
}

static void families(void **state)
{
    (void)state;
    static const plait__family family = {.name = "test", .release_call = release_call};
    {
        PLAIT_SCOPE;
        plait_array *in = SHAPED(2), *out[3];
        const plait_dtype dtypes_[] = {PLAIT_F32, PLAIT_I32, PLAIT_U8};
        const plait_dims shapes_[] = {PLAIT_SHAPE(2), PLAIT_SHAPE(0), PLAIT_SHAPE(3, 4)};
        plait_array *inputs[20];
        for (size_t i = 0; i < 20; i++) {
            inputs[i] = in;
        }
        assert_ok(plait__family_build(out, 3, &family, &released, ctx, inputs, 20, dtypes_, shapes_));
        assert_int_equal(out[0]->kind, PLAIT__NODE_FAMILY);
        assert_int_equal(out[0]->n_in, 20);
        assert_int_equal(out[0]->n_out, 3);
        for (size_t i = 0; i < 3; i++) {
            shape_is(out[i], shapes_[i]);
            assert_int_equal(out[i]->dtype, dtypes_[i]);
            assert_int_equal(atomic_load(&out[i]->handles), 1);
        }
        assert_int_equal(out[2]->output, 2);
        assert_ptr_equal(out[2]->in[0], out[0]);
        assert_int_equal(out[0]->results[1].dtype, PLAIT_I32);
        assert_int_equal(released, 0);
    }
    assert_int_equal(released, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dtypes),         cmocka_unit_test(undefined),      cmocka_unit_test(shapes),
        cmocka_unit_test(empty),          cmocka_unit_test(nothing_given),  cmocka_unit_test(accessors),
        cmocka_unit_test(mixed_contexts), cmocka_unit_test(without_double), cmocka_unit_test(families),
    };
    ctx = fake_open(NULL);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    assert_ok(plait_close(ctx));
    return failed;
}
