/* Operations between numbers, computed on the host. */
#include "testing.h"

#include <plait/create.h>
#include <plait/ops.h>

#include <math.h>

#include "fold.h"

#define I(value) plait_int(value)
#define F(value) plait_num(value)
#define C(re, im) plait_complex(re, im)

static void is_int(plait_array *a, int64_t value)
{
    assert_non_null(a);
    assert_int_equal(a->kind, PLAIT__NODE_NUMBER);
    assert_int_equal(a->dtype, PLAIT_I64);
    assert_true(a->value.i == value);
}

static void is_bool(plait_array *a, bool value)
{
    assert_non_null(a);
    assert_int_equal(a->dtype, PLAIT_BOOL);
    assert_int_equal(a->value.i, value);
}

static void is_float(plait_array *a, double value)
{
    assert_non_null(a);
    assert_int_equal(a->dtype, PLAIT_F64);
    assert_memory_equal(&a->value.f, &value, sizeof value);
}

static void is_complex(plait_array *a, double re, double im)
{
    assert_non_null(a);
    assert_int_equal(a->dtype, PLAIT_C64);
    assert_true(a->value.c[0] == re && a->value.c[1] == im);
}

static void integers(void **state)
{
    (void)state;
    is_int(plait_add(I(2), I(3)), 5);
    is_int(plait_add(I(INT64_MAX), I(1)), INT64_MIN);
    is_int(plait_subtract(I(INT64_MIN), I(1)), INT64_MAX);
    is_int(plait_multiply(I(INT64_MAX), I(2)), -2);
    is_int(plait_negative(I(INT64_MIN)), INT64_MIN);
    is_int(plait_abs(I(INT64_MIN)), INT64_MIN);
    is_int(plait_abs(I(-7)), 7);
    is_int(plait_square(I(-3)), 9);
    is_int(plait_maximum(I(-3), I(2)), 2);
    is_int(plait_minimum(I(-3), I(2)), -3);
    is_int(plait_pow(I(3), I(39)), INT64_C(4052555153018976267));
    is_int(plait_pow(I(2), I(-2)), 0);
    is_int(plait_pow(I(0), I(-2)), 0);
    is_int(plait_pow(I(-1), I(-3)), -1);
    is_int(plait_pow(I(-1), I(INT64_MIN)), 1);
    is_int(plait_pow(I(1), I(-9)), 1);
    is_int(plait_pow(I(0), I(0)), 1);
    is_int(plait_real(I(4)), 4);
    is_int(plait_imag(I(4)), 0);
    is_float(plait_divide(I(1), I(4)), 0.25);
    is_float(plait_divide(I(1), I(0)), INFINITY);
    is_float(plait_sqrt(I(9)), 3);
}

static void floats(void **state)
{
    (void)state;
    is_float(plait_add(F(0.5), I(1)), 1.5);
    is_float(plait_multiply(F(-0.0), F(1)), -0.0);
    is_float(plait_negative(F(0)), -0.0);
    is_float(plait_abs(F(-0.0)), 0.0);
    is_float(plait_pow(F(2), F(0.5)), sqrt(2));
    is_float(plait_maximum(F(0.0), F(-0.0)), 0.0);
    is_float(plait_maximum(F(-0.0), F(0.0)), 0.0);
    is_float(plait_minimum(F(0.0), F(-0.0)), -0.0);
    is_float(plait_minimum(F(-0.0), F(0.0)), -0.0);
    is_float(plait_exp(F(0)), 1);
    is_float(plait_log(F(1)), 0);
    is_float(plait_imag(F(3)), 0);
    plait_array *nan = plait_sqrt(F(-1));
    assert_true(isnan(nan->value.f));
    is_bool(plait_isnan(nan), true);
    is_bool(plait_isnan(I(1)), false);
    assert_true(isnan(plait_maximum(nan, F(1))->value.f));
    assert_true(isnan(plait_minimum(F(1), nan)->value.f));
    is_bool(plait_equal(nan, nan), false);
    is_bool(plait_not_equal(nan, nan), true);
}

