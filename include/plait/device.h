/*
 * Plait: which devices there are, and which one a context would take.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 *     plait_device_list *devices;
 *     if (plait_device_list_create(&devices)) ...
 *     for (size_t i = 0; i < plait_device_list_count(devices); i++)
 *         puts(plait_device_list_get(devices, i)->name);
 *     plait_device_list_release(devices);
 *
 * Choice (plait_open, `plait info`): discrete GPU before integrated GPU before other accelerator before CPU; an
 * emulator only when it is asked for by name; the order in which drivers list themselves does not matter. What is
 * wanted is `opts.device`, else the variable PLAIT_DEVICE, else anything:
 *
 *     "3"              the index in this list
 *     "1:0"            platform 1's device 0
 *     "gpu" "cpu"      the best of that type
 *     "H200" "intel"   part of a device's or its platform's name, letter case ignored
 *
 * No match is an error that lists what exists, never another device.
 */
#ifndef PLAIT_DEVICE_H
#define PLAIT_DEVICE_H

#include <plait/status.h>

PLAIT_BEGIN

typedef enum plait_device_type {
    PLAIT_DEVICE_GPU_DISCRETE = 1,
    PLAIT_DEVICE_GPU_INTEGRATED = 2,
    PLAIT_DEVICE_ACCELERATOR = 3,
    PLAIT_DEVICE_CPU = 4,
    PLAIT_DEVICE_EMULATOR = 5
} plait_device_type;

/* One device. Sizes are in bytes. The strings live as long as the list (or context) the struct came from. */
typedef struct plait_device_info {
    size_t index;           /* in its list: what PLAIT_DEVICE="3" means */
    size_t platform;        /* index of its platform */
    size_t platform_device; /* index within the platform */
    plait_device_type type;
    const char *name;
    const char *vendor;
    const char *platform_name;
    const char *platform_version;
    const char *device_version; /* "OpenCL 3.0 ..." */
    const char *driver_version;
    unsigned opencl_major, opencl_minor; /* of the device */
    uint32_t compute_units;
    uint32_t clock_mhz;
    uint64_t global_memory;
    uint64_t max_allocation; /* the largest buffer */
    uint64_t local_memory;
    uint64_t max_parameter_bytes; /* of one kernel's arguments together */
    size_t max_group_size;
    size_t max_group_sizes[3];
    bool fp64;
    bool fp16;
    bool int64_atomics;
    bool denormals;      /* f32 denormals are kept by arithmetic */
    bool correct_divide; /* correctly rounded f32 division and square root can be asked for */
    bool unified_memory; /* shares the host's memory */
    bool out_of_order;   /* out-of-order queues */
    bool timestamps;     /* events carry usable device times */
    const char *quirks;  /* names of the driver defects worked around, separated by ", ", "" if none */
} plait_device_info;

/* One platform, listed even when it is broken or has no device. */
typedef struct plait_platform_info {
    const char *name;
    const char *vendor;
    const char *version;
    size_t device_count;
    const char *problem; /* why it gave no device, "" if it did */
} plait_platform_info;

/* A snapshot of all platforms and devices. Immutable: any thread may read it. */
typedef struct plait_device_list plait_device_list;

/*
 * Lists every platform and device. No driver at all is success with a count of 0; plait_device_list_advice() then says
 * what is missing. A driver that crashes while it is being listed ends this process; `plait info` probes each in a
 * child process first and names the one that does. The caller releases *out. Errors: PLAIT_E_NULL, PLAIT_E_NO_MEMORY,
 * PLAIT_E_FORKED. Since 0.1.
 */
PLAIT_API plait_status plait_device_list_create(plait_device_list **out);
PLAIT_API void plait_device_list_release(plait_device_list *list); /* NULL is fine */

PLAIT_API size_t plait_device_list_count(const plait_device_list *list);
/* NULL (with the last error set) if index is out of range. The pointer lives as long as the list. */
PLAIT_API const plait_device_info *plait_device_list_get(const plait_device_list *list, size_t index);
PLAIT_API size_t plait_device_list_platform_count(const plait_device_list *list);
PLAIT_API const plait_platform_info *plait_device_list_platform(const plait_device_list *list, size_t index);

/* What to do when there is no device: where drivers were looked for and the line that installs one; "" otherwise. */
PLAIT_API const char *plait_device_list_advice(const plait_device_list *list);

/*
 * The device that plait_open would take for `wanted` (NULL: PLAIT_DEVICE, then the best). *index is its index and *why,
 * unless why is NULL, a sentence that lives as long as the list. Errors: PLAIT_E_NO_DEVICE, listing what exists.
 */
PLAIT_API plait_status plait_device_list_choose(const plait_device_list *list, const char *wanted, size_t *index,
                                                const char **why);

PLAIT_END

#endif
