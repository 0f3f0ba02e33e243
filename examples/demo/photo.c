/* The photograph: two kernels of our own, then array expressions on the same pixels. */
#include "reference.h"
#include "stage.h"

#include "picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RADIUS 8
#define ROUNDED 0.501 /* what rounding to bytes may cost, and a little for f32 */

typedef struct photo {
    demo *d;
    int width, height;
    size_t pixels, bytes;
    unsigned char *rgb;

    plait_program *program;
    plait_kernel *blur, *edges;
    size_t tile;
    float weights[2 * RADIUS + 1];
    plait_buffer *src, *soft, *lines, *weight_buffer;
    unsigned char *soft_rgb;

    plait_array *x, *y;  /* the photograph and its blurred copy, u8 */
    plait_array *result; /* of the stage that runs */
    unsigned char *back; /* results on the host */
    float *floats;

    /* plain C */
    double *exact, *exact_rows;
    float *plain, *plain_rows;
    double exact_weights[2 * RADIUS + 1];
    double plain_number;
} photo;

/* ---- kernels of our own ---- */

static plait_status upload(void *state)
{
    photo *p = state;
    return plait_buffer_write(p->d->queue, p->src, 0, p->rgb, p->bytes);
}

static plait_status run_blur(void *state)
{
    photo *p = state;
    const size_t side = p->tile + 2 * RADIUS;
    plait_grid grid = plait_grid_groups(PLAIT_GRID((size_t)p->width, (size_t)p->height), p->tile, p->tile, 1);
    return plait_launch(p->d->queue, p->blur, plait_grid_round_up(grid), PLAIT_BUFFER(p->src), PLAIT_BUFFER(p->soft),
                        PLAIT_INT(p->width), PLAIT_INT(p->height), PLAIT_BUFFER(p->weight_buffer),
                        PLAIT_LOCAL(side * side * 16), PLAIT_LOCAL(side * p->tile * 16));
}

static plait_status run_edges(void *state)
{
    photo *p = state;
    return plait_launch(p->d->queue, p->edges, PLAIT_GRID((size_t)p->width, (size_t)p->height), PLAIT_BUFFER(p->src),
                        PLAIT_BUFFER(p->lines), PLAIT_INT(p->width), PLAIT_INT(p->height));
}

/* ---- array expressions ---- */

static plait_status sharpen(void *state)
{
    photo *p = state;
    PLAIT_SCOPE;
    plait_array *a = plait_astype(p->x, PLAIT_F32), *b = plait_astype(p->y, PLAIT_F32);
    plait_array *sharp = plait_map("clamp(a + 1.5f*(a - b), 0.0f, 255.0f) + 0.5f", a, b);
    return plait_assign(&p->result, plait_astype(sharp, PLAIT_U8));
}

static plait_status normalise(void *state)
{
    photo *p = state;
    PLAIT_SCOPE;
    plait_reduce_opts colours = PLAIT_REDUCE_OPTS;
    colours.axes = PLAIT_AXES(0, 1);
    colours.keepdims = true;
    plait_array *x = plait_astype(p->x, PLAIT_F32);
    plait_array *centred = plait_subtract(x, plait_mean_opt(x, PLAIT_NONE, &colours));
    plait_array *deviation = plait_sqrt(plait_mean_opt(plait_square(centred), PLAIT_NONE, &colours));
    return plait_assign(&p->result, plait_divide(centred, deviation));
}

static plait_status mean_square(void *state)
{
    photo *p = state;
    PLAIT_SCOPE;
    plait_array *difference = plait_subtract(plait_astype(p->x, PLAIT_F32), plait_astype(p->y, PLAIT_F32));
    return plait_assign(&p->result, plait_mean(plait_square(difference)));
}

/* ---- the same in plain C ---- */

static void blur_one(void *state)
{
    photo *p = state;
    blur_f32(p->rgb, p->plain, p->width, p->height, p->weights, RADIUS, p->plain_rows);
}

static void edges_one(void *state)
{
    photo *p = state;
    edges_f32(p->rgb, p->plain, p->width, p->height);
}

static void sharpen_one(void *state)
{
    photo *p = state;
    sharpen_f32(p->rgb, p->soft_rgb, p->plain, p->bytes);
}

static void normalise_one(void *state)
{
    photo *p = state;
    normalise_photo_f32(p->rgb, p->plain, p->pixels);
}

static void mean_square_one(void *state)
{
    photo *p = state;
    p->plain_number = mean_square_f32(p->rgb, p->soft_rgb, p->bytes);
}

#ifdef HAVE_OPENMP
static void blur_all(void *state)
{
    photo *p = state;
    blur_omp(p->rgb, p->plain, p->width, p->height, p->weights, RADIUS, p->plain_rows);
}

static void edges_all(void *state)
{
    photo *p = state;
    edges_omp(p->rgb, p->plain, p->width, p->height);
}

