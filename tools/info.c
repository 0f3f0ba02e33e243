#include "drivers.h"
#include "json.h"
#include "tool.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char tool_info_help[] =
    "plait info: platforms, devices, which one is taken and why\n"
    "\n"
    "usage: plait info [--json] [--device D]\n"
    "\n"
    "  --json        the same as one JSON document\n"
    "  --device D    explain the choice for D: an index, gpu, cpu, part of a name, platform:device\n"
    "\n"
    "Every driver is first loaded in a process of its own. One that crashes there, or only together with others, is\n"
    "named, left out, and the variable to set so that other programs do without it is shown.\n"
    "\n"
    "Exit status: 0 if there is a device to take, 3 if not, 2 for a wrong command line, 1 for any other failure.\n"
    "\n"
    "Environment: PLAIT_DEVICE, PLAIT_CACHE_DIR, XDG_CACHE_HOME; of the OpenCL loader OCL_ICD_VENDORS,\n"
    "OPENCL_VENDOR_PATH, OCL_ICD_FILENAMES.\n";

static const char *const variables[] = {"PLAIT_DEVICE",       "PLAIT_CACHE_DIR",    "PLAIT_KERNEL_PATH",
                                        "PLAIT_MEMORY_LIMIT", "PLAIT_EMULATE",      "PLAIT_SKELETON",
                                        "OCL_ICD_VENDORS",    "OPENCL_VENDOR_PATH", "OCL_ICD_FILENAMES"};
#define N_VARIABLES (sizeof(variables) / sizeof(variables[0]))

/* Everything that is shown, found before any of it is. */
typedef struct findings {
    drivers drivers;
    plait_device_list *list;
    const char *wanted; /* --device, else PLAIT_DEVICE, else NULL */
    bool chosen;
    size_t index;
    const char *why;
    char *no_choice; /* why nothing is chosen */
    char *cache;
    char warning[512];            /* of opening the device: about the cache folder, say */
    char *variables[N_VARIABLES]; /* as the user set them, before drivers_restrict; NULL: not set */
    char open_error[1024];
} findings;

static const char *type_text(plait_device_type type)
{
    static const char *const texts[] = {"?", "discrete GPU", "integrated GPU", "accelerator", "CPU", "emulator"};
    return (size_t)type < sizeof(texts) / sizeof(texts[0]) ? texts[type] : texts[0];
}

static const char *state_text(driver_state state)
{
    static const char *const texts[] = {"ok", "no platform", "crashes", "conflict"};
    return texts[state];
}

static void keep_warning(void *user, plait_log_level level, const char *line)
{
    findings *f = user;
    if (level <= PLAIT_LOG_WARNING && f->warning[0] == '\0') {
        snprintf(f->warning, sizeof(f->warning), "%s", line);
    }
}

/* Opens the chosen device for what only an open context knows. */
static void look_inside(findings *f)
{
    plait_ctx_opts opts = PLAIT_CTX_OPTS;
    opts.device = f->wanted;
    opts.log = keep_warning;
    opts.log_user = f;
    plait_ctx *ctx;
    if (plait_open(&ctx, &opts)) {
        snprintf(f->open_error, sizeof(f->open_error), "%s", plait_last_error());
        return;
    }
    f->cache = strdup(plait_ctx_cache_folder(ctx));
    plait_close(ctx);
}

static bool find_all(findings *f, const char *wanted)
{
    for (size_t i = 0; i < N_VARIABLES; i++) {
        const char *value = getenv(variables[i]);
        f->variables[i] = value == NULL ? NULL : strdup(value);
    }
    if (!drivers_probe(&f->drivers)) {
        return false;
    }
    drivers_restrict(&f->drivers);
    if (plait_device_list_create(&f->list)) {
        tool_fail_plait();
        return false;
    }
    f->wanted = wanted;
    f->chosen = plait_device_list_choose(f->list, wanted, &f->index, &f->why) == PLAIT_OK;
    if (f->chosen) {
        look_inside(f);
    } else {
        f->no_choice = strdup(plait_last_error());
    }
    return true;
}

/* What lets other programs do without the drivers that do not work; false if none is broken. */
static bool restriction_advice(const findings *f, char *out, size_t size)
{
    const driver *good = NULL;
    for (size_t i = 0; i < f->drivers.n; i++) {
        const driver *one = &f->drivers.items[i];
        if (one->state == DRIVER_OK && one->devices > 0 && (good == NULL || one->best < good->best)) {
            good = one;
        }
    }
    if (good != NULL && !good->listed && good->library[0] != '\0') {
        /* Debian's loader takes the one file; Khronos's takes a folder only, and the library by the other variable. */
        snprintf(out, size, "export OCL_ICD_VENDORS=%s OCL_ICD_FILENAMES=%s", good->file, good->library);
    } else if (good != NULL) {
        snprintf(out, size, "export %s=%s", good->listed ? "OCL_ICD_FILENAMES" : "OCL_ICD_VENDORS", good->file);
    } else {
        snprintf(out, size, "remove the packages of the drivers named here: none that works has a device");
    }
    return f->drivers.restricted;
}

