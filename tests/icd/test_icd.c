/*
 * A tiny OpenCL driver for tests: one platform, one device whose memory is malloc'd, commands that run at once.
 *
 * The variable TEST_ICD_MODE is a list of words separated by commas:
 *
 *     crash               segfault when the platforms are listed
 *     crash-devices       segfault when the devices are listed
 *     no-devices          the platform has none
 *     device-error        listing them fails with CL_OUT_OF_HOST_MEMORY
 *     gpu, cpu            the device's type (an accelerator without either)
 *     refuse-binaries     clCreateProgramWithBinary gives CL_INVALID_BINARY
 *     platform=NAME       what the platform calls itself; likewise device=NAME, driver=VERSION, version=OpenCL 1.1
 *     memory=BYTES        clCreateBuffer fails above so much in all
 *     finish=CODE         clFinish returns the code, -36, say
 *
 * "Compiled" is any text without "#error": its kernels are found by their "kernel void NAME(ARGUMENTS)". A kernel
 * `fill_u32(global uint *out, uint value)` stores value in its work-items' elements, every other one does nothing.
 */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl_icd.h>

#include <ctype.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#define MAX_ARGS 16
#define MAX_KERNELS 16
#define MAGIC "TEST-ICD-BINARY\n"

static const cl_icd_dispatch dispatch;

/* Every object starts with the table that the loader calls through. */
#define OBJECT                                                                                                         \
    const cl_icd_dispatch *table;                                                                                      \
    int refs

struct _cl_platform_id {
    OBJECT;
};
struct _cl_device_id {
    OBJECT;
};
struct _cl_context {
    OBJECT;
};
struct _cl_command_queue {
    OBJECT;
    cl_context context;
};
struct _cl_mem {
    OBJECT;
    unsigned char *data;
    size_t size;
};
struct _cl_event {
    OBJECT;
    cl_command_queue queue;
};
typedef struct kernel_text {
    char name[64];
    char args[MAX_ARGS][96];
    cl_uint n_args;
} kernel_text;
struct _cl_program {
    OBJECT;
    cl_context context;
    char *text;
    char *log;
    bool built;
    kernel_text kernels[MAX_KERNELS];
    cl_uint n_kernels;
};
struct _cl_kernel {
    OBJECT;
    cl_program program;
    const kernel_text *text;
    unsigned char args[MAX_ARGS][16];
};

static struct _cl_platform_id platform = {&dispatch, 1};
static struct _cl_device_id device = {&dispatch, 1};
static pthread_mutex_t memory_lock = PTHREAD_MUTEX_INITIALIZER;
static size_t memory_in_use;

static void *object(size_t size)
{
    struct _cl_platform_id *o = calloc(1, size);
    if (o == NULL) {
        abort();
    }
    o->table = &dispatch;
    o->refs = 1;
    return o;
}

static void up(int *refs)
{
    __atomic_fetch_add(refs, 1, __ATOMIC_RELAXED);
}

static bool down(int *refs)
{
    return __atomic_fetch_sub(refs, 1, __ATOMIC_ACQ_REL) == 1;
}

/* ---- modes ---- */

/* The value after "NAME=" in `out`, or "" for a bare word; false if the mode does not have it. */
static bool mode(const char *name, char *out, size_t size)
{
    const char *at = getenv("TEST_ICD_MODE");
    size_t length = strlen(name);
    while (at != NULL && *at != 0) {
        size_t item = strcspn(at, ",");
        if (item >= length && memcmp(at, name, length) == 0 && (item == length || at[length] == '=')) {
            if (out != NULL) {
                snprintf(out, size, "%.*s", item > length ? (int)(item - length - 1) : 0,
                         at + length + (item > length ? 1 : 0));
            }
            return true;
        }
        at += item;
        at += *at == ',';
    }
    return false;
}

static bool is_mode(const char *name)
{
    return mode(name, NULL, 0);
}

static const char *mode_text(const char *name, const char *fallback, char *out, size_t size)
{
    return mode(name, out, size) ? out : fallback;
}

static long long mode_number(const char *name, long long fallback)
{
    char text[32];
    return mode(name, text, sizeof text) ? atoll(text) : fallback;
}

/* ---- answers to questions ---- */

