#include "drivers.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_VENDORS "/etc/OpenCL/vendors"
#define SECONDS_ALLOWED 20
#define NO_DEVICE_RANK 99

/* ---- finding ---- */

static bool add(drivers *d, const char *file, const char *library, bool listed)
{
    driver *items = realloc(d->items, (d->n + 1) * sizeof(driver));
    if (items == NULL) {
        return false;
    }
    d->items = items;
    driver *one = &items[d->n];
    *one = (driver){.listed = listed, .best = NO_DEVICE_RANK, .file = strdup(file), .library = strdup(library)};
    d->n++;
    return one->file != NULL && one->library != NULL;
}

static bool add_icd_file(drivers *d, const char *file)
{
    char line[PATH_MAX] = "";
    FILE *f = fopen(file, "r");
    if (f != NULL) {
        if (fgets(line, sizeof(line), f) == NULL) {
            line[0] = '\0';
        }
        line[strcspn(line, "\r\n")] = '\0';
        fclose(f);
    }
    return add(d, file, line, false);
}

static int by_file(const void *a, const void *b)
{
    return strcmp(((const driver *)a)->file, ((const driver *)b)->file);
}

static bool find(drivers *d)
{
    const char *vendors = getenv("OCL_ICD_VENDORS");
    if (vendors == NULL || vendors[0] == '\0') {
        vendors = getenv("OPENCL_VENDOR_PATH");
    }
    d->vendors_given = vendors != NULL && vendors[0] != '\0';
    d->vendors = strdup(d->vendors_given ? vendors : DEFAULT_VENDORS);
    if (d->vendors == NULL) {
        return false;
    }
    bool ok = true;
    DIR *folder = opendir(d->vendors);
    if (folder != NULL) {
        for (struct dirent *entry = readdir(folder); ok && entry != NULL; entry = readdir(folder)) {
            char path[PATH_MAX];
            if (tool_ends_with(entry->d_name, ".icd") &&
                (size_t)snprintf(path, sizeof(path), "%s/%s", d->vendors, entry->d_name) < sizeof(path)) {
                ok = add_icd_file(d, path);
            }
        }
        closedir(folder);
        if (d->n > 0) {
            qsort(d->items, d->n, sizeof(driver), by_file);
        }
    } else if (d->vendors_given) {
        ok = tool_ends_with(d->vendors, ".icd") ? add_icd_file(d, d->vendors) : add(d, d->vendors, d->vendors, false);
    }
    const char *names = getenv("OCL_ICD_FILENAMES");
    char *list = names == NULL ? NULL : strdup(names);
    char *rest = NULL;
    for (char *name = list == NULL ? NULL : strtok_r(list, ":", &rest); ok && name != NULL;
         name = strtok_r(NULL, ":", &rest)) {
        ok = add(d, name, name, true);
    }
    free(list);
    return ok;
}

/* ---- showing only some of them to a process's loader ---- */

/* Whether `one` is an .icd file, which can be linked into a folder of our own. */
static bool is_icd(const driver *one)
{
    return !one->listed && tool_ends_with(one->file, ".icd");
}

/* A folder `name` in the temporary one with the chosen drivers' .icd files. */
static bool make_view(const drivers *d, const bool *chosen, const char *name, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s/%s", d->folder, name);
    if (mkdir(path, 0700) != 0) {
        return false;
    }
    for (size_t i = 0; i < d->n; i++) {
        char link[PATH_MAX];
        char *real = chosen[i] && is_icd(&d->items[i]) ? realpath(d->items[i].file, NULL) : NULL;
        if (real != NULL && (size_t)snprintf(link, sizeof(link), "%s/%02zu.icd", path, i) < sizeof(link)) {
            (void)!symlink(real, link);
        }
        free(real);
    }
    return true;
}

