/*
 * A stranger's program, built against the installed library by tools/checks/install.py: C11 and C++17, shared and
 * static. Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include <plait/plait.h>

#include <stdio.h>

int main(void)
{
    printf("plait %s\n", plait_version());
    if (plait_shape_count(PLAIT_SHAPE(3, 4, 5)) != 60) {
        return 1;
    }
    plait_dtype dtype;
    if (plait_dtype_parse(&dtype, "float32") || dtype != PLAIT_F32) {
        fprintf(stderr, "%s\n", plait_last_error());
        return 1;
    }
    return plait_dtype_parse(&dtype, "float31") == PLAIT_E_DTYPE && plait_last_status() == PLAIT_E_DTYPE ? 0 : 1;
}
