/*
 * Plait: NumPy's text of an array.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "array_text.h"

#include "dtypes.h"
#include "number.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Room for the text of one number: 17 digits, the zeros before or after them, sign, point, exponent and padding. */
#define WORD 128

/* ---- decimal digits ---- */

/* d.ddd * 10^exponent; the digits have no zeros at the end, and zero is "0". */
typedef struct decimal {
    char digits[24];
    int n;
    int exponent;
} decimal;

/* The decimal of `n` significant digits that is nearest to value (finite, its sign ignored). */
static decimal rounded(double value, int n)
{
    char text[PLAIT__NUMBER_SIZE];
    plait__format_digits(text, fabs(value), n);
    decimal d = {.digits = "0", .n = 0};
    int before = 0; /* digits before the point */
    bool point = false;
    int zeros = 0; /* after the point, before the first digit */
    int exponent = 0;
    for (const char *p = text; *p != '\0'; p++) {
        if (*p == 'e') {
            int64_t e = 0;
            plait__parse_i64(&e, p + 1, -400, 400);
            exponent = (int)e;
            break;
        }
        if (*p == '.') {
            point = true;
        } else if (d.n == 0 && *p == '0') {
            zeros += point;
        } else {
            d.digits[d.n++] = *p;
            before += !point;
        }
    }
    d.exponent = exponent + (before > 0 ? before - 1 : -zeros - 1);
    while (d.n > 0 && d.digits[d.n - 1] == '0') {
        d.n--;
    }
    if (d.n == 0) {
        d = (decimal){.digits = "0", .n = 1};
    }
    return d;
}

static bool reads_back(const decimal *d, double value, bool single)
{
    char text[40];
    int n = snprintf(text, sizeof text, "%.*s", d->n, d->digits);
    n += snprintf(text + n, sizeof text - (size_t)n, "e%d", d->exponent - d->n + 1);
    double back;
    if (plait__scan_f64(&back, text, (size_t)n) != (size_t)n) {
        return false;
    }
    /* One rounding from decimal to f32 would be safer than two, but f32's neighbours are too far apart to matter for
     * decimals of nine digits. */
    return single ? (float)back == (float)value : back == value;
}

/* The next decimal of n digits. False where that ends in a zero: it was tried with fewer digits. */
static bool step_up(decimal *d, int n)
{
    while (d->n < n) {
        d->digits[d->n++] = '0';
    }
    if (d->digits[n - 1] == '9') {
        return false;
    }
    d->digits[n - 1]++;
    return true;
}

/* The shortest decimal that reads back as value (finite, its sign ignored). */
static decimal shortest(double value, bool single)
{
    double magnitude = fabs(value);
    int most = single ? 9 : 17;
    /* So many digits always survive being read and written again, except below the smallest normal number. */
    int least = magnitude < (single ? 0x1p-126 : 0x1p-1022) ? 1 : single ? 6 : 15;
    int exponent;
    bool power_of_two = frexp(magnitude, &exponent) == 0.5;
    for (int n = least; n < most; n++) {
        decimal d = rounded(magnitude, n);
        if (reads_back(&d, magnitude, single)) {
            return d;
        }
        /* Above a power of two the neighbour is twice as far away as below it: the next decimal upwards may be closer
         * to it than to anything else although it is not the nearest. */
        if (power_of_two && step_up(&d, n) && reads_back(&d, magnitude, single)) {
            return d;
        }
    }
    return rounded(magnitude, most);
}

/* The shortest decimal, or the nearest one with at most `fraction` digits after the point if that is shorter. */
static decimal limited(double value, bool single, int fraction)
{
    decimal d = shortest(value, single);
    int n = d.exponent + 1 + fraction; /* significant digits up to there */
    if (d.n <= n) {
        return d;
    }
    if (n > 0) {
        return rounded(value, n);
    }
    /* The first digit lies behind the last place: what is above half of that place becomes one of it. */
    bool half = n == 0 && (d.digits[0] > '5' || (d.digits[0] == '5' && d.n > 1));
    return half ? (decimal){.digits = "1", .n = 1, .exponent = -fraction} : (decimal){.digits = "0", .n = 1};
}

/* ---- one number ---- */

/* A number's text and the parts that columns are aligned by. */
typedef struct word {
    char text[WORD];
    int whole;    /* bytes before the point, with the sign */
    int fraction; /* digits after it */
    int exponent; /* digits of the exponent, without "e+" */
} word;

typedef struct float_format {
    bool single;
    bool plus; /* positive numbers have a sign, too */
    bool scientific;
    int precision;
    int pad_left, pad_right;
    int exponent; /* digits of the exponent, at least */
    bool keep;    /* digits up to the precision, always */
} float_format;

