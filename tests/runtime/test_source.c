/* Include expansion. No device is needed. */
#include "testing.h"

#include <plait/status.h>

#include <sys/stat.h>
#include <unistd.h>

#include "embedded.h"
#include "source.h"

static char *folder;

static int make_folder(void **state)
{
    (void)state;
    folder = test_folder_make();
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    test_folder_remove(folder);
    return 0;
}

static const char *put(const char *name, const char *text)
{
    const char *path = test_path(folder, name);
    test_file_write(path, text, strlen(text));
    return path;
}

static plait__source_request request_of(const char *name, const char *text)
{
    return (plait__source_request){
        .function = "test", .name = name, .text = text, .length = strlen(text), .options = ""};
}

/* Expands `text` as the file root.cl in the folder. */
static plait_status expand_root(const char *text, plait__source *out)
{
    plait__source_request r = request_of(put("root.cl", text), text);
    r.is_file = true;
    return plait__source_expand(&r, out);
}

static size_t count(const char *text, const char *part)
{
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at += strlen(part)) {
        n++;
    }
    return n;
}

/* The expansion with all #line directives and blank lines taken out. */
static char *plain(const char *text)
{
    char *out = strdup(text), *to = out;
    assert_non_null(out);
    for (const char *line = text; *line != 0;) {
        size_t length = strcspn(line, "\n");
        if (strspn(line, " ") < length && strncmp(line, "#line", 5) != 0) {
            memcpy(to, line, length);
            to += length;
            *to++ = '\n';
        }
        line += length + (line[length] == '\n');
    }
    *to = 0;
    return out;
}

static void assert_expands(const char *text, const char *expected)
{
    plait__source out;
    assert_ok(expand_root(text, &out));
    assert_int_equal(out.length, strlen(out.text));
    char *seen = plain(out.text);
    assert_string_equal(seen, expected);
    free(seen);
    free(out.text);
}

static void includes_are_replaced_once(void **state)
{
    (void)state;
    put("a.h", "int a;\n#include \"b.h\"\n");
    put("b.h", "int b;\n");
    assert_expands("#include \"a.h\"\n#include \"b.h\"\n#include \"./a.h\"\nint end;\n", "int a;\nint b;\nint end;\n");
    assert_expands("  #  include  \"b.h\"  \nint end;", "int b;\nint end;\n");
    assert_expands("/* first */ #include \"b.h\" // last\nint end;\n", "/* first */ \nint b;\n // last\nint end;\n");
    assert_expands("#inc\\\nlude \\\n \"b.h\"\nint end;\n", "int b;\nint end;\n");
    assert_expands("#include /* a comment\n over lines */ \"b.h\" /* and one\n that goes on */ int end;\n",
                   "int b;\n /* and one\n that goes on */ int end;\n");
}

static void cycles_end(void **state)
{
    (void)state;
    put("x.h", "#include \"y.h\"\nint x;\n");
    put("y.h", "#include \"x.h\"\nint y;\n");
    assert_expands("#include \"x.h\"\n#include \"root.cl\"\nint r;\n", "int y;\nint x;\nint r;\n");
}

static void a_link_to_a_file_is_that_file(void **state)
{
    (void)state;
    char target[4096];
    snprintf(target, sizeof target, "%s", put("real.h", "int real;\n"));
    const char *link = test_path(folder, "link.h");
    unlink(link);
    assert_int_equal(symlink(target, link), 0);
    assert_expands("#include \"real.h\"\n#include \"link.h\"\n", "int real;\n");
}