/* Names the view and the chosen entries of OCL_ICD_FILENAMES in this process's environment. */
static void use_view(const drivers *d, const bool *chosen, const char *view)
{
    char folder[PATH_MAX + 2];
    snprintf(folder, sizeof(folder), "%s/", view); /* some loaders want the slash */
    const char *vendors = folder;
    char names[PATH_MAX] = "";
    for (size_t i = 0; i < d->n; i++) {
        if (chosen[i] && d->items[i].listed) {
            const size_t used = strlen(names);
            snprintf(names + used, sizeof(names) - used, "%s%s", used > 0 ? ":" : "", d->items[i].file);
        } else if (chosen[i] && !is_icd(&d->items[i])) {
            vendors = d->items[i].file; /* a library named in place of a folder: it is the only one */
        }
    }
    setenv("OCL_ICD_VENDORS", vendors, 1);
    setenv("OPENCL_VENDOR_PATH", vendors, 1);
    if (names[0] != '\0') {
        setenv("OCL_ICD_FILENAMES", names, 1);
    } else {
        unsetenv("OCL_ICD_FILENAMES");
    }
}

/* ---- probing ---- */

typedef struct probe {
    pid_t pid;
    char name[32];
    bool ended, timed_out;
    int status;
} probe;

static void output_path(const drivers *d, const probe *p, const char *suffix, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s/%s%s", d->folder, p->name, suffix);
}

static int open_output(const drivers *d, const probe *p, const char *suffix)
{
    char path[PATH_MAX];
    output_path(d, p, suffix, path);
    return open(path, O_CREAT | O_WRONLY | O_TRUNC, 0600);
}

/* Starts a child that lists what the chosen drivers offer. */
static void probe_start(const drivers *d, probe *p, const bool *chosen, const char *library)
{
    char view[PATH_MAX];
    p->ended = true;
    p->status = 1 << 8;
    if (!make_view(d, chosen, p->name, view)) {
        return;
    }
    const int out = open_output(d, p, ".out");
    const int err = open_output(d, p, ".err");
    fflush(stdout);
    p->pid = out < 0 || err < 0 ? -1 : fork();
    if (p->pid == 0) {
        const struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        dup2(out, STDOUT_FILENO);
        dup2(err, STDERR_FILENO);
        use_view(d, chosen, view);
        execl("/proc/self/exe", "plait", DRIVERS_PROBE_OPTION, library, (char *)NULL);
        _exit(127);
    }
    p->ended = p->pid < 0;
    if (out >= 0) {
        close(out);
    }
    if (err >= 0) {
        close(err);
    }
}

static void probe_wait(probe *probes, size_t n)
{
    const struct timespec nap = {0, 5 * 1000 * 1000};
    struct timespec start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (;;) {
        size_t running = 0;
        clock_gettime(CLOCK_MONOTONIC, &now);
        for (size_t i = 0; i < n; i++) {
            probe *p = &probes[i];
            if (p->ended) {
                continue;
            }
            if (now.tv_sec - start.tv_sec > SECONDS_ALLOWED) {
                p->timed_out = true;
                kill(p->pid, SIGKILL);
            }
            p->ended = waitpid(p->pid, &p->status, p->timed_out ? 0 : WNOHANG) == p->pid;
            running += p->ended ? 0 : 1;
        }
        if (running == 0) {
            return;
        }
        nanosleep(&nap, NULL);
    }
}

/* The first line, that is not blank, of what the child wrote; "" if there is none. */
static void first_line(const drivers *d, const probe *p, const char *suffix, char *out, int size)
{
    char path[PATH_MAX];
    output_path(d, p, suffix, path);
    out[0] = '\0';
    FILE *f = fopen(path, "r");
    while (f != NULL && out[0] == '\0' && fgets(out, size, f) != NULL) {
        out[strcspn(out, "\r\n")] = '\0';
    }
    if (f != NULL) {
        fclose(f);
    }
}

static bool survived(const probe *p)
{
    return !p->timed_out && WIFEXITED(p->status) && WEXITSTATUS(p->status) == 0;
}

