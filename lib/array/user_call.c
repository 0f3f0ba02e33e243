/*
 * Plait: users' kernels in array expressions.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 * A call is a node of the family below. It holds a copy of the arguments in which arrays are numbered: an argument of
 * kind IN has in value.u the number of its input, OUT and INOUT that of their result.
 */
#include <plait/user.h>

#include "alloc.h"
#include "build.h"
#include "error.h"
#include "family.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- arguments ---- */

static plait_arg array_arg(plait_arg_kind kind, const plait_array *a)
{
    return (plait_arg){
        .kind = (int32_t)kind,
        .pointer = a,
        .dtype = (int32_t)plait_array_dtype(a),
        .shape = plait_array_shape(a),
    };
}

plait_arg plait_arg_in(plait_array *a)
{
    return array_arg(PLAIT_ARG_IN, a);
}

plait_arg plait_arg_inout(plait_array *a)
{
    return array_arg(PLAIT_ARG_INOUT, a);
}

plait_arg plait_arg_out(plait_dtype dtype, plait_dims shape)
{
    return (plait_arg){.kind = PLAIT_ARG_OUT, .dtype = (int32_t)dtype, .shape = shape};
}

/* ---- the node ---- */

typedef struct user_call {
    plait_kernel *kernel; /* a reference */
    plait_grid grid;
    plait_arg *args;
    size_t n_args;
    unsigned char *bytes; /* what PLAIT_ARG_BYTES point to */
    int *copied;          /* of each result: the input it starts as, -1: none */
    size_t n_out;
} user_call;

static void release_call(void *p)
{
    user_call *call = p;
    if (call != NULL) {
        plait_kernel_release(call->kernel);
        free(call->args);
        free(call->bytes);
        free(call->copied);
        free(call);
    }
}

static int copies_input(const plait_array *node, size_t i)
{
    return ((const user_call *)node->call)->copied[i];
}

static plait_status enqueue(const plait_array *node, plait_queue *queue, plait_kernel *const *kernels,
                            const plait__operand *in, const plait__operand *out)
{
    (void)kernels;
    const user_call *call = node->call;
    plait_arg *args = plait__alloc_array(call->n_args, sizeof *args);
    if (args == NULL) {
        return PLAIT_E_NO_MEMORY;
    }
    /* Stands for operands without elements. */
    plait_buffer *empty;
    plait_status status = plait_buffer_create(&empty, node->ctx, 0, NULL);
    for (size_t i = 0; i < call->n_args && status == PLAIT_OK; i++) {
        args[i] = call->args[i];
        bool is_in = args[i].kind == PLAIT_ARG_IN;
        if (is_in || args[i].kind == PLAIT_ARG_OUT || args[i].kind == PLAIT_ARG_INOUT) {
            plait_buffer *buffer = (is_in ? in : out)[args[i].value.u].buffer;
            args[i] = plait_arg_buffer(buffer != NULL ? buffer : empty);
        }
    }
    if (status == PLAIT_OK) {
        status = plait_launch_n(queue, call->kernel, call->grid, args, call->n_args, NULL);
    }
    plait_buffer_release(empty);
    free(args);
    return status;
}

static void explain(const plait_array *node, char *line, size_t size)
{
    const user_call *call = node->call;
    int n = snprintf(line, size, "call %s, grid", plait_kernel_name(call->kernel));
    for (uint32_t i = 0; i < call->grid.dims && n > 0 && (size_t)n < size; i++) {
        n += snprintf(line + n, size - (size_t)n, "%s %zu", i > 0 ? " x" : "", call->grid.global[i]);
    }
}

static const plait__family family = {
    .name = "call",
    .enqueue = enqueue,
    .copies_input = copies_input,
    .explain = explain,
    .release_call = release_call,
};

/* ---- the builder ---- */

/* Inputs and results, in the order of the arguments. */
typedef struct operands {
    plait_array **inputs;
    size_t n_in;
    plait_dtype *dtypes;
    plait_dims *shapes;
    size_t n_out;
} operands;

static void free_operands(operands *o)
{
    free(o->inputs);
    free(o->dtypes);
    free(o->shapes);
}

static user_call *new_call(operands *o, plait_kernel *kernel, plait_grid grid, const plait_arg *args, size_t n_args)
{
    user_call *call = plait__calloc(1, sizeof *call);
    if (call == NULL) {
        return NULL;
    }
    size_t bytes = 0;
    for (size_t i = 0; i < n_args; i++) {
        bytes += args[i].kind == PLAIT_ARG_BYTES ? args[i].bytes : 0;
    }
    call->kernel = plait_kernel_retain(kernel);
    call->grid = grid;
    call->n_args = n_args;
    call->args = plait__memdup(args, n_args * sizeof *args);
    call->bytes = call->args != NULL ? plait__malloc(bytes) : NULL;
    call->copied = call->bytes != NULL ? plait__alloc_array(n_args, sizeof *call->copied) : NULL;
    o->inputs = call->copied != NULL ? plait__alloc_array(n_args, sizeof *o->inputs) : NULL;
    o->dtypes = o->inputs != NULL ? plait__alloc_array(n_args, sizeof *o->dtypes) : NULL;
    o->shapes = o->dtypes != NULL ? plait__alloc_array(n_args, sizeof *o->shapes) : NULL;
    if (o->shapes == NULL) {
        release_call(call);
        return NULL;
    }
    return call;
}

