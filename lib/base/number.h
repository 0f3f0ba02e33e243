/*
 * Numbers to and from text, the same in every locale: the decimal point is '.', there is no grouping.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 * printf, strtod and their kin follow setlocale, which belongs to the program that uses the library; generated kernels,
 * file headers, cache keys and CSV must not. Threads: any.
 */
#ifndef PLAIT__NUMBER_H
#define PLAIT__NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Enough for every result of the formatting functions here, with the NUL. */
#define PLAIT__NUMBER_SIZE 40

/*
 * Each writes to `out` and returns the length. "nan", "inf" and "-inf" for what is not finite; a NaN's sign is dropped.
 * The shortest of the decimal forms that reads back as the same number ("0.1", "1e+300"):
 */
size_t plait__format_f64(char out[PLAIT__NUMBER_SIZE], double value);
size_t plait__format_f32(char out[PLAIT__NUMBER_SIZE], float value);
/* At most `digits` (1 to 17) significant digits, as printf's %g: */
size_t plait__format_digits(char out[PLAIT__NUMBER_SIZE], double value, int digits);
/* C's hexadecimal form ("0x1.8p+1"): exact, and read by OpenCL C as well. */
size_t plait__format_hex(char out[PLAIT__NUMBER_SIZE], double value);

/*
 * Each reads the number at the head of `text` (which ends at `length`, NUL or not) and returns how many bytes it takes
 * up, 0 where no number starts there or it lies outside of the range; *out is then untouched. No white space is
 * skipped.
 */

/* Decimal or hexadecimal, with sign and exponent, or inf, infinity, nan in any case. Too large is out of range. */
size_t plait__scan_f64(double *out, const char *text, size_t length);
/* Decimal with an optional sign. */
size_t plait__scan_i64(int64_t *out, const char *text, size_t length, int64_t min, int64_t max);
/* Decimal, or hexadecimal after 0x; '+' is accepted, '-' is not. */
size_t plait__scan_u64(uint64_t *out, const char *text, size_t length, uint64_t max);

/* The same for a string that must be a number and nothing else. */
bool plait__parse_f64(double *out, const char *text);
bool plait__parse_i64(int64_t *out, const char *text, int64_t min, int64_t max);
bool plait__parse_u64(uint64_t *out, const char *text, uint64_t max);

/* A size in bytes: "4096", "64K", "512M", "1.5G", "2T" (powers of 1024; an 'B' or "iB" may follow). */
bool plait__parse_size(uint64_t *out, const char *text);

#endif
