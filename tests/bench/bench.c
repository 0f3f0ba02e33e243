/*
 * plait_bench: measures Plait against the device's own limits, through raw OpenCL, in one run.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "bench.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define WARM_UPS 3
#define RUNS 12
#define RUN_SECONDS 4e-3 /* a run is at least this long, so that the wait at its end does not count */

bool bench_wanted(const bench *b, const char *group, const char *name)
{
    char full[128];
    snprintf(full, sizeof full, "%s/%s", group, name);
    return b->filter == NULL || strstr(full, b->filter) != NULL;
}

bench_row *bench_add(bench *b, const char *group, const char *name)
{
    b->rows = realloc(b->rows, (b->n_rows + 1) * sizeof *b->rows);
    if (b->rows == NULL) {
        fprintf(stderr, "plait_bench: out of memory\n");
        exit(1);
    }
    bench_row *row = &b->rows[b->n_rows++];
    memset(row, 0, sizeof *row);
    snprintf(row->group, sizeof row->group, "%s", group);
    snprintf(row->name, sizeof row->name, "%s", name);
    return row;
}

const bench_row *bench_find(const bench *b, const char *group, const char *name)
{
    for (size_t i = 0; i < b->n_rows; i++) {
        if (strcmp(b->rows[i].group, group) == 0 && strcmp(b->rows[i].name, name) == 0) {
            return &b->rows[i];
        }
    }
    return NULL;
}

/* The row that another one is compared with; NULL if it was not measured. */
static const bench_row *against(const bench *b, const bench_row *row)
{
    char group[16] = "";
    const char *slash = strchr(row->against, '/');
    if (slash == NULL) {
        return NULL;
    }
    snprintf(group, sizeof group, "%.*s", (int)(slash - row->against), row->against);
    return bench_find(b, group, slash + 1);
}

/* How fast a row is by its best run: bytes or operations a second, else calls a second. */
static double speed(const bench_row *row)
{
    const double work = row->bytes > 0 ? row->bytes : row->flops > 0 ? row->flops : 1;
    return row->best > 0 ? work / row->best : 0;
}

static double ratio(const bench *b, const bench_row *row)
{
    const bench_row *other = against(b, row);
    return other != NULL && other->best > 0 ? speed(row) / speed(other) : 0;
}

void bench_show(const bench *b, const bench_row *row)
{
    printf("%-9s %-38s %-4s %-16s", row->group, row->name, row->dtype, row->shape);
    if (row->unit[0] != '\0') {
        printf(" %12.3f %s\n", row->value, row->unit);
        return;
    }
    printf(" %11.2f us", row->best * 1e6);
    if (row->bytes > 0) {
        printf(" %9.1f GB/s (median %.1f)", row->bytes / row->best * 1e-9, row->bytes / row->median * 1e-9);
    } else if (row->flops > 0) {
        printf(" %9.1f GFLOP/s (median %.1f)", row->flops / row->best * 1e-9, row->flops / row->median * 1e-9);
    }
    if (ratio(b, row) > 0) {
        printf("  %.3f of %s", ratio(b, row), row->against);
    }
    printf("%s%s\n", row->check[0] != '\0' ? "  check " : "", row->check);
    fflush(stdout);
}

void bench_value(bench *b, const char *group, const char *name, double value, const char *unit)
{
    bench_row *row = bench_add(b, group, name);
    row->value = value;
    snprintf(row->unit, sizeof row->unit, "%s", unit);
    bench_show(b, row);
}

bool bench_fail(bench *b, const char *group, const char *name, const char *why)
{
    b->failures++;
    fprintf(stderr, "plait_bench: %s/%s: %s\n", group, name, why);
    return false;
}

double bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* A run of samples->batch calls; its time in seconds, negative on failure. */
static double time_batch(const bench_work *work, long batch)
{
    const double start = bench_now();
    for (long i = 0; i < batch; i++) {
        if (!work->call(work->user)) {
            return -1;
        }
    }
    return work->finish(work->user) ? bench_now() - start : -1;
}

