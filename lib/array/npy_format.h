/*
 * NumPy's .npy format on bytes: pure functions, without files or devices.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 *     "\x93NUMPY"  u8 major, u8 minor  header length: u16 (1.0) or u32 (2.0, 3.0), little-endian
 *     the header: a Python dictionary, padded with spaces, ended by a newline
 *     {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
 *     the elements
 *
 * `who` is what failures begin with: the public function and the file. Threads: any.
 */
#ifndef PLAIT__NPY_FORMAT_H
#define PLAIT__NPY_FORMAT_H

#include <plait/dtype.h>
#include <plait/shape.h>

#include "strbuf.h"

typedef struct plait__npy_header {
    plait_dtype dtype; /* as in the file */
    bool swapped;      /* the elements are in the byte order that this machine does not have */
    bool fortran;      /* the first axis is the fastest, and that makes a difference */
    plait_dims shape;
    size_t count;   /* of elements */
    size_t data_at; /* byte of the file where they start */
    size_t bytes;   /* count * size of the dtype */
} plait__npy_header;

/*
 * Reads the header at the start of a file of `size` bytes, which may be anything. Success means that data_at + bytes <=
 * size. Errors: PLAIT_E_FORMAT with what is wrong at which byte; PLAIT_E_DTYPE for dtypes that Plait does not have;
 * PLAIT_E_SHAPE for more than 8 dimensions.
 */
plait_status plait__npy_parse(plait__npy_header *out, const char *who, const void *bytes, size_t size);

/* Adds the head of a format 1.0 file (all before the elements: a multiple of 64 bytes). The dtype has an npy letter. */
void plait__npy_head(plait__strbuf *out, plait_dims shape, plait_dtype dtype);

/*
 * The dtype that arrays have for elements of `dtype`: itself, or the next one that holds all its values;
 * PLAIT_DTYPE_DEFAULT if there is none.
 */
plait_dtype plait__npy_array_dtype(plait_dtype dtype);

/* Whether the elements in the file are what an array of `dtype` has in memory, byte for byte (bool never is). */
bool plait__npy_is_plain(const plait__npy_header *header, plait_dtype dtype);

/*
 * The elements as an array of `dtype` (the header's, or what plait__npy_array_dtype gave for it) has them in memory: C
 * order, this machine's byte order, bool as 0 and 1. `elements` are header->bytes bytes at any alignment, `out` count *
 * size of dtype; they do not overlap.
 */
void plait__npy_convert(void *out, plait_dtype dtype, const plait__npy_header *header, const void *elements);

/* An f16 as f32; exact, NaNs keep their payload. */
float plait__f16_to_f32(uint16_t half);

#endif
