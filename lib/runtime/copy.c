/*
 * Moving bytes: host to buffer and back, buffer to buffer, fills, and boxes of all of them.
 *
 * OpenCL 1.2's rectangle commands refuse some boxes that are fine (slice pitches that are no multiple of the row pitch;
 * within one buffer, two pitches or interleaved rows); such a box goes slice by slice or row by row.
 */
#include "buffers.h"

#include "error.h"
#include "queues.h"

#include <inttypes.h>
#include <string.h>

/* Both belong to one open context. */
static plait_status check_pair(const plait_queue *queue, const plait_buffer *buffer, const char *function,
                               const char *argument)
{
    PLAIT__TRY(plait__queue_check(queue, function));
    if (buffer == NULL) {
        return plait__fail_null(function, argument);
    }
    PLAIT__REQUIRE(buffer->ctx == queue->ctx, PLAIT_E_CONTEXT,
                   "%s: the queue belongs to a context on %s, %s to another, on %s", function, queue->ctx->info.name,
                   argument, buffer->ctx->info.name);
    return PLAIT_OK;
}

static plait_status check_range(const plait_buffer *buffer, size_t offset, size_t bytes, const char *function,
                                const char *argument)
{
    PLAIT__REQUIRE(offset <= buffer->size && bytes <= buffer->size - offset, PLAIT_E_RANGE,
                   "%s: %zu bytes at offset %zu do not lie within %s, which has %zu bytes", function, bytes, offset,
                   argument, buffer->size);
    return PLAIT_OK;
}

static cl_mem memory_of(const plait_buffer *buffer, plait_queue *queue)
{
    /* Reading does not change what the buffer holds, but its pool notes who does. */
    return plait__buffer_use((plait_buffer *)buffer, queue);
}

plait_status plait_buffer_write(plait_queue *queue, plait_buffer *dst, size_t dst_offset, const void *src, size_t bytes)
{
    PLAIT__TRY(check_pair(queue, dst, __func__, "dst"));
    PLAIT__TRY(check_range(dst, dst_offset, bytes, __func__, "dst"));
    if (bytes == 0) {
        return PLAIT_OK;
    }
    PLAIT__REQUIRE_ARG(src);
    plait_ctx *ctx = queue->ctx;
    plait__blocking b;
    plait__blocking_begin(&b, queue);
    cl_int code =
        clEnqueueWriteBuffer(queue->cl, memory_of(dst, queue), b.flag, dst_offset, bytes, src, 0, NULL, b.event);
    code = plait__blocking_end(&b, code);
    if (code != CL_SUCCESS) {
        return plait__cl_fail(ctx, code, __func__, "writing %zu bytes", bytes);
    }
    atomic_fetch_add_explicit(&ctx->stats.bytes_to_device, bytes, memory_order_relaxed);
    return PLAIT_OK;
}

plait_status plait_buffer_read(plait_queue *queue, const plait_buffer *src, size_t src_offset, void *dst, size_t bytes)
{
    PLAIT__TRY(check_pair(queue, src, __func__, "src"));
    PLAIT__TRY(check_range(src, src_offset, bytes, __func__, "src"));
    if (bytes == 0) {
        return PLAIT_OK;
    }
    PLAIT__REQUIRE_ARG(dst);
    plait_ctx *ctx = queue->ctx;
    plait__blocking b;
    plait__blocking_begin(&b, queue);
    cl_int code =
        clEnqueueReadBuffer(queue->cl, memory_of(src, queue), b.flag, src_offset, bytes, dst, 0, NULL, b.event);
    code = plait__blocking_end(&b, code);
    if (code != CL_SUCCESS) {
        return plait__cl_fail(ctx, code, __func__, "reading %zu bytes", bytes);
    }
    atomic_fetch_add_explicit(&ctx->stats.bytes_from_device, bytes, memory_order_relaxed);
    return PLAIT_OK;
}

