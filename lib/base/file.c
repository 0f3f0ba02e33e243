/*
 * Plait: files and folders.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "file.h"

#include "alloc.h"
#include "clock.h"
#include "env.h"
#include "error.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static plait_status fail_path(const char *verb, const char *path, int error)
{
    char text[PLAIT__ERRNO_SIZE];
    return plait__fail(PLAIT_E_IO, "cannot %s \"%s\": %s", verb, path, plait__errno_text(error, text));
}

static int open_file(const char *path, int flags, unsigned mode)
{
    int fd;
    do {
        fd = open(path, flags | O_CLOEXEC, (mode_t)mode);
    } while (fd < 0 && errno == EINTR);
    return fd;
}

/* As much as there is, up to size; -1 and errno on failure. */
static ssize_t read_up_to(int fd, char *out, size_t size)
{
    size_t done = 0;
    while (done < size) {
        ssize_t n = read(fd, out + done, size - done);
        if (n == 0) {
            break;
        }
        if (n < 0 && errno != EINTR) {
            return -1;
        }
        done += n > 0 ? (size_t)n : 0;
    }
    return (ssize_t)done;
}

static plait_status fail_too_large(const char *path, size_t limit)
{
    return plait__fail(PLAIT_E_IO, "cannot read \"%s\": it is larger than the %zu bytes allowed here", path, limit);
}

static plait_status read_all(char **out, size_t *size, int fd, const char *path, size_t limit)
{
    /* The size that stat tells is only the first guess: files in /proc say 0, and a file may grow meanwhile. */
    struct stat info;
    if (fstat(fd, &info) != 0) {
        return fail_path("read", path, errno);
    }
    if (S_ISREG(info.st_mode) && (uintmax_t)info.st_size > limit) {
        return fail_too_large(path, limit);
    }
    size_t guess = S_ISREG(info.st_mode) ? (size_t)info.st_size : 0;
    char *text = NULL;
    size_t capacity = 0;
    size_t length = 0;
    for (;;) {
        char *grown = plait__grow(text, &capacity, length < guess ? guess + 2 : length + 4096, 1);
        if (grown == NULL) {
            free(text);
            return PLAIT_E_NO_MEMORY;
        }
        text = grown;
        ssize_t n = read_up_to(fd, text + length, capacity - length - 1);
        if (n < 0) {
            int error = errno;
            free(text);
            return fail_path("read", path, error);
        }
        length += (size_t)n;
        if (length > limit) {
            free(text);
            return fail_too_large(path, limit);
        }
        if (length < capacity - 1) {
            break;
        }
    }
    text[length] = '\0';
    *out = text;
    *size = length;
    return PLAIT_OK;
}

plait_status plait__file_read(char **out, size_t *size, const char *path, size_t limit)
{
    *out = NULL;
    *size = 0;
    int fd = open_file(path, O_RDONLY, 0);
    if (fd < 0) {
        return fail_path("open", path, errno);
    }
    plait_status status = read_all(out, size, fd, path, limit);
    close(fd);
    return status;
}

plait_status plait__file_map(plait__mapping *out, const char *path)
{
    *out = (plait__mapping){NULL, 0};
    int fd = open_file(path, O_RDONLY | O_NONBLOCK, 0); /* a FIFO that nobody writes to is refused, not waited for */
    if (fd < 0) {
        return fail_path("open", path, errno);
    }
    plait_status status = PLAIT_OK;
    struct stat info;
    if (fstat(fd, &info) != 0) {
        status = fail_path("read", path, errno);
    } else if (!S_ISREG(info.st_mode)) {
        status = plait__fail(PLAIT_E_IO, "cannot map \"%s\": it is not a regular file", path);
    } else if ((uintmax_t)info.st_size > SIZE_MAX) {
        status = fail_path("map", path, EOVERFLOW);
    } else if (info.st_size == 0) {
        *out = (plait__mapping){"", 0};
    } else {
        void *data = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (data == MAP_FAILED) {
            status = fail_path("map", path, errno);
        } else {
            *out = (plait__mapping){data, (size_t)info.st_size};
        }
    }
    close(fd);
    return status;
}

void plait__file_unmap(plait__mapping *mapping)
{
    if (mapping->size > 0) {
        munmap((void *)(uintptr_t)mapping->data, mapping->size);
    }
    *mapping = (plait__mapping){NULL, 0};
}

