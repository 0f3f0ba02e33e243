/*
 * What a launch costs: raw, through Plait, and as an array of 1,000 elements in a lazy loop.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "bench.h"

#include <stdio.h>

static const char source[] = "kernel void add(global const float *x, global const float *y, global float *z, uint n)\n"
                             "{\n"
                             "    if (get_global_id(0) < n)\n"
                             "        z[get_global_id(0)] = x[get_global_id(0)] + y[get_global_id(0)];\n"
                             "}\n";

#define N 1000
#define GLOBAL 1024

typedef struct launch_state {
    bench *b;
    raw_cl raw;
    cl_mem mem[3];
    cl_kernel kernel;
    plait_buffer *buffer[3];
    plait_kernel *plait_kernel;
    plait_array *x, *y, *z;
    bool wait;
} launch_state;

/* Sets every argument at each launch, as a program that launches with changing arguments must. */
static bool call_raw(void *user)
{
    launch_state *s = user;
    const size_t global = GLOBAL, group = 64;
    const cl_uint n = N;
    for (cl_uint i = 0; i < 3; i++) {
        clSetKernelArg(s->kernel, i, sizeof s->mem[i], &s->mem[i]);
    }
    clSetKernelArg(s->kernel, 3, sizeof n, &n);
    const cl_int code = clEnqueueNDRangeKernel(s->raw.queue, s->kernel, 1, NULL, &global, &group, 0, NULL, NULL);
    return code == CL_SUCCESS && (!s->wait || clFinish(s->raw.queue) == CL_SUCCESS);
}

static bool finish_raw(void *user)
{
    launch_state *s = user;
    return clFinish(s->raw.queue) == CL_SUCCESS;
}

static bool call_plait(void *user)
{
    launch_state *s = user;
    return plait_launch(s->b->queue, s->plait_kernel, plait_grid_groups(PLAIT_GRID(GLOBAL), 64, 1, 1),
                        PLAIT_BUFFER(s->buffer[0]), PLAIT_BUFFER(s->buffer[1]), PLAIT_BUFFER(s->buffer[2]),
                        PLAIT_INT(N)) == PLAIT_OK &&
           (!s->wait || plait_queue_finish(s->b->queue) == PLAIT_OK);
}

static bool finish_plait(void *user)
{
    launch_state *s = user;
    return plait_queue_finish(s->b->queue) == PLAIT_OK;
}

/* One turn of a loop: z = x + y, evaluated by the scope's end. */
static bool call_array(void *user)
{
    launch_state *s = user;
    PLAIT_SCOPE;
    return plait_assign(&s->z, plait_add(s->x, s->y)) == PLAIT_OK;
}

/* The same with a value that the next turn uses. */
static bool call_carried(void *user)
{
    launch_state *s = user;
    PLAIT_SCOPE;
    return plait_assign(&s->x, plait_add(s->x, s->y)) == PLAIT_OK;
}

/* A reduction and a number read back in each turn: what an eager program does. */
static bool call_item(void *user)
{
    launch_state *s = user;
    double value;
    PLAIT_SCOPE;
    return plait_item(plait_sum(plait_add(s->x, s->y)), &value) == PLAIT_OK;
}

/* A scope's end has no status: whether it computed what it should shows in the arrays. */
static bool finish_array(void *user)
{
    launch_state *s = user;
    return plait_finish(s->b->ctx) == PLAIT_OK && plait_array_is_evaluated(s->x) &&
           (s->z == NULL || plait_array_is_evaluated(s->z));
}

static void keep(bench *b, const char *name, const char *against, const bench_samples *samples)
{
    bench_row *row = bench_add(b, "launch", name);
    snprintf(row->dtype, sizeof row->dtype, "f32");
    snprintf(row->shape, sizeof row->shape, "%d", N);
    snprintf(row->against, sizeof row->against, "%s", against);
    bench_keep(row, samples);
    bench_show(b, row);
}

