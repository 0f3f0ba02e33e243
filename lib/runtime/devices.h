/*
 * The inside of a device list: what OpenCL says about platforms and devices.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#ifndef PLAIT__DEVICES_H
#define PLAIT__DEVICES_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>
#include <plait/device.h>
#include <stdatomic.h>

typedef struct plait__device {
    cl_platform_id platform;
    cl_device_id id;
    uint32_t quirks; /* PLAIT__QUIRK_... */
} plait__device;

typedef struct plait__sentence {
    struct plait__sentence *next;
    char text[];
} plait__sentence;

struct plait_device_list {
    plait_platform_info *platforms;
    size_t n_platforms;
    plait_device_info *infos;
    plait__device *devices; /* of the same index as infos */
    size_t n_devices, infos_capacity, devices_capacity;
    char *advice;
    char **strings; /* owned; what the infos point to */
    size_t n_strings, strings_capacity;
    _Atomic(plait__sentence *) reasons; /* what plait_device_list_choose has handed out: only ever pushed to */
};

/* Takes `text` over (NULL: a failure already on record) and returns it, or NULL with the failure on record. */
const char *plait__device_list_own(plait_device_list *list, char *text);

/*
 * Fills *info and device->quirks from device->platform and device->id, with strings owned by the list. A question that
 * the driver does not answer leaves 0 or "". The platform's members of *info and the indices are the caller's to fill
 * in before. Returns PLAIT_E_NO_MEMORY, else success.
 */
plait_status plait__device_query(plait_device_list *list, plait__device *device, plait_device_info *info);

/* A string of a platform, trimmed; "" where it does not answer. malloc'd; NULL when memory is exhausted. */
char *plait__platform_string(cl_platform_id platform, cl_platform_info what);

#endif
