#include "devices.h"

#include "alloc.h"
#include "error.h"
#include "quirks.h"
#include "strbuf.h"

#include <stdlib.h>
#include <string.h>

static char *trimmed(char *text)
{
    size_t start = 0, end = strlen(text);
    while (end > start && (text[end - 1] == ' ' || text[end - 1] == '\n' || text[end - 1] == '\t')) {
        end--;
    }
    while (start < end && text[start] == ' ') {
        start++;
    }
    memmove(text, text + start, end - start);
    text[end - start] = 0;
    return text;
}

char *plait__platform_string(cl_platform_id platform, cl_platform_info what)
{
    size_t size = 0;
    if (clGetPlatformInfo(platform, what, 0, NULL, &size) != CL_SUCCESS) {
        size = 0;
    }
    char *text = plait__calloc(size + 1, 1);
    if (text == NULL || size == 0) {
        return text;
    }
    if (clGetPlatformInfo(platform, what, size, text, NULL) != CL_SUCCESS) {
        text[0] = 0;
    }
    return trimmed(text);
}

static char *device_string(cl_device_id id, cl_device_info what)
{
    size_t size = 0;
    if (clGetDeviceInfo(id, what, 0, NULL, &size) != CL_SUCCESS) {
        size = 0;
    }
    char *text = plait__calloc(size + 1, 1);
    if (text == NULL || size == 0) {
        return text;
    }
    if (clGetDeviceInfo(id, what, size, text, NULL) != CL_SUCCESS) {
        text[0] = 0;
    }
    return trimmed(text);
}

/* A value of `size` bytes; 0 where the driver does not answer. */
static void ask(cl_device_id id, cl_device_info what, void *value, size_t size)
{
    if (clGetDeviceInfo(id, what, size, value, NULL) != CL_SUCCESS) {
        memset(value, 0, size);
    }
}

static bool ask_bool(cl_device_id id, cl_device_info what)
{
    cl_bool value;
    ask(id, what, &value, sizeof value);
    return value != CL_FALSE;
}

static uint32_t ask_uint(cl_device_id id, cl_device_info what)
{
    cl_uint value;
    ask(id, what, &value, sizeof value);
    return value;
}

static uint64_t ask_ulong(cl_device_id id, cl_device_info what)
{
    cl_ulong value;
    ask(id, what, &value, sizeof value);
    return value;
}

static size_t ask_size(cl_device_id id, cl_device_info what)
{
    size_t value;
    ask(id, what, &value, sizeof value);
    return value;
}

static cl_bitfield ask_bits(cl_device_id id, cl_device_info what)
{
    cl_bitfield value;
    ask(id, what, &value, sizeof value);
    return value;
}

/* Whether `word` is one of the words of `list`, which are separated by spaces. */
static bool has_word(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)) != NULL; at += length) {
        if ((at == list || at[-1] == ' ') && (at[length] == 0 || at[length] == ' ')) {
            return true;
        }
    }
    return false;
}

/* "OpenCL 3.0 anything" */
static void parse_version(const char *text, unsigned *major, unsigned *minor)
{
    *major = *minor = 0;
    const char *prefix = "OpenCL ";
    if (strncmp(text, prefix, strlen(prefix)) == 0) {
        char *end;
        *major = (unsigned)strtoul(text + strlen(prefix), &end, 10);
        *minor = *end == '.' ? (unsigned)strtoul(end + 1, NULL, 10) : 0;
    }
}

static plait_device_type type_of(const plait_device_info *info, cl_device_type cl)
{
    static const char *const emulators[] = {"emulat", "simulat", "oclgrind"};
    for (size_t i = 0; i < sizeof emulators / sizeof *emulators; i++) {
        if (plait__contains_nocase(info->name, emulators[i]) ||
            plait__contains_nocase(info->platform_name, emulators[i])) {
            return PLAIT_DEVICE_EMULATOR;
        }
    }
    /* Rasterisers that run on the CPU, whatever type they claim. */
    static const char *const software[] = {"llvmpipe", "softpipe", "swrast", "swiftshader"};
    for (size_t i = 0; i < sizeof software / sizeof *software; i++) {
        if (plait__contains_nocase(info->name, software[i])) {
            return PLAIT_DEVICE_CPU;
        }
    }
    if (cl & CL_DEVICE_TYPE_GPU) {
        return info->unified_memory ? PLAIT_DEVICE_GPU_INTEGRATED : PLAIT_DEVICE_GPU_DISCRETE;
    }
    return cl & CL_DEVICE_TYPE_CPU ? PLAIT_DEVICE_CPU : PLAIT_DEVICE_ACCELERATOR;
}