static cl_int answer(const void *value, size_t size, size_t room, void *out, size_t *needed)
{
    if (needed != NULL) {
        *needed = size;
    }
    if (out != NULL) {
        if (room < size) {
            return CL_INVALID_VALUE;
        }
        memcpy(out, value, size);
    }
    return CL_SUCCESS;
}

#define ANSWER_TEXT(text) answer((text), strlen(text) + 1, size, value, needed)
#define ANSWER(type, x) answer(&(type){x}, sizeof(type), size, value, needed)

static cl_int CL_API_CALL get_platform_info(cl_platform_id p, cl_platform_info what, size_t size, void *value,
                                            size_t *needed)
{
    (void)p;
    char buffer[128];
    switch (what) {
    case CL_PLATFORM_PROFILE:
        return ANSWER_TEXT("FULL_PROFILE");
    case CL_PLATFORM_VERSION:
        return ANSWER_TEXT("OpenCL 1.2 test");
    case CL_PLATFORM_NAME:
        return ANSWER_TEXT(mode_text("platform", "Test ICD", buffer, sizeof buffer));
    case CL_PLATFORM_VENDOR:
        return ANSWER_TEXT("Plait's tests");
    case CL_PLATFORM_EXTENSIONS:
        return ANSWER_TEXT("cl_khr_icd");
    case CL_PLATFORM_ICD_SUFFIX_KHR:
        return ANSWER_TEXT("TEST");
    default:
        return CL_INVALID_VALUE;
    }
}

static cl_int CL_API_CALL get_platform_ids(cl_uint room, cl_platform_id *out, cl_uint *count)
{
    if (is_mode("crash")) {
        raise(SIGSEGV);
    }
    if (count != NULL) {
        *count = 1;
    }
    if (out != NULL && room > 0) {
        out[0] = &platform;
    }
    return CL_SUCCESS;
}

static cl_int CL_API_CALL get_device_ids(cl_platform_id p, cl_device_type type, cl_uint room, cl_device_id *out,
                                         cl_uint *count)
{
    (void)p;
    (void)type;
    if (is_mode("crash-devices")) {
        raise(SIGSEGV);
    }
    if (is_mode("no-devices")) {
        return CL_DEVICE_NOT_FOUND;
    }
    if (is_mode("device-error")) {
        return CL_OUT_OF_HOST_MEMORY;
    }
    if (count != NULL) {
        *count = 1;
    }
    if (out != NULL && room > 0) {
        out[0] = &device;
    }
    return CL_SUCCESS;
}

static cl_int CL_API_CALL get_device_info(cl_device_id d, cl_device_info what, size_t size, void *value, size_t *needed)
{
    (void)d;
    char buffer[128];
    switch (what) {
    case CL_DEVICE_TYPE:
        return ANSWER(cl_device_type, is_mode("gpu")   ? CL_DEVICE_TYPE_GPU
                                      : is_mode("cpu") ? CL_DEVICE_TYPE_CPU
                                                       : CL_DEVICE_TYPE_ACCELERATOR);
    case CL_DEVICE_NAME:
        return ANSWER_TEXT(mode_text("device", "Test device", buffer, sizeof buffer));
    case CL_DEVICE_VENDOR:
        return ANSWER_TEXT("Plait's tests");
    case CL_DEVICE_VERSION:
        return ANSWER_TEXT(mode_text("version", "OpenCL 1.2 test", buffer, sizeof buffer));
    case CL_DRIVER_VERSION:
        return ANSWER_TEXT(mode_text("driver", "1.0", buffer, sizeof buffer));
    case CL_DEVICE_OPENCL_C_VERSION:
        return ANSWER_TEXT("OpenCL C 1.2 ");
    case CL_DEVICE_EXTENSIONS:
        return ANSWER_TEXT("");
    case CL_DEVICE_AVAILABLE:
    case CL_DEVICE_COMPILER_AVAILABLE:
    case CL_DEVICE_LINKER_AVAILABLE:
        return ANSWER(cl_bool, CL_TRUE);
    case CL_DEVICE_MAX_COMPUTE_UNITS:
        return ANSWER(cl_uint, 4);
    case CL_DEVICE_MAX_CLOCK_FREQUENCY:
        return ANSWER(cl_uint, 1000);
    case CL_DEVICE_GLOBAL_MEM_SIZE:
        return ANSWER(cl_ulong, (cl_ulong)1 << 30);
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
        return ANSWER(cl_ulong, (cl_ulong)1 << 28);
    case CL_DEVICE_LOCAL_MEM_SIZE:
        return ANSWER(cl_ulong, 32768);
    case CL_DEVICE_MAX_PARAMETER_SIZE:
        return ANSWER(size_t, 1024);
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
        return ANSWER(size_t, 256);
    case CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS:
        return ANSWER(cl_uint, 3);
    case CL_DEVICE_MAX_WORK_ITEM_SIZES: {
        const size_t sizes[3] = {256, 256, 64};
        return answer(sizes, sizeof sizes, size, value, needed);
    }
    case CL_DEVICE_SINGLE_FP_CONFIG:
        return ANSWER(cl_device_fp_config, CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN);
    case CL_DEVICE_DOUBLE_FP_CONFIG:
        return ANSWER(cl_device_fp_config, 0);
    case CL_DEVICE_HOST_UNIFIED_MEMORY:
        return ANSWER(cl_bool, CL_FALSE);
    case CL_DEVICE_QUEUE_PROPERTIES:
        return ANSWER(cl_command_queue_properties, CL_QUEUE_PROFILING_ENABLE);
    default:
        return CL_INVALID_VALUE;
    }
}

