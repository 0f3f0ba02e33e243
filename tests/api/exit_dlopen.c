/*
 * Run by test_exit: loads the library (argv[1]), computes, unloads it, and does so again; the second time it leaves the
 * context open. Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include <plait/plait.h>

#include <dlfcn.h>
#include <unistd.h>

static plait_status (*open_context)(plait_ctx **, const plait_ctx_opts *);
static plait_status (*close_context)(plait_ctx *);
static plait_array *(*arange)(plait_ctx *, double, double, double, plait_dtype);
static plait_array *(*sum)(plait_array *);
static plait_status (*item)(plait_array *, double *);

static int compute(const char *path, bool close)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        return 1;
    }
    /* POSIX's way around C's ban on turning data pointers into function pointers. */
    *(void **)&open_context = dlsym(library, "plait_open");
    *(void **)&close_context = dlsym(library, "plait_close");
    *(void **)&arange = dlsym(library, "plait_arange");
    *(void **)&sum = dlsym(library, "plait_sum");
    *(void **)&item = dlsym(library, "plait_item");
    plait_ctx *ctx;
    double value = 0;
    if (!open_context || !close_context || !arange || !sum || !item || open_context(&ctx, NULL) != PLAIT_OK) {
        return 2;
    }
    if (item(sum(arange(ctx, 0, 1000, 1, PLAIT_F32)), &value) != PLAIT_OK || value != 499500) {
        return 3;
    }
    if (close && close_context(ctx) != PLAIT_OK) {
        return 4;
    }
    return dlclose(library) == 0 ? 0 : 5;
}

int main(int argc, char **argv)
{
    alarm(60);
    if (argc != 2) {
        return 6;
    }
    int failed = compute(argv[1], true);
    return failed ? failed : compute(argv[1], false);
}
