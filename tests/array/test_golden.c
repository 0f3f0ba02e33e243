/*
 * Every operation, reduction and conversion against NumPy's answers (tests/golden/answers.txt, see make_golden.py),
 * through the public functions; and the same elements in different layouts.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 * All arrays of a test are evaluated in one call, so that few kernels have to be built.
 */
#include "testing.h"

#include "host_cast.h"
#include "op_table.h"
#include "reduction_table.h"

#include <math.h>
#include <plait/plait.h>

static plait_ctx *ctx;

/* ---- the public functions by name ---- */

typedef union builder {
    plait_array *(*unary)(plait_array *);
    plait_array *(*binary)(plait_array *, plait_array *);
    plait_array *(*ternary)(plait_array *, plait_array *, plait_array *);
} builder;

#define FIELD_1 unary
#define FIELD_2 binary
#define FIELD_3 ternary
static const builder builders[] = {
#define PLAIT_OP(name, arity, ...) {.FIELD_##arity = plait_##name},
#include "ops.def"
#undef PLAIT_OP
};

static const struct {
    plait_array *(*all)(plait_array *);
    plait_array *(*axis)(plait_array *, int);
} reducers[] = {
#define PLAIT_REDUCTION(name, ...) {plait_##name, plait_##name##_axis},
#include "reductions.def"
#undef PLAIT_REDUCTION
};

static bool op_seen[PLAIT__OP_COUNT];
static bool reduction_seen[PLAIT__REDUCTION_COUNT];

static int find_op(const char *name)
{
    for (int i = 0; i < PLAIT__OP_COUNT; i++) {
        if (strcmp(plait__ops[i].name, name) == 0) {
            op_seen[i] = true;
            return i;
        }
    }
    fail_msg("answers.txt has the operation %s, ops.def has not", name);
    return -1;
}

static int find_reduction(const char *name)
{
    for (int i = 0; i < PLAIT__REDUCTION_COUNT; i++) {
        if (strcmp(plait__reductions[i].name, name) == 0) {
            reduction_seen[i] = true;
            return i;
        }
    }
    fail_msg("answers.txt has the reduction %s, reductions.def has not", name);
    return -1;
}

/* ---- operands ---- */

#define N 6
#define ROWS 7
#define COLUMNS 9

/* By dtype: the six values as they are, each six times, all six times; the matrix. */
typedef struct operands {
    plait_array *six, *slow, *fast, *matrix;
    double magnitudes[ROWS][COLUMNS]; /* of the matrix */
} operands;
static operands by_dtype[PLAIT_DTYPE_COUNT_];
static plait_array *more[PLAIT_DTYPE_COUNT_]; /* "values f32+" */
static plait_array *even;

static plait_dtype dtype_of(const char *name)
{
    char plain[8];
    snprintf(plain, sizeof plain, "%.*s", (int)strcspn(name, "+"), name);
    plait_dtype dtype;
    assert_ok(plait_dtype_parse(&dtype, plain));
    return dtype;
}

static bool available(plait_dtype dtype)
{
    return dtype != PLAIT_F64 || plait_ctx_device(ctx)->fp64;
}

static size_t parse_hex(unsigned char *out, const char *hex)
{
    size_t n = strlen(hex) / 2;
    for (size_t i = 0; i < n; i++) {
        const char digits[3] = {hex[2 * i], hex[2 * i + 1], '\0'};
        out[i] = (unsigned char)strtoul(digits, NULL, 16);
    }
    return n;
}

static double part(plait_dtype dtype, const unsigned char *data, size_t i, int which)
{
    const unsigned char *at = data + i * plait_dtype_size(dtype);
    float f;
    double d;
    int32_t i32;
    int64_t i64;
    switch (dtype) {
    case PLAIT_F32:
    case PLAIT_C64:
        memcpy(&f, at + 4 * which, sizeof f);
        return (double)f;
    case PLAIT_F64:
        memcpy(&d, at, sizeof d);
        return d;
    case PLAIT_I32:
        memcpy(&i32, at, sizeof i32);
        return i32;
    case PLAIT_I64:
        memcpy(&i64, at, sizeof i64);
        return (double)i64;
    default:
        return *at;
    }
}

