/* The table: arrays from .npy files, and a regression by gradient descent. */
#include "reference.h"
#include "stage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEPS 300
#define RATE 0.5

typedef struct table {
    demo *d;
    size_t n, n_columns;
    char names[512]; /* the target's, then the columns' */
    plait_npy x_file, y_file;

    plait_array *x, *y;               /* as measured */
    plait_array *low, *high, *mean;   /* of each column */
    plait_array *x_normal, *y_normal; /* mean 0 and deviation 1 */
    plait_array *w;
    double loss; /* of the last step that looked */

    double *exact_x, *exact_y, *exact_w;
    float *plain_x, *plain_y, *plain_w;
} table;

/* ---- with Plait ---- */

static plait_status look_at_columns(void *state)
{
    table *t = state;
    PLAIT_SCOPE;
    plait_array *results[] = {plait_min_axis(t->x, 0), plait_max_axis(t->x, 0), plait_mean_axis(t->x, 0)};
    plait_status st = plait_eval(results, 3);
    plait_assign(&t->low, results[0]);
    plait_assign(&t->high, results[1]);
    plait_assign(&t->mean, results[2]);
    return st;
}

static plait_array *normal(plait_array *a)
{
    PLAIT_SCOPE;
    plait_reduce_opts columns = PLAIT_REDUCE_OPTS;
    columns.axes = PLAIT_AXES(0);
    columns.keepdims = true;
    plait_array *centred = plait_subtract(a, plait_mean_opt(a, PLAIT_NONE, &columns));
    plait_array *deviation = plait_sqrt(plait_mean_opt(plait_square(centred), PLAIT_NONE, &columns));
    return plait_pass(plait_divide(centred, deviation));
}

static plait_status normalise(void *state)
{
    table *t = state;
    PLAIT_SCOPE;
    plait_assign(&t->x_normal, normal(t->x));
    return plait_assign(&t->y_normal, normal(t->y));
}

static plait_status descend(void *state)
{
    table *t = state;
    plait_assign(&t->w, plait_zeros(t->d->ctx, PLAIT_SHAPE((int64_t)t->n_columns), PLAIT_F32));
    for (int step = 0; step < STEPS; step++) {
        PLAIT_SCOPE;
        plait_array *r = plait_subtract(plait_matmul(t->x_normal, t->w), t->y_normal);
        plait_array *gradient = plait_matmul(plait_transpose(t->x_normal), r);
        plait_assign(&t->w, plait_subtract(t->w, plait_multiply(plait_num(RATE / (double)t->n), gradient)));
        if (step % 100 == 99 && plait_item(plait_mean(plait_square(r)), &t->loss)) {
            return plait_last_status();
        }
    }
    return t->w == NULL ? plait_last_status() : PLAIT_OK;
}

/* ---- the same in plain C ---- */

static void look_one(void *state)
{
    table *t = state;
    extremes_f32(t->x_file.data, t->plain_w, t->plain_w + t->n_columns, t->plain_w + 2 * t->n_columns, t->n,
                 t->n_columns);
}

static void normalise_one(void *state)
{
    table *t = state;
    normalise_table_f32(t->x_file.data, t->plain_x, t->n, t->n_columns);
    normalise_table_f32(t->y_file.data, t->plain_y, t->n, 1);
}

static void descend_one(void *state)
{
    table *t = state;
    descend_f32(t->plain_x, t->plain_y, t->n, t->n_columns, STEPS, RATE, t->plain_w);
}

#ifdef HAVE_OPENMP
static void look_all(void *state)
{
    table *t = state;
    extremes_omp(t->x_file.data, t->plain_w, t->plain_w + t->n_columns, t->plain_w + 2 * t->n_columns, t->n,
                 t->n_columns);
}

static void normalise_all(void *state)
{
    table *t = state;
    normalise_table_omp(t->x_file.data, t->plain_x, t->n, t->n_columns);
    normalise_table_omp(t->y_file.data, t->plain_y, t->n, 1);
}

static void descend_all(void *state)
{
    table *t = state;
    descend_omp(t->plain_x, t->plain_y, t->n, t->n_columns, STEPS, RATE, t->plain_w);
}
#define ALL(name) name##_all
#else
#define ALL(name) NULL
#endif

/* ---- the stages ---- */

static bool load(table *t)
{
    char *x = demo_path(t->d->data, "table_x.npy"), *y = demo_path(t->d->data, "table_y.npy");
    char *names = demo_path(t->d->data, "table.txt");
    bool ok = plait_npy_read(x, &t->x_file) == PLAIT_OK && plait_npy_read(y, &t->y_file) == PLAIT_OK;
    t->x = plait_keep(plait_load_npy(t->d->ctx, x));
    t->y = plait_keep(plait_load_npy(t->d->ctx, y));
    FILE *f = fopen(names, "r");
    if (f == NULL || fgets(t->names, (int)sizeof(t->names), f) == NULL) {
        t->names[0] = '\0';
    }
    t->names[strcspn(t->names, "\n")] = '\0';
    if (f != NULL) {
        fclose(f);
    }
    free(x);
    free(y);
    free(names);
    if (!ok || t->x == NULL || t->y == NULL) {
        return demo_fail("table");
    }
    const plait_npy *a = &t->x_file, *b = &t->y_file;
    if (a->dtype != PLAIT_F32 || b->dtype != PLAIT_F32 || a->shape.n != 2 || b->shape.n != 1 ||
        a->shape.d[0] != b->shape.d[0] || a->shape.d[1] > REFERENCE_MAX_COLUMNS) {
        fprintf(stderr, "table_x.npy is not f32 of ROWSxCOLUMNS (at most %d) beside ROWS in table_y.npy\n",
                REFERENCE_MAX_COLUMNS);
        return false;
    }
    t->n = (size_t)a->shape.d[0];
    t->n_columns = (size_t)a->shape.d[1];
    t->exact_x = demo_memory(t->n * t->n_columns * sizeof(double));
    t->exact_y = demo_memory(t->n * sizeof(double));
    t->exact_w = demo_memory(3 * t->n_columns * sizeof(double));
    t->plain_x = demo_memory(t->n * t->n_columns * sizeof(float));
    t->plain_y = demo_memory(t->n * sizeof(float));
    t->plain_w = demo_memory(3 * t->n_columns * sizeof(float));
    return true;
}

