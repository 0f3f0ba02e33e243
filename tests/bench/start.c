/*
 * How long a process takes to its first result: with nothing cached, with Plait's cache, and for a raw program that
 * loads a binary. Each is a process of its own; the driver's own cache is kept empty. Copyright 2026 The Plait authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 65536

static const char source[] = "kernel void add(global const float *x, global const float *y, global float *z)\n"
                             "{\n"
                             "    z[get_global_id(0)] = x[get_global_id(0)] + y[get_global_id(0)];\n"
                             "}\n";

/* ---- the child ---- */

static float host[N];

/* Prints the seconds since `start`, then Plait's counts of source builds and of binaries loaded. */
static int child_plait(const char *device, double start)
{
    plait_ctx *ctx;
    plait_ctx_opts opts = PLAIT_CTX_OPTS;
    opts.device = device;
    if (plait_open(&ctx, &opts) != PLAIT_OK) {
        fprintf(stderr, "%s\n", plait_last_error());
        return 1;
    }
    plait_array *x = plait_from_host(ctx, host, PLAIT_SHAPE(N), PLAIT_F32);
    plait_array *y = plait_add(plait_from_host(ctx, host, PLAIT_SHAPE(N), PLAIT_F32), plait_num(1));
    if (plait_to_host(plait_add(x, y), host, N, PLAIT_F32) != PLAIT_OK || host[N - 1] != 1) {
        fprintf(stderr, "%s\n", plait_last_error());
        return 1;
    }
    const double seconds = bench_now() - start;
    plait_stats stats = PLAIT_STATS;
    plait_ctx_stats(ctx, &stats);
    printf("%.9f %d %d\n", seconds, (int)stats.source_builds, (int)stats.binary_loads);
    plait_close(ctx);
    return 0;
}

static cl_program load(const raw_cl *raw, const char *path)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL) {
        return NULL;
    }
    static unsigned char binary[1 << 24];
    const size_t size = fread(binary, 1, sizeof binary, f);
    fclose(f);
    const unsigned char *p = binary;
    cl_int code, status;
    cl_program program = clCreateProgramWithBinary(raw->context, 1, &raw->device, &size, &p, &status, &code);
    return code == CL_SUCCESS && clBuildProgram(program, 1, &raw->device, "", NULL, NULL) == CL_SUCCESS ? program
                                                                                                        : NULL;
}

static bool run(const raw_cl *raw, cl_kernel kernel)
{
    const size_t global = N, group = 64;
    cl_int code;
    for (cl_uint i = 0; i < 3; i++) {
        cl_mem mem = clCreateBuffer(raw->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof host, host, &code);
        clSetKernelArg(kernel, i, sizeof mem, &mem);
        if (i == 2 &&
            (clEnqueueNDRangeKernel(raw->queue, kernel, 1, NULL, &global, &group, 0, NULL, NULL) != CL_SUCCESS ||
             clEnqueueReadBuffer(raw->queue, mem, CL_TRUE, 0, sizeof host, host, 0, NULL, NULL) != CL_SUCCESS)) {
            return false;
        }
    }
    return true;
}

/* The device is that of the indices, found as a raw program would: no list of Plait's. */
static int child_raw(const char *platform, const char *device, const char *path, double start)
{
    cl_platform_id platforms[32];
    cl_device_id devices[32];
    const int p = atoi(platform), d = atoi(device);
    raw_cl raw = {0};
    cl_int code;
    if (clGetPlatformIDs(32, platforms, NULL) != CL_SUCCESS ||
        clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 32, devices, NULL) != CL_SUCCESS) {
        return 1;
    }
    raw.device = devices[d];
    raw.context = clCreateContext(NULL, 1, &raw.device, NULL, NULL, &code);
    raw.queue = clCreateCommandQueue(raw.context, raw.device, 0, &code);
    cl_program program = load(&raw, path);
    cl_kernel kernel = program != NULL ? clCreateKernel(program, "add", &code) : NULL;
    if (kernel == NULL || !run(&raw, kernel)) {
        return 1;
    }
    printf("%.9f 0 1\n", bench_now() - start);
    return 0;
}

int bench_child(int argc, char **argv)
{
    const double start = bench_now();
    if (argc == 2 && strcmp(argv[0], "plait") == 0) {
        return child_plait(argv[1], start);
    }
    if (argc == 4 && strcmp(argv[0], "raw") == 0) {
        return child_raw(argv[1], argv[2], argv[3], start);
    }
    return 2;
}