static void comments_and_strings_hide_directives(void **state)
{
    (void)state;
    const char *const texts[] = {
        "/*\n#include \"none.h\"\n*/\n",
        "// \\\n#include \"none.h\"\nint x;\n",
        "char s[] = \"\\\n#include \\\"none.h\\\"\";\n",
        "int x; #include \"none.h\"\n",
        "char q = '\"';\nchar r = '\\'';\n/* \" */\n",
        "#define TEXT \"/*\"\nint x; // */\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        plait__source out;
        assert_ok(expand_root(texts[i], &out));
        assert_non_null(strstr(out.text, texts[i])); /* untouched */
        free(out.text);
    }
    put("b.h", "int b;\n");
    assert_expands("char q = '\"';\n#include \"b.h\"\n", "char q = '\"';\nint b;\n");
    assert_expands("#define TEXT \"/*\"\n#include \"b.h\"\n", "#define TEXT \"/*\"\nint b;\n");
    assert_expands("#error it isn't\n#include \"b.h\"\n", "#error it isn't\nint b;\n");
    assert_expands("/* a */ /* \n */ #include \"b.h\"\n", "/* a */ /* \n */ \nint b;\n");
}

static void lines_are_told(void **state)
{
    (void)state;
    put("b.h", "int b;\n");
    plait__source out;
    assert_ok(expand_root("int a;\n#include \"b.h\"\nint c;\n", &out));
    char expected[9000], root[4096];
    snprintf(root, sizeof root, "%s", test_path(folder, "root.cl"));
    snprintf(expected, sizeof expected,
             "\n#line 1 \"%s\"\nint a;\n\n#line 1 \"%s\"\nint b;\n\n#line 2 \"%s\"\n\nint c;\n\n", root,
             test_path(folder, "b.h"), root);
    assert_string_equal(out.text, expected);
    free(out.text);

    /* A name that would end the directive's string, and a source string's name. */
    plait__source_request r = request_of("a\"b\\c", "int x;\n");
    assert_ok(plait__source_expand(&r, &out));
    assert_non_null(strstr(out.text, "#line 1 \"a\\\"b\\\\c\"\n"));
    free(out.text);
}

static void marks_and_line_ends_of_other_systems(void **state)
{
    (void)state;
    put("b.h", "\xEF\xBB\xBFint b;\r\nint c;\r\n");
    assert_expands("\xEF\xBB\xBF#include \"b.h\"\r\nint \\\r\nend;\r\n", "int b;\nint c;\nint \\\nend;\n");
}

static void paths_may_hold_anything(void **state)
{
    (void)state;
    assert_int_equal(mkdir(test_path(folder, "Größe mit Platz"), 0700), 0);
    put("Größe mit Platz/ein Kopf.h", "int kopf;\n#include \"zweiter.h\"\n");
    put("Größe mit Platz/zweiter.h", "int zwei;\n");
    assert_expands("#include \"Größe mit Platz/ein Kopf.h\"\n", "int kopf;\nint zwei;\n");
}

static void folders_are_searched_in_order(void **state)
{
    (void)state;
    assert_int_equal(mkdir(test_path(folder, "one"), 0700), 0);
    assert_int_equal(mkdir(test_path(folder, "two"), 0700), 0);
    put("one/f.h", "int one;\n");
    put("two/f.h", "int two;\n#include \"g.h\"\n");
    put("two/g.h", "int g;\n");
    char one[4096], two[4096];
    snprintf(one, sizeof one, "%s", test_path(folder, "one"));
    snprintf(two, sizeof two, "%s", test_path(folder, "two"));
    const char *const orders[][2] = {{one, two}, {two, one}};
    const char *const wants[] = {"int one;\n", "int two;\nint g;\n"};
    for (size_t i = 0; i < 2; i++) {
        plait__source_request r = request_of("s", "#include \"f.h\"\n");
        r.include_dirs = orders[i];
        r.n_include_dirs = 2;
        plait__source out;
        assert_ok(plait__source_expand(&r, &out));
        char *seen = plain(out.text);
        assert_string_equal(seen, wants[i]);
        free(seen);
        free(out.text);
    }
    /* The including file's own folder comes first, unless it is a string. */
    put("f.h", "int own;\n");
    const char *text = "#include \"f.h\"\n";
    plait__source_request r = request_of(put("root.cl", text), text);
    r.is_file = true;
    r.include_dirs = orders[0];
    r.n_include_dirs = 2;
    plait__source out;
    assert_ok(plait__source_expand(&r, &out));
    assert_non_null(strstr(out.text, "int own;"));
    free(out.text);
    /* An absolute path is taken as it is. */
    char absolute[9000];
    snprintf(absolute, sizeof absolute, "#include \"%s/f.h\"\n", two);
    r = request_of("s", absolute);
    assert_ok(plait__source_expand(&r, &out));
    assert_non_null(strstr(out.text, "int g;"));
    free(out.text);
}