/* The end of a command: `cl` (NULL unless asked for) becomes *event. Of a command of nothing, a marker does. */
static plait_status hand_event(plait_queue *queue, cl_event cl, plait_event **event)
{
    if (event == NULL) {
        return PLAIT_OK;
    }
    return cl == NULL ? plait_queue_mark(queue, event) : plait__event_wrap(event, queue, cl);
}

static void clear_event(plait_event **event)
{
    if (event != NULL) {
        *event = NULL;
    }
}

plait_status plait_buffer_copy(plait_queue *queue, plait_buffer *dst, size_t dst_offset, const plait_buffer *src,
                               size_t src_offset, size_t bytes, plait_event **event)
{
    clear_event(event);
    PLAIT__TRY(check_pair(queue, dst, __func__, "dst"));
    PLAIT__TRY(check_pair(queue, src, __func__, "src"));
    PLAIT__TRY(check_range(dst, dst_offset, bytes, __func__, "dst"));
    PLAIT__TRY(check_range(src, src_offset, bytes, __func__, "src"));
    if (src == dst && bytes > 0) {
        size_t distance = src_offset < dst_offset ? dst_offset - src_offset : src_offset - dst_offset;
        PLAIT__REQUIRE(distance >= bytes, PLAIT_E_RANGE,
                       "%s: %zu bytes at offset %zu and at offset %zu of one buffer overlap; copy through another "
                       "buffer",
                       __func__, bytes, src_offset, dst_offset);
    }
    cl_event cl = NULL;
    if (bytes > 0) {
        cl_int code = clEnqueueCopyBuffer(queue->cl, memory_of(src, queue), memory_of(dst, queue), src_offset,
                                          dst_offset, bytes, 0, NULL, event != NULL ? &cl : NULL);
        if (code != CL_SUCCESS) {
            return plait__cl_fail(queue->ctx, code, __func__, "copying %zu bytes", bytes);
        }
    }
    return hand_event(queue, cl, event);
}

plait_status plait_buffer_fill(plait_queue *queue, plait_buffer *dst, size_t offset, size_t bytes, const void *pattern,
                               size_t pattern_size, plait_event **event)
{
    clear_event(event);
    PLAIT__TRY(check_pair(queue, dst, __func__, "dst"));
    PLAIT__REQUIRE_ARG(pattern);
    PLAIT__REQUIRE(pattern_size > 0 && pattern_size <= 128 && (pattern_size & (pattern_size - 1)) == 0,
                   PLAIT_E_ARGUMENT, "%s: pattern_size is %zu; it can be 1, 2, 4, 8, 16, 32, 64 or 128", __func__,
                   pattern_size);
    PLAIT__REQUIRE(offset % pattern_size == 0 && bytes % pattern_size == 0, PLAIT_E_ARGUMENT,
                   "%s: offset (%zu) and bytes (%zu) must be multiples of pattern_size (%zu)", __func__, offset, bytes,
                   pattern_size);
    PLAIT__TRY(check_range(dst, offset, bytes, __func__, "dst"));
    cl_event cl = NULL;
    if (bytes > 0) {
        cl_int code = clEnqueueFillBuffer(queue->cl, memory_of(dst, queue), pattern, pattern_size, offset, bytes, 0,
                                          NULL, event != NULL ? &cl : NULL);
        if (code != CL_SUCCESS) {
            return plait__cl_fail(queue->ctx, code, __func__, "filling %zu bytes", bytes);
        }
    }
    return hand_event(queue, cl, event);
}

/* ---- boxes ---- */

static bool is_empty(const size_t extent[3])
{
    return extent[0] == 0 || extent[1] == 0 || extent[2] == 0;
}

static bool multiply(size_t *out, size_t a, size_t b)
{
    *out = a * b;
    return b == 0 || *out / b == a;
}

static bool add(size_t *out, size_t a, size_t b)
{
    *out = a + b;
    return *out >= a;
}

/*
 * Fills in pitches of 0 and checks the others, so that rows and slices do not overlap, and the range [offset, *end)
 * that the box spans. `end` saturates at SIZE_MAX, where no buffer ends.
 */