static char *quirk_names(uint32_t quirks)
{
    plait__strbuf names = {0};
    for (unsigned row = 0; row < PLAIT__QUIRK_COUNT; row++) {
        if (quirks >> row & 1) {
            plait__strbuf_printf(&names, "%s%s", names.length > 0 ? ", " : "", plait__quirk_name(row));
        }
    }
    return plait__strbuf_take(&names);
}

plait_status plait__device_query(plait_device_list *list, plait__device *device, plait_device_info *info)
{
    cl_device_id id = device->id;
    info->name = plait__device_list_own(list, device_string(id, CL_DEVICE_NAME));
    info->vendor = plait__device_list_own(list, device_string(id, CL_DEVICE_VENDOR));
    info->device_version = plait__device_list_own(list, device_string(id, CL_DEVICE_VERSION));
    info->driver_version = plait__device_list_own(list, device_string(id, CL_DRIVER_VERSION));
    char *extensions = device_string(id, CL_DEVICE_EXTENSIONS);
    if (!info->name || !info->vendor || !info->device_version || !info->driver_version || !extensions) {
        free(extensions);
        return PLAIT_E_NO_MEMORY;
    }
    device->quirks = plait__quirks_match(info->platform_name, info->name, info->driver_version);
    info->quirks = plait__device_list_own(list, quirk_names(device->quirks));

    parse_version(info->device_version, &info->opencl_major, &info->opencl_minor);
    info->compute_units = ask_uint(id, CL_DEVICE_MAX_COMPUTE_UNITS);
    info->clock_mhz = ask_uint(id, CL_DEVICE_MAX_CLOCK_FREQUENCY);
    info->global_memory = ask_ulong(id, CL_DEVICE_GLOBAL_MEM_SIZE);
    info->max_allocation = ask_ulong(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    info->local_memory = ask_ulong(id, CL_DEVICE_LOCAL_MEM_SIZE);
    info->max_parameter_bytes = ask_size(id, CL_DEVICE_MAX_PARAMETER_SIZE);
    info->max_group_size = ask_size(id, CL_DEVICE_MAX_WORK_GROUP_SIZE);
    /* Drivers may have more than three dimensions, and then refuse a question for three. */
    size_t sizes[16] = {0};
    if (clGetDeviceInfo(id, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof sizes, sizes, NULL) != CL_SUCCESS) {
        sizes[0] = sizes[1] = sizes[2] = info->max_group_size;
    }
    memcpy(info->max_group_sizes, sizes, sizeof info->max_group_sizes);

    info->fp64 = has_word(extensions, "cl_khr_fp64") || ask_bits(id, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
    info->fp16 = has_word(extensions, "cl_khr_fp16") || (device->quirks & PLAIT__QUIRK_UNLISTED_HALF) != 0;
    info->int64_atomics = has_word(extensions, "cl_khr_int64_base_atomics");
    cl_bitfield single = ask_bits(id, CL_DEVICE_SINGLE_FP_CONFIG);
    info->denormals = (single & CL_FP_DENORM) != 0;
    info->correct_divide = (single & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
    info->unified_memory = ask_bool(id, CL_DEVICE_HOST_UNIFIED_MEMORY);
    cl_bitfield queue = ask_bits(id, CL_DEVICE_QUEUE_PROPERTIES);
    info->out_of_order = (queue & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0;
    info->timestamps = (queue & CL_QUEUE_PROFILING_ENABLE) != 0 && (device->quirks & PLAIT__QUIRK_ZERO_TIMES) == 0;
    info->type = type_of(info, ask_bits(id, CL_DEVICE_TYPE));
    free(extensions);
    return info->quirks == NULL ? PLAIT_E_NO_MEMORY : PLAIT_OK;
}
