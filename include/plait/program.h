/*
 * Plait: programs are compiled OpenCL C; their binaries are cached on disk.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 *     plait_program *p;
 *     if (plait_program_from_file(&p, ctx, "blur.cl", NULL))
 *         puts(plait_last_error());            // the compiler's log, naming your file and line
 *
 * Plait expands #include "file" itself (each file once), so the cache sees every byte that was compiled: editing an
 * included file recompiles. A quoted include is looked for in the folder of the file that names it (a source string has
 * none), then in include_dirs in order. An include that is not found is PLAIT_E_BUILD, naming the places searched;
 * within #if only if that branch is compiled. #include <file> is left to the driver, and such a program is not kept in
 * the disk cache. Identical programs of one context that are alive at the same time are one object.
 *
 * Threads: programs are immutable once made; any thread may use and release them.
 */
#ifndef PLAIT_PROGRAM_H
#define PLAIT_PROGRAM_H

#include <plait/context.h>

PLAIT_BEGIN

typedef struct plait_program plait_program;

typedef struct plait_program_opts {
    size_t size;                /* set by PLAIT_PROGRAM_OPTS */
    const char *name;           /* of a source string in logs; default "source" */
    const char *options;        /* for the compiler, "-cl-mad-enable", say; default none */
    const char *const *defines; /* "NAME", "NAME=VALUE" or "NAME(a)=VALUE" (the value may hold spaces and quotes) */
    size_t n_defines;
    const char *const *include_dirs; /* searched after the including file's own folder */
    size_t n_include_dirs;
    bool no_cache; /* neither read nor write the disk cache */
} plait_program_opts;

#define PLAIT_PROGRAM_OPTS PLAIT_OPTS_(plait_program_opts)
PLAIT_API void plait_program_opts_init(plait_program_opts *opts);

/*
 * Compiles, or loads from the disk cache. opts may be NULL. The caller releases *out. Errors: PLAIT_E_BUILD with the
 * full build log; PLAIT_E_IO when the file cannot be read; PLAIT_E_ARGUMENT for an empty source; PLAIT_E_NULL;
 * PLAIT_E_CLOSED. Since 0.1.
 */
PLAIT_API plait_status plait_program_from_source(plait_program **out, plait_ctx *ctx, const char *source,
                                                 const plait_program_opts *opts);
PLAIT_API plait_status plait_program_from_file(plait_program **out, plait_ctx *ctx, const char *path,
                                               const plait_program_opts *opts);
PLAIT_API plait_program *plait_program_retain(plait_program *program);
PLAIT_API void plait_program_release(plait_program *program); /* NULL is fine */

/* What the compiler said, "" if nothing (a program from the cache says nothing). Lives as long as the program. */
PLAIT_API const char *plait_program_log(const plait_program *program);
/* Whether the binary came from the disk cache. */
PLAIT_API bool plait_program_cached(const plait_program *program);
PLAIT_API size_t plait_program_kernel_count(const plait_program *program);
/* The name of kernel `index`, in the source's order where the driver keeps it; NULL if out of range. */
PLAIT_API const char *plait_program_kernel_name(const plait_program *program, size_t index);

PLAIT_END

#endif