static plait_status settle(plait_box *box, const size_t extent[3], size_t *end, const char *function,
                           const char *argument)
{
    if (box->row_pitch == 0) {
        box->row_pitch = extent[0];
    }
    PLAIT__REQUIRE(box->row_pitch >= extent[0], PLAIT_E_ARGUMENT,
                   "%s: the row pitch of %s is %zu, less than a row's %zu bytes", function, argument, box->row_pitch,
                   extent[0]);
    size_t plane;
    bool fits = multiply(&plane, box->row_pitch, extent[1] - 1) && add(&plane, plane, extent[0]);
    if (box->slice_pitch == 0) {
        fits = fits && multiply(&box->slice_pitch, box->row_pitch, extent[1]);
    }
    PLAIT__REQUIRE(!fits || box->slice_pitch >= plane, PLAIT_E_ARGUMENT,
                   "%s: the slice pitch of %s is %zu, less than the %zu bytes that a slice of %zu rows spans", function,
                   argument, box->slice_pitch, plane, extent[1]);
    fits =
        fits && multiply(end, box->slice_pitch, extent[2] - 1) && add(end, *end, plane) && add(end, *end, box->offset);
    if (!fits) {
        *end = SIZE_MAX;
    }
    return PLAIT_OK;
}

static plait_status settle_in_buffer(plait_box *box, const plait_buffer *buffer, const size_t extent[3], size_t *end,
                                     const char *function, const char *argument)
{
    PLAIT__TRY(settle(box, extent, end, function, argument));
    PLAIT__REQUIRE(*end <= buffer->size, PLAIT_E_RANGE,
                   "%s: a box of %zu x %zu x %zu (bytes, rows, slices) at offset %zu, pitches %zu and %zu, leaves %s, "
                   "which has %zu bytes",
                   function, extent[0], extent[1], extent[2], box->offset, box->row_pitch, box->slice_pitch, argument,
                   buffer->size);
    return PLAIT_OK;
}

static bool is_contiguous(const plait_box *box, const size_t extent[3])
{
    return (extent[1] == 1 || box->row_pitch == extent[0]) &&
           (extent[2] == 1 || box->slice_pitch == extent[0] * extent[1]);
}

/* Whether one rectangle command takes the box's slices together. */
static bool is_regular(const plait_box *box, const size_t extent[3])
{
    return extent[2] == 1 || (box->slice_pitch % box->row_pitch == 0 && box->slice_pitch / box->row_pitch >= extent[1]);
}

/* The box as OpenCL counts it: the pitches it accepts, and an origin of whole slices, rows and bytes. */
typedef struct rect {
    size_t origin[3];
    size_t row, slice;
} rect;

static rect to_rect(const plait_box *box, const size_t extent[3])
{
    rect r = {.row = box->row_pitch};
    r.slice = extent[2] > 1 ? box->slice_pitch : r.row * extent[1];
    /* Whole slices only where the box has several: with one, its pitch means nothing and may not reach the offset. */
    r.origin[2] = extent[2] > 1 ? box->offset / r.slice : 0;
    size_t rest = box->offset - r.origin[2] * r.slice;
    r.origin[1] = extent[1] > 1 ? rest / r.row : 0;
    r.origin[0] = rest - r.origin[1] * r.row;
    return r;
}

typedef enum transfer { WRITE, READ } transfer;

