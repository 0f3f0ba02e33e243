/* Ownership: scopes, kept references, slots, carried values. What nobody holds is freed, and nothing earlier. */
#include "testing.h"

#include <plait/create.h>
#include <plait/ops.h>
#include <plait/view.h>

#include "alloc.h"
#include "array_ctx.h"
#include "fake_engine.h"
#include "thread.h"

static plait_ctx *ctx;

/* Live arrays of the context. */
static uint64_t alive_in(plait_ctx *of)
{
    plait_stats stats = PLAIT_STATS;
    assert_ok(plait_ctx_stats(of, &stats));
    return stats.arrays;
}

static uint64_t alive(void)
{
    return alive_in(ctx);
}

static plait_array *zeros(void)
{
    plait_array *a = plait_zeros(ctx, PLAIT_SHAPE(4), PLAIT_F32);
    assert_non_null(a);
    return a;
}

/* Something new that depends on x. */
static plait_array *next(plait_array *x)
{
    plait_array *a = plait_add(x, plait_num(1));
    assert_non_null(a);
    return a;
}

static int begin_test(void **state)
{
    (void)state;
    fake_reset();
    plait_clear_error();
    return 0;
}

/* Every test gives back all it held. */
static int end_test(void **state)
{
    (void)state;
    assert_ok(plait_drain(ctx));
    assert_ok(plait_drain(NULL));
    assert_int_equal(alive(), 0);
    return 0;
}

/* ---- temporaries and kept references ---- */

static void temporaries_die(void **state)
{
    (void)state;
    {
        PLAIT_SCOPE;
        next(next(zeros()));
        assert_int_equal(alive(), 3);
        {
            PLAIT_SCOPE;
            next(zeros());
            assert_int_equal(alive(), 5);
        }
        assert_int_equal(alive(), 3);
    }
    assert_int_equal(alive(), 0);
    assert_int_equal(atomic_load(&fake.runs), 0); /* nothing was carried, so nothing was computed */
}

static void keep_takes_over(void **state)
{
    (void)state;
    plait_array *a;
    {
        PLAIT_SCOPE;
        a = plait_keep(zeros());
        assert_int_equal(atomic_load(&a->refs), 1); /* the scope's became the caller's */
        assert_ptr_equal(plait_keep(a), a);         /* this one is added */
        assert_int_equal(atomic_load(&a->refs), 2);
        assert_int_equal(atomic_load(&a->kept), 2);
        assert_int_equal(atomic_load(&a->handles), 2);
    }
    assert_int_equal(alive(), 1);
    assert_ok(plait_release(a));
    assert_int_equal(alive(), 1);
    assert_ok(plait_release(a));
    assert_int_equal(alive(), 0);

    a = plait_keep(zeros()); /* with no scope open it is the root scope's that is taken over */
    assert_int_equal(atomic_load(&a->refs), 1);
    assert_ok(plait_drain(ctx));
    assert_int_equal(alive(), 1);
    assert_ok(plait_release(a));
}

static void keep_is_a_function_too(void **state)
{
    (void)state;
    plait_array *(*keep)(plait_array *) = plait_keep;
    plait_status (*assign)(plait_array **, plait_array *) = plait_assign;
    plait_array *slot = keep(zeros());
    assert_ok(assign(&slot, zeros()));
    assert_int_equal(alive(), 1);
    assert_ok(plait_release(slot));
}

static void release_without_keep(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    plait_array *a = zeros();
    assert_fails(plait_release(a), PLAIT_E_OWNERSHIP, "plait_release");
    assert_int_equal(alive(), 1);
    plait_keep(a);
    assert_ok(plait_release(a));
    assert_int_equal(alive(), 0);
    assert_ok(plait_release(NULL));
    assert_ok(plait_release(plait_none()));
}

