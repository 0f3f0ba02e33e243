/*
 * Matrix products against plain C: sizes, layouts and dtypes on both skeletons and under small work-group limits.
 * Contexts are expensive where kernels are compiled, so each kind of device is opened once.
 */
#include "testing.h"

#include <math.h>
#include <plait/plait.h>

/* ---- devices ---- */

enum { CPU, DEVICE, GROUP_64, GROUP_16, GROUP_1, CONTEXTS };
static const char *const skeletons[CONTEXTS] = {"cpu", "device", "device", "device", "device"};
static const char *const limits[CONTEXTS] = {"", "", "group=64", "group=16", "group=1"};
static plait_ctx *contexts[CONTEXTS];

static int open_contexts(void **state)
{
    (void)state;
    for (int i = 0; i < CONTEXTS; i++) {
        setenv("PLAIT_SKELETON", skeletons[i], 1);
        setenv("PLAIT_EMULATE", limits[i], 1);
        if (plait_open(&contexts[i], NULL) != PLAIT_OK) {
            print_message("skipped: %s\n", plait_last_error());
            exit(plait_last_status() == PLAIT_E_NO_DEVICE ? TEST_SKIPPED : 1);
        }
    }
    return 0;
}

static int close_contexts(void **state)
{
    (void)state;
    for (int i = 0; i < CONTEXTS; i++) {
        plait_close(contexts[i]);
    }
    return 0;
}

static bool has_f64(int context)
{
    return plait_ctx_device(contexts[context])->fp64;
}

/* ---- operands ---- */

/* How a matrix lies in the memory that it is a view of. The last three have to be copied. */
typedef enum form { PLAIN, TRANSPOSED, SLICED, FLIPPED_ROWS, ROW_REPEATED, STEPPED, FLIPPED, ONE_VALUE, FORMS } form;

typedef struct matrix {
    int64_t rows, cols;
    plait_array *array;
    double *re, *im;   /* rows x cols, as numbers */
    uint64_t *integer; /* the same of integers, as they wrap */
} matrix;

static uint64_t seed = 1;

static uint64_t next(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return seed >> 16;
}

static double uniform(void)
{
    return (double)(next() % 65536) / 32768 - 1;
}

static bool is_integer(plait_dtype dtype)
{
    return dtype == PLAIT_U8 || dtype == PLAIT_I32 || dtype == PLAIT_I64;
}

/* A random element of the dtype at `to`. */
static void set_random(void *to, plait_dtype dtype)
{
    const uint64_t bits = next() << 20 ^ next();
    const double d = uniform();
    const float f[2] = {(float)uniform(), (float)uniform()};
    switch (dtype) {
    case PLAIT_F64:
        memcpy(to, &d, sizeof d);
        break;
    case PLAIT_F32:
    case PLAIT_C64:
        memcpy(to, f, plait_dtype_size(dtype));
        break;
    default:
        memcpy(to, &bits, plait_dtype_size(dtype)); /* the low bytes: everything here is little-endian */
        break;
    }
}

static void get(const void *from, plait_dtype dtype, double *re, double *im, uint64_t *integer)
{
    float f[2] = {0, 0};
    *re = *im = 0;
    *integer = 0;
    switch (dtype) {
    case PLAIT_F64:
        memcpy(re, from, sizeof *re);
        break;
    case PLAIT_F32:
    case PLAIT_C64:
        memcpy(f, from, plait_dtype_size(dtype));
        *re = (double)f[0];
        *im = (double)f[1];
        break;
    default:
        memcpy(integer, from, plait_dtype_size(dtype));
        break;
    }
}

