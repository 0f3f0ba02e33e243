#include "testing.h"

#include "choose.h"

static const plait_device_info cpu = {
    .type = PLAIT_DEVICE_CPU,
    .name = "pthread-haswell",
    .vendor = "GenuineIntel",
    .platform_name = "Portable Computing Language",
    .opencl_major = 3,
    .compute_units = 64,
    .clock_mhz = 3000,
    .global_memory = UINT64_C(256) << 30,
    .fp64 = true,
};
static const plait_device_info llvmpipe = {
    .type = PLAIT_DEVICE_CPU,
    .name = "llvmpipe (LLVM 15)",
    .vendor = "Mesa/X.org",
    .platform_name = "rusticl",
    .opencl_major = 3,
    .compute_units = 128,
    .clock_mhz = 3000,
    .global_memory = UINT64_C(256) << 30,
};
static const plait_device_info integrated = {
    .type = PLAIT_DEVICE_GPU_INTEGRATED,
    .name = "Intel(R) UHD Graphics",
    .vendor = "Intel(R) Corporation",
    .platform_name = "Intel(R) OpenCL Graphics",
    .opencl_major = 3,
    .compute_units = 96,
    .clock_mhz = 1300,
    .global_memory = UINT64_C(100) << 30,
    .unified_memory = true,
};
static const plait_device_info discrete = {
    .type = PLAIT_DEVICE_GPU_DISCRETE,
    .name = "NVIDIA H200",
    .vendor = "NVIDIA Corporation",
    .platform_name = "NVIDIA CUDA",
    .opencl_major = 3,
    .compute_units = 132,
    .clock_mhz = 1980,
    .global_memory = UINT64_C(140) << 30,
    .fp64 = true,
};
static const plait_device_info small_discrete = {
    .type = PLAIT_DEVICE_GPU_DISCRETE,
    .name = "NVIDIA T400",
    .vendor = "NVIDIA Corporation",
    .platform_name = "NVIDIA CUDA",
    .opencl_major = 3,
    .compute_units = 6,
    .clock_mhz = 1400,
    .global_memory = UINT64_C(4) << 30,
    .fp64 = true,
};
static const plait_device_info emulator = {
    .type = PLAIT_DEVICE_EMULATOR,
    .name = "Intel(R) FPGA Emulation Device",
    .vendor = "Intel(R) Corporation",
    .platform_name = "Intel(R) FPGA Emulation Platform for OpenCL(TM)",
    .opencl_major = 1,
    .opencl_minor = 2,
    .compute_units = 128,
    .clock_mhz = 5000,
    .global_memory = UINT64_C(512) << 30,
    .fp64 = true,
};

/* The name of what is chosen for `wanted`, or NULL. Places and indices are those of the list. */
static const char *choose(const plait_device_info *const *devices, size_t n, const char *wanted)
{
    plait_device_info list[8];
    assert_true(n <= 8);
    for (size_t i = 0; i < n; i++) {
        list[i] = *devices[i];
        list[i].index = i;
    }
    size_t index = 99;
    plait_status status = plait__choose("test", list, n, wanted, "PLAIT_DEVICE", "Install a driver.", &index, NULL);
    if (status != PLAIT_OK) {
        assert_int_equal(index, 99);
        return NULL;
    }
    assert_true(index < n);
    return list[index].platform_name == devices[index]->platform_name ? devices[index]->name : NULL;
}

#define LIST(...)                                                                                                      \
    (const plait_device_info *const[]){__VA_ARGS__},                                                                   \
        sizeof((const plait_device_info *const[]){__VA_ARGS__}) / sizeof(plait_device_info *)