/* ---- text ---- */

static const char *yes(bool value)
{
    return value ? "yes" : "no";
}

static void print_device(const findings *f, const plait_device_info *d)
{
    char memory[TOOL_SIZE_TEXT], largest[TOOL_SIZE_TEXT], local[TOOL_SIZE_TEXT];
    printf("%s [%zu] %s: %s of platform %zu, %s\n", f->chosen && f->index == d->index ? " *" : "  ", d->index, d->name,
           type_text(d->type), d->platform, d->platform_name);
    printf("      vendor %s; %s; driver %s\n", d->vendor, d->device_version, d->driver_version);
    printf("      %" PRIu32 " compute units at %" PRIu32 " MHz; memory %s, largest buffer %s, local memory %s\n",
           d->compute_units, d->clock_mhz, tool_size_text(d->global_memory, memory),
           tool_size_text(d->max_allocation, largest), tool_size_text(d->local_memory, local));
    printf("      groups of up to %zu (%zu x %zu x %zu); %" PRIu64 " bytes of arguments\n", d->max_group_size,
           d->max_group_sizes[0], d->max_group_sizes[1], d->max_group_sizes[2], d->max_parameter_bytes);
    printf("      fp64 %s, fp16 %s, 64-bit atomics %s, denormals %s, correctly rounded division %s,\n", yes(d->fp64),
           yes(d->fp16), yes(d->int64_atomics), yes(d->denormals), yes(d->correct_divide));
    printf("      shares the host's memory %s, out-of-order queues %s, timestamps %s\n", yes(d->unified_memory),
           yes(d->out_of_order), yes(d->timestamps));
    printf("      quirks: %s\n", d->quirks[0] != '\0' ? d->quirks : "none");
}

static void print_drivers(const findings *f)
{
    const drivers *d = &f->drivers;
    printf("\nDrivers (%s%s)\n", d->vendors, d->vendors_given ? ", from the environment" : "");
    if (d->n == 0) {
        printf("   none: no .icd file there\n");
    }
    for (size_t i = 0; i < d->n; i++) {
        const driver *one = &d->items[i];
        printf("   %-11s  %s -> %s", state_text(one->state), one->file, one->library);
        if (one->state == DRIVER_OK || one->state == DRIVER_CONFLICT) {
            printf(": %zu device%s", one->devices, one->devices == 1 ? "" : "s");
        }
        printf("%s%s\n", one->detail[0] != '\0' ? ": " : "", one->detail);
    }
    char advice[1024];
    if (restriction_advice(f, advice, sizeof(advice))) {
        printf("   Other programs load the broken ones too, and may end. To go on without them:\n      %s\n", advice);
    }
}

static void print_text(const findings *f)
{
    printf("plait %s\n\n", plait_version());
    if (f->chosen) {
        const plait_device_info *d = plait_device_list_get(f->list, f->index);
        printf("Device: [%zu] %s\n   %s\n", d->index, d->name, f->why);
        if (f->open_error[0] != '\0') {
            printf("   It cannot be opened: %s\n", f->open_error);
        }
    } else {
        printf("Device: none\n   %s\n", f->no_choice);
    }
    printf("\nDevices\n");
    for (size_t i = 0; i < plait_device_list_count(f->list); i++) {
        print_device(f, plait_device_list_get(f->list, i));
    }
    if (plait_device_list_count(f->list) == 0) {
        printf("   none\n");
    }
    printf("\nPlatforms\n");
    for (size_t i = 0; i < plait_device_list_platform_count(f->list); i++) {
        const plait_platform_info *p = plait_device_list_platform(f->list, i);
        printf("   [%zu] %s (%s), %s: %zu device%s%s%s\n", i, p->name, p->vendor, p->version, p->device_count,
               p->device_count == 1 ? "" : "s", p->problem[0] != '\0' ? "; " : "", p->problem);
    }
    if (plait_device_list_platform_count(f->list) == 0) {
        printf("   none\n");
    }
    print_drivers(f);
    if (f->cache != NULL) {
        printf("\nCache of compiled programs: %s\n", f->cache[0] != '\0' ? f->cache : "none");
    }
    if (f->warning[0] != '\0') {
        printf("   %s\n", f->warning);
    }
    printf("\nEnvironment\n");
    size_t set = 0;
    for (size_t i = 0; i < N_VARIABLES; i++) {
        if (f->variables[i] != NULL) {
            printf("   %s=%s\n", variables[i], f->variables[i]);
            set++;
        }
    }
    if (set == 0) {
        printf("   nothing set that matters here\n");
    }
}

/* ---- JSON ---- */

