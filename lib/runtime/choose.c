#include "choose.h"

#include "error.h"
#include "number.h"
#include "quirks.h"

#include <assert.h>
#include <string.h>

const char *plait__device_type_text(plait_device_type type)
{
    switch (type) {
    case PLAIT_DEVICE_GPU_DISCRETE:
        return "discrete GPU";
    case PLAIT_DEVICE_GPU_INTEGRATED:
        return "integrated GPU";
    case PLAIT_DEVICE_ACCELERATOR:
        return "accelerator";
    case PLAIT_DEVICE_CPU:
        return "CPU";
    case PLAIT_DEVICE_EMULATOR:
        return "emulator";
    }
    return "?";
}

static bool too_old(const plait_device_info *d)
{
    return d->opencl_major < 1 || (d->opencl_major == 1 && d->opencl_minor < 2);
}

/*
 * Compute units of different vendors do not compare, memory roughly does: classes are powers of two with borders at 2/3
 * of a power, where no card's memory lies, so that two drivers' slightly different figures for one card are one class.
 */
static int memory_class(const plait_device_info *d)
{
    uint64_t scaled = d->global_memory / 2 * 3;
    int class = 0;
    while (scaled >>= 1) {
        class ++;
    }
    return class;
}

/* One card under two platforms: its vendor's own driver is the one that is kept up. */
static int native(const plait_device_info *d)
{
    static const char *const vendors[][3] = {
        /* device's vendor, platform's name, another spelling of it */
        {"nvidia", "nvidia", "nvidia"},
        {"advanced micro devices", "amd", "advanced micro devices"},
        {"amd", "amd", "advanced micro devices"},
        {"intel", "intel", "intel"},
        {"apple", "apple", "apple"},
        {"arm", "arm platform", "mali"},
        {"qualcomm", "qualcomm", "snapdragon"},
    };
    for (size_t i = 0; i < sizeof vendors / sizeof *vendors; i++) {
        if (plait__contains_nocase(d->vendor, vendors[i][0]) &&
            (plait__contains_nocase(d->platform_name, vendors[i][1]) ||
             plait__contains_nocase(d->platform_name, vendors[i][2]))) {
            return 1;
        }
    }
    return 0;
}

/* Negative if a is the better one. 0 only for devices that nothing tells apart, so the order of listing decides nothing
 * else. */
static int compare(const plait_device_info *a, const plait_device_info *b)
{
#define FIRST_IF_LARGER(x, y)                                                                                          \
    if ((x) != (y)) {                                                                                                  \
        return (x) > (y) ? -1 : 1;                                                                                     \
    }
    FIRST_IF_LARGER(b->type, a->type)
    bool gpu = a->type == PLAIT_DEVICE_GPU_DISCRETE || a->type == PLAIT_DEVICE_GPU_INTEGRATED;
    if (gpu) {
        FIRST_IF_LARGER(memory_class(a), memory_class(b))
        FIRST_IF_LARGER(native(a), native(b))
    } else {
        FIRST_IF_LARGER(a->fp64, b->fp64)
    }
    uint64_t speed_a = (uint64_t)a->compute_units * a->clock_mhz, speed_b = (uint64_t)b->compute_units * b->clock_mhz;
    FIRST_IF_LARGER(speed_a, speed_b)
    FIRST_IF_LARGER(a->fp64, b->fp64)
    FIRST_IF_LARGER(a->opencl_major * 100 + a->opencl_minor, b->opencl_major * 100 + b->opencl_minor)
    FIRST_IF_LARGER(a->global_memory, b->global_memory)
#undef FIRST_IF_LARGER
    int by_name = strcmp(a->platform_name, b->platform_name);
    return by_name != 0 ? by_name : strcmp(a->name, b->name);
}

static plait_status fail_listing(const char *function, const plait_device_info *devices, size_t n, const char *advice,
                                 const char *what)
{
    if (n == 0) {
        return plait__fail(PLAIT_E_NO_DEVICE, "%s: %s. %s", function, what, advice);
    }
    plait__strbuf list = {0};
    for (size_t i = 0; i < n; i++) {
        plait__strbuf_printf(&list, "%s[%zu] %s (%s, %s%s)", i == 0 ? "" : ", ", i, devices[i].name,
                             plait__device_type_text(devices[i].type), devices[i].platform_name,
                             too_old(&devices[i]) ? ", too old: below OpenCL 1.2" : "");
    }
    plait_status status = list.status != PLAIT_OK ? list.status
                                                  : plait__fail(PLAIT_E_NO_DEVICE, "%s: %s; there are: %s", function,
                                                                what, plait__strbuf_text(&list));
    plait__strbuf_free(&list);
    return status;
}

