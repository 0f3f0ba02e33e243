/*
 * Plait: numbers to and from text, the same in every locale.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "number.h"

#include "alloc.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ctype's functions follow the locale too. */
static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_hex_digit(char c)
{
    return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'f');
}

/*
 * Of printf's result for a finite number everything is ASCII letters, digits and signs, except the decimal point, which
 * may be several bytes in some locales: whatever else stands there becomes one '.'.
 */
static size_t unlocalise(char *text)
{
    size_t n = 0;
    bool in_point = false;
    for (const char *p = text; *p != '\0'; p++) {
        bool plain = is_digit(*p) || (lower(*p) >= 'a' && lower(*p) <= 'z') || *p == '+' || *p == '-';
        if (plain) {
            text[n++] = *p;
        } else if (!in_point) {
            text[n++] = '.';
        }
        in_point = !plain;
    }
    text[n] = '\0';
    return n;
}

static size_t format_special(char out[PLAIT__NUMBER_SIZE], double value)
{
    strcpy(out, isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
    return strlen(out);
}

size_t plait__format_digits(char out[PLAIT__NUMBER_SIZE], double value, int digits)
{
    assert(digits >= 1 && digits <= 17);
    if (!isfinite(value)) {
        return format_special(out, value);
    }
    snprintf(out, PLAIT__NUMBER_SIZE, "%.*g", digits, value);
    return unlocalise(out);
}

size_t plait__format_hex(char out[PLAIT__NUMBER_SIZE], double value)
{
    if (!isfinite(value)) {
        return format_special(out, value);
    }
    snprintf(out, PLAIT__NUMBER_SIZE, "%a", value);
    return unlocalise(out);
}

size_t plait__format_f64(char out[PLAIT__NUMBER_SIZE], double value)
{
    for (int digits = 15;; digits++) {
        size_t n = plait__format_digits(out, value, digits);
        double back;
        if (digits == 17 || !isfinite(value) || (plait__scan_f64(&back, out, n) == n && back == value)) {
            return n;
        }
    }
}

size_t plait__format_f32(char out[PLAIT__NUMBER_SIZE], float value)
{
    for (int digits = 6;; digits++) {
        size_t n = plait__format_digits(out, (double)value, digits);
        double back;
        if (digits == 9 || !isfinite(value) || (plait__scan_f64(&back, out, n) == n && (float)back == value)) {
            return n;
        }
    }
}

/* Does `word` (lower case) stand at the head of text? */
static bool starts_with(const char *text, size_t length, const char *word)
{
    size_t n = strlen(word);
    for (size_t i = 0; i < n; i++) {
        if (i >= length || lower(text[i]) != word[i]) {
            return false;
        }
    }
    return true;
}

/* The extent of "12.5", "0x1.8" and the like without sign and exponent; *point is where the '.' stands, or SIZE_MAX. */
static size_t mantissa_extent(const char *text, size_t length, size_t start, bool (*digit)(char), size_t *point)
{
    size_t i = start;
    size_t digits = 0;
    *point = SIZE_MAX;
    for (; i < length; i++) {
        if (text[i] == '.' && *point == SIZE_MAX) {
            *point = i;
        } else if (digit(text[i])) {
            digits++;
        } else {
            break;
        }
    }
    return digits > 0 ? i : 0;
}

static size_t exponent_extent(const char *text, size_t length, size_t start, char letter)
{
    size_t i = start;
    if (i >= length || lower(text[i]) != letter) {
        return start;
    }
    i++;
    if (i < length && (text[i] == '+' || text[i] == '-')) {
        i++;
    }
    size_t digits = i;
    while (i < length && is_digit(text[i])) {
        i++;
    }
    return i > digits ? i : start;
}

/* strtod on a copy that has the present locale's decimal point. */
static bool convert(double *out, const char *text, size_t length, size_t point)
{
    char sample[16];
    snprintf(sample, sizeof sample, "%.1f", 0.5);
    size_t radix_length = strlen(sample) - 2; /* what stands between "0" and "5" */

    char small[128];
    char *copy = length + radix_length < sizeof small ? small : plait__try_malloc(length + radix_length + 1);
    if (copy == NULL) {
        return false;
    }
    size_t n = point < length ? point : length;
    memcpy(copy, text, n);
    if (point < length) {
        memcpy(copy + n, sample + 1, radix_length);
        memcpy(copy + n + radix_length, text + point + 1, length - point - 1);
        n += radix_length + length - point - 1;
    }
    copy[n] = '\0';
    char *end;
    double value = strtod(copy, &end);
    bool good = *end == '\0' && isfinite(value);
    if (copy != small) {
        free(copy);
    }
    if (good) {
        *out = value;
    }
    return good;
}

size_t plait__scan_f64(double *out, const char *text, size_t length)
{
    size_t sign = length > 0 && (text[0] == '+' || text[0] == '-') ? 1 : 0;
    bool negative = sign == 1 && text[0] == '-';
    static const struct {
        const char *word;
        double value;
    } words[] = {{"infinity", INFINITY}, {"inf", INFINITY}, {"nan", NAN}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (starts_with(text + sign, length - sign, words[i].word)) {
            *out = negative ? -words[i].value : words[i].value;
            return sign + strlen(words[i].word);
        }
    }
    size_t point;
    size_t end = 0;
    if (starts_with(text + sign, length - sign, "0x")) {
        end = mantissa_extent(text, length, sign + 2, is_hex_digit, &point);
        end = end > 0 ? exponent_extent(text, length, end, 'p') : 0;
    }
    if (end == 0) {
        end = mantissa_extent(text, length, sign, is_digit, &point);
        end = end > 0 ? exponent_extent(text, length, end, 'e') : 0;
    }
    return end > 0 && convert(out, text, end, point) ? end : 0;
}

/* Digits in base 10 or 16; returns where they end, 0 where there are none or the value exceeds max. */
static size_t scan_digits(uint64_t *out, const char *text, size_t length, size_t start, unsigned base, uint64_t max)
{
    uint64_t value = 0;
    size_t i = start;
    for (; i < length && (base == 16 ? is_hex_digit(text[i]) : is_digit(text[i])); i++) {
        unsigned digit = is_digit(text[i]) ? (unsigned)(text[i] - '0') : (unsigned)(lower(text[i]) - 'a' + 10);
        if (value > (max - digit) / base || digit > max) {
            return 0;
        }
        value = value * base + digit;
    }
    if (i == start) {
        return 0;
    }
    *out = value;
    return i;
}

size_t plait__scan_i64(int64_t *out, const char *text, size_t length, int64_t min, int64_t max)
{
    size_t sign = length > 0 && (text[0] == '+' || text[0] == '-') ? 1 : 0;
    bool negative = sign == 1 && text[0] == '-';
    uint64_t magnitude;
    size_t end = scan_digits(&magnitude, text, length, sign, 10, (uint64_t)INT64_MAX + (negative ? 1 : 0));
    if (end == 0) {
        return 0;
    }
    /* -(magnitude - 1) - 1 reaches INT64_MIN without passing through a number that does not exist. */
    int64_t value = !negative ? (int64_t)magnitude : magnitude == 0 ? 0 : -(int64_t)(magnitude - 1) - 1;
    if (value < min || value > max) {
        return 0;
    }
    *out = value;
    return end;
}

size_t plait__scan_u64(uint64_t *out, const char *text, size_t length, uint64_t max)
{
    size_t start = length > 0 && text[0] == '+' ? 1 : 0;
    if (starts_with(text + start, length - start, "0x")) {
        size_t end = scan_digits(out, text, length, start + 2, 16, max);
        if (end > 0) {
            return end;
        }
        if (start + 2 < length && is_hex_digit(text[start + 2])) {
            return 0; /* out of range, not the number 0 before an 'x' */
        }
    }
    return scan_digits(out, text, length, start, 10, max);
}

bool plait__parse_f64(double *out, const char *text)
{
    double value;
    size_t length = strlen(text);
    size_t n = plait__scan_f64(&value, text, length);
    if (n == 0 || n != length) {
        return false;
    }
    *out = value;
    return true;
}

bool plait__parse_i64(int64_t *out, const char *text, int64_t min, int64_t max)
{
    int64_t value;
    size_t length = strlen(text);
    size_t n = plait__scan_i64(&value, text, length, min, max);
    if (n == 0 || n != length) {
        return false;
    }
    *out = value;
    return true;
}

bool plait__parse_u64(uint64_t *out, const char *text, uint64_t max)
{
    uint64_t value;
    size_t length = strlen(text);
    size_t n = plait__scan_u64(&value, text, length, max);
    if (n == 0 || n != length) {
        return false;
    }
    *out = value;
    return true;
}

bool plait__parse_size(uint64_t *out, const char *text)
{
    size_t length = strlen(text);
    double value;
    size_t n = length > 0 && is_digit(text[0]) ? plait__scan_f64(&value, text, length) : 0;
    if (n == 0) {
        return false;
    }
    double unit = 1;
    static const char letters[] = "kmgt";
    for (size_t i = 0; i < sizeof letters - 1; i++) {
        if (lower(text[n]) == letters[i]) {
            unit = ldexp(1.0, 10 * ((int)i + 1));
            n++;
            break;
        }
    }
    if (unit > 1 && text[n] == 'i' && lower(text[n + 1]) == 'b') {
        n += 2;
    } else if (lower(text[n]) == 'b') {
        n++;
    }
    double bytes = value * unit;
    if (text[n] != '\0' || bytes >= 0x1p63) {
        return false;
    }
    *out = (uint64_t)bytes;
    return true;
}
