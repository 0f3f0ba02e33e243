/*
 * Node families: kernels that the array layer does not generate - matrix products, transforms, users' own. A higher
 * layer registers nothing; it builds nodes that carry a pointer to its table. Copyright 2026 The Plait authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef PLAIT__FAMILY_H
#define PLAIT__FAMILY_H

#include "node.h"

/* An operand as the family sees it when the node runs. */
typedef struct plait__operand {
    plait_buffer *buffer; /* borrowed; NULL if it has no elements */
    plait_dtype dtype;
    plait_dims shape;
    plait__layout layout;
} plait__operand;

#define PLAIT__FAMILY_KERNELS 4

/* A kernel the family wants built. The strings are the family's, alive until enqueue returns (static, or in the call).
 */
typedef struct plait__kernel_request {
    const char *program_name;
    const char *text; /* may #include embedded files */
    const char *options;
    const char *kernel_name;
} plait__kernel_request;

typedef struct plait__family {
    const char *name; /* in errors, traces and explanations: "matmul" */

    /*
     * Whether input `i` may be handed over in this layout. If not, the engine hands over a contiguous copy. NULL: only
     * contiguous layouts at offset 0 (what users' kernels get).
     */
    bool (*accepts)(const plait_array *node, size_t i, const plait_dims *shape, const plait__layout *layout);

    /*
     * Names the kernels that running `node` on these operands takes: fills requests[0..*n), n <= PLAIT__FAMILY_KERNELS.
     * Pure; called under the evaluation lock, perhaps several times. NULL: none.
     */
    plait_status (*plan)(const plait_array *node, const plait__operand *in, const plait__operand *out,
                         plait__kernel_request *requests, size_t *n);

    /*
     * Enqueues the work. Outputs are allocated, contiguous, uninitialised (an INOUT's starts as a copy made by the
     * engine if copies_input says so). Called under the evaluation lock: enqueue only, no build, no wait.
     */
    plait_status (*enqueue)(const plait_array *node, plait_queue *queue, plait_kernel *const *kernels,
                            const plait__operand *in, const plait__operand *out);

    /* The input whose contents output `i` starts with, -1: none. NULL: none for all. */
    int (*copies_input)(const plait_array *node, size_t i);

    /* One line for plait_explain. NULL: the name. */
    void (*explain)(const plait_array *node, char *line, size_t size);

    void (*release_call)(void *call); /* frees node->call; NULL: nothing to free */
} plait__family;

/*
 * A node of a family with its outputs 1.. as OUTPUT nodes of it. Inputs are borrowed and retained. `call` is taken
 * over, also on failure. out[0..n_out) receive nodes that belong to the calling thread's innermost scope.
 */
plait_status plait__family_build(plait_array **out, size_t n_out, const plait__family *family, void *call,
                                 plait_ctx *ctx, plait_array *const *inputs, size_t n_in, const plait_dtype *dtypes,
                                 const plait_dims *shapes);

#endif
