#include "testing.h"

#include "ctx.h"
#include "quirks.h"

static void codes_have_their_names(void **state)
{
    (void)state;
    assert_string_equal(plait__cl_error_name(CL_SUCCESS), "CL_SUCCESS");
    assert_string_equal(plait__cl_error_name(CL_DEVICE_NOT_FOUND), "CL_DEVICE_NOT_FOUND");
    assert_string_equal(plait__cl_error_name(CL_OUT_OF_RESOURCES), "CL_OUT_OF_RESOURCES");
    assert_string_equal(plait__cl_error_name(CL_INVALID_BINARY), "CL_INVALID_BINARY");
    assert_string_equal(plait__cl_error_name(-72), "CL_MAX_SIZE_RESTRICTION_EXCEEDED");
    assert_string_equal(plait__cl_error_name(-1001), "CL_PLATFORM_NOT_FOUND_KHR");
    for (cl_int code = -19; code <= 0; code++) { /* the first block has no holes, nor has the second */
        assert_string_not_equal(plait__cl_error_name(code), "unknown OpenCL code");
    }
    for (cl_int code = -72; code <= -30; code++) {
        assert_string_not_equal(plait__cl_error_name(code), "unknown OpenCL code");
    }
    assert_string_equal(plait__cl_error_name(-25), "unknown OpenCL code");
    assert_string_equal(plait__cl_error_name(1), "unknown OpenCL code");
}

static void the_sentence_has_function_facts_and_code(void **state)
{
    (void)state;
    assert_fails(plait__cl_fail(NULL, CL_INVALID_VALUE, "plait_x", "moving %d bytes", 7), PLAIT_E_OPENCL,
                 "plait_x: moving 7 bytes: CL_INVALID_VALUE (-30)");
    assert_fails(plait__cl_fail(NULL, CL_MEM_OBJECT_ALLOCATION_FAILURE, "plait_x", "a"), PLAIT_E_DEVICE_MEMORY, "trim");
    assert_fails(plait__cl_fail(NULL, CL_OUT_OF_HOST_MEMORY, "plait_x", "a"), PLAIT_E_NO_MEMORY, "-6");
    assert_fails(plait__cl_fail(NULL, CL_BUILD_PROGRAM_FAILURE, "plait_x", "a"), PLAIT_E_BUILD, "-11");
    assert_fails(plait__cl_fail(NULL, -4242, "plait_x", "a"), PLAIT_E_OPENCL, "unknown OpenCL code (-4242)");
}

static void a_code_that_means_the_end_marks_the_context(void **state)
{
    (void)state;
    const struct {
        cl_int code;
        uint32_t quirks;
        bool lost;
    } cases[] = {
        {CL_INVALID_COMMAND_QUEUE, PLAIT__QUIRK_INVALID_QUEUE_IS_LOST, true},
        {CL_INVALID_COMMAND_QUEUE, 0, false},
        {CL_OUT_OF_RESOURCES, PLAIT__QUIRK_INVALID_QUEUE_IS_LOST, false},
        {CL_DEVICE_NOT_AVAILABLE, 0, true},
        {-9999, 0, true},
        {CL_INVALID_VALUE, 0, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        plait_ctx ctx = {.quirks = cases[i].quirks};
        plait_status status = plait__cl_fail(&ctx, cases[i].code, "plait_x", "a");
        assert_int_equal(status == PLAIT_E_DEVICE_LOST, cases[i].lost);
        assert_int_equal(atomic_load(&ctx.lost), cases[i].lost);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_have_their_names),
        cmocka_unit_test(the_sentence_has_function_facts_and_code),
        cmocka_unit_test(a_code_that_means_the_end_marks_the_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
