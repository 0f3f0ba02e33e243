#include "program.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "build_log.h"
#include "clock.h"
#include "disk_cache.h"
#include "error.h"
#include "program_table.h"
#include "quirks.h"
#include "strbuf.h"

#define ARGUMENT_INFO "-cl-kernel-arg-info"
#define FIRST_LAUNCH_LIMIT_NS ((uint64_t)2000000000)

static void add(atomic_uint_least64_t *counter, uint64_t n)
{
    atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}

/* ---- what the driver knows ---- */

static char *driver_log(cl_program cl, cl_device_id device)
{
    size_t size = 0;
    if (clGetProgramBuildInfo(cl, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) != CL_SUCCESS || size == 0) {
        return plait__strdup("");
    }
    char *log = plait__malloc(size + 1);
    if (log != NULL) {
        log[0] = 0;
        clGetProgramBuildInfo(cl, device, CL_PROGRAM_BUILD_LOG, size, log, NULL);
        log[size] = 0;
        size_t length = strlen(log);
        while (length > 0 && strchr(" \t\r\n", log[length - 1]) != NULL) {
            log[--length] = 0;
        }
    }
    return log;
}

/* A text from one of the clGet...Info functions; "" where the driver does not tell. */
static const char *kernel_text(char *text, size_t size, cl_kernel kernel, int argument, cl_uint what)
{
    size_t length = 0;
    cl_int code = argument < 0 ? clGetKernelInfo(kernel, what, size - 1, text, &length)
                               : clGetKernelArgInfo(kernel, (cl_uint)argument, what, size - 1, text, &length);
    text[code == CL_SUCCESS ? length : 0] = 0;
    return text;
}

static plait_param_kind kind_of(cl_kernel_arg_address_qualifier address, const char *type)
{
    static const char *const opaque[] = {"image", "read_only image", "write_only image", "read_write image", "sampler",
                                         "pipe"};
    for (size_t i = 0; i < sizeof opaque / sizeof *opaque; i++) {
        if (strncmp(type, opaque[i], strlen(opaque[i])) == 0) {
            return PLAIT_PARAM_OTHER; /* images count as global */
        }
    }
    switch (address) {
    case CL_KERNEL_ARG_ADDRESS_GLOBAL:
        return PLAIT_PARAM_GLOBAL;
    case CL_KERNEL_ARG_ADDRESS_CONSTANT:
        return PLAIT_PARAM_CONSTANT;
    case CL_KERNEL_ARG_ADDRESS_LOCAL:
        return PLAIT_PARAM_LOCAL;
    default:
        return PLAIT_PARAM_VALUE;
    }
}

#define RENAMED "_cl_" /* what goes in front of a kernel's name, see PLAIT__QUIRK_RENAMES_KERNELS */

cl_kernel plait__kernel_make(const plait_program *program, const char *name, cl_int *code)
{
    cl_kernel kernel = clCreateKernel(program->cl, name, code);
    if (kernel == NULL && (program->ctx->quirks & PLAIT__QUIRK_RENAMES_KERNELS) != 0) {
        plait__strbuf renamed = {0};
        plait__strbuf_printf(&renamed, RENAMED "%s", name);
        kernel = clCreateKernel(program->cl, plait__strbuf_text(&renamed), code);
        plait__strbuf_free(&renamed);
    }
    return kernel;
}

