/*
 * Stands in for a driver that works alone and ends the process when its twin is loaded too, as drivers do that each
 * contain an LLVM. It offers no platform. Built twice.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void on_load(void)
{
    char pid[32];
    snprintf(pid, sizeof(pid), "%ld", (long)getpid());
    const char *loaded = getenv("CONFLICT_DRIVER_LOADED");
    if (loaded != NULL && atol(loaded) == (long)getpid()) {
        fputs("option registered more than once\n", stderr);
        abort();
    }
    setenv("CONFLICT_DRIVER_LOADED", pid, 1);
}
