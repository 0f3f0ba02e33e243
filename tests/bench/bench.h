/*
 * The benchmark program: what its files share.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 * Protocol: 3 warm-ups, then at least 10 runs, of which best and median are kept; a run is a batch of calls with one
 * wait at its end, so many calls that it lasts some milliseconds. GB/s is the least traffic (every input read once,
 * every output written once) over the time. Results are checked against plain C in double before they are timed.
 */
#ifndef BENCH_H
#define BENCH_H

#include <plait/plait.h>

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

/* ---- rows of the result ---- */

typedef struct bench_row {
    char group[16]; /* raw, buffers, arrays, products, launch, start, transfer */
    char name[64];
    char dtype[8];
    char shape[40];
    char against[80];    /* "group/name" of the row that this one is compared with, "" */
    char check[12];      /* "ok", "failed", "" where there is nothing to check */
    double error;        /* largest error found, relative to the scale of what was checked */
    double bytes;        /* least traffic of a call, 0 */
    double flops;        /* of a call, 0 */
    double best, median; /* seconds a call */
    int runs;
    long batch;
    double value; /* rows that are not times */
    char unit[12];
} bench_row;

typedef struct bench {
    plait_ctx *ctx;
    plait_queue *queue; /* the context's */
    plait_device_info device;
    bool gpu;
    bool quick; /* small sizes, few runs: does everything work? */
    const char *filter;
    const char *program; /* this program's path, for child processes */
    size_t n;            /* elements of the large arrays, a power of two */
    bench_row *rows;
    size_t n_rows;
    int failures;
} bench;

/* Whether "group/name" is asked for. */
bool bench_wanted(const bench *b, const char *group, const char *name);
/* A new row, zeroed but for its names. Lives until the next one is added. */
bench_row *bench_add(bench *b, const char *group, const char *name);
/* Prints a finished row. */
void bench_show(const bench *b, const bench_row *row);
void bench_value(bench *b, const char *group, const char *name, double value, const char *unit);
/* Says what went wrong; the run goes on with the next case. Always false. */
bool bench_fail(bench *b, const char *group, const char *name, const char *why);
const bench_row *bench_find(const bench *b, const char *group, const char *name);

/* ---- time ---- */

double bench_now(void); /* seconds, monotonic, comparable between processes */

#define BENCH_MAX_RUNS 64
typedef struct bench_samples {
    double t[BENCH_MAX_RUNS]; /* seconds a call */
    int n;
    long batch; /* calls a run; 0: not calibrated yet */
} bench_samples;

/* One call, enqueued or done; and the wait for all calls so far. False: failed. */
typedef struct bench_work {
    bool (*call)(void *user);
    bool (*finish)(void *user);
    void *user;
} bench_work;

/* Warm-ups before the first runs, then `runs` runs more. */
bool bench_run(const bench *b, const bench_work *work, bench_samples *samples, int runs);
/* Two of a kind in turns, so that both meet the same noise. */
bool bench_run_pair(const bench *b, const bench_work *one, bench_samples *s1, const bench_work *two, bench_samples *s2);
void bench_keep(bench_row *row, const bench_samples *samples);

/* ---- raw OpenCL on the same device ---- */

typedef struct raw_cl {
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
} raw_cl;

bool raw_open(raw_cl *raw, const plait_device_info *info);
void raw_close(raw_cl *raw);
/* NULL: failed, and the log printed. */
cl_kernel raw_kernel(const raw_cl *raw, const char *source, const char *options, const char *name);

/* ---- groups of cases ---- */

void bench_limits(bench *b);    /* raw and buffers: triad, copy, read, write */
void bench_arrays(bench *b);    /* arrays */
void bench_products(bench *b);  /* products */
void bench_launch(bench *b);    /* launch */
void bench_start(bench *b);     /* start: child processes */
void bench_transfers(bench *b); /* transfer */

/* The child's side of bench_start; the exit status. */
int bench_child(int argc, char **argv);

/* Deterministic numbers in [0, 1) with 24 bits; equal in peers/common.py. */
float bench_number(uint64_t seed, uint64_t i);

#endif