/* ---- the parent ---- */

/* The binary of the raw program, taken after a launch so that drivers that finish late have put everything in. */
static bool save_binary(const bench *b, const char *path)
{
    raw_cl raw;
    bool saved = false;
    if (!raw_open(&raw, &b->device)) {
        return false;
    }
    cl_kernel kernel = raw_kernel(&raw, source, "", "add");
    if (kernel != NULL && run(&raw, kernel)) {
        cl_program program;
        size_t size = 0;
        clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof program, &program, NULL);
        clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL);
        unsigned char *binary = malloc(size + 1);
        FILE *f = fopen(path, "wb");
        if (binary != NULL && f != NULL &&
            clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL) == CL_SUCCESS) {
            saved = fwrite(binary, 1, size, f) == size;
        }
        if (f != NULL) {
            fclose(f);
        }
        free(binary);
    }
    if (kernel != NULL) {
        clReleaseKernel(kernel);
    }
    raw_close(&raw);
    return saved;
}

typedef struct child_result {
    double seconds;
    int source_builds, binary_loads;
} child_result;

/* Runs this program as a child with Plait's cache in `cache` and an empty driver cache. */
static bool spawn(const bench *b, const char *folder, const char *cache, const char *arguments, child_result *out)
{
    static int number;
    char command[2048];
    snprintf(command, sizeof command,
             "mkdir -p '%s/driver%d' && CUDA_CACHE_DISABLE=1 POCL_CACHE_DIR='%s/driver%d' PLAIT_CACHE_DIR='%s/%s' '%s' "
             "--child %s",
             folder, number, folder, number, folder, cache, b->program, arguments);
    number++;
    FILE *f = popen(command, "r");
    if (f == NULL) {
        return false;
    }
    const bool read = fscanf(f, "%lf %d %d", &out->seconds, &out->source_builds, &out->binary_loads) == 3;
    return pclose(f) == 0 && read;
}

/* So many processes, each with an empty cache of Plait's or all with the same; the times to the first result as a row.
 */
static bool many(bench *b, const char *folder, const char *name, bool fresh, const char *arguments, int times,
                 child_result *last)
{
    bench_samples samples = {.batch = 1};
    for (int i = 0; i < times; i++) {
        char cache[32] = "warm";
        if (fresh) {
            snprintf(cache, sizeof cache, "cold%d", i);
        }
        if (!spawn(b, folder, cache, arguments, last)) {
            return bench_fail(b, "start", name, "the child process failed");
        }
        samples.t[samples.n++] = last->seconds;
    }
    bench_row *row = bench_add(b, "start", name);
    if (strncmp(name, "raw", 3) != 0) {
        snprintf(row->against, sizeof row->against, "start/raw, binary loaded");
    }
    bench_keep(row, &samples);
    bench_show(b, row);
    return true;
}

void bench_start(bench *b)
{
    if (!bench_wanted(b, "start", "")) {
        return;
    }
    char folder[] = "/tmp/plait-bench-XXXXXX", arguments[256], path[128];
    if (mkdtemp(folder) == NULL) {
        bench_fail(b, "start", "folder", "cannot be made in /tmp");
        return;
    }
    child_result last;
    snprintf(path, sizeof path, "%s/add.bin", folder);
    const int times = b->quick ? 1 : 10;
    if (save_binary(b, path)) {
        snprintf(arguments, sizeof arguments, "raw %zu %zu '%s'", b->device.platform, b->device.platform_device, path);
        many(b, folder, "raw, binary loaded", true, arguments, times, &last);
    } else {
        bench_fail(b, "start", "raw", "no binary");
    }
    snprintf(arguments, sizeof arguments, "plait %zu", b->device.index);
    if (many(b, folder, "plait, nothing cached", true, arguments, b->quick ? 1 : 3, &last)) {
        bench_value(b, "start", "source builds, first process", last.source_builds, "count");
    }
    if (spawn(b, folder, "warm", arguments, &last) &&
        many(b, folder, "plait, cached", false, arguments, times, &last)) {
        bench_value(b, "start", "source builds, second process", last.source_builds, "count");
    }
    snprintf(arguments, sizeof arguments, "rm -rf '%s'", folder);
    if (system(arguments) != 0) {
        fprintf(stderr, "plait_bench: %s was not removed\n", folder);
    }
}
