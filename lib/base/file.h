/*
 * Files and folders. Failures are PLAIT_E_IO with the path and the system's reason.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 * Descriptors are opened close-on-exec. Paths are bytes, passed to the system as they are. Threads: any.
 */
#ifndef PLAIT__FILE_H
#define PLAIT__FILE_H

#include <plait/status.h>

/* The whole file and a NUL after it, freed with free(). PLAIT_E_IO also where it is larger than `limit`. */
plait_status plait__file_read(char **out, size_t *size, const char *path, size_t limit);

/*
 * A regular file in memory, read-only. An empty file has a data pointer that is not NULL. Somebody who shortens the
 * file while it is mapped makes reads past the new end fail with SIGBUS; meant for large files that are read at once.
 */
typedef struct plait__mapping {
    const void *data;
    size_t size;
} plait__mapping;

plait_status plait__file_map(plait__mapping *out, const char *path);
void plait__file_unmap(plait__mapping *mapping);

/*
 * Writes the parts, one after another, to a temporary file in the same folder and renames it to `path`: whoever opens
 * `path` sees the old contents or the new, never a mixture. On failure nothing is left behind. Not synced to the disk:
 * a power failure may leave an empty or short file. `mode` is narrowed by the umask as in open(). Where `path` is a
 * link, the file it leads to is replaced; where it is neither file nor link (a device, a pipe), it is written to
 * directly.
 */
typedef struct plait__part {
    const void *data;
    size_t size;
} plait__part;

plait_status plait__file_write(const char *path, const plait__part *parts, size_t n, unsigned mode);

/* The temporary files of plait__file_write have names that start so; what a killed process left can be told by it. */
#define PLAIT__TEMPORARY_PREFIX ".plait-tmp-"

typedef enum plait__file_type {
    PLAIT__FILE_MISSING,
    PLAIT__FILE_REGULAR,
    PLAIT__FILE_FOLDER,
    PLAIT__FILE_OTHER
} plait__file_type;

typedef struct plait__file_info {
    plait__file_type type;
    uint64_t size;    /* bytes */
    int64_t mtime_ns; /* last change of the contents, since 1970 */
    uint32_t owner;   /* user id */
    uint32_t mode;    /* permission bits, 07777 */
} plait__file_info;

/* Follows links. A path that does not exist is a success with PLAIT__FILE_MISSING. */
plait_status plait__file_stat(plait__file_info *out, const char *path);

/* Sets the time of the last change to now. */
plait_status plait__file_touch(const char *path);

/* Removes a file (not a folder); a success where there is none. */
plait_status plait__file_remove(const char *path);

/* Makes the folder and those above it that lack, each with mode 0700; a success where it exists already. */
plait_status plait__folder_make(const char *path);

/* The names in a folder without "." and "..", sorted bytewise. */
typedef struct plait__names {
    char **names;
    size_t count;
} plait__names;

plait_status plait__folder_list(plait__names *out, const char *path);
void plait__names_free(plait__names *names);

/* "folder/name", without a second slash where folder ends in one; `name` itself where it is absolute. NULL on failure.
 */
char *plait__path_join(const char *folder, const char *name);

/* The folder that `path` lies in: "." where it has no slash. NULL on failure. */
char *plait__path_folder(const char *path);

/* Absolute, without links and dots; the file must exist. NULL on failure. */
char *plait__path_real(const char *path);

/*
 * Plait's folder in the user's cache: $XDG_CACHE_HOME/plait, or else $HOME/.cache/plait; *out is NULL where neither is
 * set to an absolute path. Nothing is created.
 */
plait_status plait__cache_folder(char **out);

/* The user that files are made by. */
uint32_t plait__user_id(void);

#endif
