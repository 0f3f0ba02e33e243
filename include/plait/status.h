/*
 * Plait: how functions report failure.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 * Every function either returns a plait_status (0 is success), or an object that is NULL on failure. The facts of a
 * failure - the function, the argument, both shapes, the OpenCL code by name, a build log, and what to do about it -
 * are in the calling thread's last error:
 *
 *     plait_ctx *gpu;
 *     if (plait_open(&gpu, NULL)) {
 *         fprintf(stderr, "%s\n", plait_last_error());
 *         return 1;
 *     }
 *
 * A call that fails itself overwrites the last error. A call that only passes on a NULL it was given leaves it alone,
 * so after a chain of calls the sentence is about the first failure. Success never clears it. If a function receives
 * NULL and the thread has no failure on record, it records PLAIT_E_NULL itself.
 *
 * The library never prints, aborts or exits on its own.
 */
#ifndef PLAIT_STATUS_H
#define PLAIT_STATUS_H

#include <plait/common.h>

PLAIT_BEGIN

/* One list makes the codes, their names and their general sentences. New codes are added at the end. */
#define PLAIT_STATUS_MAP(X)                                                                                            \
    X(OK, 0, "success")                                                                                                \
    X(E_NULL, 1, "an argument that must not be NULL was NULL")                                                         \
    X(E_ARGUMENT, 2, "an argument is outside of what the function accepts")                                            \
    X(E_SHAPE, 3, "shapes do not fit together")                                                                        \
    X(E_DTYPE, 4, "the dtype is not accepted here")                                                                    \
    X(E_AXIS, 5, "an axis is out of range or repeated")                                                                \
    X(E_RANGE, 6, "an offset, index or size lies outside of the object")                                               \
    X(E_CONTEXT, 7, "objects of different contexts were mixed")                                                        \
    X(E_CLOSED, 8, "the context has been closed")                                                                      \
    X(E_OWNERSHIP, 9, "a reference was released that the caller does not hold, or a scope was closed out of order")    \
    X(E_UNSUPPORTED, 10, "the device or driver cannot do this")                                                        \
    X(E_NO_DEVICE, 11, "no OpenCL device was found, or none matches")                                                  \
    X(E_BUILD, 12, "an OpenCL program does not compile")                                                               \
    X(E_KERNEL, 13, "no such kernel, or its arguments do not match its signature")                                     \
    X(E_LAUNCH, 14, "a kernel cannot be launched this way")                                                            \
    X(E_NO_MEMORY, 15, "host memory is exhausted")                                                                     \
    X(E_DEVICE_MEMORY, 16, "device memory, or the limit set for it, is exhausted")                                     \
    X(E_OPENCL, 17, "an OpenCL call failed")                                                                           \
    X(E_DEVICE_LOST, 18, "the device is lost; the context cannot be used any more")                                    \
    X(E_IO, 19, "a file cannot be read or written")                                                                    \
    X(E_FORMAT, 20, "a file's contents are not what its format says")                                                  \
    X(E_FORKED, 21, "the process was forked after Plait was used; a child must not use its parent's contexts")         \
    X(E_DATA, 22, "the data on the device was not acceptable to an operation")                                         \
    X(E_INTERNAL, 23, "a bug in Plait")

typedef enum plait_status {
#define PLAIT_STATUS_ENUM_(name, value, text) PLAIT_##name = value,
    PLAIT_STATUS_MAP(PLAIT_STATUS_ENUM_)
#undef PLAIT_STATUS_ENUM_
        PLAIT_STATUS_COUNT_
} plait_status;

/* "PLAIT_E_SHAPE"; "PLAIT_E_?" for an unknown code. Static storage. Any thread. Since 0.1. */
PLAIT_API const char *plait_status_name(plait_status status);

/* The general sentence of the code, from the list above. Static storage. Any thread. Since 0.1. */
PLAIT_API const char *plait_status_text(plait_status status);

/*
 * The sentence of the calling thread's last failure, "" when it has none on record. The pointer is good until the next
 * failing call of the same thread or the thread's end. Since 0.1.
 */
PLAIT_API const char *plait_last_error(void);

/* The code of the calling thread's last failure, PLAIT_OK when it has none on record. Since 0.1. */
PLAIT_API plait_status plait_last_status(void);

/* Forgets the calling thread's last failure. Since 0.1. */
PLAIT_API void plait_clear_error(void);

PLAIT_END

#endif