static int put_sign(char *text, double value, bool plus)
{
    if (!signbit(value) && !plus) {
        return 0;
    }
    text[0] = signbit(value) ? '-' : '+';
    return 1;
}

/* "12.5", "3.": no zeros at the end, but always a point. */
static word positional(double value, const float_format *f)
{
    word w = {.text = ""};
    decimal d = limited(value, f->single, f->precision);
    int n = put_sign(w.text, value, f->plus);
    int whole = d.exponent < 0 ? 1 : d.exponent + 1;
    for (int i = 0; i < whole; i++) {
        w.text[n++] = d.exponent < 0 || i >= d.n ? '0' : d.digits[i];
    }
    w.whole = n;
    w.text[n++] = '.';
    for (int place = -1; place >= d.exponent - d.n + 1; place--) {
        int i = d.exponent - place;
        w.text[n++] = i < 0 ? '0' : d.digits[i];
        w.fraction++;
    }
    w.text[n] = '\0';
    return w;
}

/* "1.25e+10" */
static word scientific(double value, const float_format *f)
{
    word w = {.text = ""};
    /* In a column every number has the digits of the longest, true ones instead of zeros at the end. */
    decimal d = shortest(value, f->single);
    if (d.n > f->precision + 1 || (f->keep && d.n < f->precision + 1)) {
        d = rounded(value, f->precision + 1);
    }
    int n = put_sign(w.text, value, f->plus);
    w.text[n++] = d.digits[0];
    w.whole = n;
    w.text[n++] = '.';
    for (int i = 1; i < d.n || (f->keep && i <= f->precision); i++) {
        w.text[n++] = i < d.n ? d.digits[i] : '0';
        w.fraction++;
    }
    int exponent = d.exponent < 0 ? -d.exponent : d.exponent;
    w.exponent = exponent >= 100 || f->exponent == 3 ? 3 : 2;
    w.text[n++] = 'e';
    w.text[n++] = d.exponent < 0 ? '-' : '+';
    for (int i = w.exponent - 1; i >= 0; i--) {
        w.text[n + i] = (char)('0' + exponent % 10);
        exponent /= 10;
    }
    w.text[n + w.exponent] = '\0';
    return w;
}

static const char *special(double value, bool plus)
{
    if (isnan(value)) {
        return plus ? "+nan" : "nan";
    }
    return value < 0 ? "-inf" : plus ? "+inf" : "inf";
}

/* As NumPy writes a number that stands alone: "1.0", "1e+16". */
static void add_scalar(plait__strbuf *out, double value, bool single, bool plus, bool integral_zero)
{
    if (!isfinite(value)) {
        plait__strbuf_add(out, special(value, plus));
        return;
    }
    const float_format f = {.single = single, .plus = plus, .precision = 400};
    double magnitude = fabs(value);
    if (magnitude != 0 && (magnitude < 1e-4 || magnitude >= (single ? 1e6 : 1e16))) {
        word w = scientific(value, &f);
        if (w.fraction == 0) {
            memmove(w.text + w.whole, w.text + w.whole + 1, strlen(w.text + w.whole));
        }
        plait__strbuf_add(out, w.text);
    } else {
        word w = positional(value, &f);
        if (w.fraction == 0 && !integral_zero) {
            w.text[w.whole] = '\0';
        }
        plait__strbuf_add(out, w.text);
        if (w.fraction == 0 && integral_zero) {
            plait__strbuf_add_char(out, '0');
        }
    }
}

/* ---- elements ---- */

typedef struct elements {
    plait_dtype dtype;
    const unsigned char *data;
    size_t count;
} elements;

/* Part 0 is the real one, part 1 the imaginary one. */
static double get_float(const elements *e, size_t i, int part)
{
    const unsigned char *at = e->data + i * plait_dtype_size(e->dtype);
    if (e->dtype == PLAIT_F64) {
        double value;
        memcpy(&value, at, sizeof value);
        return value;
    }
    float value;
    memcpy(&value, at + 4 * part, sizeof value);
    return (double)value;
}

static int64_t get_int(const elements *e, size_t i)
{
    const unsigned char *at = e->data + i * plait_dtype_size(e->dtype);
    int32_t narrow;
    int64_t value;
    switch (e->dtype) {
    case PLAIT_I64:
        memcpy(&value, at, sizeof value);
        return value;
    case PLAIT_I32:
        memcpy(&narrow, at, sizeof narrow);
        return narrow;
    default:
        assert(e->dtype == PLAIT_U8 || e->dtype == PLAIT_BOOL);
        return *at;
    }
}

