/*
 * The programs of a context by their text, so that each text is built once, whoever asks and however many threads do:
 * the first builds, without a lock, the others wait for it and share its success or failure. A failure is not kept.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 * Generated programs (plait__program_get) are found by the text before include expansion and stay until the context is
 * closed. Programs of users are found by the expanded text as long as somebody holds them. Programs hold the table, so
 * that one which outlives the context can still be released.
 *
 * Threads: any.
 */
#ifndef PLAIT__PROGRAM_TABLE_H
#define PLAIT__PROGRAM_TABLE_H

#include "program.h"

/* A user's program: *out carries a reference. */
plait_status plait__program_table_share(plait_ctx *ctx, const plait__program_spec *spec, plait_program **out);

plait__program_table *plait__program_table_retain(plait__program_table *table);
void plait__program_table_release(plait__program_table *table);

/* Called when the last reference to a program that was found by `key` has gone: nobody finds it any more. */
void plait__program_table_forget(plait__program_table *table, const plait_program *program);

#endif
