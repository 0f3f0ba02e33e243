#include "program_table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "error.h"
#include "kernel.h"
#include "map.h"
#include "source.h"

/* A build that is going on, or has failed: what those who wait for it look at. */
typedef struct attempt {
    size_t users; /* the builder and those who wait */
    bool over;
    plait_status status;
    char *sentence; /* of a failure; NULL if there was no memory for it */
} attempt;

/* One text: either `attempt` (it is being built) or `program` is set. */
typedef struct entry {
    attempt *attempt;
    plait_program *program; /* a reference if `pinned`, else it is only as good as plait__program_retain_live says */
    bool pinned;
    plait_kernel **kernels; /* of a pinned program: its handles, made when asked for */
} entry;

struct plait__program_table {
    plait__refs refs;
    plait__mutex lock; /* of everything below */
    plait__condition built;
    plait__map entries; /* 128-bit hash to entry */
};

plait_status plait__program_table_create(plait__program_table **out, plait_ctx *ctx)
{
    (void)ctx;
    *out = NULL;
    plait__program_table *table = plait__calloc(1, sizeof *table);
    if (table == NULL) {
        return PLAIT_E_NO_MEMORY;
    }
    plait__refs_init(&table->refs);
    plait_status status = plait__mutex_init(&table->lock);
    if (status == PLAIT_OK) {
        status = plait__condition_init(&table->built);
        if (status != PLAIT_OK) {
            plait__mutex_destroy(&table->lock);
        }
    }
    if (status != PLAIT_OK) {
        free(table);
        return status;
    }
    *out = table;
    return PLAIT_OK;
}

plait__program_table *plait__program_table_retain(plait__program_table *table)
{
    plait__refs_up(&table->refs);
    return table;
}

void plait__program_table_release(plait__program_table *table)
{
    if (plait__refs_down(&table->refs)) {
        plait__map_free(&table->entries, free);
        plait__condition_destroy(&table->built);
        plait__mutex_destroy(&table->lock);
        free(table);
    }
}

/* ---- finding or building ---- */

static void attempt_leave(attempt *a)
{
    if (--a->users == 0) {
        free(a->sentence);
        free(a);
    }
}

/* The lock is held. The program of the key with a reference, or an attempt to wait for, or neither: nobody has it. */
static plait_program *look(plait__program_table *table, plait__hash128 key, attempt **going)
{
    entry *e = plait__map_get(&table->entries, &key, sizeof key);
    *going = e != NULL ? e->attempt : NULL;
    if (e != NULL && e->program != NULL && plait__program_retain_live(e->program)) {
        return e->program;
    }
    return NULL;
}

/* The lock is held. Makes the caller the builder of the key. */
static plait_status begin(plait__program_table *table, plait__hash128 key, attempt **out)
{
    attempt *a = plait__calloc(1, sizeof *a);
    entry *e = plait__map_get(&table->entries, &key, sizeof key);
    plait_status status = a != NULL ? PLAIT_OK : PLAIT_E_NO_MEMORY;
    if (status == PLAIT_OK && e == NULL) {
        e = plait__calloc(1, sizeof *e);
        status = e == NULL ? PLAIT_E_NO_MEMORY : plait__map_set(&table->entries, &key, sizeof key, e, NULL);
        if (status != PLAIT_OK) {
            free(e);
        }
    }
    if (status != PLAIT_OK) {
        free(a);
        return status;
    }
    a->users = 1;
    e->attempt = a;
    e->program = NULL; /* one whose last reference is just going: it does not forget what is no longer its */
    *out = a;
    return PLAIT_OK;
}

/* The lock is held. The builder tells how it went. `program` is NULL if it went wrong. */
static void finish(plait__program_table *table, plait__hash128 key, attempt *a, plait_program *program, bool pin,
                   plait_kernel **kernels, plait_status status)
{
    entry *e = plait__map_get(&table->entries, &key, sizeof key);
    assert(e != NULL && e->attempt == a);
    e->attempt = NULL;
    a->over = true;
    a->status = status;
    if (program == NULL) {
        plait__map_remove(&table->entries, &key, sizeof key);
        free(e);
    } else {
        e->program = program;
        e->pinned = pin;
        e->kernels = kernels;
    }
    attempt_leave(a);
    plait__condition_broadcast(&table->built);
}

/*
 * The program of the key, with a reference: found, waited for, or made by `make`. Where `pin` is set, the table keeps a
 * reference of its own.
 */
static plait_status get(plait_ctx *ctx, plait__hash128 key, bool pin,
                        plait_status (*make)(plait_program **out, plait_ctx *ctx, const void *argument),
                        const void *argument, plait_program **out)
{
    plait__program_table *table = ctx->programs;
    attempt *going = NULL;
    plait__lock(&table->lock);
    for (;;) {
        *out = look(table, key, &going);
        if (*out != NULL) {
            plait__unlock(&table->lock);
            atomic_fetch_add_explicit(&ctx->stats.program_hits, 1, memory_order_relaxed);
            return PLAIT_OK;
        }
        if (going == NULL) {
            break;
        }
        going->users++;
        while (!going->over) {
            plait__condition_wait(&table->built, &table->lock);
        }
        plait_status status = going->status;
        if (status != PLAIT_OK) {
            plait__fail(status, "%s", going->sentence != NULL ? going->sentence : plait_status_text(status));
        }
        attempt_leave(going);
        if (status != PLAIT_OK) {
            plait__unlock(&table->lock);
            return status;
        }
    }
    plait_status status = begin(table, key, &going);
    plait__unlock(&table->lock);
    if (status != PLAIT_OK) {
        return status;
    }

    plait_program *program = NULL;
    plait_kernel **kernels = NULL;
    status = make(&program, ctx, argument);
    if (status == PLAIT_OK) {
        program->in_table = true;
        program->table_key = key;
        kernels = pin ? plait__calloc(program->n_kernels + 1, sizeof *kernels) : NULL;
        if (kernels != NULL) {
            plait_program_retain(program);
        } else if (pin) {
            status = PLAIT_E_NO_MEMORY;
        }
    }
    char *sentence = NULL;
    if (status != PLAIT_OK) {
        plait__error failure = plait__error_save();
        sentence = plait__strdup(failure.sentence);
        plait__error_restore(&failure);
    }
    plait__lock(&table->lock);
    going->sentence = sentence;
    finish(table, key, going, status == PLAIT_OK ? program : NULL, pin, kernels, status);
    plait__unlock(&table->lock);
    if (status != PLAIT_OK) {
        plait_program_release(program);
        program = NULL;
    }
    *out = program;
    return status;
}

