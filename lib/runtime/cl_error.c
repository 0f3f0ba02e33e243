#include "ctx.h"

#include "error.h"
#include "quirks.h"

#include <stdarg.h>
#include <stdio.h>

#define CODES(X)                                                                                                       \
    X(SUCCESS, 0)                                                                                                      \
    X(DEVICE_NOT_FOUND, -1)                                                                                            \
    X(DEVICE_NOT_AVAILABLE, -2)                                                                                        \
    X(COMPILER_NOT_AVAILABLE, -3)                                                                                      \
    X(MEM_OBJECT_ALLOCATION_FAILURE, -4)                                                                               \
    X(OUT_OF_RESOURCES, -5)                                                                                            \
    X(OUT_OF_HOST_MEMORY, -6)                                                                                          \
    X(PROFILING_INFO_NOT_AVAILABLE, -7)                                                                                \
    X(MEM_COPY_OVERLAP, -8)                                                                                            \
    X(IMAGE_FORMAT_MISMATCH, -9)                                                                                       \
    X(IMAGE_FORMAT_NOT_SUPPORTED, -10)                                                                                 \
    X(BUILD_PROGRAM_FAILURE, -11)                                                                                      \
    X(MAP_FAILURE, -12)                                                                                                \
    X(MISALIGNED_SUB_BUFFER_OFFSET, -13)                                                                               \
    X(EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, -14)                                                                  \
    X(COMPILE_PROGRAM_FAILURE, -15)                                                                                    \
    X(LINKER_NOT_AVAILABLE, -16)                                                                                       \
    X(LINK_PROGRAM_FAILURE, -17)                                                                                       \
    X(DEVICE_PARTITION_FAILED, -18)                                                                                    \
    X(KERNEL_ARG_INFO_NOT_AVAILABLE, -19)                                                                              \
    X(INVALID_VALUE, -30)                                                                                              \
    X(INVALID_DEVICE_TYPE, -31)                                                                                        \
    X(INVALID_PLATFORM, -32)                                                                                           \
    X(INVALID_DEVICE, -33)                                                                                             \
    X(INVALID_CONTEXT, -34)                                                                                            \
    X(INVALID_QUEUE_PROPERTIES, -35)                                                                                   \
    X(INVALID_COMMAND_QUEUE, -36)                                                                                      \
    X(INVALID_HOST_PTR, -37)                                                                                           \
    X(INVALID_MEM_OBJECT, -38)                                                                                         \
    X(INVALID_IMAGE_FORMAT_DESCRIPTOR, -39)                                                                            \
    X(INVALID_IMAGE_SIZE, -40)                                                                                         \
    X(INVALID_SAMPLER, -41)                                                                                            \
    X(INVALID_BINARY, -42)                                                                                             \
    X(INVALID_BUILD_OPTIONS, -43)                                                                                      \
    X(INVALID_PROGRAM, -44)                                                                                            \
    X(INVALID_PROGRAM_EXECUTABLE, -45)                                                                                 \
    X(INVALID_KERNEL_NAME, -46)                                                                                        \
    X(INVALID_KERNEL_DEFINITION, -47)                                                                                  \
    X(INVALID_KERNEL, -48)                                                                                             \
    X(INVALID_ARG_INDEX, -49)                                                                                          \
    X(INVALID_ARG_VALUE, -50)                                                                                          \
    X(INVALID_ARG_SIZE, -51)                                                                                           \
    X(INVALID_KERNEL_ARGS, -52)                                                                                        \
    X(INVALID_WORK_DIMENSION, -53)                                                                                     \
    X(INVALID_WORK_GROUP_SIZE, -54)                                                                                    \
    X(INVALID_WORK_ITEM_SIZE, -55)                                                                                     \
    X(INVALID_GLOBAL_OFFSET, -56)                                                                                      \
    X(INVALID_EVENT_WAIT_LIST, -57)                                                                                    \
    X(INVALID_EVENT, -58)                                                                                              \
    X(INVALID_OPERATION, -59)                                                                                          \
    X(INVALID_GL_OBJECT, -60)                                                                                          \
    X(INVALID_BUFFER_SIZE, -61)                                                                                        \
    X(INVALID_MIP_LEVEL, -62)                                                                                          \
    X(INVALID_GLOBAL_WORK_SIZE, -63)                                                                                   \
    X(INVALID_PROPERTY, -64)                                                                                           \
    X(INVALID_IMAGE_DESCRIPTOR, -65)                                                                                   \
    X(INVALID_COMPILER_OPTIONS, -66)                                                                                   \
    X(INVALID_LINKER_OPTIONS, -67)                                                                                     \
    X(INVALID_DEVICE_PARTITION_COUNT, -68)                                                                             \
    X(INVALID_PIPE_SIZE, -69)                                                                                          \
    X(INVALID_DEVICE_QUEUE, -70)                                                                                       \
    X(INVALID_SPEC_ID, -71)                                                                                            \
    X(MAX_SIZE_RESTRICTION_EXCEEDED, -72)                                                                              \
    X(PLATFORM_NOT_FOUND_KHR, -1001)                                                                                   \
    X(CONTEXT_TERMINATED_KHR, -1121)

/* NVIDIA's own, for an access outside of a buffer; it is in no header. */
#define NVIDIA_ILLEGAL_ACCESS (-9999)
#define CONTEXT_TERMINATED (-1121)

const char *plait__cl_error_name(cl_int code)
{
    switch (code) {
#define X(name, value)                                                                                                 \
    case value:                                                                                                        \
        return "CL_" #name;
        CODES(X)
#undef X
    case NVIDIA_ILLEGAL_ACCESS:
        return "illegal memory access in a kernel";
    default:
        return "unknown OpenCL code";
    }
}

static bool means_lost(const plait_ctx *ctx, cl_int code)
{
    switch (code) {
    case CL_DEVICE_NOT_AVAILABLE:
    case NVIDIA_ILLEGAL_ACCESS:
    case CONTEXT_TERMINATED:
        return true;
    case CL_INVALID_COMMAND_QUEUE:
        return (ctx->quirks & PLAIT__QUIRK_INVALID_QUEUE_IS_LOST) != 0;
    default:
        return false;
    }
}

static plait_status status_of(cl_int code)
{
    switch (code) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
        return PLAIT_E_DEVICE_MEMORY;
    case CL_OUT_OF_HOST_MEMORY:
        return PLAIT_E_NO_MEMORY;
    case CL_BUILD_PROGRAM_FAILURE:
    case CL_INVALID_BUILD_OPTIONS:
        return PLAIT_E_BUILD;
    default:
        return PLAIT_E_OPENCL;
    }
}

static const char *advice_of(cl_int code)
{
    switch (code) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
        return "; release buffers, or call plait_ctx_trim";
    case CL_OUT_OF_RESOURCES:
        return "; a kernel that reads or writes outside of its buffers, or that needs more registers, local memory or "
               "device memory than there is, gives this code";
    default:
        return "";
    }
}

plait_status plait__cl_fail(plait_ctx *ctx, cl_int code, const char *function, const char *format, ...)
{
    plait_status status = status_of(code);
    const char *advice = advice_of(code);
    if (ctx != NULL && means_lost(ctx, code)) {
        atomic_store(&ctx->lost, true);
        status = PLAIT_E_DEVICE_LOST;
        advice = "; the device is lost to this context: close it and open another";
    }
    char what[1000];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return plait__fail(status, "%s: %s: %s (%d)%s", function, what, plait__cl_error_name(code), (int)code, advice);
}
