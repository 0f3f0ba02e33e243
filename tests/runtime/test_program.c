/* Programs: building, what is said when that fails, includes and defines, and that one text is built once. */
#include "device_testing.h"

#include <plait/kernel.h>

#include <sys/stat.h>
#include <unistd.h>

#include "runtime.h"

static plait_ctx *ctx;
static char *folder;

static int open_all(void **state)
{
    (void)state;
    folder = test_folder_make();
    plait_ctx_opts o = PLAIT_CTX_OPTS;
    o.cache_folder = ""; /* what is in no cache cannot come from one */
    assert_ok(plait_open(&ctx, &o));
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    assert_ok(plait_close(ctx));
    test_folder_remove(folder);
    return 0;
}

static uint64_t builds(void)
{
    plait_stats s = PLAIT_STATS;
    assert_ok(plait_ctx_stats(ctx, &s));
    return s.source_builds;
}

static const char *put(const char *name, const char *text)
{
    const char *path = test_path(folder, name);
    test_file_write(path, text, strlen(text));
    return path;
}

static void kernels_and_their_parameters(void **state)
{
    (void)state;
    plait_program *p;
    const char *source =
        "typedef struct { int a; float b; } pair;\n"
        "kernel void zeta(global float *out, const global uchar *in, constant int *table,\n"
        "                 local float4 *scratch, uint n, float4 v, pair s, long big) { out[0] = v.x; }\n"
        "kernel void alpha(global int *x) { *x = 1; }\n"
        "kernel void middle(global pair *p) { p->a = 1; }\n";
    assert_ok(plait_program_from_source(&p, ctx, source, NULL));
    assert_false(plait_program_cached(p));
    assert_int_equal(plait_program_kernel_count(p), 3);
    assert_string_equal(plait_program_kernel_name(p, 0), "zeta");
    assert_string_equal(plait_program_kernel_name(p, 1), "alpha");
    assert_string_equal(plait_program_kernel_name(p, 2), "middle");
    assert_null(plait_program_kernel_name(p, 3));
    plait_kernel *k;
    assert_ok(plait_kernel_create(&k, p, "zeta"));
    plait_program_release(p); /* the kernel keeps it */
    const struct {
        const char *name, *type;
        plait_param_kind kind;
        bool is_const;
        plait_dtype dtype;
        size_t bytes;
    } wanted[] = {
        {"out", "float*", PLAIT_PARAM_GLOBAL, false, PLAIT_F32, 4},
        {"in", "uchar*", PLAIT_PARAM_GLOBAL, true, PLAIT_U8, 1},
        {"table", "int*", PLAIT_PARAM_CONSTANT, true, PLAIT_I32, 4},
        {"scratch", "float4*", PLAIT_PARAM_LOCAL, false, PLAIT_DTYPE_DEFAULT, 16},
        {"n", "uint", PLAIT_PARAM_VALUE, false, PLAIT_U32, 4},
        {"v", "float4", PLAIT_PARAM_VALUE, false, PLAIT_DTYPE_DEFAULT, 16},
        {"s", "pair", PLAIT_PARAM_VALUE, false, PLAIT_DTYPE_DEFAULT, 0},
        {"big", "long", PLAIT_PARAM_VALUE, false, PLAIT_I64, 8},
    };
    assert_int_equal(plait_kernel_param_count(k), 8);
    for (size_t i = 0; i < 8; i++) {
        plait_param param;
        assert_ok(plait_kernel_param(k, i, &param));
        assert_string_equal(param.name, wanted[i].name);
        assert_string_equal(param.type, wanted[i].type);
        assert_int_equal(param.kind, wanted[i].kind);
        assert_int_equal(param.is_const, wanted[i].is_const);
        assert_int_equal(param.dtype, wanted[i].dtype);
        assert_int_equal(param.bytes, wanted[i].bytes);
    }
    plait_param none;
    assert_fails(plait_kernel_param(k, 8, &none), PLAIT_E_RANGE, "index 8; the kernel zeta has 8 parameters");
    assert_true(plait_kernel_max_group(k) >= 1);
    assert_string_equal(plait_kernel_name(k), "zeta");
    assert_ptr_equal(plait_kernel_ctx(k), ctx);
    plait_kernel_release(plait_kernel_retain(k));
    plait_kernel_release(k);
}

