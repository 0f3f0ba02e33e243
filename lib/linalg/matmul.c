/*
 * The matrix product: the builder, and the family whose kernels are in cl/matmul.cl and cl/matvec.cl.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include <plait/linalg.h>

#include <plait/create.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "build.h"
#include "error.h"
#include "matmul_choice.h"
#include "promote.h"
#include "strbuf.h"

/* ---- the texts of kernels: one for each row and dtype, made when first needed, alive as long as the context ---- */

typedef struct linalg_state {
    char *texts[PLAIT__MATMUL_ROW_COUNT][PLAIT_DTYPE_COUNT_]; /* under the evaluation lock */
} linalg_state;

static void *state_attach(plait_ctx *ctx)
{
    (void)ctx;
    return plait__calloc(1, sizeof(linalg_state));
}

static void state_free(void *memory)
{
    linalg_state *state = memory;
    for (size_t i = 0; i < PLAIT__MATMUL_ROW_COUNT; i++) {
        for (size_t j = 0; j < PLAIT_DTYPE_COUNT_; j++) {
            free(state->texts[i][j]);
        }
    }
    free(state);
}

static const plait__slot_ops state_ops = {.attach = state_attach, .on_free = state_free};

static char *make_text(const plait__matmul_row *row, const plait__matmul_type *type)
{
    plait__strbuf s = {0};
    plait__strbuf_printf(&s,
                         "#define REAL %s\n#define STORED %s\n#define COMPLEX %d\n#define LANES %u\n#define IS_%s 1\n",
                         type->real, type->stored, type->complex, type->lanes,
                         strcmp(type->real, "float") == 0    ? "F32"
                         : strcmp(type->real, "double") == 0 ? "F64"
                                                             : "INTEGER");
    switch (row->form) {
    case PLAIT__MATMUL_TILES:
        plait__strbuf_printf(&s,
                             "#define FORM_TILES 1\n#define WAVES_N %u\n#define WAVES_M %u\n#define LANES_N %u\n"
                             "#define LANES_M %u\n#define QUADS_N %u\n#define QUADS_M %u\n#define DEPTH %u\n",
                             row->waves_n, row->waves_m, row->lanes_n, row->lanes_m, row->quads_n, row->quads_m,
                             row->depth);
        break;
    case PLAIT__MATMUL_BLOCKS:
        plait__strbuf_printf(&s, "#define FORM_TILES 0\n#define HEIGHT %u\n", row->height);
        break;
    case PLAIT__MATMUL_GROUPS:
        plait__strbuf_printf(&s, "#define FORM_DEVICE 1\n#define ITEMS %u\n", row->items);
        break;
    case PLAIT__MATMUL_RUNS:
        plait__strbuf_add(&s, "#define FORM_DEVICE 0\n");
        break;
    }
    const bool matrix = row->form == PLAIT__MATMUL_TILES || row->form == PLAIT__MATMUL_BLOCKS;
    plait__strbuf_printf(&s, "#include \"%s\"\n", matrix ? "matmul.cl" : "matvec.cl");
    return plait__strbuf_take(&s);
}

/* ---- the family ---- */

static bool matmul_accepts(const plait_array *node, size_t i, const plait_dims *shape, const plait__layout *layout)
{
    (void)node;
    (void)i;
    return plait__matmul_accepts(shape, layout);
}

static plait_status request(plait__kernel_request *out, plait_ctx *ctx, const plait__matmul_launch *launch,
                            plait_dtype dtype)
{
    linalg_state *state = plait__ctx_state(ctx, PLAIT__SLOT_LINALG, &state_ops);
    if (state == NULL) {
        return plait_last_status();
    }
    char **text = &state->texts[launch->row - plait__matmul_rows][dtype];
    if (*text == NULL) {
        *text = make_text(launch->row, plait__matmul_type_of(dtype));
    }
    if (*text == NULL) {
        return plait_last_status();
    }
    *out = (plait__kernel_request){.program_name = "matmul",
                                   .text = *text,
                                   .options = plait__ctx_caps(ctx)->build_options,
                                   .kernel_name = launch->kernel_name};
    return PLAIT_OK;
}

static plait_status matmul_plan(const plait_array *node, const plait__operand *in, const plait__operand *out,
                                plait__kernel_request *requests, size_t *n)
{
    plait__matmul_choice choice;
    plait__matmul_choose(&choice, plait__ctx_caps(node->ctx), out->dtype, in);
    *n = 0;
    PLAIT__TRY(request(&requests[(*n)++], node->ctx, &choice.product, out->dtype));
    if (choice.product.parts > 1) {
        PLAIT__TRY(request(&requests[(*n)++], node->ctx, &choice.sum, out->dtype));
    }
    return PLAIT_OK;
}