static void null_is_passed_on(void **state)
{
    (void)state;
    plait_array *slot = NULL;
    assert_fails_null(plait_keep(NULL), PLAIT_E_NULL, "plait_keep");
    assert_fails_null(plait_temp(NULL), PLAIT_E_NULL, "plait_temp");
    assert_fails_null(plait_pass(NULL), PLAIT_E_NULL, "plait_pass");
    assert_fails(plait_assign(NULL, NULL), PLAIT_E_NULL, "slot");
    assert_fails(plait_assign(&slot, NULL), PLAIT_E_NULL, "plait_assign");

    /* The first failure of a chain is the one on record, whatever passed its NULL on. */
    plait_clear_error();
    plait_array *kept = plait_keep(plait_pass(plait_add(plait_zeros(ctx, PLAIT_SHAPE(-1), PLAIT_F32), plait_num(1))));
    assert_null(kept);
    assert_on_record(PLAIT_E_SHAPE, "plait_zeros");
    assert_int_equal(plait_assign(&slot, kept), PLAIT_E_SHAPE);
    assert_on_record(PLAIT_E_SHAPE, "plait_zeros");
}

/* ---- slots ---- */

static void assign_releases_without_scope(void **state)
{
    (void)state;
    plait_array *slot = NULL;
    assert_ok(plait_assign(&slot, zeros()));
    plait_array *first = slot;
    assert_int_equal(atomic_load(&first->kept), 1);
    assert_ok(plait_assign(&slot, zeros()));
    assert_int_equal(alive(), 1);
    assert_int_equal(atomic_load(&fake.runs), 0); /* carried is what is assigned inside a scope */
    assert_fails(plait_assign(&slot, NULL), PLAIT_E_NULL, "plait_assign");
    assert_null(slot);
    assert_int_equal(alive(), 0);
}

static void old_value_is_good_until_the_scope_ends(void **state)
{
    (void)state;
    plait_array *slot = plait_keep(zeros());
    {
        PLAIT_SCOPE;
        plait_array *old = slot;
        assert_ok(plait_assign(&slot, next(slot)));
        assert_int_equal(atomic_load(&old->kept), 0);
        next(old);
        assert_fails(plait_assign(&slot, NULL), PLAIT_E_NULL, "");
        next(old);
        assert_ok(plait_assign(&slot, old)); /* and back */
    }
    assert_int_equal(alive(), 1);
    assert_ok(plait_release(slot));
}

static void two_slots_one_value(void **state)
{
    (void)state;
    plait_array *a = NULL, *b = NULL;
    {
        PLAIT_SCOPE;
        plait_array *value = zeros();
        assert_ok(plait_assign(&a, value));
        assert_ok(plait_assign(&b, value));
        assert_ptr_equal(a, b);
        assert_int_equal(atomic_load(&value->kept), 2);
    }
    assert_int_equal(fake.n_requested, 1);
    assert_ok(plait_release(a));
    assert_int_equal(alive(), 1);
    assert_int_equal(plait_array_count(b), 4);
    assert_ok(plait_release(b));
}

static void self_assign(void **state)
{
    (void)state;
    plait_array *slot = plait_keep(zeros());
    assert_ok(plait_assign(&slot, slot));
    assert_int_equal(atomic_load(&slot->refs), 1);
    {
        PLAIT_SCOPE;
        assert_ok(plait_assign(&slot, slot));
        assert_ok(plait_assign(&slot, slot));
        assert_int_equal(atomic_load(&slot->kept), 1);
    }
    assert_int_equal(atomic_load(&slot->refs), 1);
    assert_int_equal(atomic_load(&slot->kept), 1);
    assert_ok(plait_release(slot));
}

static void swap(void **state)
{
    (void)state;
    plait_array *a = plait_keep(zeros()), *b = plait_keep(zeros());
    plait_array *first = a, *second = b;
    for (int i = 0; i < 3; i++) {
        PLAIT_SCOPE;
        plait_array *old = a;
        assert_ok(plait_assign(&a, b));
        assert_ok(plait_assign(&b, old));
    }
    assert_ptr_equal(a, second);
    assert_ptr_equal(b, first);
    assert_int_equal(atomic_load(&a->refs), 1);
    assert_int_equal(atomic_load(&b->refs), 1);
    assert_ok(plait_release(a));
    assert_ok(plait_release(b));
}

static void ping_pong(void **state)
{
    (void)state;
    plait_array *front = plait_keep(zeros()), *back = plait_keep(zeros());
    for (int i = 0; i < 100; i++) {
        PLAIT_SCOPE;
        plait_array *made = plait_add(next(front), back);
        assert_ok(plait_assign(&back, front));
        assert_ok(plait_assign(&front, made));
    }
    assert_int_equal(alive(), 2);
    assert_ok(plait_release(front));
    assert_ok(plait_release(back));
}

