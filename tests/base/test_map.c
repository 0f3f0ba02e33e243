#include "testing.h"

#include "alloc.h"
#include "hash.h"
#include "map.h"

static int values[5000];

/* The same operations on the map and on a plain table, which must agree at every step. */
static void agrees_with_a_plain_table(void **state)
{
    (void)state;
    plait__map map = {0};
    void *table[500] = {0};
    uint32_t random = 1;
    size_t count = 0;
    for (int step = 0; step < 100000; step++) {
        random = random * 1664525u + 1013904223u;
        uint32_t key = (random >> 8) % 500;
        /* Keys of 8 and of 24 bytes: inside of the slot and outside of it. */
        uint64_t name[3] = {key, ~(uint64_t)key, 7};
        size_t size = key % 2 == 0 ? 8 : 24;
        if ((random >> 24) % 3 != 0) {
            void *value = &values[step % 5000];
            void *displaced = &count;
            assert_ok(plait__map_set(&map, name, size, value, &displaced));
            assert_ptr_equal(displaced, table[key]);
            count += table[key] == NULL;
            table[key] = value;
        } else {
            assert_ptr_equal(plait__map_remove(&map, name, size), table[key]);
            count -= table[key] != NULL;
            table[key] = NULL;
        }
        assert_int_equal(map.count, count);
        random = random * 1664525u + 1013904223u;
        key = (random >> 8) % 500;
        uint64_t other[3] = {key, ~(uint64_t)key, 7};
        assert_ptr_equal(plait__map_get(&map, other, key % 2 == 0 ? 8 : 24), table[key]);
    }

    size_t cursor = 0;
    size_t seen = 0;
    plait__map_entry e;
    while (plait__map_next(&map, &cursor, &e)) {
        uint64_t key;
        memcpy(&key, e.key, sizeof key);
        assert_true(key < 500);
        assert_int_equal(e.key_size, key % 2 == 0 ? 8 : 24);
        assert_ptr_equal(e.value, table[key]);
        table[key] = NULL;
        seen++;
    }
    assert_int_equal(seen, count);
    plait__map_free(&map, NULL);
    assert_null(plait__map_get(&map, "x", 1));
}

static void texts_and_hashes_as_keys(void **state)
{
    (void)state;
    plait__map map = {0};
    assert_null(plait__map_get_text(&map, "a"));
    assert_null(plait__map_remove(&map, "a", 1));
    assert_ok(plait__map_set_text(&map, "", &values[0], NULL));
    assert_ok(plait__map_set_text(&map, "a name that is longer than sixteen bytes", &values[1], NULL));
    plait__hash128 key = plait__hash("k", 1);
    assert_ok(plait__map_set(&map, &key, sizeof key, &values[2], NULL));
    assert_ptr_equal(plait__map_get_text(&map, ""), &values[0]);
    assert_ptr_equal(plait__map_get_text(&map, "a name that is longer than sixteen bytes"), &values[1]);
    assert_null(plait__map_get_text(&map, "a name that is longer than sixteen byteS"));
    assert_ptr_equal(plait__map_get(&map, &key, sizeof key), &values[2]);
    assert_ptr_equal(plait__map_remove(&map, &key, sizeof key), &values[2]);
    assert_null(plait__map_get(&map, &key, sizeof key));
    plait__map_free(&map, NULL);
}

static void free_drops_the_values(void **state)
{
    (void)state;
    plait__map map = {0};
    for (int i = 0; i < 100; i++) {
        assert_ok(plait__map_set(&map, &i, sizeof i, malloc(1), NULL));
    }
    plait__map_free(&map, free);
    assert_int_equal(map.count, 0);
}

static void a_failed_set_changes_nothing(void **state)
{
    (void)state;
    plait__map map = {0};
    const char *name = "long enough to need a block of its own";
    for (int i = 0; i < 200; i++) {
        char key[64];
        snprintf(key, sizeof key, "%s %d", name, i);
        for (int64_t n = 1;; n++) {
            plait__alloc_fail_at(n);
            plait_status status = plait__map_set_text(&map, key, &values[i], NULL);
            if (plait__alloc_fail_pending() > 0) {
                plait__alloc_fail_at(0);
                assert_int_equal(status, PLAIT_OK);
                break;
            }
            assert_int_equal(status, PLAIT_E_NO_MEMORY);
            assert_int_equal(map.count, i);
            assert_null(plait__map_get_text(&map, key));
        }
    }
    assert_int_equal(map.count, 200);
    for (int i = 0; i < 200; i++) {
        char key[64];
        snprintf(key, sizeof key, "%s %d", name, i);
        assert_ptr_equal(plait__map_get_text(&map, key), &values[i]);
    }
    plait__map_free(&map, NULL);
    plait_clear_error();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_a_plain_table),
        cmocka_unit_test(texts_and_hashes_as_keys),
        cmocka_unit_test(free_drops_the_values),
        cmocka_unit_test(a_failed_set_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