/* ---- contexts, queues, memory ---- */

static cl_context CL_API_CALL create_context(const cl_context_properties *properties, cl_uint n,
                                             const cl_device_id *devices,
                                             void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
                                             void *user, cl_int *code)
{
    (void)properties, (void)n, (void)devices, (void)notify, (void)user;
    *code = CL_SUCCESS;
    return object(sizeof(struct _cl_context));
}

static cl_int CL_API_CALL release_context(cl_context c)
{
    if (down(&c->refs)) {
        free(c);
    }
    return CL_SUCCESS;
}

static cl_command_queue CL_API_CALL create_queue(cl_context c, cl_device_id d, cl_command_queue_properties properties,
                                                 cl_int *code)
{
    (void)d, (void)properties;
    cl_command_queue q = object(sizeof *q);
    up(&c->refs);
    q->context = c;
    *code = CL_SUCCESS;
    return q;
}

static cl_int CL_API_CALL release_queue(cl_command_queue q)
{
    if (down(&q->refs)) {
        release_context(q->context);
        free(q);
    }
    return CL_SUCCESS;
}

static cl_int CL_API_CALL flush(cl_command_queue q)
{
    (void)q;
    return CL_SUCCESS;
}

static cl_int CL_API_CALL finish(cl_command_queue q)
{
    (void)q;
    return (cl_int)mode_number("finish", CL_SUCCESS);
}

static cl_mem CL_API_CALL create_buffer(cl_context c, cl_mem_flags flags, size_t size, void *host, cl_int *code)
{
    (void)c, (void)flags, (void)host;
    size_t limit = (size_t)mode_number("memory", (long long)1 << 40);
    pthread_mutex_lock(&memory_lock);
    bool fits = size <= limit && memory_in_use <= limit - size;
    if (fits) {
        memory_in_use += size;
    }
    pthread_mutex_unlock(&memory_lock);
    if (!fits) {
        *code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
        return NULL;
    }
    cl_mem m = object(sizeof *m);
    m->data = object(size < sizeof(struct _cl_platform_id) ? sizeof(struct _cl_platform_id) : size);
    m->size = size;
    *code = CL_SUCCESS;
    return m;
}

static cl_int CL_API_CALL release_mem(cl_mem m)
{
    if (down(&m->refs)) {
        pthread_mutex_lock(&memory_lock);
        memory_in_use -= m->size;
        pthread_mutex_unlock(&memory_lock);
        free(m->data);
        free(m);
    }
    return CL_SUCCESS;
}

/* ---- events: all complete ---- */

static cl_int done(cl_command_queue q, cl_event *event)
{
    if (event != NULL) {
        cl_event e = object(sizeof *e);
        up(&q->refs);
        e->queue = q;
        *event = e;
    }
    return CL_SUCCESS;
}

static cl_int CL_API_CALL wait_for_events(cl_uint n, const cl_event *events)
{
    (void)n, (void)events;
    return CL_SUCCESS;
}