/* The encoded signature (signature.h) of one kernel, as far as the driver tells; no variants. */
static void describe_kernel(plait__strbuf *out, const plait_program *p, cl_kernel kernel)
{
    char name[1024], type[1024];
    cl_uint n = 0;
    clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof n, &n, NULL);
    const char *shown = kernel_text(name, sizeof name, kernel, -1, CL_KERNEL_FUNCTION_NAME);
    bool renamed =
        (p->ctx->quirks & PLAIT__QUIRK_RENAMES_KERNELS) != 0 && strncmp(shown, RENAMED, strlen(RENAMED)) == 0;
    plait__put_text(out, renamed ? shown + strlen(RENAMED) : shown);
    cl_kernel_arg_address_qualifier address;
    bool known = n == 0 || clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof address, &address,
                                              NULL) == CL_SUCCESS;
    plait__put_u8(out, known);
    plait__put_u32(out, n);
    for (cl_uint i = 0; i < n; i++) {
        kernel_text(type, sizeof type, kernel, (int)i, CL_KERNEL_ARG_TYPE_NAME);
        kernel_text(name, sizeof name, kernel, (int)i, CL_KERNEL_ARG_NAME);
        address = CL_KERNEL_ARG_ADDRESS_PRIVATE;
        cl_kernel_arg_type_qualifier qualifier = CL_KERNEL_ARG_TYPE_NONE;
        clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof address, &address, NULL);
        clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof qualifier, &qualifier, NULL);
        plait__put_u8(out, known ? (uint8_t)kind_of(address, type) : 0);
        plait__put_u8(out, (qualifier & CL_KERNEL_ARG_TYPE_CONST) != 0 || address == CL_KERNEL_ARG_ADDRESS_CONSTANT);
        plait__put_text(out, name);
        plait__put_text(out, type);
    }
    plait__put_u32(out, 0);
}

/* The rest of a slot, from a cl_kernel that becomes its first spare one. */
static void fill_slot(plait_program *p, plait__kernel_slot *slot, const plait__signature *signature, cl_kernel kernel)
{
    cl_device_id device = p->ctx->cl_device;
    size_t group = 0;
    cl_ulong local = 0;
    clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof group, &group, NULL);
    clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof slot->reqd_group,
                             slot->reqd_group, NULL);
    clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof local, &local, NULL);
    size_t limit = p->ctx->caps.max_group;
    slot->max_group = group == 0 || group > limit ? limit : group;
    slot->limited = group > limit;
    slot->local_bytes = local;
    slot->signature = signature;
    for (size_t i = 0; i < signature->n_variants; i++) {
        atomic_init(&slot->variants[i], signature->variants[i]);
    }
    atomic_init(&slot->finished, (1u << signature->n_variants) - 1);
    atomic_init(&slot->spare[0], kernel);
    add(&p->ctx->stats.kernels, 1);
}

/* ---- building ---- */

/* clBuildProgram, timed. The log goes to p->log in any case. */
static plait_status build(plait_program *p, const char *options, cl_int *code)
{
    uint64_t start = plait__now_ns();
    *code = clBuildProgram(p->cl, 1, &p->ctx->cl_device, options, NULL, NULL);
    add(&p->ctx->stats.build_ns, plait__now_ns() - start);
    free(p->log);
    p->log = driver_log(p->cl, p->ctx->cl_device);
    return p->log != NULL ? PLAIT_OK : PLAIT_E_NO_MEMORY;
}

/* All kernels of a built program, in the driver's order, with their signatures. */
static plait_status find_kernels(plait_program *p, const char *function)
{
    cl_uint n = 0;
    size_t n_names = 0;
    cl_int code = clGetProgramInfo(p->cl, CL_PROGRAM_NUM_KERNELS, sizeof n_names, &n_names, NULL);
    if (code == CL_SUCCESS && n_names > 0) {
        code = clCreateKernelsInProgram(p->cl, 0, NULL, &n);
    }
    if (code != CL_SUCCESS) {
        return plait__cl_fail(p->ctx, code, function, "%s was built, but its kernels cannot be listed", p->name);
    }
    cl_kernel *kernels = plait__calloc((size_t)n + 1, sizeof *kernels);
    p->kernels = plait__calloc((size_t)n + 1, sizeof *p->kernels);
    if (kernels == NULL || p->kernels == NULL) {
        free(kernels);
        return PLAIT_E_NO_MEMORY;
    }
    if (n > 0 && (code = clCreateKernelsInProgram(p->cl, n, kernels, NULL)) != CL_SUCCESS) {
        free(kernels);
        return plait__cl_fail(p->ctx, code, function, "%s was built, but its kernels cannot be made", p->name);
    }
    plait__strbuf encoded = {0};
    plait__put_u32(&encoded, n);
    for (cl_uint i = 0; i < n; i++) {
        describe_kernel(&encoded, p, kernels[i]);
    }
    plait_status status = encoded.status;
    if (status == PLAIT_OK && !plait__signatures_decode(&p->signatures, encoded.text, encoded.length)) {
        status = plait__fail(PLAIT_E_NO_MEMORY, "%s: no memory for the kernels of %s", function, p->name);
    }
    plait__strbuf_free(&encoded);
    for (cl_uint i = 0; i < n; i++) {
        if (status == PLAIT_OK) {
            fill_slot(p, &p->kernels[i], &p->signatures.kernels[i], kernels[i]);
        } else {
            clReleaseKernel(kernels[i]);
        }
    }
    p->n_kernels = status == PLAIT_OK ? n : 0;
    free(kernels);
    return status;
}

