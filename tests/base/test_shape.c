#include "testing.h"

#include <plait/shape.h>

static void shapes_are_built(void **state)
{
    (void)state;
    plait_dims s = PLAIT_SHAPE(480, 640, 3);
    assert_int_equal(s.n, 3);
    assert_int_equal(s.d[0], 480);
    assert_int_equal(s.d[1], 640);
    assert_int_equal(s.d[2], 3);
    s = PLAIT_AXES(-1);
    assert_int_equal(s.n, 1);
    assert_int_equal(s.d[0], -1);
    assert_int_equal(PLAIT_SCALAR_SHAPE.n, 0);
    assert_int_equal(PLAIT_NO_AXES.n, -1);
}

static void too_many_dimensions_stay_visible(void **state)
{
    (void)state;
    const int64_t d[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    plait_dims s = plait_shape(10, d);
    assert_int_equal(s.n, 10);
    assert_int_equal(s.d[7], 8);
    assert_int_equal(plait_shape(8, d).n, 8);
    /* Only eight are read, however many there are said to be. */
    assert_int_equal(plait_shape((size_t)1 << 40, d).n, INT32_MAX);
    assert_int_equal(plait_shape(SIZE_MAX, d).n, -1);
    assert_int_equal(plait_shape_count(s), -1);
}

static void counts(void **state)
{
    (void)state;
    assert_int_equal(plait_shape_count(PLAIT_SHAPE(2, 3, 4)), 24);
    assert_int_equal(plait_shape_count(PLAIT_SCALAR_SHAPE), 1);
    assert_int_equal(plait_shape_count(PLAIT_SHAPE(0)), 0);
    assert_int_equal(plait_shape_count(PLAIT_SHAPE(3, 0, 2)), 0);
    assert_int_equal(plait_shape_count(PLAIT_SHAPE(3, -1)), -1);
    assert_int_equal(plait_shape_count(PLAIT_SHAPE(0, -1)), -1);
    assert_int_equal(plait_shape_count(PLAIT_NO_AXES), -1);
    assert_int_equal(plait_shape_count(PLAIT_SHAPE(INT64_MAX)), INT64_MAX);
    assert_int_equal(plait_shape_count(PLAIT_SHAPE((int64_t)1 << 32, (int64_t)1 << 31)), -1);
    assert_int_equal(plait_shape_count(PLAIT_SHAPE((int64_t)1 << 32, (int64_t)1 << 30)), (int64_t)1 << 62);
    assert_int_equal(plait_shape_count(PLAIT_SHAPE((int64_t)1 << 60, 0, (int64_t)1 << 60)), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_are_built),
        cmocka_unit_test(too_many_dimensions_stay_visible),
        cmocka_unit_test(counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
