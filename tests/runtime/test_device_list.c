/*
 * The loader reads its configuration once a process, so each case is a child: this program again, as "list".
 */
#include "device_testing.h"

#include <plait/device.h>

#include <sys/stat.h>

static char *folder;

/* What the child prints: counts, then a line each. */
static int list_devices(void)
{
    plait_device_list *list;
    if (plait_device_list_create(&list) != PLAIT_OK) {
        printf("failed: %s\n", plait_last_error());
        return 1;
    }
    printf("platforms %zu devices %zu\n", plait_device_list_platform_count(list), plait_device_list_count(list));
    for (size_t i = 0; i < plait_device_list_platform_count(list); i++) {
        const plait_platform_info *p = plait_device_list_platform(list, i);
        printf("platform %zu: %s, %zu devices, problem \"%s\"\n", i, p->name, p->device_count, p->problem);
    }
    for (size_t i = 0; i < plait_device_list_count(list); i++) {
        const plait_device_info *d = plait_device_list_get(list, i);
        printf("device %zu: %s on %s, type %d, version %u.%u, fp16 %d, timestamps %d, quirks \"%s\"\n", i, d->name,
               d->platform_name, (int)d->type, d->opencl_major, d->opencl_minor, d->fp16, d->timestamps, d->quirks);
    }
    printf("advice: %s\n", plait_device_list_advice(list));
    size_t index = 0;
    const char *why = "";
    if (plait_device_list_choose(list, NULL, &index, &why) == PLAIT_OK) {
        printf("chosen %zu: %s\n", index, why);
    } else {
        printf("none chosen: %s\n", plait_last_error());
    }
    plait_ctx *ctx;
    if (plait_open(&ctx, NULL) == PLAIT_OK) {
        printf("opened %s\n", plait_ctx_device(ctx)->name);
        plait_close(ctx);
    } else {
        printf("not opened: %s: %s\n", plait_status_name(plait_last_status()), plait_last_error());
    }
    plait_device_list_release(list);
    return 0;
}

static char *listing(const char *vendors, const char *mode, const char *more)
{
    char vendors_env[4200], mode_env[300];
    snprintf(vendors_env, sizeof vendors_env, "OCL_ICD_VENDORS=%s", vendors);
    snprintf(mode_env, sizeof mode_env, "TEST_ICD_MODE=%s", mode);
    const char *const env[] = {
        vendors_env, mode_env, "PLAIT_EMULATE=", "PLAIT_SKELETON=", more ? more : "PLAIT_DEVICE=", NULL};
    char *output = run_self("list", env);
    return output;
}

/* A folder below the test's own, with the '/' that some loaders want, with one .icd file that has this line. */
static const char *vendors_with(const char *name, const char *line)
{
    char text[4200];
    const char *path = test_path(folder, name);
    assert_int_equal(mkdir(path, 0755), 0);
    int n = snprintf(text, sizeof text, "%s\n", line);
    test_file_write(test_path(path, "test.icd"), text, (size_t)n);
    return test_path(path, "");
}

static void no_driver_is_no_device_and_advice(void **state)
{
    (void)state;
    const char *path = test_path(folder, "empty");
    assert_int_equal(mkdir(path, 0755), 0);
    char *output = listing(path, "", NULL);
    assert_says(output, "platforms 0 devices 0\n");
    assert_says(output, "advice: No OpenCL driver was found.");
    assert_says(output, path); /* where it looked */
    assert_says(output, "OCL_ICD_FILENAMES");
    assert_says(output, "/etc/OpenCL/vendors");
    assert_says(output, "apt-get install pocl-opencl-icd");
    assert_says(output, "not opened: PLAIT_E_NO_DEVICE: plait_open: there is no OpenCL device.");
    free(output);

    output = listing("/there/is/no/such/folder", "", NULL);
    assert_says(output, "platforms 0 devices 0\n");
    assert_says(output, "\"/there/is/no/such/folder\" (does not exist)");
    free(output);
}

