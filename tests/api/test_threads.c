/*
 * Eight threads that all begin with their very first use of the library: the opening of the context, compilation, and a
 * thousand rounds of arrays, each thread with its own numbers in everybody's kernels. Runs under ThreadSanitizer too.
 */
#include "api_testing.h"

#include <pthread.h>

enum { THREADS = 8, N = 257, M = 17 };

/* A sanitizer makes each round many times as long. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { ROUNDS = 50 };
#else
enum { ROUNDS = 1000 };
#endif

static pthread_barrier_t start;
static pthread_once_t opened = PTHREAD_ONCE_INIT;
static plait_ctx *ctx;
static plait_status open_status;
static char open_failure[2000];

typedef struct worker {
    pthread_t thread;
    int number;
    char failure[2000];
} worker;

static void open_it(void)
{
    plait_ctx_opts o = PLAIT_CTX_OPTS;
    o.cache_folder = ""; /* so that everything is compiled, by all at the same time */
    open_status = plait_open(&ctx, &o);
    snprintf(open_failure, sizeof open_failure, "%s", plait_last_error());
}

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            snprintf(w->failure, sizeof w->failure, "thread %d, round %d: %s: %.1500s", w->number, round, #condition,  \
                     plait_last_error());                                                                              \
            return false;                                                                                              \
        }                                                                                                              \
    } while (0)

/* y = x * (t + 1) + t and its sum; a 17 x 17 product of matrices that are the thread's own. */
static bool one_round(worker *w, int round)
{
    PLAIT_SCOPE;
    int t = w->number, seed = t + round % 5;
    static const float one[1] = {1};
    plait_array *x = plait_add(plait_arange(ctx, 0, N, 1, PLAIT_F32), plait_num(round % 10));
    plait_array *y = plait_add(plait_multiply(x, plait_num(t + 1)), plait_num(t));
    plait_array *total = plait_sum(y);
    /* a[i][j] = i + seed, b[i][j] = j: c[i][j] = 17 (i + seed) j */
    plait_array *rows = plait_reshape(plait_arange(ctx, 0, M, 1, PLAIT_F32), PLAIT_SHAPE(M, 1));
    plait_array *ones = plait_broadcast_to(plait_from_host(ctx, one, PLAIT_SHAPE(1), PLAIT_F32), PLAIT_SHAPE(M, M));
    plait_array *a = plait_multiply(ones, plait_add(rows, plait_num(seed)));
    plait_array *b = plait_multiply(ones, plait_transpose(rows));
    plait_array *c = plait_matmul(a, b);
    float out[N], product[M * M];
    double sum;
    CHECK(plait_eval((plait_array *const[]){y, total, c}, 3) == PLAIT_OK);
    CHECK(plait_to_host(y, out, N, PLAIT_F32) == PLAIT_OK);
    CHECK(plait_item(total, &sum) == PLAIT_OK);
    CHECK(plait_to_host(c, product, M * M, PLAIT_F32) == PLAIT_OK);
    double wanted = 0;
    for (int i = 0; i < N; i++) {
        float value = (float)((i + round % 10) * (t + 1) + t);
        CHECK(out[i] == value);
        wanted += (double)value;
    }
    CHECK(sum == wanted);
    for (int i = 0; i < M * M; i++) {
        CHECK(product[i] == (float)(M * (i / M + seed) * (i % M)));
    }
    return true;
}

static void *work(void *argument)
{
    worker *w = argument;
    pthread_barrier_wait(&start);
    pthread_once(&opened, open_it);
    for (int round = 0; open_status == PLAIT_OK && round < ROUNDS && one_round(w, round); round++) {
    }
    return NULL;
}

static void eight_threads(void **state)
{
    (void)state;
    static worker workers[THREADS];
    assert_int_equal(pthread_barrier_init(&start, NULL, THREADS), 0);
    for (int i = 0; i < THREADS; i++) {
        workers[i].number = i;
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
    }
    pthread_barrier_destroy(&start);
    if (open_status == PLAIT_E_NO_DEVICE) {
        printf("skipped: %s\n", open_failure);
        exit(TEST_SKIPPED);
    }
    if (open_status != PLAIT_OK) {
        fail_msg("plait_open: %s", open_failure);
    }
    for (int i = 0; i < THREADS; i++) {
        if (workers[i].failure[0] != '\0') {
            fail_msg("%s", workers[i].failure);
        }
    }
    assert_ok(plait_finish(ctx));
    plait_stats s = stats_of(ctx);
    assert_int_equal(s.arrays, 0);
    assert_int_equal(s.buffers, 0);
    assert_in_range(s.source_builds, 1, 20); /* nothing was compiled twice */
    assert_ok(plait_close(ctx));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(eight_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