static void slot_must_be_kept(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    plait_array *slot = zeros();
    assert_fails(plait_assign(&slot, zeros()), PLAIT_E_OWNERSHIP, "plait_assign: *slot");
    plait_array *none = NULL;
    assert_fails(plait_assign(&none, plait_none()), PLAIT_E_ARGUMENT, "PLAIT_NONE");
}

/* ---- carried values ---- */

static void must_be_unreachable(void *argument)
{
    assert_int_equal(atomic_load(&((plait_array *)argument)->handles), 0);
}

/* One evaluation for all of them, after the temporaries have gone. */
static void carried_together(void **state)
{
    (void)state;
    plait_array *a = plait_keep(zeros()), *b = plait_keep(zeros()), *n = NULL;
    {
        PLAIT_SCOPE;
        plait_array *shared = next(a);
        fake.argument = shared;
        fake.during_run = must_be_unreachable;
        assert_ok(plait_assign(&a, next(shared)));
        assert_ok(plait_assign(&b, next(shared)));
        assert_ok(plait_assign(&n, plait_int(1))); /* a number needs no evaluation */
        assert_int_equal(atomic_load(&fake.runs), 0);
    }
    assert_int_equal(atomic_load(&fake.runs), 1);
    assert_int_equal(fake.n_requested, 2);
    assert_true(plait_array_is_evaluated(a) && plait_array_is_evaluated(b));
    assert_int_equal(alive(), 2);
    assert_ok(plait_release(a));
    assert_ok(plait_release(b));
    assert_ok(plait_release(n));
}

static void carried_only_if_kept(void **state)
{
    (void)state;
    plait_array *slot = NULL, *kept = NULL;
    {
        PLAIT_SCOPE;
        assert_ok(plait_assign(&slot, zeros()));
        assert_ok(plait_assign(&slot, next(slot))); /* the first value is in no slot any more */
        assert_ok(plait_assign(&kept, zeros()));
        assert_ok(plait_release(kept));
    }
    assert_int_equal(fake.n_requested, 1);
    assert_ptr_equal(fake.requested[0], slot);
    assert_int_equal(alive(), 1);
    assert_ok(plait_release(slot));

    {
        PLAIT_SCOPE;
        slot = plait_keep(next(zeros())); /* kept, but in no slot: whoever needs it asks */
    }
    assert_int_equal(atomic_load(&fake.runs), 1);
    assert_ok(plait_release(slot));
}

/* The scope remembers arrays, not slots: those may be gone by then. */
static void slot_gone(void **state)
{
    (void)state;
    plait_array *out;
    {
        PLAIT_SCOPE;
        {
            plait_array *local = NULL;
            assert_ok(plait_assign(&local, zeros()));
            out = local;
        }
    }
    assert_true(plait_array_is_evaluated(out));
    assert_ok(plait_release(out));
}

static void nested(void **state)
{
    (void)state;
    plait_array *outside = plait_keep(zeros());
    {
        PLAIT_SCOPE;
        plait_array *before = outside;
        {
            PLAIT_SCOPE;
            assert_ok(plait_assign(&outside, next(outside)));
        }
        /* Evaluated by the scope it was assigned in, which the displaced value died with. */
        assert_int_equal(atomic_load(&fake.runs), 1);
        assert_true(plait_array_is_evaluated(outside));
        assert_ptr_not_equal(before, outside);
        assert_int_equal(alive(), 1);
        next(outside);
    }
    assert_int_equal(atomic_load(&fake.runs), 1);
    assert_ok(plait_release(outside));
}

static void failure_at_the_end(void **state)
{
    (void)state;
    plait_array *slot = plait_keep(zeros());
    fake.fail_run = PLAIT_E_DEVICE_MEMORY;
    plait_scope scope = plait_scope_begin();
    assert_ok(plait_assign(&slot, next(slot)));
    assert_fails(plait_scope_end(scope), PLAIT_E_DEVICE_MEMORY, "as told");
    assert_false(plait_array_is_evaluated(slot));
    assert_non_null(slot->in); /* pending, its inputs alive */
    {
        plait_clear_error();
        PLAIT_SCOPE;
        assert_ok(plait_assign(&slot, next(slot)));
    }
    assert_on_record(PLAIT_E_DEVICE_MEMORY, "as told");
    plait_array *const list[] = {slot};
    assert_fails(plait_eval(list, 1), PLAIT_E_DEVICE_MEMORY, "as told");

    /* The next scope's end tries again, also if nothing was assigned in it. */
    fake.fail_run = PLAIT_OK;
    {
        PLAIT_SCOPE;
    }
    assert_true(plait_array_is_evaluated(slot));
    assert_int_equal(fake.n_requested, 1); /* the first value was in no slot any more */
    assert_int_equal(alive(), 1);
    assert_ok(plait_release(slot));
}

