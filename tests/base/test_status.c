#include "testing.h"

#include "alloc.h"
#include "error.h"
#include "thread.h"

static void every_status_has_a_name_and_a_sentence(void **state)
{
    (void)state;
    assert_string_equal(plait_status_name(PLAIT_OK), "PLAIT_OK");
    assert_string_equal(plait_status_name(PLAIT_E_SHAPE), "PLAIT_E_SHAPE");
    assert_int_equal(PLAIT_E_SHAPE, 3);
    assert_string_equal(plait_status_text(PLAIT_E_SHAPE), "shapes do not fit together");
    for (int i = 0; i < PLAIT_STATUS_COUNT_; i++) {
        assert_int_equal(strncmp(plait_status_name((plait_status)i), "PLAIT_", 6), 0);
        assert_true(strlen(plait_status_text((plait_status)i)) > 3);
    }
    assert_string_equal(plait_status_name((plait_status)PLAIT_STATUS_COUNT_), "PLAIT_E_?");
    assert_string_equal(plait_status_name((plait_status)-1), "PLAIT_E_?");
    assert_string_equal(plait_status_text((plait_status)99), "unknown status");
}

static void a_failure_is_recorded_until_cleared_or_overwritten(void **state)
{
    (void)state;
    plait_clear_error();
    assert_string_equal(plait_last_error(), "");
    assert_int_equal(plait_last_status(), PLAIT_OK);
    assert_int_equal(plait__fail(PLAIT_E_AXIS, "f: axis %d is out of range", 7), PLAIT_E_AXIS);
    assert_string_equal(plait_last_error(), "f: axis 7 is out of range");
    assert_int_equal(plait_last_status(), PLAIT_E_AXIS);
    plait__fail(PLAIT_E_RANGE, "g: second");
    assert_string_equal(plait_last_error(), "g: second");
    plait_clear_error();
    assert_string_equal(plait_last_error(), "");
}

static void a_sentence_may_quote_the_one_it_replaces(void **state)
{
    (void)state;
    plait__fail(PLAIT_E_IO, "inner");
    plait__fail(PLAIT_E_BUILD, "outer (%s)", plait_last_error());
    assert_string_equal(plait_last_error(), "outer (inner)");
}

static void long_sentences_are_kept_whole(void **state)
{
    (void)state;
    const size_t size = 300000;
    char *log = malloc(size + 1);
    memset(log, 'x', size);
    log[size] = '\0';
    plait__fail(PLAIT_E_BUILD, "log: %s", log);
    assert_int_equal(strlen(plait_last_error()), size + 5);
    free(log);
}

static void without_memory_the_general_sentence_stands_in(void **state)
{
    (void)state;
    plait__fail(PLAIT_E_IO, "before");
    plait__alloc_fail_at(1);
    assert_int_equal(plait__fail(PLAIT_E_SHAPE, "shape %d", 3), PLAIT_E_SHAPE);
    assert_int_equal(plait__alloc_fail_pending(), 0);
    assert_string_equal(plait_last_error(), plait_status_text(PLAIT_E_SHAPE));
    plait__fail(PLAIT_E_SHAPE, "shape %d", 3);
    assert_string_equal(plait_last_error(), "shape 3");
}

static void null_is_recorded_only_without_a_cause(void **state)
{
    (void)state;
    plait_clear_error();
    assert_int_equal(plait__fail_null("plait_add", "a"), PLAIT_E_NULL);
    assert_string_equal(plait_last_error(), "plait_add: a is NULL");

    plait__fail(PLAIT_E_DTYPE, "first");
    assert_int_equal(plait__fail_null("plait_add", "a"), PLAIT_E_DTYPE);
    assert_string_equal(plait_last_error(), "first");
}