static void a_missing_file_names_the_places(void **state)
{
    (void)state;
    plait__source out;
    char one[4096], words[9000];
    snprintf(one, sizeof one, "%s", test_path(folder, "nowhere"));
    const char *dirs[] = {one};
    const char *text = "int a;\n\n#include \"gone.h\"\n";
    plait__source_request r = request_of(put("root.cl", text), text);
    r.is_file = true;
    r.include_dirs = dirs;
    r.n_include_dirs = 1;
    snprintf(words, sizeof words,
             "root.cl:3: the included file \"gone.h\" was not found; looked for: %s/gone.h, %s/gone.h", folder, one);
    assert_fails(plait__source_expand(&r, &out), PLAIT_E_BUILD, words);
    assert_null(out.text);
    r = request_of("mine", text);
    assert_fails(plait__source_expand(&r, &out), PLAIT_E_BUILD, "mine:3: the included file \"gone.h\" was not found");
    assert_int_equal(mkdir(test_path(folder, "a_folder.h"), 0700), 0);
    assert_fails(expand_root("#include \"a_folder.h\"\n", &out), PLAIT_E_BUILD, "a_folder.h");
}

static void conditions_guard_includes(void **state)
{
    (void)state;
    put("b.h", "int b;\n");
    /* Not known which branch is active: the text is in both, and a guard lets one take part. */
    assert_expands("#if X\n#include \"b.h\"\n#else\n#include \"b.h\"\n#endif\n#include \"b.h\"\n#include \"b.h\"\n",
                   "#if X\n#ifndef PLAIT_INCLUDED_1_\n#define PLAIT_INCLUDED_1_\nint b;\n#endif\n"
                   "#else\n#ifndef PLAIT_INCLUDED_1_\n#define PLAIT_INCLUDED_1_\nint b;\n#endif\n"
                   "#endif\n#ifndef PLAIT_INCLUDED_1_\n#define PLAIT_INCLUDED_1_\nint b;\n#endif\n");
    /* A file that does not exist matters only where the branch is active. */
    plait__source out;
    assert_ok(expand_root("#if 0\n#include \"gone.h\"\n#endif\n", &out));
    assert_non_null(strstr(out.text, "#error \"gone.h: included, but not found; looked for: "));
    free(out.text);
}

static void include_guards_are_no_conditions(void **state)
{
    (void)state;
    put("in.h", "int in;\n");
    put("g.h", "/* licence */\n#ifndef G_H\n#define G_H\n#include \"in.h\"\n#if Y\n#endif\n#endif // G_H\n");
    assert_expands("#include \"g.h\"\n#include \"in.h\"\n",
                   "/* licence */\n#ifndef G_H\n#define G_H\nint in;\n#if Y\n#endif\n#endif // G_H\n");
    /* Text behind, an #else, another name, or a define of that name: then it is a condition. */
    const char *const others[] = {"#ifndef G_H\n#define G_H\n#include \"in.h\"\n#endif\nint more;\n",
                                  "#ifndef G_H\n#define G_H\n#include \"in.h\"\n#else\n#endif\n",
                                  "#ifndef G_H\n#define H_G\n#include \"in.h\"\n#endif\n",
                                  "int more;\n#ifndef G_H\n#define G_H\n#include \"in.h\"\n#endif\n"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        put("g.h", others[i]);
        plait__source out;
        assert_ok(expand_root("#include \"g.h\"\n#include \"in.h\"\n", &out));
        assert_int_equal(count(out.text, "int in;"), 2);
        free(out.text);
    }
    const char *guarded = "#ifndef G_H\n#define G_H\n#include \"in.h\"\n#endif\n";
    put("g.h", guarded);
    const char *text = "#include \"g.h\"\n#include \"in.h\"\n", *defines[] = {"G_H"};
    plait__source_request r = request_of(put("root.cl", text), text);
    r.is_file = true;
    r.defines = defines;
    r.n_defines = 1;
    plait__source out;
    assert_ok(plait__source_expand(&r, &out));
    assert_int_equal(count(out.text, "int in;"), 2);
    free(out.text);
}