/* What failed at a scope's end and is released meanwhile is not tried again. */
static void failure_then_release(void **state)
{
    (void)state;
    plait_array *slot = NULL;
    fake.fail_run = PLAIT_E_DEVICE_MEMORY;
    {
        PLAIT_SCOPE;
        assert_ok(plait_assign(&slot, zeros()));
    }
    assert_ok(plait_release(slot));
    fake.fail_run = PLAIT_OK;
    {
        PLAIT_SCOPE;
    }
    assert_int_equal(atomic_load(&fake.runs), 0);
    assert_int_equal(alive(), 0);
}

static void two_contexts(void **state)
{
    (void)state;
    plait_ctx *other = fake_open(NULL);
    plait_array *a = NULL, *b = NULL, *c = NULL;
    {
        PLAIT_SCOPE;
        assert_ok(plait_assign(&a, zeros()));
        assert_ok(plait_assign(&b, plait_zeros(other, PLAIT_SHAPE(3), PLAIT_I32)));
        assert_ok(plait_assign(&c, zeros()));
        next(b);
    }
    assert_int_equal(atomic_load(&fake.runs), 2);
    assert_true(plait_array_is_evaluated(a) && plait_array_is_evaluated(b) && plait_array_is_evaluated(c));
    assert_int_equal(alive_in(other), 1);

    /* Root scopes are per context. */
    next(b);
    next(a);
    assert_ok(plait_drain(other));
    assert_int_equal(alive_in(other), 1);
    assert_int_equal(alive(), 3);
    assert_ok(plait_release(a));
    assert_ok(plait_release(b));
    assert_ok(plait_release(c));
    assert_ok(plait_close(other));
}

/* ---- temp and pass ---- */

static void temp(void **state)
{
    (void)state;
    {
        PLAIT_SCOPE;
        plait_array *a = plait_keep(zeros());
        assert_ptr_equal(plait_temp(a), a);
        assert_int_equal(atomic_load(&a->kept), 0);
        assert_int_equal(atomic_load(&a->refs), 1);
        assert_fails_null(plait_temp(a), PLAIT_E_OWNERSHIP, "plait_temp");
        assert_int_equal(alive(), 1);
    }
    assert_int_equal(alive(), 0);
    plait_temp(plait_keep(zeros()));
    assert_int_equal(alive(), 1);
    assert_ok(plait_drain(ctx));
    assert_int_equal(alive(), 0);
}

static plait_array *helper_without_scope(plait_array *x)
{
    return next(next(x));
}

static plait_array *helper_with_scope(plait_array *x)
{
    PLAIT_SCOPE;
    return plait_pass(next(next(x)));
}

static plait_array *helper_with_accumulator(plait_array *x)
{
    PLAIT_SCOPE;
    plait_array *sum = plait_keep(zeros());
    for (int i = 0; i < 3; i++) {
        PLAIT_SCOPE;
        plait_assign(&sum, plait_add(sum, x));
    }
    return plait_pass(plait_temp(sum));
}

/* What the caller has kept stays the caller's. */
static plait_array *helper_that_returns_its_argument(plait_array *x)
{
    PLAIT_SCOPE;
    next(x);
    return plait_pass(x);
}