static plait_status compile(plait_program *p, const plait__program_spec *spec, const char *options, cl_int *code)
{
    p->cl = clCreateProgramWithSource(p->ctx->cl, 1, &(const char *){spec->source}, &spec->length, code);
    if (p->cl == NULL) {
        return plait__cl_fail(p->ctx, *code, spec->function, "the program %s cannot be made", spec->name);
    }
    return build(p, options, code);
}

static plait_status build_source(plait_program *p, const plait__program_spec *spec)
{
    cl_int code;
    add(&p->ctx->stats.source_builds, 1);
    PLAIT__TRY(compile(p, spec, p->options, &code));
    if (code == CL_BUILD_PROGRAM_FAILURE && (p->ctx->quirks & PLAIT__QUIRK_EMPTY_LISTS_SPOIL_INFO) != 0 &&
        strstr(p->log, "ptxas") != NULL) {
        clReleaseProgram(p->cl);
        PLAIT__TRY(compile(p, spec, p->options + strlen(ARGUMENT_INFO), &code));
    }
    p->log = plait__log_name_places(p->log, spec->source);
    if (p->log == NULL) {
        return PLAIT_E_NO_MEMORY;
    }
    if (code == CL_BUILD_PROGRAM_FAILURE || (code != CL_SUCCESS && p->log[0] != 0)) {
        return plait__fail(PLAIT_E_BUILD, "%s: %s does not compile for %s (options: %s):\n%s", spec->function,
                           spec->name, p->ctx->info.name, p->options,
                           p->log[0] != 0 ? p->log : "the compiler gives no reason");
    }
    if (code != CL_SUCCESS) {
        return plait__cl_fail(p->ctx, code, spec->function, "%s does not build with the options %s", spec->name,
                              p->options);
    }
    return find_kernels(p, spec->function);
}

/* False where the driver, or this function, does not accept the entry; what was made is taken away again. */
static bool load_entry(plait_program *p, const plait__cache_entry *entry)
{
    plait_ctx *ctx = p->ctx;
    cl_int code, accepted = CL_SUCCESS;
    const unsigned char *binary = entry->binary.data;
    uint64_t start = plait__now_ns();
    p->cl = clCreateProgramWithBinary(ctx->cl, 1, &ctx->cl_device, &entry->binary.size, &binary, &accepted, &code);
    add(&ctx->stats.build_ns, plait__now_ns() - start);
    bool good = p->cl != NULL && code == CL_SUCCESS && accepted == CL_SUCCESS &&
                build(p, p->options, &code) == PLAIT_OK && code == CL_SUCCESS &&
                plait__signatures_decode(&p->signatures, entry->signatures.data, entry->signatures.size);
    if (good) {
        p->kernels = plait__calloc(p->signatures.count + 1, sizeof *p->kernels);
        good = p->kernels != NULL;
    }
    if (good) {
        p->log[0] = 0; /* what a driver says about loading is not what a compiler says about the source */
    }
    for (size_t i = 0; good && i < p->signatures.count; i++) {
        const plait__signature *signature = &p->signatures.kernels[i];
        cl_kernel kernel = plait__kernel_make(p, signature->name, &code);
        cl_uint n = 0;
        good = kernel != NULL && code == CL_SUCCESS &&
               clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof n, &n, NULL) == CL_SUCCESS &&
               n == signature->n_params;
        if (good) {
            fill_slot(p, &p->kernels[i], signature, kernel);
            p->n_kernels = i + 1;
        } else if (kernel != NULL) {
            clReleaseKernel(kernel);
        }
    }
    return good;
}

