/*
 * More than 2^32 elements in one buffer: right, or refused in words. Most drivers refuse it, and then this test says so
 * and counts as skipped; it is for GPUs with much memory.
 */
#include "api_testing.h"

#include <inttypes.h>
#include <math.h>

static plait_ctx *ctx;
static bool skipped;

#define BEYOND ((INT64_C(1) << 32) + 1024)
#define MANY INT64_C(4294867296)

/* Whether the device can hold a buffer of so many bytes. If not, evaluating `a`, which has them, must say so. */
static bool fits(plait_array *a, int64_t bytes)
{
    const plait_device_info *device = plait_ctx_device(ctx);
    if ((uint64_t)bytes <= device->max_allocation && (uint64_t)bytes * 2 <= device->global_memory) {
        return true;
    }
    if ((uint64_t)bytes > device->max_allocation) {
        assert_fails(plait_eval(&a, 1), PLAIT_E_RANGE, "largest buffer");
    }
    printf("skipped: %" PRId64 " bytes in one buffer: %s takes %" PRIu64 " of its %" PRIu64 "\n", bytes, device->name,
           device->max_allocation, device->global_memory);
    skipped = true;
    return false;
}

static void elements_beyond_32_bits(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    plait_array *i = plait_arange(ctx, 0, (double)BEYOND, 1, PLAIT_I64);
    plait_array *x = plait_map_n("(uchar)(a % 251)", &i, 1, PLAIT_U8);
    assert_array(x);
    if (!fits(x, BEYOND)) {
        return;
    }
    assert_ok(plait_eval(&x, 1));
    int64_t item, zeros;
    assert_ok(plait_item_int(plait_index(x, 0, (INT64_C(1) << 32) + 7), &item));
    assert_int_equal(item, 130);
    assert_ok(plait_item_int(plait_index(x, 0, -1), &item));
    assert_int_equal(item, (BEYOND - 1) % 251);
    assert_ok(plait_item_int(plait_sum(plait_equal(x, plait_int(0))), &zeros));
    assert_int_equal(zeros, (BEYOND + 250) / 251);
    unsigned char end[3];
    assert_ok(plait_to_host(plait_flip(plait_slice(x, 0, -3, PLAIT_OPEN, 1), PLAIT_AXES(0)), end, 3, PLAIT_U8));
    assert_int_equal(end[0], (BEYOND - 1) % 251);
}

static void a_norm_of_16_gigabytes(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    plait_array *ones = plait_add(plait_ones(ctx, PLAIT_SHAPE(MANY), PLAIT_F32), plait_num(0));
    assert_array(ones);
    if (!fits(ones, 4 * MANY)) {
        return;
    }
    assert_ok(plait_eval(&ones, 1));
    double norm;
    assert_ok(plait_item(plait_sqrt(plait_sum(plait_square(ones))), &norm));
    assert_true(fabs(norm - 65535.237) < 0.004); /* half the distance of two f32 */
}

int main(void)
{
    ctx = open_or_skip();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_beyond_32_bits),
        cmocka_unit_test(a_norm_of_16_gigabytes),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    assert_ok(plait_close(ctx));
    return failed == 0 && skipped ? TEST_SKIPPED : failed;
}