static void helpers(void **state)
{
    (void)state;
    static plait_array *(*const all[])(plait_array *) = {helper_without_scope, helper_with_scope,
                                                         helper_with_accumulator, helper_that_returns_its_argument};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        plait_array *kept = plait_keep(zeros());
        {
            PLAIT_SCOPE;
            plait_array *result = all[i](kept);
            next(result);
            plait_array *temporary = zeros();
            next(all[i](temporary));
            next(all[i](all[i](temporary)));
        }
        assert_int_equal(alive(), 1);
        assert_int_equal(atomic_load(&kept->refs), 1);

        /* With no scope around it the result is in the root scope. */
        next(all[i](kept));
        plait_array *mine = plait_keep(all[i](kept));
        assert_ok(plait_drain(ctx));
        assert_int_equal(atomic_load(&mine->refs) - (mine == kept), 1);
        assert_ok(plait_release(mine));
        assert_int_equal(atomic_load(&kept->kept), 1);
        assert_ok(plait_release(kept));
        assert_int_equal(alive(), 0);
    }
}

static void pass_moves_one_scope_out(void **state)
{
    (void)state;
    PLAIT_SCOPE;
    {
        PLAIT_SCOPE;
        plait_array *a;
        {
            PLAIT_SCOPE;
            a = plait_pass(zeros());
            assert_int_equal(atomic_load(&a->refs), 1);
        }
        assert_int_equal(alive(), 1);
        next(a);
    }
    assert_int_equal(alive(), 0);
}

/* With no scope open there is none to pass to. */
static void pass_without_scope(void **state)
{
    (void)state;
    plait_array *a = zeros();
    assert_ptr_equal(plait_pass(a), a);
    assert_int_equal(atomic_load(&a->refs), 1);
}

/* ---- ways out of a scope ---- */

/* Leaves at line number `line`; whatever the line, nothing stays behind but the result. */
#define LEAVE_HERE                                                                                                     \
    do {                                                                                                               \
        if (line-- == 0) {                                                                                             \
            return NULL;                                                                                               \
        }                                                                                                              \
    } while (0)

static plait_array *leaving(int line, plait_array *x, plait_array **slot)
{
    LEAVE_HERE;
    PLAIT_SCOPE;
    LEAVE_HERE;
    plait_array *a = next(x);
    LEAVE_HERE;
    for (int i = 0; i < 2; i++) {
        LEAVE_HERE;
        PLAIT_SCOPE;
        LEAVE_HERE;
        plait_array *b = plait_add(a, x);
        LEAVE_HERE;
        plait_assign(slot, b);
        LEAVE_HERE;
        plait_assign(slot, next(*slot));
        LEAVE_HERE;
    }
    a = plait_pass(next(*slot));
    LEAVE_HERE;
    return a;
}

static void early_return_at_every_line(void **state)
{
    (void)state;
    bool finished = false;
    for (int line = 0; !finished; line++) {
        plait_array *x = plait_keep(zeros()), *slot = plait_keep(zeros());
        {
            PLAIT_SCOPE;
            finished = leaving(line, x, &slot) != NULL;
        }
        assert_int_equal(alive(), 2);
        assert_int_equal(atomic_load(&x->refs), 1);
        assert_int_equal(atomic_load(&slot->refs), 1);
        assert_ok(plait_release(x));
        assert_ok(plait_release(slot));
    }
}

static void jumps(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        PLAIT_SCOPE;
        next(zeros());
        if (i == 1) {
            continue;
        }
        if (i == 2) {
            break;
        }
        {
            PLAIT_SCOPE;
            next(zeros());
            goto out; /* of two scopes, forwards */
        }
    out:
        assert_int_equal(alive(), 0 + (i == 0 ? 2 : 0));
    }
    assert_int_equal(alive(), 0);
}

static void wrong_ends(void **state)
{
    (void)state;
    plait_scope a = plait_scope_begin(), b = plait_scope_begin(), c = plait_scope_begin();
    assert_true(a != b && b != c && a != 0);
    zeros();
    assert_fails(plait_scope_end(0), PLAIT_E_OWNERSHIP, "plait_scope_end");
    assert_fails(plait_scope_end(1), PLAIT_E_OWNERSHIP, "plait_scope_end");
    assert_fails(plait_scope_end((plait_scope)(uintptr_t)&a), PLAIT_E_OWNERSHIP, "plait_scope_end");
    assert_int_equal(alive(), 1);

    plait_array *slot = NULL;
    assert_ok(plait_assign(&slot, zeros()));
    assert_ok(plait_scope_end(b)); /* ends c first, carried values included */
    assert_true(plait_array_is_evaluated(slot));
    assert_int_equal(alive(), 1);
    assert_fails(plait_scope_end(c), PLAIT_E_OWNERSHIP, "not open");
    assert_fails(plait_scope_end(b), PLAIT_E_OWNERSHIP, "not open");
    assert_ok(plait_scope_end(a));
    assert_fails(plait_scope_end(a), PLAIT_E_OWNERSHIP, "not open");
    assert_ok(plait_release(slot));
}