/* Gives back the driver's objects and what describes them. */
static void drop_objects(plait_program *p)
{
    for (size_t k = 0; k < p->n_kernels; k++) {
        for (size_t i = 0; i < PLAIT__SPARE_KERNELS; i++) {
            cl_kernel kernel = atomic_load(&p->kernels[k].spare[i]);
            if (kernel != NULL) {
                clReleaseKernel(kernel);
            }
        }
        for (size_t i = 0; i < PLAIT__VARIANTS; i++) {
            cl_event event = atomic_load(&p->kernels[k].running[i]);
            if (event != NULL) {
                clReleaseEvent(event);
            }
        }
    }
    if (p->cl != NULL) {
        clReleaseProgram(p->cl);
    }
    free(p->kernels);
    plait__signatures_free(&p->signatures);
    free(p->log);
    p->cl = NULL;
    p->kernels = NULL;
    p->n_kernels = 0;
    p->log = NULL;
}

/* ---- the disk ---- */

/* The binary of `cl`, freed by the caller; NULL where the driver has none to give. */
static void *driver_binary(cl_program cl, size_t *size)
{
    *size = 0;
    if (clGetProgramInfo(cl, CL_PROGRAM_BINARY_SIZES, sizeof *size, size, NULL) != CL_SUCCESS || *size == 0) {
        return NULL;
    }
    unsigned char *binary = plait__try_malloc(*size);
    if (binary != NULL && clGetProgramInfo(cl, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL) != CL_SUCCESS) {
        free(binary);
        return NULL;
    }
    return binary;
}

/* Notes which of the first launches have ended. Only who saves the program comes here. */
static void note_ended(plait__kernel_slot *slot)
{
    for (unsigned v = 0; v < PLAIT__VARIANTS; v++) {
        cl_event event = atomic_exchange(&slot->running[v], NULL);
        cl_int state = CL_QUEUED;
        if (event == NULL) {
            continue;
        }
        clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
        if (state > CL_COMPLETE) {
            atomic_store(&slot->running[v], event);
        } else {
            atomic_fetch_or(&slot->finished, (state == CL_COMPLETE ? 1u : 0u) << v);
            clReleaseEvent(event);
        }
    }
}

/* The encoded signatures with the variants that are in the binary for sure: those that ran before it was taken. */
static void encode_signatures(plait__strbuf *out, plait_program *p)
{
    plait__put_u32(out, (uint32_t)p->n_kernels);
    for (size_t k = 0; k < p->n_kernels; k++) {
        const plait__signature *s = p->kernels[k].signature;
        plait__put_text(out, s->name);
        plait__put_u8(out, s->known);
        plait__put_u32(out, (uint32_t)s->n_params);
        for (size_t i = 0; i < s->n_params; i++) {
            plait__put_u8(out, (uint8_t)s->params[i].kind);
            plait__put_u8(out, s->params[i].is_const);
            plait__put_text(out, s->params[i].name);
            plait__put_text(out, s->params[i].type);
        }
        note_ended(&p->kernels[k]);
        unsigned finished = atomic_load(&p->kernels[k].finished);
        uint32_t n = 0;
        for (unsigned v = 0; v < PLAIT__VARIANTS; v++) {
            n += finished >> v & 1;
        }
        plait__put_u32(out, n);
        for (unsigned v = 0; v < PLAIT__VARIANTS; v++) {
            if ((finished >> v & 1) != 0) {
                plait__put_u64(out, atomic_load(&p->kernels[k].variants[v]));
            }
        }
    }
}

/* A second program from the same source, whose binary the driver has not composed yet; NULL if that fails. */
static cl_program build_twin(plait_program *p)
{
    const char *source = p->key + p->source_at;
    size_t length = p->key_length - p->source_at;
    cl_int code;
    uint64_t start = plait__now_ns();
    cl_program twin = clCreateProgramWithSource(p->ctx->cl, 1, &source, &length, &code);
    if (twin != NULL && clBuildProgram(twin, 1, &p->ctx->cl_device, p->options, NULL, NULL) != CL_SUCCESS) {
        clReleaseProgram(twin);
        twin = NULL;
    }
    add(&p->ctx->stats.build_ns, plait__now_ns() - start);
    return twin;
}

