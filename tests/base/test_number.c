#include "testing.h"

#include "alloc.h"
#include "number.h"

#include <float.h>
#include <locale.h>
#include <math.h>

static void formats(double value, const char *expected)
{
    char text[PLAIT__NUMBER_SIZE];
    size_t n = plait__format_f64(text, value);
    assert_string_equal(text, expected);
    assert_int_equal(n, strlen(expected));
}

static void shortest_decimal_text(void **state)
{
    (void)state;
    formats(0.1, "0.1");
    formats(-2.5, "-2.5");
    formats(0.0, "0");
    formats(-0.0, "-0");
    formats(1e300, "1e+300");
    formats(1.0 / 3, "0.3333333333333333");
    formats(5e-324, "4.94065645841247e-324");
    formats(DBL_MAX, "1.7976931348623157e+308");
    formats(9223372036854775808.0, "9.223372036854776e+18");
    formats(NAN, "nan");
    formats(-NAN, "nan");
    formats(INFINITY, "inf");
    formats(-INFINITY, "-inf");

    char text[PLAIT__NUMBER_SIZE];
    plait__format_f32(text, 0.1f);
    assert_string_equal(text, "0.1");
    plait__format_f32(text, 16777216.0f);
    assert_string_equal(text, "16777216");
    plait__format_f32(text, FLT_MIN);
    assert_string_equal(text, "1.1754944e-38");
    plait__format_digits(text, 3.14159265, 3);
    assert_string_equal(text, "3.14");
    plait__format_hex(text, 0.5 + 0.25);
    assert_string_equal(text, "0x1.8p-1");
    plait__format_hex(text, 1.0);
    assert_string_equal(text, "0x1p+0");
}

static void every_number_survives_the_round_trip(void **state)
{
    (void)state;
    uint64_t bits = 0x9e3779b97f4a7c15u;
    for (int i = 0; i < 20000; i++) {
        bits = bits * 6364136223846793005u + 1442695040888963407u;
        double value, back;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) {
            continue;
        }
        char text[PLAIT__NUMBER_SIZE];
        plait__format_f64(text, value);
        assert_true(plait__parse_f64(&back, text));
        assert_memory_equal(&back, &value, sizeof value);
        plait__format_hex(text, value);
        assert_true(plait__parse_f64(&back, text));
        assert_memory_equal(&back, &value, sizeof value);

        uint32_t half = (uint32_t)(bits >> 32);
        float single;
        memcpy(&single, &half, sizeof single);
        if (isfinite(single)) {
            plait__format_f32(text, single);
            assert_true(plait__parse_f64(&back, text));
            float again = (float)back;
            assert_memory_equal(&again, &single, sizeof single);
        }
    }
}

static void reads(const char *text, double expected)
{
    double value = 12345;
    assert_true(plait__parse_f64(&value, text));
    assert_true(value == expected && signbit(value) == signbit(expected));
}

static void refuses(const char *text)
{
    double value = 12345;
    assert_false(plait__parse_f64(&value, text));
    assert_true(value == 12345);
}

static void floats_are_read(void **state)
{
    (void)state;
    reads("1.5", 1.5);
    reads("+1.5e3", 1500);
    reads("-.5", -0.5);
    reads("5.", 5);
    reads("-0", -0.0);
    reads("0x1.8p+1", 3);
    reads("0X.8P1", 1);
    reads("0x10", 16);
    reads("1e-400", 0);
    reads("4.9e-324", 5e-324);
    reads("inf", INFINITY);
    reads("-Infinity", -INFINITY);
    double nan = 0;
    assert_true(plait__parse_f64(&nan, "NaN"));
    assert_true(isnan(nan));

    static const char *const bad[] = {"",   " 1",   "1 ",    "1,5", "1.5.2", ".",  "-",    "e5",    "1e", "1e+",
                                      "0x", "0xp1", "1e400", "--1", "+-1",   "in", "nanx", "1_000", "1f", "infin"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        refuses(bad[i]);
    }

    /* More digits than any fixed buffer has; the last one decides between two neighbours. */
    char text[2000] = "1.";
    memset(text + 2, '0', 1500);
    strcpy(text + 1502, "1e10");
    reads(text, 1e10);
    plait__alloc_fail_at(1);
    refuses(text);
    plait__alloc_fail_at(0);
}