static void saving_and_restoring(void **state)
{
    (void)state;
    plait__fail(PLAIT_E_DTYPE, "kept %d", 1);
    plait__error saved = plait__error_save();
    assert_string_equal(plait_last_error(), "");
    plait__fail(PLAIT_E_IO, "other");
    plait__error_restore(&saved);
    assert_string_equal(plait_last_error(), "kept 1");
    assert_int_equal(plait_last_status(), PLAIT_E_DTYPE);

    saved = plait__error_save();
    plait__fail(PLAIT_E_IO, "other");
    plait__error_drop(&saved);
    assert_string_equal(plait_last_error(), "other");
    plait_clear_error();
}

static plait_status door(const void *pointer, int number)
{
    PLAIT__REQUIRE_ARG(pointer);
    PLAIT__REQUIRE(number > 0, PLAIT_E_ARGUMENT, "door: number is %d; give a positive one", number);
    return PLAIT_OK;
}

static void *door_ptr(void *pointer, int number)
{
    PLAIT__REQUIRE_ARG_PTR(pointer);
    PLAIT__REQUIRE_PTR(number > 0, PLAIT_E_ARGUMENT, "door_ptr: number is %d", number);
    return pointer;
}

static plait_status passes_on(const void *pointer)
{
    PLAIT__TRY(door(pointer, 1));
    return PLAIT_OK;
}

static void the_macros_at_the_door(void **state)
{
    (void)state;
    int x;
    plait_clear_error();
    assert_ok(door(&x, 1));
    assert_fails(door(NULL, 1), PLAIT_E_NULL, "door: pointer is NULL");
    assert_fails(door(&x, -2), PLAIT_E_ARGUMENT, "door: number is -2");
    assert_fails(passes_on(NULL), PLAIT_E_NULL, "door: pointer is NULL");
    assert_ok(passes_on(&x));
    assert_ptr_equal(door_ptr(&x, 1), &x);
    assert_fails_null(door_ptr(NULL, 1), PLAIT_E_NULL, "door_ptr: pointer is NULL");
    assert_fails_null(door_ptr(&x, 0), PLAIT_E_ARGUMENT, "number is 0");
    plait_clear_error();
}

static void fails_in_a_thread(void *argument)
{
    int number = *(int *)argument;
    char expected[32];
    snprintf(expected, sizeof expected, "thread %d", number);
    for (int i = 0; i < 100; i++) {
        plait__fail(PLAIT_E_IO, "thread %d", number);
        *(int *)argument |= strcmp(plait_last_error(), expected) != 0 ? 1000 : 0;
    }
}

/* Under AddressSanitizer this also shows that a thread's sentence goes with the thread. */
static void each_thread_has_its_own_error(void **state)
{
    (void)state;
    plait__fail(PLAIT_E_SHAPE, "main");
    plait__thread threads[4];
    int numbers[4] = {0, 1, 2, 3};
    for (int i = 0; i < 4; i++) {
        assert_ok(plait__thread_start(&threads[i], fails_in_a_thread, &numbers[i]));
    }
    for (int i = 0; i < 4; i++) {
        plait__thread_join(&threads[i]);
        assert_int_equal(numbers[i], i);
    }
    assert_string_equal(plait_last_error(), "main");
    plait_clear_error();
}

static void errno_texts(void **state)
{
    (void)state;
    char text[PLAIT__ERRNO_SIZE];
    assert_string_equal(plait__errno_text(2, text), "No such file or directory");
    assert_ptr_equal(plait__errno_text(123456, text), text);
    assert_non_null(strstr(text, "123456"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_has_a_name_and_a_sentence),
        cmocka_unit_test(a_failure_is_recorded_until_cleared_or_overwritten),
        cmocka_unit_test(a_sentence_may_quote_the_one_it_replaces),
        cmocka_unit_test(long_sentences_are_kept_whole),
        cmocka_unit_test(without_memory_the_general_sentence_stands_in),
        cmocka_unit_test(null_is_recorded_only_without_a_cause),
        cmocka_unit_test(saving_and_restoring),
        cmocka_unit_test(the_macros_at_the_door),
        cmocka_unit_test(each_thread_has_its_own_error),
        cmocka_unit_test(errno_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