static void pair(launch_state *s, bool wait)
{
    const bench_work raw = {call_raw, finish_raw, s}, plait = {call_plait, finish_plait, s};
    bench_samples raw_samples = {.n = 0}, plait_samples = {.n = 0};
    s->wait = wait;
    if (!bench_run_pair(s->b, &raw, &raw_samples, &plait, &plait_samples)) {
        bench_fail(s->b, "launch", "plait", plait_last_error());
        return;
    }
    keep(s->b, wait ? "raw launch and finish" : "raw launch", "", &raw_samples);
    keep(s->b, wait ? "plait launch and finish" : "plait launch",
         wait ? "launch/raw launch and finish" : "launch/raw launch", &plait_samples);
    if (!wait) {
        const bench_row *r = bench_find(s->b, "launch", "raw launch"), *p = bench_find(s->b, "launch", "plait launch");
        bench_value(s->b, "launch", "plait launch above raw launch", (p->best - r->best) * 1e6, "us");
    }
}

static void loop(launch_state *s, const char *name, bool (*call)(void *))
{
    const bench_work work = {call, finish_array, s};
    bench_samples samples = {.n = 0};
    if (bench_run(s->b, &work, &samples, 12)) {
        keep(s->b, name, "launch/raw launch", &samples);
    } else {
        bench_fail(s->b, "launch", name, plait_last_error());
    }
}

static bool open_all(launch_state *s)
{
    bench *b = s->b;
    static const float zeros[N];
    cl_int code = CL_SUCCESS;
    if (!raw_open(&s->raw, &b->device) || (s->kernel = raw_kernel(&s->raw, source, "", "add")) == NULL) {
        return bench_fail(b, "launch", "raw", "cannot be opened");
    }
    plait_program *program;
    if (plait_program_from_source(&program, b->ctx, source, NULL) != PLAIT_OK) {
        return bench_fail(b, "launch", "program", plait_last_error());
    }
    const plait_status status = plait_kernel_create(&s->plait_kernel, program, "add");
    plait_program_release(program);
    for (int i = 0; i < 3; i++) {
        s->mem[i] = clCreateBuffer(s->raw.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof zeros,
                                   (void *)(uintptr_t)zeros, &code);
        plait_buffer_opts opts = PLAIT_BUFFER_OPTS;
        opts.data = zeros;
        if (code != CL_SUCCESS || plait_buffer_create(&s->buffer[i], b->ctx, sizeof zeros, &opts) != PLAIT_OK) {
            return bench_fail(b, "launch", "buffers", plait_last_error());
        }
    }
    s->x = plait_keep(plait_from_host(b->ctx, zeros, PLAIT_SHAPE(N), PLAIT_F32));
    s->y = plait_keep(plait_from_host(b->ctx, zeros, PLAIT_SHAPE(N), PLAIT_F32));
    return (status == PLAIT_OK && s->x != NULL && s->y != NULL) ||
           bench_fail(b, "launch", "arrays", plait_last_error());
}

void bench_launch(bench *b)
{
    if (!bench_wanted(b, "launch", "")) {
        return;
    }
    launch_state s = {.b = b};
    if (open_all(&s)) {
        pair(&s, false);
        pair(&s, true);
        loop(&s, "array x+y in a loop", call_array);
        loop(&s, "array x=x+y in a loop", call_carried);
        loop(&s, "array sum(x+y) read each turn", call_item);
    }
    plait_release(s.x);
    plait_release(s.y);
    plait_release(s.z);
    plait_kernel_release(s.plait_kernel);
    if (s.kernel != NULL) {
        clReleaseKernel(s.kernel);
    }
    for (int i = 0; i < 3; i++) {
        plait_buffer_release(s.buffer[i]);
        if (s.mem[i] != NULL) {
            clReleaseMemObject(s.mem[i]);
        }
    }
    raw_close(&s.raw);
}
