/* Views, against a model that knows for every element where it came from. */
#include "testing.h"

#include <plait/create.h>
#include <plait/ops.h>
#include <plait/view.h>

#include "build.h"
#include "fake_engine.h"

static plait_ctx *ctx;

/* ---- the model: a shape and, in C order, which element of the original each one is ---- */

#define MOST 4000

typedef struct model {
    plait_dims shape;
    int64_t n;
    int64_t from[MOST];
} model;

static void unravel(int64_t c[PLAIT_MAX_DIMS], const plait_dims *shape, int64_t index)
{
    for (int32_t i = shape->n; i-- > 0;) {
        c[i] = index % shape->d[i];
        index /= shape->d[i];
    }
}

static int64_t ravel(const int64_t c[PLAIT_MAX_DIMS], const plait_dims *shape)
{
    int64_t index = 0;
    for (int32_t i = 0; i < shape->n; i++) {
        index = index * shape->d[i] + c[i];
    }
    return index;
}

/* The result has this shape; `find` turns its coordinates into those of `m`. */
typedef void (*finder)(int64_t *c, const model *m, const int64_t *arguments);

static void change(model *m, plait_dims shape, finder find, const int64_t *arguments)
{
    static model old;
    old = *m;
    m->shape = shape;
    m->n = plait_shape_count(shape);
    assert_true(m->n <= MOST);
    for (int64_t k = 0; k < m->n; k++) {
        int64_t c[PLAIT_MAX_DIMS + 1] = {0};
        unravel(c, &shape, k);
        find(c, &old, arguments);
        m->from[k] = old.from[ravel(c, &old.shape)];
    }
}

/* Arguments: axis, then which of the axis's elements are taken. */
static void find_taken(int64_t *c, const model *m, const int64_t *arguments)
{
    (void)m;
    c[arguments[0]] = arguments[1 + c[arguments[0]]];
}

/* Arguments: axis, index. */
static void find_index(int64_t *c, const model *m, const int64_t *arguments)
{
    for (int64_t i = m->shape.n - 1; i > arguments[0]; i--) {
        c[i] = c[i - 1];
    }
    c[arguments[0]] = arguments[1];
}

static void find_permuted(int64_t *c, const model *m, const int64_t *arguments)
{
    int64_t out[PLAIT_MAX_DIMS];
    memcpy(out, c, sizeof out);
    for (int32_t i = 0; i < m->shape.n; i++) {
        c[arguments[i]] = out[i];
    }
}

/* Argument: the axis that goes. */
static void find_expanded(int64_t *c, const model *m, const int64_t *arguments)
{
    for (int64_t i = arguments[0]; i < m->shape.n; i++) {
        c[i] = c[i + 1];
    }
}

static void find_broadcast(int64_t *c, const model *m, const int64_t *arguments)
{
    for (int32_t i = 0; i < m->shape.n; i++) {
        c[i] = m->shape.d[i] == 1 ? 0 : c[i + arguments[0]];
    }
}

/* Python's range(start, stop, step) with both bounds given, on one axis. */
static int64_t python_slice(int64_t *taken, int64_t size, int64_t start, int64_t stop, int64_t step)
{
    int64_t n = 0;
    if (step > 0) {
        start = start == PLAIT_OPEN ? 0 : start < 0 ? (start + size < 0 ? 0 : start + size) : start;
        stop = stop == PLAIT_OPEN ? size : stop < 0 ? stop + size : stop;
        for (int64_t i = start; i < stop && i < size; i += step) {
            taken[n++] = i;
        }
    } else {
        start = start == PLAIT_OPEN ? size - 1 : start < 0 ? start + size : start >= size ? size - 1 : start;
        stop = stop == PLAIT_OPEN ? -1 : stop < 0 ? (stop + size < 0 ? -1 : stop + size) : stop;
        for (int64_t i = start; i > stop && i >= 0; i += step) {
            taken[n++] = i;
        }
    }
    return n;
}

/* ---- what the library made of it ---- */