/* Some drivers cannot describe them, but every driver can run them. */
static void kernels_without_parameters(void **state)
{
    (void)state;
    plait_program *p;
    plait_kernel *k, *fill;
    plait_buffer *b;
    assert_ok(plait_program_from_source(&p, ctx,
                                        "kernel void nothing(void) {}\n"
                                        "kernel void fill(global int *x) { x[get_global_id(0)] = 7; }\n",
                                        NULL));
    assert_ok(plait_kernel_create(&k, p, "nothing"));
    assert_ok(plait_kernel_create(&fill, p, "fill"));
    assert_ok(plait_buffer_create(&b, ctx, 16, NULL));
    assert_int_equal(plait_kernel_param_count(k), 0);
    assert_ok(plait_launch_n(plait_ctx_queue(ctx), k, plait_grid_1d(4), NULL, 0, NULL));
    assert_ok(plait_launch(plait_ctx_queue(ctx), fill, PLAIT_GRID(4), PLAIT_BUFFER(b)));
    int values[4];
    assert_ok(plait_buffer_read(plait_ctx_queue(ctx), b, 0, values, sizeof values));
    assert_true(values[0] == 7 && values[3] == 7);
    plait_buffer_release(b);
    plait_kernel_release(fill);
    plait_kernel_release(k);
    plait_program_release(p);
}

static void unknown_kernels_list_those_there(void **state)
{
    (void)state;
    plait_program *p;
    plait_kernel *k;
    plait_program_opts o = PLAIT_PROGRAM_OPTS;
    o.name = "mine";
    assert_ok(plait_program_from_source(
        &p, ctx, "kernel void one(global int *x) { *x = 1; }\nkernel void two(global int *x) { *x = 2; }\n", &o));
    assert_fails(plait_kernel_create(&k, p, "tow"), PLAIT_E_KERNEL, "mine has no kernel \"tow\"; there are: one, two");
    assert_null(k);
    plait_program_release(p);
    assert_ok(plait_program_from_source(&p, ctx, "int helper(int x) { return x; }\n", NULL));
    assert_int_equal(plait_program_kernel_count(p), 0);
    assert_fails(plait_kernel_create(&k, p, "one"), PLAIT_E_KERNEL, "none at all");
    plait_program_release(p);
}

/* PoCL calls such a kernel "_cl_mix". */
static void a_kernel_may_be_named_like_a_builtin(void **state)
{
    (void)state;
    plait_program *p;
    plait_kernel *k;
    assert_ok(plait_program_from_source(&p, ctx, "kernel void mix(global float *x) { x[0] = 1; }\n", NULL));
    assert_string_equal(plait_program_kernel_name(p, 0), "mix");
    assert_ok(plait_kernel_create(&k, p, "mix"));
    assert_string_equal(plait_kernel_name(k), "mix");
    plait_kernel_release(k);
    plait_program_release(p);
}

static void errors_name_file_and_line(void **state)
{
    (void)state;
    plait_program *p;
    plait_program_opts o = PLAIT_PROGRAM_OPTS;
    o.name = "my kernel";
    assert_fails(plait_program_from_source(&p, ctx, "kernel void a(global int *x)\n{\n    x[0] = y;\n}\n", &o),
                 PLAIT_E_BUILD, "my kernel does not compile");
    assert_null(p);
    assert_says(plait_last_error(), "my kernel:3");
    assert_says(plait_last_error(), "'y'");

    put("part.h", "\n\nint broken(int x) { return x + ; }\n");
    const char *path = put("whole.cl", "#include \"part.h\"\nkernel void a(global int *x) { x[0] = broken(1); }\n");
    assert_fails(plait_program_from_file(&p, ctx, path, NULL), PLAIT_E_BUILD, "whole.cl does not compile");
    assert_says(plait_last_error(), "part.h:3");
    put("part.h", "int fine;\n");
    assert_fails(plait_program_from_source(&p, ctx, "kernel void a(void) {}\n", &(plait_program_opts){0}),
                 PLAIT_E_ARGUMENT, "PLAIT_");
    assert_fails(plait_program_from_file(&p, ctx, put("gone.cl", "#include \"../none/x.h\"\n"), NULL), PLAIT_E_BUILD,
                 "gone.cl:1: the included file \"../none/x.h\" was not found");
    /* Under a condition that holds, a missing file is the compiler's error, and the log names it. */
    assert_fails(plait_program_from_file(&p, ctx, put("if.cl", "#if 1\n#include \"x.h\"\n#endif\n"), NULL),
                 PLAIT_E_BUILD, "x.h: included, but not found; looked for: ");
}

