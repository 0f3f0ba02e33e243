/*
 * Run by test_exit: computes and ends without closing anything.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include <plait/plait.h>

#include <unistd.h>

static plait_ctx *ctx;
static plait_array *kept;

int main(void)
{
    alarm(60);
    double value = 0;
    if (plait_open(&ctx, NULL) != PLAIT_OK) {
        return 1;
    }
    kept = plait_keep(plait_arange(ctx, 0, 1000, 1, PLAIT_F32));
    if (plait_item(plait_sum(kept), &value) != PLAIT_OK || value != 499500) {
        return 2;
    }
    /* Left pending, and left in the root scope. */
    return plait_multiply(kept, plait_num(2)) != NULL ? 0 : 3;
}
