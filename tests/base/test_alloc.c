#include "testing.h"

#include "alloc.h"

#include <plait/status.h>

static void sizes_of_zero_give_a_pointer(void **state)
{
    (void)state;
    void *blocks[] = {plait__malloc(0), plait__calloc(0, 8), plait__alloc_array(0, 8), plait__memdup(NULL, 0)};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        assert_non_null(blocks[i]);
        free(blocks[i]);
    }
}

static void products_that_overflow_are_refused(void **state)
{
    (void)state;
    assert_fails_null(plait__calloc(SIZE_MAX / 2, 3), PLAIT_E_NO_MEMORY, "items of 3 bytes");
    assert_fails_null(plait__alloc_array(SIZE_MAX, 2), PLAIT_E_NO_MEMORY, "items of 2 bytes");
    size_t capacity = 0;
    assert_fails_null(plait__grow(NULL, &capacity, SIZE_MAX / 4, 16), PLAIT_E_NO_MEMORY, "items of 16 bytes");
    assert_int_equal(capacity, 0);
    plait_clear_error();
}

static void the_nth_allocation_fails_once(void **state)
{
    (void)state;
    plait__alloc_fail_at(3);
    void *a = plait__malloc(8);
    void *b = plait__calloc(1, 8);
    assert_non_null(a);
    assert_non_null(b);
    assert_int_equal(plait__alloc_fail_pending(), 1);
    assert_fails_null(plait__malloc(12345), PLAIT_E_NO_MEMORY, "12345");
    assert_int_equal(plait__alloc_fail_pending(), 0);
    void *c = plait__malloc(8);
    assert_non_null(c);

    plait__alloc_fail_at(1);
    assert_null(plait__realloc(a, 1000000));
    memset(a, 1, 8); /* still there */
    plait__alloc_fail_at(1);
    assert_null(plait__strdup("x"));
    plait__alloc_fail_at(2);
    plait__alloc_fail_at(0);
    void *d = plait__malloc(8);
    void *e = plait__malloc(8);
    assert_non_null(d);
    assert_non_null(e);
    free(a);
    free(b);
    free(c);
    free(d);
    free(e);
    plait_clear_error();
}

static void copies(void **state)
{
    (void)state;
    char *a = plait__strdup("abc");
    char *b = plait__strndup("abcdef", 2);
    char *c = plait__memdup("a\0b", 3);
    assert_string_equal(a, "abc");
    assert_string_equal(b, "ab");
    assert_memory_equal(c, "a\0b", 3);
    free(a);
    free(b);
    plait_free(c);
    plait_free(NULL);
}

static void arrays_grow_and_keep_their_contents(void **state)
{
    (void)state;
    int *items = NULL;
    size_t capacity = 0;
    size_t moves = 0;
    for (size_t n = 0; n < 10000; n++) {
        size_t before = capacity;
        int *grown = plait__grow(items, &capacity, n + 1, sizeof *items);
        assert_non_null(grown);
        moves += capacity != before;
        items = grown;
        assert_true(capacity > n);
        items[n] = (int)n;
    }
    for (size_t n = 0; n < 10000; n++) {
        assert_int_equal(items[n], (int)n);
    }
    assert_true(moves < 30);

    size_t kept = capacity;
    plait__alloc_fail_at(1);
    assert_null(plait__grow(items, &capacity, capacity + 1, sizeof *items));
    assert_int_equal(capacity, kept);
    assert_int_equal(items[9999], 9999);
    free(items);
    plait_clear_error();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_of_zero_give_a_pointer),        cmocka_unit_test(products_that_overflow_are_refused),
        cmocka_unit_test(the_nth_allocation_fails_once),       cmocka_unit_test(copies),
        cmocka_unit_test(arrays_grow_and_keep_their_contents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
