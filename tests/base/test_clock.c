#include "testing.h"

#include "clock.h"

#include <time.h>

static void time_goes_forward(void **state)
{
    (void)state;
    uint64_t before = plait__now_ns();
    for (int i = 0; i < 1000; i++) {
        uint64_t now = plait__now_ns();
        assert_true(now >= before);
        before = now;
    }
}

static void sleeping_takes_the_time_asked_for(void **state)
{
    (void)state;
    uint64_t start = plait__now_ns();
    plait__sleep_ns(20000000);
    uint64_t took = plait__now_ns() - start;
    assert_true(took >= 20000000);
    assert_true(took < 5000000000u);
}

static void the_wall_clock_is_the_systems(void **state)
{
    (void)state;
    int64_t seconds = plait__wall_ns() / 1000000000;
    int64_t system = (int64_t)time(NULL);
    assert_true(system - seconds <= 1 && seconds - system <= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_goes_forward),
        cmocka_unit_test(sleeping_takes_the_time_asked_for),
        cmocka_unit_test(the_wall_clock_is_the_systems),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
