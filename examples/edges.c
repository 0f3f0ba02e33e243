/*
 * edges: your own code inside array expressions - a whole kernel (plait_call) and an elementwise formula (plait_map).
 *
 *     ./edges [edges.cl]
 */
#include <plait/plait.h>
#include <stdio.h>

static plait_status count_edges(plait_ctx *ctx, plait_kernel *edges, double *share)
{
    /* Everything built in this block belongs to it and goes with it; there is nothing to release. */
    PLAIT_SCOPE;
    const int64_t w = 64, h = 48;

    /* A picture without a file: a disc. A column of y and a row of x broadcast to h x w. */
    plait_array *x = plait_arange(ctx, 0, (double)w, 1, PLAIT_F32);
    plait_array *y = plait_reshape(plait_arange(ctx, 0, (double)h, 1, PLAIT_F32), PLAIT_SHAPE(h, 1));
    plait_array *disc = plait_map("hypot(a - 32.0f, b - 24.0f) < 15.0f ? 1.0f : 0.0f", x, y);

    /* The kernel is a node of the expression like any other: it runs when its result is needed. */
    plait_array *lines = plait_call1(edges, PLAIT_GRID((size_t)w, (size_t)h), PLAIT_IN(disc),
                                     PLAIT_OUT(PLAIT_F32, PLAIT_SHAPE(h, w)), PLAIT_INT(w), PLAIT_INT(h));

    /* Comparison, conversion and mean are one kernel. */
    plait_array *is_edge = plait_greater(lines, plait_num(0.5));
    return plait_item(plait_mean(plait_astype(is_edge, PLAIT_F32)), share);
}

int main(int argc, char **argv)
{
    plait_ctx *ctx = NULL;
    plait_program *program = NULL;
    plait_kernel *edges = NULL;
    double share = 0;
    plait_status st = plait_open(&ctx, NULL);
    if (!st) {
        st = plait_program_from_file(&program, ctx, argc > 1 ? argv[1] : "edges.cl", NULL);
    }
    if (!st) {
        st = plait_kernel_create(&edges, program, "edges");
    }
    if (!st) {
        st = count_edges(ctx, edges, &share);
    }
    if (st) {
        fprintf(stderr, "%s\n", plait_last_error());
    } else {
        printf("%.2f %% of the pixels lie on an edge\n", 100 * share);
    }
    plait_kernel_release(edges);
    plait_program_release(program);
    plait_close(ctx);
    return st ? 1 : 0;
}