/* The longest list of arguments is that of matmul_blocks. */
typedef struct arg_list {
    plait__raw_arg args[17];
    size_t n;
} arg_list;

static void add_buffer(arg_list *list, plait_buffer *buffer)
{
    list->args[list->n++] = (plait__raw_arg){.buffer = buffer};
}

static void add_long(arg_list *list, int64_t value)
{
    plait__raw_arg *arg = &list->args[list->n++];
    *arg = (plait__raw_arg){.size = sizeof value};
    memcpy(arg->value, &value, sizeof value);
}

static void add_int(arg_list *list, int32_t value)
{
    plait__raw_arg *arg = &list->args[list->n++];
    *arg = (plait__raw_arg){.size = sizeof value};
    memcpy(arg->value, &value, sizeof value);
}

static plait_status launch(plait_queue *queue, plait_kernel *kernel, const plait__matmul_launch *l,
                           const arg_list *list)
{
    const size_t group = l->row->items;
    return plait__launch_raw(queue, kernel, 1, &l->global, &group, list->args, list->n, NULL);
}

static plait_status launch_matrix(plait_queue *queue, plait_kernel *kernel, const plait__matmul_choice *choice,
                                  const plait__operand *in, plait_buffer *to, int64_t to_offset)
{
    const plait__matmul_launch *l = &choice->product;
    arg_list list = {.n = 0};
    for (int i = 0; i < 2; i++) {
        add_buffer(&list, in[i].buffer);
        add_long(&list, choice->in[i].offset);
        add_long(&list, choice->in[i].row);
        add_long(&list, choice->in[i].col);
    }
    add_buffer(&list, to);
    add_long(&list, to_offset);
    add_long(&list, l->n);
    add_long(&list, l->k);
    add_long(&list, l->m);
    add_long(&list, l->part);
    if (l->row->form == PLAIT__MATMUL_TILES) {
        return launch(queue, kernel, l, &list);
    }
    plait_buffer *scratch;
    PLAIT__TRY(plait_buffer_create(&scratch, plait_kernel_ctx(kernel), l->scratch, NULL));
    add_buffer(&list, scratch);
    add_long(&list, l->height);
    add_long(&list, l->width);
    const plait_status status = launch(queue, kernel, l, &list);
    plait_buffer_release(scratch);
    return status;
}

/* y (n) = x v, or with v NULL the sum of x's rows. */
static plait_status launch_vector(plait_queue *queue, plait_kernel *kernel, const plait__matmul_launch *l,
                                  plait_buffer *x, int64_t x_offset, int64_t pitch, plait_buffer *v, int64_t v_offset,
                                  plait_buffer *y, int64_t y_offset, bool columns)
{
    arg_list list = {.n = 0};
    add_buffer(&list, x);
    add_long(&list, x_offset);
    add_long(&list, pitch);
    add_buffer(&list, v);
    add_long(&list, v_offset);
    add_buffer(&list, y);
    add_long(&list, y_offset);
    add_long(&list, l->n);
    add_long(&list, l->k);
    add_long(&list, l->part);
    if (l->row->form == PLAIT__MATMUL_GROUPS) {
        add_int(&list, l->lanes);
    }
    if (columns) {
        add_int(&list, v != NULL);
    }
    return launch(queue, kernel, l, &list);
}

static plait_status launch_product(const plait__matmul_choice *choice, plait_queue *queue, plait_kernel *kernel,
                                   const plait__operand *in, plait_buffer *to, int64_t to_offset)
{
    const plait__matmul_form form = choice->product.row->form;
    if (form == PLAIT__MATMUL_TILES || form == PLAIT__MATMUL_BLOCKS) {
        return launch_matrix(queue, kernel, choice, in, to, to_offset);
    }
    const int matrix = choice->matrix, v = 1 - matrix;
    return launch_vector(queue, kernel, &choice->product, in[matrix].buffer, choice->in[matrix].offset, choice->pitch,
                         in[v].buffer, choice->in[v].offset, to, to_offset, choice->columns);
}

