#include "disk_cache.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "clock.h"
#include "env.h"
#include "error.h"
#include "file.h"
#include "hash.h"
#include "strbuf.h"

#define DEFAULT_SIZE ((uint64_t)256 << 20)
#define LARGEST_ENTRY ((size_t)1 << 30)
#define TEMPORARY_LIFE_NS ((int64_t)60 * 1000000000)
#define SUFFIX ".plait"
#define NAME_LENGTH (32 + sizeof SUFFIX - 1)

struct plait__disk_cache {
    plait__refs refs;
    plait_ctx *ctx; /* no reference: whoever holds the cache holds the context */
    char *folder;
    plait__cache_identity identity;
    uint64_t limit;
    atomic_bool warned;
    plait__mutex lock; /* of what follows */
    bool scanned;
    uint64_t total; /* bytes of all entries, as far as known here */
};

/* ---- opening ---- */

static void warn_once(plait__disk_cache *cache, const char *reason)
{
    if (!atomic_exchange(&cache->warned, true)) {
        plait__ctx_log(cache->ctx, PLAIT_LOG_WARNING, "compiled programs are not kept on disk: %s", reason);
    }
}

/* The folder that is wanted; *out is NULL where none is or can be named. */
static plait_status wanted_folder(char **out, const char *option)
{
    *out = NULL;
    if (option == NULL) {
        option = plait__env_text("PLAIT_CACHE_DIR");
    }
    if (option == NULL) {
        return plait__cache_folder(out);
    }
    if (option[0] != 0) {
        *out = plait__strdup(option);
        return *out != NULL ? PLAIT_OK : PLAIT_E_NO_MEMORY;
    }
    return PLAIT_OK;
}

/* Makes the folder where it lacks, and decides whether it can be trusted. */
static plait_status prepare_folder(plait__disk_cache *cache)
{
    PLAIT__TRY(plait__folder_make(cache->folder));
    plait__file_info info;
    PLAIT__TRY(plait__file_stat(&info, cache->folder));
    const char *folder = cache->folder;
    PLAIT__REQUIRE(info.type == PLAIT__FILE_FOLDER, PLAIT_E_IO, "%s is not a folder", folder);
    PLAIT__REQUIRE(info.owner == plait__user_id(), PLAIT_E_IO,
                   "%s belongs to another user (%" PRIu32 ", you are %" PRIu32 "), and a compiled program is code; set "
                   "PLAIT_CACHE_DIR to a folder of your own",
                   folder, info.owner, plait__user_id());
    PLAIT__REQUIRE((info.mode & 022) == 0, PLAIT_E_IO,
                   "other users may write to %s (mode %04" PRIo32 "), and a compiled program is code; chmod 700 it",
                   folder, info.mode);
    if (folder[0] != '/') {
        char *real = plait__path_real(folder); /* the program may change its working folder */
        if (real == NULL) {
            return plait_last_status();
        }
        free(cache->folder);
        cache->folder = real;
    }
    return PLAIT_OK;
}

plait_status plait__disk_cache_open(plait__disk_cache **out, plait_ctx *ctx, const char *folder)
{
    *out = NULL;
    uint64_t limit;
    PLAIT__TRY(plait__env_size(&limit, "PLAIT_CACHE_SIZE", DEFAULT_SIZE));
    if (limit == 0 || (folder != NULL && folder[0] == 0)) {
        return PLAIT_OK;
    }
    plait__disk_cache *cache = plait__calloc(1, sizeof *cache);
    if (cache == NULL) {
        return PLAIT_E_NO_MEMORY;
    }
    plait__refs_init(&cache->refs);
    cache->ctx = ctx;
    cache->limit = limit;
    cache->identity = (plait__cache_identity){.library = PLAIT_VERSION_STRING,
                                              .platform_version = ctx->info.platform_version,
                                              .device_name = ctx->info.name,
                                              .driver_version = ctx->info.driver_version};
    atomic_init(&cache->warned, false);
    plait_status status = plait__mutex_init(&cache->lock);
    if (status != PLAIT_OK) {
        free(cache);
        return status;
    }
    status = wanted_folder(&cache->folder, folder);
    bool usable = false;
    if (status == PLAIT_OK && cache->folder == NULL) {
        warn_once(cache, "neither XDG_CACHE_HOME nor HOME names an absolute path; set PLAIT_CACHE_DIR");
    } else if (status == PLAIT_OK) {
        plait__error before = plait__error_save();
        usable = prepare_folder(cache) == PLAIT_OK;
        if (!usable) {
            warn_once(cache, plait_last_error());
        }
        plait__error_restore(&before);
    }
    if (usable) {
        *out = cache;
    } else {
        plait__disk_cache_close(cache);
    }
    return status;
}