/* ---- steps ---- */

static void step(void **state)
{
    (void)state;
    plait_array *w = plait_keep(zeros()), *v = plait_keep(zeros());
    for (int i = 0; i < 5; i++) {
        plait_array *change = next(v);
        plait_assign(&v, change);
        plait_assign(&w, plait_add(w, change));
        next(w);
        assert_ok(plait_step(ctx, (plait_array *const[]){w, v}, 2));
        assert_int_equal(alive(), 2);
        assert_int_equal(fake.n_requested, 2);
    }
    assert_int_equal(atomic_load(&fake.runs), 5);
    assert_fails(plait_step(ctx, (plait_array *const[]){w, NULL}, 2), PLAIT_E_NULL, "plait_step");
    assert_fails(plait_step(ctx, (plait_array *const[]){zeros()}, 1), PLAIT_E_OWNERSHIP, "arrays[0]");
    assert_fails(plait_step(NULL, NULL, 0), PLAIT_E_NULL, "ctx");
    assert_fails(plait_step(ctx, NULL, 1), PLAIT_E_NULL, "arrays");
    assert_ok(plait_step(ctx, NULL, 0));
    assert_ok(plait_release(w));
    assert_ok(plait_release(v));
}

/* ---- root scopes ---- */

static int warnings;

static void count_warning(void *user, plait_log_level level, const char *line)
{
    (void)user;
    warnings += level == PLAIT_LOG_WARNING && strstr(line, "PLAIT_SCOPE") != NULL;
}

static void many_in_the_root_scope(void **state)
{
    (void)state;
    plait_ctx_opts o = PLAIT_CTX_OPTS;
    o.log = count_warning;
    plait_ctx *logged = fake_open(&o);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 10000; i++) {
            assert_int_equal(warnings, round);
            assert_non_null(plait_zeros(logged, PLAIT_SHAPE(1), PLAIT_F32));
        }
        assert_int_equal(warnings, 1);
        assert_ok(plait_drain(logged));
        assert_int_equal(alive_in(logged), 0);
    }
    assert_ok(plait_close(logged));
}

static void closing(void **state)
{
    (void)state;
    plait_ctx *other = fake_open(NULL);
    plait_array *kept = plait_keep(plait_zeros(other, PLAIT_SHAPE(2), PLAIT_F32));
    plait_array *slot = plait_keep(plait_zeros(other, PLAIT_SHAPE(2), PLAIT_F32));
    plait_zeros(other, PLAIT_SHAPE(2), PLAIT_F32); /* in the root scope */
    plait_scope scope = plait_scope_begin();
    plait_array *temporary = plait_add(kept, kept);
    assert_ok(plait_assign(&slot, temporary));
    assert_ok(plait_close(other));

    assert_fails_null(plait_add(kept, kept), PLAIT_E_CLOSED, "plait_add");
    assert_fails(plait_eval(&kept, 1), PLAIT_E_CLOSED, "plait_eval");
    assert_fails(plait_drain(other), PLAIT_E_CLOSED, "plait_drain");
    assert_int_equal(plait_array_count(kept), 2);
    assert_ptr_equal(plait_keep(kept), kept);
    assert_fails(plait_scope_end(scope), PLAIT_E_CLOSED, "the end of a scope");
    assert_ok(plait_release(kept));
    assert_ok(plait_release(kept));
    assert_ok(plait_release(slot));
    assert_int_equal(plait_array_count(zeros()), 4); /* the other context works on */
}

/* ---- threads ---- */

typedef struct visit {
    plait_array *given, *made, *in_root;
    plait_scope scope;
} visit;

