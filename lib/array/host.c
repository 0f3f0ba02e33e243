/*
 * Plait: elements between host memory and arrays.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include <plait/host.h>

#include "alloc.h"
#include "build.h"
#include "error.h"
#include "eval.h"
#include "host_cast.h"
#include "host_io.h"
#include "promote.h"

#include <plait/buffer.h>
#include <stdlib.h>
#include <string.h>

/* So few elements are converted here: it takes less time than a kernel, and no new one has to be built. */
#define FEW 1024

/* ---- in ---- */

plait_array *plait__array_from_memory(plait_ctx *ctx, const void *data, const plait_dims *shape, plait_dtype dtype)
{
    size_t bytes = (size_t)plait_shape_count(*shape) * plait_dtype_size(dtype);
    if (bytes == 0) {
        return plait__build_empty(ctx, dtype, shape);
    }
    plait_buffer_opts opts = PLAIT_BUFFER_OPTS;
    opts.data = data;
    plait_buffer *buffer;
    if (plait_buffer_create(&buffer, ctx, bytes, &opts) != PLAIT_OK) {
        return NULL;
    }
    plait__storage *storage = plait__storage_create(buffer);
    return storage != NULL ? plait__build_stored(ctx, dtype, shape, storage) : NULL;
}

static bool all_zero_or_one(const unsigned char *bytes, size_t n)
{
    unsigned char seen = 0;
    for (size_t i = 0; i < n; i++) {
        seen |= bytes[i];
    }
    return seen <= 1;
}

plait_array *plait_from_host(plait_ctx *ctx, const void *data, plait_dims shape, plait_dtype dtype)
{
    if (plait__ctx_check(ctx, __func__) != PLAIT_OK || plait__check_dtype(ctx, dtype, __func__) != PLAIT_OK ||
        plait__check_shape(&shape, dtype, __func__) != PLAIT_OK) {
        return NULL;
    }
    size_t count = (size_t)plait_shape_count(shape);
    if (count > 0) {
        PLAIT__REQUIRE_ARG_PTR(data);
    }
    if (dtype != PLAIT_BOOL || count == 0 || all_zero_or_one(data, count)) {
        return plait__array_from_memory(ctx, data, &shape, dtype);
    }
    unsigned char *copy = plait__malloc(count);
    if (copy == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        copy[i] = ((const unsigned char *)data)[i] != 0;
    }
    plait_array *a = plait__array_from_memory(ctx, copy, &shape, dtype);
    free(copy);
    return a;
}

/* ---- out ---- */

/* A node of one reference with a's elements in `dtype` and C order; evaluated. */
static plait_status evaluate_cast(plait_array **out, plait_array *a, plait_dtype dtype, const char *function)
{
    plait_array *cast = plait__node_create(a->ctx, PLAIT__NODE_CAST, dtype, &a->shape, &a, 1);
    if (cast == NULL) {
        return plait_last_status();
    }
    plait_status status = plait__eval(a->ctx, &cast, 1, function);
    if (status != PLAIT_OK) {
        plait__node_release(cast);
        return status;
    }
    *out = cast;
    return PLAIT_OK;
}

plait_status plait__array_fetch(plait_array **out, plait_array *a, plait_dtype dtype, const char *function)
{
    if (a->dtype != dtype) {
        return evaluate_cast(out, a, dtype, function);
    }
    PLAIT__TRY(plait__eval(a->ctx, &a, 1, function));
    if (!plait__layout_is_contiguous(&a->shape, &a->layout)) {
        return evaluate_cast(out, a, dtype, function);
    }
    *out = plait__node_retain(a);
    return PLAIT_OK;
}

plait_status plait__array_read(const plait_array *fetched, size_t start, size_t count, void *out)
{
    size_t size = plait_dtype_size((plait_dtype)fetched->dtype);
    return plait_buffer_read(plait_ctx_queue(fetched->ctx), fetched->storage->buffer,
                             ((size_t)fetched->layout.offset + start) * size, out, count * size);
}

