#include "stage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool demo_fail(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, plait_last_error());
    return false;
}

void *demo_memory(size_t bytes)
{
    void *memory = calloc(bytes > 0 ? bytes : 1, 1);
    if (memory == NULL) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    return memory;
}

char *demo_path(const char *folder, const char *name)
{
    const size_t room = strlen(folder) + strlen(name) + 2;
    char *path = demo_memory(room);
    snprintf(path, room, "%s/%s", folder, name);
    return path;
}

/* ---- times ---- */

/* One call between two marks: the time that the device says, or the host's, if it has no clock. */
static plait_status call_once(demo *d, stage_work work, void *state, double *device, double *host)
{
    plait_event *begin = NULL, *end = NULL;
    plait_times first, last;
    plait_status st = plait_queue_finish(d->queue);
    const double start = seconds_now();
    if (st == PLAIT_OK) {
        st = plait_queue_mark(d->queue, &begin);
    }
    if (st == PLAIT_OK) {
        st = work(state);
    }
    if (st == PLAIT_OK) {
        st = plait_queue_mark(d->queue, &end);
    }
    if (st == PLAIT_OK) {
        st = plait_queue_finish(d->queue);
    }
    *host = seconds_now() - start;
    *device = 0;
    if (st == PLAIT_OK && plait_ctx_device(d->ctx)->timestamps && plait_event_times(begin, &first) == PLAIT_OK &&
        plait_event_times(end, &last) == PLAIT_OK && last.ended > first.ended) {
        *device = 1e-9 * (double)(last.ended - first.ended);
    }
    plait_event_release(begin);
    plait_event_release(end);
    return st;
}

stage *stage_run(demo *d, const char *name, double bytes, stage_work work, void *state)
{
    stage *s = &d->stages[d->n_stages++];
    *s = (stage){.name = name, .bytes = bytes};
    double device, host, spent = 0;
    if (call_once(d, work, state, &device, &host)) {
        return NULL;
    }
    s->first = host;
    for (int turn = 0; turn < 50 && (turn < 3 || spent < 0.3) && !d->quick; turn++) {
        if (call_once(d, work, state, &device, &host)) {
            return NULL;
        }
        const double time = device > 0 ? device : host;
        s->device_clock = device > 0;
        s->device = turn == 0 || time < s->device ? time : s->device;
        spent += host;
    }
    return s;
}

static double time_c(stage_c work, void *state)
{
    double best = 0, spent = 0;
    for (int turn = 0; turn < 10 && (turn < 2 || spent < 0.3); turn++) {
        const double start = seconds_now();
        work(state);
        const double time = seconds_now() - start;
        best = turn == 0 || time < best ? time : best;
        spent += time;
    }
    return best;
}

void stage_compare(demo *d, stage *s, stage_c one, stage_c all, void *state)
{
    if (d->quick) {
        return;
    }
    s->one = time_c(one, state);
    s->all = all == NULL ? 0 : time_c(all, state);
}

/* ---- results ---- */

void stage_check(stage *s, double error, double allowed)
{
    s->error = error;
    s->allowed = allowed;
    s->checked = true;
}

double stage_byte_error(const unsigned char *a, const double *b, size_t n)
{
    double worst = 0;
    for (size_t i = 0; i < n; i++) {
        worst = fmax(worst, fabs((double)a[i] - b[i]));
    }
    return worst;
}

double stage_float_error(const float *a, const double *b, size_t n)
{
    double worst = 0;
    for (size_t i = 0; i < n; i++) {
        const double error = fabs((double)a[i] - b[i]);
        worst = error >= worst || isnan(error) ? error : worst;
    }
    return worst;
}

static bool passed(const stage *s)
{
    return s->checked && s->error <= s->allowed; /* false for NaN */
}

size_t stages_failed(const demo *d)
{
    size_t failed = 0;
    for (size_t i = 0; i < d->n_stages; i++) {
        failed += passed(&d->stages[i]) ? 0 : 1;
    }
    return failed;
}

/* ---- the table ---- */

static void print_ms(FILE *out, double seconds)
{
    if (seconds > 0) {
        fprintf(out, " %9.3f", seconds * 1e3);
    } else {
        fprintf(out, " %9s", "-");
    }
}

void stages_print(FILE *out, const demo *d, const stage *first, int threads)
{
    char all[32];
    snprintf(all, sizeof(all), "C %d thr.", threads);
    fprintf(out, "%-38s %8s %9s %7s %9s %9s | %9s %9s | %9s %9s\n", "", "", "device", "", "C 1 thr.", all, "first run",
            "from", "largest", "");
    fprintf(out, "%-38s %8s %9s %7s %9s %9s | %9s %9s | %9s %9s\n", "stage", "MB", "ms", "GB/s", "ms", "ms", "ms",
            "cache ms", "error", "allowed");
    bool host_clock = false;
    for (size_t i = 0; i < d->n_stages; i++) {
        const stage *s = &d->stages[i];
        fprintf(out, "%-38s %8.2f", s->name, s->bytes * 1e-6);
        print_ms(out, s->device);
        fprintf(out, "%c%7.2f", s->device_clock ? ' ' : '*', s->device > 0 ? s->bytes * 1e-9 / s->device : 0.0);
        print_ms(out, s->one);
        print_ms(out, s->all);
        fprintf(out, " |");
        print_ms(out, first == NULL ? 0 : first[i].first);
        print_ms(out, s->first);
        fprintf(out, " | %9.2g %9.2g %s\n", s->error, s->allowed, passed(s) ? "ok" : "WRONG");
        host_clock = host_clock || !s->device_clock;
    }
    if (host_clock) {
        fprintf(out, "* by the host's clock: the device's events carry no times\n");
    }
}

/* ---- the run before ---- */

bool stages_save(const demo *d, const plait_stats *stats, const char *path)
{
    FILE *f = fopen(path, "w");
    if (f == NULL) {
        fprintf(stderr, "%s cannot be written\n", path);
        return false;
    }
    fprintf(f, "%llu %llu %llu\n", (unsigned long long)stats->source_builds, (unsigned long long)stats->binary_loads,
            (unsigned long long)stats->build_ns);
    for (size_t i = 0; i < d->n_stages; i++) {
        fprintf(f, "%.9f\n", d->stages[i].first);
    }
    return fclose(f) == 0;
}

bool stages_load(demo *d, plait_stats *stats, const char *path)
{
    FILE *f = fopen(path, "r");
    if (f == NULL) {
        fprintf(stderr, "%s cannot be read\n", path);
        return false;
    }
    unsigned long long builds = 0, loads = 0, ns = 0;
    bool ok = fscanf(f, "%llu %llu %llu", &builds, &loads, &ns) == 3;
    stats->source_builds = builds;
    stats->binary_loads = loads;
    stats->build_ns = ns;
    for (d->n_stages = 0; ok && d->n_stages < MAX_STAGES; d->n_stages++) {
        if (fscanf(f, "%lf", &d->stages[d->n_stages].first) != 1) {
            break;
        }
    }
    fclose(f);
    return ok;
}