/* How the child ended, and the first thing that it said, which is mostly the reason. */
static void describe_end(const drivers *d, const probe *p, char *out, size_t size)
{
    char said[300];
    first_line(d, p, ".err", said, (int)sizeof(said));
    const char *colon = said[0] != '\0' ? ": " : "";
    if (p->timed_out) {
        snprintf(out, size, "it does not answer within %d seconds%s%s", SECONDS_ALLOWED, colon, said);
    } else if (WIFSIGNALED(p->status)) {
        snprintf(out, size, "it ends the process with signal %d (%s)%s%s", WTERMSIG(p->status),
                 strsignal(WTERMSIG(p->status)), colon, said);
    } else {
        snprintf(out, size, "it ends the process with exit status %d%s%s", WEXITSTATUS(p->status), colon, said);
    }
}

static void take_result(const drivers *d, const probe *p, driver *one)
{
    if (!survived(p)) {
        one->state = DRIVER_CRASHES;
        describe_end(d, p, one->detail, sizeof(one->detail));
        return;
    }
    char line[512];
    int used = 0;
    first_line(d, p, ".out", line, (int)sizeof(line));
    if (sscanf(line, "%zu %zu %d %n", &one->platforms, &one->devices, &one->best, &used) < 3) {
        one->state = DRIVER_CRASHES;
        snprintf(one->detail, sizeof(one->detail), "its list of devices could not be read");
        return;
    }
    one->state = one->platforms > 0 ? DRIVER_OK : DRIVER_SILENT;
    snprintf(one->detail, sizeof(one->detail), "%s", line + used);
}

/* Whether the chosen drivers survive in one process. */
static bool work_together(drivers *d, const bool *chosen, size_t attempt, char *why, size_t size)
{
    probe p = {0};
    snprintf(p.name, sizeof(p.name), "together%zu", attempt);
    probe_start(d, &p, chosen, "");
    probe_wait(&p, 1);
    if (!survived(&p)) {
        describe_end(d, &p, why, size);
    }
    return survived(&p);
}

/* The best devices first; among equals the order of the files. */
static size_t next_best(const drivers *d, const bool *tried)
{
    size_t best = d->n;
    for (size_t i = 0; i < d->n; i++) {
        if (!tried[i] && (best == d->n || d->items[i].best < d->items[best].best)) {
            best = i;
        }
    }
    return best;
}

/* Finds the drivers that end a process only together with others: adds one at a time, the best first. */
static void find_conflicts(drivers *d, bool *chosen, bool *tried)
{
    size_t healthy = 0;
    for (size_t i = 0; i < d->n; i++) {
        chosen[i] = d->items[i].state != DRIVER_CRASHES;
        tried[i] = !chosen[i];
        healthy += chosen[i] ? 1 : 0;
    }
    char why[400];
    if (healthy < 2 || work_together(d, chosen, 0, why, sizeof(why))) {
        return;
    }
    memset(chosen, 0, d->n * sizeof(bool));
    for (size_t step = 1; step <= healthy; step++) {
        const size_t i = next_best(d, tried);
        tried[i] = true;
        chosen[i] = true;
        if (step > 1 && !work_together(d, chosen, step, why, sizeof(why))) {
            chosen[i] = false;
            d->items[i].state = DRIVER_CONFLICT;
            snprintf(d->items[i].detail, sizeof(d->items[i].detail),
                     "works alone, but together with the drivers above it %s", why + strlen("it "));
        }
    }
}