static plait_status matmul_enqueue(const plait_array *node, plait_queue *queue, plait_kernel *const *kernels,
                                   const plait__operand *in, const plait__operand *out)
{
    plait__matmul_choice choice;
    plait__matmul_choose(&choice, plait__ctx_caps(node->ctx), out->dtype, in);
    if (choice.product.parts == 1) {
        return launch_product(&choice, queue, kernels[0], in, out->buffer, out->layout.offset);
    }
    const size_t results = (size_t)(choice.product.n * choice.product.m);
    plait_buffer *partial;
    PLAIT__TRY(plait_buffer_create(&partial, node->ctx,
                                   results * (size_t)choice.product.parts * plait_dtype_size(out->dtype), NULL));
    plait_status status = launch_product(&choice, queue, kernels[0], in, partial, 0);
    if (status == PLAIT_OK) {
        status = launch_vector(queue, kernels[1], &choice.sum, partial, 0, (int64_t)results, NULL, 0, out->buffer,
                               out->layout.offset, true);
    }
    plait_buffer_release(partial);
    return status;
}

static void matmul_explain(const plait_array *node, char *line, size_t size)
{
    char a[PLAIT__SHAPE_TEXT], b[PLAIT__SHAPE_TEXT];
    snprintf(line, size, "matmul %s x %s, %s", plait__shape_text(a, node->in[0]->shape),
             plait__shape_text(b, node->in[1]->shape), plait_dtype_name(node->dtype));
}

static const plait__family matmul_family = {
    .name = "matmul",
    .accepts = matmul_accepts,
    .plan = matmul_plan,
    .enqueue = matmul_enqueue,
    .explain = matmul_explain,
};

/* ---- the builder ---- */

/* The product's shape: PLAIT_E_SHAPE with both shapes. */
static plait_status product_shape(plait_dims *out, const plait_array *a, const plait_array *b)
{
    char ta[PLAIT__SHAPE_TEXT], tb[PLAIT__SHAPE_TEXT];
    plait__shape_text(ta, a->shape);
    plait__shape_text(tb, b->shape);
    PLAIT__REQUIRE(a->shape.n >= 1 && b->shape.n >= 1, PLAIT_E_SHAPE,
                   "plait_matmul: shapes %s and %s: a 0-dimensional operand has no matrix product; use plait_multiply",
                   ta, tb);
    PLAIT__REQUIRE(a->shape.n <= 2 && b->shape.n <= 2, PLAIT_E_SHAPE,
                   "plait_matmul: shapes %s and %s: operands of more than 2 dimensions are not supported yet", ta, tb);
    const int64_t inner = a->shape.d[a->shape.n - 1];
    PLAIT__REQUIRE(inner == b->shape.d[0], PLAIT_E_SHAPE,
                   "plait_matmul: shapes %s and %s do not fit together: the last axis of a has %lld elements, the "
                   "first axis of b %lld",
                   ta, tb, (long long)inner, (long long)b->shape.d[0]);
    *out = plait_shape(0, NULL);
    if (a->shape.n == 2) {
        out->d[out->n++] = a->shape.d[0];
    }
    if (b->shape.n == 2) {
        out->d[out->n++] = b->shape.d[1];
    }
    return PLAIT_OK;
}

static plait_status check(plait_ctx **ctx, plait_dims *shape, plait_dtype *dtype, plait_array *const inputs[2])
{
    PLAIT__TRY(plait__check_array(inputs[0], "plait_matmul", "a"));
    PLAIT__TRY(plait__check_array(inputs[1], "plait_matmul", "b"));
    PLAIT__TRY(plait__check_contexts(ctx, inputs, 2, "plait_matmul"));
    PLAIT__TRY(product_shape(shape, inputs[0], inputs[1]));
    PLAIT__TRY(plait__common_dtype(dtype, inputs, 2, plait__ctx_caps(*ctx)->real, "plait_matmul"));
    PLAIT__REQUIRE(*dtype != PLAIT_BOOL, PLAIT_E_DTYPE,
                   "plait_matmul: the product of two bool arrays is not defined here; cast one with plait_astype");
    return plait__check_shape(shape, *dtype, "plait_matmul");
}

plait_array *plait_matmul(plait_array *a, plait_array *b)
{
    plait_array *inputs[2] = {a, b};
    plait_ctx *ctx;
    plait_dims shape;
    plait_dtype dtype;
    if (check(&ctx, &shape, &dtype, inputs) != PLAIT_OK) {
        return NULL;
    }
    if (plait_array_count(a) == 0 || plait_array_count(b) == 0) {
        return plait_zeros(ctx, shape, dtype);
    }
    for (int i = 0; i < 2; i++) {
        inputs[i] = plait__build_cast(inputs[i], dtype);
        if (inputs[i] == NULL) {
            return NULL;
        }
    }
    plait_array *out = NULL;
    plait__family_build(&out, 1, &matmul_family, NULL, ctx, inputs, 2, &dtype, &shape);
    return out;
}
