/* Layouts: contiguous ones, views of them, and which reshapes need no copy - against the addresses of a real block. */
#include "testing.h"

#include "node.h"

static int64_t at(const plait__layout *layout, const plait_dims *shape, int64_t index)
{
    int64_t position = layout->offset;
    for (int32_t i = shape->n; i-- > 0;) {
        position += index % shape->d[i] * layout->strides[i];
        index /= shape->d[i];
    }
    return position;
}

static void contiguous(void **state)
{
    (void)state;
    plait_dims shape = PLAIT_SHAPE(2, 3, 4);
    plait__layout layout = plait__layout_contiguous(&shape);
    assert_int_equal(layout.offset, 0);
    assert_int_equal(layout.strides[0], 12);
    assert_int_equal(layout.strides[1], 4);
    assert_int_equal(layout.strides[2], 1);
    assert_true(plait__layout_is_contiguous(&shape, &layout));
    layout.strides[0] = 13;
    assert_false(plait__layout_is_contiguous(&shape, &layout));
    shape.d[0] = 1; /* an axis of size 1 is never stepped along */
    assert_true(plait__layout_is_contiguous(&shape, &layout));

    plait_dims empty = PLAIT_SHAPE(INT64_C(1) << 40, INT64_C(1) << 40, 0);
    layout = plait__layout_contiguous(&empty);
    assert_true(plait__layout_is_contiguous(&empty, &layout));
    plait_dims scalar = PLAIT_SCALAR_SHAPE;
    layout = plait__layout_contiguous(&scalar);
    assert_true(plait__layout_is_contiguous(&scalar, &layout));
}

static void affine(void **state)
{
    (void)state;
    /* (5, 7): rows 4 and 2, columns 6, 3, 0, transposed, with a new axis of 2 before them. */
    plait_dims shape = PLAIT_SHAPE(5, 7), view = PLAIT_SHAPE(2, 3, 2);
    plait__layout layout = plait__layout_contiguous(&shape);
    plait__affine map = {.axis = {2, 1}, .start = {4, 6}, .step = {-2, -3}};
    plait__layout seen = plait__layout_affine(&layout, 2, &map, 3);
    static const int64_t expected[] = {34, 20, 31, 17, 28, 14};
    for (int64_t i = 0; i < 12; i++) {
        assert_int_equal(at(&seen, &view, i), expected[i % 6]);
    }
    /* One element of it. */
    plait__affine one = {.axis = {-1, -1, -1}, .start = {1, 2, 1}, .step = {0, 0, 0}};
    plait_dims scalar = PLAIT_SCALAR_SHAPE;
    plait__layout element = plait__layout_affine(&seen, 3, &one, 0);
    assert_int_equal(at(&element, &scalar, 0), 14);
}

typedef struct reshape_case {
    plait_dims from;
    plait__layout layout;
    plait_dims to;
    bool possible;
} reshape_case;

static void reshape(void **state)
{
    (void)state;
    const reshape_case cases[] = {
        {PLAIT_SHAPE(6), {0, {1}}, PLAIT_SHAPE(2, 3), true},
        {PLAIT_SHAPE(6), {5, {-2}}, PLAIT_SHAPE(2, 3), true},
        {PLAIT_SHAPE(2, 3), {0, {3, 1}}, PLAIT_SHAPE(6), true},
        {PLAIT_SHAPE(2, 3), {1, {4, 1}}, PLAIT_SHAPE(6), false},
        {PLAIT_SHAPE(2, 3), {0, {1, 2}}, PLAIT_SHAPE(6), false},
        {PLAIT_SHAPE(2, 3), {0, {1, 2}}, PLAIT_SHAPE(2, 1, 3, 1), true},
        {PLAIT_SHAPE(4, 6), {0, {100, 2}}, PLAIT_SHAPE(2, 2, 3, 2), true},
        {PLAIT_SHAPE(4, 6), {0, {100, 2}}, PLAIT_SHAPE(8, 3), false},
        {PLAIT_SHAPE(3, 1, 4), {7, {4, 99, 1}}, PLAIT_SHAPE(12), true},
        {PLAIT_SHAPE(3, 4), {0, {0, 0}}, PLAIT_SHAPE(2, 6), true},
        {PLAIT_SHAPE(3, 4), {0, {0, 1}}, PLAIT_SHAPE(12), false},
        {PLAIT_SHAPE(1, 1), {3, {50, 60}}, PLAIT_SCALAR_SHAPE, true},
        {PLAIT_SCALAR_SHAPE, {3, {0}}, PLAIT_SHAPE(1, 1, 1), true},
        {PLAIT_SHAPE(0, 4), {0, {9, 9}}, PLAIT_SHAPE(7, 0, 2), true},
        {PLAIT_SHAPE(2, 3, 4, 5), {0, {60, 20, 5, 1}}, PLAIT_SHAPE(6, 20), true},
        {PLAIT_SHAPE(2, 3, 4, 5), {0, {60, 20, 1, 4}}, PLAIT_SHAPE(6, 4, 5), true},
        {PLAIT_SHAPE(2, 3, 4, 5), {0, {60, 20, 1, 4}}, PLAIT_SHAPE(6, 20), false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const reshape_case *c = &cases[i];
        plait__layout out;
        if (plait__layout_reshape(&c->from, &c->layout, &c->to, &out) != c->possible) {
            fail_msg("case %zu", i);
        }
        for (int64_t k = 0; c->possible && k < plait_shape_count(c->to); k++) {
            if (at(&out, &c->to, k) != at(&c->layout, &c->from, k)) {
                fail_msg("case %zu: element %d", i, (int)k);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contiguous),
        cmocka_unit_test(affine),
        cmocka_unit_test(reshape),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
