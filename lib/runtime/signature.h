/*
 * The signatures of a program's kernels: what the driver tells about their parameters, in a form that a cache entry can
 * hold, because some drivers forget it in their binaries.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 * Encoded, all numbers little-endian, a text being its u32 length, its bytes and a NUL:
 *
 *     u32 kernels
 *     each: text name, u8 known, u32 parameters
 *           each: u8 kind, u8 is_const, text name, text type
 *           u32 variants, each u64
 *
 * Threads: a decoded plait__signatures is constant.
 */
#ifndef PLAIT__SIGNATURE_H
#define PLAIT__SIGNATURE_H

#include <plait/kernel.h>

#include "strbuf.h"

/* How many different ways of launching one kernel are told apart (plait__signature.variants). */
#define PLAIT__VARIANTS 8

typedef struct plait__signature {
    const char *name;
    bool known; /* whether the driver told about the parameters; if not, only their number is right */
    size_t n_params;
    const plait_param *params;
    /* With which work-groups the kernel had been launched when the binary was taken: hashes, see program.h. */
    size_t n_variants;
    uint64_t variants[PLAIT__VARIANTS];
} plait__signature;

typedef struct plait__signatures {
    size_t count;
    plait__signature *kernels;
    /* The memory behind: all parameters, and all texts. */
    plait_param *params;
    char *text;
} plait__signatures;

/*
 * Decodes `size` bytes, which may be anything. False, with nothing to free, if they are not exactly one list of
 * signatures or if memory is exhausted; no failure is recorded. Otherwise the caller frees *out.
 */
bool plait__signatures_decode(plait__signatures *out, const void *bytes, size_t size);
void plait__signatures_free(plait__signatures *s);

/* For writing the encoded form piece by piece. */
void plait__put_u8(plait__strbuf *out, uint8_t value);
void plait__put_u32(plait__strbuf *out, uint32_t value);
void plait__put_u64(plait__strbuf *out, uint64_t value);
void plait__put_text(plait__strbuf *out, const char *text);

/*
 * What an OpenCL C type name means: "uint" and "unsigned int" are PLAIT_U32, 4 bytes; "float4" has no dtype and 16
 * bytes, "float3" 16 too; what is not a built-in type has no dtype and 0 bytes. A "*" at the end is ignored.
 */
typedef struct plait__cl_type {
    plait_dtype dtype;
    size_t bytes;
} plait__cl_type;
plait__cl_type plait__cl_type_parse(const char *name);

/* What a vector consists of: PLAIT_F32 of "float4*"; of a scalar itself; PLAIT_DTYPE_DEFAULT of anything else. */
plait_dtype plait__cl_type_element(const char *name);

#endif
