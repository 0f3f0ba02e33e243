/*
 * Include expansion: one text that holds everything that will be compiled, so that hashing it hashes all of it.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 * What it does with
 *
 *   #include "file"    replaces it by the file's text between #line directives, each file once. Where several
 *                      spellings or links lead to one file it is still one file; a file that includes itself adds
 *                      nothing.
 *   #include <file>    leaves it to the driver, and says so (`outside`): such a program is not kept on disk, because
 *                      what the driver reads is not part of the hash. The same for #include MACRO.
 *   #pragma once       drops it: every file is once.
 *   comments, strings  are understood: an #include in them is no directive. So are continued lines, CRLF and a
 *                      byte-order mark.
 *   #if ... #endif     conditions are not evaluated; the driver does that. An #include inside of one is expanded there
 *                      within a guard of its own (PLAIT_INCLUDED_<n>_), so the file takes part once whichever branch
 *                      is active; if the file does not exist, an #error takes its place, which only an active branch
 *                      notices. The usual include guard around a whole file is no condition in this sense, unless its
 *                      macro is named in the defines or options.
 *
 * Where a quoted file is looked for: an absolute path as it is; else the folder of the file that names it (a source
 * string has none), include_dirs in order, and last, for generated programs, the files of cl/ that travel inside the
 * library; of these, a file of the same name below the folder PLAIT_KERNEL_PATH is taken instead.
 *
 * The defines become #define lines at the top, so their values may hold spaces, quotes and parentheses; "NAME" alone
 * becomes 1, as with -D.
 *
 * Threads: any.
 */
#ifndef PLAIT__SOURCE_H
#define PLAIT__SOURCE_H

#include <plait/status.h>

typedef struct plait__source_request {
    const char *function; /* for failures */
    const char *name;     /* what #line and failures call the text; its path if it is a file */
    const char *text;
    size_t length;
    bool is_file; /* name is a path, and includes are looked for beside it */
    bool embedded;
    const char *options; /* never NULL; read for names of guards only */
    const char *const *defines;
    size_t n_defines;
    const char *const *include_dirs;
    size_t n_include_dirs;
} plait__source_request;

typedef struct plait__source {
    char *text; /* NUL-terminated */
    size_t length;
    bool outside; /* the driver will read more than this text */
} plait__source;

/*
 * On success the caller frees out->text. Failures: PLAIT_E_ARGUMENT (an empty text, a define that is none),
 * PLAIT_E_BUILD (an include that is not found, or is nested too deep; a NUL byte), PLAIT_E_IO, PLAIT_E_NO_MEMORY.
 */
plait_status plait__source_expand(const plait__source_request *request, plait__source *out);

#endif
