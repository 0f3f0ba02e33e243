/*
 * regression: linear regression by gradient descent. A loop, values that live from turn to turn, and what is freed
 * when.
 *
 *     ./regression [x.npy y.npy]        x: n x d, y: n; without files, 1,000 rows of y = 3 a - 2 b + 1
 */
#include <plait/plait.h>
#include <stdio.h>
#include <stdlib.h>

/* x = (a, b, 1) on a grid of 40 x 25 points, and y; both are passed to the caller's scope. */
static plait_array *make_rows(plait_ctx *ctx, plait_array **y)
{
    PLAIT_SCOPE;
    static float rows[1000][3], targets[1000];
    for (int i = 0; i < 1000; i++) {
        const float a = (float)(i % 40) / 20 - 1, b = (float)(i / 40) / 12 - 1;
        rows[i][0] = a, rows[i][1] = b, rows[i][2] = 1;
        targets[i] = 3 * a - 2 * b + 1;
    }
    *y = plait_pass(plait_from_host(ctx, targets, PLAIT_SHAPE(1000), PLAIT_F32));
    return plait_pass(plait_from_host(ctx, rows, PLAIT_SHAPE(1000, 3), PLAIT_F32));
}

static plait_status train(plait_ctx *ctx, plait_array *x, plait_array *y, plait_array **w)
{
    const double n = (double)plait_array_shape(x).d[0], rate = 0.5;
    plait_assign(w, plait_zeros(ctx, PLAIT_SHAPE(plait_array_shape(x).d[1]), PLAIT_F32));
    for (int step = 0; step < 200; step++) {
        /*
         * The block's temporaries (r, loss, the gradient) end with each turn. w was assigned, so it is carried: the
         * scope's end computes its new value. Every turn has the same expressions, so kernels are built in the first
         * turns only, however long the loop is.
         */
        PLAIT_SCOPE;
        plait_array *r = plait_subtract(plait_matmul(x, *w), y);
        plait_array *gradient = plait_matmul(plait_transpose(x), r);
        plait_assign(w, plait_subtract(*w, plait_multiply(plait_num(rate / n), gradient)));
        if (step % 50 == 0) {
            double loss;
            plait_status st = plait_item(plait_mean(plait_square(r)), &loss); /* returning here closes the scope too */
            if (st) {
                return st;
            }
            printf("step %3d: loss %.6f\n", step, loss);
        }
    }
    return PLAIT_OK;
}

int main(int argc, char **argv)
{
    plait_ctx *ctx;
    if (plait_open(&ctx, NULL)) {
        fprintf(stderr, "%s\n", plait_last_error());
        return 1;
    }
    plait_array *x, *y, *w = NULL;
    if (argc == 3) {
        x = plait_astype(plait_load_npy(ctx, argv[1]), PLAIT_F32);
        y = plait_astype(plait_load_npy(ctx, argv[2]), PLAIT_F32);
    } else {
        x = make_rows(ctx, &y);
    }
    /* No scope is open here, so x and y belong to the thread's root scope; w, a slot that was assigned, to us. */
    plait_status st = train(ctx, x, y, &w);
    if (!st) {
        st = plait_print(stdout, w);
    }
    if (st) {
        fprintf(stderr, "%s\n", plait_last_error());
    }
    plait_release(w);
    plait_close(ctx);
    return st ? 1 : 0;
}
