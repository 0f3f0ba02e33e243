/*
 * The disk cache of compiled programs. This comment is its specification.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 * Switch.    opts.cache_folder of the context, else PLAIT_CACHE_DIR, else $XDG_CACHE_HOME/plait, else ~/.cache/plait.
 *            opts.cache_folder = "" or PLAIT_CACHE_SIZE=0 switch it off; opts.no_cache does for one program. A program
 *            of which the driver reads more than its text (#include <...>) is never kept.
 * Key.       A text: format number, Plait's version, platform version, device name, driver version, build options, and
 *            the whole source after include expansion. Whatever changes one of them makes another key, so nothing is
 *            ever invalidated. Nothing of it depends on the locale.
 * File.      <folder>/<32 hex digits: hash of the key>.plait, laid out as cache_entry.h says. It holds the whole key,
 *            so a file under a wrong name, or one whose hash collides, is noticed; a hash over everything, so damage is;
 *            and the kernels' signatures, which some drivers' binaries lose.
 * Races.     Entries are written to a temporary file and renamed: a reader sees a whole entry or none. There is no lock.
 *            Processes that build the same program at once write the same entry, one after another; the last stays. A
 *            killed process may leave a temporary file; it is removed when it is older than a minute.
 * Damage.    An entry that is cut, changed, foreign, of another key, or refused by the driver counts as a reject: the
 *            program is built from source without a word (a line at the level INFO) and the entry written anew.
 * Size.      PLAIT_CACHE_SIZE bytes ("512M"), 256 MiB by default. A hit sets the file's time; when the sum passes the
 *            limit, the files used longest ago go, until three quarters are left. Only files named as above are touched.
 * Trust.     A binary is code. A folder that belongs to another user, or that others may write to, is not used, with
 *            one warning. Folders that Plait makes have mode 0700.
 * Failure.   No folder, a folder that cannot be made, one that is a file: one warning, no cache. A folder or disk that
 *            cannot be written: one warning, entries are still read. The calling thread's last error is never touched.
 *
 * Threads: any, of any number of processes.
 */
#ifndef PLAIT__DISK_CACHE_H
#define PLAIT__DISK_CACHE_H

#include "cache_entry.h"
#include "ctx.h"

/* What a key holds beside options and source. The strings are borrowed from the context; tests put in others. */
typedef struct plait__cache_identity {
    const char *library, *platform_version, *device_name, *driver_version;
} plait__cache_identity;

plait__cache_identity *plait__disk_cache_identity(plait__disk_cache *cache);

/* A reference more; plait__disk_cache_close (ctx.h) gives one back. Programs hold the cache that they are saved to. */
plait__disk_cache *plait__disk_cache_retain(plait__disk_cache *cache);

/*
 * The key; the caller frees it. The source is its tail, from *source_at on, followed by a NUL that *length does not
 * count. NULL when memory is exhausted (recorded).
 */
char *plait__disk_cache_key(const plait__disk_cache *cache, const char *options, const char *source,
                            size_t source_length, size_t *length, size_t *source_at);

typedef enum plait__cache_result { PLAIT__CACHE_ABSENT, PLAIT__CACHE_FOUND, PLAIT__CACHE_DAMAGED } plait__cache_result;

/* Where it is found, *entry points into *memory, which the caller frees; otherwise *memory is NULL. */
plait__cache_result plait__disk_cache_load(plait__disk_cache *cache, const char *key, size_t length, void **memory,
                                           plait__cache_entry *entry);

void plait__disk_cache_store(plait__disk_cache *cache, const plait__cache_entry *entry);

/* For tests: the path of the entry of a key; the caller frees it. */
char *plait__disk_cache_path(const plait__disk_cache *cache, const void *key, size_t length);

#endif
