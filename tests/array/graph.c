/*
 * Graphs for tests of the scheduler.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "testing.h"

#include "family.h"
#include "graph.h"

#include <math.h>

/* Never followed: it only says that nodes belong to a context. */
static char some_context;

typedef struct known {
    plait_array node;
    double *memory; /* ready: what the layout refers to */
    double *value;
} known;

static known **all;
static size_t n_all;

plait__caps graph_caps = {
    .skeleton = PLAIT__SKELETON_DEVICE,
    .fp64 = true,
    .compute_units = 16,
    .max_group = 256,
    .groups = {256, 64, 32},
    .local_memory = 32768,
    .max_parameter_bytes = 1024,
    .global_memory = 1 << 30,
    .max_allocation = 1 << 28,
    .real = PLAIT_F32,
    .build_options = "",
};

static plait_array *make(plait__node_kind kind, plait_dims shape, plait_array *a, plait_array *b, plait_array *c)
{
    known *k = calloc(1, sizeof *k);
    all = realloc(all, (n_all + 1) * sizeof *all);
    all[n_all++] = k;
    plait_array *node = &k->node;
    atomic_init(&node->refs, 1000);
    node->ctx = (plait_ctx *)&some_context;
    node->kind = (uint8_t)kind;
    node->dtype = PLAIT_F32;
    node->in_dtype = PLAIT_F32;
    node->shape = shape;
    node->in = node->in_small;
    plait_array *in[] = {a, b, c};
    while (node->n_in < 3 && in[node->n_in] != NULL) {
        node->in_small[node->n_in] = in[node->n_in];
        node->n_in++;
    }
    return node;
}

static known *known_of(plait_array *node)
{
    return (known *)node;
}

void graph_clear(void)
{
    for (size_t i = 0; i < n_all; i++) {
        free(all[i]->memory);
        free(all[i]->value);
        free(all[i]->node.affine);
        free(all[i]->node.results);
        free(all[i]);
    }
    free(all);
    all = NULL;
    n_all = 0;
}

plait_array *graph_strided(plait_dims shape, plait__layout layout, size_t n)
{
    plait_array *node = make(PLAIT__NODE_STORED, shape, NULL, NULL, NULL);
    double *memory = calloc(n + 1, sizeof *memory);
    for (size_t i = 0; i < n; i++) {
        memory[i] = (double)(i % 17) - 5;
    }
    known_of(node)->memory = memory;
    node->layout = layout;
    atomic_init(&node->state, PLAIT__READY);
    return node;
}

plait_array *graph_leaf(plait_dims shape, double first)
{
    plait_array *node = graph_strided(shape, plait__layout_contiguous(&shape), (size_t)plait_shape_count(shape));
    for (int64_t i = 0; i < plait_shape_count(shape); i++) {
        known_of(node)->memory[i] = first + (double)(i % 1000);
    }
    return node;
}

plait_array *graph_number(double value)
{
    plait_array *node = make(PLAIT__NODE_NUMBER, PLAIT_SCALAR_SHAPE, NULL, NULL, NULL);
    node->ctx = NULL;
    node->dtype = PLAIT_F64;
    node->weak = true;
    node->value.f = value;
    return node;
}

plait_array *graph_constant(plait_dims shape, double value)
{
    plait_array *node = make(PLAIT__NODE_CONSTANT, shape, NULL, NULL, NULL);
    node->value.f = value;
    return node;
}

plait_array *graph_iota(int64_t n)
{
    plait_array *node = make(PLAIT__NODE_IOTA, PLAIT_SHAPE(n), NULL, NULL, NULL);
    node->number[0].f = 3;
    node->number[1].f = 2;
    return node;
}

static plait_dims broadcast_shape(plait_dims a, plait_dims b)
{
    plait_dims big = a.n >= b.n ? a : b, small = a.n >= b.n ? b : a;
    for (int32_t i = 0; i < small.n; i++) {
        int32_t j = i + big.n - small.n;
        big.d[j] = big.d[j] == 1 ? small.d[i] : big.d[j];
    }
    return big;
}

plait_array *graph_op(int op, plait_array *a, plait_array *b, plait_array *c)
{
    plait_dims shape = a->shape;
    shape = b != NULL ? broadcast_shape(shape, b->shape) : shape;
    shape = c != NULL ? broadcast_shape(shape, c->shape) : shape;
    plait_array *node = make(PLAIT__NODE_ELEMENTWISE, shape, a, b, c);
    node->op = &plait__ops[op];
    return node;
}

