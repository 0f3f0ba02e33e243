/*
 * npy_stats: what is in a .npy file - shape, dtype, and min, max, mean, deviation of each column.
 *
 *     ./npy_stats x.npy
 */
#include <plait/plait.h>
#include <stdio.h>

static plait_status print_stats(plait_array *a)
{
    PLAIT_SCOPE;
    plait_array *x = plait_astype(a, PLAIT_F32);
    plait_array *mean = plait_mean_axis(x, 0);
    /* mean has lost axis 0, so it broadcasts against the rows of x. Two passes: exact where E[x^2] - E[x]^2 is not. */
    plait_array *deviation = plait_sqrt(plait_mean_axis(plait_square(plait_subtract(x, mean)), 0));
    plait_array *results[] = {plait_min_axis(a, 0), plait_max_axis(a, 0), mean, deviation};
    const char *const names[] = {"min", "max", "mean", "deviation"};

    /* Together, so that results over the same data share passes over it. A NULL among them is the first failure. */
    plait_status st = plait_eval(results, 4);
    for (int i = 0; i < 4 && !st; i++) {
        printf("%-10s", names[i]);
        st = plait_print(stdout, results[i]);
    }
    return st;
}

int main(int argc, char **argv)
{
    plait_ctx *ctx;
    if (argc != 2) {
        fprintf(stderr, "usage: npy_stats FILE.npy\n");
        return 2;
    }
    if (plait_open(&ctx, NULL)) {
        fprintf(stderr, "%s\n", plait_last_error());
        return 1;
    }
    plait_array *a = plait_load_npy(ctx, argv[1]);
    plait_dims shape = plait_array_shape(a); /* of NULL: n = -1, so nothing is printed */
    if (a != NULL) {
        printf("%s of shape (", plait_dtype_name(plait_array_dtype(a)));
    }
    for (int i = 0; i < shape.n; i++) {
        printf("%s%lld", i > 0 ? ", " : "", (long long)shape.d[i]);
    }
    printf("%s", a != NULL ? ")\n" : "");
    plait_status st = print_stats(a);
    if (st) {
        fflush(stdout);
        fprintf(stderr, "%s\n", plait_last_error());
    }
    plait_close(ctx);
    return st ? 1 : 0;
}
