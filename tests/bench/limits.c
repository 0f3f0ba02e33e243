/*
 * The memory's limits, through raw OpenCL, and the same kernels through Plait's buffers and launches.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "bench.h"

#include <stdio.h>
#include <string.h>

/* "flat": an item of four floats each; what GPUs like. "chunks": few items with a contiguous share each; what CPUs do.
 */
static const char source[] =
    "kernel void triad_flat(global const float4 *x, global const float4 *y, global float4 *z, float s, ulong n)\n"
    "{\n"
    "    z[get_global_id(0)] = x[get_global_id(0)] + s * y[get_global_id(0)];\n"
    "}\n"
    "kernel void copy_flat(global const float4 *x, global const float4 *y, global float4 *z, float s, ulong n)\n"
    "{\n"
    "    z[get_global_id(0)] = x[get_global_id(0)];\n"
    "}\n"
    "kernel void write_flat(global const float4 *x, global const float4 *y, global float4 *z, float s, ulong n)\n"
    "{\n"
    "    z[get_global_id(0)] = (float4)s;\n"
    "}\n"
    "kernel void read_flat(global const float4 *x, global const float4 *y, global float4 *z, float s, ulong n)\n"
    "{\n"
    "    float4 a = 0, b = 0, c = 0, d = 0;\n"
    "    const ulong step = get_global_size(0);\n"
    "    for (ulong i = get_global_id(0); i + 3 * step < n / 4; i += 4 * step) {\n"
    "        a += x[i];\n"
    "        b += x[i + step];\n"
    "        c += x[i + 2 * step];\n"
    "        d += x[i + 3 * step];\n"
    "    }\n"
    "    z[get_global_id(0)] = a + b + c + d;\n"
    "}\n"
    "#define CHUNK(i) for (ulong i = n / 16 * get_global_id(0) / get_global_size(0); \\\n"
    "                      i < n / 16 * (get_global_id(0) + 1) / get_global_size(0); i++)\n"
    "kernel void triad_chunks(global const float16 *x, global const float16 *y, global float16 *z, float s, ulong n)\n"
    "{\n"
    "    CHUNK(i) z[i] = x[i] + s * y[i];\n"
    "}\n"
    "kernel void copy_chunks(global const float16 *x, global const float16 *y, global float16 *z, float s, ulong n)\n"
    "{\n"
    "    CHUNK(i) z[i] = x[i];\n"
    "}\n"
    "kernel void write_chunks(global const float16 *x, global const float16 *y, global float16 *z, float s, ulong n)\n"
    "{\n"
    "    CHUNK(i) z[i] = (float16)s;\n"
    "}\n"
    "kernel void read_chunks(global const float16 *x, global const float16 *y, global float16 *z, float s, ulong n)\n"
    "{\n"
    "    float16 a = 0;\n"
    "    CHUNK(i) a += x[i];\n"
    "    z[get_global_id(0)] = a;\n"
    "}\n";

typedef struct limit {
    const char *name; /* of the kernel */
    const char *operation;
    int moves; /* times n floats */
    bool flat;
} limit;

static const limit limits[] = {
    {"triad_flat", "triad", 3, true},  {"copy_flat", "copy", 2, true},      {"read_flat", "read", 1, true},
    {"write_flat", "write", 1, true},  {"triad_chunks", "triad", 3, false}, {"copy_chunks", "copy", 2, false},
    {"read_chunks", "read", 1, false}, {"write_chunks", "write", 1, false},
};
#define LIMITS (sizeof limits / sizeof *limits)

#define SCALE 0.5f /* exact in f32, so that a number of the host may be passed for it */
#define GROUP 256

typedef struct limits_state {
    bench *b;
    raw_cl raw;
    cl_mem mem[3];
    cl_kernel kernel;
    plait_buffer *buffer[3];
    plait_kernel *plait_kernel;
    size_t global, group;
} limits_state;