static void long_logs_are_kept_whole(void **state)
{
    (void)state;
    char *text = malloc(40000), *to = text;
    assert_non_null(text);
    for (int i = 0; i < 400; i++) {
        to += sprintf(to, "#warning this is the warning with the number <%d>\n", i);
    }
    sprintf(to, "#error the end\n");
    plait_program *p;
    assert_fails(plait_program_from_source(&p, ctx, text, NULL), PLAIT_E_BUILD, "number <0>");
    assert_says(plait_last_error(), "number <399>");
    assert_says(plait_last_error(), "the end");
    strcpy(to, "kernel void a(global int *x) { *x = 1; }\n");
    assert_ok(plait_program_from_source(&p, ctx, text, NULL));
    bool mute = strcmp(plait_ctx_device(ctx)->platform_name, "rusticl") == 0; /* about programs that compile */
    assert_says(plait_program_log(p), mute ? "" : "number <399>");
    plait_program_release(p);
    free(text);
}

static int32_t value_of(const char *source, const plait_program_opts *o)
{
    plait_program *p;
    plait_kernel *k;
    plait_buffer *b;
    int32_t value = -1;
    assert_ok(plait_program_from_source(&p, ctx, source, o));
    assert_ok(plait_kernel_create(&k, p, "value"));
    assert_ok(plait_buffer_create(&b, ctx, sizeof value, NULL));
    assert_ok(plait_launch(plait_ctx_queue(ctx), k, PLAIT_GRID(1), PLAIT_BUFFER(b)));
    assert_ok(plait_buffer_read(plait_ctx_queue(ctx), b, 0, &value, sizeof value));
    plait_buffer_release(b);
    plait_kernel_release(k);
    plait_program_release(p);
    return value;
}

static void defines_and_options_reach_the_compiler(void **state)
{
    (void)state;
    const char *defines[] = {"NAME=\"it's \\\"a b\\\"\"", "TWICE(x)=((x) * 2)", "ON"};
    plait_program_opts o = PLAIT_PROGRAM_OPTS;
    o.defines = defines;
    o.n_defines = 3;
    o.options = "-DBY_OPTION=100 -cl-mad-enable";
    const char *source = "constant char name[] = NAME;\n"
                         "kernel void value(global int *out) { out[0] = sizeof name + TWICE(10) + ON + BY_OPTION; }\n";
    assert_int_equal(value_of(source, &o), 11 + 20 + 1 + 100);
    plait_program *p;
    o.options = "-this-is-no-option";
    assert_fails(plait_program_from_source(&p, ctx, source, &o), PLAIT_E_BUILD, "-this-is-no-option");
    o.n_defines = 1;
    o.defines = NULL;
    assert_fails(plait_program_from_source(&p, ctx, source, &o), PLAIT_E_NULL, "opts.defines is NULL");
}

static void files_with_odd_names(void **state)
{
    (void)state;
    assert_int_equal(mkdir(test_path(folder, "Ümlaut und Platz"), 0700), 0);
    put("Ümlaut und Platz/a b.h", "int broken(int x) { return x + ; }\n");
    const char *path = put("Ümlaut und Platz/k k.cl", "#include \"a b.h\"\n");
    plait_program *p;
    assert_fails(plait_program_from_file(&p, ctx, path, NULL), PLAIT_E_BUILD, "Ümlaut und Platz/a b.h:1");
}

static void bad_arguments(void **state)
{
    (void)state;
    plait_program *p;
    plait_kernel *k;
    const char *source = "kernel void value(global int *out) { out[0] = 1; }\n";
    assert_fails(plait_program_from_source(NULL, ctx, source, NULL), PLAIT_E_NULL, "out");
    assert_fails(plait_program_from_source(&p, NULL, source, NULL), PLAIT_E_NULL, "ctx");
    assert_fails(plait_program_from_source(&p, ctx, NULL, NULL), PLAIT_E_NULL, "source");
    assert_fails(plait_program_from_source(&p, ctx, " \n", NULL), PLAIT_E_ARGUMENT, "empty");
    assert_fails(plait_program_from_file(&p, ctx, NULL, NULL), PLAIT_E_NULL, "path");
    assert_fails(plait_program_from_file(&p, ctx, test_path(folder, "none.cl"), NULL), PLAIT_E_IO, "none.cl");
    assert_fails(plait_program_from_file(&p, ctx, folder, NULL), PLAIT_E_IO, folder);
    assert_fails(plait_program_from_file(&p, ctx, put("empty.cl", ""), NULL), PLAIT_E_ARGUMENT, "empty.cl is empty");
    test_file_write(test_path(folder, "nul.cl"), "kernel\0", 7);
    assert_fails(plait_program_from_file(&p, ctx, test_path(folder, "nul.cl"), NULL), PLAIT_E_BUILD, "NUL byte");
    assert_fails(plait_kernel_create(&k, NULL, "x"), PLAIT_E_NULL, "program");
    assert_fails_null(plait_program_retain(NULL), PLAIT_E_NULL, "program");
    assert_fails_null(plait_kernel_retain(NULL), PLAIT_E_NULL, "kernel");
    plait_program_release(NULL);
    plait_kernel_release(NULL);
    assert_int_equal(plait_program_kernel_count(NULL), 0);
    assert_int_equal(value_of(source, NULL), 1); /* the context has taken no harm */
}