/* The element of the original that element `index` of `a` is. `original` is ready, or what the views look at. */
static int64_t source(const plait_array *a, const plait_array *original, int64_t index)
{
    while (a != original) {
        int64_t c[PLAIT_MAX_DIMS] = {0};
        unravel(c, &a->shape, index);
        if (plait__is_ready(a)) {
            assert_ptr_equal(a->storage, original->storage);
            int64_t position = a->layout.offset;
            for (int32_t i = 0; i < a->shape.n; i++) {
                position += c[i] * a->layout.strides[i];
            }
            return position;
        }
        const plait_array *in = a->in[0];
        assert_int_equal(a->n_in, 1);
        if (a->kind == PLAIT__NODE_AFFINE) {
            assert_int_not_equal(in->kind, PLAIT__NODE_AFFINE); /* folded */
            int64_t below[PLAIT_MAX_DIMS] = {0};
            for (int32_t j = 0; j < in->shape.n; j++) {
                int axis = a->affine->axis[j];
                assert_true(axis < a->shape.n);
                below[j] = a->affine->start[j] + (axis >= 0 ? a->affine->step[j] * c[axis] : 0);
                assert_true(below[j] >= 0 && below[j] < in->shape.d[j]);
            }
            index = ravel(below, &in->shape);
        } else {
            assert_int_equal(a->kind, PLAIT__NODE_RESHAPE);
            assert_true(in->kind != PLAIT__NODE_RESHAPE || plait__is_ready(in));
        }
        a = in;
    }
    return index;
}

static void compare(plait_array *a, const plait_array *original, const model *m)
{
    if (a == NULL) {
        fail_msg("%s", plait_last_error());
        return;
    }
    assert_int_equal(a->shape.n, m->shape.n);
    assert_memory_equal(a->shape.d, m->shape.d, (size_t)m->shape.n * sizeof m->shape.d[0]);
    assert_int_equal(a->dtype, original->dtype);
    if (m->n == 0) {
        assert_true(plait__is_ready(a));
        return;
    }
    for (int64_t k = 0; k < m->n; k++) {
        assert_int_equal(source(a, original, k), m->from[k]);
    }
}

/* A stored array without memory: what matters here are layouts. */
static plait_array *stored(plait_dims shape)
{
    plait_array *a = plait__build_stored(ctx, PLAIT_F32, &shape, plait__storage_create(NULL));
    assert_non_null(a);
    return a;
}

static plait_array *pending(plait_dims shape)
{
    plait_array *a = plait_add(stored(shape), plait_num(1));
    assert_non_null(a);
    return a;
}

static void start_model(model *m, plait_dims shape)
{
    m->shape = shape;
    m->n = plait_shape_count(shape);
    for (int64_t k = 0; k < m->n; k++) {
        m->from[k] = k;
    }
}

static uint32_t random_state = 12345;

static int64_t pick(int64_t from, int64_t to) /* inclusive */
{
    random_state = random_state * 1664525u + 1013904223u;
    return from + (int64_t)(random_state >> 8) % (to - from + 1);
}