/* A random matrix that lies in memory as `f` says. */
static matrix make(plait_ctx *ctx, plait_dtype dtype, int64_t rows, int64_t cols, form f)
{
    matrix m = {.rows = rows, .cols = cols};
    int64_t stored_rows = rows, stored_cols = cols, row0 = 0, col0 = 0, row_step = 1, col_step = 1;
    switch (f) {
    case TRANSPOSED:
        stored_rows = cols;
        stored_cols = rows;
        break;
    case SLICED:
        stored_rows = rows + 2;
        stored_cols = cols + 3;
        row0 = 1;
        col0 = 2;
        break;
    case FLIPPED_ROWS:
        row0 = rows - 1;
        row_step = -1;
        break;
    case ROW_REPEATED:
        stored_rows = 1;
        row_step = 0;
        break;
    case STEPPED:
        stored_rows = 2 * rows;
        stored_cols = 3 * cols;
        row0 = col0 = 1;
        row_step = 2;
        col_step = 3;
        break;
    case FLIPPED:
        row0 = rows - 1;
        col0 = cols - 1;
        row_step = col_step = -1;
        break;
    case ONE_VALUE:
        stored_rows = stored_cols = 1;
        row_step = col_step = 0;
        break;
    default:
        break;
    }
    const size_t size = plait_dtype_size(dtype), count = (size_t)(rows * cols);
    char *stored = malloc((size_t)(stored_rows * stored_cols) * size + 1);
    for (int64_t i = 0; i < stored_rows * stored_cols; i++) {
        set_random(stored + (size_t)i * size, dtype);
    }
    m.re = malloc(count * sizeof *m.re + 1);
    m.im = malloc(count * sizeof *m.im + 1);
    m.integer = malloc(count * sizeof *m.integer + 1);
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < cols; j++) {
            const int64_t at =
                f == TRANSPOSED ? j * rows + i : (row0 + i * row_step) * stored_cols + col0 + j * col_step;
            const size_t to = (size_t)(i * cols + j);
            get(stored + (size_t)at * size, dtype, &m.re[to], &m.im[to], &m.integer[to]);
        }
    }
    plait_array *a = plait_from_host(ctx, stored, PLAIT_SHAPE(stored_rows, stored_cols), dtype);
    free(stored);
    switch (f) {
    case TRANSPOSED:
        a = plait_transpose(a);
        break;
    case SLICED:
        a = plait_slice(plait_slice(a, 0, 1, rows + 1, 1), 1, 2, cols + 2, 1);
        break;
    case FLIPPED_ROWS:
        a = plait_flip(a, PLAIT_AXES(0));
        break;
    case STEPPED:
        a = plait_slice(plait_slice(a, 0, 1, PLAIT_OPEN, 2), 1, 1, PLAIT_OPEN, 3);
        break;
    case FLIPPED:
        a = plait_flip(a, PLAIT_AXES(0, 1));
        break;
    case ROW_REPEATED:
    case ONE_VALUE:
        a = plait_broadcast_to(a, PLAIT_SHAPE(rows, cols));
        break;
    default:
        break;
    }
    assert_non_null(a);
    m.array = a;
    return m;
}

static void drop(matrix *m)
{
    free(m->re);
    free(m->im);
    free(m->integer);
}

/* ---- the reference ---- */

static double eps_of(plait_dtype dtype)
{
    return dtype == PLAIT_F64 ? 0x1p-53 : 0x1p-24;
}

/* Every element of c, an array of a's rows times b's columns in any shape of that count, is within the stated bound. */
static void check_product(plait_array *c, const matrix *a, const matrix *b, plait_dtype dtype, const char *what)
{
    const int64_t n = a->rows, k = a->cols, m = b->cols;
    const size_t size = plait_dtype_size(dtype);
    char *out = malloc((size_t)(n * m) * size + 1);
    assert_int_equal(plait_array_dtype(c), dtype);
    assert_ok(plait_to_host(c, out, (size_t)(n * m), PLAIT_DTYPE_DEFAULT));
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < m; j++) {
            double re = 0, im = 0, scale = 0, got_re, got_im;
            uint64_t sum = 0, got;
            for (int64_t l = 0; l < k; l++) {
                const size_t x = (size_t)(i * k + l), y = (size_t)(l * m + j);
                re += a->re[x] * b->re[y] - a->im[x] * b->im[y];
                im += a->re[x] * b->im[y] + a->im[x] * b->re[y];
                scale += hypot(a->re[x], a->im[x]) * hypot(b->re[y], b->im[y]);
                sum += a->integer[x] * b->integer[y];
            }
            get(out + (size_t)(i * m + j) * size, dtype, &got_re, &got_im, &got);
            const uint64_t mask = size == 8 ? UINT64_MAX : ((uint64_t)1 << 8 * size) - 1;
            const double bound = (double)(k + 2) * eps_of(dtype) * scale * (dtype == PLAIT_C64 ? 3 : 1);
            const double error = hypot(got_re - re, got_im - im);
            if (is_integer(dtype) ? got != (sum & mask) : !(error <= bound)) {
                fail_msg("%s %s, %lldx%lldx%lld, element %lld,%lld: got %.9g%+.9gi (%llu), not %.9g%+.9gi (%llu)", what,
                         plait_dtype_name(dtype), (long long)n, (long long)k, (long long)m, (long long)i, (long long)j,
                         got_re, got_im, (unsigned long long)got, re, im, (unsigned long long)(sum & mask));
            }
        }
    }
    free(out);
}

