/*
 * The bytes of one file of the disk cache (disk_cache.h says what they are for).
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 * All numbers little-endian:
 *
 *      0   8  "PLAITBIN"
 *      8   4  the format's number, PLAIT__CACHE_FORMAT
 *     12   4  0
 *     16   8  bytes of the key
 *     24   8  bytes of the signatures
 *     32   8  bytes of the binary
 *     40  16  hash of bytes 0 to 39 and of everything from byte 56 on
 *     56      key, signatures (signature.h), binary; nothing after it
 *
 * Reading is a pure function of the bytes, which may be anything.
 */
#ifndef PLAIT__CACHE_ENTRY_H
#define PLAIT__CACHE_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLAIT__CACHE_FORMAT 1
#define PLAIT__CACHE_HEADER 56

typedef struct plait__bytes {
    const void *data;
    size_t size;
} plait__bytes;

typedef struct plait__cache_entry {
    plait__bytes key, signatures, binary;
} plait__cache_entry;

/* The header for an entry. */
void plait__cache_entry_header(unsigned char header[PLAIT__CACHE_HEADER], const plait__cache_entry *entry);

/* False unless the bytes are one whole, undamaged entry; *out then points into them. */
bool plait__cache_entry_parse(plait__cache_entry *out, const void *bytes, size_t size);

#endif
