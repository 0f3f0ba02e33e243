/*
 * A stranger's program, built against the installed library by tools/checks/install.py: C11 and C++17, shared and
 * static. Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include <plait/plait.h>

#include <stdio.h>

static int fail(void)
{
    fprintf(stderr, "%s\n", plait_last_error());
    return 1;
}

static int compute(plait_ctx *ctx)
{
    PLAIT_SCOPE;
    const float data[6] = {1, 2, 3, 4, 5, 6};
    plait_array *x = plait_from_host(ctx, data, PLAIT_SHAPE(2, 3), PLAIT_F32);
    plait_array *y = plait_add(plait_multiply(x, plait_num(2)), plait_map("a * a", x));
    plait_array *columns = plait_sum_axis(y, 0);
    float sums[3];
    double total;
    if (plait_to_host(columns, sums, 3, PLAIT_F32) || plait_item(plait_sum(y), &total)) {
        return fail();
    }
    printf("sum %g %g %g = %g on %s\n", (double)sums[0], (double)sums[1], (double)sums[2], total,
           plait_ctx_device(ctx)->name);
    plait_reduce_opts o = PLAIT_REDUCE_OPTS;
    o.keepdims = true;
    plait_dims shape = plait_array_shape(plait_sum_opt(y, PLAIT_NONE, &o));
    return sums[0] == 27 && sums[1] == 43 && sums[2] == 63 && total == 133 && shape.n == 2 ? 0 : 2;
}

int main(void)
{
    printf("plait %s\n", plait_version());
    plait_dtype dtype;
    if (plait_dtype_parse(&dtype, "float31") != PLAIT_E_DTYPE || plait_last_status() != PLAIT_E_DTYPE) {
        return 3;
    }
    plait_ctx_opts opts = PLAIT_CTX_OPTS;
    plait_ctx *ctx;
    plait_status status = plait_open(&ctx, &opts);
    if (status == PLAIT_E_NO_DEVICE) {
        printf("no device: %s\n", plait_last_error());
        return 0;
    }
    if (status) {
        return fail();
    }
    int failed = compute(ctx);
    return plait_close(ctx) ? fail() : failed;
}
