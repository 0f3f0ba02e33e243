/*
 * Plait: NumPy's .npy format on bytes.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "npy_format.h"

#include "dtypes.h"
#include "error.h"
#include "number.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* NumPy itself refuses headers above 10,000 bytes unless told to trust the file; a header that arrays can have takes
 * some 200. */
#define MAX_HEADER ((size_t)1 << 20)

static bool machine_is_little(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1;
}

/* ---- the header's text ---- */

typedef struct reader {
    const char *who;
    const char *file; /* from its first byte on, so that places are places in the file */
    size_t at;
    size_t end; /* of the header */
    size_t shape_at;
} reader;

static plait_status bad(const reader *r, const char *problem)
{
    return plait__fail(PLAIT_E_FORMAT, "%s: byte %zu: %s", r->who, r->at, problem);
}

static void skip_space(reader *r)
{
    while (r->at < r->end && strchr(" \t\r\n\f", r->file[r->at]) != NULL && r->file[r->at] != '\0') {
        r->at++;
    }
}

static bool next_is(const reader *r, char c)
{
    return r->at < r->end && r->file[r->at] == c;
}

static bool accept(reader *r, char c)
{
    skip_space(r);
    if (!next_is(r, c)) {
        return false;
    }
    r->at++;
    return true;
}

static bool accept_word(reader *r, const char *word)
{
    size_t n = strlen(word);
    if (r->end - r->at < n || memcmp(r->file + r->at, word, n) != 0) {
        return false;
    }
    r->at += n;
    return true;
}

/* What stands at the reader's place, fit for a sentence. */
static void excerpt(char out[24], const char *text, size_t length)
{
    size_t n = 0;
    for (; n < length && n < 20; n++) {
        out[n] = text[n] >= ' ' && text[n] <= '~' ? text[n] : '?';
    }
    memcpy(out + n, n < length ? "..." : "", n < length ? 4 : 1);
}

/* A Python string without escapes; its contents are text[*start .. *start + *length). */
static plait_status read_string(reader *r, const char *what, const char **text, size_t *length)
{
    skip_space(r);
    if (!next_is(r, '\'') && !next_is(r, '"')) {
        char sentence[64];
        snprintf(sentence, sizeof sentence, "a string is expected as %s", what);
        return bad(r, sentence);
    }
    char quote = r->file[r->at++];
    size_t start = r->at;
    while (r->at < r->end && r->file[r->at] != quote) {
        if (r->file[r->at] == '\\' || r->file[r->at] == '\n') {
            return bad(r, "an escape or newline inside a string of the header");
        }
        r->at++;
    }
    if (r->at == r->end) {
        return bad(r, "the header ends inside a string");
    }
    *text = r->file + start;
    *length = r->at - start;
    r->at++;
    return PLAIT_OK;
}

static bool same(const char *text, size_t length, const char *word)
{
    return length == strlen(word) && memcmp(text, word, length) == 0;
}

/* ---- its three values ---- */

static plait_status read_descr(reader *r, plait__npy_header *out)
{
    skip_space(r);
    if (next_is(r, '[')) {
        return bad(r, "a structured dtype; save its fields one by one as arrays of numbers");
    }
    reader start = *r;
    const char *text;
    size_t length;
    PLAIT__TRY(read_string(r, "the value of 'descr'", &text, &length));
    char shown[24];
    excerpt(shown, text, length);

    size_t i = 0;
    char order = '=';
    if (length > 0 && strchr("<>=|", text[0]) != NULL && text[0] != '\0') {
        order = text[0];
        i = 1;
    }
    char letter = i < length ? text[i] : '\0';
    uint64_t size = 0;
    bool known =
        i < length && (i + 1 == length || plait__scan_u64(&size, text + i + 1, length - i - 1, 1024) == length - i - 1);
    if (letter == 'O') {
        return bad(&start, "an object dtype: the file holds pickled Python objects, not numbers");
    }
    if (letter == '?' && i + 1 == length) {
        letter = 'b'; /* 'b1' by its other name */
        size = 1;
    }
    for (int d = 1; known && d < PLAIT_DTYPE_COUNT_; d++) {
        const plait__dtype_row *row = plait__dtype_info((plait_dtype)d);
        if (row->npy != 0 && row->npy == letter && row->size == size) {
            out->dtype = (plait_dtype)d;
            out->swapped = size > 1 && order == (machine_is_little() ? '>' : '<');
            if (size > 1 && order == '|') {
                return bad(&start, "the dtype does not say which byte order it has");
            }
            return PLAIT_OK;
        }
    }
    return plait__fail(PLAIT_E_DTYPE,
                       "%s: byte %zu: the dtype '%s' is not one of Plait's (bool, int8 to int64, uint8 to uint64, "
                       "float16 to float64, complex64, complex128); convert it with astype before saving",
                       r->who, start.at, shown);
}