static void define_values(const char *name, const unsigned char *data)
{
    plait_dtype dtype = dtype_of(name);
    size_t size = plait_dtype_size(dtype);
    plait_array *six = plait_from_host(ctx, data, PLAIT_SHAPE(N), dtype);
    assert_non_null(six);
    if (strchr(name, '+') != NULL) {
        more[dtype] = six;
        return;
    }
    unsigned char slow[N * N * 16];
    unsigned char fast[N * N * 16];
    for (size_t i = 0; i < N * N; i++) {
        memcpy(slow + i * size, data + i / N * size, size);
        memcpy(fast + i * size, data + i % N * size, size);
    }
    by_dtype[dtype].six = six;
    by_dtype[dtype].slow = plait_from_host(ctx, slow, PLAIT_SHAPE(N * N), dtype);
    by_dtype[dtype].fast = plait_from_host(ctx, fast, PLAIT_SHAPE(N * N), dtype);
    assert_true(by_dtype[dtype].slow != NULL && by_dtype[dtype].fast != NULL);
}

static void define_matrix(const char *name, const unsigned char *data)
{
    plait_dtype dtype = dtype_of(name);
    by_dtype[dtype].matrix = plait_from_host(ctx, data, PLAIT_SHAPE(ROWS, COLUMNS), dtype);
    assert_non_null(by_dtype[dtype].matrix);
    for (size_t i = 0; i < ROWS * COLUMNS; i++) {
        double im = dtype == PLAIT_C64 ? part(dtype, data, i, 1) : 0;
        by_dtype[dtype].magnitudes[i / COLUMNS][i % COLUMNS] = hypot(part(dtype, data, i, 0), im);
    }
}

/* ---- answers ---- */

typedef struct answer {
    char line[64]; /* its head, for messages */
    char how[24];
    plait_dtype dtype;
    size_t bytes;
    unsigned char *expected;
    plait_array *got;
    plait_dtype matrix; /* of a reduction: of what, and how */
    char op[16], axis;
} answer;

static answer answers[2000];
static size_t n_answers;

static plait_array *number_of(const char *text)
{
    double re = 0;
    double im = 0;
    sscanf(text + 2, "%lf,%lf", &re, &im);
    return text[0] == 'i' ? plait_int((int64_t)re) : text[0] == 'f' ? plait_num(re) : plait_complex(re, im);
}

/* Builds what a line is about; `words` are those before RESULT. */
static plait_array *build(answer *a, const char *kind, char words[3][16])
{
    bool named = strcmp(kind, "where") != 0 && strcmp(kind, "cast") != 0;
    const char *first = words[named ? 1 : 0];
    const operands *x = &by_dtype[dtype_of(first)];
    if (strcmp(kind, "unary") == 0) {
        return builders[find_op(words[0])].unary(x->six);
    }
    if (strcmp(kind, "binary") == 0) {
        return builders[find_op(words[0])].binary(x->slow, by_dtype[dtype_of(words[2])].fast);
    }
    if (strcmp(kind, "number") == 0) {
        return builders[find_op(words[0])].binary(x->six, number_of(words[2]));
    }
    if (strcmp(kind, "where") == 0) {
        return builders[find_op("where")].ternary(even, x->slow, by_dtype[dtype_of(words[1])].fast);
    }
    if (strcmp(kind, "cast") == 0) {
        plait_array *from = strchr(first, '+') != NULL ? more[dtype_of(first)] : x->six;
        return plait_astype(from, dtype_of(words[1]));
    }
    assert_string_equal(kind, "reduce");
    int r = find_reduction(words[0]);
    a->matrix = dtype_of(first);
    snprintf(a->op, sizeof a->op, "%s", words[0]);
    a->axis = words[2][0];
    return a->axis == '-' ? reducers[r].all(x->matrix) : reducers[r].axis(x->matrix, a->axis - '0');
}