/* One rectangle command, or one a slice. */
static plait_status transfer_box(transfer direction, plait_queue *queue, const plait_buffer *buffer, plait_box box,
                                 unsigned char *host, plait_box host_box, const size_t extent[3], const char *function)
{
    cl_mem mem = memory_of(buffer, queue);
    bool whole = is_regular(&box, extent) && is_regular(&host_box, extent);
    size_t part[3] = {extent[0], extent[1], whole ? extent[2] : 1};
    for (size_t z = 0; z < extent[2]; z += part[2]) {
        rect device = to_rect(&box, part), memory = to_rect(&host_box, part);
        /* The queue is in order: when the last slice's command is done, so are the others'. */
        bool last = z + part[2] == extent[2];
        plait__blocking b;
        plait__blocking_begin(&b, queue);
        cl_bool flag = last ? b.flag : CL_FALSE;
        cl_event *event = last ? b.event : NULL;
        cl_int code;
        if (direction == WRITE) {
            code = clEnqueueWriteBufferRect(queue->cl, mem, flag, device.origin, memory.origin, part, device.row,
                                            device.slice, memory.row, memory.slice, host, 0, NULL, event);
        } else {
            code = clEnqueueReadBufferRect(queue->cl, mem, flag, device.origin, memory.origin, part, device.row,
                                           device.slice, memory.row, memory.slice, host, 0, NULL, event);
        }
        if (last) {
            code = plait__blocking_end(&b, code);
        }
        if (code != CL_SUCCESS) {
            plait__queue_wait(queue); /* the slices before still use the caller's memory */
            return plait__cl_fail(queue->ctx, code, function, "moving a box of %zu x %zu x %zu", extent[0], extent[1],
                                  extent[2]);
        }
        box.offset += box.slice_pitch;
        host_box.offset += host_box.slice_pitch;
    }
    return PLAIT_OK;
}

plait_status plait_buffer_write_box(plait_queue *queue, plait_buffer *dst, plait_box dst_box, const void *src,
                                    plait_box src_box, const size_t extent[3])
{
    PLAIT__TRY(check_pair(queue, dst, __func__, "dst"));
    PLAIT__REQUIRE_ARG(extent);
    if (is_empty(extent)) {
        return PLAIT_OK;
    }
    PLAIT__REQUIRE_ARG(src);
    size_t end;
    PLAIT__TRY(settle(&src_box, extent, &end, __func__, "src"));
    PLAIT__REQUIRE(end != SIZE_MAX, PLAIT_E_RANGE, "%s: the box in src is larger than any memory", __func__);
    PLAIT__TRY(settle_in_buffer(&dst_box, dst, extent, &end, __func__, "dst"));
    size_t bytes = extent[0] * extent[1] * extent[2];
    if (is_contiguous(&dst_box, extent) && is_contiguous(&src_box, extent)) {
        return plait_buffer_write(queue, dst, dst_box.offset, (const unsigned char *)src + src_box.offset, bytes);
    }
    PLAIT__TRY(transfer_box(WRITE, queue, dst, dst_box, (unsigned char *)src, src_box, extent, __func__));
    atomic_fetch_add_explicit(&queue->ctx->stats.bytes_to_device, bytes, memory_order_relaxed);
    return PLAIT_OK;
}

plait_status plait_buffer_read_box(plait_queue *queue, const plait_buffer *src, plait_box src_box, void *dst,
                                   plait_box dst_box, const size_t extent[3])
{
    PLAIT__TRY(check_pair(queue, src, __func__, "src"));
    PLAIT__REQUIRE_ARG(extent);
    if (is_empty(extent)) {
        return PLAIT_OK;
    }
    PLAIT__REQUIRE_ARG(dst);
    size_t end;
    PLAIT__TRY(settle(&dst_box, extent, &end, __func__, "dst"));
    PLAIT__REQUIRE(end != SIZE_MAX, PLAIT_E_RANGE, "%s: the box in dst is larger than any memory", __func__);
    PLAIT__TRY(settle_in_buffer(&src_box, src, extent, &end, __func__, "src"));
    size_t bytes = extent[0] * extent[1] * extent[2];
    if (is_contiguous(&src_box, extent) && is_contiguous(&dst_box, extent)) {
        return plait_buffer_read(queue, src, src_box.offset, (unsigned char *)dst + dst_box.offset, bytes);
    }
    PLAIT__TRY(transfer_box(READ, queue, src, src_box, dst, dst_box, extent, __func__));
    atomic_fetch_add_explicit(&queue->ctx->stats.bytes_from_device, bytes, memory_order_relaxed);
    return PLAIT_OK;
}

