/*
 * An array is a node of an expression graph.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 * What a node computes (kind, dtype, shape, parameters) never changes. Its state goes once from pending to ready, under
 * its context's evaluation lock (array_ctx.h); becoming ready sets `storage` and the layout, then publishes the state
 * with release order, then drops the inputs. So: whoever reads PLAIT__READY (acquire) may read storage and layout
 * without the lock; inputs may be followed only under the lock or while building a node from handles the caller holds.
 *
 * References, all counted in `refs`: `kept` of them are the callers', others belong to scopes, to nodes that have this
 * one as an input, and for a moment to evaluations. `handles` counts the callers' and the scopes': through them
 * somebody may still ask for this array, or build on it. A node that has lost its last handle never gets one again.
 */
#ifndef PLAIT__NODE_H
#define PLAIT__NODE_H

#include <plait/array.h>
#include <plait/kernel.h>
#include <stdatomic.h>

#include "op_table.h"
#include "reduction_table.h"
#include "runtime.h"

#define PLAIT__MAX_INPUTS 16 /* of elementwise nodes; user kernels may have more */

typedef enum plait__node_kind {
    PLAIT__NODE_NUMBER,      /* weak scalar: value; no context, 0-d */
    PLAIT__NODE_STORED,      /* made from host memory or a buffer: ready from the start */
    PLAIT__NODE_CONSTANT,    /* every element is `value` (of the node's dtype) */
    PLAIT__NODE_IOTA,        /* 1-d: number[0] + i * number[1] in the node's dtype */
    PLAIT__NODE_ELEMENTWISE, /* op row over inputs, which have the node's shape or broadcast to it; input dtypes may
                                differ from the row's compute dtype `in_dtype`: the reader casts */
    PLAIT__NODE_MAP,         /* user expression over inputs; text in `text` */
    PLAIT__NODE_CAST,    /* one input, to the node's dtype; also the copy (same dtype) that makes a layout contiguous */
    PLAIT__NODE_AFFINE,  /* view: `affine` maps the node's coordinates to the input's */
    PLAIT__NODE_RESHAPE, /* view: C order, same count */
    PLAIT__NODE_REDUCE,  /* reduction row over the axes in axis_mask (never 0) of input 0; if there are two inputs, the
                            second is a bool mask of the first one's shape */
    PLAIT__NODE_FAMILY,  /* a higher layer's or user's kernel: `family`, `call`; writes its storage alone */
    PLAIT__NODE_OUTPUT,  /* result number `output` (> 0) of the FAMILY node that is input 0, whose own result is number
                            0; once that is ready, the storage is in its results[output] */
    PLAIT__NODE_NONE     /* PLAIT_NONE: no array at all; no builder lets it into a graph */
} plait__node_kind;

typedef enum plait__node_state { PLAIT__PENDING = 0, PLAIT__READY = 1 } plait__node_state;

/*
 * coordinate of input axis j = start[j] + sum over node axes i with axis[j] == i of step[j] * coordinate i; axis[j] =
 * -1: start[j] alone. Node axes that no input axis names are broadcast.
 */
typedef struct plait__affine {
    int8_t axis[PLAIT_MAX_DIMS];
    int64_t start[PLAIT_MAX_DIMS];
    int64_t step[PLAIT_MAX_DIMS];
} plait__affine;

/* Where elements are: element (c0, c1, ...) is at offset + sum c_i * strides[i], in elements of the dtype. */
typedef struct plait__layout {
    int64_t offset;
    int64_t strides[PLAIT_MAX_DIMS];
} plait__layout;

/* Device memory shared by nodes; what the elements of the ready ones sit in. */
typedef struct plait__storage {
    atomic_int refs;
    plait_buffer *buffer; /* NULL for no elements */
} plait__storage;

typedef union plait__value {
    int64_t i; /* bool, integers */
    double f;  /* f32 and f64 */
    double c[2];
} plait__value;

/* What a FAMILY node with several results tells about each. */
typedef struct plait__result {
    plait_dtype dtype;
    plait_dims shape;
    plait__storage *storage; /* of results 1 and up: one reference, set by the engine before the node becomes ready */
} plait__result;

struct plait__family; /* family.h */