static void read_answer(const char *kind, char *rest)
{
    int n_words = strcmp(kind, "unary") == 0 || strcmp(kind, "where") == 0 || strcmp(kind, "cast") == 0 ? 2 : 3;
    char words[3][16] = {"", "", ""};
    char result[16];
    answer *a = &answers[n_answers];
    *a = (answer){.axis = ' '};
    char *next = rest;
    for (int i = 0; i < n_words; i++) {
        snprintf(words[i], sizeof words[i], "%s", strtok_r(next, " ", &next));
    }
    snprintf(result, sizeof result, "%s", strtok_r(next, " ", &next));
    snprintf(a->how, sizeof a->how, "%s", strtok_r(next, " ", &next));
    snprintf(a->line, sizeof a->line, "%s %s %s %s", kind, words[0], words[1], words[2]);

    /* A device without f64 refuses it everywhere. */
    bool usable = strcmp(result, "error") == 0 || available(dtype_of(result));
    for (int i = 0; i < 3; i++) {
        usable = usable && (strncmp(words[i], "f64", 3) != 0 || available(PLAIT_F64));
    }
    if (!usable) {
        return;
    }
    if (strcmp(result, "error") == 0) {
        plait_clear_error();
        plait_array *got = build(a, kind, words);
        if (got != NULL || strcmp(plait_status_name(plait_last_status()), a->how) != 0) {
            fail_msg("%s: %s instead of %s", a->line, got != NULL ? "a result" : plait_last_error(), a->how);
        }
        return;
    }
    a->dtype = dtype_of(result);
    a->got = build(a, kind, words);
    if (a->got == NULL) {
        fail_msg("%s: %s", a->line, plait_last_error());
    }
    if (plait_array_dtype(a->got) != a->dtype) {
        fail_msg("%s: the dtype is %s, not %s", a->line, plait_dtype_name(plait_array_dtype(a->got)), result);
    }
    char *hex = strtok_r(next, " ", &next);
    if (strcmp(a->how, "dtype") == 0) {
        assert_null(hex);
        return;
    }
    assert_non_null(hex);
    a->expected = malloc(strlen(hex));
    a->bytes = parse_hex(a->expected, hex);
    assert_int_equal(plait_array_count(a->got) * plait_dtype_size(a->dtype), a->bytes);
    n_answers++;
}

/* ---- comparison ---- */

/* How many representable numbers lie between two finite ones. */
static double distance(plait_dtype dtype, double x, double y)
{
    int exponent;
    frexp(fmax(fabs(x), fabs(y)), &exponent);
    int digits = dtype == PLAIT_F64 ? 53 : 24;
    return x == y ? 0 : fabs(x - y) / ldexp(1, exponent - digits);
}

static bool real_agrees(plait_dtype dtype, const char *how, double got, double expected)
{
    if (isnan(expected) || isnan(got)) {
        return isnan(expected) && isnan(got);
    }
    if (got == expected) {
        return signbit(got) == signbit(expected) || strcmp(how, "zeros") == 0;
    }
    double ulps = 0;
    sscanf(how, "ulp:%lf", &ulps);
    if (strcmp(how, "rounded") == 0 && dtype == PLAIT_F32 && !plait_ctx_device(ctx)->correct_divide) {
        ulps = 3;
    }
    return isfinite(got) && isfinite(expected) && distance(dtype, got, expected) <= ulps;
}

/* What |got - expected| may be at most, for "near:N" and "sum". */
static double bound_of(const answer *a, size_t i, double size)
{
    double eps = a->dtype == PLAIT_F64 ? 0x1p-53 : 0x1p-24;
    double n = 0;
    if (sscanf(a->how, "near:%lf", &n) == 1) {
        return 2 * n * eps * size;
    }
    assert_string_equal(a->how, "sum");
    double sum = 0;
    size_t count = a->axis == '-' ? ROWS * COLUMNS : a->axis == '0' ? ROWS : COLUMNS;
    for (size_t k = 0; k < count; k++) {
        size_t row = a->axis == '-' ? k / COLUMNS : a->axis == '0' ? k : i;
        size_t column = a->axis == '-' ? k % COLUMNS : a->axis == '0' ? i : k;
        double m = by_dtype[a->matrix].magnitudes[row][column];
        sum += isfinite(m) ? m : 0;
    }
    /* The expected value is itself rounded once; so is the division of mean. */
    double scale = strcmp(a->op, "mean") == 0 ? (double)count : 1;
    return (128 + log2((double)count) + 2) * eps * sum / scale;
}