/* How all the floats of an array are written: NumPy's FloatingFormat. */
static float_format find_float_format(const elements *e, int part, bool plus, int precision)
{
    float_format f = {.single = e->dtype != PLAIT_F64, .plus = plus, .precision = precision};
    double least = INFINITY;
    double most = 0;
    bool finite = false;
    bool special_seen = false;
    bool negative_inf = false;
    for (size_t i = 0; i < e->count; i++) {
        double value = get_float(e, i, part);
        double magnitude = fabs(value);
        if (!isfinite(value)) {
            special_seen = true;
            negative_inf = negative_inf || (isinf(value) && value < 0);
            continue;
        }
        finite = true;
        if (magnitude != 0) {
            least = magnitude < least ? magnitude : least;
            most = magnitude > most ? magnitude : most;
        }
    }
    if (most > 0) {
        /* In the dtype's own precision, as NumPy compares and divides. */
        double ratio = f.single ? (double)((float)most / (float)least) : most / least;
        double small = f.single ? (double)1e-4f : 1e-4;
        f.scientific = most >= (f.single ? 1e6 : 1e8) || least < small || ratio > 1000;
    }
    if (finite) {
        int fraction = 0;
        for (size_t i = 0; i < e->count; i++) {
            double value = get_float(e, i, part);
            if (!isfinite(value)) {
                continue;
            }
            word w = f.scientific ? scientific(value, &f) : positional(value, &f);
            f.pad_left = w.whole > f.pad_left ? w.whole : f.pad_left;
            f.exponent = w.exponent > f.exponent ? w.exponent : f.exponent;
            fraction = w.fraction > fraction ? w.fraction : fraction;
        }
        f.pad_right = fraction;
        if (f.scientific) {
            f.precision = fraction;
            f.keep = true;
            f.pad_right = f.exponent + 2 + fraction;
        }
    }
    if (special_seen) {
        int width = 3 + (plus || negative_inf) - (f.pad_right + 1);
        int nan_width = 3 - (f.pad_right + 1);
        width = width > nan_width ? width : nan_width;
        f.pad_left = width > f.pad_left ? width : f.pad_left;
    }
    return f;
}

static void add_spaces(plait__strbuf *out, int n)
{
    for (int i = 0; i < n; i++) {
        plait__strbuf_add_char(out, ' ');
    }
}

/* `suffix` stands before the padding at the right. */
static void add_float(plait__strbuf *out, double value, const float_format *f, const char *suffix)
{
    if (!isfinite(value)) {
        const char *text = special(value, f->plus);
        add_spaces(out, f->pad_left + f->pad_right + 1 - (int)strlen(text));
        plait__strbuf_add(out, text);
        plait__strbuf_add(out, suffix);
        return;
    }
    word w = f->scientific ? scientific(value, f) : positional(value, f);
    add_spaces(out, f->pad_left - w.whole);
    plait__strbuf_add(out, w.text);
    plait__strbuf_add(out, suffix);
    add_spaces(out, f->scientific ? 0 : f->pad_right - w.fraction);
}

/* ---- lines and brackets ---- */

typedef struct printer {
    plait__strbuf *out;
    elements e;
    plait__kind kind;
    float_format parts[2];
    int int_width;
    const plait_dims *shape;
    plait_dims shown;
    int line_width;
    size_t next; /* the element that is written next */
} printer;

static void add_element(printer *p, plait__strbuf *out, size_t i)
{
    switch (p->kind) {
    case PLAIT__KIND_BOOL:
        plait__strbuf_add(out, get_int(&p->e, i) ? " True" : "False");
        break;
    case PLAIT__KIND_INT:
    case PLAIT__KIND_UINT:
        plait__strbuf_printf(out, "%*lld", p->int_width, (long long)get_int(&p->e, i));
        break;
    case PLAIT__KIND_FLOAT:
        add_float(out, get_float(&p->e, i, 0), &p->parts[0], "");
        break;
    case PLAIT__KIND_COMPLEX:
        add_float(out, get_float(&p->e, i, 0), &p->parts[0], "");
        add_float(out, get_float(&p->e, i, 1), &p->parts[1], "j");
        break;
    }
}

/* A word goes to the present line, or to the next one if it does not fit and is not the first. */
static void add_to_line(printer *p, const char *text, size_t length, size_t *line_length, int indent)
{
    /* The separator and the closing brackets need room as well. */
    size_t limit = p->line_width > indent ? (size_t)(p->line_width - indent) : 0;
    if (*line_length > (size_t)indent && *line_length + length > limit) {
        size_t end = p->out->length;
        while (end > 0 && p->out->text[end - 1] == ' ') {
            end--;
        }
        plait__strbuf_truncate(p->out, end);
        plait__strbuf_add_char(p->out, '\n');
        add_spaces(p->out, indent);
        *line_length = (size_t)indent;
    }
    plait__strbuf_add_bytes(p->out, text, length);
    *line_length += length;
}