static void best_kind_wins_in_any_order(void **state)
{
    (void)state;
    assert_ptr_equal(choose(LIST(&cpu, &discrete), NULL), discrete.name);
    assert_ptr_equal(choose(LIST(&discrete, &cpu), NULL), discrete.name);
    assert_ptr_equal(choose(LIST(&emulator, &cpu, &discrete), NULL), discrete.name);
    assert_ptr_equal(choose(LIST(&integrated, &discrete), NULL), discrete.name);
    assert_ptr_equal(choose(LIST(&discrete, &integrated), ""), discrete.name);
    assert_ptr_equal(choose(LIST(&cpu, &integrated), NULL), integrated.name);
    assert_ptr_equal(choose(LIST(&cpu), NULL), cpu.name);
    assert_ptr_equal(choose(LIST(&emulator, &cpu), NULL), cpu.name);
    assert_ptr_equal(choose(LIST(&small_discrete, &discrete), NULL), discrete.name);
    assert_ptr_equal(choose(LIST(&discrete, &small_discrete), NULL), discrete.name);
    assert_ptr_equal(choose(LIST(&llvmpipe, &cpu), NULL), cpu.name);
    assert_ptr_equal(choose(LIST(&cpu, &llvmpipe), NULL), cpu.name);
}

static void every_order_gives_the_same_device(void **state)
{
    (void)state;
    const plait_device_info *all[] = {&cpu, &discrete, &emulator, &integrated, &llvmpipe};
    const size_t n = 5;
    /* Heap's algorithm without the recursion: all 120 orders. */
    size_t counters[5] = {0}, i = 0, orders = 1;
    assert_ptr_equal(choose(all, n, NULL), discrete.name);
    while (i < n) {
        if (counters[i] < i) {
            size_t other = i % 2 == 0 ? 0 : counters[i];
            const plait_device_info *kept = all[other];
            all[other] = all[i];
            all[i] = kept;
            assert_ptr_equal(choose(all, n, NULL), discrete.name);
            assert_ptr_equal(choose(all, n, "cpu"), cpu.name);
            assert_ptr_equal(choose(all, n, "intel"), integrated.name);
            orders++;
            counters[i]++;
            i = 0;
        } else {
            counters[i++] = 0;
        }
    }
    assert_int_equal(orders, 120);
}

static void one_card_under_two_platforms_is_its_vendors(void **state)
{
    (void)state;
    plait_device_info other = discrete;
    other.platform_name = "Portable Computing Language";
    other.global_memory -= 700 << 20; /* two drivers never agree on it exactly */
    other.compute_units *= 4;         /* nor on what a compute unit is */
    plait_device_info list[2] = {discrete, other};
    size_t index;
    assert_ok(plait__choose("test", list, 2, NULL, "", "", &index, NULL));
    assert_int_equal(index, 0);
    list[0] = other;
    list[1] = discrete;
    assert_ok(plait__choose("test", list, 2, NULL, "", "", &index, NULL));
    assert_int_equal(index, 1);
    list[0].global_memory = discrete.global_memory + (UINT64_C(1) << 30);
    assert_ok(plait__choose("test", list, 2, NULL, "", "", &index, NULL));
    assert_int_equal(index, 1);
    /* Asked for by its platform, the other one is taken. */
    assert_ok(plait__choose("test", list, 2, "portable", "", "", &index, NULL));
    assert_int_equal(index, 0);
}

static void wishes_are_kept(void **state)
{
    (void)state;
    assert_ptr_equal(choose(LIST(&discrete, &cpu, &integrated), "1"), cpu.name);
    assert_ptr_equal(choose(LIST(&discrete, &cpu, &integrated), "2"), integrated.name);
    assert_ptr_equal(choose(LIST(&discrete, &cpu, &integrated), "CPU"), cpu.name);
    assert_ptr_equal(choose(LIST(&cpu, &integrated), "gpu"), integrated.name);
    assert_ptr_equal(choose(LIST(&integrated, &discrete), "Gpu"), discrete.name);
    assert_ptr_equal(choose(LIST(&small_discrete, &discrete), "t400"), small_discrete.name);
    assert_ptr_equal(choose(LIST(&discrete, &integrated), "INTEL"), integrated.name);
    assert_ptr_equal(choose(LIST(&discrete, &cpu), "portable computing"), cpu.name);
    /* An emulator is taken when it is asked for, and only then. */
    assert_ptr_equal(choose(LIST(&discrete, &emulator), "emulation"), emulator.name);
    assert_ptr_equal(choose(LIST(&discrete, &emulator), "1"), emulator.name);
    assert_ptr_equal(choose(LIST(&emulator, &integrated), "intel"), integrated.name);
    assert_null(choose(LIST(&emulator), NULL));
}

