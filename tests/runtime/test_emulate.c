#include "testing.h"

#include "caps.h"
#include "emulate.h"
#include "quirks.h"

static const plait_device_info gpu = {
    .type = PLAIT_DEVICE_GPU_DISCRETE,
    .name = "GPU",
    .compute_units = 132,
    .global_memory = UINT64_C(8) << 30,
    .max_allocation = UINT64_C(2) << 30,
    .local_memory = 49152,
    .max_parameter_bytes = 4352,
    .max_group_size = 1024,
    .max_group_sizes = {1024, 1024, 64},
    .fp64 = true,
    .fp16 = true,
    .int64_atomics = true,
    .correct_divide = true,
};

static plait__caps caps_under(const char *emulate, plait_device_info *info)
{
    plait__emulation e;
    assert_ok(plait__emulation_parse(&e, emulate));
    *info = gpu;
    plait__emulation_apply(&e, info);
    plait__caps caps;
    plait__caps_fill(&caps, info);
    return caps;
}

static void nothing_emulated_changes_nothing(void **state)
{
    (void)state;
    const char *const nothing[] = {NULL, "", ",", "group=4096,local=1M,params=1M,memory=100G"};
    for (size_t i = 0; i < 4; i++) {
        plait_device_info info;
        plait__caps caps = caps_under(nothing[i], &info);
        assert_memory_equal(&info, &gpu, sizeof info);
        assert_int_equal(caps.skeleton, PLAIT__SKELETON_DEVICE);
        assert_int_equal(caps.max_group, 1024);
        assert_int_equal(caps.groups[0], 256);
        assert_int_equal(caps.groups[1], 128);
        assert_int_equal(caps.groups[2], 64);
        assert_true(caps.global_memory == gpu.global_memory && caps.max_allocation == gpu.max_allocation);
        assert_non_null(strstr(caps.build_options, "-cl-fp32-correctly-rounded-divide-sqrt"));
    }
}

static void limits_are_lowered(void **state)
{
    (void)state;
    plait_device_info info;
    plait__caps caps = caps_under("group=16,nofp64,nofp16,noint64atomics,local=1024,params=256,memory=64M", &info);
    assert_false(caps.fp64 || caps.fp16 || caps.int64_atomics || info.fp64 || info.fp16 || info.int64_atomics);
    assert_int_equal(caps.max_group, 16);
    assert_int_equal(info.max_group_sizes[0], 16);
    assert_int_equal(info.max_group_sizes[2], 16);
    assert_int_equal(caps.local_memory, 1024);
    assert_int_equal(caps.max_parameter_bytes, 256);
    assert_int_equal(caps.global_memory, 64 << 20);
    assert_int_equal(caps.max_allocation, 64 << 20);
}