static plait_status read_order(reader *r, plait__npy_header *out)
{
    skip_space(r);
    if (accept_word(r, "True")) {
        out->fortran = true;
    } else if (accept_word(r, "False")) {
        out->fortran = false;
    } else {
        return bad(r, "'fortran_order' must be True or False");
    }
    return PLAIT_OK;
}

static plait_status read_shape(reader *r, plait__npy_header *out)
{
    if (!accept(r, '(')) {
        return bad(r, "'shape' must be a tuple of sizes");
    }
    reader start = *r;
    plait_dims shape = {0};
    bool comma = true;
    while (!accept(r, ')')) {
        if (!comma) {
            return bad(r, "a ',' or ')' is expected after a size of 'shape'");
        }
        int64_t size;
        size_t n = plait__scan_i64(&size, r->file + r->at, r->end - r->at, INT64_MIN, INT64_MAX);
        if (n == 0) {
            return bad(r, "a size of 'shape' is not an integer of 64 bits");
        }
        if (size < 0) {
            return bad(r, "a size of 'shape' is negative");
        }
        r->at += n;
        if (next_is(r, 'L')) {
            r->at++; /* Python 2 wrote long integers as 3L */
        }
        if (shape.n == PLAIT_MAX_DIMS) {
            return plait__fail(PLAIT_E_SHAPE, "%s: byte %zu: the array has more than %d dimensions", r->who, r->at,
                               PLAIT_MAX_DIMS);
        }
        shape.d[shape.n++] = size;
        comma = accept(r, ',');
    }
    if (shape.n == 1 && !comma) {
        return bad(&start, "'shape' is a number in brackets, not a tuple");
    }
    out->shape = shape;
    r->shape_at = start.at;
    return PLAIT_OK;
}

static plait_status read_dictionary(reader *r, plait__npy_header *out)
{
    static const char *const keys[] = {"descr", "fortran_order", "shape"};
    bool seen[3] = {false, false, false};
    if (!accept(r, '{')) {
        return bad(r, "the header is not a Python dictionary");
    }
    bool comma = true;
    while (!accept(r, '}')) {
        if (!comma) {
            return bad(r, "a ',' or '}' is expected in the header");
        }
        skip_space(r);
        reader start = *r;
        const char *text;
        size_t length;
        PLAIT__TRY(read_string(r, "a key of the header", &text, &length));
        int key = 0;
        while (key < 3 && !same(text, length, keys[key])) {
            key++;
        }
        if (key == 3) {
            return bad(&start, "the header has a key that is none of 'descr', 'fortran_order', 'shape'");
        }
        if (seen[key]) {
            return bad(&start, "the header has this key twice");
        }
        seen[key] = true;
        if (!accept(r, ':')) {
            return bad(r, "a ':' is expected after a key of the header");
        }
        PLAIT__TRY(key == 0 ? read_descr(r, out) : key == 1 ? read_order(r, out) : read_shape(r, out));
        comma = accept(r, ',');
    }
    for (int key = 0; key < 3; key++) {
        if (!seen[key]) {
            return plait__fail(PLAIT_E_FORMAT, "%s: byte %zu: the header has no '%s'", r->who, r->at, keys[key]);
        }
    }
    skip_space(r);
    if (r->at != r->end) {
        return bad(r, "something follows the header's dictionary");
    }
    return PLAIT_OK;
}

/* ---- the file ---- */

static plait_status find_header(reader *r, const unsigned char *bytes, size_t size)
{
    static const char magic[] = "\x93NUMPY";
    if (size < 6 || memcmp(bytes, magic, 6) != 0) {
        if (size >= 4 && memcmp(bytes, "PK\3\4", 4) == 0) {
            return bad(r, "this is a zip archive (an .npz?), not an .npy file");
        }
        return bad(r, "this is not an .npy file: it does not start with \"\\x93NUMPY\"");
    }
    r->at = 6;
    if (size < 8) {
        return bad(r, "the file ends inside its version");
    }
    unsigned major = bytes[6];
    if (major < 1 || major > 3 || bytes[7] != 0) {
        return plait__fail(PLAIT_E_FORMAT, "%s: byte 6: format version %u.%u is not known; it is 1.0, 2.0 or 3.0",
                           r->who, major, (unsigned)bytes[7]);
    }
    size_t width = major == 1 ? 2 : 4;
    r->at = 8;
    if (size < 8 + width) {
        return bad(r, "the file ends inside the header's length");
    }
    size_t length = 0;
    for (size_t i = 0; i < width; i++) {
        length |= (size_t)bytes[8 + i] << (8 * i);
    }
    if (length > MAX_HEADER) {
        return plait__fail(PLAIT_E_FORMAT, "%s: byte 8: a header of %zu bytes is not plausible", r->who, length);
    }
    r->at = 8 + width;
    if (length > size - r->at) {
        return plait__fail(PLAIT_E_FORMAT, "%s: byte 8: the header should have %zu bytes, but the file ends after %zu",
                           r->who, length, size - r->at);
    }
    r->end = r->at + length;
    return PLAIT_OK;
}