static void a_platform_and_a_device_in_it(void **state)
{
    (void)state;
    plait_device_info list[3] = {cpu, discrete, small_discrete};
    list[1].platform = list[2].platform = 1;
    list[2].platform_device = 1;
    size_t index;
    assert_ok(plait__choose("test", list, 3, "1:1", "", "", &index, NULL));
    assert_int_equal(index, 2);
    assert_ok(plait__choose("test", list, 3, "0:0", "", "", &index, NULL));
    assert_int_equal(index, 0);
    assert_fails(plait__choose("test", list, 3, "0:1", "PLAIT_DEVICE", "", &index, NULL), PLAIT_E_NO_DEVICE, "0:1");
}

static void no_match_lists_what_exists(void **state)
{
    (void)state;
    const char *const wishes[] = {"7", "2", "radeon", "gpu", "4294967296", "1:5", "99999999999999999999", "-1", "1:x"};
    plait_device_info list[2] = {cpu, emulator};
    for (size_t i = 0; i < sizeof wishes / sizeof *wishes; i++) {
        size_t index = 99;
        assert_fails(plait__choose("plait_open", list, 2, wishes[i], "PLAIT_DEVICE", "", &index, NULL),
                     PLAIT_E_NO_DEVICE, wishes[i]);
        assert_on_record(PLAIT_E_NO_DEVICE, "[0] pthread-haswell (CPU, Portable Computing Language)");
        assert_on_record(PLAIT_E_NO_DEVICE, "[1] Intel(R) FPGA Emulation Device (emulator");
        assert_on_record(PLAIT_E_NO_DEVICE, "plait_open: PLAIT_DEVICE=");
        assert_int_equal(index, 99);
    }
    size_t index;
    assert_fails(plait__choose("plait_open", list, 0, NULL, "", "Install a driver.", &index, NULL), PLAIT_E_NO_DEVICE,
                 "Install a driver.");
    assert_fails(plait__choose("plait_open", list + 1, 1, NULL, "", "", &index, NULL), PLAIT_E_NO_DEVICE,
                 "only emulators");
}

static void what_is_too_old_is_never_taken(void **state)
{
    (void)state;
    plait_device_info old = discrete;
    old.opencl_major = 1;
    old.opencl_minor = 1;
    assert_ptr_equal(choose(LIST(&old, &cpu), NULL), cpu.name);
    assert_ptr_equal(choose(LIST(&cpu, &old), NULL), cpu.name);
    assert_null(choose(LIST(&old, &cpu), "h200"));
    assert_on_record(PLAIT_E_NO_DEVICE, "too old");
    assert_null(choose(LIST(&old), NULL));
    assert_on_record(PLAIT_E_NO_DEVICE, "OpenCL 1.2");
}

static void the_reason_is_told(void **state)
{
    (void)state;
    plait_device_info list[2] = {cpu, discrete};
    const struct {
        const char *wanted, *reason;
        size_t n;
    } cases[] = {
        {NULL, "best of 2 devices: a discrete GPU", 2}, {NULL, "only device", 1},
        {"0", "PLAIT_DEVICE=\"0\" names it", 2},        {"gpu", "only match of PLAIT_DEVICE=\"gpu\"", 2},
        {"a", "best match of PLAIT_DEVICE=\"a\"", 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        plait__strbuf why = {0};
        size_t index;
        assert_ok(plait__choose("test", list, cases[i].n, cases[i].wanted, "PLAIT_DEVICE", "", &index, &why));
        assert_non_null(strstr(plait__strbuf_text(&why), cases[i].reason));
        plait__strbuf_free(&why);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(best_kind_wins_in_any_order),
        cmocka_unit_test(every_order_gives_the_same_device),
        cmocka_unit_test(one_card_under_two_platforms_is_its_vendors),
        cmocka_unit_test(wishes_are_kept),
        cmocka_unit_test(a_platform_and_a_device_in_it),
        cmocka_unit_test(no_match_lists_what_exists),
        cmocka_unit_test(what_is_too_old_is_never_taken),
        cmocka_unit_test(the_reason_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
