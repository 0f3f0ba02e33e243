/*
 * Plait: scopes and ownership.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "scope.h"

#include "alloc.h"
#include "array_ctx.h"
#include "error.h"
#include "eval.h"
#include "thread.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A root scope that holds so many arrays belongs to a program that has forgotten its scopes. */
#define MANY_ARRAYS 10000

/* References to arrays. A scope that holds an array twice owns two of its handles. */
typedef struct plait__holder {
    plait_array **items;
    size_t count, capacity;
} plait__holder;

typedef struct plait__open_scope {
    uint64_t id;
    plait__holder temporaries; /* handles */
    plait__holder carried;     /* plain references: whether somebody has kept them is asked at the end */
} plait__open_scope;

struct plait__root {
    plait__refs refs;   /* the thread's and the context's */
    plait_ctx *ctx;     /* identity only; it may be gone once `closed` is set */
    atomic_bool closed; /* set under the lock */
    plait__mutex lock;
    bool warned; /* under the lock, as what follows */
    plait__holder arrays;
};

/* What a thread has open. */
typedef struct plait__scopes {
    plait__open_scope *open; /* entries above n_open keep their memory for the next scope */
    size_t n_open, n_made, capacity;
    plait__root **roots;
    size_t n_roots, roots_capacity;
    plait__holder numbers; /* root scope of arrays without a context */
    plait__holder late;    /* carried values whose evaluation failed when their scope ended */
} plait__scopes;

/* ---- holders ---- */

static plait_status make_room(plait__holder *h, size_t more)
{
    plait_array **grown = plait__grow(h->items, &h->capacity, h->count + more, sizeof *grown);
    if (grown == NULL) {
        return PLAIT_E_NO_MEMORY;
    }
    h->items = grown;
    return PLAIT_OK;
}

/* Takes one entry of `a` out; what was added last is what is usually asked for. */
static bool take_out(plait__holder *h, const plait_array *a)
{
    for (size_t i = h->count; i-- > 0;) {
        if (h->items[i] == a) {
            h->items[i] = h->items[--h->count];
            return true;
        }
    }
    return false;
}

/* Drops the handles of a holder's arrays. */
static void drop_handles(plait__holder *h)
{
    size_t n = h->count;
    h->count = 0;
    for (size_t i = 0; i < n; i++) {
        plait__node_drop_handle(h->items[i]);
    }
}

static void free_holder(plait__holder *h)
{
    free(h->items);
    *h = (plait__holder){0};
}

/* ---- the thread's scopes ---- */

static _Thread_local plait__scopes *current;
static plait__once once = PLAIT__ONCE_INIT;
static plait__local local; /* for its destructor; `current` is what is read */
static bool local_made;

static void drop_references(plait__holder *h)
{
    for (size_t i = 0; i < h->count; i++) {
        plait__node_release(h->items[i]);
    }
    h->count = 0;
}

/* At a thread's end. What its root scopes hold stays until their contexts are closed: others may be using it. */
static void drop_scopes(void *value)
{
    plait__scopes *s = value;
    current = NULL;
    for (size_t i = s->n_made; i-- > 0;) {
        drop_references(&s->open[i].carried);
        drop_handles(&s->open[i].temporaries);
        free_holder(&s->open[i].carried);
        free_holder(&s->open[i].temporaries);
    }
    drop_references(&s->late);
    drop_handles(&s->numbers);
    free_holder(&s->late);
    free_holder(&s->numbers);
    for (size_t i = 0; i < s->n_roots; i++) {
        plait__root_release(s->roots[i]);
    }
    free(s->roots);
    free(s->open);
    free(s);
}

static void make_local(void)
{
    local_made = plait__local_create(&local, drop_scopes) == PLAIT_OK;
}

/* NULL: PLAIT_E_NO_MEMORY. */
static plait__scopes *scopes(void)
{
    if (current == NULL) {
        plait__call_once(&once, make_local);
        if (!local_made) {
            plait__fail(PLAIT_E_NO_MEMORY, "the system has no more thread-local keys, which scopes need");
            return NULL;
        }
        plait__scopes *made = plait__calloc(1, sizeof *made);
        if (made == NULL) {
            return NULL;
        }
        if (plait__local_set(&local, made) != PLAIT_OK) {
            free(made);
            return NULL;
        }
        current = made;
    }
    return current;
}