static cl_int CL_API_CALL get_event_info(cl_event e, cl_event_info what, size_t size, void *value, size_t *needed)
{
    switch (what) {
    case CL_EVENT_COMMAND_QUEUE:
        return ANSWER(cl_command_queue, e->queue);
    case CL_EVENT_COMMAND_EXECUTION_STATUS:
        return ANSWER(cl_int, CL_COMPLETE);
    default:
        return CL_INVALID_VALUE;
    }
}

static cl_int CL_API_CALL get_event_profiling_info(cl_event e, cl_profiling_info what, size_t size, void *value,
                                                   size_t *needed)
{
    (void)e;
    return ANSWER(cl_ulong, what - CL_PROFILING_COMMAND_QUEUED + 1);
}

static cl_int CL_API_CALL release_event(cl_event e)
{
    if (down(&e->refs)) {
        release_queue(e->queue);
        free(e);
    }
    return CL_SUCCESS;
}

static cl_int CL_API_CALL marker_or_barrier(cl_command_queue q, cl_uint n, const cl_event *events, cl_event *event)
{
    (void)n, (void)events;
    return done(q, event);
}

/* ---- copies ---- */

static bool inside(const struct _cl_mem *m, size_t offset, size_t size)
{
    return size > 0 && offset <= m->size && size <= m->size - offset;
}

static cl_int CL_API_CALL read_buffer(cl_command_queue q, cl_mem m, cl_bool blocking, size_t offset, size_t size,
                                      void *host, cl_uint n, const cl_event *events, cl_event *event)
{
    (void)blocking, (void)n, (void)events;
    if (!inside(m, offset, size)) {
        return CL_INVALID_VALUE;
    }
    memcpy(host, m->data + offset, size);
    return done(q, event);
}

static cl_int CL_API_CALL write_buffer(cl_command_queue q, cl_mem m, cl_bool blocking, size_t offset, size_t size,
                                       const void *host, cl_uint n, const cl_event *events, cl_event *event)
{
    (void)blocking, (void)n, (void)events;
    if (!inside(m, offset, size)) {
        return CL_INVALID_VALUE;
    }
    memcpy(m->data + offset, host, size);
    return done(q, event);
}

static cl_int CL_API_CALL copy_buffer(cl_command_queue q, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset,
                                      size_t size, cl_uint n, const cl_event *events, cl_event *event)
{
    (void)n, (void)events;
    if (!inside(from, from_offset, size) || !inside(to, to_offset, size)) {
        return CL_INVALID_VALUE;
    }
    memmove(to->data + to_offset, from->data + from_offset, size);
    return done(q, event);
}

static cl_int CL_API_CALL fill_buffer(cl_command_queue q, cl_mem m, const void *pattern, size_t pattern_size,
                                      size_t offset, size_t size, cl_uint n, const cl_event *events, cl_event *event)
{
    (void)n, (void)events;
    if (!inside(m, offset, size) || offset % pattern_size != 0 || size % pattern_size != 0) {
        return CL_INVALID_VALUE;
    }
    for (size_t i = 0; i < size; i += pattern_size) {
        memcpy(m->data + offset + i, pattern, pattern_size);
    }
    return done(q, event);
}

/* One for all three: rows are copied one by one. */
static cl_int move_rect(cl_command_queue q, unsigned char *to, const size_t *to_origin, size_t to_row, size_t to_slice,
                        const unsigned char *from, const size_t *from_origin, size_t from_row, size_t from_slice,
                        const size_t *region, cl_event *event)
{
    /* As strict as the specification: this is what other drivers refuse. */
    if (to_row < region[0] || from_row < region[0] || to_slice < region[1] * to_row || to_slice % to_row != 0 ||
        from_slice < region[1] * from_row || from_slice % from_row != 0) {
        return CL_INVALID_VALUE;
    }
    for (size_t z = 0; z < region[2]; z++) {
        for (size_t y = 0; y < region[1]; y++) {
            memmove(to + (z + to_origin[2]) * to_slice + (y + to_origin[1]) * to_row + to_origin[0],
                    from + (z + from_origin[2]) * from_slice + (y + from_origin[1]) * from_row + from_origin[0],
                    region[0]);
        }
    }
    return done(q, event);
}