plait_status plait__npy_parse(plait__npy_header *out, const char *who, const void *bytes, size_t size)
{
    reader r = {.who = who, .file = bytes};
    plait__npy_header header = {.dtype = PLAIT_DTYPE_DEFAULT};
    PLAIT__TRY(find_header(&r, bytes, size));
    PLAIT__TRY(read_dictionary(&r, &header));

    header.data_at = r.end;
    size_t element = plait_dtype_size(header.dtype);
    int64_t count = plait_shape_count(header.shape);
    if (count < 0 || (uint64_t)count > (SIZE_MAX - r.end) / element) {
        return plait__fail(PLAIT_E_FORMAT, "%s: byte %zu: 'shape' has more elements than memory can hold", who,
                           r.shape_at);
    }
    header.count = (size_t)count;
    header.bytes = header.count * element;
    if (header.bytes > size - r.end) {
        return plait__fail(PLAIT_E_FORMAT,
                           "%s: byte %zu: truncated: the header promises %zu bytes of elements, the file has %zu", who,
                           r.end, header.bytes, size - r.end);
    }
    int axes = 0; /* with more than one element: with fewer than two of them both orders are the same */
    for (int32_t i = 0; i < header.shape.n; i++) {
        axes += header.shape.d[i] > 1;
    }
    header.fortran = header.fortran && axes > 1 && count > 0;
    *out = header;
    return PLAIT_OK;
}

void plait__npy_head(plait__strbuf *out, plait_dims shape, plait_dtype dtype)
{
    const plait__dtype_row *row = plait__dtype_info(dtype);
    assert(row->npy != '\0');
    plait__strbuf text = {0};
    char order = row->size == 1 ? '|' : machine_is_little() ? '<' : '>';
    plait__strbuf_printf(&text, "{'descr': '%c%c%zu', 'fortran_order': False, 'shape': (", order, row->npy, row->size);
    for (int32_t i = 0; i < shape.n; i++) {
        plait__strbuf_printf(&text, "%s%lld", i > 0 ? ", " : "", (long long)shape.d[i]);
    }
    plait__strbuf_add(&text, shape.n == 1 ? ",), }" : "), }");
    while ((10 + text.length + 1) % 64 != 0 && text.status == PLAIT_OK) {
        plait__strbuf_add_char(&text, ' ');
    }
    plait__strbuf_add_char(&text, '\n');

    const unsigned char head[10] = {
        0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (unsigned char)(text.length & 0xff), (unsigned char)(text.length >> 8),
    };
    plait__strbuf_add_bytes(out, head, sizeof head);
    plait__strbuf_add_bytes(out, plait__strbuf_text(&text), text.length);
    if (out->status == PLAIT_OK) {
        out->status = text.status;
    }
    plait__strbuf_free(&text);
}

/* ---- the elements ---- */

plait_dtype plait__npy_array_dtype(plait_dtype dtype)
{
    switch (dtype) {
    case PLAIT_BOOL:
    case PLAIT_U8:
    case PLAIT_I32:
    case PLAIT_I64:
    case PLAIT_F32:
    case PLAIT_F64:
    case PLAIT_C64:
        return dtype;
    case PLAIT_I8:
    case PLAIT_I16:
    case PLAIT_U16:
        return PLAIT_I32;
    case PLAIT_U32:
        return PLAIT_I64;
    case PLAIT_F16:
        return PLAIT_F32;
    default:
        return PLAIT_DTYPE_DEFAULT;
    }
}

bool plait__npy_is_plain(const plait__npy_header *header, plait_dtype dtype)
{
    return header->dtype == dtype && dtype != PLAIT_BOOL && !header->swapped && !header->fortran;
}

float plait__f16_to_f32(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000u) << 16;
    uint32_t exponent = (half >> 10) & 0x1fu;
    uint32_t fraction = half & 0x3ffu;
    uint32_t bits;
    if (exponent == 0x1f) {
        bits = sign | 0x7f800000u | fraction << 13;
    } else if (exponent != 0) {
        bits = sign | (exponent + 112) << 23 | fraction << 13;
    } else {
        /* Zero or subnormal: fraction * 2^-24, which f32 holds as a normal number. */
        float value = (float)fraction * 0x1p-24f;
        memcpy(&bits, &value, sizeof bits);
        bits |= sign;
    }
    float out;
    memcpy(&out, &bits, sizeof out);
    return out;
}

