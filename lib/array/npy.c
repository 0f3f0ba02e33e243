/*
 * Plait: .npy files.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include <plait/host.h>

#include "alloc.h"
#include "build.h"
#include "dtypes.h"
#include "error.h"
#include "file.h"
#include "host_io.h"
#include "npy_format.h"
#include "promote.h"

#include <stdlib.h>

/* Maps and parses a file; on success the caller unmaps it. */
static plait_status open_npy(plait__mapping *file, plait__npy_header *header, const char *path, const char *function)
{
    PLAIT__TRY(plait__file_map(file, path));
    plait__strbuf who = {0};
    plait__strbuf_printf(&who, "%s: %s", function, path);
    plait_status status = who.status;
    if (status == PLAIT_OK) {
        status = plait__npy_parse(header, plait__strbuf_text(&who), file->data, file->size);
    }
    plait__strbuf_free(&who);
    if (status != PLAIT_OK) {
        plait__file_unmap(file);
    }
    return status;
}

static const void *elements_of(const plait__mapping *file, const plait__npy_header *header)
{
    return (const char *)file->data + header->data_at;
}

/* The elements as `dtype` in memory of their own, freed with free(). */
static void *convert(const plait__mapping *file, const plait__npy_header *header, plait_dtype dtype)
{
    void *data = plait__alloc_array(header->count, plait_dtype_size(dtype));
    if (data != NULL) {
        plait__npy_convert(data, dtype, header, elements_of(file, header));
    }
    return data;
}

/* ---- host memory ---- */

plait_status plait_npy_read(const char *path, plait_npy *out)
{
    PLAIT__REQUIRE_ARG(out);
    *out = (plait_npy){0};
    PLAIT__REQUIRE_ARG(path);
    plait__mapping file;
    plait__npy_header header;
    PLAIT__TRY(open_npy(&file, &header, path, __func__));
    void *data = convert(&file, &header, header.dtype);
    plait__file_unmap(&file);
    if (data == NULL) {
        return PLAIT_E_NO_MEMORY;
    }
    *out = (plait_npy){.dtype = header.dtype, .shape = header.shape, .data = data, .bytes = header.bytes};
    return PLAIT_OK;
}

void plait_npy_free(plait_npy *npy)
{
    if (npy != NULL) {
        free(npy->data);
        *npy = (plait_npy){0};
    }
}

static plait_status write_npy(const char *path, const void *data, plait_dims shape, plait_dtype dtype)
{
    plait__strbuf head = {0};
    plait__npy_head(&head, shape, dtype);
    plait_status status = head.status;
    if (status == PLAIT_OK) {
        const plait__part parts[2] = {
            {head.text, head.length},
            {data, (size_t)plait_shape_count(shape) * plait_dtype_size(dtype)},
        };
        status = plait__file_write(path, parts, parts[1].size > 0 ? 2 : 1, 0666);
    }
    plait__strbuf_free(&head);
    return status;
}

plait_status plait_npy_write(const char *path, const void *data, plait_dims shape, plait_dtype dtype)
{
    PLAIT__REQUIRE_ARG(path);
    const plait__dtype_row *row = plait__dtype_info(dtype);
    PLAIT__REQUIRE(row != NULL && row->npy != '\0', PLAIT_E_DTYPE, "%s: the format has no dtype %s", __func__,
                   plait_dtype_name(dtype));
    PLAIT__TRY(plait__check_shape(&shape, dtype, __func__));
    if (plait_shape_count(shape) > 0) {
        PLAIT__REQUIRE_ARG(data);
    }
    return write_npy(path, data, shape, dtype);
}

/* ---- arrays ---- */

plait_array *plait_load_npy(plait_ctx *ctx, const char *path)
{
    if (plait__ctx_check(ctx, __func__) != PLAIT_OK) {
        return NULL;
    }
    PLAIT__REQUIRE_ARG_PTR(path);
    plait__mapping file;
    plait__npy_header header;
    if (open_npy(&file, &header, path, __func__) != PLAIT_OK) {
        return NULL;
    }
    plait_array *a = NULL;
    plait_dtype dtype = plait__npy_array_dtype(header.dtype);
    if (dtype == PLAIT_DTYPE_DEFAULT) {
        plait__fail(PLAIT_E_DTYPE,
                    "%s: %s has the dtype %s; arrays have no dtype that holds all its values yet (they have %s); "
                    "plait_npy_read reads it into host memory",
                    __func__, path, plait_dtype_name(header.dtype), PLAIT__ARRAY_DTYPES);
    } else if (plait__check_dtype(ctx, dtype, __func__) == PLAIT_OK) {
        void *converted = NULL;
        const void *data = elements_of(&file, &header);
        if (!plait__npy_is_plain(&header, dtype)) {
            data = converted = convert(&file, &header, dtype);
        }
        a = data != NULL ? plait__array_from_memory(ctx, data, &header.shape, dtype) : NULL;
        free(converted);
    }
    plait__file_unmap(&file);
    return a;
}

plait_status plait_save_npy(const char *path, plait_array *a)
{
    PLAIT__REQUIRE_ARG(path);
    PLAIT__TRY(plait__check_input(a, __func__, "a"));
    plait_dtype dtype = (plait_dtype)a->dtype;
    void *data = plait__alloc_array(plait_array_count(a), plait_dtype_size(dtype));
    if (data == NULL) {
        return PLAIT_E_NO_MEMORY;
    }
    plait_status status = plait__array_to_memory(a, data, dtype, __func__);
    if (status == PLAIT_OK) {
        status = write_npy(path, data, a->shape, dtype);
    }
    free(data);
    return status;
}