void plait__program_table_forget(plait__program_table *table, const plait_program *program)
{
    plait__lock(&table->lock);
    entry *e = plait__map_get(&table->entries, &program->table_key, sizeof program->table_key);
    if (e != NULL && e->program == program) {
        plait__map_remove(&table->entries, &program->table_key, sizeof program->table_key);
        free(e);
    }
    plait__unlock(&table->lock);
}

/* At the context's close: everything is saved, and the table lets go of what it keeps. */
void plait__program_table_free(plait__program_table *table)
{
    if (table == NULL) {
        return;
    }
    /* References first: saving takes long, and releasing comes back here through plait__program_table_forget. */
    plait__lock(&table->lock);
    size_t n = 0, cursor = 0;
    plait__map_entry item;
    entry *held = plait__try_malloc((table->entries.count + 1) * sizeof *held);
    while (held != NULL && plait__map_next(&table->entries, &cursor, &item)) {
        entry *e = item.value;
        if (e->program != NULL && (e->pinned || plait__program_retain_live(e->program))) {
            held[n++] = *e;
            e->pinned = false;
            e->kernels = NULL;
        }
    }
    plait__unlock(&table->lock);
    for (size_t i = 0; i < n; i++) {
        plait__program_settle(held[i].program);
        for (size_t k = 0; held[i].kernels != NULL && k < held[i].program->n_kernels; k++) {
            plait_kernel_release(held[i].kernels[k]);
        }
        free(held[i].kernels);
        plait_program_release(held[i].program);
    }
    free(held);
    plait__program_table_release(table);
}

/* ---- the two doors ---- */

static plait_status make_given(plait_program **out, plait_ctx *ctx, const void *argument)
{
    return plait__program_make(out, ctx, argument);
}

plait_status plait__program_table_share(plait_ctx *ctx, const plait__program_spec *spec, plait_program **out)
{
    plait__hasher h;
    plait__hash_init(&h, 1);
    plait__hash_add_text(&h, spec->options);
    plait__hash_add_u64(&h, spec->keep);
    plait__hash_add(&h, spec->source, spec->length);
    return get(ctx, plait__hash_end(&h), false, make_given, spec, out);
}

typedef struct generated {
    const char *name, *text, *options;
    size_t length;
} generated;

static plait_status make_generated(plait_program **out, plait_ctx *ctx, const void *argument)
{
    const generated *g = argument;
    const plait__source_request request = {.function = "plait",
                                           .name = g->name,
                                           .text = g->text,
                                           .length = g->length,
                                           .embedded = true,
                                           .options = g->options};
    plait__source source;
    *out = NULL;
    PLAIT__TRY(plait__source_expand(&request, &source));
    const plait__program_spec spec = {.function = "plait",
                                      .name = g->name,
                                      .source = source.text,
                                      .length = source.length,
                                      .options = g->options,
                                      .keep = !source.outside};
    plait_status status = plait__program_make(out, ctx, &spec);
    free(source.text);
    return status;
}

static plait_status get_generated(plait_ctx *ctx, const generated *g, plait__hash128 *key, plait_program **out)
{
    plait__hasher h;
    plait__hash_init(&h, 2);
    plait__hash_add_text(&h, g->options);
    plait__hash_add(&h, g->text, g->length);
    *key = plait__hash_end(&h);
    PLAIT__TRY(get(ctx, *key, true, make_generated, g, out));
    plait_program_release(*out); /* the table's own reference stays */
    return PLAIT_OK;
}

plait_status plait__program_get(plait_ctx *ctx, const char *name, const char *text, size_t length, const char *options,
                                plait_program **out)
{
    plait__hash128 key;
    return get_generated(ctx, &(generated){name, text, options, length}, &key, out);
}

plait_status plait__kernel_get(plait_ctx *ctx, const char *program_name, const char *text, size_t length,
                               const char *options, const char *kernel_name, plait_kernel **out)
{
    *out = NULL;
    plait__hash128 key;
    plait_program *program;
    PLAIT__TRY(get_generated(ctx, &(generated){program_name, text, options, length}, &key, &program));
    size_t index = 0;
    while (index < program->n_kernels && strcmp(program->kernels[index].signature->name, kernel_name) != 0) {
        index++;
    }
    plait__program_table *table = ctx->programs;
    plait_kernel *fresh = NULL;
    for (;;) {
        if (index < program->n_kernels) {
            plait__lock(&table->lock);
            entry *e = plait__map_get(&table->entries, &key, sizeof key);
            if (e->kernels[index] == NULL) {
                e->kernels[index] = fresh;
                fresh = NULL;
            }
            *out = e->kernels[index];
            plait__unlock(&table->lock);
        }
        if (*out != NULL) {
            plait_kernel_release(fresh); /* another thread was first */
            return PLAIT_OK;
        }
        PLAIT__TRY(plait_kernel_create(&fresh, program, kernel_name));
    }
}
