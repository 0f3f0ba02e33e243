/*
 * Child processes with a time limit: for what may crash or hang, such as a driver that is being listed.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#ifndef PLAIT__PROCESS_H
#define PLAIT__PROCESS_H

#include <plait/status.h>

typedef enum plait__process_end {
    PLAIT__PROCESS_EXITED,    /* code: its exit status */
    PLAIT__PROCESS_SIGNALLED, /* code: the signal that ended it: it crashed */
    PLAIT__PROCESS_TIMED_OUT, /* it was killed */
    PLAIT__PROCESS_UNKNOWN    /* the program ignores or collects its children itself (SIGCHLD) */
} plait__process_end;

typedef struct plait__process_result {
    plait__process_end end;
    int code;
    char *output;       /* what it wrote, with a NUL after it; freed with free(), NULL after a failure */
    size_t output_size; /* at most PLAIT__PROCESS_OUTPUT; the rest is thrown away */
} plait__process_result;

#define PLAIT__PROCESS_OUTPUT ((size_t)1 << 20)

/*
 * Forks; the child calls `function`, which writes its answer to the descriptor it is given, and exits with what it
 * returns. The child has default signal handlers, no core dump, and /dev/null for input, output and errors.
 *
 * The child has only the calling thread. If other threads existed, a lock that one of them held stays locked for ever
 * in the child, malloc's excepted: so `function` must not rely on libraries that the process has used before from
 * several threads, and the time limit is what ends a child that waits. Use plait__process_run where a program can do
 * the work.
 *
 * PLAIT_OK if the child could be run, however it ended; PLAIT_E_IO if not.
 */
plait_status plait__process_call(plait__process_result *out, int (*function)(int fd, void *argument), void *argument,
                                 uint64_t limit_ns);

/*
 * Runs the program at `path` (not searched for) with the arguments argv[0..], ended by NULL, and collects its standard
 * output; its input and errors are /dev/null. The environment is this process's with the "NAME=value" strings of `env`
 * (ended by NULL, may itself be NULL) in place of theirs. Safe whatever other threads do, setenv excepted.
 */
plait_status plait__process_run(plait__process_result *out, const char *path, const char *const argv[],
                                const char *const env[], uint64_t limit_ns);

#endif
