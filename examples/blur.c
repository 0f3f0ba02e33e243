/*
 * blur: a kernel of your own, with local memory, on buffers.
 *
 *     ./blur [blur.cl]
 */
#include <plait/plait.h>
#include <stdio.h>

#define WIDTH 20
#define HEIGHT 12

static void show(const float *picture)
{
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH; x++) {
            putchar(" .:-=+*#%@"[(int)(picture[y * WIDTH + x] * 9 + 0.5f)]);
        }
        putchar('\n');
    }
}

/* One failure path: whatever was made is released by the caller, and NULL is fine to release. */
static plait_status blur(plait_ctx *ctx, plait_program *program, plait_kernel **kernel, plait_buffer *buffers[2],
                         float *picture)
{
    const size_t bytes = WIDTH * HEIGHT * sizeof(float);
    plait_queue *queue = plait_ctx_queue(ctx); /* the context's own; plait_queue_create makes others */
    plait_status st;
    if ((st = plait_kernel_create(kernel, program, "blur")) ||
        (st = plait_buffer_create(&buffers[0], ctx, bytes, NULL)) ||
        (st = plait_buffer_create(&buffers[1], ctx, bytes, NULL)) ||
        (st = plait_buffer_write(queue, buffers[0], 0, picture, bytes))) {
        return st;
    }

    /*
     * x first. Groups of 8 x 4 do not divide 20 x 12, so the grid is rounded up; without that it would be an error.
     * What a device allows depends on the kernel, so it is asked.
     */
    const bool small = plait_kernel_max_group(*kernel) < 8 * 4;
    const size_t w = small ? 1 : 8, h = small ? 1 : 4;
    plait_grid grid = plait_grid_round_up(plait_grid_groups(PLAIT_GRID(WIDTH, HEIGHT), w, h, 1));

    /*
     * Arguments travel with the launch and are checked against the kernel's signature: a missing one, or a buffer where
     * a number belongs, is an error that names the parameter. PLAIT_INT and PLAIT_NUM take the parameter's own type.
     */
    st = plait_launch(queue, *kernel, grid, PLAIT_BUFFER(buffers[0]), PLAIT_BUFFER(buffers[1]), PLAIT_INT(WIDTH),
                      PLAIT_INT(HEIGHT), PLAIT_LOCAL((w + 2) * (h + 2) * sizeof(float)));
    if (st) {
        return st;
    }
    return plait_buffer_read(queue, buffers[1], 0, picture, bytes); /* waits for the kernel */
}

int main(int argc, char **argv)
{
    plait_ctx *ctx = NULL;
    plait_program *program = NULL;
    plait_kernel *kernel = NULL;
    plait_buffer *buffers[2] = {NULL, NULL};
    float picture[HEIGHT * WIDTH] = {0};
    for (int y = 3; y < 9; y++) {
        for (int x = 5; x < 15; x++) {
            picture[y * WIDTH + x] = 1;
        }
    }
    show(picture);

    plait_status st = plait_open(&ctx, NULL);
    if (!st) {
        /* Compiled now, or loaded from the cache of an earlier run. A mistake in it comes back as the compiler's log.
         */
        st = plait_program_from_file(&program, ctx, argc > 1 ? argv[1] : "blur.cl", NULL);
    }
    if (!st) {
        st = blur(ctx, program, &kernel, buffers, picture);
    }
    if (st) {
        fprintf(stderr, "%s\n", plait_last_error());
    } else {
        show(picture);
    }

    plait_buffer_release(buffers[0]);
    plait_buffer_release(buffers[1]);
    plait_kernel_release(kernel);
    plait_program_release(program);
    plait_close(ctx);
    return st ? 1 : 0;
}
