/* Which kernel a product gets, and how its work is cut: pure, no device. */
#include "testing.h"

#include "matmul_choice.h"

static plait__caps gpu(void)
{
    return (plait__caps){.skeleton = PLAIT__SKELETON_DEVICE,
                         .compute_units = 132,
                         .max_group = 1024,
                         .local_memory = 48 << 10,
                         .real = PLAIT_F32};
}

static plait__caps cpu(void)
{
    return (plait__caps){.skeleton = PLAIT__SKELETON_CPU,
                         .compute_units = 2,
                         .max_group = 4096,
                         .local_memory = 512 << 10,
                         .real = PLAIT_F32};
}

static plait__operand matrix(int64_t n, int64_t m, bool transposed)
{
    plait__operand o = {.dtype = PLAIT_F32, .shape = PLAIT_SHAPE(n, m)};
    o.layout.strides[0] = transposed ? 1 : m;
    o.layout.strides[1] = transposed ? n : 1;
    return o;
}

static plait__operand vector(int64_t n)
{
    plait__operand o = {.dtype = PLAIT_F32, .shape = PLAIT_SHAPE(n)};
    o.layout.strides[0] = 1;
    return o;
}

static plait__matmul_choice choose(plait__caps caps, plait_dtype dtype, plait__operand a, plait__operand b)
{
    plait__matmul_choice c;
    plait__matmul_choose(&c, &caps, dtype, (const plait__operand[]){a, b});
    return c;
}

static const char *row_of(plait__caps caps, plait_dtype dtype, int64_t n)
{
    return choose(caps, dtype, matrix(n, n, false), matrix(n, n, false)).product.row->name;
}

static void tiles_follow_sizes_dtypes_and_limits(void **state)
{
    (void)state;
    plait__caps caps = gpu();
    assert_string_equal(row_of(caps, PLAIT_F32, 8192), "TILES_128");
    assert_string_equal(row_of(caps, PLAIT_F32, 1024), "TILES_64"); /* 64 large tiles would leave units idle */
    assert_string_equal(row_of(caps, PLAIT_C64, 8192), "TILES_128");
    assert_string_equal(row_of(caps, PLAIT_F64, 8192), "TILES_64_WIDE");
    assert_string_equal(row_of(caps, PLAIT_I64, 64), "TILES_32_WIDE");
    caps.max_group = 64;
    assert_string_equal(row_of(caps, PLAIT_F32, 8192), "TILES_64");
    assert_string_equal(row_of(caps, PLAIT_F64, 8192), "TILES_32_WIDE");
    caps.max_group = 16;
    assert_string_equal(row_of(caps, PLAIT_F32, 8192), "TILES_32");
    caps.max_group = 2;
    assert_string_equal(row_of(caps, PLAIT_F64, 8192), "TILES_4");
    caps = gpu();
    caps.local_memory = 1024;
    assert_string_equal(row_of(caps, PLAIT_F64, 8192), "TILES_4");
    assert_string_equal(choose(caps, PLAIT_C64, matrix(9, 9, false), vector(9)).product.row->name, "GROUPS_64");
    assert_string_equal(row_of(cpu(), PLAIT_U8, 8192), "BLOCKS_96");
}

static void a_table_and_its_transpose_are_read_where_they_are(void **state)
{
    (void)state;
    const plait__caps each[2] = {gpu(), cpu()};
    for (int i = 0; i < 2; i++) {
        plait__matmul_choice c = choose(each[i], PLAIT_F32, matrix(1000000, 13, false), vector(13));
        assert_string_equal(c.product.kernel_name, "matvec_rows");
        assert_int_equal(c.pitch, 13);
        assert_int_equal(c.matrix, 0);
        assert_int_equal(c.product.parts, 1);
        c = choose(each[i], PLAIT_F32, matrix(13, 1000000, true), vector(1000000));
        assert_string_equal(c.product.kernel_name, "matvec_columns");
        assert_int_equal(c.pitch, 13);
        assert_int_equal(c.product.n, 13);
        assert_true(c.product.parts > 1);
        assert_string_equal(c.sum.kernel_name, "matvec_columns");
        assert_int_equal(c.sum.k, c.product.parts);
        /* A vector times a matrix is the same from the other side. */
        c = choose(each[i], PLAIT_F32, vector(1000000), matrix(1000000, 13, false));
        assert_string_equal(c.product.kernel_name, "matvec_columns");
        assert_int_equal(c.matrix, 1);
        /* So is a matrix of one column, and a dot product is a row. */
        c = choose(each[i], PLAIT_F32, matrix(500, 300, true), matrix(300, 1, false));
        assert_string_equal(c.product.kernel_name, "matvec_columns");
        assert_int_equal(c.pitch, 500);
        c = choose(each[i], PLAIT_F32, vector(1 << 24), vector(1 << 24));
        assert_string_equal(c.product.kernel_name, "matvec_rows");
        assert_int_equal(c.product.n, 1);
        assert_true(c.product.parts > 1);
    }
}