/* Whether two boxes within one buffer share a byte. Rows of a box are in ascending order, so this is a merge. */
static bool overlap(const plait_box *a, size_t a_end, const plait_box *b, size_t b_end, const size_t extent[3])
{
    if (a_end <= b->offset || b_end <= a->offset) {
        return false;
    }
    size_t ia = 0, ib = 0, rows = extent[1] * extent[2];
    while (ia < rows && ib < rows) {
        size_t row_a = a->offset + ia / extent[1] * a->slice_pitch + ia % extent[1] * a->row_pitch;
        size_t row_b = b->offset + ib / extent[1] * b->slice_pitch + ib % extent[1] * b->row_pitch;
        if (row_a < row_b + extent[0] && row_b < row_a + extent[0]) {
            return true;
        }
        if (row_a < row_b) {
            ia++;
        } else {
            ib++;
        }
    }
    return false;
}

plait_status plait_buffer_copy_box(plait_queue *queue, plait_buffer *dst, plait_box dst_box, const plait_buffer *src,
                                   plait_box src_box, const size_t extent[3], plait_event **event)
{
    clear_event(event);
    PLAIT__TRY(check_pair(queue, dst, __func__, "dst"));
    PLAIT__TRY(check_pair(queue, src, __func__, "src"));
    PLAIT__REQUIRE_ARG(extent);
    if (is_empty(extent)) {
        return hand_event(queue, NULL, event);
    }
    size_t dst_end = 0, src_end = 0; /* gcc cannot see that both are set below */
    PLAIT__TRY(settle_in_buffer(&dst_box, dst, extent, &dst_end, __func__, "dst"));
    PLAIT__TRY(settle_in_buffer(&src_box, src, extent, &src_end, __func__, "src"));
    PLAIT__REQUIRE(src != dst || !overlap(&dst_box, dst_end, &src_box, src_end, extent), PLAIT_E_RANGE,
                   "%s: the two boxes overlap in their buffer; copy through another buffer", __func__);
    if (is_contiguous(&dst_box, extent) && is_contiguous(&src_box, extent)) {
        return plait_buffer_copy(queue, dst, dst_box.offset, src, src_box.offset, extent[0] * extent[1] * extent[2],
                                 event);
    }
    bool same_pitches = (extent[1] == 1 || dst_box.row_pitch == src_box.row_pitch) &&
                        (extent[2] == 1 || dst_box.slice_pitch == src_box.slice_pitch);
    /* Within one buffer drivers refuse two pitches, and interleaved boxes whether or not they share a byte. */
    bool by_rows = src == dst && (!same_pitches || (dst_end > src_box.offset && src_end > dst_box.offset));
    bool whole = !by_rows && is_regular(&dst_box, extent) && is_regular(&src_box, extent);
    size_t part[3] = {extent[0], by_rows ? 1 : extent[1], whole ? extent[2] : 1};
    cl_mem from = memory_of(src, queue), to = memory_of(dst, queue);
    cl_event cl = NULL;
    for (size_t z = 0; z < extent[2]; z += part[2]) {
        for (size_t y = 0; y < extent[1]; y += part[1]) {
            plait_box d = dst_box, s = src_box;
            d.offset += z * d.slice_pitch + y * d.row_pitch;
            s.offset += z * s.slice_pitch + y * s.row_pitch;
            bool last = z + part[2] == extent[2] && y + part[1] == extent[1];
            cl_event *wanted = last && event != NULL ? &cl : NULL;
            cl_int code;
            if (by_rows) {
                code = clEnqueueCopyBuffer(queue->cl, from, to, s.offset, d.offset, extent[0], 0, NULL, wanted);
            } else {
                rect rs = to_rect(&s, part), rd = to_rect(&d, part);
                code = clEnqueueCopyBufferRect(queue->cl, from, to, rs.origin, rd.origin, part, rs.row, rs.slice,
                                               rd.row, rd.slice, 0, NULL, wanted);
            }
            if (code != CL_SUCCESS) {
                return plait__cl_fail(queue->ctx, code, __func__, "copying a box of %zu x %zu x %zu", extent[0],
                                      extent[1], extent[2]);
            }
        }
    }
    return hand_event(queue, cl, event);
}