static void json_device(json *j, const plait_device_info *d)
{
    json_open(j, NULL, '{');
    json_integer(j, "index", d->index);
    json_integer(j, "platform", d->platform);
    json_integer(j, "platform_device", d->platform_device);
    json_string(j, "type", type_text(d->type));
    json_string(j, "name", d->name);
    json_string(j, "vendor", d->vendor);
    json_string(j, "platform_name", d->platform_name);
    json_string(j, "platform_version", d->platform_version);
    json_string(j, "device_version", d->device_version);
    json_string(j, "driver_version", d->driver_version);
    json_integer(j, "opencl_major", d->opencl_major);
    json_integer(j, "opencl_minor", d->opencl_minor);
    json_integer(j, "compute_units", d->compute_units);
    json_integer(j, "clock_mhz", d->clock_mhz);
    json_integer(j, "global_memory", d->global_memory);
    json_integer(j, "max_allocation", d->max_allocation);
    json_integer(j, "local_memory", d->local_memory);
    json_integer(j, "max_parameter_bytes", d->max_parameter_bytes);
    json_integer(j, "max_group_size", d->max_group_size);
    json_open(j, "max_group_sizes", '[');
    for (size_t i = 0; i < 3; i++) {
        json_integer(j, NULL, d->max_group_sizes[i]);
    }
    json_close(j, ']');
    json_boolean(j, "fp64", d->fp64);
    json_boolean(j, "fp16", d->fp16);
    json_boolean(j, "int64_atomics", d->int64_atomics);
    json_boolean(j, "denormals", d->denormals);
    json_boolean(j, "correct_divide", d->correct_divide);
    json_boolean(j, "unified_memory", d->unified_memory);
    json_boolean(j, "out_of_order", d->out_of_order);
    json_boolean(j, "timestamps", d->timestamps);
    json_string(j, "quirks", d->quirks);
    json_close(j, '}');
}

static void json_drivers(json *j, const findings *f)
{
    json_string(j, "vendors", f->drivers.vendors);
    json_open(j, "drivers", '[');
    for (size_t i = 0; i < f->drivers.n; i++) {
        const driver *one = &f->drivers.items[i];
        json_open(j, NULL, '{');
        json_string(j, "file", one->file);
        json_string(j, "library", one->library);
        json_string(j, "state", state_text(one->state));
        json_integer(j, "platforms", one->platforms);
        json_integer(j, "devices", one->devices);
        json_string(j, "detail", one->detail);
        json_close(j, '}');
    }
    json_close(j, ']');
    char advice[1024];
    json_string(j, "driver_advice", restriction_advice(f, advice, sizeof(advice)) ? advice : "");
}

static void print_json(const findings *f)
{
    json j = {.out = stdout};
    json_open(&j, NULL, '{');
    json_string(&j, "version", plait_version());
    json_boolean(&j, "device_found", f->chosen);
    if (f->chosen) {
        json_integer(&j, "device", f->index);
        json_string(&j, "why", f->why);
        json_string(&j, "open_error", f->open_error);
    } else {
        json_string(&j, "why", f->no_choice);
    }
    json_open(&j, "devices", '[');
    for (size_t i = 0; i < plait_device_list_count(f->list); i++) {
        json_device(&j, plait_device_list_get(f->list, i));
    }
    json_close(&j, ']');
    json_open(&j, "platforms", '[');
    for (size_t i = 0; i < plait_device_list_platform_count(f->list); i++) {
        const plait_platform_info *p = plait_device_list_platform(f->list, i);
        json_open(&j, NULL, '{');
        json_string(&j, "name", p->name);
        json_string(&j, "vendor", p->vendor);
        json_string(&j, "version", p->version);
        json_integer(&j, "devices", p->device_count);
        json_string(&j, "problem", p->problem);
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_drivers(&j, f);
    json_string(&j, "cache_folder", f->cache != NULL ? f->cache : "");
    json_string(&j, "warning", f->warning);
    json_open(&j, "environment", '{');
    for (size_t i = 0; i < N_VARIABLES; i++) {
        if (f->variables[i] != NULL) {
            json_string(&j, variables[i], f->variables[i]);
        }
    }
    json_close(&j, '}');
    json_close(&j, '}');
}

tool_exit tool_info(int argc, char **argv)
{
    bool as_json = false;
    const char *wanted = NULL;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0) {
            as_json = true;
        } else if (strcmp(argv[i], "--device") == 0 && i + 1 < argc) {
            wanted = argv[++i];
        } else if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            fputs(tool_info_help, stdout);
            return TOOL_OK;
        } else {
            return tool_fail(TOOL_USAGE, "info: '%s' is not an option here; see plait help info", argv[i]);
        }
    }
    findings f = {0};
    tool_exit code = TOOL_FAILED;
    if (find_all(&f, wanted)) {
        if (as_json) {
            print_json(&f);
        } else {
            print_text(&f);
        }
        code = !f.chosen ? TOOL_NO_DEVICE : f.open_error[0] != '\0' ? TOOL_FAILED : TOOL_OK;
    }
    plait_device_list_release(f.list);
    drivers_free(&f.drivers);
    for (size_t i = 0; i < N_VARIABLES; i++) {
        free(f.variables[i]);
    }
    free(f.no_choice);
    free(f.cache);
    return code;
}
