/*
 * Plait: child processes with a time limit.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "process.h"

#include "alloc.h"
#include "clock.h"
#include "error.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static plait_status fail_system(const char *what, int error)
{
    char text[PLAIT__ERRNO_SIZE];
    return plait__fail(PLAIT_E_IO, "cannot %s: %s", what, plait__errno_text(error, text));
}

/*
 * Both ends are close-on-exec and above the standard descriptors (which the program may have closed), because the child
 * gives those new meanings. POSIX 2008 has no pipe2: a fork in another thread in between inherits the pipe.
 */
static int make_pipe(int fds[2])
{
    int low[2];
    if (pipe(low) != 0) {
        return errno;
    }
    fds[0] = fcntl(low[0], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    fds[1] = fcntl(low[1], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int error = fds[0] < 0 || fds[1] < 0 ? errno : 0;
    close(low[0]);
    close(low[1]);
    if (error != 0) {
        close(fds[0]);
        close(fds[1]);
        return error;
    }
    fcntl(fds[0], F_SETFL, O_NONBLOCK);
    return 0;
}

typedef struct child {
    pid_t pid;
    int fd; /* our end of the pipe */
    bool ended;
    uint64_t deadline;
    plait__process_result *result;
} child;

/* Takes what is in the pipe; false at its end. Past the limit the output is read and thrown away. */
static bool drain(child *c, char *buffer, size_t size)
{
    for (;;) {
        ssize_t n = read(c->fd, buffer, size);
        if (n == 0) {
            return false;
        }
        if (n < 0) {
            return errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK;
        }
        size_t room = PLAIT__PROCESS_OUTPUT - c->result->output_size;
        size_t take = (size_t)n < room ? (size_t)n : room;
        memcpy(c->result->output + c->result->output_size, buffer, take);
        c->result->output_size += take;
    }
}

/* Has the child ended? Then its end goes into the result. */
static bool collect(child *c, int flags)
{
    int state;
    pid_t pid;
    do {
        pid = waitpid(c->pid, &state, flags);
    } while (pid < 0 && errno == EINTR);
    if (pid == 0) {
        return false;
    }
    c->ended = true;
    if (c->result->end == PLAIT__PROCESS_TIMED_OUT) {
        return true;
    }
    if (pid < 0) {
        c->result->end = PLAIT__PROCESS_UNKNOWN;
    } else if (WIFEXITED(state)) {
        c->result->end = PLAIT__PROCESS_EXITED;
        c->result->code = WEXITSTATUS(state);
    } else {
        c->result->end = PLAIT__PROCESS_SIGNALLED;
        c->result->code = WTERMSIG(state);
    }
    return true;
}

static void watch(child *c)
{
    char buffer[4096];
    bool open = true;
    while (!c->ended) {
        uint64_t now = plait__now_ns();
        if (now >= c->deadline) {
            /* It leads a group of its own, so that what it started goes too. */
            c->result->end = PLAIT__PROCESS_TIMED_OUT;
            kill(-c->pid, SIGKILL);
            kill(c->pid, SIGKILL);
            collect(c, 0);
            break;
        }
        /* The pipe's end nearly always tells of the child's; the short waits are for the rest: a child that closed the
         * pipe early, or whose own children keep it open. */
        uint64_t left_ms = (c->deadline - now) / 1000000u + 1;
        struct pollfd wait = {.fd = open ? c->fd : -1, .events = POLLIN};
        poll(&wait, 1, (int)(left_ms < 10 ? left_ms : 10));
        open = open && drain(c, buffer, sizeof buffer);
        collect(c, WNOHANG);
    }
    if (open) {
        drain(c, buffer, sizeof buffer);
    }
    c->result->output[c->result->output_size] = '\0';
}

static plait_status prepare(plait__process_result *out, int fds[2])
{
    *out = (plait__process_result){.end = PLAIT__PROCESS_UNKNOWN};
    out->output = plait__malloc(PLAIT__PROCESS_OUTPUT + 1);
    if (out->output == NULL) {
        return PLAIT_E_NO_MEMORY;
    }
    int error = make_pipe(fds);
    if (error != 0) {
        free(out->output);
        out->output = NULL;
        return fail_system("make a pipe to a child process", error);
    }
    return PLAIT_OK;
}

static plait_status finish(plait__process_result *out, int fds[2], pid_t pid, int error, uint64_t limit_ns,
                           const char *what)
{
    close(fds[1]);
    if (error == 0) {
        uint64_t now = plait__now_ns();
        child c = {.pid = pid, .fd = fds[0], .result = out};
        c.deadline = limit_ns < UINT64_MAX - now ? now + limit_ns : UINT64_MAX;
        watch(&c);
    }
    close(fds[0]);
    if (error != 0) {
        free(out->output);
        out->output = NULL;
        return fail_system(what, error);
    }
    return PLAIT_OK;
}

static const int crash_signals[] = {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE, SIGTRAP, SIGSYS, SIGTERM, SIGINT};
#define CRASH_SIGNALS (sizeof crash_signals / sizeof crash_signals[0])

static _Noreturn void be_child(int fd, int (*function)(int fd, void *argument), void *argument)
{
    setpgid(0, 0);
    /* A crash handler of the host program would report, or hang on, a crash that is expected here. */
    for (size_t i = 0; i < CRASH_SIGNALS; i++) {
        signal(crash_signals[i], SIG_DFL);
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    int null = open("/dev/null", O_RDWR);
    if (null >= 0) {
        dup2(null, STDIN_FILENO);
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
    }
    _exit(function(fd, argument));
}

plait_status plait__process_call(plait__process_result *out, int (*function)(int fd, void *argument), void *argument,
                                 uint64_t limit_ns)
{
    int fds[2];
    PLAIT__TRY(prepare(out, fds));
    pid_t pid = fork();
    int error = pid < 0 ? errno : 0;
    if (pid == 0) {
        be_child(fds[1], function, argument);
    }
    if (pid > 0) {
        setpgid(pid, pid); /* whichever of the two comes first */
    }
    return finish(out, fds, pid, error, limit_ns, "fork a child process");
}

/* The present environment with the strings of `changes` instead of those of the same names. */
static char **merged_environment(const char *const changes[])
{
    size_t n = 0;
    size_t n_changes = 0;
    while (environ[n] != NULL) {
        n++;
    }
    while (changes != NULL && changes[n_changes] != NULL) {
        n_changes++;
    }
    char **merged = plait__alloc_array(n + n_changes + 1, sizeof *merged);
    if (merged == NULL) {
        return NULL;
    }
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        size_t name = strcspn(environ[i], "=") + 1;
        bool changed = false;
        for (size_t k = 0; k < n_changes; k++) {
            changed = changed || strncmp(environ[i], changes[k], name) == 0;
        }
        if (!changed) {
            merged[count++] = environ[i];
        }
    }
    for (size_t k = 0; k < n_changes; k++) {
        merged[count++] = (char *)(uintptr_t)changes[k];
    }
    merged[count] = NULL;
    return merged;
}

static int spawn(pid_t *pid, int fd, const char *path, const char *const argv[], char **environment)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t defaults, none;
    sigemptyset(&none);
    sigemptyset(&defaults);
    for (size_t i = 0; i < CRASH_SIGNALS; i++) {
        sigaddset(&defaults, crash_signals[i]);
    }
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0) {
        return error;
    }
    error = posix_spawnattr_init(&attributes);
    if (error != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return error;
    }
    const int steps[] = {
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK),
        posix_spawnattr_setpgroup(&attributes, 0),
        posix_spawnattr_setsigdefault(&attributes, &defaults),
        posix_spawnattr_setsigmask(&attributes, &none),
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0),
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0),
        posix_spawn_file_actions_adddup2(&actions, fd, STDOUT_FILENO),
    };
    for (size_t i = 0; i < sizeof steps / sizeof steps[0] && error == 0; i++) {
        error = steps[i];
    }
    if (error == 0) {
        error = posix_spawn(pid, path, &actions, &attributes, (char *const *)(uintptr_t)argv, environment);
    }
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

plait_status plait__process_run(plait__process_result *out, const char *path, const char *const argv[],
                                const char *const env[], uint64_t limit_ns)
{
    *out = (plait__process_result){.end = PLAIT__PROCESS_UNKNOWN};
    char **environment = merged_environment(env);
    if (environment == NULL) {
        return PLAIT_E_NO_MEMORY;
    }
    int fds[2];
    plait_status status = prepare(out, fds);
    if (status != PLAIT_OK) {
        free(environment);
        return status;
    }
    pid_t pid = -1;
    int error = spawn(&pid, fds[1], path, argv, environment);
    free(environment);
    return finish(out, fds, pid, error, limit_ns, "run a child process");
}