plait_array *graph_add(plait_array *a, plait_array *b)
{
    return graph_op(PLAIT__OP_add, a, b, NULL);
}

plait_array *graph_map(const char *text, plait_array *a, plait_array *b)
{
    plait_array *node = make(PLAIT__NODE_MAP, b != NULL ? broadcast_shape(a->shape, b->shape) : a->shape, a, b, NULL);
    node->text = (char *)(uintptr_t)text;
    return node;
}

static plait_array *affine(plait_array *a, plait_dims shape, plait__affine map)
{
    plait_array *node = make(PLAIT__NODE_AFFINE, shape, a, NULL, NULL);
    node->affine = malloc(sizeof map);
    *node->affine = map;
    return node;
}

static plait__affine unchanged(plait_dims shape, int32_t shift)
{
    plait__affine map = {{0}, {0}, {0}};
    for (int32_t j = 0; j < PLAIT_MAX_DIMS; j++) {
        map.axis[j] = (int8_t)(j < shape.n ? j + shift : -1);
        map.step[j] = j < shape.n;
    }
    return map;
}

plait_array *graph_transpose(plait_array *a)
{
    plait__affine map = unchanged(a->shape, 0);
    plait_dims shape = a->shape;
    for (int32_t j = 0; j < shape.n; j++) {
        map.axis[j] = (int8_t)(shape.n - 1 - j);
        shape.d[j] = a->shape.d[shape.n - 1 - j];
    }
    return affine(a, shape, map);
}

plait_array *graph_slice(plait_array *a, int axis, int64_t start, int64_t count, int64_t step)
{
    plait__affine map = unchanged(a->shape, 0);
    plait_dims shape = a->shape;
    map.start[axis] = start;
    map.step[axis] = step;
    shape.d[axis] = count;
    return affine(a, shape, map);
}

plait_array *graph_broadcast(plait_array *a, plait_dims shape)
{
    plait__affine map = unchanged(a->shape, shape.n - a->shape.n);
    for (int32_t j = 0; j < a->shape.n; j++) {
        if (a->shape.d[j] == 1) {
            map.axis[j] = -1;
            map.step[j] = 0;
        }
    }
    return affine(a, shape, map);
}

plait_array *graph_reshape(plait_array *a, plait_dims shape)
{
    return make(PLAIT__NODE_RESHAPE, shape, a, NULL, NULL);
}

plait_array *graph_reduce(int reduction, plait_array *a, unsigned mask, bool keepdims)
{
    return graph_masked(reduction, a, NULL, keepdims ? mask | 0x100 : mask);
}

plait_array *graph_masked(int reduction, plait_array *a, plait_array *where, unsigned mask)
{
    bool keepdims = (mask & 0x100) != 0;
    plait_dims shape = {0, {0}};
    for (int32_t j = 0; j < a->shape.n; j++) {
        if ((mask >> j & 1) == 0 || keepdims) {
            shape.d[shape.n++] = (mask >> j & 1) != 0 ? 1 : a->shape.d[j];
        }
    }
    plait_array *node = make(PLAIT__NODE_REDUCE, shape, a, where, NULL);
    node->reduction = &plait__reductions[reduction];
    node->axis_mask = (uint8_t)mask;
    node->keepdims = keepdims;
    return node;
}

plait_array *graph_family(const struct plait__family *family, plait_array *a, plait_array *b)
{
    plait_array *node = make(PLAIT__NODE_FAMILY, a->shape, a, b, NULL);
    node->family = family;
    node->n_out = 1;
    return node;
}

/* ---- values by definition ---- */

static void unravel(int64_t i, plait_dims shape, int64_t *c)
{
    for (int32_t d = shape.n; d-- > 0;) {
        c[d] = i % shape.d[d];
        i /= shape.d[d];
    }
}

static int64_t ravel(const int64_t *c, plait_dims shape)
{
    int64_t i = 0;
    for (int32_t d = 0; d < shape.n; d++) {
        i = i * shape.d[d] + c[d];
    }
    return i;
}