static plait_status read_all(plait_array *a, void *out, plait_dtype dtype, const char *function)
{
    plait_array *fetched;
    PLAIT__TRY(plait__array_fetch(&fetched, a, dtype, function));
    plait_status status = plait__array_read(fetched, 0, (size_t)plait__node_count(a), out);
    plait__node_release(fetched);
    return status;
}

static void convert(void *out, plait_dtype dtype, const void *elements, plait_dtype from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        plait__value value = plait__element_load(from, (const char *)elements + i * plait_dtype_size(from));
        plait__element_store((char *)out + i * plait_dtype_size(dtype), dtype, from, value);
    }
}

plait_status plait__array_to_memory(plait_array *a, void *out, plait_dtype dtype, const char *function)
{
    plait_dtype own = (plait_dtype)a->dtype;
    size_t count = (size_t)plait__node_count(a);
    if (a->ctx == NULL) {
        plait__element_store(out, dtype, own, a->value);
        return PLAIT_OK;
    }
    if (count == 0) {
        return PLAIT_OK;
    }
    bool device_can = dtype != PLAIT_F64 || plait__ctx_caps(a->ctx)->fp64;
    if (dtype == own || (count > FEW && device_can)) {
        return read_all(a, out, dtype, function);
    }
    void *elements = plait__alloc_array(count, plait_dtype_size(own));
    if (elements == NULL) {
        return PLAIT_E_NO_MEMORY;
    }
    plait_status status = read_all(a, elements, own, function);
    if (status == PLAIT_OK) {
        convert(out, dtype, elements, own, count);
    }
    free(elements);
    return status;
}

plait_status plait_to_host(plait_array *a, void *out, size_t count, plait_dtype dtype)
{
    PLAIT__TRY(plait__check_input(a, __func__, "a"));
    dtype = dtype == PLAIT_DTYPE_DEFAULT ? (plait_dtype)a->dtype : dtype;
    PLAIT__REQUIRE(plait__dtype_of_arrays(dtype), PLAIT_E_DTYPE,
                   "%s: arrays do not have the dtype %s yet; they have %s", __func__, plait_dtype_name(dtype),
                   PLAIT__ARRAY_DTYPES);
    PLAIT__TRY(plait__check_conversion((plait_dtype)a->dtype, dtype, __func__));
    char text[PLAIT__SHAPE_TEXT];
    size_t elements = (size_t)plait__node_count(a);
    PLAIT__REQUIRE(count == elements, PLAIT_E_RANGE,
                   "%s: out has room for %zu elements, but the array of shape %s has %zu", __func__, count,
                   plait__shape_text(text, a->shape), elements);
    if (count > 0) {
        PLAIT__REQUIRE_ARG(out);
    }
    return plait__array_to_memory(a, out, dtype, __func__);
}

/* The one element, as `dtype`. */
static plait_status item(plait_array *a, void *out, plait_dtype dtype, const char *function)
{
    PLAIT__TRY(plait__check_input(a, function, "a"));
    if (out == NULL) {
        return plait__fail_null(function, "out");
    }
    plait_dtype own = (plait_dtype)a->dtype;
    PLAIT__TRY(plait__check_conversion(own, dtype, function));
    char text[PLAIT__SHAPE_TEXT];
    PLAIT__REQUIRE(plait__node_count(a) == 1, PLAIT_E_RANGE, "%s: the array of shape %s has %lld elements, not one",
                   function, plait__shape_text(text, a->shape), (long long)plait__node_count(a));
    plait__value value = a->value;
    if (a->ctx != NULL) {
        unsigned char element[16];
        PLAIT__TRY(plait__eval(a->ctx, &a, 1, function));
        /* One element lies at the offset whatever the strides are. */
        PLAIT__TRY(plait__array_read(a, 0, 1, element));
        value = plait__element_load(own, element);
    }
    plait__element_store(out, dtype, own, value);
    return PLAIT_OK;
}

plait_status plait_item(plait_array *a, double *out)
{
    return item(a, out, PLAIT_F64, __func__);
}

plait_status plait_item_int(plait_array *a, int64_t *out)
{
    return item(a, out, PLAIT_I64, __func__);
}