static void check(int context, plait_dtype dtype, int64_t n, int64_t k, int64_t m, form fa, form fb)
{
    PLAIT_SCOPE;
    char what[64];
    snprintf(what, sizeof what, "%s %s, forms %d %d,", skeletons[context], limits[context], fa, fb);
    matrix a = make(contexts[context], dtype, n, k, fa), b = make(contexts[context], dtype, k, m, fb);
    plait_array *c = plait_matmul(a.array, b.array);
    assert_non_null(c);
    const plait_dims shape = plait_array_shape(c);
    assert_true(shape.n == 2 && shape.d[0] == n && shape.d[1] == m);
    check_product(c, &a, &b, dtype, what);
    drop(&a);
    drop(&b);
}

/* ---- tests ---- */

static void squares_of_every_size(void **state)
{
    (void)state;
    static const int64_t sizes[] = {31, 32, 33, 63, 65, 127, 130};
    for (int c = 0; c < CONTEXTS; c++) {
        for (int64_t n = 1; n <= 17; n++) {
            check(c, PLAIT_F32, n, n, n, PLAIN, PLAIN);
        }
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            check(c, PLAIT_F32, sizes[i], sizes[i], sizes[i], PLAIN, PLAIN);
        }
    }
}

static void rectangles(void **state)
{
    (void)state;
    static const int64_t shapes[][3] = {{33, 17, 5}, {5, 130, 3},  {130, 1, 70}, {1, 40, 33},   {33, 40, 1},
                                        {1, 7, 1},   {200, 3, 90}, {7, 1000, 9}, {70, 300, 70}, {2, 9000, 2}};
    for (int c = 0; c < CONTEXTS; c++) {
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
            check(c, PLAIT_F32, shapes[i][0], shapes[i][1], shapes[i][2], PLAIN, PLAIN);
        }
    }
}

static void operands_in_every_layout(void **state)
{
    (void)state;
    for (int c = 0; c < CONTEXTS; c++) {
        for (form fa = PLAIN; fa < FORMS; fa++) {
            for (form fb = PLAIN; fb < FORMS; fb++) {
                check(c, PLAIT_F32, 33, 17, 21, fa, fb);
            }
        }
        for (form f = PLAIN; f < FORMS; f++) {
            check(c, PLAIT_F32, 40, 300, 1, f, PLAIN);
            check(c, PLAIT_F32, 1, 300, 40, PLAIN, f);
            check(c, PLAIT_F32, 40, 30, 1, PLAIN, f);
            check(c, PLAIT_F32, 1, 30, 40, f, PLAIN);
        }
    }
}

static void every_dtype(void **state)
{
    (void)state;
    static const plait_dtype dtypes[] = {PLAIT_U8, PLAIT_I32, PLAIT_I64, PLAIT_C64, PLAIT_F64};
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
        if (dtypes[i] == PLAIT_F64 && !has_f64(CPU)) {
            continue;
        }
        check(CPU, dtypes[i], 33, 17, 5, PLAIN, TRANSPOSED);
        check(CPU, dtypes[i], 70, 140, 70, TRANSPOSED, SLICED);
        check(CPU, dtypes[i], 40, 300, 1, PLAIN, PLAIN);
        check(CPU, dtypes[i], 40, 300, 1, TRANSPOSED, PLAIN);
        check(CPU, dtypes[i], 3, 20000, 1, PLAIN, PLAIN);
        check(CPU, dtypes[i], 13, 20000, 1, TRANSPOSED, PLAIN);
        if (dtypes[i] != PLAIT_I32 && dtypes[i] != PLAIT_F64) { /* GROUP_1's kernels compile fastest */
            check(GROUP_1, dtypes[i], 33, 17, 5, PLAIN, TRANSPOSED);
            check(GROUP_1, dtypes[i], 70, 140, 70, TRANSPOSED, SLICED);
        }
    }
    check(GROUP_1, PLAIT_C64, 3, 20000, 1, PLAIN, PLAIN);
    check(GROUP_1, PLAIT_C64, 13, 20000, 1, TRANSPOSED, PLAIN);
    if (has_f64(DEVICE)) { /* tiles of their own for reals of 8 bytes */
        check(DEVICE, PLAIT_F64, 70, 140, 70, TRANSPOSED, SLICED);
    }
}

