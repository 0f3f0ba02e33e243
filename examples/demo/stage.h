/*
 * A stage of the demo: run, timed, checked, printed.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#ifndef PLAIT_STAGE_H
#define PLAIT_STAGE_H

#include <plait/plait.h>
#include <stdio.h>

#define MAX_STAGES 16

typedef struct stage {
    const char *name;
    double bytes;      /* what has to be read and written, each array once */
    double first;      /* seconds of the very first call, compiling included */
    double device;     /* seconds on the device, best of several calls */
    bool device_clock; /* device comes from events; else from the host's clock */
    double one, all;   /* seconds of plain C on one thread and on all; 0: there is no such thing */
    double error, allowed;
    bool checked;
} stage;

typedef struct demo {
    plait_ctx *ctx;
    plait_queue *queue; /* the context's own, with device times */
    const char *data, *out;
    stage stages[MAX_STAGES];
    size_t n_stages;
    bool quick; /* the first of two runs: no repeats, no plain C in float */
} demo;

/* Work that is done again and again; PLAIT_OK or the failure. */
typedef plait_status (*stage_work)(void *state);
typedef void (*stage_c)(void *state);

/* Runs and times `work`, whose commands go to d->queue, as a new stage; NULL with the library's last error set. */
stage *stage_run(demo *d, const char *name, double bytes, stage_work work, void *state);

/* Times plain C: on one thread, and on all (NULL: this compiler has no OpenMP). */
void stage_compare(demo *d, stage *s, stage_c one, stage_c all, void *state);

/* The result's largest difference to plain C in double, and what is allowed. */
void stage_check(stage *s, double error, double allowed);

/* The largest |a - b| of bytes that the device rounded and numbers that C did not. */
double stage_byte_error(const unsigned char *a, const double *b, size_t n);
double stage_float_error(const float *a, const double *b, size_t n);

/* The table. `first` are the stages of the run before, with an empty cache (NULL: there was none). */
void stages_print(FILE *out, const demo *d, const stage *first, int threads);

/* How many results differ by more than is allowed, or were not checked. */
size_t stages_failed(const demo *d);

/* The first-call times, to a file and back. */
bool stages_save(const demo *d, const plait_stats *stats, const char *path);
bool stages_load(demo *d, plait_stats *stats, const char *path);

double seconds_now(void);

/* The two halves of the demo. False with the failure printed. */
bool demo_photo(demo *d);
bool demo_table(demo *d);

/* Prints the library's last error; false, to be returned. */
bool demo_fail(const char *what);
/* "FOLDER/NAME"; to be freed. Ends the program when memory is exhausted. */
char *demo_path(const char *folder, const char *name);
void *demo_memory(size_t bytes); /* zeroed; ends the program when memory is exhausted */

#endif