static void add_axis(printer *p, int32_t axis)
{
    plait__strbuf *out = p->out;
    int indent = axis + 1;
    int64_t shown = p->shown.d[axis];
    int64_t gap = shown < p->shape->d[axis] ? shown / 2 : -1; /* "..." stands before this one */
    bool last = axis == p->shape->n - 1;
    plait__strbuf_add_char(out, '[');
    size_t line_length = (size_t)indent;
    plait__strbuf one = {0};
    for (int64_t i = 0; i < shown && out->status == PLAIT_OK; i++) {
        if (last) {
            if (i > 0) {
                plait__strbuf_add_char(out, ' ');
                line_length++;
            }
            if (i == gap) {
                add_to_line(p, "...", 3, &line_length, indent);
                plait__strbuf_add_char(out, ' ');
                line_length++;
            }
            plait__strbuf_truncate(&one, 0);
            add_element(p, &one, p->next++);
            add_to_line(p, plait__strbuf_text(&one), one.length, &line_length, indent);
            if (one.status != PLAIT_OK) {
                out->status = one.status;
            }
            continue;
        }
        int32_t below = p->shape->n - 1 - axis;
        for (int k = 0; k < (i == gap ? 2 : 1); k++) {
            if (i > 0) {
                for (int32_t line = 0; line < below; line++) {
                    plait__strbuf_add_char(out, '\n');
                }
                add_spaces(out, indent);
            }
            if (i == gap && k == 0) {
                plait__strbuf_add(out, "...");
            }
        }
        add_axis(p, axis + 1);
    }
    plait__strbuf_free(&one);
    plait__strbuf_add_char(out, ']');
}

static void add_zero_dimensional(plait__strbuf *out, const elements *e, plait__kind kind)
{
    if (kind == PLAIT__KIND_BOOL) {
        plait__strbuf_add(out, get_int(e, 0) ? "True" : "False");
    } else if (kind == PLAIT__KIND_FLOAT) {
        add_scalar(out, get_float(e, 0, 0), e->dtype != PLAIT_F64, false, true);
    } else if (kind == PLAIT__KIND_COMPLEX) {
        double re = get_float(e, 0, 0);
        double im = get_float(e, 0, 1);
        if (re == 0 && !signbit(re)) {
            add_scalar(out, im, true, false, false);
            plait__strbuf_add_char(out, 'j');
        } else {
            plait__strbuf_add_char(out, '(');
            add_scalar(out, re, true, false, false);
            add_scalar(out, im, true, true, false);
            plait__strbuf_add(out, "j)");
        }
    } else {
        plait__strbuf_printf(out, "%lld", (long long)get_int(e, 0));
    }
}

plait_dims plait__text_shown(const plait_dims *shape, const plait__text_format *format)
{
    plait_dims shown = *shape;
    if (plait_shape_count(*shape) > format->threshold) {
        for (int32_t i = 0; i < shape->n; i++) {
            int64_t both = 2 * (int64_t)format->edge_items;
            shown.d[i] = shape->d[i] > both ? both : shape->d[i];
        }
    }
    return shown;
}

void plait__array_text(plait__strbuf *out, plait_dtype dtype, const plait_dims *shape, const void *data,
                       const plait__text_format *format)
{
    printer p = {
        .out = out,
        .kind = plait__dtype_info(dtype)->kind,
        .shape = shape,
        .shown = plait__text_shown(shape, format),
        .line_width = format->line_width,
    };
    p.e = (elements){.dtype = dtype, .data = data, .count = (size_t)plait_shape_count(p.shown)};
    if (p.e.count == 0) {
        plait__strbuf_add(out, "[]");
        return;
    }
    if (shape->n == 0) {
        add_zero_dimensional(out, &p.e, p.kind);
        return;
    }
    if (p.kind == PLAIT__KIND_INT || p.kind == PLAIT__KIND_UINT) {
        for (size_t i = 0; i < p.e.count; i++) {
            int width = snprintf(NULL, 0, "%lld", (long long)get_int(&p.e, i));
            p.int_width = width > p.int_width ? width : p.int_width;
        }
    } else if (p.kind == PLAIT__KIND_FLOAT || p.kind == PLAIT__KIND_COMPLEX) {
        p.parts[0] = find_float_format(&p.e, 0, false, format->precision);
        if (p.kind == PLAIT__KIND_COMPLEX) {
            p.parts[1] = find_float_format(&p.e, 1, true, format->precision);
        }
    }
    add_axis(&p, 0);
}