/* 0, or the errno of what failed. */
static int write_parts(int fd, const plait__part *parts, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *data = parts[i].data;
        size_t left = parts[i].size;
        while (left > 0) {
            ssize_t written = write(fd, data, left);
            if (written < 0 && errno != EINTR) {
                return errno;
            }
            if (written > 0) {
                data += written;
                left -= (size_t)written;
            }
        }
    }
    return 0;
}

/* Some file systems report a full disk or quota only here. */
static int close_written(int fd, int error)
{
    int closed = close(fd) == 0 || errno == EINTR ? 0 : errno;
    return error != 0 ? error : closed;
}

/* A name in the folder of `path` that no other thread or process uses. */
static char *temporary_name(const char *path)
{
    static atomic_uint_fast64_t counter;
    char name[96];
    snprintf(name, sizeof name, PLAIT__TEMPORARY_PREFIX "%lx-%llx-%llx", (unsigned long)getpid(),
             (unsigned long long)atomic_fetch_add(&counter, 1), (unsigned long long)plait__wall_ns());
    char *folder = plait__path_folder(path);
    char *temporary = folder != NULL ? plait__path_join(folder, name) : NULL;
    free(folder);
    return temporary;
}

static plait_status replace_file(const char *path, const plait__part *parts, size_t n, unsigned mode)
{
    char *temporary = temporary_name(path);
    if (temporary == NULL) {
        return PLAIT_E_NO_MEMORY;
    }
    plait_status status = PLAIT_OK;
    int fd = open_file(temporary, O_WRONLY | O_CREAT | O_EXCL, mode);
    if (fd < 0) {
        status = fail_path("write", path, errno);
    } else {
        int error = close_written(fd, write_parts(fd, parts, n));
        if (error == 0 && rename(temporary, path) != 0) {
            error = errno;
        }
        if (error != 0) {
            unlink(temporary);
            status = fail_path("write", path, error);
        }
    }
    free(temporary);
    return status;
}

static plait_status write_in_place(const char *path, const plait__part *parts, size_t n)
{
    int fd = open_file(path, O_WRONLY, 0);
    if (fd < 0) {
        return fail_path("open", path, errno);
    }
    int error = close_written(fd, write_parts(fd, parts, n));
    return error != 0 ? fail_path("write", path, error) : PLAIT_OK;
}

plait_status plait__file_write(const char *path, const plait__part *parts, size_t n, unsigned mode)
{
    struct stat info;
    if (lstat(path, &info) != 0) {
        return errno == ENOENT ? replace_file(path, parts, n, mode) : fail_path("write", path, errno);
    }
    if (S_ISREG(info.st_mode) || S_ISDIR(info.st_mode)) {
        return replace_file(path, parts, n, mode); /* rename tells what is wrong with a folder */
    }
    if (!S_ISLNK(info.st_mode)) {
        return write_in_place(path, parts, n);
    }
    char *target = plait__path_real(path);
    if (target == NULL) {
        return plait_last_status();
    }
    plait_status status = plait__file_write(target, parts, n, mode);
    free(target);
    return status;
}

plait_status plait__file_stat(plait__file_info *out, const char *path)
{
    *out = (plait__file_info){.type = PLAIT__FILE_MISSING};
    struct stat info;
    if (stat(path, &info) != 0) {
        return errno == ENOENT || errno == ENOTDIR ? PLAIT_OK : fail_path("look at", path, errno);
    }
    *out = (plait__file_info){
        .type = S_ISREG(info.st_mode)   ? PLAIT__FILE_REGULAR
                : S_ISDIR(info.st_mode) ? PLAIT__FILE_FOLDER
                                        : PLAIT__FILE_OTHER,
        .size = info.st_size > 0 ? (uint64_t)info.st_size : 0,
        .mtime_ns = (int64_t)info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec,
        .owner = info.st_uid,
        .mode = info.st_mode & 07777,
    };
    return PLAIT_OK;
}

plait_status plait__file_touch(const char *path)
{
    return utimensat(AT_FDCWD, path, NULL, 0) == 0 ? PLAIT_OK : fail_path("touch", path, errno);
}