/* Guarded headers that include each other must not grow by the number of paths between them. */
static void layers_of_headers_do_not_multiply(void **state)
{
    (void)state;
    char name[32], text[400];
    for (int i = 0; i < 30; i++) {
        snprintf(name, sizeof name, "l%d.h", i);
        snprintf(text, sizeof text,
                 "#ifndef L%d\n#define L%d\n#include \"l%d.h\"\n#include \"l%d.h\"\nint l%d;\n#endif\n", i, i, i + 1,
                 i + 2, i);
        put(name, text);
    }
    put("l30.h", "int l30;\n");
    put("l31.h", "int l31;\n");
    plait__source out;
    assert_ok(expand_root("#include \"l0.h\"\n", &out));
    assert_int_equal(count(out.text, "int l"), 32);
    free(out.text);
}

static void deep_nesting_is_refused(void **state)
{
    (void)state;
    char name[32], text[100];
    for (int i = 0; i < 70; i++) {
        snprintf(name, sizeof name, "d%d.h", i);
        snprintf(text, sizeof text, "#include \"d%d.h\"\n", i + 1);
        put(name, text);
    }
    put("d70.h", "\n");
    plait__source out;
    assert_fails(expand_root("#include \"d0.h\"\n", &out), PLAIT_E_BUILD, "files deep");
    /* Without guards, files under a condition are repeated for every path; that ends at a limit, not at the memory's.
     */
}

static void what_the_driver_reads_is_told(void **state)
{
    (void)state;
    const struct {
        const char *text;
        bool outside;
    } cases[] = {{"int x;\n", false},
                 {"#include <x.h>\n", true},
                 {"#include HEADER\n", true},
                 {"#if 0\n#include <x.h>\n#endif\n", true},
                 {"// #include <x.h>\n", false},
                 {"#include \"unfinished\n", true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        plait__source out;
        assert_ok(expand_root(cases[i].text, &out));
        assert_int_equal(out.outside, cases[i].outside);
        assert_non_null(strstr(out.text, cases[i].text));
        free(out.text);
    }
    put("once.h", "#pragma once\nint x;\n#pragma unroll\n");
    assert_expands("#include \"once.h\"\n", "int x;\n#pragma unroll\n");
}

static void defines_come_first(void **state)
{
    (void)state;
    const char *defines[] = {"FLAG", "N=16", "TEXT=\"a b\"", "F(x)=x + 1", "EMPTY="};
    plait__source_request r = request_of("s", "int x;\n");
    r.defines = defines;
    r.n_defines = 5;
    plait__source out;
    assert_ok(plait__source_expand(&r, &out));
    const char *expected = "#define FLAG 1\n#define N 16\n#define TEXT \"a b\"\n#define F(x) x + 1\n#define EMPTY \n";
    assert_memory_equal(out.text, expected, strlen(expected));
    free(out.text);
    const char *const bad[] = {"", "1x", "a b", "=3", "N=1\nint", "a-b=3", "F(x"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        defines[0] = bad[i];
        assert_fails(plait__source_expand(&r, &out), PLAIT_E_ARGUMENT, "is not of the form NAME or NAME=VALUE");
    }
    defines[0] = NULL;
    assert_fails(plait__source_expand(&r, &out), PLAIT_E_NULL, "defines");
}

static void bad_texts(void **state)
{
    (void)state;
    plait__source out;
    assert_fails(expand_root("", &out), PLAIT_E_ARGUMENT, "is empty");
    assert_fails(expand_root(" \r\n\t\n", &out), PLAIT_E_ARGUMENT, "is empty");
    plait__source_request r = request_of("s", "int x;");
    r.text = "int\0x;";
    r.length = 6;
    assert_fails(plait__source_expand(&r, &out), PLAIT_E_BUILD, "NUL byte");
    const char *const odd[] = {"#",    "#include", "#include \"", "#include \"x", "/*",  "//",
                               "\"",   "'",        "\\",          "\\\n",         "#if", "#endif\n#endif\n#else\n",
                               "\"\\", "# \\\n"};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        assert_ok(expand_root(odd[i], &out)); /* the compiler's business, not ours */
        free(out.text);
    }
}

