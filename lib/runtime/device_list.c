#include "devices.h"

#include "ctx.h"

#include "alloc.h"
#include "choose.h"
#include "error.h"
#include "env.h"
#include "file.h"
#include "thread.h"

#include <stdlib.h>
#include <string.h>

/* The loaders' own code for "no driver is installed"; cl_ext.h, which has it, is not installed everywhere. */
#define NO_PLATFORM (-1001)

#define VENDORS_FOLDER "/etc/OpenCL/vendors"

const char *plait__device_list_own(plait_device_list *list, char *text)
{
    if (text == NULL) {
        return NULL;
    }
    char **grown = plait__grow(list->strings, &list->strings_capacity, list->n_strings + 1, sizeof *grown);
    if (grown == NULL) {
        free(text);
        return NULL;
    }
    list->strings = grown;
    list->strings[list->n_strings++] = text;
    return text;
}

static plait_status add_device(plait_device_list *list, size_t platform, cl_platform_id platform_id, cl_device_id id)
{
    plait_device_info *infos = plait__grow(list->infos, &list->infos_capacity, list->n_devices + 1, sizeof *infos);
    if (infos == NULL) {
        return PLAIT_E_NO_MEMORY;
    }
    list->infos = infos;
    plait__device *devices = plait__grow(list->devices, &list->devices_capacity, list->n_devices + 1, sizeof *devices);
    if (devices == NULL) {
        return PLAIT_E_NO_MEMORY;
    }
    list->devices = devices;

    plait_device_info *info = &infos[list->n_devices];
    plait__device *device = &devices[list->n_devices];
    plait_platform_info *owner = &list->platforms[platform];
    *device = (plait__device){.platform = platform_id, .id = id};
    *info = (plait_device_info){
        .index = list->n_devices,
        .platform = platform,
        .platform_device = owner->device_count,
        .platform_name = owner->name,
        .platform_version = owner->version,
    };
    PLAIT__TRY(plait__device_query(list, device, info));
    list->n_devices++;
    owner->device_count++;
    return PLAIT_OK;
}

static bool usable(cl_device_id id)
{
    cl_bool available = CL_FALSE, compiler = CL_FALSE;
    return clGetDeviceInfo(id, CL_DEVICE_AVAILABLE, sizeof available, &available, NULL) == CL_SUCCESS && available &&
           clGetDeviceInfo(id, CL_DEVICE_COMPILER_AVAILABLE, sizeof compiler, &compiler, NULL) == CL_SUCCESS &&
           compiler;
}

static plait_status add_platform_devices(plait_device_list *list, size_t platform, cl_platform_id id)
{
    plait__strbuf problem = {0};
    cl_uint n = 0;
    cl_int code = clGetDeviceIDs(id, CL_DEVICE_TYPE_ALL, 0, NULL, &n);
    cl_device_id *ids = NULL;
    if (code == CL_SUCCESS && n > 0) {
        ids = plait__calloc(n, sizeof *ids);
        if (ids == NULL) {
            return PLAIT_E_NO_MEMORY;
        }
        code = clGetDeviceIDs(id, CL_DEVICE_TYPE_ALL, n, ids, NULL);
    }
    plait_status status = PLAIT_OK;
    if (code == CL_DEVICE_NOT_FOUND || (code == CL_SUCCESS && n == 0)) {
        plait__strbuf_add(&problem, "it has no device");
    } else if (code != CL_SUCCESS) {
        plait__strbuf_printf(&problem, "listing its devices fails with %s (%d)", plait__cl_error_name(code), (int)code);
    } else {
        cl_uint unusable = 0;
        for (cl_uint i = 0; i < n && status == PLAIT_OK; i++) {
            if (usable(ids[i])) {
                status = add_device(list, platform, id, ids[i]);
            } else {
                unusable++;
            }
        }
        if (unusable > 0) {
            plait__strbuf_printf(&problem, "%u of its devices %s not available or without a compiler",
                                 (unsigned)unusable, unusable == 1 ? "is" : "are");
        }
    }
    free(ids);
    char *text = plait__strbuf_take(&problem);
    list->platforms[platform].problem = plait__device_list_own(list, text);
    if (status == PLAIT_OK && list->platforms[platform].problem == NULL) {
        status = PLAIT_E_NO_MEMORY;
    }
    return status;
}