static void visitor(void *argument)
{
    visit *v = argument;
    assert_fails(plait_scope_end(v->scope), PLAIT_E_OWNERSHIP, "not open in this thread");
    plait_array *mine = plait_keep(v->given);
    {
        PLAIT_SCOPE;
        assert_ok(plait_assign(&v->made, plait_add(mine, plait_num(2))));
    }
    assert_ok(plait_release(mine));
    v->in_root = plait_add(v->given, v->given);
    plait_num(3);
    plait_scope_begin(); /* left open: the thread's end closes it */
    plait_array *late = NULL;
    fake.fail_run = PLAIT_E_DEVICE_MEMORY;
    {
        PLAIT_SCOPE;
        plait_assign(&late, plait_add(v->given, v->given)); /* fails at the end, is tried no more */
    }
    fake.fail_run = PLAIT_OK;
    plait_release(late);
    plait_add(v->given, v->given);
}

static void another_thread(void **state)
{
    (void)state;
    visit v = {.given = plait_keep(zeros()), .scope = plait_scope_begin()};
    plait__thread thread;
    assert_ok(plait__thread_start(&thread, visitor, &v));
    plait__thread_join(&thread);
    assert_int_equal(plait_array_count(v.in_root), 4); /* the thread is gone, its root scope is not */
    assert_true(plait_array_is_evaluated(v.made));
    assert_int_equal(alive(), 3);
    plait_array *kept = plait_keep(v.in_root);
    assert_ok(plait_scope_end(v.scope));
    assert_ok(plait_release(v.given));
    assert_ok(plait_release(v.made)); /* kept by the other thread, released here */
    assert_ok(plait_release(kept));
    assert_int_equal(alive(), 2); /* in_root and what it is computed from, until plait_close */
}

/* ---- failing allocations ---- */

static bool work(plait_array *x)
{
    PLAIT_SCOPE;
    plait_array *a = plait_keep(plait_add(x, plait_num(1)));
    plait_array *b = plait_pass(plait_reshape(plait_add(a, a), PLAIT_SHAPE(2, 2)));
    bool good = a != NULL && b != NULL;
    {
        PLAIT_SCOPE;
        good = plait_assign(&a, plait_add(a, x)) == PLAIT_OK && good;
        plait_array *c = plait_flip(b, PLAIT_AXES(0));
        good = plait_keep(c) != NULL && good;
        good = plait_temp(c) != NULL && good;
    }
    if (a != NULL) {
        plait_release(a);
    }
    return good;
}

static void failing_allocations(void **state)
{
    (void)state;
    plait_array *x = plait_keep(zeros());
    for (int64_t n = 1;; n++) {
        plait_clear_error();
        plait__alloc_fail_at(n);
        bool good = work(x);
        bool done = plait__alloc_fail_pending() != 0;
        plait__alloc_fail_at(0);
        assert_ok(plait_drain(ctx));
        {
            PLAIT_SCOPE; /* what failed to be evaluated, and is not kept any more, goes */
        }
        assert_int_equal(alive(), 1);
        assert_int_equal(atomic_load(&x->refs), 1);
        if (done) {
            assert_true(good);
            assert_true(n > 5);
            break;
        }
        assert_int_equal(plait_last_status(), PLAIT_E_NO_MEMORY);
    }
    assert_ok(plait_release(x));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_test, end_test)
    const struct CMUnitTest tests[] = {
        TEST(temporaries_die),
        TEST(keep_takes_over),
        TEST(keep_is_a_function_too),
        TEST(release_without_keep),
        TEST(null_is_passed_on),
        TEST(assign_releases_without_scope),
        TEST(old_value_is_good_until_the_scope_ends),
        TEST(two_slots_one_value),
        TEST(self_assign),
        TEST(swap),
        TEST(ping_pong),
        TEST(slot_must_be_kept),
        TEST(carried_together),
        TEST(carried_only_if_kept),
        TEST(slot_gone),
        TEST(nested),
        TEST(failure_at_the_end),
        TEST(failure_then_release),
        TEST(two_contexts),
        TEST(temp),
        TEST(helpers),
        TEST(pass_moves_one_scope_out),
        TEST(pass_without_scope),
        TEST(early_return_at_every_line),
        TEST(jumps),
        TEST(wrong_ends),
        TEST(step),
        TEST(many_in_the_root_scope),
        TEST(closing),
        TEST(failing_allocations),
        cmocka_unit_test_setup(another_thread, begin_test), /* the last: it leaves arrays until plait_close */
    };
    ctx = fake_open(NULL);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (plait_close(ctx) != PLAIT_OK) {
        printf("plait_close: %s\n", plait_last_error());
        return 1;
    }
    return failed;
}