/* One more view of `a`, at random, in both worlds. */
static plait_array *random_view(plait_array *a, model *m)
{
    int32_t n = m->shape.n;
    int axis = n > 0 ? (int)pick(0, n - 1) : 0;
    plait_dims shape = m->shape;
    int64_t arguments[MOST + 1] = {axis};
    switch (pick(0, 7)) {
    case 0: /* slice */
        if (n > 0) {
            int64_t size = shape.d[axis], step = pick(-3, 3);
            int64_t start = pick(0, 4) == 0 ? PLAIT_OPEN : pick(-size - 2, size + 2);
            int64_t stop = pick(0, 4) == 0 ? PLAIT_OPEN : pick(-size - 2, size + 2);
            step = step == 0 ? 1 : step;
            shape.d[axis] = python_slice(arguments + 1, size, start, stop, step);
            if (shape.d[axis] > 0) {
                change(m, shape, find_taken, arguments);
                return plait_slice(a, pick(0, 1) ? axis : axis - n, start, stop, step);
            }
        }
        return a;
    case 1: /* index */
        if (n > 1) {
            arguments[1] = pick(0, shape.d[axis] - 1);
            int64_t size = shape.d[axis];
            for (int32_t i = axis; i + 1 < n; i++) {
                shape.d[i] = shape.d[i + 1];
            }
            shape.n--;
            change(m, shape, find_index, arguments);
            return plait_index(a, axis, pick(0, 1) ? arguments[1] : arguments[1] - size);
        }
        return a;
    case 2: { /* permute */
        plait_dims axes = {.n = n};
        for (int32_t i = 0; i < n; i++) {
            axes.d[i] = i;
        }
        for (int32_t i = n - 1; i > 0; i--) {
            int64_t j = pick(0, i), t = axes.d[i];
            axes.d[i] = axes.d[j];
            axes.d[j] = t;
        }
        for (int32_t i = 0; i < n; i++) {
            shape.d[i] = m->shape.d[axes.d[i]];
            arguments[i] = axes.d[i];
        }
        change(m, shape, find_permuted, arguments);
        return plait_permute_dims(a, axes);
    }
    case 3: /* flip */
        if (n > 0) {
            python_slice(arguments + 1, shape.d[axis], PLAIT_OPEN, PLAIT_OPEN, -1);
            change(m, shape, find_taken, arguments);
            return plait_flip(a, PLAIT_AXES(axis));
        }
        return a;
    case 4: /* expand */
        if (n < 6) {
            arguments[0] = axis = (int)pick(0, n);
            for (int32_t i = n; i > axis; i--) {
                shape.d[i] = shape.d[i - 1];
            }
            shape.d[axis] = 1;
            shape.n++;
            change(m, shape, find_expanded, arguments);
            return plait_expand_dims(a, PLAIT_AXES(axis));
        }
        return a;
    case 5: /* squeeze: a reshape of the model */
        shape.n = 0;
        for (int32_t i = 0; i < n; i++) {
            if (m->shape.d[i] != 1) {
                shape.d[shape.n++] = m->shape.d[i];
            }
        }
        m->shape = shape;
        return plait_squeeze(a, PLAIT_SCALAR_SHAPE);
    case 6: /* broadcast an axis of size 1, and perhaps a new one */
        if (n > 0 && n < 6 && shape.d[axis] == 1 && m->n <= 200) {
            arguments[0] = pick(0, 1);
            if (arguments[0] == 1) {
                for (int32_t i = n; i > 0; i--) {
                    shape.d[i] = shape.d[i - 1];
                }
                shape.d[0] = 2;
                shape.n++;
            }
            shape.d[axis + arguments[0]] = 3;
            change(m, shape, find_broadcast, arguments);
            return plait_broadcast_to(a, shape);
        }
        return a;
    default:                          /* reshape */
        if (n >= 2 && axis + 1 < n) { /* two axes become one */
            shape.d[axis] *= shape.d[axis + 1];
            for (int32_t i = axis + 1; i + 1 < n; i++) {
                shape.d[i] = shape.d[i + 1];
            }
            shape.n--;
        } else if (n >= 1 && n < 6 && shape.d[n - 1] % 2 == 0) { /* the last axis becomes two */
            shape.d[n] = 2;
            shape.d[n - 1] /= 2;
            shape.n++;
        }
        m->shape = shape;
        plait_dims given = shape;
        if (shape.n > 0) {
            given.d[pick(0, shape.n - 1)] = -1;
        }
        return plait_reshape(a, given);
    }
}

static void random_views(void **state)
{
    (void)state;
    static model m;
    for (int round = 0; round < 400; round++) {
        PLAIT_SCOPE;
        plait_dims shape = round % 2 ? PLAIT_SHAPE(4, 5, 6) : PLAIT_SHAPE(2, 1, 12, 3);
        start_model(&m, shape);
        plait_array *original = round % 4 < 2 ? stored(shape) : pending(shape);
        plait_array *a = original;
        for (int depth = 0; depth < 6; depth++) {
            a = random_view(a, &m);
            compare(a, original, &m);
        }
    }
}

/* ---- single ones ---- */

static void slices(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    static const int64_t bounds[] = {PLAIT_OPEN, -7, -6, -5, -1, 0, 1, 4, 5, 6, INT64_MAX, -INT64_MAX};
    static const int64_t steps[] = {1, 2, 5, INT64_MAX, -1, -2, -5, -INT64_MAX};
    enum { BOUNDS = sizeof bounds / sizeof bounds[0], STEPS = sizeof steps / sizeof steps[0] };
    plait_array *original = pending(PLAIT_SHAPE(5));
    static model m;
    for (size_t i = 0; i < BOUNDS * BOUNDS * STEPS; i++) {
        int64_t start = bounds[i % BOUNDS], stop = bounds[i / BOUNDS % BOUNDS], step = steps[i / BOUNDS / BOUNDS];
        /* The model steps once too far: with steps of this size any larger than the axis will do. */
        int64_t small = step > 5 ? 6 : step < -5 ? -6 : step;
        int64_t near_start = start == INT64_MAX ? 9 : start == -INT64_MAX ? -9 : start;
        int64_t near_stop = stop == INT64_MAX ? 9 : stop == -INT64_MAX ? -9 : stop;
        int64_t arguments[10] = {0};
        start_model(&m, PLAIT_SHAPE(5));
        plait_dims shape = PLAIT_SHAPE(python_slice(arguments + 1, 5, near_start, near_stop, small));
        change(&m, shape, find_taken, arguments);
        compare(plait_slice(original, 0, start, stop, step), original, &m);
    }
    plait_array *reversed = plait_slice(original, -1, PLAIT_OPEN, PLAIT_OPEN, INT64_MIN); /* as -INT64_MAX */
    assert_int_equal(plait_array_count(reversed), 1);
    assert_int_equal(source(reversed, original, 0), 4);
}

