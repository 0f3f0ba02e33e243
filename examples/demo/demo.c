/*
 * The demo: a photograph and a table, worked on with Plait, checked against plain C in double and timed beside it.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 *     demo DATA OUT --save FIRST     the first of two runs, with an empty cache: only times of first calls, kept in
 * FIRST demo DATA OUT --first FIRST    the second: everything, and the table
 *
 * tools/demo brings the data, runs both and empties the cache before the first. DATA holds photo.png, table_x.npy,
 * table_y.npy and table.txt; the pictures go to OUT. Exit status: 0 if every result is right, 1 if not or on a failure.
 */
#include "stage.h"

#include <stdlib.h>
#include <string.h>

#ifdef HAVE_OPENMP
#include <omp.h>
#endif

static int threads(void)
{
#ifdef HAVE_OPENMP
    return omp_get_max_threads();
#else
    return 0;
#endif
}

static void show_log(void *user, plait_log_level level, const char *line)
{
    (void)user;
    (void)level;
    fprintf(stderr, "plait: %s\n", line);
}

static void print_compiling(const char *when, const plait_stats *s)
{
    printf("%s: %llu programs compiled from source, %llu loaded from the cache, %.2f s for it\n", when,
           (unsigned long long)s->source_builds, (unsigned long long)s->binary_loads, 1e-9 * (double)s->build_ns);
}

/* The second run's end: table, summary, verdict. */
static bool conclude(demo *d, const plait_stats *stats, const char *first_file)
{
    demo first = {0};
    plait_stats first_stats = PLAIT_STATS;
    if (!stages_load(&first, &first_stats, first_file)) {
        return false;
    }
    if (first.n_stages != d->n_stages) {
        fprintf(stderr, "%s is of another version of this program\n", first_file);
        return false;
    }
    printf("\n");
    stages_print(stdout, d, first.stages, threads());
    printf("\n");
    print_compiling("first run ", &first_stats);
    print_compiling("second run", stats);
    char *path = demo_path(d->out, "table.txt");
    FILE *f = fopen(path, "w");
    if (f != NULL) {
        stages_print(f, d, first.stages, threads());
        fclose(f);
    }
    free(path);
    const size_t failed = stages_failed(d);
    printf("pictures in %s: blurred.png, edges.png, sharpened.png, normalised.png\n", d->out);
    printf("%zu passed, %zu failed\n", d->n_stages - failed, failed);
    return failed == 0;
}

int main(int argc, char **argv)
{
    if (argc != 5 || (strcmp(argv[3], "--save") != 0 && strcmp(argv[3], "--first") != 0)) {
        fprintf(stderr, "usage: demo DATA OUT --save FIRST | --first FIRST\n");
        return 2;
    }
    demo d = {.data = argv[1], .out = argv[2], .quick = strcmp(argv[3], "--save") == 0};
    plait_ctx_opts opts = PLAIT_CTX_OPTS;
    opts.profile = true;
    opts.log = show_log;
    if (plait_open(&d.ctx, &opts)) {
        demo_fail("no device");
        return 1;
    }
    d.queue = plait_ctx_queue(d.ctx);
    printf("device: %s, %s\n", plait_ctx_device(d.ctx)->name, plait_ctx_device(d.ctx)->platform_name);
    plait_stats stats = PLAIT_STATS;
    bool ok = demo_photo(&d) && demo_table(&d) && plait_ctx_stats(d.ctx, &stats) == PLAIT_OK;
    if (ok) {
        ok = d.quick ? stages_save(&d, &stats, argv[4]) : conclude(&d, &stats, argv[4]);
    }
    if (plait_close(d.ctx)) {
        ok = demo_fail("close");
    }
    return ok ? 0 : 1;
}