static bool call_raw(void *user)
{
    limits_state *s = user;
    return clEnqueueNDRangeKernel(s->raw.queue, s->kernel, 1, NULL, &s->global, &s->group, 0, NULL, NULL) == CL_SUCCESS;
}

static bool finish_raw(void *user)
{
    limits_state *s = user;
    return clFinish(s->raw.queue) == CL_SUCCESS;
}

static bool call_plait(void *user)
{
    limits_state *s = user;
    return plait_launch(s->b->queue, s->plait_kernel, plait_grid_groups(plait_grid_1d(s->global), s->group, 1, 1),
                        PLAIT_BUFFER(s->buffer[0]), PLAIT_BUFFER(s->buffer[1]), PLAIT_BUFFER(s->buffer[2]),
                        PLAIT_NUM((double)SCALE), PLAIT_INT((int64_t)s->b->n)) == PLAIT_OK;
}

static bool finish_plait(void *user)
{
    limits_state *s = user;
    return plait_queue_finish(s->b->queue) == PLAIT_OK;
}

static bool open_all(limits_state *s)
{
    const size_t bytes = s->b->n * sizeof(float);
    const float values[3] = {1, 2, 0};
    if (!raw_open(&s->raw, &s->b->device)) {
        return bench_fail(s->b, "raw", "open", "the device was not found by its platform and name");
    }
    for (int i = 0; i < 3; i++) {
        cl_int code;
        s->mem[i] = clCreateBuffer(s->raw.context, CL_MEM_READ_WRITE, bytes, NULL, &code);
        if (code != CL_SUCCESS || clEnqueueFillBuffer(s->raw.queue, s->mem[i], &values[i], sizeof values[i], 0, bytes,
                                                      0, NULL, NULL) != CL_SUCCESS) {
            return bench_fail(s->b, "raw", "buffers", "cannot be created");
        }
        if (plait_buffer_create(&s->buffer[i], s->b->ctx, bytes, NULL) != PLAIT_OK ||
            plait_buffer_fill(s->b->queue, s->buffer[i], 0, bytes, &values[i], sizeof values[i], NULL) != PLAIT_OK) {
            return bench_fail(s->b, "buffers", "buffers", plait_last_error());
        }
    }
    return true;
}

static void close_all(limits_state *s)
{
    for (int i = 0; i < 3; i++) {
        if (s->mem[i] != NULL) {
            clReleaseMemObject(s->mem[i]);
        }
        plait_buffer_release(s->buffer[i]);
    }
    raw_close(&s->raw);
}

/* Whether z holds what the operation should leave there, in both worlds. */
static bool right(limits_state *s, const limit *l)
{
    const float value = strcmp(l->operation, "triad") == 0  ? 1 + SCALE * 2
                        : strcmp(l->operation, "copy") == 0 ? 1
                        : strcmp(l->operation, "write") == 0
                            ? SCALE
                            : (float)(s->b->n / 4 / s->global); /* every lane's share */
    if (strcmp(l->operation, "read") == 0 && !l->flat) {
        return true; /* shares differ by one */
    }
    const size_t place = l->moves == 1 && l->operation[0] == 'r' ? 0 : s->b->n - 1;
    float raw = 0, plait = 0;
    return clEnqueueReadBuffer(s->raw.queue, s->mem[2], CL_TRUE, place * sizeof raw, sizeof raw, &raw, 0, NULL, NULL) ==
               CL_SUCCESS &&
           plait_buffer_read(s->b->queue, s->buffer[2], place * sizeof plait, &plait, sizeof plait) == PLAIT_OK &&
           raw == value && plait == value;
}