struct plait_array {
    atomic_int refs;
    atomic_int kept;
    atomic_int handles;                /* kept ones included */
    plait_ctx *ctx;                    /* owns a reference; NULL for numbers */
    struct plait__array_state *arrays; /* the context's, see array_ctx.h; NULL for numbers */
    uint8_t kind;                      /* plait__node_kind */
    uint8_t dtype;                     /* plait_dtype */
    bool weak;                         /* a number, or computed from numbers alone */
    _Atomic uint8_t state;
    uint8_t in_dtype;  /* ELEMENTWISE: the dtype in which inputs are handed to the row's expression */
    uint8_t inlined;   /* evaluations that inlined this node although it was kept (saturating) */
    uint8_t axis_mask; /* REDUCE: bit i: axis i of the input is reduced */
    bool keepdims;
    int32_t height; /* longest path of pending nodes below, at building time */
    uint32_t n_in;
    uint32_t output; /* OUTPUT: which */
    uint32_t n_out;  /* FAMILY: results, the node's own included */
    uint64_t mark;   /* scratch of the scheduler, valid under the evaluation lock while its epoch matches */
    plait_dims shape;
    plait__value value;                 /* NUMBER, CONSTANT */
    plait__value number[2];             /* IOTA */
    const plait__op *op;                /* ELEMENTWISE */
    const plait__reduction *reduction;  /* REDUCE */
    plait__affine *affine;              /* AFFINE: owned */
    char *text;                         /* MAP: owned */
    const struct plait__family *family; /* FAMILY */
    void *call;                         /* FAMILY: owned through family->release_call */
    plait__result *results;             /* FAMILY with n_out > 1: n_out of them, owned; else NULL */
    plait_array **in;                   /* n_in references; `in_small` or owned memory; NULL once ready */
    plait_array *in_small[3];
    plait__storage *storage;    /* ready: one reference */
    plait__layout layout;       /* ready */
    atomic_bool pinned;         /* counted in the context's pinned bytes */
    struct plait__track *track; /* with track_leaks: owned, see track.h */
};

static inline bool plait__is_ready(const plait_array *a)
{
    return atomic_load_explicit((const _Atomic uint8_t *)&a->state, memory_order_acquire) == PLAIT__READY;
}

/*
 * A new pending node with one reference, the caller's, that has none of its parameters yet; retains the inputs (of one
 * context, or numbers; at least one of them of `ctx` if there are any). NULL: PLAIT_E_NO_MEMORY.
 */
plait_array *plait__node_create(plait_ctx *ctx, plait__node_kind kind, plait_dtype dtype, const plait_dims *shape,
                                plait_array *const *in, size_t n_in);
/*
 * The same, ready from the start: takes over one reference of `storage`, also on failure. layout NULL: contiguous.
 */
plait_array *plait__node_create_ready(plait_ctx *ctx, plait__node_kind kind, plait_dtype dtype, const plait_dims *shape,
                                      plait__storage *storage, const plait__layout *layout);

/* Elements; bytes of all of them. Neither overflows: builders check shapes. */
static inline int64_t plait__node_count(const plait_array *a)
{
    return plait_shape_count(a->shape);
}

plait_array *plait__node_retain(plait_array *a);

/* For scopes and plait_keep: a reference that the caller holds becomes a handle; a handle is given up, its reference
 * too.
 */
void plait__node_add_handle(plait_array *a);
void plait__node_drop_handle(plait_array *a);

/* Iterative: a chain of any length is freed without recursion. */
void plait__node_release(plait_array *a);

/*
 * Becomes ready: takes over one reference of `storage` and drops the inputs. Only under the evaluation lock, only once.
 */
void plait__node_set_ready(plait_array *a, plait__storage *storage, const plait__layout *layout);

/* A storage over a buffer whose reference it takes over; buffer NULL for no elements. NULL: out of memory (recorded).
 */
plait__storage *plait__storage_create(plait_buffer *buffer);
plait__storage *plait__storage_retain(plait__storage *storage); /* of both NULL is fine */
void plait__storage_release(plait__storage *storage);

/* C-contiguous strides of a shape. */
plait__layout plait__layout_contiguous(const plait_dims *shape);
bool plait__layout_is_contiguous(const plait_dims *shape, const plait__layout *layout);
/* The layout of an affine view of a layout; of a reshape (false: strides do not allow it). */
plait__layout plait__layout_affine(const plait__layout *in, int32_t in_dims, const plait__affine *affine,
                                   int32_t out_dims);
bool plait__layout_reshape(const plait_dims *in_shape, const plait__layout *in, const plait_dims *out_shape,
                           plait__layout *out);

#endif
