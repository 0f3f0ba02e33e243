/*
 * Plait: arrays - what they are, who owns them, when they are computed.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 *     plait_array *w = plait_keep(plait_zeros(gpu, PLAIT_SHAPE(d), PLAIT_F32));
 *     for (int step = 0; step < 200; step++) {
 *         PLAIT_SCOPE;                                   // temporaries of this block die with it
 *         plait_array *r = plait_subtract(plait_matmul(X, w), y);
 *         plait_assign(&w, plait_subtract(w, plait_multiply(plait_num(rate), plait_matmul(plait_transpose(X), r))));
 *     }
 *     plait_status st = plait_to_host(w, out, d, PLAIT_F32);   // the first failure of the whole chain surfaces here
 *     plait_release(w);
 *
 * Values. An array is an immutable value. A *builder* (plait_add, plait_sum, plait_reshape, plait_matmul) checks its
 * arguments at once, records what is to be computed, runs nothing, and returns a new array, or NULL on failure. A NULL
 * input gives a NULL result, so whole expressions nest and are checked once. An *action* (plait_eval, plait_to_host,
 * plait_save_npy) computes and returns a plait_status.
 *
 * Ownership. Every array belongs to a scope, or to whoever kept it.
 *   - A builder's result belongs to the innermost open scope of the calling thread; with none open, to the thread's
 * root scope in that context, which plait_drain and plait_close empty.
 *   - plait_keep gives the caller a reference of its own; each keep is paired with one plait_release.
 *   - Arguments are borrowed: a builder never takes a reference away from its caller.
 *
 * Threads. Arrays may be used and kept by any number of threads at a time. Scopes belong to the thread that opened
 * them.
 */
#ifndef PLAIT_ARRAY_H
#define PLAIT_ARRAY_H

#include <plait/context.h>
#include <plait/shape.h>

PLAIT_BEGIN

typedef struct plait_array plait_array;

/* "Not given", for array arguments that are optional. NULL is always a failure. */
#define PLAIT_NONE (plait_none())
PLAIT_API plait_array *plait_none(void);

/* ---- what an array is; none of these computes. Of NULL: shape n = -1, dtype 0, count 0, ctx NULL. ---- */

PLAIT_API plait_dtype plait_array_dtype(const plait_array *a);
PLAIT_API plait_dims plait_array_shape(const plait_array *a);
PLAIT_API size_t plait_array_count(const plait_array *a);      /* of elements */
PLAIT_API plait_ctx *plait_array_ctx(const plait_array *a);    /* borrowed; NULL for a number */
PLAIT_API bool plait_array_is_evaluated(const plait_array *a); /* its elements are on the device, or on their way */

/* ---- ownership ---- */

/*
 * Gives the caller a reference of its own and returns `a`: the innermost scope's, if that holds `a`, else a new one.
 * NULL is passed through. Since 0.1.
 */
PLAIT_API plait_array *plait_keep(plait_array *a);
PLAIT_API plait_array *plait_keep_at(plait_array *a, const char *file, int line);

/*
 * Gives up one kept reference. NULL is fine. A release without a keep changes nothing and is PLAIT_E_OWNERSHIP. It
 * works from any thread and after plait_close. Since 0.1.
 */
PLAIT_API plait_status plait_release(plait_array *a);

/*
 * Makes *slot own one kept reference to `a`, taken as plait_keep does, also when `a` sits in another slot or in this
 * one. The displaced value goes to the innermost scope, so a pointer read from the slot before stays good until the
 * block ends; with no scope open it is released. An array assigned inside a scope is *carried*: the scope's end
 * evaluates it. With `a` NULL the slot is released and set to NULL, and the status is the last error's. *slot must be
 * NULL or a kept reference. Since 0.1.
 */
PLAIT_API plait_status plait_assign(plait_array **slot, plait_array *a);
PLAIT_API plait_status plait_assign_at(plait_array **slot, plait_array *a, const char *file, int line);

/*
 * In C and C++ both pass on where they stand, for opts.track_leaks: plait_close then logs which line kept the arrays
 * that nobody has released. file is read at the call only.
 */
#define plait_keep(a) plait_keep_at((a), __FILE__, __LINE__)
#define plait_assign(slot, a) plait_assign_at((slot), (a), __FILE__, __LINE__)