static void save_once(plait_program *p)
{
    plait__strbuf signatures = {0};
    encode_signatures(&signatures, p);
    cl_program twin = p->taken ? build_twin(p) : NULL;
    size_t size = 0;
    void *binary = twin != NULL || !p->taken ? driver_binary(twin != NULL ? twin : p->cl, &size) : NULL;
    p->taken = (p->ctx->quirks & PLAIT__QUIRK_BINARY_AFTER_LAUNCH) != 0;
    if (twin != NULL) {
        clReleaseProgram(twin);
    }
    if (binary != NULL && signatures.status == PLAIT_OK) {
        plait__disk_cache_store(
            p->cache,
            &(plait__cache_entry){{p->key, p->key_length}, {signatures.text, signatures.length}, {binary, size}});
    }
    plait__strbuf_free(&signatures);
    free(binary);
}

/* Whoever comes while another thread saves leaves it to that thread to save again. */
static void save(plait_program *p)
{
    if (p->key == NULL) {
        return;
    }
    plait__error before = plait__error_save();
    atomic_store(&p->unsaved, true);
    while (atomic_load(&p->unsaved) && !atomic_exchange(&p->saving, true)) {
        atomic_store(&p->unsaved, false);
        save_once(p);
        atomic_store(&p->saving, false);
    }
    plait__error_restore(&before);
}

static bool load(plait_program *p)
{
    void *memory;
    plait__cache_entry entry;
    plait__cache_result result = plait__disk_cache_load(p->cache, p->key, p->key_length, &memory, &entry);
    bool good = false;
    if (result == PLAIT__CACHE_FOUND) {
        plait__error before = plait__error_save();
        good = load_entry(p, &entry);
        plait__error_restore(&before);
        if (!good) {
            drop_objects(p);
        }
    }
    if (result == PLAIT__CACHE_DAMAGED || (result == PLAIT__CACHE_FOUND && !good)) {
        add(&p->ctx->stats.cache_rejects, 1);
        plait__ctx_log(p->ctx, PLAIT_LOG_INFO, "the cached binary of %s is %s; building it from source", p->name,
                       result == PLAIT__CACHE_FOUND ? "not accepted by the driver" : "damaged");
    }
    free(memory);
    return good;
}

/* ---- the object ---- */

static void destroy(plait_program *p)
{
    plait_ctx *ctx = p->ctx;
    drop_objects(p);
    plait__disk_cache_close(p->cache);
    plait__program_table_release(p->table);
    free(p->name);
    free(p->options);
    free(p->key);
    free(p);
    plait__ctx_release(ctx);
}

plait_status plait__program_make(plait_program **out, plait_ctx *ctx, const plait__program_spec *spec)
{
    *out = NULL;
    plait_program *p = plait__calloc(1, sizeof *p);
    if (p == NULL) {
        return PLAIT_E_NO_MEMORY;
    }
    plait__refs_init(&p->refs);
    atomic_init(&p->unsaved, false);
    atomic_init(&p->saving, false);
    p->ctx = plait__ctx_retain(ctx);
    p->table = plait__program_table_retain(ctx->programs);
    p->name = plait__strdup(spec->name);
    plait__strbuf options = {0};
    plait__strbuf_printf(&options, "%s%s%s", ARGUMENT_INFO, spec->options[0] != 0 ? " " : "", spec->options);
    p->options = plait__strbuf_take(&options);
    plait_status status = p->name != NULL && p->options != NULL ? PLAIT_OK : PLAIT_E_NO_MEMORY;
    if (status == PLAIT_OK && spec->keep && ctx->cache != NULL) {
        p->cache = plait__disk_cache_retain(ctx->cache);
        p->key = plait__disk_cache_key(p->cache, p->options, spec->source, spec->length, &p->key_length, &p->source_at);
        status = p->key != NULL ? PLAIT_OK : PLAIT_E_NO_MEMORY;
    }
    if (status == PLAIT_OK) {
        p->cached = p->key != NULL && load(p);
        if (p->cached) {
            p->taken = true;
            add(&ctx->stats.binary_loads, 1);
        } else {
            status = build_source(p, spec);
        }
    }
    if (status != PLAIT_OK) {
        destroy(p);
        return status;
    }
    if (!p->cached) {
        plait__ctx_log(ctx, PLAIT_LOG_INFO, "built %s from source%s%s", p->name, p->log[0] != 0 ? ":\n" : "", p->log);
        if ((ctx->quirks & PLAIT__QUIRK_BINARY_AFTER_LAUNCH) != 0) {
            atomic_store(&p->unsaved, p->key != NULL);
        } else {
            save(p);
        }
    }
    *out = p;
    return PLAIT_OK;
}