static void sharpen_all(void *state)
{
    photo *p = state;
    sharpen_omp(p->rgb, p->soft_rgb, p->plain, p->bytes);
}

static void normalise_all(void *state)
{
    photo *p = state;
    normalise_photo_omp(p->rgb, p->plain, p->pixels);
}

static void mean_square_all(void *state)
{
    photo *p = state;
    p->plain_number = mean_square_omp(p->rgb, p->soft_rgb, p->bytes);
}
#define ALL(name) name##_all
#else
#define ALL(name) NULL
#endif

/* ---- the stages ---- */

static bool save(const photo *p, const char *name, void *data, unsigned channels)
{
    char error[PICTURE_ERROR_SIZE];
    char *path = demo_path(p->d->out, name);
    const picture out = {.width = (size_t)p->width,
                         .height = (size_t)p->height,
                         .channels = channels,
                         .bits = 8,
                         .data = data,
                         .bytes = p->pixels * channels};
    const bool ok = picture_write(path, &out, error);
    if (!ok) {
        fprintf(stderr, "%s\n", error);
    }
    free(path);
    return ok;
}

static bool load(photo *p)
{
    char error[PICTURE_ERROR_SIZE];
    char *path = demo_path(p->d->data, "photo.png");
    picture in;
    const bool ok = picture_read(path, &in, error);
    free(path);
    if (!ok || in.channels != 3 || in.bits != 8) {
        fprintf(stderr, "%s\n", ok ? "photo.png is not RGB of 8 bits" : error);
        return false;
    }
    p->width = (int)in.width;
    p->height = (int)in.height;
    p->pixels = in.width * in.height;
    p->bytes = in.bytes;
    p->rgb = in.data;
    p->soft_rgb = demo_memory(p->bytes);
    p->back = demo_memory(p->bytes);
    p->floats = demo_memory(p->bytes * sizeof(float));
    p->exact = demo_memory(p->bytes * sizeof(double));
    p->exact_rows = demo_memory(p->bytes * sizeof(double));
    p->plain = demo_memory(p->bytes * sizeof(float));
    p->plain_rows = demo_memory(p->bytes * sizeof(float));
    return true;
}

/* A bell of 2 * RADIUS + 1 weights whose sum is 1. */
static void make_weights(photo *p)
{
    double sum = 0;
    for (int i = -RADIUS; i <= RADIUS; i++) {
        sum += exp(-0.5 * i * i / (0.4 * RADIUS * 0.4 * RADIUS));
    }
    for (int i = -RADIUS; i <= RADIUS; i++) {
        p->weights[i + RADIUS] = (float)(exp(-0.5 * i * i / (0.4 * RADIUS * 0.4 * RADIUS)) / sum);
        p->exact_weights[i + RADIUS] = (double)p->weights[i + RADIUS];
    }
}

static bool compile(photo *p)
{
    const size_t most = plait_ctx_device(p->d->ctx)->max_group_size;
    char tile[32], radius[32];
    p->tile = most >= 256 ? 16 : most >= 64 ? 8 : 1;
    snprintf(tile, sizeof(tile), "TILE=%zu", p->tile);
    snprintf(radius, sizeof(radius), "RADIUS=%d", RADIUS);
    const char *const defines[] = {tile, radius};
    plait_program_opts opts = PLAIT_PROGRAM_OPTS;
    opts.defines = defines;
    opts.n_defines = 2;
    return plait_program_from_file(&p->program, p->d->ctx, DEMO_KERNELS, &opts) == PLAIT_OK &&
           plait_kernel_create(&p->blur, p->program, "blur") == PLAIT_OK &&
           plait_kernel_create(&p->edges, p->program, "edges") == PLAIT_OK;
}

static bool make_buffers(photo *p)
{
    plait_ctx *ctx = p->d->ctx;
    plait_buffer_opts filled = PLAIT_BUFFER_OPTS;
    filled.data = p->weights;
    return plait_buffer_create(&p->src, ctx, p->bytes, NULL) == PLAIT_OK &&
           plait_buffer_create(&p->soft, ctx, p->bytes, NULL) == PLAIT_OK &&
           plait_buffer_create(&p->lines, ctx, p->pixels, NULL) == PLAIT_OK &&
           plait_buffer_create(&p->weight_buffer, ctx, sizeof(p->weights), &filled) == PLAIT_OK;
}

static bool stage_upload(photo *p)
{
    stage *s = make_buffers(p) ? stage_run(p->d, "photograph to the device", (double)p->bytes, upload, p) : NULL;
    if (s == NULL || plait_buffer_read(p->d->queue, p->src, 0, p->back, p->bytes)) {
        return demo_fail("upload");
    }
    stage_check(s, memcmp(p->back, p->rgb, p->bytes) == 0 ? 0 : 255, 0);
    return true;
}