static cl_int CL_API_CALL read_rect(cl_command_queue q, cl_mem m, cl_bool blocking, const size_t *origin,
                                    const size_t *host_origin, const size_t *region, size_t row, size_t slice,
                                    size_t host_row, size_t host_slice, void *host, cl_uint n, const cl_event *events,
                                    cl_event *event)
{
    (void)blocking, (void)n, (void)events;
    return move_rect(q, host, host_origin, host_row, host_slice, m->data, origin, row, slice, region, event);
}

static cl_int CL_API_CALL write_rect(cl_command_queue q, cl_mem m, cl_bool blocking, const size_t *origin,
                                     const size_t *host_origin, const size_t *region, size_t row, size_t slice,
                                     size_t host_row, size_t host_slice, const void *host, cl_uint n,
                                     const cl_event *events, cl_event *event)
{
    (void)blocking, (void)n, (void)events;
    return move_rect(q, m->data, origin, row, slice, host, host_origin, host_row, host_slice, region, event);
}

static cl_int CL_API_CALL copy_rect(cl_command_queue q, cl_mem from, cl_mem to, const size_t *from_origin,
                                    const size_t *to_origin, const size_t *region, size_t from_row, size_t from_slice,
                                    size_t to_row, size_t to_slice, cl_uint n, const cl_event *events, cl_event *event)
{
    (void)n, (void)events;
    if (from == to && (from_row != to_row || from_slice != to_slice)) {
        return CL_INVALID_VALUE;
    }
    return move_rect(q, to->data, to_origin, to_row, to_slice, from->data, from_origin, from_row, from_slice, region,
                     event);
}

/* ---- programs ---- */

/* Splits "kernel void NAME(a, b)" out of the text. */
static void find_kernels(cl_program p)
{
    p->n_kernels = 0;
    for (const char *at = p->text; (at = strstr(at, "kernel void ")) != NULL && p->n_kernels < MAX_KERNELS;) {
        kernel_text *k = &p->kernels[p->n_kernels];
        at += strlen("kernel void ");
        size_t name = strcspn(at, "( ");
        const char *open = strchr(at, '('), *close = open != NULL ? strchr(open, ')') : NULL;
        if (close == NULL || name >= sizeof k->name) {
            return;
        }
        snprintf(k->name, sizeof k->name, "%.*s", (int)name, at);
        k->n_args = 0;
        for (const char *arg = open + 1; arg < close && k->n_args < MAX_ARGS;) {
            while (isspace((unsigned char)*arg)) {
                arg++;
            }
            size_t length = strcspn(arg, ",)");
            if (length > 0) {
                snprintf(k->args[k->n_args++], sizeof k->args[0], "%.*s", (int)length, arg);
            }
            arg += length + 1;
        }
        p->n_kernels++;
        at = close;
    }
}

static cl_program new_program(cl_context c, const char *text, size_t length)
{
    cl_program p = object(sizeof *p);
    up(&c->refs);
    p->context = c;
    p->text = object(length + sizeof(struct _cl_platform_id));
    memcpy(p->text, text, length);
    p->text[length] = 0;
    return p;
}

static cl_program CL_API_CALL create_with_source(cl_context c, cl_uint n, const char **texts, const size_t *lengths,
                                                 cl_int *code)
{
    size_t total = 0;
    for (cl_uint i = 0; i < n; i++) {
        total += lengths != NULL && lengths[i] != 0 ? lengths[i] : strlen(texts[i]);
    }
    char *all = object(total + sizeof(struct _cl_platform_id));
    size_t at = 0;
    for (cl_uint i = 0; i < n; i++) {
        size_t length = lengths != NULL && lengths[i] != 0 ? lengths[i] : strlen(texts[i]);
        memcpy(all + at, texts[i], length);
        at += length;
    }
    cl_program p = new_program(c, all, total);
    free(all);
    *code = CL_SUCCESS;
    return p;
}

