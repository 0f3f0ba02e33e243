/*
 * Every exported function with NULL, and with objects of a closed context: the right status, a sentence, and no crash.
 * The cases are null_cases.def's.
 */
#include "api_testing.h"

static plait_ctx *ctx;
static plait_queue *queue;
static plait_buffer *buffer;
static plait_event *event;
static plait_program *program;
static plait_kernel *kernel, *set;
static plait_array *x, *pending;
static plait_device_list *list;
static unsigned char bytes[256];
static const char *const path = "there/is/no/such/file";
static const size_t extent[3] = {4, 1, 1};
static plait_arg argument, in_out[2];

/* For results that nobody looks at. */
static plait_array *slot;
static plait_queue *new_queue;
static plait_buffer *new_buffer;
static plait_event *new_event;
static plait_program *new_program;
static plait_kernel *new_kernel;
static plait_stats stats = PLAIT_STATS;
static plait_times times;
static plait_param param;
static plait_dtype dtype;
static plait_npy npy;
static size_t size;
static bool flag;
static double number;
static int64_t integer;
static char *text;
static const plait_box box;

static plait_status launch(plait_arg arg)
{
    return plait_launch_n(queue, kernel, PLAIT_GRID(3), (const plait_arg[]){arg, arg}, 2, NULL);
}

static plait_status launch_set(plait_arg value)
{
    return plait_launch_n(queue, set, PLAIT_GRID(3), (const plait_arg[]){argument, value}, 2, NULL);
}

static plait_status call(plait_arg a, plait_arg b)
{
    return plait_call_n(&slot, 1, kernel, PLAIT_GRID(3), (const plait_arg[]){a, b}, 2);
}

static void prepare(void)
{
    static const char source[] = "kernel void twice(global const float *a, global float *b)\n"
                                 "{\n"
                                 "    b[get_global_id(0)] = 2 * a[get_global_id(0)];\n"
                                 "}\n"
                                 "kernel void set(global float *a, float value)\n"
                                 "{\n"
                                 "    a[get_global_id(0)] = value;\n"
                                 "}\n";
    static const float three[3] = {1, 2, 3};
    ctx = open_or_skip();
    assert_ok(plait_queue_create(&queue, ctx, NULL));
    assert_ok(plait_buffer_create(&buffer, ctx, 64, NULL));
    assert_ok(plait_buffer_fill(queue, buffer, 0, 64, "x", 1, &event));
    assert_ok(plait_program_from_source(&program, ctx, source, NULL));
    assert_ok(plait_kernel_create(&kernel, program, "twice"));
    assert_ok(plait_kernel_create(&set, program, "set"));
    x = plait_keep(plait_from_host(ctx, three, PLAIT_SHAPE(3), PLAIT_F32));
    pending = plait_keep(plait_add(x, x));
    assert_array(pending);
    argument = plait_arg_buffer(buffer);
    in_out[0] = plait_arg_in(x);
    in_out[1] = plait_arg_out(PLAIT_F32, PLAIT_SHAPE(3));
}

static void finish(void)
{
    assert_ok(plait_release(x));
    assert_ok(plait_release(pending));
    plait_kernel_release(kernel);
    plait_kernel_release(set);
    plait_program_release(program);
    plait_event_release(event);
    plait_buffer_release(buffer);
    plait_queue_release(queue);
}

/* ---- the cases ---- */

static void is_named(const char *function, const char *expression)
{
    if (strstr(plait_last_error(), function) == NULL) {
        fail_msg("%s: the sentence \"%s\" does not name %s", expression, plait_last_error(), function);
    }
}

static void check_status(plait_status found, plait_status wanted, const char *function, const char *expression)
{
    if (found != wanted || plait_last_status() != wanted) {
        fail_msg("%s gives %s, not %s; on record is \"%s\"", expression, plait_status_name(found),
                 plait_status_name(wanted), plait_last_error());
    }
    is_named(function, expression);
}

static void check_pointer(const void *found, plait_status wanted, const char *function, const char *expression)
{
    if (found != NULL) {
        fail_msg("%s is not NULL", expression);
    }
    check_status(plait_last_status(), wanted, function, expression);
}

static void check_fine(bool good, const char *expression)
{
    if (!good || plait_last_status() != PLAIT_OK) {
        fail_msg("%s: %s; on record is \"%s\"", expression, good ? "holds" : "does not hold", plait_last_error());
    }
}