static bool measure(limits_state *s, plait_program *program, const limit *l)
{
    bench *b = s->b;
    const bool reads = strcmp(l->operation, "read") == 0;
    s->group = l->flat ? GROUP : 1;
    s->global = !l->flat ? 4 * (size_t)b->device.compute_units : reads ? 2048 * GROUP : b->n / 4;
    if (l->flat && reads && s->global * 16 > b->n) {
        s->global = b->n / 16;
    }
    s->kernel = raw_kernel(&s->raw, source, "", l->name);
    if (s->kernel == NULL) {
        return bench_fail(b, "raw", l->name, "does not build");
    }
    const cl_float scale = SCALE;
    const cl_ulong n = b->n;
    for (cl_uint i = 0; i < 3; i++) {
        clSetKernelArg(s->kernel, i, sizeof s->mem[i], &s->mem[i]);
    }
    clSetKernelArg(s->kernel, 3, sizeof scale, &scale);
    clSetKernelArg(s->kernel, 4, sizeof n, &n);
    if (plait_kernel_create(&s->plait_kernel, program, l->name) != PLAIT_OK) {
        return bench_fail(b, "buffers", l->name, plait_last_error());
    }

    const bench_work raw = {call_raw, finish_raw, s}, plait = {call_plait, finish_plait, s};
    bench_samples raw_samples = {.n = 0}, plait_samples = {.n = 0};
    if (!bench_run_pair(b, &raw, &raw_samples, &plait, &plait_samples)) {
        return bench_fail(b, "buffers", l->name, plait_last_error());
    }
    const bool correct = right(s, l);
    for (int i = 0; i < 2; i++) {
        bench_row *row = bench_add(b, i == 0 ? "raw" : "buffers", l->name);
        snprintf(row->dtype, sizeof row->dtype, "f32");
        snprintf(row->shape, sizeof row->shape, "%zu", b->n);
        snprintf(row->check, sizeof row->check, "%s", correct ? "ok" : "failed");
        row->bytes = (double)b->n * 4 * l->moves;
        if (i == 1) {
            snprintf(row->against, sizeof row->against, "raw/%s", l->name);
        }
        bench_keep(row, i == 0 ? &raw_samples : &plait_samples);
        bench_show(b, row);
    }
    return correct || bench_fail(b, "raw", l->name, "wrong result");
}

/* The best of both forms, as the row that others are compared with. */
static void best_of(bench *b, const char *operation)
{
    char name[40];
    snprintf(name, sizeof name, "%s_flat", operation);
    const bench_row *flat = bench_find(b, "raw", name);
    snprintf(name, sizeof name, "%s_chunks", operation);
    const bench_row *chunks = bench_find(b, "raw", name);
    const bench_row *best = chunks != NULL && (flat == NULL || chunks->best < flat->best) ? chunks : flat;
    if (best != NULL) {
        const bench_row copy = *best;
        bench_row *row = bench_add(b, "raw", operation);
        *row = copy;
        snprintf(row->name, sizeof row->name, "%s", operation);
    }
}

void bench_limits(bench *b)
{
    bool any = false;
    for (size_t i = 0; i < LIMITS; i++) {
        any |= bench_wanted(b, "raw", limits[i].name) || bench_wanted(b, "buffers", limits[i].name) ||
               bench_wanted(b, "limits", limits[i].name);
    }
    if (!any) {
        return;
    }
    limits_state s = {.b = b};
    plait_program *program = NULL;
    if (open_all(&s)) {
        if (plait_program_from_source(&program, b->ctx, source, NULL) != PLAIT_OK) {
            bench_fail(b, "buffers", "program", plait_last_error());
        }
        for (size_t i = 0; program != NULL && i < LIMITS; i++) {
            if (limits[i].flat || !b->gpu) {
                measure(&s, program, &limits[i]);
                if (s.kernel != NULL) {
                    clReleaseKernel(s.kernel);
                    s.kernel = NULL;
                }
                plait_kernel_release(s.plait_kernel);
                s.plait_kernel = NULL;
            }
        }
    }
    plait_program_release(program);
    close_all(&s);
    plait_ctx_trim(b->ctx);
    best_of(b, "triad");
    best_of(b, "copy");
    best_of(b, "read");
    best_of(b, "write");
}