static cl_program CL_API_CALL create_with_binary(cl_context c, cl_uint n, const cl_device_id *devices,
                                                 const size_t *lengths, const unsigned char **binaries, cl_int *status,
                                                 cl_int *code)
{
    (void)n, (void)devices;
    size_t magic = strlen(MAGIC);
    bool good = !is_mode("refuse-binaries") && lengths[0] >= magic && memcmp(binaries[0], MAGIC, magic) == 0;
    cl_int result = good ? CL_SUCCESS : CL_INVALID_BINARY;
    if (status != NULL) {
        status[0] = result;
    }
    if (code != NULL) {
        *code = result;
    }
    return good ? new_program(c, (const char *)binaries[0] + magic, lengths[0] - magic) : NULL;
}

static cl_int CL_API_CALL retain_program(cl_program p)
{
    up(&p->refs);
    return CL_SUCCESS;
}

static cl_int CL_API_CALL release_program(cl_program p)
{
    if (down(&p->refs)) {
        release_context(p->context);
        free(p->text);
        free(p);
    }
    return CL_SUCCESS;
}

static cl_int CL_API_CALL build_program(cl_program p, cl_uint n, const cl_device_id *devices, const char *options,
                                        void(CL_CALLBACK *notify)(cl_program, void *), void *user)
{
    (void)n, (void)devices, (void)options, (void)notify, (void)user;
    p->built = strstr(p->text, "#error") == NULL;
    if (!p->built) {
        return CL_BUILD_PROGRAM_FAILURE;
    }
    find_kernels(p);
    return CL_SUCCESS;
}

static cl_int CL_API_CALL get_build_info(cl_program p, cl_device_id d, cl_program_build_info what, size_t size,
                                         void *value, size_t *needed)
{
    (void)d;
    switch (what) {
    case CL_PROGRAM_BUILD_STATUS:
        return ANSWER(cl_build_status, p->built ? CL_BUILD_SUCCESS : CL_BUILD_ERROR);
    case CL_PROGRAM_BUILD_LOG:
        return ANSWER_TEXT(p->built ? "" : "the text has an #error");
    default:
        return CL_INVALID_VALUE;
    }
}

static cl_int CL_API_CALL get_program_info(cl_program p, cl_program_info what, size_t size, void *value, size_t *needed)
{
    size_t magic = strlen(MAGIC), length = strlen(p->text);
    char names[MAX_KERNELS * 65] = "";
    switch (what) {
    case CL_PROGRAM_NUM_DEVICES:
        return ANSWER(cl_uint, 1);
    case CL_PROGRAM_DEVICES:
        return ANSWER(cl_device_id, &device);
    case CL_PROGRAM_BINARY_SIZES:
        return ANSWER(size_t, magic + length);
    case CL_PROGRAM_BINARIES:
        if (needed != NULL) {
            *needed = sizeof(unsigned char *);
        }
        if (value != NULL) {
            unsigned char *out = *(unsigned char **)value;
            memcpy(out, MAGIC, magic);
            memcpy(out + magic, p->text, length);
        }
        return CL_SUCCESS;
    case CL_PROGRAM_NUM_KERNELS:
        return ANSWER(size_t, p->n_kernels);
    case CL_PROGRAM_KERNEL_NAMES:
        for (cl_uint i = 0; i < p->n_kernels; i++) {
            strcat(names, i > 0 ? ";" : "");
            strcat(names, p->kernels[i].name);
        }
        return ANSWER_TEXT(names);
    default:
        return CL_INVALID_VALUE;
    }
}

/* ---- kernels ---- */

static cl_kernel new_kernel(cl_program p, const kernel_text *text)
{
    cl_kernel k = object(sizeof *k);
    retain_program(p);
    k->program = p;
    k->text = text;
    return k;
}

static cl_kernel CL_API_CALL create_kernel(cl_program p, const char *name, cl_int *code)
{
    for (cl_uint i = 0; i < p->n_kernels; i++) {
        if (strcmp(p->kernels[i].name, name) == 0) {
            *code = CL_SUCCESS;
            return new_kernel(p, &p->kernels[i]);
        }
    }
    *code = p->built ? CL_INVALID_KERNEL_NAME : CL_INVALID_PROGRAM_EXECUTABLE;
    return NULL;
}

static cl_int CL_API_CALL create_kernels(cl_program p, cl_uint room, cl_kernel *out, cl_uint *count)
{
    if (count != NULL) {
        *count = p->n_kernels;
    }
    for (cl_uint i = 0; out != NULL && i < p->n_kernels && i < room; i++) {
        out[i] = new_kernel(p, &p->kernels[i]);
    }
    return CL_SUCCESS;
}