void plait__disk_cache_close(plait__disk_cache *cache)
{
    if (cache != NULL && plait__refs_down(&cache->refs)) {
        plait__mutex_destroy(&cache->lock);
        free(cache->folder);
        free(cache);
    }
}

plait__disk_cache *plait__disk_cache_retain(plait__disk_cache *cache)
{
    plait__refs_up(&cache->refs);
    return cache;
}

const char *plait__disk_cache_folder(const plait__disk_cache *cache)
{
    return cache != NULL ? cache->folder : "";
}

plait__cache_identity *plait__disk_cache_identity(plait__disk_cache *cache)
{
    return &cache->identity;
}

/* ---- keys and paths ---- */

char *plait__disk_cache_key(const plait__disk_cache *cache, const char *options, const char *source,
                            size_t source_length, size_t *length, size_t *source_at)
{
    const struct {
        const char *name, *value;
    } fields[] = {
        {"library", cache->identity.library},
        {"platform", cache->identity.platform_version},
        {"device", cache->identity.device_name},
        {"driver", cache->identity.driver_version},
        {"options", options},
    };
    plait__strbuf key = {0};
    plait__strbuf_printf(&key, "plait program, format %d\n", PLAIT__CACHE_FORMAT);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        /* With its length, so that no value can pass for another field. */
        plait__strbuf_printf(&key, "%s %zu %s\n", fields[i].name, strlen(fields[i].value), fields[i].value);
    }
    plait__strbuf_add(&key, "source\n");
    *source_at = key.length;
    plait__strbuf_add_bytes(&key, source, source_length);
    *length = key.length;
    return plait__strbuf_take(&key);
}

char *plait__disk_cache_path(const plait__disk_cache *cache, const void *key, size_t length)
{
    char name[NAME_LENGTH + 1];
    plait__hash_hex(name, plait__hash(key, length));
    memcpy(name + 32, SUFFIX, sizeof SUFFIX);
    return plait__path_join(cache->folder, name);
}

static bool is_entry_name(const char *name)
{
    return strlen(name) == NAME_LENGTH && strspn(name, "0123456789abcdef") == 32 && strcmp(name + 32, SUFFIX) == 0;
}

/* ---- reading ---- */

static plait__cache_result load(const char *path, const char *key, size_t length, void **memory,
                                plait__cache_entry *entry)
{
    plait__file_info info;
    char *bytes = NULL;
    size_t size = 0;
    if (plait__file_stat(&info, path) != PLAIT_OK || info.type != PLAIT__FILE_REGULAR ||
        plait__file_read(&bytes, &size, path, LARGEST_ENTRY) != PLAIT_OK) {
        return PLAIT__CACHE_ABSENT;
    }
    if (!plait__cache_entry_parse(entry, bytes, size) || entry->key.size != length ||
        memcmp(entry->key.data, key, length) != 0) {
        free(bytes);
        return PLAIT__CACHE_DAMAGED;
    }
    plait__file_touch(path);
    *memory = bytes;
    return PLAIT__CACHE_FOUND;
}