static void a_library_that_is_missing_is_passed_over(void **state)
{
    (void)state;
    const char *path = vendors_with("missing", "/there/is/no/such/library.so");
    char *output = listing(path, "", NULL);
    assert_says(output, "platforms 0 devices 0\n");
    free(output);
    char text[4200];
    int n = snprintf(text, sizeof text, "%s\n", getenv("TEST_ICD"));
    test_file_write(test_path(path, "another.icd"), text, (size_t)n);
    output = listing(path, "", NULL);
    assert_says(output, "platforms 1 devices 1\n");
    assert_says(output, "opened Test device");
    free(output);
}

/* A folder without the slash, or a file, works where the loader knows them; else the advice names what was given. */
static void every_spelling_of_the_variable_works_or_is_named(void **state)
{
    (void)state;
    const char *path = vendors_with("spelling", getenv("TEST_ICD"));
    char without_slash[4200];
    snprintf(without_slash, sizeof without_slash, "%.*s", (int)strlen(path) - 1, path);
    const char *const spellings[] = {path, without_slash, test_path(path, "test.icd")};
    for (size_t i = 0; i < 3; i++) {
        char *output = listing(spellings[i], "", NULL);
        if (i == 0 || strstr(output, "platforms 0 devices 0\n") == NULL) {
            assert_says(output, "platforms 1 devices 1\n");
            assert_says(output, "device 0: Test device on Test ICD");
        } else {
            assert_says(output, spellings[i]);
            assert_says(output, "some loaders accept only a folder whose name ends in '/'");
        }
        free(output);
    }
}

static void broken_platforms_are_listed_with_their_problem(void **state)
{
    (void)state;
    const char *path = vendors_with("broken", getenv("TEST_ICD"));
    char *output = listing(path, "no-devices", NULL);
    assert_says(output, "platforms 1 devices 0\n");
    assert_says(output, "Test ICD, 0 devices, problem \"it has no device\"");
    assert_says(output, "advice: OpenCL drivers were found, but none gives a device: Test ICD: it has no device");
    free(output);
    output = listing(path, "device-error", NULL);
    assert_says(output, "problem \"listing its devices fails with CL_OUT_OF_HOST_MEMORY (-6)\"");
    assert_says(output, "not opened: PLAIT_E_NO_DEVICE");
    free(output);
    output = listing(path, "version=OpenCL 1.1 old", NULL);
    assert_says(output, "version 1.1");
    assert_says(output, "none chosen: plait_device_list_choose: no device has OpenCL 1.2");
    free(output);
}

/* What `plait info` does before it lists: a child that dies tells which driver it was. */
static void a_driver_that_crashes_ends_only_the_child(void **state)
{
    (void)state;
    char vendors_env[4200];
    snprintf(vendors_env, sizeof vendors_env, "OCL_ICD_VENDORS=%s", vendors_with("crash", getenv("TEST_ICD")));
    const char *const modes[] = {"TEST_ICD_MODE=crash", "TEST_ICD_MODE=crash-devices"};
    for (size_t i = 0; i < 2; i++) {
        const char *const env[] = {vendors_env, modes[i], NULL};
        const char *const argv[] = {"/proc/self/exe", "list", NULL};
        plait__process_result result;
        assert_ok(plait__process_run(&result, argv[0], argv, env, UINT64_C(60000000000)));
        /* A sanitizer turns the signal into an exit status. */
        assert_true(result.end == PLAIT__PROCESS_SIGNALLED || result.code != 0);
        assert_says_not(result.output, "platforms");
        free(result.output);
    }
}

