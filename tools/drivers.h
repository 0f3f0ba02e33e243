/*
 * Which OpenCL drivers are installed, and which of them survive being listed.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 * A broken driver ends the process that lists it, and two drivers that each contain an LLVM can do so together although
 * each works alone. So every driver is loaded by a child process of its own first (this program again, with
 * DRIVERS_PROBE_OPTION and an environment that names that driver alone), then all that work by one more. Only what
 * survived is shown to this process's OpenCL loader. Nothing here calls OpenCL, except in the children.
 */
#ifndef PLAIT_DRIVERS_H
#define PLAIT_DRIVERS_H

#include "tool.h"

#define DRIVERS_PROBE_OPTION "--probe-driver"

typedef enum driver_state {
    DRIVER_OK,
    DRIVER_SILENT,  /* loads or not, but gives no platform */
    DRIVER_CRASHES, /* the child process died or hung */
    DRIVER_CONFLICT /* works alone; with the others the process dies */
} driver_state;

typedef struct driver {
    char *file;    /* the .icd file, or the library where the environment names that */
    char *library; /* what the .icd file names; "" if it cannot be read */
    bool listed;   /* from OCL_ICD_FILENAMES, not from the vendors' folder */
    driver_state state;
    size_t platforms, devices;
    int best; /* the smallest plait_device_type among its devices; large when there is none */
    char detail[512];
} driver;

typedef struct drivers {
    char *vendors;      /* the folder or file where the loader looks */
    bool vendors_given; /* by the environment */
    driver *items;
    size_t n;
    bool restricted; /* this process's loader sees only the drivers in state OK and SILENT */
    char folder[64]; /* of temporary files; "" if there is none */
} drivers;

/* Finds and probes. Returns false with a failure printed if that is not possible. drivers_free in either case. */
bool drivers_probe(drivers *out);

/* If a driver crashes, lets this process's OpenCL loader, which must not have been used yet, see only the others. */
void drivers_restrict(drivers *d);

/* After the loader has been used. */
void drivers_free(drivers *d);

/* What the child does: lists the devices and prints what it found; argument: the library, for a better diagnosis. */
tool_exit drivers_probe_child(const char *library);

#endif