/* A view of what is stored is stored; the memory is shared and outlives the original. */
static void stored_views(void **state)
{
    (void)state;
    plait_array *view;
    plait__storage *storage;
    {
        PLAIT_SCOPE;
        plait_array *a = stored(PLAIT_SHAPE(4, 6));
        storage = plait__storage_retain(a->storage);
        view = plait_keep(plait_slice(plait_transpose(a), 0, 1, PLAIT_OPEN, 2));
        assert_true(plait_array_is_evaluated(view));
        assert_int_equal(view->layout.offset, 1);
        assert_int_equal(view->layout.strides[0], 2);
        assert_int_equal(view->layout.strides[1], 6);
        /* Where the strides do not allow it, a reshape waits for whoever reads it. */
        assert_true(plait_array_is_evaluated(plait_reshape(a, PLAIT_SHAPE(3, 8))));
        assert_false(plait_array_is_evaluated(plait_reshape(plait_transpose(a), PLAIT_SHAPE(24))));
    }
    assert_int_equal(atomic_load(&storage->refs), 2);
    assert_ok(plait_release(view));
    assert_int_equal(atomic_load(&storage->refs), 1);
    plait__storage_release(storage);
}

static void constants(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    plait_array *a = plait_full(ctx, PLAIT_SHAPE(2, 3), plait_num(7), PLAIT_F32);
    plait_array *views[] = {plait_transpose(a), plait_broadcast_to(a, PLAIT_SHAPE(5, 2, 3)),
                            plait_reshape(a, PLAIT_SHAPE(-1)), plait_slice(a, 1, 0, 2, 1)};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(views[i]->kind, PLAIT__NODE_CONSTANT);
        assert_true(views[i]->value.f == 7);
    }
    plait_array *huge = plait_broadcast_to(a, PLAIT_SHAPE(INT64_C(1) << 30, 1 << 20, 2, 3));
    assert_true(plait_array_count(huge) == (size_t)6 << 50);
}

static void empty(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    plait_array *a = plait_zeros(ctx, PLAIT_SHAPE(3, 0, 2), PLAIT_F32);
    plait_array *views[] = {plait_transpose(a),
                            plait_flip(a, PLAIT_SCALAR_SHAPE),
                            plait_reshape(a, PLAIT_SHAPE(0, 7)),
                            plait_slice(a, 1, 0, 5, 1),
                            plait_slice(pending(PLAIT_SHAPE(5)), 0, 3, 3, 1),
                            plait_broadcast_to(a, PLAIT_SHAPE(4, 3, 0, 2)),
                            plait_index(a, 0, -1),
                            plait_expand_dims(a, PLAIT_AXES(0)),
                            plait_squeeze(plait_zeros(ctx, PLAIT_SHAPE(1, 0), PLAIT_F32), PLAIT_SCALAR_SHAPE)};
    for (size_t i = 0; i < sizeof views / sizeof views[0]; i++) {
        assert_non_null(views[i]);
        assert_int_equal(plait_array_count(views[i]), 0);
        assert_true(plait_array_is_evaluated(views[i]));
    }
    assert_int_equal(plait_array_shape(views[0]).d[0], 2);
    assert_fails_null(plait_reshape(a, PLAIT_SHAPE(0, -1)), PLAIT_E_SHAPE, "plait_reshape");
    assert_fails_null(plait_index(a, 1, 0), PLAIT_E_RANGE, "size 0");
}

