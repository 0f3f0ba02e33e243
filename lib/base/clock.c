/*
 * Plait: time.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "clock.h"

#include <errno.h>
#include <time.h>

uint64_t plait__now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

int64_t plait__wall_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void plait__sleep_ns(uint64_t duration)
{
    struct timespec left = {(time_t)(duration / 1000000000u), (long)(duration % 1000000000u)};
    while (nanosleep(&left, &left) != 0 && errno == EINTR) {
    }
}
