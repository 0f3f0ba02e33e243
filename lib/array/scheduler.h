/*
 * The scheduler's working state, shared by its passes.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 * Four passes over the nodes below the requested ones, none recursive, each linear:
 *
 *   collect   nodes in topological order, inputs first ("items")
 *   mark      forwards: which views can be read where their elements lie, what must be stored whatever else happens
 *   place     backwards, so that everyone who wants an item has been placed before it. Wanted by one group under one
 *             index map, it is inlined there; else it is stored: in a group of its own, or joined to one that has the
 *             same space. A group's *level* is above that of every group that reads it, and items join only groups of
 *             at least the level their readers ask for; so groups cannot wait for each other in a circle.
 *   emit      forwards: the placed items as instructions
 */
#ifndef PLAIT__SCHEDULER_H
#define PLAIT__SCHEDULER_H

#include "index_map.h"
#include "plan.h"

/* No item, no demand. */
#define PLAIT__NO_ITEM UINT32_MAX
#define PLAIT__MARK_BITS 24 /* of an item's number in a node's mark; the rest is the plan's */

/* "group `group` wants this under that map (or: in that layout, from memory)" */
typedef struct plait__demand {
    int32_t group;
    uint8_t section;
    bool memory;
    const plait__index_map *map;
    const plait__layout *layout; /* memory: by the space's dimensions */
    uint32_t next;
} plait__demand;

typedef enum plait__use_kind {
    PLAIT__USE_NUMBER,
    PLAIT__USE_INDEX,
    PLAIT__USE_MEMORY,
    PLAIT__USE_VALUE
} plait__use_kind;

/* What an item reads: another item, through whatever views. */
typedef struct plait__use {
    plait__use_kind kind;
    uint32_t item;
    const plait__index_map *map; /* VALUE */
    plait__layout layout;        /* MEMORY, INDEX: by the space's dimensions */
} plait__use;

typedef struct plait__item {
    plait_array *node;
    int64_t count;
    uint32_t first_input; /* into inputs */
    uint32_t copy_of;     /* its value is that ready item's elements, in C order; else PLAIT__NO_ITEM */
    bool ready, requested, must_store;
    bool trivial;     /* a number, constant or iota: inlined wherever it is wanted */
    bool transparent; /* a view */
    bool flat;        /* may be read by a linear map */
    bool reduces;     /* a pending reduction's value is an ingredient */
    uint32_t origin;  /* the first item in memory that it is made from, itself if there is none */
    bool placed;      /* its elements will lie in `base`'s storage by `layout` */
    uint32_t base;
    const plait__layout *layout;
    uint32_t shown_base; /* a view that is stored although its elements lie in memory: where they lie */
    const plait__layout *shown;

    int32_t min_level; /* that families ask for which read it; other readers are among the demands */
    uint32_t demands;  /* newest; PLAIT__NO_ITEM */

    int32_t group; /* -1: not placed */
    uint8_t section;
    const plait__index_map *map;
    int32_t store; /* -1: not stored */
    plait__use *operands;
    uint32_t n_operands;
    uint32_t value; /* instruction */
} plait__item;

/* A group while it grows. */
typedef struct plait__draft {
    plait__group_kind kind;
    int32_t level;
    int32_t ceiling; /* the lowest level of the groups it reads, as far as they are known: its own stays below */
    plait_dims space[2];
    uint8_t axis_mask;
    bool large;
    uint32_t leaves, instrs, pointers, indices, numbers, outputs, accumulators;
    uint32_t n_members[2], n_operands[2];
    uint32_t family; /* FAMILY: its item */
    uint32_t origin; /* REDUCE: of what it reads */
} plait__draft;

typedef struct plait__scheduler {
    plait__plan *plan;
    plait__arena *arena; /* the plan's: it does not live long either */
    uint64_t epoch;
    plait__item *items;
    size_t n_items, items_capacity, n_real;
    uint32_t *inputs;
    size_t n_inputs, inputs_capacity;
    plait__demand *demands;
    size_t n_demands, demands_capacity;
    plait__draft *drafts;
    size_t n_drafts, drafts_capacity;
    struct plait__frame *stack; /* of collect */
    size_t stack_capacity;
    bool failed;
} plait__scheduler;

/* Adds an item at the end; may move the items. 0 and s->failed on failure. */
uint32_t plait__add_item(plait__scheduler *s, plait_array *node, uint32_t first_input);

/* mark.c */
void plait__mark_requested(plait__scheduler *s, uint32_t i);
void plait__mark(plait__scheduler *s, uint32_t i);

/* operands.c: what item i reads if it is evaluated under `map` in `space`. */
void plait__find_operands(plait__scheduler *s, uint32_t i, const plait__index_map *map, const plait_dims *space);
/* Where a stored item's elements lie at the points of the space. */
plait__layout plait__layout_under(const plait__index_map *map, const plait__item *it, const plait_dims *space);
const plait__layout *plait__keep_layout(plait__scheduler *s, const plait__layout *layout);
/* Its value is gathered from a larger space, that of its input. */
bool plait__is_reduction(const plait__item *it);

/* place.c */
void plait__place(plait__scheduler *s, uint32_t i);

/* emit.c: the groups and everything else that the plan consists of. */
bool plait__emit(plait__scheduler *s);

#endif