static plait__open_scope *innermost(plait__scopes *s)
{
    return s->n_open > 0 ? &s->open[s->n_open - 1] : NULL;
}

/* ---- root scopes ---- */

plait__root *plait__root_retain(plait__root *root)
{
    plait__refs_up(&root->refs);
    return root;
}

void plait__root_release(plait__root *root)
{
    if (plait__refs_down(&root->refs)) {
        assert(root->arrays.count == 0);
        free_holder(&root->arrays);
        plait__mutex_destroy(&root->lock);
        free(root);
    }
}

/* Empties it; closed: for good. */
static void empty_root(plait__root *root, bool close)
{
    plait__lock(&root->lock);
    plait__holder arrays = root->arrays;
    root->arrays = (plait__holder){0};
    if (close) {
        atomic_store(&root->closed, true);
    }
    plait__unlock(&root->lock);
    drop_handles(&arrays);
    free_holder(&arrays);
}

void plait__root_close(plait__root *root)
{
    empty_root(root, true);
}

bool plait__root_is_idle(plait__root *root)
{
    plait__lock(&root->lock);
    bool idle = root->arrays.count == 0 && plait__refs_count(&root->refs) == 1;
    plait__unlock(&root->lock);
    return idle;
}

static plait__root *new_root(plait_ctx *ctx)
{
    plait__root *root = plait__calloc(1, sizeof *root);
    if (root == NULL) {
        return NULL;
    }
    if (plait__mutex_init(&root->lock) != PLAIT_OK) {
        free(root);
        return NULL;
    }
    plait__refs_init(&root->refs);
    root->ctx = ctx;
    return root;
}

/* The thread's root scope in a context, NULL if it has none. */
static plait__root *find_root(plait__scopes *s, const plait_ctx *ctx)
{
    for (size_t i = 0; i < s->n_roots; i++) {
        if (s->roots[i]->ctx == ctx && !atomic_load(&s->roots[i]->closed)) {
            return s->roots[i];
        }
    }
    return NULL;
}

static void forget_closed_roots(plait__scopes *s)
{
    size_t left = 0;
    for (size_t i = 0; i < s->n_roots; i++) {
        if (atomic_load(&s->roots[i]->closed)) {
            plait__root_release(s->roots[i]);
        } else {
            s->roots[left++] = s->roots[i];
        }
    }
    s->n_roots = left;
}

/* The same, made if there is none. NULL: PLAIT_E_NO_MEMORY, PLAIT_E_CLOSED. */
static plait__root *get_root(plait__scopes *s, plait_ctx *ctx)
{
    plait__root *root = find_root(s, ctx);
    if (root != NULL) {
        return root;
    }
    forget_closed_roots(s);
    plait__root **grown = plait__grow(s->roots, &s->roots_capacity, s->n_roots + 1, sizeof *grown);
    if (grown == NULL) {
        return NULL;
    }
    s->roots = grown;
    plait__array_state *state = plait__array_state_of(ctx);
    root = state != NULL ? new_root(ctx) : NULL;
    if (root == NULL) {
        return NULL;
    }
    if (plait__array_state_add_root(state, root) != PLAIT_OK) {
        plait__root_release(root);
        return NULL;
    }
    s->roots[s->n_roots++] = root;
    return root;
}

/* ---- adding ---- */

static plait_array *refuse(plait_array *a)
{
    plait__node_release(a);
    return NULL;
}

static plait_array *add_to_root(plait__scopes *s, plait_array *a)
{
    plait__root *root = get_root(s, a->ctx);
    if (root == NULL) {
        return refuse(a);
    }
    plait__lock(&root->lock);
    bool closed = atomic_load(&root->closed);
    bool room = !closed && make_room(&root->arrays, 1) == PLAIT_OK;
    bool warn = false;
    if (room) {
        plait__node_add_handle(a);
        root->arrays.items[root->arrays.count++] = a;
        warn = root->arrays.count >= MANY_ARRAYS && !root->warned;
        root->warned |= warn;
    }
    plait__unlock(&root->lock);
    if (closed) {
        plait__fail(PLAIT_E_CLOSED, "the context was closed by another thread");
    }
    if (!room) {
        return refuse(a);
    }
    if (warn) {
        plait__ctx_log(a->ctx, PLAIT_LOG_WARNING,
                       "%d arrays built outside of a scope are still held: open a PLAIT_SCOPE around what makes "
                       "temporaries, or call plait_drain",
                       MANY_ARRAYS);
    }
    return a;
}

