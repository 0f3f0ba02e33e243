/*
 * Plait: from the device to host memory, npy files and text.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 * All but the loaders are actions: they compute what they need, wait, and return the first failure of the whole chain.
 */
#ifndef PLAIT_HOST_H
#define PLAIT_HOST_H

#include <plait/create.h>
#include <stdio.h>

PLAIT_BEGIN

/*
 * Writes the elements in C order to `out`, which has room for `count` elements of `dtype` (DEFAULT: the array's own),
 * converting as plait_astype does. Errors: PLAIT_E_RANGE if count is not the array's; those of plait_eval. On failure
 * `out` holds anything. Since 0.1.
 */
PLAIT_API plait_status plait_to_host(plait_array *a, void *out, size_t count, plait_dtype dtype);

/* The value of an array of one element, in the dtype of *out's type. Errors as above. Since 0.1. */
PLAIT_API plait_status plait_item(plait_array *a, double *out);
PLAIT_API plait_status plait_item_int(plait_array *a, int64_t *out);

/*
 * NumPy's .npy files, format 1.0 to 3.0: C or Fortran order, either byte order, dtypes bool, int8 to uint64, float16 to
 * float64, complex64 and complex128. Of those that arrays do not have, int8, int16 and uint16 become i32, uint32 i64
 * and float16 f32; uint64 and complex128 are PLAIT_E_DTYPE (plait_npy_read reads them). The file has been read when
 * plait_load_npy returns. Errors: PLAIT_E_IO, PLAIT_E_FORMAT (what is wrong, at which byte; object and structured
 * dtypes; truncated data), PLAIT_E_DTYPE, PLAIT_E_SHAPE (more than 8 dimensions), PLAIT_E_UNSUPPORTED (f64 on a device
 * without it), PLAIT_E_DEVICE_MEMORY. The file is mapped: another program must not shorten it meanwhile. Since 0.1.
 */
PLAIT_API plait_array *plait_load_npy(plait_ctx *ctx, const char *path);
/* Format 1.0, C order, this machine's byte order; the file appears whole or not at all. */
PLAIT_API plait_status plait_save_npy(const char *path, plait_array *a);

/*
 * A .npy file in host memory, for programs that need no device. `data` is C-ordered, in this machine's byte order, a
 * bool 0 or 1; dtype and shape as in the file. plait_npy_free releases it. Errors as above; bf16 cannot be written
 * (PLAIT_E_DTYPE).
 */
typedef struct plait_npy {
    plait_dtype dtype;
    plait_dims shape;
    void *data;
    size_t bytes;
} plait_npy;
PLAIT_API plait_status plait_npy_read(const char *path, plait_npy *out);
PLAIT_API plait_status plait_npy_write(const char *path, const void *data, plait_dims shape, plait_dtype dtype);
PLAIT_API void plait_npy_free(plait_npy *npy); /* NULL is fine */

typedef struct plait_print_opts {
    size_t size;    /* set by PLAIT_PRINT_OPTS */
    int precision;  /* digits after the point; default 8, -1: none */
    int threshold;  /* more elements than this are summarised; default 1000 */
    int edge_items; /* shown at each end of a summarised axis; default 3 */
    int line_width; /* default 75 */
} plait_print_opts;
#define PLAIT_PRINT_OPTS PLAIT_OPTS_(plait_print_opts)
PLAIT_API void plait_print_opts_init(plait_print_opts *opts);

/*
 * NumPy's text of an array ("[[1. 2.]\n [3. 4.]]", as NumPy 2.3 and later print it) in *out; free with plait_free. opts
 * may be NULL. Of an array that is summarised, what is shown is read and not much more. Since 0.1.
 */
PLAIT_API plait_status plait_to_text(plait_array *a, const plait_print_opts *opts, char **out);
/* The same to a file, with a newline at the end. Errors also: PLAIT_E_IO. */
PLAIT_API plait_status plait_print(FILE *out, plait_array *a);

PLAIT_END

#endif
