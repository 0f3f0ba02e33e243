/* opts.track_leaks: what plait_close says about arrays that nobody has released. */
#include "testing.h"

#include <plait/create.h>
#include <plait/ops.h>

#include "fake_engine.h"

static char said[4000];

static void listen(void *user, plait_log_level level, const char *line)
{
    (void)user;
    (void)level;
    strncat(said, line, sizeof said - strlen(said) - 2);
    strcat(said, "\n");
}

static plait_ctx *open_tracking(bool track)
{
    said[0] = '\0';
    plait_ctx_opts o = PLAIT_CTX_OPTS;
    o.track_leaks = track;
    o.log = listen;
    return fake_open(&o);
}

static void says(const char *words)
{
    if (strstr(said, words) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", said, words);
    }
}

static void lists_what_is_kept(void **state)
{
    (void)state;
    plait_ctx *ctx = open_tracking(true);
    plait_array *leaked, *slot = NULL;
    int keep_line, assign_line;
    {
        PLAIT_SCOPE;
        plait_array *a = plait_zeros(ctx, PLAIT_SHAPE(3, 4), PLAIT_F32);
        plait_negative(a);
        keep_line = __LINE__ + 1;
        leaked = plait_keep(a);
        assign_line = __LINE__ + 1;
        assert_ok(plait_assign(&slot, plait_ones(ctx, PLAIT_SHAPE(2), PLAIT_I64)));
        assert_ok(plait_release(plait_keep(plait_negative(a))));
    }
    plait_array *(*keep)(plait_array *) = plait_keep;
    plait_array *without_line = keep(plait_ones(ctx, PLAIT_SCALAR_SHAPE, PLAIT_U8));
    assert_ok(plait_close(ctx));
    says("plait_close: 3 arrays are still kept");
    char expected[200];
    snprintf(expected, sizeof expected, "f32 (3, 4), kept at %s:%d\n", __FILE__, keep_line);
    says(expected);
    snprintf(expected, sizeof expected, "i64 (2,), kept at %s:%d\n", __FILE__, assign_line);
    says(expected);
    says("u8 (), kept\n");
    assert_ok(plait_release(leaked));
    assert_ok(plait_release(slot));
    assert_ok(plait_release(without_line));
}

static void silent_where_nothing_is(void **state)
{
    (void)state;
    plait_ctx *ctx = open_tracking(true);
    plait_negative(plait_zeros(ctx, PLAIT_SHAPE(3), PLAIT_F32)); /* in the root scope, which plait_close empties */
    assert_ok(plait_close(ctx));
    assert_string_equal(said, "");

    ctx = open_tracking(false);
    plait_array *leaked = plait_keep(plait_zeros(ctx, PLAIT_SHAPE(3), PLAIT_F32));
    assert_ok(plait_close(ctx));
    assert_string_equal(said, "");
    assert_ok(plait_release(leaked));
}

static void many(void **state)
{
    (void)state;
    plait_ctx *ctx = open_tracking(true);
    plait_array *leaked[30];
    for (int i = 0; i < 30; i++) {
        leaked[i] = plait_keep(plait_zeros(ctx, PLAIT_SHAPE(3), PLAIT_F32));
    }
    assert_ok(plait_close(ctx));
    says("30 arrays are still kept");
    says("\n  ...\n");
    for (int i = 0; i < 30; i++) {
        assert_ok(plait_release(leaked[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_what_is_kept),
        cmocka_unit_test(silent_where_nothing_is),
        cmocka_unit_test(many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
