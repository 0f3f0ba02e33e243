#include "testing.h"

#include "alloc.h"
#include "error.h"
#include "logger.h"

static char lines[8][2048];
static plait_log_level levels[8];
static size_t n_lines;

static void keep(void *user, plait_log_level level, const char *line)
{
    assert_string_equal(user, "user");
    levels[n_lines] = level;
    snprintf(lines[n_lines++], sizeof lines[0], "%s", line);
    plait__fail(PLAIT_E_IO, "the callback's own trouble");
}

static void levels_are_filtered(void **state)
{
    (void)state;
    char user[] = "user";
    plait__logger logger = {.fn = keep, .user = user};
    n_lines = 0;
    plait__log(&logger, PLAIT_LOG_INFO, "not seen");
    plait__log(&logger, PLAIT_LOG_WARNING, "seen %d", 1);
    plait__log(&logger, PLAIT_LOG_ERROR, "seen 2");
    assert_int_equal(n_lines, 2);
    assert_string_equal(lines[0], "seen 1");
    assert_int_equal(levels[0], PLAIT_LOG_WARNING);
    assert_int_equal(levels[1], PLAIT_LOG_ERROR);

    logger.level = PLAIT_LOG_DEBUG;
    assert_true(plait__log_wanted(&logger, PLAIT_LOG_DEBUG));
    logger.level = PLAIT_LOG_ERROR;
    assert_false(plait__log_wanted(&logger, PLAIT_LOG_WARNING));

    plait__logger silent = {0};
    plait__log(&silent, PLAIT_LOG_ERROR, "nowhere");
    plait__log(NULL, PLAIT_LOG_ERROR, "nowhere");
    assert_int_equal(n_lines, 2);
}

static void one_line_at_a_time(void **state)
{
    (void)state;
    char user[] = "user";
    plait__logger logger = {.fn = keep, .user = user};
    n_lines = 0;
    plait__log(&logger, PLAIT_LOG_WARNING, "a\n\nbb\n%s\n", "ccc");
    assert_int_equal(n_lines, 3);
    assert_string_equal(lines[0], "a");
    assert_string_equal(lines[1], "bb");
    assert_string_equal(lines[2], "ccc");
}

static void long_lines_and_no_memory(void **state)
{
    (void)state;
    char user[] = "user";
    plait__logger logger = {.fn = keep, .user = user};
    char text[1501];
    memset(text, 'y', 1500);
    text[1500] = '\0';
    n_lines = 0;
    plait__log(&logger, PLAIT_LOG_WARNING, "%s", text);
    assert_string_equal(lines[0], text);
    plait__alloc_fail_at(1);
    plait__log(&logger, PLAIT_LOG_WARNING, "%s", text);
    plait__alloc_fail_at(0);
    assert_int_equal(n_lines, 2);
    assert_true(strlen(lines[1]) >= 500);
}

static void the_last_error_is_left_alone(void **state)
{
    (void)state;
    char user[] = "user";
    plait__logger logger = {.fn = keep, .user = user};
    n_lines = 0;
    plait__fail(PLAIT_E_SHAPE, "mine");
    plait__log(&logger, PLAIT_LOG_WARNING, "x");
    assert_int_equal(n_lines, 1);
    assert_string_equal(plait_last_error(), "mine");
    plait_clear_error();
    plait__log(&logger, PLAIT_LOG_WARNING, "x");
    assert_int_equal(plait_last_status(), PLAIT_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_are_filtered),
        cmocka_unit_test(one_line_at_a_time),
        cmocka_unit_test(long_lines_and_no_memory),
        cmocka_unit_test(the_last_error_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