static cl_int CL_API_CALL retain_kernel(cl_kernel k)
{
    up(&k->refs);
    return CL_SUCCESS;
}

static cl_int CL_API_CALL release_kernel(cl_kernel k)
{
    if (down(&k->refs)) {
        release_program(k->program);
        free(k);
    }
    return CL_SUCCESS;
}

static cl_int CL_API_CALL set_arg(cl_kernel k, cl_uint index, size_t size, const void *value)
{
    if (index >= k->text->n_args) {
        return CL_INVALID_ARG_INDEX;
    }
    if (value != NULL && size <= sizeof k->args[0]) {
        memcpy(k->args[index], value, size);
    }
    return CL_SUCCESS;
}

static cl_int CL_API_CALL get_kernel_info(cl_kernel k, cl_kernel_info what, size_t size, void *value, size_t *needed)
{
    switch (what) {
    case CL_KERNEL_FUNCTION_NAME:
        return ANSWER_TEXT(k->text->name);
    case CL_KERNEL_NUM_ARGS:
        return ANSWER(cl_uint, k->text->n_args);
    default:
        return CL_INVALID_VALUE;
    }
}

static cl_int CL_API_CALL get_group_info(cl_kernel k, cl_device_id d, cl_kernel_work_group_info what, size_t size,
                                         void *value, size_t *needed)
{
    (void)k, (void)d;
    switch (what) {
    case CL_KERNEL_WORK_GROUP_SIZE:
        return ANSWER(size_t, 256);
    case CL_KERNEL_COMPILE_WORK_GROUP_SIZE: {
        const size_t none[3] = {0, 0, 0};
        return answer(none, sizeof none, size, value, needed);
    }
    case CL_KERNEL_LOCAL_MEM_SIZE:
    case CL_KERNEL_PRIVATE_MEM_SIZE:
        return ANSWER(cl_ulong, 0);
    case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
        return ANSWER(size_t, 1);
    default:
        return CL_INVALID_VALUE;
    }
}

static bool has(const char *text, const char *word)
{
    return strstr(text, word) != NULL;
}

/* "global const float *x": the name is what follows the last blank or star, the type what the words before leave. */
static cl_int CL_API_CALL get_arg_info(cl_kernel k, cl_uint index, cl_kernel_arg_info what, size_t size, void *value,
                                       size_t *needed)
{
    if (index >= k->text->n_args) {
        return CL_INVALID_ARG_INDEX;
    }
    const char *text = k->text->args[index];
    const char *name = text + strlen(text);
    while (name > text && (isalnum((unsigned char)name[-1]) || name[-1] == '_')) {
        name--;
    }
    switch (what) {
    case CL_KERNEL_ARG_NAME:
        return ANSWER_TEXT(name);
    case CL_KERNEL_ARG_ADDRESS_QUALIFIER:
        return ANSWER(cl_kernel_arg_address_qualifier, has(text, "global ")     ? CL_KERNEL_ARG_ADDRESS_GLOBAL
                                                       : has(text, "local ")    ? CL_KERNEL_ARG_ADDRESS_LOCAL
                                                       : has(text, "constant ") ? CL_KERNEL_ARG_ADDRESS_CONSTANT
                                                                                : CL_KERNEL_ARG_ADDRESS_PRIVATE);
    case CL_KERNEL_ARG_ACCESS_QUALIFIER:
        return ANSWER(cl_kernel_arg_access_qualifier, CL_KERNEL_ARG_ACCESS_NONE);
    case CL_KERNEL_ARG_TYPE_QUALIFIER:
        return ANSWER(cl_kernel_arg_type_qualifier,
                      has(text, "const ") ? CL_KERNEL_ARG_TYPE_CONST : CL_KERNEL_ARG_TYPE_NONE);
    case CL_KERNEL_ARG_TYPE_NAME: {
        char type[96] = "";
        size_t length = 0;
        const char *at = text;
        while (at < name) {
            size_t word = strcspn(at, " *");
            bool skip = word == 0;
            const char *const qualifiers[] = {"global",   "__global",   "local", "__local",
                                              "constant", "__constant", "const", "restrict"};
            for (size_t i = 0; i < sizeof qualifiers / sizeof *qualifiers; i++) {
                skip = skip || (strlen(qualifiers[i]) == word && memcmp(at, qualifiers[i], word) == 0);
            }
            if (!skip && at + word <= name) {
                memcpy(type + length, at, word);
                length += word;
            }
            at += word + 1;
        }
        type[length] = 0;
        strcat(type, has(text, "*") ? "*" : "");
        return ANSWER_TEXT(type);
    }
    default:
        return CL_INVALID_VALUE;
    }
}