bool bench_run(const bench *b, const bench_work *work, bench_samples *samples, int runs)
{
    if (samples->batch == 0) {
        double t = 0;
        for (int i = 0; i < WARM_UPS; i++) {
            t = time_batch(work, 1);
            if (t < 0) {
                return false;
            }
        }
        samples->batch = 1;
        while (t < RUN_SECONDS && samples->batch < 20000 && !b->quick) {
            const double more = RUN_SECONDS / t * 1.2;
            samples->batch = (long)((double)samples->batch * (more > 10 ? 10 : more)) + 1;
            t = time_batch(work, samples->batch);
            if (t < 0) {
                return false;
            }
        }
    }
    for (int i = 0; i < (b->quick ? 1 : runs) && samples->n < BENCH_MAX_RUNS; i++) {
        const double t = time_batch(work, samples->batch);
        if (t < 0) {
            return false;
        }
        samples->t[samples->n++] = t / (double)samples->batch;
    }
    return true;
}

bool bench_run_pair(const bench *b, const bench_work *one, bench_samples *s1, const bench_work *two, bench_samples *s2)
{
    for (int round = 0; round < 3; round++) {
        if (!bench_run(b, one, s1, RUNS / 3 + 1) || !bench_run(b, two, s2, RUNS / 3 + 1)) {
            return false;
        }
    }
    return true;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

void bench_keep(bench_row *row, const bench_samples *samples)
{
    double t[BENCH_MAX_RUNS];
    memcpy(t, samples->t, sizeof t);
    qsort(t, (size_t)samples->n, sizeof *t, by_size);
    row->best = t[0];
    row->median = samples->n % 2 ? t[samples->n / 2] : (t[samples->n / 2 - 1] + t[samples->n / 2]) / 2;
    row->runs = samples->n;
    row->batch = samples->batch;
}

float bench_number(uint64_t seed, uint64_t i)
{
    uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u + seed * 0xd1b54a32d192ed03u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (float)((z ^ (z >> 31)) >> 40) * 0x1p-24f;
}

/* ---- JSON ---- */

static void put_text(FILE *f, const char *key, const char *text)
{
    fprintf(f, "\"%s\": \"", key);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\') {
            fputc('\\', f);
        }
        fputc((unsigned char)*text < ' ' ? ' ' : *text, f);
    }
    fputc('"', f);
}

static void put_row(FILE *f, const bench *b, const bench_row *row)
{
    fputs("    {", f);
    put_text(f, "library", strcmp(row->group, "raw") == 0 || strncmp(row->name, "raw", 3) == 0 ? "opencl" : "plait");
    fputs(", ", f);
    put_text(f, "group", row->group);
    fputs(", ", f);
    put_text(f, "name", row->name);
    fputs(", ", f);
    put_text(f, "dtype", row->dtype);
    fputs(", ", f);
    put_text(f, "shape", row->shape);
    if (row->unit[0] != '\0') {
        fprintf(f, ", \"value\": %.9g, ", row->value);
        put_text(f, "unit", row->unit);
    } else {
        fprintf(
            f, ", \"bytes\": %.0f, \"flops\": %.0f, \"best_s\": %.9g, \"median_s\": %.9g, \"runs\": %d, \"batch\": %ld",
            row->bytes, row->flops, row->best, row->median, row->runs, row->batch);
        if (row->check[0] != '\0') {
            fputs(", ", f);
            put_text(f, "check", row->check);
            fprintf(f, ", \"error\": %.3g", row->error);
        }
        if (ratio(b, row) > 0) {
            fputs(", ", f);
            put_text(f, "against", row->against);
            fprintf(f, ", \"ratio\": %.4f", ratio(b, row));
        }
    }
    fputs("}", f);
}