static bool probe_each(drivers *d)
{
    probe *probes = calloc(d->n, sizeof(probe));
    bool *chosen = calloc(d->n, sizeof(bool));
    bool *tried = calloc(d->n, sizeof(bool));
    const bool ok = probes != NULL && chosen != NULL && tried != NULL;
    if (ok) {
        for (size_t i = 0; i < d->n; i++) {
            snprintf(probes[i].name, sizeof(probes[i].name), "driver%zu", i);
            chosen[i] = true;
            probe_start(d, &probes[i], chosen, d->items[i].library);
            chosen[i] = false;
        }
        probe_wait(probes, d->n);
        for (size_t i = 0; i < d->n; i++) {
            take_result(d, &probes[i], &d->items[i]);
        }
        find_conflicts(d, chosen, tried);
    }
    free(probes);
    free(chosen);
    free(tried);
    return ok;
}

bool drivers_probe(drivers *out)
{
    *out = (drivers){0};
    const char *tmp = getenv("TMPDIR");
    const size_t length = (size_t)snprintf(out->folder, sizeof(out->folder), "%s/plait-XXXXXX",
                                           tmp != NULL && strlen(tmp) < 40 && tmp[0] == '/' ? tmp : "/tmp");
    if (!find(out)) {
        out->folder[0] = '\0';
        tool_fail(TOOL_FAILED, "out of memory");
        return false;
    }
    if (length >= sizeof(out->folder) || mkdtemp(out->folder) == NULL) {
        tool_fail(TOOL_FAILED, "no temporary folder %s can be made: %s", out->folder, strerror(errno));
        out->folder[0] = '\0';
        return false;
    }
    if (out->n > 0 && !probe_each(out)) {
        tool_fail(TOOL_FAILED, "out of memory");
        return false;
    }
    return true;
}

void drivers_restrict(drivers *d)
{
    bool *chosen = calloc(d->n + 1, sizeof(bool));
    size_t healthy = 0;
    char view[PATH_MAX];
    for (size_t i = 0; chosen != NULL && i < d->n; i++) {
        chosen[i] = d->items[i].state == DRIVER_OK || d->items[i].state == DRIVER_SILENT;
        healthy += chosen[i] ? 1 : 0;
    }
    if (chosen != NULL && healthy < d->n && make_view(d, chosen, "healthy", view)) {
        use_view(d, chosen, view);
        d->restricted = true;
    }
    free(chosen);
}

/* ---- the end ---- */

static void remove_folder(const char *path)
{
    DIR *folder = opendir(path);
    for (struct dirent *entry = folder == NULL ? NULL : readdir(folder); entry != NULL; entry = readdir(folder)) {
        char inside[PATH_MAX];
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            (size_t)snprintf(inside, sizeof(inside), "%s/%s", path, entry->d_name) < sizeof(inside)) {
            struct stat about;
            if (lstat(inside, &about) == 0 && S_ISDIR(about.st_mode)) {
                remove_folder(inside);
            } else {
                unlink(inside);
            }
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
    rmdir(path);
}

void drivers_free(drivers *d)
{
    for (size_t i = 0; i < d->n; i++) {
        free(d->items[i].file);
        free(d->items[i].library);
    }
    free(d->items);
    free(d->vendors);
    if (d->folder[0] != '\0') {
        remove_folder(d->folder);
    }
    *d = (drivers){0};
}

/* ---- the child ---- */

tool_exit drivers_probe_child(const char *library)
{
    plait_device_list *list;
    if (plait_device_list_create(&list)) {
        return tool_fail_plait();
    }
    int best = NO_DEVICE_RANK;
    for (size_t i = 0; i < plait_device_list_count(list); i++) {
        const int type = (int)plait_device_list_get(list, i)->type;
        best = type < best ? type : best;
    }
    const size_t platforms = plait_device_list_platform_count(list);
    const char *problem = "";
    if (platforms == 0 && library[0] != '\0' && dlopen(library, RTLD_NOW | RTLD_LOCAL) == NULL) {
        problem = dlerror();
    }
    printf("%zu %zu %d %s\n", platforms, plait_device_list_count(list), best, problem);
    fflush(stdout);
    /* No exit handlers: what a driver does at exit is not what was asked. */
    _exit(0);
}
