/*
 * hello: open the best device, compute mean((x - y)^2) on it in one kernel, print it.
 *
 *     cc hello.c $(pkg-config --cflags --libs plait) -o hello && ./hello
 */
#include <plait/plait.h>
#include <stdio.h>

int main(void)
{
    /* NULL: no options. The variable PLAIT_DEVICE picks another device: "cpu", "gpu", part of a name. */
    plait_ctx *gpu;
    if (plait_open(&gpu, NULL)) {
        fprintf(stderr, "%s\n", plait_last_error());
        return 1;
    }
    printf("device: %s\n", plait_ctx_device(gpu)->name);

    const float measured[] = {1.0f, 2.5f, 2.0f, 4.5f};
    plait_array *x = plait_from_host(gpu, measured, PLAIT_SHAPE(4), PLAIT_F32);
    plait_array *y = plait_arange(gpu, 1, 5, 1, PLAIT_F32); /* 1 2 3 4 */

    /*
     * These calls only write down what is to be computed. Each checks its arguments and returns NULL if something is
     * wrong; NULL in gives NULL out, so the whole expression is checked once, below.
     */
    plait_array *loss = plait_mean(plait_square(plait_subtract(x, y)));

    /* This computes: subtraction, square and mean became one kernel that reads x and y once. */
    double value;
    if (plait_item(loss, &value)) {
        fprintf(stderr, "%s\n", plait_last_error());
        plait_close(gpu);
        return 1;
    }
    printf("mean((x - y)^2) = %g\n", value);

    /* No array was kept (plait_keep), so there is nothing to release: they end with the context. */
    return plait_close(gpu) ? 1 : 0;
}