typedef enum match_kind { ANY, BY_INDEX, BY_PLATFORM, BY_TYPE, BY_NAME } match_kind;

typedef struct match {
    match_kind kind;
    const char *text;
    uint64_t index, platform;
    bool gpu; /* BY_TYPE: else cpu */
} match;

static bool equal_nocase(const char *a, const char *b)
{
    return strlen(a) == strlen(b) && plait__contains_nocase(a, b);
}

static match parse(const char *wanted)
{
    match m = {.kind = ANY, .text = wanted};
    if (wanted == NULL || *wanted == 0) {
        return m;
    }
    const char *colon = strchr(wanted, ':');
    size_t head = colon == NULL ? 0 : (size_t)(colon - wanted);
    if (plait__parse_u64(&m.index, wanted, UINT64_MAX)) {
        m.kind = BY_INDEX;
    } else if (head > 0 && plait__scan_u64(&m.platform, wanted, head, UINT64_MAX) == head &&
               plait__parse_u64(&m.index, colon + 1, UINT64_MAX)) {
        m.kind = BY_PLATFORM;
    } else if (equal_nocase(wanted, "gpu") || equal_nocase(wanted, "cpu")) {
        m.kind = BY_TYPE;
        m.gpu = equal_nocase(wanted, "gpu");
    } else {
        m.kind = BY_NAME;
    }
    return m;
}

static bool matches(const match *m, const plait_device_info *d, size_t index)
{
    switch (m->kind) {
    case ANY:
        return d->type != PLAIT_DEVICE_EMULATOR;
    case BY_INDEX:
        return index == m->index;
    case BY_PLATFORM:
        return d->platform == m->platform && d->platform_device == m->index;
    case BY_TYPE:
        return m->gpu ? d->type == PLAIT_DEVICE_GPU_DISCRETE || d->type == PLAIT_DEVICE_GPU_INTEGRATED
                      : d->type == PLAIT_DEVICE_CPU;
    case BY_NAME:
        return plait__contains_nocase(d->name, m->text) || plait__contains_nocase(d->platform_name, m->text);
    }
    return false;
}

plait_status plait__choose(const char *function, const plait_device_info *devices, size_t n, const char *wanted,
                           const char *origin, const char *advice, size_t *index, plait__strbuf *why)
{
    match m = parse(wanted);
    size_t best = n, n_matches = 0;
    bool only_old = false;
    for (size_t i = 0; i < n; i++) {
        if (!matches(&m, &devices[i], i)) {
            continue;
        }
        if (too_old(&devices[i])) {
            only_old = n_matches == 0;
            continue;
        }
        only_old = false;
        n_matches++;
        if (best == n || compare(&devices[i], &devices[best]) < 0) {
            best = i;
        }
    }
    if (best == n) {
        plait__strbuf what = {0};
        if (m.kind == ANY) {
            plait__strbuf_add(&what, n == 0     ? "there is no OpenCL device"
                                     : only_old ? "no device has OpenCL 1.2"
                                                : "only emulators were found, and one is used only when it is asked "
                                                  "for (PLAIT_DEVICE)");
        } else {
            plait__strbuf_printf(&what, "%s=\"%s\" %s", origin, wanted,
                                 only_old ? "means a device that is too old: OpenCL 1.2 is needed"
                                          : "matches no device");
        }
        plait_status status = what.status;
        if (status == PLAIT_OK) {
            status = fail_listing(function, devices, n, advice, plait__strbuf_text(&what));
        }
        plait__strbuf_free(&what);
        return status;
    }
    *index = best;
    if (why != NULL) {
        const char *type = plait__device_type_text(devices[best].type);
        if (m.kind == BY_INDEX || m.kind == BY_PLATFORM) {
            plait__strbuf_printf(why, "%s=\"%s\" names it", origin, wanted);
        } else if (m.kind != ANY) {
            plait__strbuf_printf(why, n_matches == 1 ? "the only match of %s=\"%s\"" : "the best match of %s=\"%s\"",
                                 origin, wanted);
        } else if (n == 1) {
            plait__strbuf_add(why, "the only device");
        } else {
            plait__strbuf_printf(why, "the best of %zu devices: a %s; %s", n, type,
                                 "discrete GPUs come before integrated GPUs, other accelerators and CPUs");
        }
        return why->status;
    }
    return PLAIT_OK;
}