/* Numbers the arrays and copies what is borrowed. The arguments were checked. */
static void take_arguments(user_call *call, operands *o)
{
    unsigned char *bytes = call->bytes;
    for (size_t i = 0; i < call->n_args; i++) {
        plait_arg *arg = &call->args[i];
        int input = -1;
        switch (arg->kind) {
        case PLAIT_ARG_IN:
        case PLAIT_ARG_INOUT:
            input = (int)o->n_in;
            o->inputs[o->n_in++] = (plait_array *)(uintptr_t)arg->pointer; /* plait_arg_in had it without const */
            arg->value.u = (uint64_t)input;
            break;
        case PLAIT_ARG_BYTES:
            memcpy(bytes, arg->pointer, arg->bytes);
            arg->pointer = bytes;
            bytes += arg->bytes;
            break;
        default:
            break;
        }
        if (arg->kind == PLAIT_ARG_OUT || arg->kind == PLAIT_ARG_INOUT) {
            arg->value.u = o->n_out;
            call->copied[o->n_out] = input;
            o->dtypes[o->n_out] = (plait_dtype)arg->dtype;
            o->shapes[o->n_out] = arg->shape;
            o->n_out++;
        }
    }
    call->n_out = o->n_out;
}

static plait_status check_arrays(plait_kernel *kernel, const plait_arg *args, size_t n_args, size_t n_out,
                                 const char *function)
{
    plait_ctx *ctx = plait_kernel_ctx(kernel);
    size_t writes = 0;
    for (size_t i = 0; i < n_args; i++) {
        char name[48];
        snprintf(name, sizeof name, "the array of argument %zu", i);
        if (args[i].kind == PLAIT_ARG_IN || args[i].kind == PLAIT_ARG_INOUT) {
            const plait_array *a = args[i].pointer;
            PLAIT__TRY(plait__check_array(a, function, name));
            PLAIT__REQUIRE(a->ctx == ctx, PLAIT_E_CONTEXT,
                           "%s: the kernel %s belongs to a context on %s, the array of argument %zu to another on %s",
                           function, plait_kernel_name(kernel), plait_ctx_device(ctx)->name, i,
                           plait_ctx_device(a->ctx)->name);
        } else if (args[i].kind == PLAIT_ARG_OUT) {
            plait_dtype dtype = (plait_dtype)args[i].dtype;
            PLAIT__TRY(plait__check_dtype(ctx, dtype, function));
            PLAIT__TRY(plait__check_shape(&args[i].shape, dtype, function));
        }
        writes += args[i].kind == PLAIT_ARG_OUT || args[i].kind == PLAIT_ARG_INOUT;
    }
    PLAIT__REQUIRE(writes > 0, PLAIT_E_ARGUMENT,
                   "%s: a call of %s without PLAIT_OUT and PLAIT_INOUT has no result and would never run", function,
                   plait_kernel_name(kernel));
    PLAIT__REQUIRE(writes == n_out, PLAIT_E_ARGUMENT,
                   "%s: %s has %zu results (PLAIT_OUT and PLAIT_INOUT), n_out is %zu", function,
                   plait_kernel_name(kernel), writes, n_out);
    return PLAIT_OK;
}

static plait_status call_n(plait_array **out, size_t n_out, plait_kernel *kernel, plait_grid grid,
                           const plait_arg *args, size_t n_args, const char *function)
{
    if (kernel == NULL) {
        return plait__fail_null(function, "kernel");
    }
    if (args == NULL && n_args > 0) {
        return plait__fail_null(function, "args");
    }
    PLAIT__TRY(plait__ctx_check(plait_kernel_ctx(kernel), function));
    PLAIT__TRY(check_arrays(kernel, args, n_args, n_out, function));
    if (out == NULL) {
        return plait__fail_null(function, "out");
    }
    PLAIT__TRY(plait__launch_check(kernel, &grid, args, n_args, function));

    operands o = {0};
    user_call *call = new_call(&o, kernel, grid, args, n_args);
    plait_status status = PLAIT_E_NO_MEMORY;
    if (call != NULL) {
        take_arguments(call, &o);
        status = plait__family_build(out, n_out, &family, call, plait_kernel_ctx(kernel), o.inputs, o.n_in, o.dtypes,
                                     o.shapes);
    }
    free_operands(&o);
    return status;
}

plait_status plait_call_n(plait_array **out, size_t n_out, plait_kernel *kernel, plait_grid grid, const plait_arg *args,
                          size_t n_args)
{
    for (size_t i = 0; out != NULL && i < n_out; i++) {
        out[i] = NULL;
    }
    return call_n(out, n_out, kernel, grid, args, n_args, __func__);
}

plait_array *plait_call1_n(plait_kernel *kernel, plait_grid grid, const plait_arg *args, size_t n_args)
{
    plait_array *out = NULL;
    call_n(&out, 1, kernel, grid, args, n_args, __func__);
    return out;
}