static bool write_json(const bench *b, const char *path)
{
    FILE *f = fopen(path, "w");
    if (f == NULL) {
        perror(path);
        return false;
    }
    char date[32];
    const time_t now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    fputs("{\n  ", f);
    put_text(f, "device", b->device.name);
    fputs(",\n  ", f);
    put_text(f, "platform", b->device.platform_name);
    fputs(",\n  ", f);
    put_text(f, "driver", b->device.driver_version);
    fprintf(f, ",\n  \"compute_units\": %" PRIu32 ",\n  \"host_cpus\": %ld,\n  ", b->device.compute_units,
            sysconf(_SC_NPROCESSORS_ONLN));
    put_text(f, "library", "plait");
    fputs(",\n  ", f);
    put_text(f, "version", plait_version());
    fputs(",\n  ", f);
    put_text(f, "date", date);
    fputs(",\n  \"rows\": [\n", f);
    for (size_t i = 0; i < b->n_rows; i++) {
        put_row(f, b, &b->rows[i]);
        fputs(i + 1 < b->n_rows ? ",\n" : "\n", f);
    }
    fputs("  ]\n}\n", f);
    const bool written = ferror(f) == 0;
    return fclose(f) == 0 && written;
}

/* ---- the program ---- */

static const char usage[] =
    "usage: plait_bench [--json FILE] [--filter TEXT] [--device DEVICE] [--quick] [--size LOG2]\n"
    "Measures Plait on one device beside raw OpenCL. TEXT picks the cases whose \"group/name\" contains it;\n"
    "the groups are limits (raw, buffers), arrays, products, launch, start, transfer.\n"
    "--quick: small and short, to see that everything works. --size: log2 of the elements of large arrays.\n";

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--child") == 0) {
        return bench_child(argc - 2, argv + 2);
    }
    bench b = {.program = argv[0]};
    plait_ctx_opts opts = PLAIT_CTX_OPTS;
    const char *json = NULL;
    int size = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--quick") == 0) {
            b.quick = true;
        } else if (strcmp(argv[i], "--json") == 0 && i + 1 < argc) {
            json = argv[++i];
        } else if (strcmp(argv[i], "--filter") == 0 && i + 1 < argc) {
            b.filter = argv[++i];
        } else if (strcmp(argv[i], "--device") == 0 && i + 1 < argc) {
            opts.device = argv[++i];
        } else if (strcmp(argv[i], "--size") == 0 && i + 1 < argc) {
            size = atoi(argv[++i]);
        } else {
            fputs(usage, strcmp(argv[i], "--help") == 0 ? stdout : stderr);
            return strcmp(argv[i], "--help") == 0 ? 0 : 2;
        }
    }
    if (plait_open(&b.ctx, &opts) != PLAIT_OK) {
        fprintf(stderr, "plait_bench: %s\n", plait_last_error());
        return 1;
    }
    b.queue = plait_ctx_queue(b.ctx);
    b.device = *plait_ctx_device(b.ctx);
    b.gpu = b.device.type == PLAIT_DEVICE_GPU_DISCRETE || b.device.type == PLAIT_DEVICE_GPU_INTEGRATED;
    b.n = (size_t)1 << (size > 0 ? size : b.quick ? 18 : b.gpu ? 27 : 24);
    while (b.n * 4 > b.device.max_allocation || b.n * 4 * 6 > b.device.global_memory) {
        b.n /= 2;
    }
    printf("%s, %s, driver %s, 2^%.0f elements\n", b.device.name, b.device.platform_name, b.device.driver_version,
           log2((double)b.n));

    bench_limits(&b);
    bench_launch(&b);
    bench_arrays(&b);
    bench_products(&b);
    bench_transfers(&b);
    bench_start(&b);

    if (json != NULL && !write_json(&b, json)) {
        b.failures++;
    }
    printf("%zu rows, %d failures\n", b.n_rows, b.failures);
    plait_close(b.ctx);
    free(b.rows);
    return b.failures != 0;
}
