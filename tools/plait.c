/*
 * The plait command: picks the subcommand. Nothing here touches OpenCL, so --help and --version answer at once.
 */
#include "drivers.h"
#include "tool.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
    "plait: run OpenCL kernels and look at the devices there are\n"
    "\n"
    "usage: plait COMMAND [ARGUMENTS]\n"
    "\n"
    "  plait info [--json]                   platforms, devices, which one is taken and why\n"
    "  plait run FILE.cl[:KERNEL] ARGS...    run a kernel on .npy and .png files\n"
    "  plait help [COMMAND]                  this page, or the command's own\n"
    "  plait --version\n"
    "\n"
    "Exit status:\n"
    "  0  success\n"
    "  1  something failed while working (memory, a launch, a driver)\n"
    "  2  the command line is wrong\n"
    "  3  there is no OpenCL device, or none matches\n"
    "  4  the program does not compile\n"
    "  5  a file cannot be read or written, or is not what it should be\n"
    "  6  no such kernel, or the arguments do not match its signature\n"
    "\n"
    "Environment: PLAIT_DEVICE picks the device (as --device does), PLAIT_CACHE_DIR the folder of compiled programs.\n";

tool_exit tool_fail(tool_exit code, const char *format, ...)
{
    fflush(stdout);
    fputs("plait: ", stderr);
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    return code;
}

tool_exit tool_fail_plait(void)
{
    static const struct {
        plait_status status;
        tool_exit exit;
    } map[] = {
        {PLAIT_E_NO_DEVICE, TOOL_NO_DEVICE}, {PLAIT_E_BUILD, TOOL_BUILD},   {PLAIT_E_IO, TOOL_FILE},
        {PLAIT_E_FORMAT, TOOL_FILE},         {PLAIT_E_KERNEL, TOOL_KERNEL},
    };
    tool_exit code = TOOL_FAILED;
    for (size_t i = 0; i < sizeof(map) / sizeof(map[0]); i++) {
        if (map[i].status == plait_last_status()) {
            code = map[i].exit;
        }
    }
    return tool_fail(code, "%s", plait_last_error());
}

bool tool_ends_with(const char *text, const char *suffix)
{
    const size_t n = strlen(text);
    const size_t m = strlen(suffix);
    if (m > n) {
        return false;
    }
    for (size_t i = 0; i < m; i++) {
        if (tolower((unsigned char)text[n - m + i]) != tolower((unsigned char)suffix[i])) {
            return false;
        }
    }
    return true;
}

const char *tool_size_text(uint64_t bytes, char out[TOOL_SIZE_TEXT])
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double size = (double)bytes;
    size_t unit = 0;
    while (size >= 1024 && unit + 1 < sizeof(units) / sizeof(units[0])) {
        size /= 1024;
        unit++;
    }
    snprintf(out, TOOL_SIZE_TEXT, size < 10 && unit > 0 ? "%.1f %s" : "%.0f %s", size, units[unit]);
    return out;
}

static tool_exit help_on(const char *command)
{
    const char *page = command == NULL                ? help
                       : strcmp(command, "info") == 0 ? tool_info_help
                       : strcmp(command, "run") == 0  ? tool_run_help
                                                      : NULL;
    if (page == NULL) {
        return tool_fail(TOOL_USAGE, "there is no command '%s' to explain; there are info and run", command);
    }
    return fputs(page, stdout) < 0 ? TOOL_FAILED : TOOL_OK;
}

static tool_exit dispatch(int argc, char **argv)
{
    const char *command = argc > 1 ? argv[1] : NULL;
    if (command == NULL) {
        fputs(help, stderr);
        return TOOL_USAGE;
    }
    if (strcmp(command, "--version") == 0) {
        printf("plait %s\n", plait_version());
        return TOOL_OK;
    }
    if (strcmp(command, "help") == 0 || strcmp(command, "--help") == 0 || strcmp(command, "-h") == 0) {
        return help_on(argc > 2 ? argv[2] : NULL);
    }
    if (strcmp(command, DRIVERS_PROBE_OPTION) == 0) {
        return drivers_probe_child(argc > 2 ? argv[2] : "");
    }
    if (strcmp(command, "info") == 0) {
        return tool_info(argc - 1, argv + 1);
    }
    if (strcmp(command, "run") == 0) {
        return tool_run(argc - 1, argv + 1);
    }
    return tool_fail(TOOL_USAGE, "there is no command '%s'; there are info, run and help", command);
}

int main(int argc, char **argv)
{
    return (int)dispatch(argc, argv);
}