static plait_array *add_to_holder(plait__holder *h, plait_array *a)
{
    if (make_room(h, 1) != PLAIT_OK) {
        return refuse(a);
    }
    plait__node_add_handle(a);
    h->items[h->count++] = a;
    return a;
}

plait_array *plait__scope_add(plait_array *a)
{
    plait__scopes *s = scopes();
    if (s == NULL) {
        return refuse(a);
    }
    plait__open_scope *scope = innermost(s);
    if (scope != NULL) {
        return add_to_holder(&scope->temporaries, a);
    }
    return a->ctx == NULL ? add_to_holder(&s->numbers, a) : add_to_root(s, a);
}

/* Takes one handle of `a` out of the innermost scope, for the caller: false if that does not hold it. */
static bool take_from_innermost(plait_array *a)
{
    plait__scopes *s = current;
    if (s == NULL) {
        return false;
    }
    plait__open_scope *scope = innermost(s);
    if (scope != NULL) {
        return take_out(&scope->temporaries, a);
    }
    if (a->ctx == NULL) {
        return take_out(&s->numbers, a);
    }
    plait__root *root = find_root(s, a->ctx);
    if (root == NULL) {
        return false;
    }
    plait__lock(&root->lock);
    bool taken = take_out(&root->arrays, a);
    plait__unlock(&root->lock);
    return taken;
}

/* ---- kept references ---- */

static bool is_none(const plait_array *a)
{
    return a->kind == PLAIT__NODE_NONE;
}

static void take_kept(plait_array *a, const char *file, int line)
{
    if (!take_from_innermost(a)) {
        plait__node_retain(a);
        plait__node_add_handle(a);
    }
    atomic_fetch_add(&a->kept, 1);
    plait__track_kept(a, file, line);
}

/* One kept reference becomes a plain handle; false if there is none. */
static bool give_up_kept(plait_array *a)
{
    int kept = atomic_load(&a->kept);
    while (kept > 0) {
        if (atomic_compare_exchange_weak(&a->kept, &kept, kept - 1)) {
            return true;
        }
    }
    return false;
}

plait_array *plait_keep_at(plait_array *a, const char *file, int line)
{
    if (a == NULL) {
        plait__fail_null("plait_keep", "a");
        return NULL;
    }
    if (!is_none(a)) {
        take_kept(a, file, line);
    }
    return a;
}

plait_array *(plait_keep)(plait_array *a)
{
    return plait_keep_at(a, NULL, 0);
}

plait_status plait_release(plait_array *a)
{
    if (a == NULL || is_none(a)) {
        return PLAIT_OK;
    }
    PLAIT__REQUIRE(give_up_kept(a), PLAIT_E_OWNERSHIP,
                   "plait_release: the array has no kept reference; each plait_keep and each plait_assign is paired "
                   "with one release");
    plait__node_drop_handle(a);
    return PLAIT_OK;
}

/* Puts an array whose reference is at hand into the innermost scope, where room has been made. */
static void put_into_scope(plait__open_scope *scope, plait_array *a)
{
    scope->temporaries.items[scope->temporaries.count++] = a;
}