static void check(const answer *a, const unsigned char *got)
{
    size_t count = a->bytes / plait_dtype_size(a->dtype);
    bool near = strncmp(a->how, "near", 4) == 0 || strcmp(a->how, "sum") == 0;
    bool is_float = a->dtype == PLAIT_F32 || a->dtype == PLAIT_F64 || a->dtype == PLAIT_C64;
    for (size_t i = 0; i < count; i++) {
        size_t size = plait_dtype_size(a->dtype);
        int parts = a->dtype == PLAIT_C64 ? 2 : 1;
        double g[2] = {0, 0};
        double e[2] = {0, 0};
        bool good = true;
        for (int k = 0; k < parts; k++) {
            g[k] = part(a->dtype, got, i, k);
            e[k] = part(a->dtype, a->expected, i, k);
            good = good && real_agrees(a->dtype, a->how, g[k], e[k]);
        }
        if (!is_float) {
            good = memcmp(got + i * size, a->expected + i * size, size) == 0;
        }
        if (!good && near) {
            bool nan = isnan(e[0]) || isnan(e[1]);
            good =
                nan ? isnan(g[0]) || isnan(g[1]) : hypot(g[0] - e[0], g[1] - e[1]) <= bound_of(a, i, hypot(e[0], e[1]));
        }
        if (!good) {
            fail_msg("%s: element %zu is (%.17g, %.17g), NumPy says (%.17g, %.17g); %s", a->line, i, g[0], g[1], e[0],
                     e[1], a->how);
        }
    }
}

static void test_answers(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    unsigned char is_even[N * N];
    for (size_t i = 0; i < N * N; i++) {
        is_even[i] = (i / N + i % N) % 2 == 0;
    }
    even = plait_from_host(ctx, is_even, PLAIT_SHAPE(N * N), PLAIT_BOOL);
    FILE *f = fopen(PLAIT_GOLDEN "/answers.txt", "rb");
    if (f == NULL) {
        fail_msg("%s/answers.txt cannot be opened", PLAIT_GOLDEN);
    }
    static char line[4096];
    while (fgets(line, sizeof line, f) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        char *rest = line;
        char *kind = strtok_r(rest, " ", &rest);
        if (kind[0] == '#') {
            continue;
        }
        if (strcmp(kind, "values") == 0 || strcmp(kind, "matrix") == 0) {
            char *name = strtok_r(rest, " ", &rest);
            static unsigned char data[4096];
            parse_hex(data, strtok_r(rest, " ", &rest));
            if (available(dtype_of(name))) {
                (kind[0] == 'v' ? define_values : define_matrix)(name, data);
            }
            continue;
        }
        assert_true(n_answers < sizeof answers / sizeof answers[0]);
        read_answer(kind, rest);
    }
    fclose(f);
    for (int i = 0; i < PLAIT__OP_COUNT; i++) {
        if (!op_seen[i]) {
            fail_msg("answers.txt says nothing about %s; add it to make_golden.py", plait__ops[i].name);
        }
    }
    for (int i = 0; i < PLAIT__REDUCTION_COUNT; i++) {
        if (!reduction_seen[i]) {
            fail_msg("answers.txt says nothing about %s; add it to make_golden.py", plait__reductions[i].name);
        }
    }
    assert_true(n_answers > 400);

    static plait_array *all[sizeof answers / sizeof answers[0]];
    for (size_t i = 0; i < n_answers; i++) {
        all[i] = answers[i].got;
    }
    assert_ok(plait_eval(all, n_answers));
    plait_stats stats = PLAIT_STATS;
    assert_ok(plait_ctx_stats(ctx, &stats));
    print_message("%zu answers, %llu kernels\n", n_answers, (unsigned long long)stats.kernels);
    for (size_t i = 0; i < n_answers; i++) {
        unsigned char got[N * N * 16];
        assert_ok(plait_to_host(all[i], got, plait_array_count(all[i]), PLAIT_DTYPE_DEFAULT));
        check(&answers[i], got);
        free(answers[i].expected);
    }
}

/* ---- layouts ---- */

#define LAYOUT_ROWS 4
#define LAYOUT_COLUMNS 6
#define LAYOUT_ELEMENTS (LAYOUT_ROWS * LAYOUT_COLUMNS)