/* (n,k)x(k), (k)x(k,m) and (k)x(k), with vectors that have steps of their own. */
static void vectors(void **state)
{
    (void)state;
    for (int c = 0; c < CONTEXTS; c++) {
        for (int t = 0; t < 8; t++) {
            PLAIT_SCOPE;
            const form f = t & 1 ? TRANSPOSED : PLAIN, fv = t & 2 ? STEPPED : PLAIN;
            const int64_t n = t & 4 ? 3 : 500, k = t & 4 ? 5000 : 13;
            matrix a = make(contexts[c], PLAIT_F32, n, k, f), v = make(contexts[c], PLAIT_F32, k, 1, fv);
            matrix u = make(contexts[c], PLAIT_F32, 1, n, fv), w = make(contexts[c], PLAIT_F32, 1, k, fv);
            plait_array *v1 = plait_reshape(v.array, PLAIT_SHAPE(k)), *u1 = plait_reshape(u.array, PLAIT_SHAPE(n));
            plait_array *w1 = plait_reshape(w.array, PLAIT_SHAPE(k));
            plait_array *av = plait_matmul(a.array, v1), *ua = plait_matmul(u1, a.array), *wv = plait_matmul(w1, v1);
            assert_int_equal(plait_array_shape(av).n, 1);
            assert_int_equal(plait_array_shape(ua).n, 1);
            assert_int_equal(plait_array_shape(wv).n, 0);
            check_product(av, &a, &v, PLAIT_F32, "matrix and vector");
            check_product(ua, &u, &a, PLAIT_F32, "vector and matrix");
            check_product(wv, &w, &v, PLAIT_F32, "vector and vector");
            drop(&a);
            drop(&v);
            drop(&u);
            drop(&w);
        }
    }
}

static void sizes_of_zero(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    plait_ctx *ctx = contexts[CPU];
    plait_array *c =
        plait_matmul(plait_zeros(ctx, PLAIT_SHAPE(3, 0), PLAIT_F32), plait_zeros(ctx, PLAIT_SHAPE(0, 2), 0));
    float out[6];
    memset(out, 0xff, sizeof out);
    assert_ok(plait_to_host(c, out, 6, PLAIT_F32));
    for (int i = 0; i < 6; i++) {
        assert_true(out[i] == 0);
    }
    c = plait_matmul(plait_zeros(ctx, PLAIT_SHAPE(0, 4), PLAIT_I64), plait_zeros(ctx, PLAIT_SHAPE(4, 5), PLAIT_F32));
    assert_int_equal(plait_array_shape(c).d[0], 0);
    assert_int_equal(plait_array_shape(c).d[1], 5);
    assert_int_equal(plait_array_dtype(c), PLAIT_F32);
    assert_ok(plait_to_host(c, out, 0, PLAIT_F32));
    c = plait_matmul(plait_zeros(ctx, PLAIT_SHAPE(0), PLAIT_F32), plait_zeros(ctx, PLAIT_SHAPE(0), PLAIT_F32));
    double value = 1;
    assert_ok(plait_item(c, &value));
    assert_true(value == 0);
}

static void wrong_operands(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    plait_ctx *ctx = contexts[CPU];
    plait_array *a = plait_zeros(ctx, PLAIT_SHAPE(3, 4), PLAIT_F32),
                *b = plait_zeros(ctx, PLAIT_SHAPE(3, 5), PLAIT_F32);
    assert_fails_null(plait_matmul(a, b), PLAIT_E_SHAPE, "plait_matmul: shapes (3, 4) and (3, 5)");
    assert_fails_null(plait_matmul(plait_zeros(ctx, PLAIT_SHAPE(5), PLAIT_F32), a), PLAIT_E_SHAPE, "(5,) and (3, 4)");
    assert_fails_null(plait_matmul(plait_sum(a), a), PLAIT_E_SHAPE, "() and (3, 4)");
    assert_fails_null(plait_matmul(a, plait_zeros(ctx, PLAIT_SHAPE(2, 4, 3), PLAIT_F32)), PLAIT_E_SHAPE, "(2, 4, 3)");
    plait_array *flags = plait_zeros(ctx, PLAIT_SHAPE(4, 4), PLAIT_BOOL);
    assert_fails_null(plait_matmul(flags, flags), PLAIT_E_DTYPE, "bool");
    assert_fails_null(plait_matmul(a, plait_num(2)), PLAIT_E_ARGUMENT, "b");
    assert_fails_null(plait_matmul(a, plait_zeros(contexts[DEVICE], PLAIT_SHAPE(4, 3), PLAIT_F32)), PLAIT_E_CONTEXT,
                      "");
    assert_fails_null(plait_matmul(a, NULL), PLAIT_E_NULL, "plait_matmul");
    assert_fails_null(plait_matmul(NULL, a), PLAIT_E_NULL, "plait_matmul");
    if (has_f64(CPU)) {
        plait_array *c64 = plait_zeros(ctx, PLAIT_SHAPE(4, 4), PLAIT_C64);
        assert_fails_null(plait_matmul(c64, plait_zeros(ctx, PLAIT_SHAPE(4, 4), PLAIT_F64)), PLAIT_E_DTYPE, "c128");
    }
}