static double apply(const plait__op *op, const double *x)
{
    switch ((int)(op - plait__ops)) {
    case PLAIT__OP_add:
        return x[0] + x[1];
    case PLAIT__OP_subtract:
        return x[0] - x[1];
    case PLAIT__OP_multiply:
        return x[0] * x[1];
    case PLAIT__OP_maximum:
        return fmax(x[0], x[1]);
    case PLAIT__OP_negative:
        return -x[0];
    case PLAIT__OP_pow:
        return pow(x[0], x[1]);
    case PLAIT__OP_exp:
        return exp(x[0]);
    case PLAIT__OP_sqrt:
        return sqrt(x[0]);
    case PLAIT__OP_where:
        return x[0] != 0 ? x[1] : x[2];
    default:
        fail_msg("graph.c does not know %s", op->name);
        return 0;
    }
}

static double power_of(plait__power power, double x)
{
    static const double exponents[] = {-1, 0.5, 1, 2, 3};
    return pow(x, exponents[power]);
}

static double join(const plait__reduction *r, double x, double y)
{
    switch ((int)(r - plait__reductions)) {
    case PLAIT__REDUCTION_max:
        return fmax(x, y);
    case PLAIT__REDUCTION_min:
        return fmin(x, y);
    default:
        return x + y;
    }
}

static double start_of(const plait__reduction *r)
{
    int i = (int)(r - plait__reductions);
    return i == PLAIT__REDUCTION_max ? -INFINITY : i == PLAIT__REDUCTION_min ? INFINITY : 0;
}

static double finish(const plait__reduction *r, double x, double n)
{
    return r == &plait__reductions[PLAIT__REDUCTION_mean] ? x / n : x;
}

static double element_of_input(const plait_array *node, uint32_t k, const int64_t *c)
{
    plait_array *in = node->in[k];
    int64_t at[PLAIT_MAX_DIMS] = {0};
    for (int32_t j = 0; j < in->shape.n; j++) {
        at[j] = in->shape.d[j] == 1 ? 0 : c[j + node->shape.n - in->shape.n];
    }
    return known_of(in)->value[ravel(at, in->shape)];
}

static void reduce_value(const plait_array *node, double *value, int64_t count)
{
    const plait_array *in = node->in[0];
    double *n = calloc((size_t)count + 1, sizeof *n);
    for (int64_t i = 0; i < count; i++) {
        value[i] = start_of(node->reduction);
    }
    for (int64_t i = 0; i < plait_shape_count(in->shape); i++) {
        int64_t c[PLAIT_MAX_DIMS], kept[PLAIT_MAX_DIMS];
        int32_t m = 0;
        unravel(i, in->shape, c);
        for (int32_t j = 0; j < in->shape.n; j++) {
            bool reduced = (node->axis_mask >> j & 1) != 0;
            if (!reduced || node->keepdims) {
                kept[m++] = reduced ? 0 : c[j];
            }
        }
        int64_t o = ravel(kept, node->shape);
        if (node->n_in == 1 || known_of(node->in[1])->value[i] != 0) {
            value[o] = join(node->reduction, value[o], known_of(node->in[0])->value[i]);
            n[o]++;
        }
    }
    for (int64_t i = 0; i < count; i++) {
        value[i] = finish(node->reduction, value[i], n[i]);
    }
    free(n);
}

static void compute(plait_array *node)
{
    int64_t count = plait_shape_count(node->shape);
    double *value = calloc((size_t)count + 1, sizeof *value);
    for (int64_t i = 0; i < count && node->kind != PLAIT__NODE_REDUCE; i++) {
        int64_t c[PLAIT_MAX_DIMS];
        unravel(i, node->shape, c);
        double x[3] = {0};
        for (uint32_t k = 0; k < node->n_in && node->kind != PLAIT__NODE_AFFINE && node->kind != PLAIT__NODE_RESHAPE;
             k++) {
            x[k] = element_of_input(node, k, c);
        }
        switch ((plait__node_kind)node->kind) {
        case PLAIT__NODE_STORED: {
            int64_t at = node->layout.offset;
            for (int32_t j = 0; j < node->shape.n; j++) {
                at += c[j] * node->layout.strides[j];
            }
            value[i] = known_of(node)->memory[at];
            break;
        }
        case PLAIT__NODE_NUMBER:
        case PLAIT__NODE_CONSTANT:
            value[i] = node->value.f;
            break;
        case PLAIT__NODE_IOTA:
            value[i] = node->number[0].f + (double)i * node->number[1].f;
            break;
        case PLAIT__NODE_ELEMENTWISE:
            value[i] = apply(node->op, x);
            break;
        case PLAIT__NODE_AFFINE: {
            int64_t at[PLAIT_MAX_DIMS];
            for (int32_t j = 0; j < node->in[0]->shape.n; j++) {
                int a = node->affine->axis[j];
                at[j] = node->affine->start[j] + (a >= 0 ? node->affine->step[j] * c[a] : 0);
            }
            value[i] = known_of(node->in[0])->value[ravel(at, node->in[0]->shape)];
            break;
        }
        case PLAIT__NODE_RESHAPE:
            value[i] = known_of(node->in[0])->value[i];
            break;
        default: /* of a family, or a map that is taken for a sum */
            value[i] = x[0] + x[1];
            break;
        }
    }
    if (node->kind == PLAIT__NODE_REDUCE) {
        reduce_value(node, value, count);
    }
    known_of(node)->value = value;
}