static void generated_programs_see_the_library_s_files(void **state)
{
    (void)state;
    plait__source out;
    plait__source_request r = request_of("generated", "#include \"sub/one.cl\"\n");
    r.embedded = true;
    assert_fails(plait__source_expand(&r, &out), PLAIT_E_BUILD, "the library's own \"sub/one.cl\"");
    for (size_t i = 0; i < plait__embedded_count; i++) {
        char text[300];
        snprintf(text, sizeof text, "#include \"./%s\"\n", plait__embedded_files[i].name);
        r = request_of("generated", text);
        r.embedded = true;
        assert_ok(plait__source_expand(&r, &out));
        assert_true(out.length > plait__embedded_files[i].length);
        free(out.text);
        r.embedded = false;
        assert_fails(plait__source_expand(&r, &out), PLAIT_E_BUILD, "was not found");
    }

    /* A file below PLAIT_KERNEL_PATH stands in for one of the library's, also where others include it. */
    assert_int_equal(mkdir(test_path(folder, "sub"), 0700), 0);
    put("sub/one.cl", "int one;\n#include \"two.cl\"\n#include \"../three.cl\"\n");
    put("sub/two.cl", "int two;\n#include \"three.cl\"\n");
    put("three.cl", "int three;\n");
    assert_int_equal(setenv("PLAIT_KERNEL_PATH", folder, 1), 0);
    r = request_of("generated", "#include \"sub/one.cl\"\n");
    r.embedded = true;
    assert_ok(plait__source_expand(&r, &out));
    char *seen = plain(out.text);
    assert_string_equal(seen, "int one;\nint two;\nint three;\n");
    free(seen);
    free(out.text);
    const char *const leaving[] = {"#include \"../x.cl\"\n", "#include \"sub/../../x.cl\"\n",
                                   "#include \"/etc/passwd\"\n"};
    for (size_t i = 0; i < 3; i++) {
        r = request_of("generated", leaving[i]);
        r.embedded = true;
        assert_fails(plait__source_expand(&r, &out), PLAIT_E_BUILD, "was not found");
    }
    assert_int_equal(unsetenv("PLAIT_KERNEL_PATH"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)
        T(includes_are_replaced_once),
        T(cycles_end),
        T(a_link_to_a_file_is_that_file),
        T(comments_and_strings_hide_directives),
        T(lines_are_told),
        T(marks_and_line_ends_of_other_systems),
        T(paths_may_hold_anything),
        T(folders_are_searched_in_order),
        T(a_missing_file_names_the_places),
        T(conditions_guard_includes),
        T(include_guards_are_no_conditions),
        T(layers_of_headers_do_not_multiply),
        T(deep_nesting_is_refused),
        T(what_the_driver_reads_is_told),
        T(defines_come_first),
        T(bad_texts),
        T(generated_programs_see_the_library_s_files),
#undef T
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
