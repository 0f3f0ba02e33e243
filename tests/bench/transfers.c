/*
 * Host memory to the device and back: ordinary malloc'd memory, raw and through Plait.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct transfer_state {
    bench *b;
    raw_cl raw;
    cl_mem mem;
    plait_buffer *buffer;
    char *host;
    size_t bytes;
} transfer_state;

static bool write_raw(void *user)
{
    transfer_state *s = user;
    return clEnqueueWriteBuffer(s->raw.queue, s->mem, CL_TRUE, 0, s->bytes, s->host, 0, NULL, NULL) == CL_SUCCESS;
}

static bool read_raw(void *user)
{
    transfer_state *s = user;
    return clEnqueueReadBuffer(s->raw.queue, s->mem, CL_TRUE, 0, s->bytes, s->host, 0, NULL, NULL) == CL_SUCCESS;
}

static bool write_plait(void *user)
{
    transfer_state *s = user;
    return plait_buffer_write(s->b->queue, s->buffer, 0, s->host, s->bytes) == PLAIT_OK;
}

static bool read_plait(void *user)
{
    transfer_state *s = user;
    return plait_buffer_read(s->b->queue, s->buffer, 0, s->host, s->bytes) == PLAIT_OK;
}

/* Both directions wait by themselves. */
static bool finish(void *user)
{
    (void)user;
    return true;
}

static void keep(const transfer_state *s, const char *name, const char *size, const char *other,
                 const bench_samples *samples)
{
    char full[64];
    snprintf(full, sizeof full, "%s %s", name, size);
    bench_row *row = bench_add(s->b, "transfer", full);
    snprintf(row->shape, sizeof row->shape, "%zu bytes", s->bytes);
    if (other != NULL) {
        snprintf(row->against, sizeof row->against, "transfer/%s %s", other, size);
    }
    row->bytes = (double)s->bytes;
    bench_keep(row, samples);
    bench_show(s->b, row);
}

static void both(transfer_state *s, const char *size)
{
    bench_work work[4] = {
        {write_raw, finish, s}, {write_plait, finish, s}, {read_raw, finish, s}, {read_plait, finish, s}};
    static const char *const names[4] = {"raw write", "plait write", "raw read", "plait read"};
    for (int i = 0; i < 4; i += 2) {
        bench_samples one = {.n = 0}, two = {.n = 0};
        if (!bench_run_pair(s->b, &work[i], &one, &work[i + 1], &two)) {
            bench_fail(s->b, "transfer", names[i], plait_last_error());
            return;
        }
        keep(s, names[i], size, NULL, &one);
        keep(s, names[i + 1], size, names[i], &two);
    }
}

void bench_transfers(bench *b)
{
    if (!bench_wanted(b, "transfer", "")) {
        return;
    }
    const size_t large = b->quick ? (size_t)4 << 20 : b->gpu ? (size_t)1 << 30 : (size_t)256 << 20;
    const struct {
        size_t bytes;
        const char *name;
    } sizes[] = {{4096, "4 KiB"},
                 {(size_t)1 << 20, "1 MiB"},
                 {large, b->quick ? "4 MiB"
                         : b->gpu ? "1 GiB"
                                  : "256 MiB"}};
    transfer_state s = {.b = b, .host = malloc(large)};
    if (s.host == NULL || !raw_open(&s.raw, &b->device)) {
        bench_fail(b, "transfer", "open", "out of memory, or no raw device");
    } else {
        memset(s.host, 1, large);
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            cl_int code;
            s.bytes = sizes[i].bytes;
            s.mem = clCreateBuffer(s.raw.context, CL_MEM_READ_WRITE, s.bytes, NULL, &code);
            if (code == CL_SUCCESS && plait_buffer_create(&s.buffer, b->ctx, s.bytes, NULL) == PLAIT_OK) {
                both(&s, sizes[i].name);
            } else {
                bench_fail(b, "transfer", sizes[i].name, "no memory on the device");
            }
            if (s.mem != NULL) {
                clReleaseMemObject(s.mem);
            }
            plait_buffer_release(s.buffer);
            s.buffer = NULL;
        }
    }
    raw_close(&s.raw);
    free(s.host);
    plait_ctx_trim(b->ctx);
}
