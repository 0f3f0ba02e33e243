/* Nodes: references, states, storage, and ends of long chains. */
#include "testing.h"

#include "alloc.h"
#include "family.h"
#include "node.h"

#define NO_SHAPE (&(plait_dims){0})

static plait_array *leaf(void)
{
    plait_array *a = plait__node_create(NULL, PLAIT__NODE_NUMBER, PLAIT_F64, NO_SHAPE, NULL, 0);
    assert_non_null(a);
    return a;
}

static plait_array *above(plait_array *const *in, size_t n)
{
    plait_array *a = plait__node_create(NULL, PLAIT__NODE_ELEMENTWISE, PLAIT_F64, NO_SHAPE, in, n);
    assert_non_null(a);
    return a;
}

/* A chain deeper than any stack could follow by recursion is freed, and a node in its middle outlives it. */
static void long_chain(void **state)
{
    (void)state;
    plait_array *chain = leaf(), *middle = NULL;
    for (int i = 0; i < 1000000; i++) {
        plait_array *next = above(&chain, 1);
        plait__node_release(chain);
        chain = next;
        if (i == 500000) {
            middle = plait__node_retain(chain);
        }
    }
    assert_int_equal(chain->height, 1000000);
    plait__node_release(chain);
    assert_int_equal(atomic_load(&middle->refs), 1);
    plait__node_release(middle);
}

/* Both inputs the same, 2^100 paths: each node is freed once. */
static void diamonds(void **state)
{
    (void)state;
    plait_array *top = leaf();
    for (int i = 0; i < 100; i++) {
        plait_array *next = above((plait_array *const[]){top, top, top}, 3);
        assert_int_equal(atomic_load(&top->refs), 4);
        plait__node_release(top);
        top = next;
    }
    plait__node_release(top);
}

static void many_inputs(void **state)
{
    (void)state;
    plait_array *in[16];
    for (size_t i = 0; i < 16; i++) {
        in[i] = leaf();
    }
    plait_array *a = above(in, 16);
    for (size_t i = 0; i < 16; i++) {
        assert_ptr_equal(a->in[i], in[i]);
        plait__node_release(in[i]);
    }
    plait__node_release(a);
}

/* Ready: the inputs are gone, the storage is held, and what is built on it starts from height 0. */
static void becoming_ready(void **state)
{
    (void)state;
    plait_array *below = leaf();
    plait_array *a = above(&below, 1);
    assert_int_equal(a->height, 1);
    assert_false(plait__is_ready(a));
    plait__storage *storage = plait__storage_create(NULL);
    plait__layout layout = {.offset = 3};
    plait__node_set_ready(a, storage, &layout);
    assert_true(plait__is_ready(a));
    assert_int_equal(a->layout.offset, 3);
    assert_int_equal(atomic_load(&below->refs), 1);
    plait_array *on_top = above(&a, 1);
    assert_int_equal(on_top->height, 0);
    plait__storage_retain(storage);
    plait__node_release(a);
    assert_int_equal(atomic_load(&storage->refs), 2);
    plait__node_release(on_top);
    assert_int_equal(atomic_load(&storage->refs), 1);
    plait__storage_release(storage);
    plait__node_release(below);
}

static int released;

static void release_call(void *call)
{
    released += *(int *)call;
}

static void family_memory(void **state)
{
    (void)state;
    static const plait__family family = {.name = "test", .release_call = release_call};
    int call = 5;
    plait_array *a = leaf();
    a->family = &family;
    a->call = &call;
    a->n_out = 2;
    a->results = plait__calloc(2, sizeof *a->results);
    plait__storage *storage = plait__storage_create(NULL);
    a->results[1].storage = plait__storage_retain(storage);
    plait__node_release(a);
    assert_int_equal(released, 5);
    assert_int_equal(atomic_load(&storage->refs), 1);
    plait__storage_release(storage);
}

static void out_of_memory(void **state)
{
    (void)state;
    plait_array *in[16];
    for (size_t i = 0; i < 16; i++) {
        in[i] = leaf();
    }
    for (int64_t n = 1;; n++) {
        plait__alloc_fail_at(n);
        plait_array *a = plait__node_create(NULL, PLAIT__NODE_MAP, PLAIT_F64, NO_SHAPE, in, 16);
        bool done = plait__alloc_fail_pending() != 0;
        plait__alloc_fail_at(0);
        if (done) {
            assert_non_null(a);
            plait__node_release(a);
            break;
        }
        assert_null(a);
        assert_int_equal(plait_last_status(), PLAIT_E_NO_MEMORY);
        for (size_t i = 0; i < 16; i++) {
            assert_int_equal(atomic_load(&in[i]->refs), 1);
        }
    }
    for (size_t i = 0; i < 16; i++) {
        plait__node_release(in[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_chain),     cmocka_unit_test(diamonds),      cmocka_unit_test(many_inputs),
        cmocka_unit_test(becoming_ready), cmocka_unit_test(family_memory), cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