static cl_int CL_API_CALL launch(cl_command_queue q, cl_kernel k, cl_uint dims, const size_t *offset,
                                 const size_t *global, const size_t *local, cl_uint n, const cl_event *events,
                                 cl_event *event)
{
    (void)offset, (void)local, (void)n, (void)events;
    if (strcmp(k->text->name, "fill_u32") == 0) {
        cl_mem out;
        cl_uint value;
        memcpy(&out, k->args[0], sizeof out);
        memcpy(&value, k->args[1], sizeof value);
        size_t items = global[0] * (dims > 1 ? global[1] : 1) * (dims > 2 ? global[2] : 1);
        for (size_t i = 0; i < items && (i + 1) * sizeof value <= out->size; i++) {
            memcpy(out->data + i * sizeof value, &value, sizeof value);
        }
    }
    return done(q, event);
}

/* ---- the loader's way in ---- */

EXPORT void *CL_API_CALL clGetExtensionFunctionAddress(const char *name);

EXPORT void *CL_API_CALL clGetExtensionFunctionAddress(const char *name)
{
    union { /* ISO C has no cast from a function to an object pointer */
        void *object;
        cl_int(CL_API_CALL *ids)(cl_uint, cl_platform_id *, cl_uint *);
        cl_int(CL_API_CALL *info)(cl_platform_id, cl_platform_info, size_t, void *, size_t *);
    } address = {NULL};
    if (strcmp(name, "clIcdGetPlatformIDsKHR") == 0) {
        address.ids = get_platform_ids;
    } else if (strcmp(name, "clGetPlatformInfo") == 0) {
        address.info = get_platform_info;
    }
    return address.object;
}

static const cl_icd_dispatch dispatch = {
    .clGetPlatformIDs = get_platform_ids,
    .clGetPlatformInfo = get_platform_info,
    .clGetDeviceIDs = get_device_ids,
    .clGetDeviceInfo = get_device_info,
    .clCreateContext = create_context,
    .clReleaseContext = release_context,
    .clCreateCommandQueue = create_queue,
    .clReleaseCommandQueue = release_queue,
    .clFlush = flush,
    .clFinish = finish,
    .clCreateBuffer = create_buffer,
    .clReleaseMemObject = release_mem,
    .clWaitForEvents = wait_for_events,
    .clGetEventInfo = get_event_info,
    .clGetEventProfilingInfo = get_event_profiling_info,
    .clReleaseEvent = release_event,
    .clEnqueueMarkerWithWaitList = marker_or_barrier,
    .clEnqueueBarrierWithWaitList = marker_or_barrier,
    .clEnqueueReadBuffer = read_buffer,
    .clEnqueueWriteBuffer = write_buffer,
    .clEnqueueCopyBuffer = copy_buffer,
    .clEnqueueFillBuffer = fill_buffer,
    .clEnqueueReadBufferRect = read_rect,
    .clEnqueueWriteBufferRect = write_rect,
    .clEnqueueCopyBufferRect = copy_rect,
    .clCreateProgramWithSource = create_with_source,
    .clCreateProgramWithBinary = create_with_binary,
    .clRetainProgram = retain_program,
    .clReleaseProgram = release_program,
    .clBuildProgram = build_program,
    .clGetProgramBuildInfo = get_build_info,
    .clGetProgramInfo = get_program_info,
    .clCreateKernel = create_kernel,
    .clCreateKernelsInProgram = create_kernels,
    .clRetainKernel = retain_kernel,
    .clReleaseKernel = release_kernel,
    .clSetKernelArg = set_arg,
    .clGetKernelInfo = get_kernel_info,
    .clGetKernelWorkGroupInfo = get_group_info,
    .clGetKernelArgInfo = get_arg_info,
    .clEnqueueNDRangeKernel = launch,
};
