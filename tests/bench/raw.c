/*
 * Raw OpenCL on the device that a Plait context has.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 32

static bool has_name(cl_device_id device, const char *name)
{
    char text[512] = "";
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof text, text, NULL);
    return strcmp(text, name) == 0;
}

bool raw_open(raw_cl *raw, const plait_device_info *info)
{
    *raw = (raw_cl){0};
    cl_platform_id platforms[MOST];
    cl_uint n_platforms = 0;
    clGetPlatformIDs(MOST, platforms, &n_platforms);
    for (cl_uint p = 0; p < n_platforms && p < MOST && raw->device == NULL; p++) {
        char platform[512] = "";
        clGetPlatformInfo(platforms[p], CL_PLATFORM_NAME, sizeof platform, platform, NULL);
        cl_device_id devices[MOST];
        cl_uint n_devices = 0;
        if (strcmp(platform, info->platform_name) != 0 ||
            clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, MOST, devices, &n_devices) != CL_SUCCESS) {
            continue;
        }
        for (cl_uint d = 0; d < n_devices && d < MOST; d++) {
            if (has_name(devices[d], info->name) && d == info->platform_device) {
                raw->platform = platforms[p];
                raw->device = devices[d];
            }
        }
    }
    if (raw->device == NULL) {
        return false;
    }
    cl_int code;
    raw->context = clCreateContext(NULL, 1, &raw->device, NULL, NULL, &code);
    if (code != CL_SUCCESS) {
        return false;
    }
    raw->queue = clCreateCommandQueue(raw->context, raw->device, 0, &code);
    return code == CL_SUCCESS;
}

void raw_close(raw_cl *raw)
{
    if (raw->queue != NULL) {
        clReleaseCommandQueue(raw->queue);
    }
    if (raw->context != NULL) {
        clReleaseContext(raw->context);
    }
}

cl_kernel raw_kernel(const raw_cl *raw, const char *source, const char *options, const char *name)
{
    cl_int code;
    cl_program program = clCreateProgramWithSource(raw->context, 1, &source, NULL, &code);
    if (code != CL_SUCCESS) {
        return NULL;
    }
    cl_kernel kernel = NULL;
    if (clBuildProgram(program, 1, &raw->device, options, NULL, NULL) == CL_SUCCESS) {
        kernel = clCreateKernel(program, name, &code);
    } else {
        static char log[65536];
        clGetProgramBuildInfo(program, raw->device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
        fprintf(stderr, "%s\n", log);
    }
    clReleaseProgram(program);
    return kernel;
}
