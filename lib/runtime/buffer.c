#include "buffers.h"

#include "alloc.h"
#include "error.h"
#include "opts.h"

#include <stdlib.h>

void plait_buffer_opts_init(plait_buffer_opts *opts)
{
    if (opts != NULL) {
        *opts = (plait_buffer_opts)PLAIT_BUFFER_OPTS;
    }
}

plait_status plait_buffer_create(plait_buffer **out, plait_ctx *ctx, size_t bytes, const plait_buffer_opts *opts)
{
    PLAIT__REQUIRE_ARG(out);
    *out = NULL;
    PLAIT__TRY(plait__ctx_check(ctx, __func__));
    plait_buffer_opts o;
    PLAIT__TRY(plait__opts_read(__func__, &o, sizeof o, opts));
    plait_buffer *buffer = plait__calloc(1, sizeof *buffer);
    if (buffer == NULL) {
        return PLAIT_E_NO_MEMORY;
    }
    if (bytes > 0) {
        plait_status status = plait__pool_take(&buffer->block, ctx->pool, bytes, __func__);
        if (status != PLAIT_OK) {
            free(buffer);
            return status;
        }
    }
    plait__refs_init(&buffer->refs);
    buffer->ctx = plait__ctx_retain(ctx);
    buffer->size = bytes;
    atomic_fetch_add(&ctx->stats.buffers, 1);
    if (o.data != NULL) {
        plait_status status = plait_buffer_write(ctx->queue, buffer, 0, o.data, bytes);
        if (status != PLAIT_OK) {
            plait_buffer_release(buffer);
            return status;
        }
    }
    *out = buffer;
    return PLAIT_OK;
}

plait_buffer *plait_buffer_retain(plait_buffer *buffer)
{
    PLAIT__REQUIRE_ARG_PTR(buffer);
    plait__refs_up(&buffer->refs);
    return buffer;
}

void plait_buffer_release(plait_buffer *buffer)
{
    /* In a forked child the parent's memory is none of its business: the host's share of it goes with the process. */
    if (buffer == NULL || plait__ctx_out_of_reach(buffer->ctx) || !plait__refs_down(&buffer->refs)) {
        return;
    }
    plait_ctx *ctx = buffer->ctx;
    if (buffer->block != NULL) {
        plait__pool_give(ctx->pool, buffer->block);
    }
    free(buffer);
    atomic_fetch_sub(&ctx->stats.buffers, 1);
    plait__ctx_release(ctx);
}

size_t plait_buffer_size(const plait_buffer *buffer)
{
    return buffer == NULL ? 0 : buffer->size;
}

plait_ctx *plait_buffer_ctx(const plait_buffer *buffer)
{
    return buffer == NULL ? NULL : buffer->ctx;
}

cl_mem plait__buffer_use(plait_buffer *buffer, plait_queue *queue)
{
    return buffer->block == NULL ? NULL : plait__pool_use(buffer->ctx->pool, buffer->block, queue);
}
