/*
 * The inside of buffers.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#ifndef PLAIT__BUFFERS_H
#define PLAIT__BUFFERS_H

#include "pool.h"

struct plait_buffer {
    plait__refs refs;
    plait_ctx *ctx;
    size_t size;
    plait__block *block; /* NULL if size is 0 */
};

#endif
