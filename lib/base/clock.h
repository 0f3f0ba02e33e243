/*
 * Time.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#ifndef PLAIT__CLOCK_H
#define PLAIT__CLOCK_H

#include <stdint.h>

/* Nanoseconds of a clock that only goes forward. */
uint64_t plait__now_ns(void);

/* Nanoseconds since 1970, by the clock that people set. */
int64_t plait__wall_ns(void);

void plait__sleep_ns(uint64_t duration);

#endif
