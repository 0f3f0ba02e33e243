/*
 * Plait: plans.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include "alloc.h"
#include "codegen.h"
#include "error.h"

plait_status plait__plan_create(plait__plan **out, const plait__caps *caps, plait_array *const *nodes, size_t n)
{
    *out = NULL;
    plait__plan *plan = plait__calloc(1, sizeof *plan);
    if (plan == NULL) {
        return PLAIT_E_NO_MEMORY;
    }
    plan->caps = caps;
    plan->requested = plait__arena_array(&plan->arena, n, sizeof(plait_array *));
    if (plan->requested == NULL) {
        plait__plan_destroy(plan);
        return PLAIT_E_NO_MEMORY;
    }
    for (size_t k = 0; k < n; k++) {
        plan->requested[plan->n_requested++] = plait__node_retain(nodes[k]);
    }
    plait_status status = plait__schedule(plan);
    if (status != PLAIT_OK) {
        plait__plan_destroy(plan);
        return status;
    }
    for (uint32_t k = 0; k < plan->n_groups; k++) {
        plait__group_collapse(&plan->groups[k], caps);
        plait__group_key(&plan->groups[k], caps);
    }
    *out = plan;
    return PLAIT_OK;
}

void plait__plan_destroy(plait__plan *plan)
{
    if (plan == NULL) {
        return;
    }
    for (uint32_t k = 0; plan->stores != NULL && k < plan->n_stores; k++) {
        plait__storage_release(plan->stores[k].storage);
        if (plan->stores[k].node != NULL) {
            plait__node_release(plan->stores[k].node);
        }
    }
    for (uint32_t k = 0; k < plan->n_groups; k++) {
        if (plan->groups[k].node != NULL) {
            plait__node_release(plan->groups[k].node);
        }
    }
    for (size_t k = 0; k < plan->n_requested; k++) {
        plait__node_release(plan->requested[k]);
    }
    plait__arena_free(&plan->arena);
    free(plan);
}

size_t plait__plan_kernel_count(const plait__plan *plan)
{
    size_t n = 0;
    for (uint32_t k = 0; k < plan->n_groups; k++) {
        const plait__group *g = &plan->groups[k];
        bool again = false;
        for (uint32_t j = 0; j < k && !again && g->kind != PLAIT__GROUP_FAMILY; j++) {
            again = plan->groups[j].kind != PLAIT__GROUP_FAMILY && plait__hash_equal(plan->groups[j].key, g->key);
        }
        n += again ? 0 : 1;
    }
    return n;
}

size_t plait__plan_group_count(const plait__plan *plan)
{
    return plan->n_groups;
}

plait_status plait__plan_group_text(const plait__plan *plan, const plait__caps *caps, size_t i, char **text)
{
    return plait__codegen(&plan->groups[i], caps, text);
}
