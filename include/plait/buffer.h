/*
 * Plait: buffers, mutable blocks of device memory.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 *     plait_buffer *b;
 *     plait_buffer_create(&b, ctx, bytes, NULL);
 *     plait_buffer_write(queue, b, 0, host, bytes);
 *     ...
 *     plait_buffer_release(b);
 *
 * Memory comes from the context's pool. A released block is used again only after the commands that use it. Offsets and
 * sizes are in bytes. Fresh memory holds anything. Every range is checked before a command is enqueued: a command that
 * fails its check changes nothing.
 *
 * Threads: create, retain and release from any thread. Commands on one buffer are ordered by their queue; two queues
 * that use one buffer are ordered by events, which is the caller's duty.
 */
#ifndef PLAIT_BUFFER_H
#define PLAIT_BUFFER_H

#include <plait/queue.h>

PLAIT_BEGIN

typedef struct plait_buffer plait_buffer;

typedef struct plait_buffer_opts {
    size_t size;      /* set by PLAIT_BUFFER_OPTS */
    const void *data; /* copied in before the call returns, if not NULL: as many bytes as the buffer has */
} plait_buffer_opts;

#define PLAIT_BUFFER_OPTS PLAIT_OPTS_(plait_buffer_opts)
PLAIT_API void plait_buffer_opts_init(plait_buffer_opts *opts);

/*
 * A buffer of `bytes` bytes; 0 is allowed and uses no device memory. opts may be NULL. The caller releases it. Errors:
 * PLAIT_E_RANGE when bytes is above the device's largest buffer, PLAIT_E_DEVICE_MEMORY (the sentence says how much was
 * asked, held and free), PLAIT_E_NULL, PLAIT_E_CLOSED. Since 0.1.
 */
PLAIT_API plait_status plait_buffer_create(plait_buffer **out, plait_ctx *ctx, size_t bytes,
                                           const plait_buffer_opts *opts);
PLAIT_API plait_buffer *plait_buffer_retain(plait_buffer *buffer);
PLAIT_API void plait_buffer_release(plait_buffer *buffer); /* NULL is fine */
PLAIT_API size_t plait_buffer_size(const plait_buffer *buffer);
PLAIT_API plait_ctx *plait_buffer_ctx(const plait_buffer *buffer); /* borrowed */

/*
 * Host memory to buffer and back. The data has been read, or has arrived, when they return. Errors: PLAIT_E_RANGE with
 * offset, size and the buffer's size; PLAIT_E_CONTEXT; PLAIT_E_NULL; PLAIT_E_CLOSED; PLAIT_E_OPENCL.
 */
PLAIT_API plait_status plait_buffer_write(plait_queue *queue, plait_buffer *dst, size_t dst_offset, const void *src,
                                          size_t bytes);
PLAIT_API plait_status plait_buffer_read(plait_queue *queue, const plait_buffer *src, size_t src_offset, void *dst,
                                         size_t bytes);

/*
 * Buffer to buffer, and a pattern of 1, 2, 4, 8, 16, 32, 64 or 128 bytes repeated over a range (its offset and size
 * multiples of the pattern's size). They are enqueued; `event`, unless NULL, receives an event that the caller
 * releases. The two ranges of a copy within one buffer must not overlap (PLAIT_E_RANGE).
 */
PLAIT_API plait_status plait_buffer_copy(plait_queue *queue, plait_buffer *dst, size_t dst_offset,
                                         const plait_buffer *src, size_t src_offset, size_t bytes, plait_event **event);
PLAIT_API plait_status plait_buffer_fill(plait_queue *queue, plait_buffer *dst, size_t offset, size_t bytes,
                                         const void *pattern, size_t pattern_size, plait_event **event);

/*
 * Boxes: 1-D to 3-D and strided. A box starts at `offset` bytes; its rows are `row_pitch` bytes apart and its slices
 * `slice_pitch` (0: packed). `extent` is {bytes a row, rows, slices}; all three at least 1 unless the box is empty.
 * A pitch smaller than what it spans is PLAIT_E_ARGUMENT; a box that leaves its buffer PLAIT_E_RANGE.
 */
typedef struct plait_box {
    size_t offset;
    size_t row_pitch;
    size_t slice_pitch;
} plait_box;

PLAIT_API plait_status plait_buffer_write_box(plait_queue *queue, plait_buffer *dst, plait_box dst_box, const void *src,
                                              plait_box src_box, const size_t extent[3]);
PLAIT_API plait_status plait_buffer_read_box(plait_queue *queue, const plait_buffer *src, plait_box src_box, void *dst,
                                             plait_box dst_box, const size_t extent[3]);
PLAIT_API plait_status plait_buffer_copy_box(plait_queue *queue, plait_buffer *dst, plait_box dst_box,
                                             const plait_buffer *src, plait_box src_box, const size_t extent[3],
                                             plait_event **event);

PLAIT_END

#endif