/* What was in the memory of the result, and how blocks of the sum meet infinities, must not show. */
static void memory_and_infinities(void **state)
{
    (void)state;
    for (int c = 0; c < 2; c++) {
        plait_ctx *ctx = contexts[c];
        const int64_t sizes[] = {1, 33, 100, 127};
        for (size_t i = 0; i < 4; i++) {
            PLAIT_SCOPE;
            plait_buffer *poison;
            const unsigned char ones = 0xff; /* a NaN in every dtype */
            const size_t bytes = (size_t)(sizes[i] * sizes[i]) * sizeof(float);
            assert_ok(plait_buffer_create(&poison, ctx, bytes, NULL));
            assert_ok(plait_buffer_fill(plait_ctx_queue(ctx), poison, 0, bytes, &ones, 1, NULL));
            plait_buffer_release(poison);
            check(c, PLAIT_F32, sizes[i], 300, sizes[i], PLAIN, PLAIN);
        }
        PLAIT_SCOPE;
        const size_t k = 40000;
        float *v = malloc(k * sizeof *v), *one = malloc(k * sizeof *one);
        for (size_t i = 0; i < k; i++) {
            v[i] = one[i] = 1;
        }
        v[k / 3] = INFINITY;
        plait_array *a = plait_from_host(ctx, v, PLAIT_SHAPE((int64_t)k), PLAIT_F32);
        plait_array *b = plait_from_host(ctx, one, PLAIT_SHAPE((int64_t)k), PLAIT_F32);
        plait_array *tall =
            plait_broadcast_to(plait_reshape(b, PLAIT_SHAPE((int64_t)k, 1)), PLAIT_SHAPE((int64_t)k, 9));
        double value;
        assert_ok(plait_item(plait_matmul(a, b), &value));
        assert_true(isinf(value) && value > 0);
        assert_ok(plait_item(plait_index(plait_matmul(a, tall), 0, 8), &value));
        assert_true(isinf(value) && value > 0);
        v[k - 1] = -INFINITY;
        assert_ok(plait_item(plait_matmul(plait_from_host(ctx, v, PLAIT_SHAPE((int64_t)k), PLAIT_F32), b), &value));
        assert_true(isnan(value));
        free(v);
        free(one);
    }
}

/* An f32 sum of ones must not stop at 2^24. */
static void long_sums(void **state)
{
    (void)state;
    const int64_t k = 20000000;
    for (int c = 0; c < 2; c++) {
        PLAIT_SCOPE;
        plait_array *ones = plait_ones(contexts[c], PLAIT_SHAPE(k), PLAIT_F32);
        plait_array *table = plait_ones(contexts[c], PLAIT_SHAPE(k, 2), PLAIT_F32);
        double value;
        assert_ok(plait_item(plait_matmul(ones, ones), &value));
        assert_true(value == (double)k);
        float two[2];
        assert_ok(plait_to_host(plait_matmul(plait_transpose(table), ones), two, 2, PLAIT_F32));
        assert_true(two[0] == (float)k && two[1] == (float)k);
        if (c == CPU) { /* the device form makes a whole tile of it */
            float four[4];
            assert_ok(plait_to_host(plait_matmul(plait_transpose(table), table), four, 4, PLAIT_F32));
            assert_true(four[0] == (float)k && four[3] == (float)k);
        }
    }
}

static void the_same_bits_on_every_run(void **state)
{
    (void)state;
    for (int c = 0; c < CONTEXTS; c++) {
        PLAIT_SCOPE;
        matrix a = make(contexts[c], PLAIT_F32, 20, 3000, PLAIN),
               b = make(contexts[c], PLAIT_F32, 3000, 30, TRANSPOSED);
        float first[600], again[600];
        for (int i = 0; i < 5; i++) {
            assert_ok(plait_to_host(plait_matmul(a.array, b.array), i == 0 ? first : again, 600, PLAIT_F32));
            assert_true(i == 0 || memcmp(first, again, sizeof first) == 0);
        }
        drop(&a);
        drop(&b);
    }
}