/* 1, 2, 3, ... converted on the host, so that no kernel is built for it. */
static plait_array *count_up(plait_dims shape, plait_dtype dtype)
{
    unsigned char values[64 * 16];
    size_t n = (size_t)plait_shape_count(shape);
    assert_true(n <= 64);
    for (size_t i = 0; i < n; i++) {
        plait__element_store(values + i * plait_dtype_size(dtype), dtype, PLAIT_I64,
                             (plait__value){.i = (int64_t)i + 1});
    }
    return plait_from_host(ctx, values, shape, dtype);
}

static plait_array *view_of(int layout, plait_dtype dtype)
{
    plait_array *base;
    int k = 0;
#define LAYOUT(name, shape, view)                                                                                      \
    if (layout == k++) {                                                                                               \
        base = count_up(shape, dtype);                                                                                 \
        return view;                                                                                                   \
    }
#include "layouts.def"
#undef LAYOUT
    return NULL;
}

/* What the views show, on the host: by hand, not by the functions under test. */
static int element_of(const char *name, int row, int column)
{
    int i = row * LAYOUT_COLUMNS + column;
    return strcmp(name, "contiguous") == 0             ? i + 1
           : strcmp(name, "offset") == 0               ? i + 2
           : strcmp(name, "transposed") == 0           ? column * LAYOUT_ROWS + row + 1
           : strcmp(name, "stepped") == 0              ? row * 12 + 2 * column + 1
           : strcmp(name, "reversed") == 0             ? LAYOUT_ELEMENTS - i
           : strcmp(name, "column_block") == 0         ? row * 9 + column + 3
           : strcmp(name, "row_repeated") == 0         ? column + 1
           : strcmp(name, "column_repeated") == 0      ? row + 1
           : strcmp(name, "one_element_repeated") == 0 ? 1
           : strcmp(name, "three_axes_permuted") == 0  ? column / 2 * 8 + row * 2 + column % 2 + 1
                                                       : -1;
}

static const char *const layout_names[] = {
#define LAYOUT(name, shape, view) #name,
#include "layouts.def"
#undef LAYOUT
};
enum { LAYOUTS = sizeof layout_names / sizeof layout_names[0] };

/* Every layout beside another one, in every dtype. */
static void test_layouts(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    static const plait_dtype dtypes[] = {PLAIT_U8, PLAIT_I32, PLAIT_I64, PLAIT_F32, PLAIT_F64, PLAIT_C64};
    enum { DTYPES = sizeof dtypes / sizeof dtypes[0] };
    plait_array *sums[DTYPES * LAYOUTS];
    size_t n = 0;
    for (size_t d = 0; d < DTYPES; d++) {
        if (!available(dtypes[d])) {
            continue;
        }
        plait_array *views[LAYOUTS];
        for (int i = 0; i < LAYOUTS; i++) {
            views[i] = view_of(i, dtypes[d]);
            assert_non_null(views[i]);
        }
        for (int i = 0; i < LAYOUTS; i++) {
            sums[n++] = plait_add(views[i], views[(3 * i + 1) % LAYOUTS]);
        }
    }
    assert_ok(plait_eval(sums, n));
    for (size_t s = 0; s < n; s++) {
        const char *left = layout_names[s % LAYOUTS];
        const char *right = layout_names[(3 * (s % LAYOUTS) + 1) % LAYOUTS];
        plait_dtype dtype = plait_array_dtype(sums[s]);
        unsigned char got[LAYOUT_ELEMENTS * 16];
        assert_ok(plait_to_host(sums[s], got, LAYOUT_ELEMENTS, dtype));
        for (int k = 0; k < LAYOUT_ELEMENTS; k++) {
            int row = k / LAYOUT_COLUMNS;
            int column = k % LAYOUT_COLUMNS;
            int expected = element_of(left, row, column) + element_of(right, row, column);
            double value = part(dtype, got, (size_t)k, 0);
            if (value != expected) {
                fail_msg("%s: %s + %s: element %d is %g, not %d", plait_dtype_name(dtype), left, right, k, value,
                         expected);
            }
        }
    }
}

static int teardown(void **state)
{
    (void)state;
    return plait_close(ctx) == PLAIT_OK ? 0 : 1;
}

int main(void)
{
    plait_status st = plait_open(&ctx, NULL);
    if (st == PLAIT_E_NO_DEVICE) {
        printf("skipped: %s\n", plait_last_error());
        return TEST_SKIPPED;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_layouts),
    };
    return cmocka_run_group_tests_name("golden", tests, NULL, teardown);
}
