/*
 * What the subcommands of `plait` share.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#ifndef PLAIT_TOOL_H
#define PLAIT_TOOL_H

#include <plait/plait.h>

/* Exit statuses, as `plait help` documents them. */
typedef enum tool_exit {
    TOOL_OK = 0,
    TOOL_FAILED = 1,    /* something went wrong while working */
    TOOL_USAGE = 2,     /* the command line is wrong */
    TOOL_NO_DEVICE = 3, /* there is no device, or none matches */
    TOOL_BUILD = 4,     /* the program does not compile */
    TOOL_FILE = 5,      /* a file cannot be read or written, or is not what it should be */
    TOOL_KERNEL = 6     /* no such kernel, or the arguments do not match its signature */
} tool_exit;

/* A sentence to stderr after "plait: "; returns `code`. */
tool_exit tool_fail(tool_exit code, const char *format, ...) PLAIT_PRINTF(2, 3);

/* The library's last error to stderr; returns the exit status that goes with its code. */
tool_exit tool_fail_plait(void);

/* Whether `text` ends in `suffix`, ASCII letter case ignored. */
bool tool_ends_with(const char *text, const char *suffix);

/* "1.5 GiB", "3 KiB". Writes to `out` and returns it. */
#define TOOL_SIZE_TEXT 32
const char *tool_size_text(uint64_t bytes, char out[TOOL_SIZE_TEXT]);

/* The subcommands. argv[0] is the subcommand's name. */
tool_exit tool_info(int argc, char **argv);
tool_exit tool_run(int argc, char **argv);
extern const char tool_info_help[];
extern const char tool_run_help[];

#endif