plait_status plait_assign_at(plait_array **slot, plait_array *a, const char *file, int line)
{
    PLAIT__REQUIRE(slot != NULL, PLAIT_E_NULL, "plait_assign: slot is NULL; give it the address of an array pointer");
    PLAIT__REQUIRE(a == NULL || !is_none(a), PLAIT_E_ARGUMENT, "plait_assign: a is PLAIT_NONE");
    plait__scopes *s = scopes();
    if (s == NULL) {
        return PLAIT_E_NO_MEMORY;
    }
    plait__open_scope *scope = innermost(s);
    plait_array *old = *slot;
    if (scope != NULL) {
        PLAIT__TRY(make_room(&scope->temporaries, 1));
        PLAIT__TRY(make_room(&scope->carried, 1));
    }
    PLAIT__REQUIRE(old == NULL || give_up_kept(old), PLAIT_E_OWNERSHIP,
                   "plait_assign: *slot holds an array that nobody keeps; begin with NULL or with plait_keep");
    if (a != NULL) {
        take_kept(a, file, line);
        if (scope != NULL && a->ctx != NULL) {
            scope->carried.items[scope->carried.count++] = plait__node_retain(a);
        }
    }
    *slot = a;
    if (old != NULL && scope != NULL) {
        put_into_scope(scope, old);
    } else if (old != NULL) {
        plait__node_drop_handle(old);
    }
    return a != NULL ? PLAIT_OK : plait__fail_null("plait_assign", "a");
}

plait_status(plait_assign)(plait_array **slot, plait_array *a)
{
    return plait_assign_at(slot, a, NULL, 0);
}

plait_array *plait_temp(plait_array *a)
{
    if (a == NULL) {
        plait__fail_null("plait_temp", "a");
        return NULL;
    }
    if (is_none(a)) {
        return a;
    }
    PLAIT__REQUIRE_PTR(give_up_kept(a), PLAIT_E_OWNERSHIP, "plait_temp: the array has no kept reference to give back");
    /* The scope takes a handle of its own before the kept one goes: the last handle is never gone in between. */
    plait_array *added = plait__scope_add(plait__node_retain(a));
    if (added == NULL) {
        atomic_fetch_add(&a->kept, 1);
        return NULL;
    }
    plait__node_drop_handle(a);
    return a;
}

plait_array *plait_pass(plait_array *a)
{
    if (a == NULL) {
        plait__fail_null("plait_pass", "a");
        return NULL;
    }
    plait__scopes *s = current;
    if (is_none(a) || s == NULL || s->n_open == 0) {
        return a; /* it is in the outermost scope there is, or kept */
    }
    bool held = take_out(&innermost(s)->temporaries, a);
    /* To the one around it, as if the innermost were closed already. */
    s->n_open--;
    plait_array *passed = plait__scope_add(plait__node_retain(a));
    s->n_open++;
    if (held) {
        if (passed != NULL) {
            plait__node_drop_handle(a);
        } else {
            put_into_scope(innermost(s), a); /* where it was */
        }
    }
    return passed;
}

plait_status plait_drain(plait_ctx *ctx)
{
    plait__scopes *s = current;
    if (ctx == NULL) {
        if (s != NULL) {
            drop_handles(&s->numbers);
        }
        return PLAIT_OK;
    }
    PLAIT__TRY(plait__ctx_check(ctx, "plait_drain"));
    plait__root *root = s != NULL ? find_root(s, ctx) : NULL;
    if (root != NULL) {
        empty_root(root, false);
    }
    return PLAIT_OK;
}

/* ---- scopes ---- */

plait_scope plait_scope_begin(void)
{
    /* Spread over 64 bits, so that what an uninitialised variable holds is no open scope's id. */
    static atomic_uint_fast64_t counter;
    plait__scopes *s = scopes();
    if (s == NULL) {
        return 0;
    }
    plait__open_scope *grown = plait__grow(s->open, &s->capacity, s->n_open + 1, sizeof *grown);
    if (grown == NULL) {
        return 0;
    }
    s->open = grown;
    if (s->n_open == s->n_made) {
        s->open[s->n_made++] = (plait__open_scope){0};
    }
    uint64_t number = atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed) + 1;
    s->open[s->n_open].id = number * UINT64_C(0x9E3779B97F4A7C15);
    return s->open[s->n_open++].id;
}

/*
 * Evaluates what is carried, context by context, and drops the references. What could not be computed goes to `late`,
 * to be tried again when the next scope ends.
 */