/* Gives a kept reference back to the innermost scope and returns `a`. NULL (recorded) if `a` has no kept reference. */
PLAIT_API plait_array *plait_temp(plait_array *a);

/*
 * Moves `a` from the innermost scope to the one around it (adding a reference if the scope does not hold it) and
 * returns it: a helper with a scope of its own ends in `return plait_pass(result);`.
 */
PLAIT_API plait_array *plait_pass(plait_array *a);

/*
 * Empties the calling thread's root scope in ctx; ctx NULL: that of numbers, which have no context. When a thread ends,
 * its numbers go; what its root scopes hold in contexts stays until plait_close, because others may be using it. A root
 * scope that holds 10,000 arrays logs a warning, once: open a PLAIT_SCOPE. Since 0.1.
 */
PLAIT_API plait_status plait_drain(plait_ctx *ctx);

/* ---- scopes ---- */

/* Identifies an open scope of the calling thread. */
typedef uint64_t plait_scope;

/*
 * A scope holds what is built while it is the innermost one; plait_scope_begin returns 0 if memory is exhausted. Its
 * end drops its temporaries, then evaluates the carried values together, those that are still kept. A failure at the
 * end sets the last error and leaves the carried values pending with their inputs alive: the next end of a scope or
 * action on them tries again. plait_scope_end of an id that is not open in this thread is PLAIT_E_OWNERSHIP and does
 * nothing; of one that is not the innermost, it ends those inside it first.
 */
PLAIT_API plait_scope plait_scope_begin(void);
PLAIT_API plait_status plait_scope_end(plait_scope scope);

/*
 * A declaration at the head of a block; the scope ends with the block, by break, continue, return or goto as well. A
 * goto or case label must not jump over it into its block: clang and C++ refuse that, gcc is silent.
 */
#define PLAIT_SCOPE_NAME2_(line) plait_scope_at_line_##line
#define PLAIT_SCOPE_NAME_(line) PLAIT_SCOPE_NAME2_(line)
#ifdef __cplusplus
PLAIT_END
struct plait_scope_guard_ {
    plait_scope id;
    plait_scope_guard_() : id(plait_scope_begin())
    {
    }
    ~plait_scope_guard_()
    {
        plait_scope_end(id);
    }
    plait_scope_guard_(const plait_scope_guard_ &) = delete;
    plait_scope_guard_ &operator=(const plait_scope_guard_ &) = delete;
};
PLAIT_BEGIN
#define PLAIT_SCOPE plait_scope_guard_ PLAIT_SCOPE_NAME_(__LINE__)
#elif defined(__GNUC__)
PLAIT_API void plait_scope_cleanup(plait_scope *scope);
#define PLAIT_SCOPE                                                                                                    \
    __attribute__((cleanup(plait_scope_cleanup), unused)) plait_scope PLAIT_SCOPE_NAME_(__LINE__) = plait_scope_begin()
#endif

/* ---- evaluation ---- */

/*
 * Computes the arrays, in as few kernels as their expressions allow, and returns when the work is enqueued. All arrays
 * must be of one context. Those that are evaluated already cost nothing. Errors: PLAIT_E_BUILD, PLAIT_E_DEVICE_MEMORY,
 * PLAIT_E_CONTEXT, PLAIT_E_CLOSED; of a NULL among them the last error's status. After a failure what was not computed is
 * pending as before, and the next call tries again.
 *
 * Nobody has to call it: whoever reads an array evaluates it. And a graph does not grow without bound: a builder
 * evaluates its result when 256 pending arrays lie below it in a row, or when a quarter of the device's memory is kept
 * by nothing but pending arrays. At most 256 evaluations are in flight; then the caller waits for the oldest. Since 0.1.
 */
PLAIT_API plait_status plait_eval(plait_array *const *arrays, size_t n);

/*
 * One step of a loop without scopes: drops the thread's root scope's temporaries in ctx, then evaluates `arrays` (kept
 * references) together. What PLAIT_SCOPE does at its end, for wrappers in other languages. Since 0.1.
 */
PLAIT_API plait_status plait_step(plait_ctx *ctx, plait_array *const *arrays, size_t n);

PLAIT_END

#endif