/* A product takes expressions and gives its result to others; mixed dtypes promote as they do for an addition. */
static void chains(void **state)
{
    (void)state;
    for (int c = 0; c < 2; c++) {
        PLAIT_SCOPE;
        plait_ctx *ctx = contexts[c];
        matrix a = make(ctx, PLAIT_F32, 20, 30, PLAIN), b = make(ctx, PLAIT_F32, 30, 10, TRANSPOSED);
        plait_array *left = plait_subtract(plait_multiply(a.array, plait_num(2)), plait_num(1));
        plait_array *out = plait_add(plait_matmul(left, b.array), plait_num(0.5));
        float host[200];
        assert_ok(plait_to_host(out, host, 200, PLAIT_F32));
        for (int i = 0; i < 20; i++) {
            for (int j = 0; j < 10; j++) {
                double want = 0.5;
                for (int l = 0; l < 30; l++) {
                    want += (2 * a.re[i * 30 + l] - 1) * b.re[l * 10 + j];
                }
                assert_true(fabs((double)host[i * 10 + j] - want) < 1e-4);
            }
        }
        const int32_t counts[3] = {1, 2, 3};
        plait_array *ints = plait_from_host(ctx, counts, PLAIT_SHAPE(3), PLAIT_I32);
        plait_array *mixed = plait_matmul(ints, plait_full(ctx, PLAIT_SHAPE(3), plait_num(0.25), PLAIT_F32));
        double value;
        assert_int_equal(plait_array_dtype(mixed), PLAIT_F32);
        assert_ok(plait_item(mixed, &value));
        assert_true(value == 1.5);
        drop(&a);
        drop(&b);
    }
}

static uint64_t launches(plait_ctx *ctx)
{
    plait_stats stats = PLAIT_STATS;
    assert_ok(plait_ctx_stats(ctx, &stats));
    return stats.launches;
}

/* Neither product of gradient descent copies the table. */
static void a_table_is_not_copied(void **state)
{
    (void)state;
    for (int c = 0; c < 2; c++) {
        plait_ctx *ctx = contexts[c];
        const int64_t n = 100000, d = 13;
        PLAIT_SCOPE;
        float *table = malloc((size_t)(n * d) * sizeof *table);
        for (int64_t i = 0; i < n * d; i++) {
            table[i] = 1;
        }
        plait_array *x = plait_keep(plait_from_host(ctx, table, PLAIT_SHAPE(n, d), PLAIT_F32));
        plait_array *r = plait_keep(plait_from_host(ctx, table, PLAIT_SHAPE(n), PLAIT_F32));
        plait_array *w = plait_keep(plait_from_host(ctx, table, PLAIT_SHAPE(d), PLAIT_F32));
        free(table);
        for (int turn = 0; turn < 2; turn++) { /* the first one builds kernels */
            PLAIT_SCOPE;
            const uint64_t before = launches(ctx);
            plait_array *out = plait_matmul(plait_transpose(x), r);
            assert_ok(plait_eval(&out, 1));
            assert_in_range(launches(ctx) - before, 1, 2); /* the product, and the sum of its parts */
            plait_array *back = plait_matmul(x, w);
            assert_ok(plait_eval(&back, 1));
            assert_in_range(launches(ctx) - before, 2, 4);
            float first;
            assert_ok(plait_to_host(plait_slice(out, 0, 0, 1, 1), &first, 1, PLAIT_F32));
            assert_true(first == (float)n);
        }
        assert_ok(plait_release(x));
        assert_ok(plait_release(r));
        assert_ok(plait_release(w));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(squares_of_every_size),
        cmocka_unit_test(rectangles),
        cmocka_unit_test(operands_in_every_layout),
        cmocka_unit_test(every_dtype),
        cmocka_unit_test(vectors),
        cmocka_unit_test(sizes_of_zero),
        cmocka_unit_test(wrong_operands),
        cmocka_unit_test(memory_and_infinities),
        cmocka_unit_test(long_sums),
        cmocka_unit_test(the_same_bits_on_every_run),
        cmocka_unit_test(chains),
        cmocka_unit_test(a_table_is_not_copied),
    };
    return cmocka_run_group_tests(tests, open_contexts, close_contexts);
}