plait_program *plait_program_retain(plait_program *program)
{
    PLAIT__REQUIRE_ARG_PTR(program);
    plait__refs_up(&program->refs);
    return program;
}

void plait_program_release(plait_program *program)
{
    /* A forked child must not call the driver, nor wait for a lock that a thread of its parent's holds. */
    if (program == NULL || plait__ctx_out_of_reach(program->ctx) || !plait__refs_down(&program->refs)) {
        return;
    }
    if (program->in_table) {
        plait__program_table_forget(program->table, program);
    }
    if (!atomic_load(&program->ctx->closed)) {
        plait__program_settle(program);
    }
    destroy(program);
}

void plait__program_settle(plait_program *program)
{
    if (atomic_load(&program->unsaved) && !atomic_load(&program->ctx->lost)) {
        save(program);
    }
}

bool plait__program_retain_live(plait_program *program)
{
    size_t n = plait__refs_count(&program->refs);
    while (n > 0) {
        if (atomic_compare_exchange_weak(&program->refs.count, &n, n + 1)) {
            return true;
        }
    }
    return false;
}

const char *plait_program_log(const plait_program *program)
{
    return program != NULL ? program->log : "";
}

bool plait_program_cached(const plait_program *program)
{
    return program != NULL && program->cached;
}

size_t plait_program_kernel_count(const plait_program *program)
{
    return program != NULL ? program->n_kernels : 0;
}

const char *plait_program_kernel_name(const plait_program *program, size_t index)
{
    return program != NULL && index < program->n_kernels ? program->kernels[index].signature->name : NULL;
}

/* ---- launches that compile ---- */

int plait__kernel_new_variant(plait__kernel_slot *slot, uint32_t dims, const size_t *global, const size_t *group)
{
    /* As PoCL tells them apart: by the group and by whether the grid is narrower than 65,535 items. A group that the
     * driver chooses depends on the grid. */
    const size_t none[3] = {0, 0, 0};
    const size_t *by = group != NULL && group[0] != 0 ? group : none;
    uint64_t hash = dims;
    size_t widest = 0;
    for (uint32_t i = 0; i < dims; i++) {
        hash = hash * UINT64_C(0x9E3779B97F4A7C15) + (by == none ? global[i] : by[i]);
        widest = i < 2 && global[i] > widest ? global[i] : widest;
    }
    hash = hash * UINT64_C(0x9E3779B97F4A7C15) + (widest < 65535) + (by == none ? 2 : 0);
    hash += hash == 0;
    for (int i = 0; i < PLAIT__VARIANTS; i++) {
        uint_least64_t known = atomic_load_explicit(&slot->variants[i], memory_order_relaxed);
        if (known == 0 && atomic_compare_exchange_strong(&slot->variants[i], &known, hash)) {
            return i;
        }
        if (known == hash) {
            return -1;
        }
    }
    return -1;
}

void plait__program_launched(plait_program *program, plait__kernel_slot *slot, int variant, cl_command_queue queue,
                             cl_event event)
{
    clFlush(queue);
    clRetainEvent(event);
    atomic_store(&slot->running[variant], event);
    cl_int state = CL_QUEUED;
    uint64_t start = plait__now_ns();
    while (clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL) == CL_SUCCESS &&
           state > CL_COMPLETE && plait__now_ns() - start < FIRST_LAUNCH_LIMIT_NS) {
        plait__sleep_ns(200000);
    }
    if (state == CL_COMPLETE) {
        save(program);
    } else {
        atomic_store(&program->unsaved, true);
    }
}