static void types_and_quirks_come_from_what_the_driver_says(void **state)
{
    (void)state;
    const char *path = vendors_with("types", getenv("TEST_ICD"));
    const struct {
        const char *mode, *expected;
    } cases[] = {
        {"gpu", "type 1,"},
        {"cpu", "type 4,"},
        {"device=An FPGA thing", "type 3,"},
        {"gpu,device=llvmpipe (LLVM 15)", "type 4,"},
        {"cpu,device=Oclgrind Simulator", "type 5,"},
        {"device=Intel(R) FPGA Emulation Device", "type 5,"},
        {"version=OpenCL 2.1 x", "version 2.1,"},
        {"version=nonsense", "version 0.0,"},
        {"gpu,platform=NVIDIA CUDA", "fp16 1,"},
        {"gpu,platform=NVIDIA CUDA", "oversized-buffer-poisons-context"},
        {"platform=rusticl", "timestamps 0,"},
        {"", "timestamps 1, quirks \"\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *output = listing(path, cases[i].mode, NULL);
        assert_says(output, cases[i].expected);
        free(output);
    }
}

static void the_variable_chooses(void **state)
{
    (void)state;
    const char *path = vendors_with("variable", getenv("TEST_ICD"));
    char *output = listing(path, "", "PLAIT_DEVICE=radeon");
    assert_says(output, "none chosen: plait_device_list_choose: PLAIT_DEVICE=\"radeon\" matches no device; there are: "
                        "[0] Test device (accelerator, Test ICD)");
    assert_says(output, "not opened: PLAIT_E_NO_DEVICE: plait_open: PLAIT_DEVICE=\"radeon\" matches no device");
    free(output);
    output = listing(path, "device=An Emulator", NULL);
    assert_says(output, "not opened: PLAIT_E_NO_DEVICE: plait_open: only emulators were found");
    free(output);
    output = listing(path, "device=An Emulator", "PLAIT_DEVICE=emulator");
    assert_says(output, "opened An Emulator");
    free(output);
}

/* PoCL and Mesa's drivers both contain LLVM. Whatever is installed here, listing all of it works. */
static void all_installed_drivers_can_be_listed_together(void **state)
{
    (void)state;
    const char *const env[] = {"RUSTICL_ENABLE=llvmpipe", NULL};
    char *output = run_self("list", env);
    assert_says(output, "platforms ");
    free(output);
}

static void wrong_arguments(void **state)
{
    (void)state;
    assert_fails(plait_device_list_create(NULL), PLAIT_E_NULL, "out");
    assert_int_equal(plait_device_list_count(NULL), 0);
    assert_int_equal(plait_device_list_platform_count(NULL), 0);
    assert_string_equal(plait_device_list_advice(NULL), "");
    assert_fails_null(plait_device_list_get(NULL, 0), PLAIT_E_NULL, "list");
    assert_fails_null(plait_device_list_platform(NULL, 0), PLAIT_E_NULL, "list");
    plait_device_list_release(NULL);
    plait_device_list *list;
    assert_ok(plait_device_list_create(&list));
    assert_fails_null(plait_device_list_get(list, plait_device_list_count(list)), PLAIT_E_RANGE, "devices");
    assert_fails_null(plait_device_list_platform(list, SIZE_MAX), PLAIT_E_RANGE, "platforms");
    size_t index;
    assert_fails(plait_device_list_choose(NULL, NULL, &index, NULL), PLAIT_E_NULL, "list");
    assert_fails(plait_device_list_choose(list, NULL, NULL, NULL), PLAIT_E_NULL, "index");
    assert_fails(plait_device_list_choose(list, "there is no such device", &index, NULL), PLAIT_E_NO_DEVICE,
                 "there is no such device");
    plait_device_list_release(list);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "list") == 0) {
        return list_devices();
    }
    folder = test_folder_make();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_driver_is_no_device_and_advice),
        cmocka_unit_test(a_library_that_is_missing_is_passed_over),
        cmocka_unit_test(every_spelling_of_the_variable_works_or_is_named),
        cmocka_unit_test(broken_platforms_are_listed_with_their_problem),
        cmocka_unit_test(a_driver_that_crashes_ends_only_the_child),
        cmocka_unit_test(types_and_quirks_come_from_what_the_driver_says),
        cmocka_unit_test(the_variable_chooses),
        cmocka_unit_test(all_installed_drivers_can_be_listed_together),
        cmocka_unit_test(wrong_arguments),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    test_folder_remove(folder);
    return failed;
}