static void same_array(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    plait_array *a = pending(PLAIT_SHAPE(2, 3));
    assert_ptr_equal(plait_reshape(a, PLAIT_SHAPE(2, -1)), a);
    assert_ptr_equal(plait_broadcast_to(a, PLAIT_SHAPE(2, 3)), a);
    assert_ptr_equal(plait_flip(a, PLAIT_NO_AXES), a);
    assert_ptr_equal(plait_squeeze(a, PLAIT_SCALAR_SHAPE), a);
    assert_ptr_equal(plait_expand_dims(a, PLAIT_NO_AXES), a);
    assert_int_equal(atomic_load(&a->handles), 6);
}

static void errors(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    plait_array *a = pending(PLAIT_SHAPE(2, 3));
    assert_fails_null(plait_slice(a, 2, 0, 1, 1), PLAIT_E_AXIS, "plait_slice: axis 2");
    assert_fails_null(plait_slice(a, -3, 0, 1, 1), PLAIT_E_AXIS, "axis -3");
    assert_fails_null(plait_slice(a, 0, 0, 1, 0), PLAIT_E_ARGUMENT, "step");
    assert_fails_null(plait_index(a, 0, 2), PLAIT_E_RANGE, "index 2 is out of range for axis 0 of size 2");
    assert_fails_null(plait_index(a, 1, -4), PLAIT_E_RANGE, "-4");
    assert_fails_null(plait_permute_dims(a, PLAIT_AXES(0)), PLAIT_E_AXIS, "plait_permute_dims");
    assert_fails_null(plait_permute_dims(a, PLAIT_AXES(0, 0)), PLAIT_E_AXIS, "twice");
    assert_fails_null(plait_permute_dims(a, PLAIT_AXES(0, -2)), PLAIT_E_AXIS, "twice");
    assert_fails_null(plait_flip(a, PLAIT_AXES(5)), PLAIT_E_AXIS, "axis 5");
    assert_fails_null(plait_expand_dims(a, PLAIT_AXES(3)), PLAIT_E_AXIS, "axis 3");
    assert_fails_null(plait_expand_dims(a, PLAIT_SCALAR_SHAPE), PLAIT_E_AXIS, "no axis");
    assert_fails_null(plait_expand_dims(a, PLAIT_AXES(0, 1, 2, 3, 4, 5, 6)), PLAIT_E_SHAPE, "9 dimensions");
    assert_fails_null(plait_squeeze(a, PLAIT_AXES(1)), PLAIT_E_SHAPE, "size 3");
    assert_fails_null(plait_broadcast_to(a, PLAIT_SHAPE(2, 4)), PLAIT_E_SHAPE, "(2, 3) does not broadcast to (2, 4)");
    assert_fails_null(plait_broadcast_to(a, PLAIT_SHAPE(3)), PLAIT_E_SHAPE, "(3,)");
    assert_fails_null(plait_broadcast_to(a, PLAIT_SHAPE(1, 3)), PLAIT_E_SHAPE, "(1, 3)");
    assert_fails_null(plait_reshape(a, PLAIT_SHAPE(7)), PLAIT_E_SHAPE, "6 elements of shape (2, 3)");
    assert_fails_null(plait_reshape(a, PLAIT_SHAPE(4, -1)), PLAIT_E_SHAPE, "(4, -1)");
    assert_fails_null(plait_reshape(a, PLAIT_SHAPE(-1, -1)), PLAIT_E_SHAPE, "more than one");
    assert_fails_null(plait_reshape(a, PLAIT_SHAPE(-2, 3)), PLAIT_E_SHAPE, "negative");
    assert_fails_null(plait_reshape(a, PLAIT_SHAPE(1, 1, 1, 1, 1, 1, 1, 2, 3)), PLAIT_E_SHAPE, "9 dimensions");
    assert_fails_null(plait_reshape(a, plait_array_shape(NULL)), PLAIT_E_NULL, "plait_reshape");
    assert_fails_null(plait_transpose(NULL), PLAIT_E_NULL, "plait_transpose");
    assert_fails_null(plait_transpose(plait_none()), PLAIT_E_ARGUMENT, "PLAIT_NONE");
    assert_fails_null(plait_slice(plait_num(1), 0, 0, 1, 1), PLAIT_E_ARGUMENT, "is a number");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_views), cmocka_unit_test(slices), cmocka_unit_test(stored_views),
        cmocka_unit_test(constants),    cmocka_unit_test(empty),  cmocka_unit_test(same_array),
        cmocka_unit_test(errors),
    };
    ctx = fake_open(NULL);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    assert_ok(plait_close(ctx));
    return failed;
}