static void null_is_refused(void **state)
{
    (void)state;
    /* Arguments that the function does not get to are only named where it stands in a launch or a call. */
#define AS_NAMED(name)                                                                                                 \
    (strncmp(#name, "plait_arg_", 10) == 0   ? strstr(#name, "in") || strstr(#name, "out") ? "plait_call" : "plait_l"  \
     : strcmp(#name, "plait_keep_at") == 0   ? "plait_keep"                                                            \
     : strcmp(#name, "plait_assign_at") == 0 ? "plait_assign"                                                          \
                                             : #name)
#define STATUS(name, expression)                                                                                       \
    plait_clear_error();                                                                                               \
    check_status(expression, PLAIT_E_NULL, AS_NAMED(name), #expression);
#define POINTER(name, expression)                                                                                      \
    plait_clear_error();                                                                                               \
    check_pointer(expression, PLAIT_E_NULL, AS_NAMED(name), #expression);
#define FINE(name, expression)                                                                                         \
    plait_clear_error();                                                                                               \
    check_fine(expression, #expression);
#define NULL_CASES
#include "null_cases.def"
#undef NULL_CASES
#undef AS_NAMED
#undef STATUS
#undef POINTER
#undef FINE
}

/* What went wrong before is the cause of a NULL: it stays on record, and actions return it. */
static void an_earlier_failure_stays(void **state)
{
    (void)state;
    plait_array *absent = plait_add(x, plait_zeros(ctx, PLAIT_SHAPE(4), PLAIT_F32));
    assert_null(absent);
    assert_int_equal(plait_last_status(), PLAIT_E_SHAPE);
    char sentence[1000];
    snprintf(sentence, sizeof sentence, "%s", plait_last_error());
#define STAYS(call)                                                                                                    \
    assert_null(call);                                                                                                 \
    assert_string_equal(plait_last_error(), sentence)
#define RETURNS(call)                                                                                                  \
    assert_int_equal(call, PLAIT_E_SHAPE);                                                                             \
    assert_string_equal(plait_last_error(), sentence)
    STAYS(plait_sqrt(absent));
    STAYS(plait_multiply(x, absent));
    STAYS(plait_where(x, absent, x));
    STAYS(plait_sum(absent));
    STAYS(plait_mean_axis(absent, 7));
    STAYS(plait_max_opt(x, absent, NULL));
    STAYS(plait_slice(absent, 0, 0, 1, 0));
    STAYS(plait_reshape(absent, PLAIT_SHAPE(3)));
    STAYS(plait_reshape(x, plait_array_shape(absent)));
    STAYS(plait_zeros(ctx, plait_array_shape(absent), PLAIT_F32));
    STAYS(plait_full(ctx, PLAIT_SHAPE(2), absent, PLAIT_F32));
    STAYS(plait_astype(absent, PLAIT_I32));
    STAYS(plait_matmul(absent, x));
    STAYS(plait_map("a + b", x, absent));
    STAYS(plait_call1(kernel, PLAIT_GRID(3), PLAIT_IN(absent), PLAIT_OUT(PLAIT_F32, PLAIT_SHAPE(3))));
    STAYS(plait_keep(absent));
    STAYS(plait_pass(absent));
    STAYS(plait_temp(absent));
    RETURNS(plait_eval(&absent, 1));
    RETURNS(plait_step(ctx, &absent, 1));
    RETURNS(plait_to_host(absent, bytes, 3, PLAIT_F32));
    RETURNS(plait_item(absent, &number));
    RETURNS(plait_to_text(absent, NULL, &text));
    RETURNS(plait_save_npy(path, absent));
    RETURNS(plait_assign(&slot, absent));
    assert_null(slot);
}

static void every_function_has_its_cases(void **state)
{
    (void)state;
    static const char *const with_null[] = {
#define STATUS(name, expression) #name,
#define POINTER(name, expression) #name,
#define FINE(name, expression) #name,
#define NO_CONTEXT(name) #name,
#define NULL_CASES
#include "null_cases.def"
#undef NULL_CASES
    };
    static const char *const closed[] = {
#define CLOSED_CASES
#include "null_cases.def"
#undef CLOSED_CASES
#undef STATUS
#undef POINTER
#undef FINE
#undef NO_CONTEXT
    };
    FILE *f = fopen(SYMBOLS, "r");
    assert_non_null(f);
    char name[200];
    size_t n = 0;
    while (fscanf(f, "%199s", name) == 1) {
        bool found[2] = {false, false};
        for (size_t i = 0; i < sizeof with_null / sizeof *with_null; i++) {
            found[0] |= strcmp(with_null[i], name) == 0;
        }
        for (size_t i = 0; i < sizeof closed / sizeof *closed; i++) {
            found[1] |= strcmp(closed[i], name) == 0;
        }
        if (!found[0] || !found[1]) {
            fail_msg("%s is exported, but null_cases.def has no case of it%s", name,
                     found[0] ? " with a closed context" : "");
        }
        n++;
    }
    fclose(f);
    assert_true(n > 100);
}

static void a_closed_context_is_told(void **state)
{
    (void)state;
    assert_ok(plait_close(ctx));
#define AS_NAMED(name) (strncmp(#name, "plait_arg_", 10) == 0 ? strstr(#name, "in") ? "plait_call" : "plait_l" : #name)
#define STATUS(name, expression)                                                                                       \
    plait_clear_error();                                                                                               \
    check_status(expression, PLAIT_E_CLOSED, AS_NAMED(name), #expression);
#define POINTER(name, expression)                                                                                      \
    plait_clear_error();                                                                                               \
    check_pointer(expression, PLAIT_E_CLOSED, AS_NAMED(name), #expression);
#define FINE(name, expression)                                                                                         \
    plait_clear_error();                                                                                               \
    check_fine(expression, #expression);
#define NO_CONTEXT(name)
#define CLOSED_CASES
#include "null_cases.def"
#undef CLOSED_CASES
    assert_null(new_queue);
    assert_null(new_event);
    assert_null(new_buffer);
    assert_null(new_program);
    assert_null(new_kernel);
    assert_null(slot);
    assert_null(text);
    /* After its last object the context itself is gone, without a leak or a second free (a sanitizer would tell). */
    finish();
}

int main(void)
{
    prepare();
    assert_ok(plait_device_list_create(&list));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_function_has_its_cases), cmocka_unit_test(null_is_refused),
        cmocka_unit_test(an_earlier_failure_stays), cmocka_unit_test(a_closed_context_is_told), /* the last one */
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    plait_device_list_release(list);
    return failed;
}
