/*
 * Plait: everything. Each header is a page of the manual; start with status.h, context.h and array.h.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#ifndef PLAIT_H
#define PLAIT_H

#include <plait/array.h>
#include <plait/buffer.h>
#include <plait/common.h>
#include <plait/context.h>
#include <plait/create.h>
#include <plait/device.h>
#include <plait/dtype.h>
#include <plait/host.h>
#include <plait/kernel.h>
#include <plait/linalg.h>
#include <plait/log.h>
#include <plait/ops.h>
#include <plait/program.h>
#include <plait/queue.h>
#include <plait/reduce.h>
#include <plait/shape.h>
#include <plait/status.h>
#include <plait/user.h>
#include <plait/view.h>

#endif