static void scanning_stops_where_the_number_does(void **state)
{
    (void)state;
    double value;
    assert_int_equal(plait__scan_f64(&value, "1.5,2", 5), 3);
    assert_true(value == 1.5);
    assert_int_equal(plait__scan_f64(&value, "1.5e", 4), 3);
    assert_int_equal(plait__scan_f64(&value, "1.5e+x", 6), 3);
    assert_int_equal(plait__scan_f64(&value, "0xg", 3), 1);
    assert_int_equal(plait__scan_f64(&value, "1.52", 3), 3);
    assert_true(value == 1.5);
    assert_int_equal(plait__scan_f64(&value, "infinite", 8), 3);
    assert_int_equal(plait__scan_f64(&value, "x", 1), 0);
    assert_int_equal(plait__scan_f64(&value, "1", 0), 0);

    int64_t number;
    assert_int_equal(plait__scan_i64(&number, "12)", 3, INT64_MIN, INT64_MAX), 2);
    assert_int_equal(number, 12);
    assert_int_equal(plait__scan_i64(&number, "123", 2, INT64_MIN, INT64_MAX), 2);
    assert_int_equal(number, 12);
}

static void integers_are_read_with_their_range(void **state)
{
    (void)state;
    int64_t i = 0;
    assert_true(plait__parse_i64(&i, "-9223372036854775808", INT64_MIN, INT64_MAX) && i == INT64_MIN);
    assert_true(plait__parse_i64(&i, "9223372036854775807", INT64_MIN, INT64_MAX) && i == INT64_MAX);
    assert_true(plait__parse_i64(&i, "+7", 0, 10) && i == 7);
    assert_true(plait__parse_i64(&i, "-0", 0, 10) && i == 0);
    assert_true(plait__parse_i64(&i, "007", 0, 10) && i == 7);
    i = 99;
    static const char *const bad[] = {
        "9223372036854775808", "-9223372036854775809", "99999999999999999999999", "", "-", "1.0", "0x10", " 1"};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        assert_false(plait__parse_i64(&i, bad[k], INT64_MIN, INT64_MAX));
    }
    assert_false(plait__parse_i64(&i, "11", 0, 10));
    assert_false(plait__parse_i64(&i, "-1", 0, 10));
    assert_int_equal(i, 99);

    uint64_t u = 0;
    assert_true(plait__parse_u64(&u, "18446744073709551615", UINT64_MAX) && u == UINT64_MAX);
    assert_true(plait__parse_u64(&u, "0xFFFFFFFFffffffff", UINT64_MAX) && u == UINT64_MAX);
    assert_true(plait__parse_u64(&u, "+0x1f", 31) && u == 31);
    assert_true(plait__parse_u64(&u, "0", 0) && u == 0);
    u = 99;
    assert_false(plait__parse_u64(&u, "18446744073709551616", UINT64_MAX));
    assert_false(plait__parse_u64(&u, "0x10000000000000000", UINT64_MAX));
    assert_false(plait__parse_u64(&u, "0x20", 31));
    assert_int_equal(plait__scan_u64(&u, "0x20", 4, 31), 0);
    assert_false(plait__parse_u64(&u, "-1", UINT64_MAX));
    assert_false(plait__parse_u64(&u, "5", 4));
    assert_int_equal(u, 99);
}

static void sizes_in_bytes(void **state)
{
    (void)state;
    uint64_t n = 0;
    assert_true(plait__parse_size(&n, "4096") && n == 4096);
    assert_true(plait__parse_size(&n, "0") && n == 0);
    assert_true(plait__parse_size(&n, "64k") && n == 64 << 10);
    assert_true(plait__parse_size(&n, "512M") && n == 512u << 20);
    assert_true(plait__parse_size(&n, "1.5G") && n == (uint64_t)3 << 29);
    assert_true(plait__parse_size(&n, "2TiB") && n == (uint64_t)2 << 40);
    assert_true(plait__parse_size(&n, "2GB") && n == (uint64_t)2 << 30);
    assert_true(plait__parse_size(&n, "10B") && n == 10);
    static const char *const bad[] = {"",    "M",   "-1",  "1X",   "1Mi",         "1iB",
                                      "1 M", "nan", "inf", "1e30", "9999999999T", "1MM"};
    n = 7;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_false(plait__parse_size(&n, bad[i]));
    }
    assert_int_equal(n, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shortest_decimal_text),
        cmocka_unit_test(every_number_survives_the_round_trip),
        cmocka_unit_test(floats_are_read),
        cmocka_unit_test(scanning_stops_where_the_number_does),
        cmocka_unit_test(integers_are_read_with_their_range),
        cmocka_unit_test(sizes_in_bytes),
    };
    int failed = cmocka_run_group_tests_name("C locale", tests, NULL, NULL);
    if (!test_comma_locale()) {
        printf("skipped: no locale with a decimal comma, and localedef cannot make one\n");
        return failed ? failed : TEST_SKIPPED;
    }
    char sample[16];
    snprintf(sample, sizeof sample, "%.1f", 0.5);
    printf("printf's 0.5 is now %s\n", sample);
    failed += cmocka_run_group_tests_name("comma locale", tests, NULL, NULL);
    setlocale(LC_ALL, "C");
    return failed;
}