static plait_status add_platforms(plait_device_list *list, const cl_platform_id *ids, cl_uint n)
{
    list->platforms = plait__calloc(n, sizeof *list->platforms);
    if (list->platforms == NULL) {
        return PLAIT_E_NO_MEMORY;
    }
    for (cl_uint i = 0; i < n; i++) {
        plait_platform_info *p = &list->platforms[i];
        list->n_platforms++;
        p->name = plait__device_list_own(list, plait__platform_string(ids[i], CL_PLATFORM_NAME));
        p->vendor = plait__device_list_own(list, plait__platform_string(ids[i], CL_PLATFORM_VENDOR));
        p->version = plait__device_list_own(list, plait__platform_string(ids[i], CL_PLATFORM_VERSION));
        if (p->name == NULL || p->vendor == NULL || p->version == NULL) {
            return PLAIT_E_NO_MEMORY;
        }
        PLAIT__TRY(add_platform_devices(list, i, ids[i]));
    }
    return PLAIT_OK;
}

/* What is at a place where a loader looks for .icd files, in brackets. */
static void add_place(plait__strbuf *text, const char *path)
{
    plait__names names = {0};
    plait__file_info found = {.type = PLAIT__FILE_MISSING};
    plait__error saved = plait__error_save();
    if (plait__file_stat(&found, path) == PLAIT_OK && found.type == PLAIT__FILE_MISSING) {
        plait__strbuf_add(text, " (does not exist)");
    } else if (found.type == PLAIT__FILE_REGULAR) {
        plait__strbuf_add(text, " (a file)");
    } else if (plait__folder_list(&names, path) != PLAIT_OK) {
        plait__strbuf_add(text, " (cannot be read)");
    } else {
        size_t n = 0;
        for (size_t i = 0; i < names.count; i++) {
            size_t length = strlen(names.names[i]);
            if (length > 4 && strcmp(names.names[i] + length - 4, ".icd") == 0) {
                plait__strbuf_printf(text, "%s%s", n++ == 0 ? " (holds " : ", ", names.names[i]);
            }
        }
        plait__strbuf_add(text, n == 0 ? " (holds no .icd file)" : ")");
    }
    plait__names_free(&names);
    plait__error_restore(&saved);
}

static plait_status write_advice(plait_device_list *list, cl_int code)
{
    plait__strbuf text = {0};
    if (list->n_devices == 0) {
        if (list->n_platforms > 0) {
            plait__strbuf_add(&text, "OpenCL drivers were found, but none gives a device:");
            for (size_t i = 0; i < list->n_platforms; i++) {
                plait__strbuf_printf(&text, "%s %s: %s", i > 0 ? ";" : "", list->platforms[i].name,
                                     list->platforms[i].problem);
            }
            plait__strbuf_add(&text, ". ");
        } else if (code == NO_PLATFORM || code == CL_SUCCESS) {
            plait__strbuf_add(&text, "No OpenCL driver was found. ");
        } else {
            plait__strbuf_printf(&text, "Listing the OpenCL drivers fails with %s (%d). ", plait__cl_error_name(code),
                                 (int)code);
        }
        /* Which of the variables counts depends on the loader: Debian's reads the first, Khronos's the second. */
        plait__strbuf_add(&text, "Looked in: ");
        const char *vendors = plait__env_text("OCL_ICD_VENDORS"), *files = plait__env_text("OCL_ICD_FILENAMES");
        if (vendors != NULL) {
            plait__strbuf_printf(&text, "OCL_ICD_VENDORS=\"%s\"", vendors);
            add_place(&text, vendors);
            if (vendors[0] != 0 && vendors[strlen(vendors) - 1] != '/') {
                plait__strbuf_add(&text, " (some loaders accept only a folder whose name ends in '/')");
            }
        } else {
            plait__strbuf_add(&text, "OCL_ICD_VENDORS (not set)");
        }
        if (files != NULL) {
            plait__strbuf_printf(&text, ", OCL_ICD_FILENAMES=\"%s\"", files);
        } else {
            plait__strbuf_add(&text, ", OCL_ICD_FILENAMES (not set)");
        }
        plait__strbuf_printf(&text, ", %s", VENDORS_FOLDER);
        add_place(&text, VENDORS_FOLDER);
        plait__strbuf_add(&text, ". To compute on the CPU: apt-get install pocl-opencl-icd. For a GPU, install its "
                                 "vendor's OpenCL driver.");
    }
    list->advice = plait__strbuf_take(&text);
    return list->advice == NULL ? PLAIT_E_NO_MEMORY : PLAIT_OK;
}

static plait_status fill(plait_device_list *list)
{
    cl_uint n = 0;
    cl_int code = clGetPlatformIDs(0, NULL, &n);
    if (code == CL_SUCCESS && n > 0) {
        cl_platform_id *ids = plait__calloc(n, sizeof *ids);
        if (ids == NULL) {
            return PLAIT_E_NO_MEMORY;
        }
        code = clGetPlatformIDs(n, ids, NULL);
        plait_status status = code == CL_SUCCESS ? add_platforms(list, ids, n) : PLAIT_OK;
        free(ids);
        PLAIT__TRY(status);
    }
    return write_advice(list, code);
}