static void one_text_is_built_once(void **state)
{
    (void)state;
    const char *source = "kernel void value(global int *out) { out[0] = 7; }\n";
    uint64_t before = builds();
    plait_program *a, *b, *c;
    assert_ok(plait_program_from_source(&a, ctx, source, NULL));
    assert_ok(plait_program_from_source(&b, ctx, source, NULL));
    assert_ptr_equal(a, b);
    plait_program_opts o = PLAIT_PROGRAM_OPTS;
    o.options = "-DX";
    assert_ok(plait_program_from_source(&c, ctx, source, &o));
    assert_ptr_not_equal(a, c);
    assert_int_equal(builds() - before, 2);
    plait_program_release(a);
    plait_program_release(b);
    plait_program_release(c);
    /* Nobody holds it any more: it is made anew. */
    assert_ok(plait_program_from_source(&a, ctx, source, NULL));
    assert_int_equal(builds() - before, 3);
    plait_program_release(a);
    /* A failure is not kept either. */
    for (int i = 0; i < 2; i++) {
        assert_fails(plait_program_from_source(&a, ctx, "kernel void broken(", NULL), PLAIT_E_BUILD,
                     "does not compile");
    }
    assert_int_equal(builds() - before, 5);
}

static void generated_programs_stay(void **state)
{
    (void)state;
    const char *text =
        "kernel void first(global int *out) { out[0] = 1; }\nkernel void second(global int *out) { out[0] = 2; }\n";
    uint64_t before = builds();
    plait_program *p, *q;
    assert_ok(plait__program_get(ctx, "generated", text, strlen(text), "", &p));
    assert_ok(plait__program_get(ctx, "other name", text, strlen(text), "", &q));
    assert_ptr_equal(p, q);
    plait_kernel *k, *l;
    assert_ok(plait__kernel_get(ctx, "generated", text, strlen(text), "", "second", &k));
    assert_ok(plait__kernel_get(ctx, "generated", text, strlen(text), "", "second", &l));
    assert_ptr_equal(k, l);
    assert_int_equal(builds() - before, 1);
    assert_fails(plait__kernel_get(ctx, "generated", text, strlen(text), "", "third", &l), PLAIT_E_KERNEL,
                 "there are: first, second");
    assert_fails(plait__program_get(ctx, "bad one", "kernel int", 10, "", &q), PLAIT_E_BUILD,
                 "bad one does not compile");
}

static void what_is_held_outlives_the_context(void **state)
{
    (void)state;
    plait_ctx *other;
    plait_ctx_opts o = PLAIT_CTX_OPTS;
    o.cache_folder = "";
    assert_ok(plait_open(&other, &o));
    plait_program *p;
    plait_kernel *k, *l;
    assert_ok(plait_program_from_source(&p, other, "kernel void value(global int *out) { out[0] = 1; }\n", NULL));
    assert_ok(plait_kernel_create(&k, p, "value"));
    assert_ok(plait_close(other));
    assert_fails(plait_kernel_create(&l, p, "value"), PLAIT_E_CLOSED, "closed");
    assert_null(l);
    assert_string_equal(plait_kernel_name(k), "value");
    assert_fails(plait_launch(plait_ctx_queue(ctx), k, PLAIT_GRID(1), PLAIT_INT(1)), PLAIT_E_CLOSED, "closed");
    plait_program_release(p);
    plait_kernel_release(k);
}

int main(void)
{
    plait_close(open_or_skip());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_and_their_parameters),
        cmocka_unit_test(kernels_without_parameters),
        cmocka_unit_test(unknown_kernels_list_those_there),
        cmocka_unit_test(a_kernel_may_be_named_like_a_builtin),
        cmocka_unit_test(errors_name_file_and_line),
        cmocka_unit_test(long_logs_are_kept_whole),
        cmocka_unit_test(defines_and_options_reach_the_compiler),
        cmocka_unit_test(files_with_odd_names),
        cmocka_unit_test(bad_arguments),
        cmocka_unit_test(one_text_is_built_once),
        cmocka_unit_test(generated_programs_stay),
        cmocka_unit_test(what_is_held_outlives_the_context),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