plait__cache_result plait__disk_cache_load(plait__disk_cache *cache, const char *key, size_t length, void **memory,
                                           plait__cache_entry *entry)
{
    *memory = NULL;
    plait__error before = plait__error_save();
    char *path = plait__disk_cache_path(cache, key, length);
    plait__cache_result result = path == NULL ? PLAIT__CACHE_ABSENT : load(path, key, length, memory, entry);
    free(path);
    plait__error_restore(&before);
    return result;
}

/* ---- writing ---- */

typedef struct candidate {
    int64_t time;
    uint64_t size;
    char *path;
} candidate;

static int older_first(const void *a, const void *b)
{
    int64_t left = ((const candidate *)a)->time, right = ((const candidate *)b)->time;
    return (left > right) - (left < right);
}

/*
 * Counts the entries, removes what killed processes left, and entries from the oldest on until `limit` is kept. Other
 * processes may do the same at the same time: a file that has gone is no failure. Returns the bytes that are left.
 */
static uint64_t sweep(const plait__disk_cache *cache, uint64_t limit)
{
    plait__names names = {0};
    if (plait__folder_list(&names, cache->folder) != PLAIT_OK) {
        return 0;
    }
    candidate *entries = plait__alloc_array(names.count + 1, sizeof *entries);
    size_t count = 0;
    uint64_t total = 0;
    int64_t now = plait__wall_ns();
    for (size_t i = 0; i < names.count && entries != NULL; i++) {
        bool temporary = strncmp(names.names[i], PLAIT__TEMPORARY_PREFIX, strlen(PLAIT__TEMPORARY_PREFIX)) == 0;
        plait__file_info info;
        char *path =
            temporary || is_entry_name(names.names[i]) ? plait__path_join(cache->folder, names.names[i]) : NULL;
        if (path == NULL || plait__file_stat(&info, path) != PLAIT_OK || info.type != PLAIT__FILE_REGULAR) {
            free(path);
        } else if (temporary) {
            if (now - info.mtime_ns > TEMPORARY_LIFE_NS) {
                plait__file_remove(path);
            }
            free(path);
        } else {
            entries[count++] = (candidate){info.mtime_ns, info.size, path};
            total += info.size;
        }
    }
    if (total > limit) {
        qsort(entries, count, sizeof *entries, older_first);
        for (size_t i = 0; i < count && total > limit / 4 * 3; i++) {
            plait__file_remove(entries[i].path);
            total -= entries[i].size;
        }
    }
    for (size_t i = 0; i < count; i++) {
        free(entries[i].path);
    }
    free(entries);
    plait__names_free(&names);
    return total;
}

static void store(plait__disk_cache *cache, const plait__cache_entry *entry)
{
    unsigned char header[PLAIT__CACHE_HEADER];
    plait__cache_entry_header(header, entry);
    uint64_t size = (uint64_t)sizeof header + entry->key.size + entry->signatures.size + entry->binary.size;
    if (size > cache->limit) {
        plait__ctx_log(cache->ctx, PLAIT_LOG_INFO,
                       "a compiled program of %" PRIu64 " bytes is above the disk cache's limit (PLAIT_CACHE_SIZE)",
                       size);
        return;
    }
    const plait__part parts[] = {{header, sizeof header},
                                 {entry->key.data, entry->key.size},
                                 {entry->signatures.data, entry->signatures.size},
                                 {entry->binary.data, entry->binary.size}};
    char *path = plait__disk_cache_path(cache, entry->key.data, entry->key.size);
    if (path == NULL || plait__file_write(path, parts, 4, 0600) != PLAIT_OK) {
        free(path);
        warn_once(cache, plait_last_error());
        return;
    }
    free(path);
    plait__lock(&cache->lock);
    cache->total += size;
    if (!cache->scanned || cache->total > cache->limit) {
        cache->scanned = true;
        cache->total = sweep(cache, cache->limit);
    }
    plait__unlock(&cache->lock);
}

void plait__disk_cache_store(plait__disk_cache *cache, const plait__cache_entry *entry)
{
    plait__error before = plait__error_save();
    store(cache, entry);
    plait__error_restore(&before);
}
