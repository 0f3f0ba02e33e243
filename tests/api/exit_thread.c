/*
 * Run by test_exit: a second thread calls exit while kernels run and the first one goes on using the library.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include <plait/plait.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static const char source[] = "kernel void spin(global uint *out, uint turns)\n"
                             "{\n"
                             "    uint x = get_global_id(0);\n"
                             "    for (uint i = 0; i < turns; i++)\n"
                             "        x = x * 1664525u + 1013904223u;\n"
                             "    out[get_global_id(0)] = x;\n"
                             "}\n";

static plait_ctx *ctx;
static plait_program *program;
static plait_kernel *spin;
static plait_buffer *out;
static atomic_bool running;

static void *end(void *unused)
{
    (void)unused;
    while (!atomic_load(&running)) {
    }
    nanosleep(&(struct timespec){.tv_nsec = 3000000}, NULL);
    exit(0);
}

int main(void)
{
    alarm(60);
    pthread_t thread;
    if (plait_open(&ctx, NULL) != PLAIT_OK || plait_program_from_source(&program, ctx, source, NULL) != PLAIT_OK ||
        plait_kernel_create(&spin, program, "spin") != PLAIT_OK ||
        plait_buffer_create(&out, ctx, 64 * 4, NULL) != PLAIT_OK || pthread_create(&thread, NULL, end, NULL) != 0) {
        return 1;
    }
    plait_status status;
    do {
        double value;
        status = plait_launch(plait_ctx_queue(ctx), spin, PLAIT_GRID(64), PLAIT_BUFFER(out), PLAIT_INT(1000000));
        if (status == PLAIT_OK) {
            status = plait_queue_flush(plait_ctx_queue(ctx));
            atomic_store(&running, true);
        }
        if (status == PLAIT_OK) {
            status = plait_item(plait_sum(plait_arange(ctx, 0, 1000, 1, PLAIT_F32)), &value);
        }
        if (status == PLAIT_OK && value != 499500) {
            return 2;
        }
    } while (status == PLAIT_OK);
    if (plait_last_status() != PLAIT_E_CLOSED) { /* exit has been called */
        fprintf(stderr, "%s\n", plait_last_error());
        return 3;
    }
    pthread_join(thread, NULL); /* which it never will be */
    return 4;
}
