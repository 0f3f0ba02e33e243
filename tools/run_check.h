/*
 * Whether the arguments of `plait run` fit the kernel, and over which grid it runs.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 * The library checks kinds and sizes at the launch; here is known, besides, which dtype a file holds.
 */
#ifndef PLAIT_RUN_CHECK_H
#define PLAIT_RUN_CHECK_H

#include "run_args.h"

#include <stdio.h>

/* "blur(const uchar4 *src, int radius)" and a newline. */
void run_print_signature(FILE *out, const plait_kernel *kernel, const char *indent);

/* TOOL_KERNEL, printed, if number, kind or dtype of the arguments is not the kernel's. */
tool_exit run_check_arguments(const plait_kernel *kernel, const run_arg *args, size_t n);

/* The grid of the first output's shape (else in-and-output's, else input's). */
tool_exit run_default_grid(const plait_kernel *kernel, const run_arg *args, size_t n, plait_grid *out);

#endif