static void groups_never_exceed_the_limit(void **state)
{
    (void)state;
    const struct {
        const char *emulate;
        size_t groups[3];
        size_t sizes[3];
    } cases[] = {
        {"group=1", {1, 1, 1}, {1, 1, 1}},
        {"group=2", {2, 2, 2}, {2, 2, 2}},
        {"group=16", {16, 16, 16}, {16, 16, 16}},
        {"group=64", {64, 64, 64}, {64, 64, 64}},
        {"group=100", {64, 64, 64}, {100, 100, 64}},
        {"group=200", {128, 128, 64}, {200, 200, 64}},
        {"group=1024x1x1", {256, 128, 64}, {1024, 1, 1}},
        {"group=4x64", {4, 4, 4}, {4, 64, 1}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        plait_device_info info;
        plait__caps caps = caps_under(cases[i].emulate, &info);
        for (size_t j = 0; j < 3; j++) {
            assert_int_equal(caps.groups[j], cases[i].groups[j]);
            assert_int_equal(info.max_group_sizes[j], cases[i].sizes[j]);
        }
    }
}

static void a_wrong_item_is_named(void **state)
{
    (void)state;
    const char *const wrong[] = {
        "grop=16",  "group=", "group=0", "group=16x", "group=1x2x3x4", "group=-1", "nofp64=1", "memory=lots",
        "memory=0", "fp64",   "local",   "group=x1",  "group=16 ,a",   "params=",  "GROUP=1",  "memory=64M;nofp64"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        plait__emulation e;
        char item[64], text[100];
        snprintf(item, sizeof item, "%.*s", (int)strcspn(wrong[i], ","), wrong[i]);
        snprintf(text, sizeof text, "nofp16,%s", wrong[i]);
        assert_fails(plait__emulation_parse(&e, text), PLAIT_E_ARGUMENT, item);
        assert_on_record(PLAIT_E_ARGUMENT, "PLAIT_EMULATE");
    }
    plait__emulation e;
    char longest[500];
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = 0;
    assert_fails(plait__emulation_parse(&e, longest), PLAIT_E_ARGUMENT, "xxx");
}

static void skeletons(void **state)
{
    (void)state;
    plait__skeleton s = PLAIT__SKELETON_DEVICE;
    assert_ok(plait__skeleton_parse(&s, NULL));
    assert_int_equal(s, PLAIT__SKELETON_DEVICE);
    assert_ok(plait__skeleton_parse(&s, "cpu"));
    assert_int_equal(s, PLAIT__SKELETON_CPU);
    assert_ok(plait__skeleton_parse(&s, "device"));
    assert_int_equal(s, PLAIT__SKELETON_DEVICE);
    assert_fails(plait__skeleton_parse(&s, "gpu"), PLAIT_E_ARGUMENT, "gpu");

    plait_device_info info = gpu;
    plait__caps caps;
    const struct {
        plait_device_type type;
        plait__skeleton skeleton;
    } kinds[] = {{PLAIT_DEVICE_CPU, PLAIT__SKELETON_CPU},
                 {PLAIT_DEVICE_GPU_DISCRETE, PLAIT__SKELETON_DEVICE},
                 {PLAIT_DEVICE_GPU_INTEGRATED, PLAIT__SKELETON_DEVICE}};
    for (size_t i = 0; i < 3; i++) {
        info.type = kinds[i].type;
        plait__caps_fill(&caps, &info);
        assert_int_equal(caps.skeleton, kinds[i].skeleton);
    }
}

static void a_driver_that_says_nothing_gets_least_limits(void **state)
{
    (void)state;
    const plait_device_info silent = {.type = PLAIT_DEVICE_ACCELERATOR};
    plait__caps caps;
    plait__caps_fill(&caps, &silent);
    assert_int_equal(caps.max_group, 1);
    assert_int_equal(caps.groups[0], 1);
    assert_int_equal(caps.compute_units, 1);
    assert_true(caps.local_memory > 0 && caps.max_parameter_bytes > 0);
    assert_true(caps.max_allocation > 0 && caps.max_allocation <= caps.global_memory);
    assert_null(strstr(caps.build_options, "correctly-rounded"));
}

static void quirks_follow_platform_and_device(void **state)
{
    (void)state;
    uint32_t nvidia = plait__quirks_match("NVIDIA CUDA", "NVIDIA H200", "580.1");
    assert_true(nvidia & PLAIT__QUIRK_UNLISTED_HALF);
    assert_true(nvidia & PLAIT__QUIRK_INVALID_QUEUE_IS_LOST);
    assert_false(nvidia & PLAIT__QUIRK_COMPILES_PER_GROUP);
    uint32_t pocl = plait__quirks_match("Portable Computing Language", "pthread", "3.1");
    assert_true(pocl & PLAIT__QUIRK_BINARY_AFTER_LAUNCH);
    assert_false(pocl & PLAIT__QUIRK_UNLISTED_HALF);
    assert_true(plait__quirks_match("rusticl", "llvmpipe", "22.3") & PLAIT__QUIRK_ZERO_TIMES);
    assert_int_equal(plait__quirks_match("Intel(R) OpenCL", "Intel CPU", "2024"), 0);
    for (unsigned row = 0; row < PLAIT__QUIRK_COUNT; row++) {
        assert_true(strlen(plait__quirk_name(row)) > 0);
    }
}

static void parts_of_names_are_found_whatever_their_case(void **state)
{
    (void)state;
    assert_true(plait__contains_nocase("NVIDIA H200", "h200"));
    assert_true(plait__contains_nocase("aaab", "AAB"));
    assert_true(plait__contains_nocase("x", ""));
    assert_true(plait__contains_nocase("", ""));
    assert_false(plait__contains_nocase("", "x"));
    assert_false(plait__contains_nocase("H20", "H200"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_emulated_changes_nothing),
        cmocka_unit_test(limits_are_lowered),
        cmocka_unit_test(groups_never_exceed_the_limit),
        cmocka_unit_test(a_wrong_item_is_named),
        cmocka_unit_test(skeletons),
        cmocka_unit_test(a_driver_that_says_nothing_gets_least_limits),
        cmocka_unit_test(quirks_follow_platform_and_device),
        cmocka_unit_test(parts_of_names_are_found_whatever_their_case),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