static bool accepts(plait_dims shape, int64_t s0, int64_t s1)
{
    const plait__layout layout = {.offset = 3, .strides = {s0, s1}};
    return plait__matmul_accepts(&shape, &layout);
}

static void accepts_one_stride_of_one(void **state)
{
    (void)state;
    assert_true(accepts(PLAIT_SHAPE(5, 7), 7, 1));
    assert_true(accepts(PLAIT_SHAPE(5, 7), 1, 5));
    assert_true(accepts(PLAIT_SHAPE(5, 7), -9, 1));
    assert_true(accepts(PLAIT_SHAPE(5, 7), 0, 1));
    assert_true(accepts(PLAIT_SHAPE(5, 1), 4, 4));
    assert_false(accepts(PLAIT_SHAPE(5, 7), 14, 2));
    assert_false(accepts(PLAIT_SHAPE(5, 7), 7, -1));
    assert_false(accepts(PLAIT_SHAPE(5, 7), 0, 0));
    assert_true(accepts(PLAIT_SHAPE(5), 1, 0));
    assert_false(accepts(PLAIT_SHAPE(5), 2, 0));
}

static void check_launch(const plait__matmul_launch *l, const plait__caps *caps, plait_dtype dtype)
{
    assert_non_null(l->row);
    assert_true(l->row->items <= caps->max_group);
    assert_true(l->global > 0 && l->global % l->row->items == 0);
    assert_true(l->parts >= 1 && (l->parts - 1) * l->part < l->k && l->parts * l->part >= l->k);
    assert_true(l->parts == 1 || l->part % 128 == 0);
    if (l->parts > 1) {
        assert_true(l->parts * l->n * l->m * (int64_t)plait_dtype_size(dtype) <= 64 << 20);
    }
    const int64_t parts = dtype == PLAIT_C64 ? 2 : 1;
    switch (l->row->form) {
    case PLAIT__MATMUL_BLOCKS:
        assert_true(l->height > 0 && l->height * parts % 6 == 0 && l->height * parts <= l->row->height);
        assert_true(l->width > 0);
        assert_true(l->scratch > 0);
        break;
    case PLAIT__MATMUL_GROUPS:
        assert_true(l->lanes >= 1 && (uint32_t)l->lanes <= l->row->items && l->row->items % (uint32_t)l->lanes == 0);
        break;
    default:
        break;
    }
    if (caps->skeleton == PLAIT__SKELETON_CPU) {
        assert_true(l->global <= 4 * caps->compute_units);
    }
}

static void every_choice_covers_the_work(void **state)
{
    (void)state;
    static const int64_t sizes[] = {1, 2, 13, 64, 127, 300, 5000, 100000};
    static const plait_dtype dtypes[] = {PLAIT_U8, PLAIT_I64, PLAIT_F32, PLAIT_C64};
    static const size_t groups[] = {1, 2, 16, 64, 100, 1024};
    for (size_t g = 0; g < 7; g++) {
        plait__caps caps = g < 6 ? gpu() : cpu();
        if (g < 6) {
            caps.max_group = groups[g];
        }
        for (int i = 0; i < 8 * 8 * 8 * 4; i++) {
            const int64_t n = sizes[i % 8], k = sizes[i / 8 % 8], m = sizes[i / 64 % 8];
            const plait_dtype dtype = dtypes[i / 512];
            const plait__matmul_choice c = choose(caps, dtype, matrix(n, k, i % 3 == 0), matrix(k, m, i % 5 == 0));
            check_launch(&c.product, &caps, dtype);
            assert_int_equal(c.product.k, k);
            assert_int_equal(c.product.n * c.product.m, n * m);
            if (c.product.parts > 1) {
                check_launch(&c.sum, &caps, dtype);
                assert_int_equal(c.sum.parts, 1);
                assert_int_equal(c.sum.n, n * m);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_follow_sizes_dtypes_and_limits),
        cmocka_unit_test(a_table_and_its_transpose_are_read_where_they_are),
        cmocka_unit_test(accepts_one_stride_of_one),
        cmocka_unit_test(every_choice_covers_the_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
