/*
 * Plait: threads, over POSIX threads.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#ifdef __linux__
#define _GNU_SOURCE /* sched_getaffinity */
#include <sched.h>
#endif

#include "thread.h"

#include "alloc.h"
#include "error.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Evaluated also where asserts are off. */
static void must(int error)
{
    assert(error == 0);
    (void)error;
}

static plait_status started(const char *what, int error)
{
    if (error == 0) {
        return PLAIT_OK;
    }
    char text[PLAIT__ERRNO_SIZE];
    return plait__fail(PLAIT_E_NO_MEMORY, "the system has no %s left: %s", what, plait__errno_text(error, text));
}

plait_status plait__mutex_init(plait__mutex *mutex)
{
    return started("mutex", pthread_mutex_init(&mutex->handle, NULL));
}

void plait__mutex_destroy(plait__mutex *mutex)
{
    must(pthread_mutex_destroy(&mutex->handle));
}

void plait__lock(plait__mutex *mutex)
{
    must(pthread_mutex_lock(&mutex->handle));
}

void plait__unlock(plait__mutex *mutex)
{
    must(pthread_mutex_unlock(&mutex->handle));
}

plait_status plait__condition_init(plait__condition *condition)
{
    pthread_condattr_t attributes;
    int error = pthread_condattr_init(&attributes);
    if (error == 0) {
        error = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
        if (error == 0) {
            error = pthread_cond_init(&condition->handle, &attributes);
        }
        pthread_condattr_destroy(&attributes);
    }
    return started("condition variable", error);
}

void plait__condition_destroy(plait__condition *condition)
{
    must(pthread_cond_destroy(&condition->handle));
}

void plait__condition_wait(plait__condition *condition, plait__mutex *mutex)
{
    must(pthread_cond_wait(&condition->handle, &mutex->handle));
}

bool plait__condition_wait_until(plait__condition *condition, plait__mutex *mutex, uint64_t deadline)
{
    struct timespec at = {(time_t)(deadline / 1000000000u), (long)(deadline % 1000000000u)};
    int error = pthread_cond_timedwait(&condition->handle, &mutex->handle, &at);
    assert(error == 0 || error == ETIMEDOUT);
    return error == 0;
}

void plait__condition_signal(plait__condition *condition)
{
    must(pthread_cond_signal(&condition->handle));
}

void plait__condition_broadcast(plait__condition *condition)
{
    must(pthread_cond_broadcast(&condition->handle));
}

void plait__call_once(plait__once *once, void (*function)(void))
{
    must(pthread_once(once, function));
}

struct start {
    void (*function)(void *argument);
    void *argument;
};

static void *run_thread(void *data)
{
    struct start start = *(struct start *)data;
    free(data);
    start.function(start.argument);
    return NULL;
}

plait_status plait__thread_start(plait__thread *thread, void (*function)(void *argument), void *argument)
{
    struct start *start = plait__malloc(sizeof *start);
    if (start == NULL) {
        return PLAIT_E_NO_MEMORY;
    }
    *start = (struct start){function, argument};
    /* A thread inherits its creator's mask. */
    sigset_t all, before;
    sigfillset(&all);
    must(pthread_sigmask(SIG_SETMASK, &all, &before));
    int error = pthread_create(&thread->handle, NULL, run_thread, start);
    must(pthread_sigmask(SIG_SETMASK, &before, NULL));
    if (error != 0) {
        free(start);
    }
    return started("thread", error);
}

void plait__thread_join(plait__thread *thread)
{
    must(pthread_join(thread->handle, NULL));
}

uint64_t plait__thread_id(void)
{
    static atomic_uint_fast64_t count;
    static _Thread_local uint64_t id;
    if (id == 0) {
        id = atomic_fetch_add(&count, 1) + 1;
    }
    return id;
}

plait_status plait__local_create(plait__local *local, void (*drop)(void *value))
{
    return started("thread-specific key", pthread_key_create(&local->key, drop));
}

void plait__local_destroy(plait__local *local)
{
    must(pthread_key_delete(local->key));
}

void *plait__local_get(const plait__local *local)
{
    return pthread_getspecific(local->key);
}

plait_status plait__local_set(const plait__local *local, void *value)
{
    return started("room for a thread-specific value", pthread_setspecific(local->key, value));
}

size_t plait__processor_count(void)
{
#ifdef __linux__
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) {
        return (size_t)CPU_COUNT(&set);
    }
#endif
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (size_t)count : 1;
}

static atomic_uint_least32_t generation_now;

static void after_fork_in_child(void)
{
    atomic_fetch_add(&generation_now, 1);
}

static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, after_fork_in_child);
}

uint32_t plait__fork_generation(void)
{
    static plait__once once = PLAIT__ONCE_INIT;
    plait__call_once(&once, watch_forks);
    return atomic_load_explicit(&generation_now, memory_order_relaxed);
}

bool plait__forked(uint32_t generation)
{
    return plait__fork_generation() != generation;
}

static atomic_bool exiting;

static void note_exit(void)
{
    atomic_store(&exiting, true);
}

static void register_note(void)
{
    atexit(note_exit); /* where that fails, nobody is told */
}

void plait__watch_exit(void)
{
    static plait__once once = PLAIT__ONCE_INIT;
    plait__call_once(&once, register_note);
}

bool plait__exiting(void)
{
    return atomic_load_explicit(&exiting, memory_order_relaxed);
}