const double *graph_value(plait_array *node)
{
    if (known_of(node)->value == NULL) {
        /* Nodes are made after their inputs. */
        for (size_t i = 0; i < n_all && known_of(node)->value == NULL; i++) {
            if (all[i]->value == NULL) {
                compute(&all[i]->node);
            }
        }
    }
    return known_of(node)->value;
}

/* ---- plans ---- */

plait__plan *graph_plan(plait_array *const *nodes, size_t n)
{
    plait__plan *plan = NULL;
    assert_ok(plait__plan_create(&plan, &graph_caps, nodes, n));
    return plan;
}

static double **stored;
static bool *written;

static const double *memory_of(const plait__plan *plan, plait__source source)
{
    (void)plan;
    if (source.ready != NULL) {
        return known_of(source.ready)->memory;
    }
    assert_true(source.store >= 0);
    assert_true(written[source.store]); /* by an earlier group */
    return stored[source.store];
}

static void run_section(const plait__plan *plan, const plait__group *g, int section, const int64_t *c,
                        const double *reduced, double terms, double *v)
{
    const plait__section *s = &g->section[section];
    for (uint32_t i = 0; i < s->n_instrs; i++) {
        const plait__instr *ins = &s->instrs[i];
        double x[3] = {0};
        for (uint32_t k = 0; k < ins->n_args; k++) {
            assert_true(ins->args[k] < i);
            x[k] = v[ins->args[k]];
        }
        switch ((plait__instr_kind)ins->kind) {
        case PLAIT__INSTR_LEAF: {
            const plait__leaf *leaf = &s->leaves[ins->index];
            int64_t at = leaf->layout.offset;
            for (int32_t d = 0; d < s->dims.n; d++) {
                at += c[d] * leaf->layout.strides[d];
            }
            v[i] = leaf->is_index ? (double)at : memory_of(plan, leaf->source)[at];
            break;
        }
        case PLAIT__INSTR_NUMBER:
            v[i] = s->numbers[ins->index].value.f;
            break;
        case PLAIT__INSTR_IOTA:
            v[i] = x[0] + x[1] * x[2];
            break;
        case PLAIT__INSTR_OP:
            v[i] = apply(ins->op, x);
            break;
        case PLAIT__INSTR_POWER:
            v[i] = power_of((plait__power)ins->power, x[0]);
            break;
        case PLAIT__INSTR_CAST:
            v[i] = x[0];
            break;
        case PLAIT__INSTR_MAP:
            v[i] = x[0] + x[1];
            break;
        case PLAIT__INSTR_REDUCED:
            v[i] = finish(ins->reduction, reduced[ins->index], ins->counts >= 0 ? reduced[ins->counts] : terms);
            break;
        }
    }
}

