/*
 * What every unit test includes: cmocka with the headers it must find before it.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#ifndef PLAIT_TESTING_H
#define PLAIT_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The exit status by which a test program says "skipped"; the reason goes to stdout before it. */
#define TEST_SKIPPED 77

#endif