/* Drivers do not survive a fork, not even to be listed; a child may list if its parent never did. */
static plait_status check_fork(void)
{
    static atomic_uint_least32_t first_use; /* the generation plus 1; 0: none yet */
    uint_least32_t mine = plait__fork_generation() + 1, found = 0;
    if (!atomic_compare_exchange_strong(&first_use, &found, mine) && found != mine) {
        return plait__fail(PLAIT_E_FORKED, "plait_device_list_create: this process was forked from one that had used "
                                           "OpenCL; use Plait in the child only if the parent has not, or exec");
    }
    return PLAIT_OK;
}

plait_status plait_device_list_create(plait_device_list **out)
{
    PLAIT__REQUIRE_ARG(out);
    *out = NULL;
    PLAIT__TRY(check_fork());
    PLAIT__REQUIRE(!plait__exiting(), PLAIT_E_CLOSED, "plait_device_list_create: the process is exiting");
    plait_device_list *list = plait__calloc(1, sizeof *list);
    if (list == NULL) {
        return PLAIT_E_NO_MEMORY;
    }
    plait_status status = fill(list);
    plait__watch_exit(); /* the drivers have been loaded */
    if (status != PLAIT_OK) {
        plait_device_list_release(list);
        return status;
    }
    *out = list;
    return PLAIT_OK;
}

void plait_device_list_release(plait_device_list *list)
{
    if (list == NULL) {
        return;
    }
    for (size_t i = 0; i < list->n_strings; i++) {
        free(list->strings[i]);
    }
    for (plait__sentence *s = atomic_load(&list->reasons), *next; s != NULL; s = next) {
        next = s->next;
        free(s);
    }
    free(list->strings);
    free(list->platforms);
    free(list->infos);
    free(list->devices);
    free(list->advice);
    free(list);
}

size_t plait_device_list_count(const plait_device_list *list)
{
    return list == NULL ? 0 : list->n_devices;
}

const plait_device_info *plait_device_list_get(const plait_device_list *list, size_t index)
{
    PLAIT__REQUIRE_ARG_PTR(list);
    PLAIT__REQUIRE_PTR(index < list->n_devices, PLAIT_E_RANGE,
                       "plait_device_list_get: index %zu of a list of %zu devices", index, list->n_devices);
    return &list->infos[index];
}

size_t plait_device_list_platform_count(const plait_device_list *list)
{
    return list == NULL ? 0 : list->n_platforms;
}

const plait_platform_info *plait_device_list_platform(const plait_device_list *list, size_t index)
{
    PLAIT__REQUIRE_ARG_PTR(list);
    PLAIT__REQUIRE_PTR(index < list->n_platforms, PLAIT_E_RANGE,
                       "plait_device_list_platform: index %zu of a list of %zu platforms", index, list->n_platforms);
    return &list->platforms[index];
}

const char *plait_device_list_advice(const plait_device_list *list)
{
    return list == NULL ? "" : list->advice;
}

static const char *keep_reason(plait_device_list *list, const plait__strbuf *why)
{
    plait__sentence *s = plait__malloc(sizeof *s + why->length + 1);
    if (s == NULL) {
        return NULL;
    }
    memcpy(s->text, plait__strbuf_text(why), why->length + 1);
    s->next = atomic_load(&list->reasons);
    while (!atomic_compare_exchange_weak(&list->reasons, &s->next, s)) {
    }
    return s->text;
}

plait_status plait_device_list_choose(const plait_device_list *list, const char *wanted, size_t *index,
                                      const char **why)
{
    PLAIT__REQUIRE_ARG(list);
    PLAIT__REQUIRE_ARG(index);
    const char *origin = "device";
    if (wanted == NULL) {
        wanted = plait__env_text("PLAIT_DEVICE");
        origin = "PLAIT_DEVICE";
    }
    plait__strbuf reason = {0};
    size_t chosen = 0;
    plait_status status = plait__choose("plait_device_list_choose", list->infos, list->n_devices, wanted, origin,
                                        list->advice, &chosen, &reason);
    if (status == PLAIT_OK && why != NULL) {
        /* The list is a snapshot that does not change; what it hands out only hangs on it to be freed with it. */
        *why = keep_reason((plait_device_list *)list, &reason);
        status = *why == NULL ? PLAIT_E_NO_MEMORY : PLAIT_OK;
    }
    plait__strbuf_free(&reason);
    if (status == PLAIT_OK) {
        *index = chosen;
    }
    return status;
}
