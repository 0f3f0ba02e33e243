/*
 * The demo's stages in plain C, compiled three times from reference.c: `_f64` in double, which everything is checked
 * against; `_f32` in float on one thread and `_omp` in float on all, which everything is timed against.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 * Pictures are RGB bytes; results are not rounded. Sums are kept in double in all three.
 */
#ifndef PLAIT_REFERENCE_H
#define PLAIT_REFERENCE_H

#include <stddef.h>

#define REFERENCE_MAX_COLUMNS 16

#define REFERENCE_DECLARE_(real, suffix)                                                                               \
    void blur_##suffix(const unsigned char *src, real *dst, int width, int height, const real *weights, int radius,    \
                       real *rows);                                                                                    \
    void edges_##suffix(const unsigned char *src, real *dst, int width, int height);                                   \
    void sharpen_##suffix(const unsigned char *a, const unsigned char *b, real *dst, size_t n);                        \
    void normalise_photo_##suffix(const unsigned char *src, real *dst, size_t pixels);                                 \
    double mean_square_##suffix(const unsigned char *a, const unsigned char *b, size_t n);                             \
    void normalise_table_##suffix(const float *x, real *dst, size_t n, size_t d);                                      \
    void extremes_##suffix(const float *x, real *low, real *high, real *mean, size_t n, size_t d);                     \
    /* `steps` steps of gradient descent for the w that makes sum (x w - y)^2 small; w starts at 0. */                 \
    void descend_##suffix(const real *x, const real *y, size_t n, size_t d, int steps, double rate, real *w);

REFERENCE_DECLARE_(double, f64)
REFERENCE_DECLARE_(float, f32)
REFERENCE_DECLARE_(float, omp)

#endif
