/*
 * Threads, locks, values of a thread's own, reference counts, and the question whether the process was forked.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 * Locking functions cannot fail when used by their rules; a broken rule is an assert. C11's <threads.h> lacks in some C
 * libraries and in ThreadSanitizer's interceptors, hence POSIX threads.
 */
#ifndef PLAIT__THREAD_H
#define PLAIT__THREAD_H

#include <plait/status.h>

#include <pthread.h>
#include <stdatomic.h>

/* Not recursive. */
typedef struct plait__mutex {
    pthread_mutex_t handle;
} plait__mutex;

#define PLAIT__MUTEX_INIT                                                                                              \
    {                                                                                                                  \
        PTHREAD_MUTEX_INITIALIZER                                                                                      \
    }

plait_status plait__mutex_init(plait__mutex *mutex);
void plait__mutex_destroy(plait__mutex *mutex);
void plait__lock(plait__mutex *mutex);
void plait__unlock(plait__mutex *mutex);

typedef struct plait__condition {
    pthread_cond_t handle;
} plait__condition;

plait_status plait__condition_init(plait__condition *condition);
void plait__condition_destroy(plait__condition *condition);
/* May return without a signal: wait in a loop over what is waited for. */
void plait__condition_wait(plait__condition *condition, plait__mutex *mutex);
/* The same until plait__now_ns() reaches `deadline`; false once it has. */
bool plait__condition_wait_until(plait__condition *condition, plait__mutex *mutex, uint64_t deadline);
void plait__condition_signal(plait__condition *condition);
void plait__condition_broadcast(plait__condition *condition);

/* Runs `function` in the first of all calls with this `once`; the others wait until it has returned. */
typedef pthread_once_t plait__once;
#define PLAIT__ONCE_INIT PTHREAD_ONCE_INIT
void plait__call_once(plait__once *once, void (*function)(void));

/* Each thread that was started is joined. The new thread has all signals blocked: they are the program's business. */
typedef struct plait__thread {
    pthread_t handle;
} plait__thread;

plait_status plait__thread_start(plait__thread *thread, void (*function)(void *argument), void *argument);
void plait__thread_join(plait__thread *thread);

/* A number that no other thread of the process has or had; never 0. */
uint64_t plait__thread_id(void);

/* A pointer of each thread's own, NULL at first; `drop` is called at the thread's end with what is not NULL then. */
typedef struct plait__local {
    pthread_key_t key;
} plait__local;

plait_status plait__local_create(plait__local *local, void (*drop)(void *value));
void plait__local_destroy(plait__local *local); /* calls no drop */
void *plait__local_get(const plait__local *local);
plait_status plait__local_set(const plait__local *local, void *value);

/* Processors that this process may run on; at least 1. */
size_t plait__processor_count(void);

/*
 * How many forks lie between the first call in this process's ancestry and now. An object remembers the number it was
 * made under; plait__forked says whether the caller is a fork's child that has inherited it.
 */
uint32_t plait__fork_generation(void);
bool plait__forked(uint32_t generation);

/*
 * Has exit been called, or has main returned? Asked after the first plait__watch_exit, which is called when other
 * libraries have registered what they do then: that is done later, so until plait__exiting is true they still work.
 */
void plait__watch_exit(void);
bool plait__exiting(void);

/* A count of references that starts at 1. */
typedef struct plait__refs {
    atomic_size_t count;
} plait__refs;

static inline void plait__refs_init(plait__refs *refs)
{
    atomic_init(&refs->count, 1);
}

static inline void plait__refs_up(plait__refs *refs)
{
    atomic_fetch_add_explicit(&refs->count, 1, memory_order_relaxed);
}

/* True for the call that gave back the last reference: it destroys the object, and sees what all others wrote. */
static inline bool plait__refs_down(plait__refs *refs)
{
    return atomic_fetch_sub_explicit(&refs->count, 1, memory_order_acq_rel) == 1;
}

/* For tests and statistics. */
static inline size_t plait__refs_count(const plait__refs *refs)
{
    return atomic_load_explicit(&refs->count, memory_order_relaxed);
}

#endif
