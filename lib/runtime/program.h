/*
 * A program: its OpenCL object, its kernels' signatures and spare cl_kernel objects, its way into the disk cache.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 * When it is saved. Usually as soon as its kernels exist. Drivers with the quirk BINARY_AFTER_LAUNCH (PoCL) compile a
 * kernel to machine code at its first launch with each work-group size, and take a program's binary only once, so there
 * it is saved after the first launch of each variant (plait__program_launched): the first time from the program itself,
 * later from a second one built from the same source, which finds the driver's files (35 ms, against 40 to 190 for what
 * was just compiled). The entry notes which variants are inside, so that a later process knows what is missing. What is
 * unsaved when the last reference goes (a program never launched, say) is saved then.
 *
 * Threads: everything but the fields marked below is constant once plait__program_make has returned.
 */
#ifndef PLAIT__PROGRAM_H
#define PLAIT__PROGRAM_H

#include "ctx.h"
#include "hash.h"
#include "signature.h"

/* As many cl_kernel objects are kept for later launches; threads that launch one kernel at once need one each. */
#define PLAIT__SPARE_KERNELS 16

typedef struct plait__kernel_slot {
    const plait__signature *signature;
    size_t max_group;     /* items of a work-group, by the compiled kernel and the context's limit */
    bool limited;         /* max_group is the context's (emulated) limit, below what the driver would allow */
    size_t reqd_group[3]; /* reqd_work_group_size, zeros if none */
    uint64_t local_bytes; /* of the kernel's own local variables */
    /* Any thread: */
    _Atomic(cl_kernel) spare[PLAIT__SPARE_KERNELS];  /* taken and put back by exchange */
    atomic_uint_least64_t variants[PLAIT__VARIANTS]; /* ways it has been launched in; 0: free */
    _Atomic(cl_event) running[PLAIT__VARIANTS];      /* the first launch of each, until it is known to have ended */
    atomic_uint finished;                            /* a bit for each whose first launch has ended */
} plait__kernel_slot;

struct plait_program {
    plait__refs refs;
    plait_ctx *ctx;              /* a reference */
    plait__program_table *table; /* a reference */
    plait__hash128 table_key;
    bool in_table;
    cl_program cl;
    char *name, *log, *options;
    bool cached;
    size_t n_kernels;
    plait__kernel_slot *kernels;
    plait__signatures signatures;
    /* Where it is kept on disk, a reference, and its key there with the source at its end; NULL if it is not kept. */
    plait__disk_cache *cache;
    char *key;
    size_t key_length, source_at;
    /* Any thread: */
    atomic_bool unsaved;
    atomic_bool saving; /* somebody is saving it: has the next field to himself */
    bool taken;         /* the driver will not give a newer binary of `cl` */
};

/* What plait__program_make needs. */
typedef struct plait__program_spec {
    const char *function; /* for failures */
    const char *name;
    const char *source; /* expanded, NUL-terminated */
    size_t length;
    const char *options;
    bool keep; /* on disk */
} plait__program_spec;

/* Loads or builds. Takes long: no lock may be held. The table is entered by the caller, if at all. */
plait_status plait__program_make(plait_program **out, plait_ctx *ctx, const plait__program_spec *spec);

/* A new cl_kernel by the name that the source gives it; NULL and a code if there is none. */
cl_kernel plait__kernel_make(const plait_program *program, const char *name, cl_int *code);

/* A cl_kernel that nobody else uses, and back. NULL (recorded) if the driver cannot make one. */
cl_kernel plait__kernel_take(plait_program *program, plait__kernel_slot *slot, const char *function);
void plait__kernel_put(plait__kernel_slot *slot, cl_kernel kernel);

/*
 * The number that this way of launching the kernel has if it is new in this process and to the entry it came from (it
 * then counts as known), -1 otherwise. Used where the quirk BINARY_AFTER_LAUNCH holds.
 */
int plait__kernel_new_variant(plait__kernel_slot *slot, uint32_t dims, const size_t *global, const size_t *group);

/* Saves what is unsaved. */
void plait__program_settle(plait_program *program);

/* One reference more, unless the last one has just been given back. */
bool plait__program_retain_live(plait_program *program);

/*
 * After a new variant was enqueued: waits until `event` is complete and saves the program. Where that takes more than
 * 2 s, it is saved later: with the next new variant, or when the last reference goes.
 */
void plait__program_launched(plait_program *program, plait__kernel_slot *slot, int variant, cl_command_queue queue,
                             cl_event event);

#endif