plait_status plait__file_remove(const char *path)
{
    return unlink(path) == 0 || errno == ENOENT ? PLAIT_OK : fail_path("remove", path, errno);
}

/* Makes one folder; another process may be making the same. */
static plait_status make_one(const char *path)
{
    struct stat info;
    if (mkdir(path, 0700) == 0) {
        return PLAIT_OK;
    }
    int error = errno;
    if (stat(path, &info) == 0) {
        /* mkdir's reason for something that is there (EEXIST, EROFS, EACCES) does not matter if it is a folder. */
        return S_ISDIR(info.st_mode) ? PLAIT_OK : fail_path("make the folder", path, ENOTDIR);
    }
    return fail_path("make the folder", path, error);
}

plait_status plait__folder_make(const char *path)
{
    char *copy = plait__strdup(path);
    if (copy == NULL) {
        return PLAIT_E_NO_MEMORY;
    }
    plait_status status = PLAIT_OK;
    for (char *p = copy + strspn(copy, "/"); *p != '\0' && status == PLAIT_OK;) {
        p += strcspn(p, "/");
        char slash = *p;
        *p = '\0';
        status = make_one(copy);
        *p = slash;
        p += strspn(p, "/");
    }
    free(copy);
    return status;
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static plait_status list_open(plait__names *out, DIR *folder, const char *path)
{
    size_t capacity = 0;
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(folder);
        if (entry == NULL) {
            return errno == 0 ? PLAIT_OK : fail_path("list", path, errno);
        }
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) {
            continue;
        }
        char **grown = plait__grow(out->names, &capacity, out->count + 1, sizeof *grown);
        if (grown == NULL) {
            return PLAIT_E_NO_MEMORY;
        }
        out->names = grown;
        out->names[out->count] = plait__strdup(entry->d_name);
        if (out->names[out->count] == NULL) {
            return PLAIT_E_NO_MEMORY;
        }
        out->count++;
    }
}

plait_status plait__folder_list(plait__names *out, const char *path)
{
    *out = (plait__names){NULL, 0};
    int fd = open_file(path, O_RDONLY | O_DIRECTORY, 0);
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    if (folder == NULL) {
        int error = errno;
        if (fd >= 0) {
            close(fd);
        }
        return fail_path("list", path, error);
    }
    plait_status status = list_open(out, folder, path);
    closedir(folder);
    if (status != PLAIT_OK) {
        plait__names_free(out);
        return status;
    }
    if (out->count > 1) {
        qsort(out->names, out->count, sizeof *out->names, by_bytes);
    }
    return PLAIT_OK;
}

void plait__names_free(plait__names *names)
{
    for (size_t i = 0; i < names->count; i++) {
        free(names->names[i]);
    }
    free(names->names);
    *names = (plait__names){NULL, 0};
}

char *plait__path_join(const char *folder, const char *name)
{
    size_t n = strlen(folder);
    if (name[0] == '/' || n == 0) {
        return plait__strdup(name);
    }
    bool slash = folder[n - 1] != '/';
    size_t size = n + (slash ? 1 : 0) + strlen(name) + 1;
    char *path = plait__malloc(size);
    if (path != NULL) {
        snprintf(path, size, "%s%s%s", folder, slash ? "/" : "", name);
    }
    return path;
}

char *plait__path_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL) {
        return plait__strdup(".");
    }
    return slash == path ? plait__strdup("/") : plait__strndup(path, (size_t)(slash - path));
}

char *plait__path_real(const char *path)
{
    char *real = realpath(path, NULL);
    if (real == NULL) {
        fail_path("find", path, errno);
    }
    return real;
}

plait_status plait__cache_folder(char **out)
{
    *out = NULL;
    const char *xdg = plait__env_text("XDG_CACHE_HOME");
    const char *home = plait__env_text("HOME");
    /* The XDG specification says that a relative path there is to be ignored. */
    if (xdg != NULL && xdg[0] == '/') {
        *out = plait__path_join(xdg, "plait");
    } else if (home != NULL && home[0] == '/') {
        *out = plait__path_join(home, ".cache/plait");
    } else {
        return PLAIT_OK;
    }
    return *out != NULL ? PLAIT_OK : PLAIT_E_NO_MEMORY;
}

uint32_t plait__user_id(void)
{
    return geteuid();
}
