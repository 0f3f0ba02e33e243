/*
 * Plait: linkage, versions and the small macros every other header uses.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#ifndef PLAIT_COMMON_H
#define PLAIT_COMMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define PLAIT_BEGIN extern "C" {
#define PLAIT_END }
#else
#define PLAIT_BEGIN
#define PLAIT_END
#endif

/* Everything that carries PLAIT_API is exported; nothing else is. */
#if defined(PLAIT_STATIC)
#define PLAIT_API
#elif defined(__GNUC__)
#define PLAIT_API __attribute__((__visibility__("default")))
#else
#define PLAIT_API
#endif

#if defined(__GNUC__)
#define PLAIT_PRINTF(text, first) __attribute__((__format__(__printf__, text, first)))
#define PLAIT_NODISCARD __attribute__((__warn_unused_result__))
#else
#define PLAIT_PRINTF(text, first)
#define PLAIT_NODISCARD
#endif

/* The version of these headers. plait_version() tells that of the library that is loaded. */
#define PLAIT_VERSION_MAJOR 0
#define PLAIT_VERSION_MINOR 1
#define PLAIT_VERSION_PATCH 0
#define PLAIT_VERSION_STRING "0.1.0"

/*
 * Option structs. The first member of each is `size`, set by the struct's own initialiser
 * (`plait_ctx_opts o = PLAIT_CTX_OPTS;`, in C and in C++; `plait_ctx_opts_init(&o)` for other languages).
 * It lets structs grow without breaking programs built against older headers; a size of 0 is a contract error.
 * Zero in every other member means "the default".
 */
#ifdef __cplusplus
extern "C++" {
template <typename T> inline T plait_opts_()
{
    T opts = T();
    opts.size = sizeof(T);
    return opts;
}
}
#define PLAIT_OPTS_(type) (plait_opts_<type>())
#else
#define PLAIT_OPTS_(type)                                                                                              \
    {                                                                                                                  \
        .size = sizeof(type)                                                                                           \
    }
#endif

PLAIT_BEGIN

/* The version of the loaded library, "major.minor.patch". Static storage; any thread. Since 0.1. */
PLAIT_API const char *plait_version(void);

/* Frees memory that a plait function returned and whose comment says "free with plait_free". NULL is fine. Any thread.
 * Since 0.1. */
PLAIT_API void plait_free(void *memory);

PLAIT_END

#endif