static plait_status evaluate_carried(plait__scopes *s, plait__holder *carried)
{
    plait_status first = PLAIT_OK;
    plait_array **items = carried->items;
    size_t n = 0; /* pending and kept */
    for (size_t i = 0; i < carried->count; i++) {
        if (atomic_load(&items[i]->kept) == 0 || plait__is_ready(items[i])) {
            plait__node_release(items[i]);
        } else {
            items[n++] = items[i];
        }
    }
    carried->count = 0;
    for (size_t start = 0, end; start < n; start = end) {
        plait_ctx *ctx = items[start]->ctx;
        end = start + 1;
        for (size_t i = end; i < n; i++) {
            if (items[i]->ctx == ctx) {
                plait_array *a = items[i];
                items[i] = items[end];
                items[end++] = a;
            }
        }
        plait_status status = plait__ctx_check(ctx, "the end of a scope");
        bool retry = status == PLAIT_OK; /* nothing more can come of a context that is closed or lost */
        if (status == PLAIT_OK) {
            status = plait__eval(ctx, items + start, end - start, "the end of a scope");
        }
        for (size_t i = start; i < end; i++) {
            if (retry && !plait__is_ready(items[i]) && make_room(&s->late, 1) == PLAIT_OK) {
                s->late.items[s->late.count++] = items[i];
            } else {
                plait__node_release(items[i]);
            }
        }
        first = first == PLAIT_OK ? status : first;
    }
    return first;
}

static plait_status end_innermost(plait__scopes *s)
{
    plait__open_scope scope = s->open[--s->n_open];
    s->open[s->n_open].temporaries = (plait__holder){0};
    s->open[s->n_open].carried = (plait__holder){0};

    drop_handles(&scope.temporaries);
    plait_status status = PLAIT_OK;
    if (s->late.count > 0) {
        plait__holder late = s->late;
        s->late = (plait__holder){0};
        if (make_room(&scope.carried, late.count) == PLAIT_OK) {
            memcpy(scope.carried.items + scope.carried.count, late.items, late.count * sizeof *late.items);
            scope.carried.count += late.count;
            late.count = 0;
        }
        drop_references(&late);
        free_holder(&late);
    }
    if (scope.carried.count > 0) {
        status = evaluate_carried(s, &scope.carried);
    }
    /* The memory goes back to the entry, unless a scope was opened meanwhile and has some. */
    plait__open_scope *entry = &s->open[s->n_open];
    if (entry->temporaries.items == NULL) {
        entry->temporaries = scope.temporaries;
    } else {
        free_holder(&scope.temporaries);
    }
    if (entry->carried.items == NULL) {
        entry->carried = scope.carried;
    } else {
        free_holder(&scope.carried);
    }
    return status;
}

plait_status plait_scope_end(plait_scope scope)
{
    plait__scopes *s = current;
    size_t place = s != NULL ? s->n_open : 0;
    while (place > 0 && s->open[place - 1].id != scope) {
        place--;
    }
    PLAIT__REQUIRE(place > 0, PLAIT_E_OWNERSHIP, "plait_scope_end: this scope is not open in this thread");
    plait_status first = PLAIT_OK;
    while (s->n_open >= place) {
        plait_status status = end_innermost(s);
        if (first == PLAIT_OK) {
            first = status;
        }
    }
    return first;
}

void plait_scope_cleanup(plait_scope *scope)
{
    if (*scope != 0) { /* 0: it could not be opened, which is on record */
        plait_scope_end(*scope);
    }
}

/* ---- steps without scopes ---- */

plait_status plait_step(plait_ctx *ctx, plait_array *const *arrays, size_t n)
{
    PLAIT__TRY(plait__ctx_check(ctx, "plait_step"));
    if (arrays == NULL && n > 0) {
        return plait__fail_null("plait_step", "arrays");
    }
    for (size_t i = 0; i < n; i++) {
        PLAIT__REQUIRE(arrays[i] == NULL || atomic_load(&arrays[i]->kept) > 0 || is_none(arrays[i]), PLAIT_E_OWNERSHIP,
                       "plait_step: arrays[%zu] is not kept, so it would not outlive the step", i);
    }
    /* The temporaries go even where an array is NULL: a loop that fails must not grow. */
    PLAIT__TRY(plait_drain(ctx));
    return plait__eval_arrays(arrays, n, __func__);
}