static void reverse(unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size / 2; i++) {
        unsigned char other = bytes[size - 1 - i];
        bytes[size - 1 - i] = bytes[i];
        bytes[i] = other;
    }
}

/* One element of the file, in this machine's byte order, as the array's dtype. */
static void convert_element(unsigned char *out, plait_dtype dtype, const plait__npy_header *header,
                            const unsigned char *element, size_t size)
{
    unsigned char native[16] = {0};
    memcpy(native, element, size);
    if (header->swapped) {
        bool complex = plait__dtype_info(header->dtype)->kind == PLAIT__KIND_COMPLEX;
        size_t part = complex ? size / 2 : size;
        reverse(native, part);
        reverse(native + part, complex ? part : 0);
    }
    if (header->dtype == PLAIT_BOOL) {
        out[0] = native[0] != 0;
    } else if (header->dtype == dtype) {
        memcpy(out, native, size);
    } else if (dtype == PLAIT_F32) {
        uint16_t half;
        memcpy(&half, native, sizeof half);
        float value = plait__f16_to_f32(half);
        memcpy(out, &value, sizeof value);
    } else if (dtype == PLAIT_I64) {
        uint32_t narrow;
        memcpy(&narrow, native, sizeof narrow);
        int64_t value = narrow;
        memcpy(out, &value, sizeof value);
    } else {
        assert(dtype == PLAIT_I32);
        int8_t i8;
        int16_t i16;
        uint16_t u16;
        memcpy(&i8, native, sizeof i8);
        memcpy(&i16, native, sizeof i16);
        memcpy(&u16, native, sizeof u16);
        int32_t value = header->dtype == PLAIT_I8 ? i8 : header->dtype == PLAIT_I16 ? i16 : u16;
        memcpy(out, &value, sizeof value);
    }
}

/*
 * Both orders walk memory in long strides somewhere. In tiles of the first and the last axis, the strided side's cache
 * lines are used whole before they go.
 */
#define TILE 32

static void convert_fortran(unsigned char *out, plait_dtype dtype, const plait__npy_header *header,
                            const unsigned char *elements)
{
    size_t in_size = plait_dtype_size(header->dtype);
    size_t out_size = plait_dtype_size(dtype);
    int32_t last = header->shape.n - 1;
    size_t rows = (size_t)header->shape.d[0];
    size_t columns = (size_t)header->shape.d[last];
    size_t planes = header->count / rows / columns; /* one for each place in the axes between */
    size_t middle[PLAIT_MAX_DIMS] = {0};
    for (size_t plane = 0; plane < planes; plane++) {
        size_t in_start = 0;
        size_t out_start = 0;
        size_t in_stride = rows;
        for (int32_t i = 1; i < last; i++) {
            in_start += middle[i] * in_stride;
            in_stride *= (size_t)header->shape.d[i];
            out_start = out_start * (size_t)header->shape.d[i] + middle[i];
        }
        out_start *= columns;
        for (size_t r0 = 0; r0 < rows; r0 += TILE) {
            for (size_t c0 = 0; c0 < columns; c0 += TILE) {
                for (size_t r = r0; r < rows && r < r0 + TILE; r++) {
                    for (size_t c = c0; c < columns && c < c0 + TILE; c++) {
                        convert_element(out + (out_start + r * planes * columns + c) * out_size, dtype, header,
                                        elements + (in_start + r + c * in_stride) * in_size, in_size);
                    }
                }
            }
        }
        for (int32_t i = last - 1; i >= 1; i--) {
            if (++middle[i] < (size_t)header->shape.d[i]) {
                break;
            }
            middle[i] = 0;
        }
    }
}

void plait__npy_convert(void *out, plait_dtype dtype, const plait__npy_header *header, const void *elements)
{
    if (header->count == 0) {
        return;
    }
    if (header->fortran) {
        convert_fortran(out, dtype, header, elements);
    } else if (plait__npy_is_plain(header, dtype)) {
        memcpy(out, elements, header->bytes);
    } else {
        size_t in_size = plait_dtype_size(header->dtype);
        size_t out_size = plait_dtype_size(dtype);
        for (size_t i = 0; i < header->count; i++) {
            convert_element((unsigned char *)out + i * out_size, dtype, header,
                            (const unsigned char *)elements + i * in_size, in_size);
        }
    }
}
