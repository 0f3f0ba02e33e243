#include "caps.h"

#include <string.h>

/* Least limits of OpenCL 1.2, for drivers that do not say. */
#define LEAST_PARAMETER_BYTES 1024
#define LEAST_LOCAL_MEMORY 1024

static size_t power_of_two_below(size_t x)
{
    size_t p = 1;
    while (p <= x / 2) {
        p *= 2;
    }
    return p;
}

void plait__caps_fill(plait__caps *caps, const plait_device_info *info)
{
    memset(caps, 0, sizeof *caps);
    bool cpu = info->type == PLAIT_DEVICE_CPU;
    caps->skeleton = cpu ? PLAIT__SKELETON_CPU : PLAIT__SKELETON_DEVICE;
    caps->fp64 = info->fp64;
    caps->fp16 = info->fp16;
    caps->int64_atomics = info->int64_atomics;
    caps->denormals = info->denormals;
    caps->correct_divide = info->correct_divide;
    caps->unified_memory = info->unified_memory;
    caps->timestamps = info->timestamps;
    caps->compute_units = info->compute_units > 0 ? info->compute_units : 1;
    caps->max_group = info->max_group_size > 0 ? info->max_group_size : 1;
    caps->local_memory = (size_t)(info->local_memory > 0 ? info->local_memory : LEAST_LOCAL_MEMORY);
    caps->max_parameter_bytes =
        (size_t)(info->max_parameter_bytes > 0 ? info->max_parameter_bytes : LEAST_PARAMETER_BYTES);
    caps->global_memory = info->global_memory > 0 ? info->global_memory : UINT64_MAX;
    caps->max_allocation = info->max_allocation > 0 ? info->max_allocation : caps->global_memory;

    /* A CPU runs a group as one loop: beyond a few vectors' worth a larger one gains nothing. */
    static const size_t usual[2][3] = {{256, 128, 64}, {128, 32, 8}};
    size_t most = caps->max_group;
    if (info->max_group_sizes[0] > 0 && info->max_group_sizes[0] < most) {
        most = info->max_group_sizes[0];
    }
    most = power_of_two_below(most);
    for (size_t i = 0; i < 3; i++) {
        caps->groups[i] = usual[cpu][i] < most ? usual[cpu][i] : most;
    }
    caps->build_options =
        info->correct_divide ? "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt" : "-cl-std=CL1.2";
}
