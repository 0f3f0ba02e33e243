#include "fake_engine.h"

#include "testing.h"

#include "alloc.h"
#include "engine.h"
#include "error.h"

fake_engine fake;

struct plait__plan {
    size_t n;
    plait_array *nodes[];
};

struct plait__engine {
    plait_ctx *ctx;
};

void fake_reset(void)
{
    memset(&fake, 0, sizeof fake);
}

plait_ctx *fake_open(const plait_ctx_opts *opts)
{
    plait_ctx_opts o = opts != NULL ? *opts : (plait_ctx_opts)PLAIT_CTX_OPTS;
    o.cache_folder = "";
    plait_ctx *ctx;
    plait_status status = plait_open(&ctx, &o);
    if (status == PLAIT_E_NO_DEVICE) {
        printf("skipped: %s\n", plait_last_error());
        exit(TEST_SKIPPED);
    }
    assert_ok(status);
    return ctx;
}

static void enter(void)
{
    if (atomic_fetch_add(&fake.inside, 1) != 0) {
        atomic_store(&fake.overlap, true);
    }
}

static void leave(void)
{
    atomic_fetch_sub(&fake.inside, 1);
}

plait_status plait__engine_create(plait__engine **out, plait_ctx *ctx)
{
    *out = plait__calloc(1, sizeof **out);
    if (*out == NULL) {
        return PLAIT_E_NO_MEMORY;
    }
    (*out)->ctx = ctx;
    return PLAIT_OK;
}

void plait__engine_destroy(plait__engine *engine)
{
    free(engine);
}

plait_status plait__plan_create(plait__plan **out, const plait__caps *caps, plait_array *const *nodes, size_t n)
{
    (void)caps;
    if (fake.fail_plan != PLAIT_OK) {
        return plait__fail(fake.fail_plan, "the plan fails as told");
    }
    enter();
    atomic_fetch_add(&fake.plans, 1);
    plait__plan *plan = plait__malloc(sizeof *plan + n * sizeof plan->nodes[0]);
    if (plan != NULL) {
        plan->n = n;
        for (size_t i = 0; i < n; i++) {
            plan->nodes[i] = plait__node_retain(nodes[i]);
        }
    }
    leave();
    *out = plan;
    return plan != NULL ? PLAIT_OK : PLAIT_E_NO_MEMORY;
}

void plait__plan_destroy(plait__plan *plan)
{
    for (size_t i = 0; plan != NULL && i < plan->n; i++) {
        plait__node_release(plan->nodes[i]);
    }
    free(plan);
}

plait_status plait__engine_lookup(plait__engine *engine, plait__plan *plan, size_t *missing)
{
    (void)plan;
    assert_non_null(engine);
    enter();
    *missing = 0;
    if (atomic_load(&fake.missing) > 0) {
        atomic_fetch_sub(&fake.missing, 1);
        *missing = 1;
    }
    leave();
    return PLAIT_OK;
}

plait_status plait__engine_build(plait__engine *engine, plait__plan *plan)
{
    (void)plan;
    assert_non_null(engine);
    atomic_fetch_add(&fake.builds, 1);
    if (fake.during_build != NULL) {
        fake.during_build(fake.argument);
    }
    return fake.fail_build != PLAIT_OK ? plait__fail(fake.fail_build, "the build fails as told") : PLAIT_OK;
}

plait_status plait__engine_run(plait__engine *engine, plait__plan *plan, plait_queue *queue)
{
    assert_non_null(engine);
    assert_non_null(queue);
    if (fake.during_run != NULL) {
        fake.during_run(fake.argument);
    }
    if (fake.fail_run != PLAIT_OK) {
        return plait__fail(fake.fail_run, "the run fails as told");
    }
    enter();
    atomic_fetch_add(&fake.runs, 1);
    fake.n_requested = 0;
    for (size_t i = 0; i < plan->n; i++) {
        plait_array *a = plan->nodes[i];
        if (plait__is_ready(a)) {
            continue;
        }
        plait__storage *storage = plait__storage_create(NULL);
        if (storage == NULL) {
            leave();
            return PLAIT_E_NO_MEMORY;
        }
        plait__layout layout = plait__layout_contiguous(&a->shape);
        plait__node_set_ready(a, storage, &layout);
        if (fake.n_requested < FAKE_REQUESTED) {
            fake.requested[fake.n_requested++] = a;
        }
    }
    leave();
    return PLAIT_OK;
}