static bool stage_blur(photo *p)
{
    const double start = seconds_now();
    const bool compiled = compile(p);
    const double compiling = seconds_now() - start;
    const double bytes = 2.0 * (double)p->bytes;
    stage *s = compiled ? stage_run(p->d, "blur (own kernel, local memory)", bytes, run_blur, p) : NULL;
    if (s == NULL || plait_buffer_read(p->d->queue, p->soft, 0, p->soft_rgb, p->bytes)) {
        return demo_fail("blur");
    }
    s->first += compiling;
    blur_f64(p->rgb, p->exact, p->width, p->height, p->exact_weights, RADIUS, p->exact_rows);
    stage_check(s, stage_byte_error(p->soft_rgb, p->exact, p->bytes), ROUNDED);
    stage_compare(p->d, s, blur_one, ALL(blur), p);
    return save(p, "blurred.png", p->soft_rgb, 3);
}

static bool stage_edges(photo *p)
{
    stage *s = stage_run(p->d, "edges (own kernel)", (double)(p->bytes + p->pixels), run_edges, p);
    if (s == NULL || plait_buffer_read(p->d->queue, p->lines, 0, p->back, p->pixels)) {
        return demo_fail("edges");
    }
    edges_f64(p->rgb, p->exact, p->width, p->height);
    stage_check(s, stage_byte_error(p->back, p->exact, p->pixels), ROUNDED);
    stage_compare(p->d, s, edges_one, ALL(edges), p);
    return save(p, "edges.png", p->back, 1);
}

static bool stage_sharpen(photo *p)
{
    const plait_dims shape = PLAIT_SHAPE(p->height, p->width, 3);
    p->x = plait_keep(plait_from_host(p->d->ctx, p->rgb, shape, PLAIT_U8));
    p->y = plait_keep(plait_from_host(p->d->ctx, p->soft_rgb, shape, PLAIT_U8));
    stage *s = stage_run(p->d, "sharpen (plait_map)", 3.0 * (double)p->bytes, sharpen, p);
    if (s == NULL || plait_to_host(p->result, p->back, p->bytes, PLAIT_U8)) {
        return demo_fail("sharpen");
    }
    sharpen_f64(p->rgb, p->soft_rgb, p->exact, p->bytes);
    stage_check(s, stage_byte_error(p->back, p->exact, p->bytes), ROUNDED);
    stage_compare(p->d, s, sharpen_one, ALL(sharpen), p);
    return save(p, "sharpened.png", p->back, 3);
}

static bool stage_normalise(photo *p)
{
    stage *s = stage_run(p->d, "normalise each colour", 5.0 * (double)p->bytes, normalise, p);
    if (s == NULL || plait_to_host(p->result, p->floats, p->bytes, PLAIT_F32)) {
        return demo_fail("normalise");
    }
    normalise_photo_f64(p->rgb, p->exact, p->pixels);
    stage_check(s, stage_float_error(p->floats, p->exact, p->bytes), 1e-4);
    stage_compare(p->d, s, normalise_one, ALL(normalise), p);
    plait_array *shown = plait_add(plait_multiply(p->result, plait_num(48)), plait_num(128.5));
    if (plait_to_host(shown, p->back, p->bytes, PLAIT_U8)) {
        return demo_fail("normalise");
    }
    return save(p, "normalised.png", p->back, 3);
}

static bool stage_mean_square(photo *p)
{
    double value;
    const double bytes = 2.0 * (double)p->bytes;
    stage *s = stage_run(p->d, "mean((x - y)^2), photo and blurred", bytes, mean_square, p);
    if (s == NULL || plait_item(p->result, &value)) {
        return demo_fail("mean((x - y)^2)");
    }
    const double exact = mean_square_f64(p->rgb, p->soft_rgb, p->bytes);
    stage_check(s, fabs(value - exact) / exact, 1e-5);
    stage_compare(p->d, s, mean_square_one, ALL(mean_square), p);
    return true;
}

bool demo_photo(demo *d)
{
    photo p = {.d = d};
    bool ok = load(&p);
    if (ok) {
        printf("photograph: %d x %d, %.1f MB\n", p.width, p.height, (double)p.bytes * 1e-6);
        fflush(stdout);
        make_weights(&p);
        ok = stage_upload(&p) && stage_blur(&p) && stage_edges(&p) && stage_sharpen(&p) && stage_normalise(&p) &&
             stage_mean_square(&p);
    }
    plait_release(p.x);
    plait_release(p.y);
    plait_release(p.result);
    plait_buffer_release(p.src);
    plait_buffer_release(p.soft);
    plait_buffer_release(p.lines);
    plait_buffer_release(p.weight_buffer);
    plait_kernel_release(p.blur);
    plait_kernel_release(p.edges);
    plait_program_release(p.program);
    free(p.rgb);
    free(p.soft_rgb);
    free(p.back);
    free(p.floats);
    free(p.exact);
    free(p.exact_rows);
    free(p.plain);
    free(p.plain_rows);
    return ok;
}
