/*
 * The kernel files of cl/, compiled into the library by tools/embed.py.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#ifndef PLAIT__EMBEDDED_H
#define PLAIT__EMBEDDED_H

#include <stddef.h>

typedef struct plait__embedded {
    const char *name; /* the path from cl/, with forward slashes: "copy.cl", "linalg/tiled.cl" */
    const char *text; /* followed by a NUL that length does not count */
    size_t length;
} plait__embedded;

/* Sorted by name (bytewise). Static storage, any thread. */
extern const plait__embedded plait__embedded_files[];
extern const size_t plait__embedded_count;

#endif
