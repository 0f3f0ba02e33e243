#include "testing.h"

#include "clock.h"
#include "thread.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 4
#define ROUNDS 2000

static plait__mutex mutex = PLAIT__MUTEX_INIT;
static long counter;

static void count_up(void *unused)
{
    (void)unused;
    for (int i = 0; i < ROUNDS; i++) {
        plait__lock(&mutex);
        counter++;
        plait__unlock(&mutex);
    }
}

static void run_threads(void (*function)(void *), void *argument)
{
    plait__thread threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        assert_ok(plait__thread_start(&threads[i], function, argument));
    }
    for (int i = 0; i < THREADS; i++) {
        plait__thread_join(&threads[i]);
    }
}

static void a_mutex_excludes(void **state)
{
    (void)state;
    counter = 0;
    run_threads(count_up, NULL);
    assert_int_equal(counter, THREADS * ROUNDS);
    plait__mutex own;
    assert_ok(plait__mutex_init(&own));
    plait__lock(&own);
    plait__unlock(&own);
    plait__mutex_destroy(&own);
}

struct queue {
    plait__mutex mutex;
    plait__condition changed;
    int waiting;
    int taken;
    bool closed;
};

static void take(void *argument)
{
    struct queue *q = argument;
    plait__lock(&q->mutex);
    while (!q->closed || q->waiting > 0) {
        if (q->waiting > 0) {
            q->waiting--;
            q->taken++;
        } else {
            plait__condition_wait(&q->changed, &q->mutex);
        }
    }
    plait__unlock(&q->mutex);
}

static void conditions_wake(void **state)
{
    (void)state;
    struct queue q = {0};
    assert_ok(plait__mutex_init(&q.mutex));
    assert_ok(plait__condition_init(&q.changed));
    plait__thread threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        assert_ok(plait__thread_start(&threads[i], take, &q));
    }
    for (int i = 0; i < ROUNDS; i++) {
        plait__lock(&q.mutex);
        q.waiting++;
        plait__condition_signal(&q.changed);
        plait__unlock(&q.mutex);
    }
    plait__lock(&q.mutex);
    q.closed = true;
    plait__condition_broadcast(&q.changed);
    plait__unlock(&q.mutex);
    for (int i = 0; i < THREADS; i++) {
        plait__thread_join(&threads[i]);
    }
    assert_int_equal(q.taken, ROUNDS);

    plait__lock(&q.mutex);
    uint64_t deadline = plait__now_ns() + 20000000;
    while (plait__condition_wait_until(&q.changed, &q.mutex, deadline)) {
    }
    plait__unlock(&q.mutex);
    assert_true(plait__now_ns() >= deadline);
    plait__condition_destroy(&q.changed);
    plait__mutex_destroy(&q.mutex);
}

static int first_calls;

static void first_call(void)
{
    plait__sleep_ns(5000000);
    first_calls++;
}

static void call(void *unused)
{
    (void)unused;
    static plait__once once = PLAIT__ONCE_INIT;
    plait__call_once(&once, first_call);
    if (first_calls != 1) {
        abort();
    }
}

static void once_is_once_and_others_wait(void **state)
{
    (void)state;
    run_threads(call, NULL);
    assert_int_equal(first_calls, 1);
}

static plait__local local;
static atomic_int dropped;

static void drop(void *value)
{
    atomic_fetch_add(&dropped, 1);
    free(value);
}

static void own_value(void *argument)
{
    atomic_int *wrong = argument;
    char *value = malloc(1);
    if (plait__local_get(&local) != NULL || plait__local_set(&local, value) != PLAIT_OK ||
        plait__local_get(&local) != value) {
        atomic_fetch_add(wrong, 1);
    }
}

static void values_of_a_threads_own(void **state)
{
    (void)state;
    atomic_int wrong = 0;
    assert_ok(plait__local_create(&local, drop));
    run_threads(own_value, &wrong);
    assert_int_equal(wrong, 0);
    assert_int_equal(dropped, THREADS);
    assert_null(plait__local_get(&local));
    plait__local_destroy(&local);
}

static uint64_t ids[THREADS];
static atomic_int next_id;

static void note_id(void *unused)
{
    (void)unused;
    uint64_t id = plait__thread_id();
    if (id == plait__thread_id()) {
        ids[atomic_fetch_add(&next_id, 1)] = id;
    }
}

static void thread_ids_differ(void **state)
{
    (void)state;
    run_threads(note_id, NULL);
    assert_int_equal(next_id, THREADS);
    for (int i = 0; i < THREADS; i++) {
        assert_true(ids[i] != 0 && ids[i] != plait__thread_id());
        for (int k = 0; k < i; k++) {
            assert_true(ids[i] != ids[k]);
        }
    }
}

static void blocked_signals(void *argument)
{
    sigset_t now;
    pthread_sigmask(SIG_BLOCK, NULL, &now);
    *(bool *)argument = sigismember(&now, SIGINT) == 1 && sigismember(&now, SIGUSR1) == 1;
}

static void our_threads_take_no_signals(void **state)
{
    (void)state;
    bool blocked = false;
    plait__thread thread;
    assert_ok(plait__thread_start(&thread, blocked_signals, &blocked));
    plait__thread_join(&thread);
    assert_true(blocked);
    sigset_t now;
    pthread_sigmask(SIG_BLOCK, NULL, &now);
    assert_int_equal(sigismember(&now, SIGUSR1), 0);
}

static void references_are_counted(void **state)
{
    (void)state;
    plait__refs refs;
    plait__refs_init(&refs);
    plait__refs_up(&refs);
    assert_int_equal(plait__refs_count(&refs), 2);
    assert_false(plait__refs_down(&refs));
    assert_true(plait__refs_down(&refs));
}

static void a_forked_child_knows(void **state)
{
    (void)state;
    uint32_t generation = plait__fork_generation();
    assert_false(plait__forked(generation));
    pid_t pid = fork();
    if (pid == 0) {
        bool child_knows = plait__forked(generation) && !plait__forked(plait__fork_generation());
        pid_t grandchild = fork();
        if (grandchild == 0) {
            _exit(plait__forked(generation) && plait__forked(generation + 1) ? 0 : 1);
        }
        int status = 1;
        waitpid(grandchild, &status, 0);
        _exit(child_knows && status == 0 ? 0 : 1);
    }
    int status = 1;
    waitpid(pid, &status, 0);
    assert_int_equal(status, 0);
    assert_false(plait__forked(generation));
}

static void processors(void **state)
{
    (void)state;
    size_t count = plait__processor_count();
    assert_true(count >= 1 && count <= (size_t)sysconf(_SC_NPROCESSORS_CONF));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mutex_excludes),
        cmocka_unit_test(conditions_wake),
        cmocka_unit_test(once_is_once_and_others_wait),
        cmocka_unit_test(values_of_a_threads_own),
        cmocka_unit_test(thread_ids_differ),
        cmocka_unit_test(our_threads_take_no_signals),
        cmocka_unit_test(references_are_counted),
        cmocka_unit_test(a_forked_child_knows),
        cmocka_unit_test(processors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
