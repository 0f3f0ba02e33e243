#include "testing.h"

#include "alloc.h"
#include "strbuf.h"

static void text_is_put_together(void **state)
{
    (void)state;
    plait__strbuf s = {0};
    assert_string_equal(plait__strbuf_text(&s), "");
    plait__strbuf_add(&s, "ab");
    plait__strbuf_add_char(&s, 'c');
    plait__strbuf_add_bytes(&s, "def", 2);
    plait__strbuf_printf(&s, "[%d %s]", 42, "x");
    plait__strbuf_add(&s, "");
    assert_string_equal(plait__strbuf_text(&s), "abcde[42 x]");
    assert_int_equal(s.length, 11);
    plait__strbuf_truncate(&s, 5);
    plait__strbuf_add_f64(&s, 0.1);
    plait__strbuf_add_char(&s, ' ');
    plait__strbuf_add_f32(&s, 0.1f);
    plait__strbuf_add_char(&s, ' ');
    plait__strbuf_add_hex(&s, -0.75);
    char *text = plait__strbuf_take(&s);
    assert_string_equal(text, "abcde0.1 0.1 -0x1.8p-1");
    free(text);

    /* Taken, it is empty and can be used again. */
    assert_int_equal(s.length, 0);
    text = plait__strbuf_take(&s);
    assert_string_equal(text, "");
    free(text);
    plait__strbuf_truncate(&s, 0);
    plait__strbuf_free(&s);
}

static void long_texts(void **state)
{
    (void)state;
    plait__strbuf s = {0};
    for (int i = 0; i < 20000; i++) {
        plait__strbuf_printf(&s, "%d,", i % 10);
    }
    assert_int_equal(s.length, 40000);
    assert_int_equal(strlen(s.text), 40000);
    assert_int_equal(s.text[39998], '9');
    plait__strbuf_free(&s);
    assert_null(s.text);
}

static bool build(void)
{
    plait__strbuf s = {0};
    for (int i = 0; i < 200; i++) {
        plait__strbuf_add(&s, "some text ");
        plait__strbuf_printf(&s, "%d\n", i);
        plait__strbuf_add_f64(&s, 1.5);
    }
    bool failed = s.status != PLAIT_OK;
    assert_int_equal(s.status, failed ? PLAIT_E_NO_MEMORY : PLAIT_OK);
    char *text = plait__strbuf_take(&s);
    assert_int_equal(text == NULL, failed);
    free(text);
    return !failed;
}

static void the_first_failure_sticks(void **state)
{
    (void)state;
    int64_t n = 1;
    for (;; n++) {
        plait_clear_error();
        plait__alloc_fail_at(n);
        bool good = build();
        if (plait__alloc_fail_pending() > 0) {
            assert_true(good);
            break;
        }
        assert_false(good);
        assert_on_record(PLAIT_E_NO_MEMORY, "host memory is exhausted");
    }
    plait__alloc_fail_at(0);
    assert_true(n > 5);

    /* A later addition does not pretend that nothing was lost. */
    plait__strbuf s = {0};
    plait__alloc_fail_at(1);
    plait__strbuf_add(&s, "lost");
    plait__strbuf_add(&s, "kept");
    assert_int_equal(s.status, PLAIT_E_NO_MEMORY);
    assert_string_equal(plait__strbuf_text(&s), "");
    assert_null(plait__strbuf_take(&s));
    assert_int_equal(s.status, PLAIT_OK);
    plait_clear_error();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_put_together),
        cmocka_unit_test(long_texts),
        cmocka_unit_test(the_first_failure_sticks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