static void run_group(const plait__plan *plan, const plait__group *g)
{
    double v[2][4 * PLAIT__GROUP_INSTRUCTIONS], reduced[64];
    const plait__section *body = &g->section[PLAIT__BODY];
    plait_dims dims = g->section[PLAIT__MAIN].dims, red = {0, {0}};
    for (int32_t d = g->kept; g->kind == PLAIT__GROUP_REDUCE && d < body->dims.n; d++) {
        red.d[red.n++] = body->dims.d[d];
    }
    for (int64_t o = 0; o < plait_shape_count(dims); o++) {
        int64_t c[PLAIT_MAX_DIMS] = {0};
        unravel(o, dims, c);
        for (uint32_t k = 0; k < g->n_accumulators; k++) {
            reduced[k] = start_of(g->accumulators[k].reduction);
        }
        int64_t terms = plait_shape_count(red);
        for (int64_t r = 0; g->kind == PLAIT__GROUP_REDUCE && r < terms; r++) {
            unravel(r, red, c + g->kept);
            run_section(plan, g, PLAIT__BODY, c, NULL, 0, v[PLAIT__BODY]);
            for (uint32_t k = 0; k < g->n_accumulators; k++) {
                const plait__accumulate *a = &g->accumulators[k];
                if (a->mask < 0 || v[PLAIT__BODY][a->mask] != 0) {
                    reduced[k] = join(a->reduction, reduced[k], v[PLAIT__BODY][a->value]);
                }
            }
        }
        run_section(plan, g, PLAIT__MAIN, c, reduced, (double)terms, v[PLAIT__MAIN]);
        for (uint32_t k = 0; k < g->n_outputs; k++) {
            stored[g->outputs[k].store][o] = v[PLAIT__MAIN][g->outputs[k].value];
        }
    }
    for (uint32_t k = 0; k < g->n_outputs; k++) {
        written[g->outputs[k].store] = true;
    }
}

static void run_family(const plait__plan *plan, const plait__group *g)
{
    plait_dims shape = g->node->shape;
    for (int64_t i = 0; i < plait_shape_count(shape); i++) {
        double sum = 0;
        int64_t c[PLAIT_MAX_DIMS];
        unravel(i, shape, c);
        for (uint32_t k = 0; k < g->n_inputs; k++) {
            int64_t at = g->inputs[k].layout.offset;
            for (int32_t d = 0; d < shape.n; d++) {
                at += c[d] * g->inputs[k].layout.strides[d];
            }
            sum += memory_of(plan, g->inputs[k].source)[at];
        }
        stored[g->stores[0]][i] = sum;
    }
    written[g->stores[0]] = true;
}

static void check_value(plait_array *node, const double *value)
{
    const double *want = graph_value(node);
    for (int64_t i = 0; i < plait_shape_count(node->shape); i++) {
        if (value[i] != want[i] && !(isnan(value[i]) && isnan(want[i]))) {
            fail_msg("element %d is %g, not %g", (int)i, value[i], want[i]);
        }
    }
}

void graph_check(const plait__plan *plan)
{
    stored = calloc(plan->n_stores + 1, sizeof *stored);
    written = calloc(plan->n_stores + 1, sizeof *written);
    for (uint32_t k = 0; k < plan->n_stores; k++) {
        stored[k] = calloc((size_t)plait_shape_count(plan->stores[k].shape) + 1, sizeof(double));
    }
    for (uint32_t k = 0; k < plan->n_groups; k++) {
        const plait__group *g = &plan->groups[k];
        if (g->kind == PLAIT__GROUP_FAMILY) {
            run_family(plan, g);
        } else {
            run_group(plan, g);
        }
    }
    size_t found = 0;
    for (uint32_t k = 0; k < plan->n_stores; k++) {
        if (plan->stores[k].node != NULL) {
            assert_true(written[k]);
            check_value(plan->stores[k].node, stored[k]);
        }
    }
    for (size_t r = 0; r < plan->n_requested; r++) {
        bool there = plait__is_ready(plan->requested[r]);
        for (uint32_t k = 0; k < plan->n_stores; k++) {
            there = there || plan->stores[k].node == plan->requested[r];
        }
        for (uint32_t k = 0; k < plan->n_aliases; k++) {
            const plait__alias *alias = &plan->aliases[k];
            if (alias->node != plan->requested[r]) {
                continue;
            }
            there = true;
            int64_t count = plait_shape_count(alias->node->shape);
            double *value = calloc((size_t)count + 1, sizeof *value);
            for (int64_t i = 0; i < count; i++) {
                int64_t c[PLAIT_MAX_DIMS], at = alias->layout.offset;
                unravel(i, alias->node->shape, c);
                for (int32_t d = 0; d < alias->node->shape.n; d++) {
                    at += c[d] * alias->layout.strides[d];
                }
                value[i] = memory_of(plan, alias->source)[at];
            }
            check_value(alias->node, value);
            free(value);
        }
        assert_true(there);
        found++;
    }
    assert_int_equal(found, plan->n_requested);
    for (uint32_t k = 0; k < plan->n_stores; k++) {
        free(stored[k]);
    }
    free(stored);
    free(written);
}
