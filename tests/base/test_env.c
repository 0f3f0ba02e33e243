#include "testing.h"

#include "env.h"

#define NAME "PLAIT_TEST_VARIABLE"

static void texts(void **state)
{
    (void)state;
    unsetenv(NAME);
    assert_null(plait__env_text(NAME));
    setenv(NAME, "", 1);
    assert_null(plait__env_text(NAME));
    setenv(NAME, "x", 1);
    assert_string_equal(plait__env_text(NAME), "x");
}

static void sizes(void **state)
{
    (void)state;
    uint64_t size = 1;
    unsetenv(NAME);
    assert_ok(plait__env_size(&size, NAME, 77));
    assert_int_equal(size, 77);
    setenv(NAME, "512M", 1);
    assert_ok(plait__env_size(&size, NAME, 77));
    assert_int_equal(size, 512 << 20);
    setenv(NAME, "lots", 1);
    assert_fails(plait__env_size(&size, NAME, 77), PLAIT_E_ARGUMENT, NAME " is \"lots\"");
    assert_int_equal(size, 77);
    plait_clear_error();
}

static void booleans(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool value;
    } rows[] = {{"1", true},   {"0", false},  {"true", true}, {"FALSE", false},
                {"Yes", true}, {"no", false}, {"on", true},   {"off", false}};
    bool value = false;
    unsetenv(NAME);
    assert_ok(plait__env_bool(&value, NAME, true));
    assert_true(value);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        setenv(NAME, rows[i].text, 1);
        assert_ok(plait__env_bool(&value, NAME, !rows[i].value));
        assert_int_equal(value, rows[i].value);
    }
    setenv(NAME, "2", 1);
    assert_fails(plait__env_bool(&value, NAME, true), PLAIT_E_ARGUMENT, NAME " is \"2\"");
    assert_true(value);
    plait_clear_error();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts),
        cmocka_unit_test(sizes),
        cmocka_unit_test(booleans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