/* The largest difference of a small array to numbers, as a part of the largest number. */
static bool small_error(plait_array *a, const double *exact, size_t n, double *out)
{
    float values[3 * REFERENCE_MAX_COLUMNS];
    double largest = 0;
    if (plait_to_host(a, values, n, PLAIT_F32)) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        largest = fmax(largest, fabs(exact[i]));
    }
    const double error = stage_float_error(values, exact, n) / (largest > 0 ? largest : 1);
    *out = error > *out || isnan(error) ? error : *out;
    return true;
}

static bool stage_look(table *t)
{
    const size_t d = t->n_columns;
    stage *s = stage_run(t->d, "table: min, max, mean of each column", (double)t->x_file.bytes, look_at_columns, t);
    double *low = t->exact_w, *high = low + d, *mean = high + d, error = 0;
    extremes_f64(t->x_file.data, low, high, mean, t->n, d);
    if (s == NULL || !small_error(t->low, low, d, &error) || !small_error(t->high, high, d, &error) ||
        !small_error(t->mean, mean, d, &error)) {
        return demo_fail("min, max, mean");
    }
    stage_check(s, error, 1e-5);
    stage_compare(t->d, s, look_one, ALL(look), t);
    return true;
}

static bool stage_normalise(table *t)
{
    const size_t count = t->n * t->n_columns;
    const double bytes = 2.0 * (double)(t->x_file.bytes + t->y_file.bytes);
    stage *s = stage_run(t->d, "table: normalise", bytes, normalise, t);
    float *values = demo_memory(count * sizeof(float));
    if (s == NULL || plait_to_host(t->x_normal, values, count, PLAIT_F32)) {
        free(values);
        return demo_fail("normalise");
    }
    normalise_table_f64(t->x_file.data, t->exact_x, t->n, t->n_columns);
    normalise_table_f64(t->y_file.data, t->exact_y, t->n, 1);
    double error = stage_float_error(values, t->exact_x, count);
    if (plait_to_host(t->y_normal, values, t->n, PLAIT_F32)) {
        free(values);
        return demo_fail("normalise");
    }
    error = fmax(error, stage_float_error(values, t->exact_y, t->n));
    stage_check(s, error, 1e-4);
    free(values);
    normalise_one(t); /* what the plain descent starts from */
    stage_compare(t->d, s, normalise_one, ALL(normalise), t);
    return true;
}

static void print_weights(const table *t, const float *w)
{
    char names[sizeof(t->names)];
    memcpy(names, t->names, sizeof(names));
    char *rest = NULL;
    const char *target = strtok_r(names, " ", &rest);
    printf("   %s, in deviations, of", target == NULL ? "target" : target);
    for (size_t j = 0; j < t->n_columns; j++) {
        const char *name = strtok_r(NULL, " ", &rest);
        printf("%s %s %+.3f", j > 0 ? "," : "", name == NULL ? "column" : name, (double)w[j]);
    }
    /* The target was normalised too, so that its mean square is 1. */
    printf("; explains %.1f %%\n", 100 * (1 - t->loss));
}

static bool stage_descend(table *t)
{
    const double bytes = STEPS * (2.0 * (double)t->x_file.bytes + 3.0 * (double)t->y_file.bytes);
    stage *s = stage_run(t->d, "table: 300 steps of gradient descent", bytes, descend, t);
    double error = 0;
    descend_f64(t->exact_x, t->exact_y, t->n, t->n_columns, STEPS, RATE, t->exact_w);
    float w[REFERENCE_MAX_COLUMNS];
    if (s == NULL || !small_error(t->w, t->exact_w, t->n_columns, &error) ||
        plait_to_host(t->w, w, t->n_columns, PLAIT_F32)) {
        return demo_fail("gradient descent");
    }
    stage_check(s, error, 1e-3);
    stage_compare(t->d, s, descend_one, ALL(descend), t);
    print_weights(t, w);
    return true;
}

bool demo_table(demo *d)
{
    table t = {.d = d};
    bool ok = load(&t);
    if (ok) {
        printf("table: %zu rows of %zu columns (%s)\n", t.n, t.n_columns, t.names);
        fflush(stdout);
        ok = stage_look(&t) && stage_normalise(&t) && stage_descend(&t);
    }
    plait_array *const kept[] = {t.x, t.y, t.low, t.high, t.mean, t.x_normal, t.y_normal, t.w};
    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
        plait_release(kept[i]);
    }
    plait_npy_free(&t.x_file);
    plait_npy_free(&t.y_file);
    free(t.exact_x);
    free(t.exact_y);
    free(t.exact_w);
    free(t.plain_x);
    free(t.plain_y);
    free(t.plain_w);
    return ok;
}