static void truth(void **state)
{
    (void)state;
    is_bool(plait_less(I(1), F(1.5)), true);
    is_bool(plait_less(F(NAN), I(0)), false);
    is_bool(plait_greater_equal(I(2), I(2)), true);
    is_bool(plait_logical_and(F(0.1), I(0)), false);
    is_bool(plait_logical_or(F(NAN), I(0)), true);
    is_bool(plait_logical_not(C(0, 0)), true);
    is_bool(plait_logical_not(C(0, 1)), false);
    plait_array *yes = plait_less(I(1), I(2));
    is_bool(plait_add(yes, yes), true);
    is_bool(plait_multiply(yes, plait_logical_not(yes)), false);
    is_int(plait_add(yes, I(1)), 2);
    is_int(plait_where(yes, I(5), I(6)), 5);
    is_float(plait_where(F(0.0), I(5), F(6)), 6);
    is_float(plait_where(C(0, 2), I(5), F(6)), 5);
    is_complex(plait_where(I(0), I(5), C(6, 7)), 6, 7);
    assert_fails_null(plait_subtract(yes, yes), PLAIT_E_DTYPE, "plait_subtract: it is not defined for bool");
    assert_fails_null(plait_negative(yes), PLAIT_E_DTYPE, "bool");
}

static void complexes(void **state)
{
    (void)state;
    is_complex(plait_add(C(1, 2), I(3)), 4, 2);
    is_complex(plait_subtract(C(1, 2), C(3, 5)), -2, -3);
    is_complex(plait_multiply(C(1, 2), C(3, 4)), -5, 10);
    is_complex(plait_square(C(0, 1)), -1, 0);
    is_complex(plait_divide(C(-5, 10), C(3, 4)), 1, 2);
    is_complex(plait_divide(C(-5, 10), C(1, 2)), 3, 4);
    is_complex(plait_divide(C(1e300, 1e300), C(1e300, 1e300)), 1, 0);
    is_complex(plait_divide(C(1e-320, 0), C(1e-320, 0)), 1, 0);
    is_complex(plait_divide(C(1, -1), C(0, 0)), INFINITY, -INFINITY);
    is_complex(plait_negative(C(1, -2)), -1, 2);
    is_complex(plait_exp(C(0, 0)), 1, 0);
    is_float(plait_abs(C(3, 4)), 5);
    is_float(plait_real(C(3, 4)), 3);
    is_float(plait_imag(C(3, 4)), 4);
    is_bool(plait_equal(C(1, 2), C(1, 2)), true);
    is_bool(plait_equal(C(1, 2), C(1, 3)), false);
    is_bool(plait_not_equal(C(1, 2), C(1, 3)), true);
    is_bool(plait_not_equal(C(1, 2), I(1)), true);
    is_bool(plait_isnan(C(0, NAN)), true);
    assert_fails_null(plait_less(C(1, 2), I(1)), PLAIT_E_DTYPE, "plait_less: it is not defined for c64");
    assert_fails_null(plait_sqrt(C(1, 2)), PLAIT_E_DTYPE, "plait_sqrt");
}

/* Numbers have no context, live in their own root scope, and stay weak. */
static void ownership(void **state)
{
    (void)state;
    plait_array *two = plait_keep(plait_add(I(1), I(1)));
    assert_true(two->weak);
    assert_null(plait_array_ctx(two));
    assert_true(plait_array_is_evaluated(two));
    assert_int_equal(plait_array_shape(two).n, 0);
    assert_int_equal(plait_array_count(two), 1);
    assert_ok(plait_drain(NULL));
    is_int(plait_add(two, two), 4);
    assert_ok(plait_release(two));
    assert_ok(plait_drain(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers),  cmocka_unit_test(floats),    cmocka_unit_test(truth),
        cmocka_unit_test(complexes), cmocka_unit_test(ownership),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
