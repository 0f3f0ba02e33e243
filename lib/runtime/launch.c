#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "error.h"
#include "kernel.h"
#include "kernel_arg.h"
#include "number.h"
#include "quirks.h"

/* ---- the part that both launches share ---- */

/* Enqueues a kernel whose arguments are set. group is NULL where the driver chooses. */
static plait_status enqueue(plait_queue *queue, plait_kernel *kernel, cl_kernel cl, uint32_t dims, const size_t *global,
                            const size_t *group, plait_event **event, const char *function)
{
    plait_program *program = kernel->program;
    plait_ctx *ctx = program->ctx;
    plait__kernel_slot *slot = kernel->slot;
    int variant = -1;
    if ((ctx->quirks & PLAIT__QUIRK_BINARY_AFTER_LAUNCH) != 0 && program->key != NULL) {
        variant = plait__kernel_new_variant(slot, dims, global, group);
    }
    cl_command_queue cl_queue = plait__queue_cl(queue);
    cl_event done = NULL;
    cl_int code = clEnqueueNDRangeKernel(cl_queue, cl, dims, NULL, global, group, 0, NULL,
                                         event != NULL || variant >= 0 ? &done : NULL);
    if (code != CL_SUCCESS) {
        const char *name = slot->signature->name;
        if (code == CL_INVALID_WORK_GROUP_SIZE || code == CL_INVALID_WORK_ITEM_SIZE ||
            code == CL_INVALID_GLOBAL_WORK_SIZE) {
            return plait__fail(PLAIT_E_LAUNCH, "%s: the driver refuses the grid of %s: %s (%d)", function, name,
                               plait__cl_error_name(code), (int)code);
        }
        return plait__cl_fail(ctx, code, function, "the kernel %s cannot be enqueued", name);
    }
    atomic_fetch_add_explicit(&ctx->stats.launches, 1, memory_order_relaxed);
    if (variant >= 0) {
        plait__program_launched(program, slot, variant, cl_queue, done);
        if (event == NULL) {
            clReleaseEvent(done);
        }
    }
    return event != NULL ? plait__event_wrap(event, queue, done) : PLAIT_OK;
}

/* ---- without checks ---- */

plait_status plait__launch_raw(plait_queue *queue, plait_kernel *kernel, uint32_t dims, const size_t *global,
                               const size_t *group, const plait__raw_arg *args, size_t n_args, plait_event **event)
{
    assert(plait__queue_ctx(queue) == kernel->program->ctx && n_args == kernel->slot->signature->n_params);
    cl_kernel cl = plait__kernel_take(kernel->program, kernel->slot, __func__);
    if (cl == NULL) {
        return plait_last_status();
    }
    plait_status status = PLAIT_OK;
    for (cl_uint i = 0; i < n_args && status == PLAIT_OK; i++) {
        const plait__raw_arg *arg = &args[i];
        cl_int code;
        if (arg->size != 0) {
            code = clSetKernelArg(cl, i, arg->size, arg->value);
        } else if (arg->local_bytes != 0) {
            code = clSetKernelArg(cl, i, arg->local_bytes, NULL);
        } else {
            cl_mem memory = arg->buffer != NULL ? plait__buffer_use(arg->buffer, queue) : NULL;
            code = clSetKernelArg(cl, i, sizeof memory, &memory);
        }
        if (code != CL_SUCCESS) {
            status = plait__cl_fail(kernel->program->ctx, code, __func__, "argument %u of the kernel %s", (unsigned)i,
                                    kernel->slot->signature->name);
        }
    }
    if (status == PLAIT_OK) {
        status =
            enqueue(queue, kernel, cl, dims, global, group != NULL && group[0] != 0 ? group : NULL, event, __func__);
    }
    plait__kernel_put(kernel->slot, cl);
    return status;
}

/* ---- arguments ---- */

/* What is being launched, or checked for a launch to come. */
typedef struct call {
    const char *function; /* the public one */
    plait_kernel *kernel;
    const plait__signature *s; /* the kernel's */
    plait_queue *queue;        /* NULL: checked only */
    uint64_t local_used;
} call;

/* A failure about one argument: plait_launch_n: blur: argument 2 ("n", uint): ... */
PLAIT_PRINTF(4, 5)
static plait_status bad_argument(plait_status code, const call *c, size_t i, const char *format, ...)
{
    char text[600];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    const plait_param *p = &c->s->params[i];
    return c->s->known ? plait__fail(code, "%s: %s: argument %zu (\"%s\", %s): %s", c->function, c->s->name, i, p->name,
                                     p->type, text)
                       : plait__fail(code, "%s: %s: argument %zu: %s", c->function, c->s->name, i, text);
}

static plait_status wrong_kind(const call *c, size_t i, const char *given)
{
    plait_param_kind kind = c->s->params[i].kind;
    const char *wanted = kind == PLAIT_PARAM_VALUE      ? "a value"
                         : kind == PLAIT_PARAM_GLOBAL   ? "a buffer"
                         : kind == PLAIT_PARAM_CONSTANT ? "a buffer in constant memory"
                         : kind == PLAIT_PARAM_LOCAL    ? "local memory (PLAIT_LOCAL)"
                                                        : "an image, a sampler or a pipe, which cannot be passed yet";
    return bad_argument(PLAIT_E_KERNEL, c, i, "the parameter is %s; %s was given", wanted, given);
}

/* What goes to clSetKernelArg. */
typedef struct setting {
    size_t size;
    const void *value; /* NULL: local memory */
    union {
        cl_mem memory;
        unsigned char number[PLAIT__NUMBER_BYTES];
    } own;
} setting;

static plait_status set_buffer(const plait_arg *arg, const call *c, size_t i, setting *out)
{
    plait_param_kind kind = c->s->params[i].kind;
    if (c->queue == NULL) {
        return bad_argument(PLAIT_E_ARGUMENT, c, i,
                            "a buffer was given; what the kernel reads and writes must be arrays (PLAIT_IN, PLAIT_OUT, "
                            "PLAIT_INOUT)");
    }
    if (c->s->known && kind != PLAIT_PARAM_GLOBAL && kind != PLAIT_PARAM_CONSTANT) {
        return wrong_kind(c, i, "a buffer");
    }
    if (arg->pointer == NULL) {
        return bad_argument(PLAIT_E_NULL, c, i, "the buffer is NULL");
    }
    plait_buffer *buffer = (plait_buffer *)(uintptr_t)arg->pointer; /* plait_arg_buffer was given it without const */
    if (plait_buffer_ctx(buffer) != plait__queue_ctx(c->queue)) {
        return bad_argument(PLAIT_E_CONTEXT, c, i, "the buffer belongs to a context on %s, the queue to another, on %s",
                            plait_buffer_ctx(buffer)->info.name, plait__queue_ctx(c->queue)->info.name);
    }
    out->own.memory = plait__buffer_use(buffer, c->queue);
    out->size = sizeof out->own.memory;
    out->value = &out->own.memory;
    return PLAIT_OK;
}

/* c64 and c128 are two numbers, which kernels take as vectors. */
static bool scalar_fits(plait_dtype given, const plait_param *p)
{
    if (p->dtype != PLAIT_DTYPE_DEFAULT) {
        return given == p->dtype || (given == PLAIT_BOOL && p->dtype == PLAIT_U8);
    }
    return p->bytes == 0 || (given == PLAIT_C64 && strcmp(p->type, "float2") == 0) ||
           (given == PLAIT_C128 && strcmp(p->type, "double2") == 0);
}

static plait_status set_scalar(const plait_arg *arg, const call *c, size_t i, setting *out)
{
    plait_dtype dtype = (plait_dtype)arg->dtype;
    if (c->s->known && c->s->params[i].kind != PLAIT_PARAM_VALUE) {
        return wrong_kind(c, i, "a scalar");
    }
    if (c->s->known && !scalar_fits(dtype, &c->s->params[i])) {
        return bad_argument(PLAIT_E_KERNEL, c, i, "a scalar of dtype %s was given", plait_dtype_name(dtype));
    }
    out->size = arg->bytes;
    out->value = arg->value.raw;
    return PLAIT_OK;
}

static plait_status set_number(const plait_arg *arg, const call *c, size_t i, setting *out)
{
    const plait_param *p = &c->s->params[i];
    if (c->s->known && p->kind != PLAIT_PARAM_VALUE) {
        return wrong_kind(c, i, "a number");
    }
    if (p->dtype == PLAIT_DTYPE_DEFAULT) {
        return bad_argument(PLAIT_E_KERNEL, c, i,
                            "a number was given, but which type of number the parameter takes is not known; use "
                            "plait_arg_scalar or plait_arg_bytes");
    }
    if (!plait__number_convert(out->own.number, p->dtype, arg)) {
        char number[PLAIT__NUMBER_SIZE];
        if (arg->is_float) {
            plait__format_f64(number, arg->value.f);
        } else {
            snprintf(number, sizeof number, "%lld", (long long)arg->value.i);
        }
        return bad_argument(PLAIT_E_KERNEL, c, i, "the number %s would lose its value as %s", number,
                            plait_dtype_name(p->dtype));
    }
    out->size = plait_dtype_size(p->dtype);
    out->value = out->own.number;
    return PLAIT_OK;
}

static plait_status set_bytes(const plait_arg *arg, const call *c, size_t i, setting *out)
{
    const plait_param *p = &c->s->params[i];
    if (c->s->known && p->kind != PLAIT_PARAM_VALUE) {
        return wrong_kind(c, i, "a value");
    }
    if (arg->pointer == NULL) {
        return bad_argument(PLAIT_E_NULL, c, i, "the pointer to the value is NULL");
    }
    if (arg->bytes == 0 || (p->bytes != 0 && p->bytes != arg->bytes)) {
        return bad_argument(PLAIT_E_KERNEL, c, i, "a value of %zu bytes was given; the parameter has %zu", arg->bytes,
                            p->bytes);
    }
    out->size = arg->bytes;
    out->value = arg->pointer;
    return PLAIT_OK;
}

static plait_status set_local(const plait_arg *arg, call *c, size_t i, setting *out)
{
    size_t limit = c->kernel->program->ctx->caps.local_memory;
    if (c->s->known && c->s->params[i].kind != PLAIT_PARAM_LOCAL) {
        return wrong_kind(c, i, "local memory");
    }
    if (arg->bytes == 0) {
        return bad_argument(PLAIT_E_KERNEL, c, i, "0 bytes of local memory were given");
    }
    if (c->local_used > limit || arg->bytes > limit - c->local_used) {
        return bad_argument(PLAIT_E_LAUNCH, c, i,
                            "%zu bytes of local memory, with %llu in use already; the device has %zu", arg->bytes,
                            (unsigned long long)c->local_used, limit);
    }
    c->local_used += arg->bytes;
    out->size = arg->bytes;
    out->value = NULL;
    return PLAIT_OK;
}

/* An array, which a buffer will stand for at the launch. */
static plait_status check_array(const plait_arg *arg, const call *c, size_t i)
{
    const plait_param *p = &c->s->params[i];
    plait_dtype dtype = (plait_dtype)arg->dtype;
    if (c->queue != NULL) {
        return bad_argument(PLAIT_E_KERNEL, c, i, "an array was given; arrays are arguments of plait_call only");
    }
    if (!c->s->known) {
        return PLAIT_OK;
    }
    if (p->kind != PLAIT_PARAM_GLOBAL && p->kind != PLAIT_PARAM_CONSTANT) {
        return wrong_kind(c, i, "an array");
    }
    bool readable_only = p->is_const || p->kind == PLAIT_PARAM_CONSTANT;
    if (arg->kind == PLAIT_ARG_IN && !readable_only) {
        return bad_argument(PLAIT_E_KERNEL, c, i,
                            "PLAIT_IN was given, but the kernel may write here; declare the parameter const, or pass "
                            "PLAIT_INOUT");
    }
    if (arg->kind != PLAIT_ARG_IN && readable_only) {
        return bad_argument(PLAIT_E_KERNEL, c, i, "%s was given, but the kernel cannot write here",
                            arg->kind == PLAIT_ARG_OUT ? "PLAIT_OUT" : "PLAIT_INOUT");
    }
    if (p->dtype == PLAIT_DTYPE_DEFAULT) {
        /* A vector is so many of its element; of a struct nothing is known. */
        plait_dtype element = plait__cl_type_element(p->type);
        bool pairs = dtype == PLAIT_C64 && element == PLAIT_F32;
        if (element == PLAIT_DTYPE_DEFAULT || p->bytes == 0) {
            return PLAIT_OK;
        }
        if (dtype != element && !pairs) {
            return bad_argument(PLAIT_E_KERNEL, c, i, "an array of dtype %s was given", plait_dtype_name(dtype));
        }
        uint64_t bytes = (uint64_t)plait_shape_count(arg->shape) * plait_dtype_size(dtype);
        if (bytes % p->bytes != 0) {
            return bad_argument(PLAIT_E_KERNEL, c, i, "an array of %llu bytes was given, no multiple of %zu",
                                (unsigned long long)bytes, p->bytes);
        }
        return PLAIT_OK;
    }
    if (dtype != p->dtype && !(dtype == PLAIT_BOOL && p->dtype == PLAIT_U8)) {
        return bad_argument(PLAIT_E_KERNEL, c, i, "an array of dtype %s was given", plait_dtype_name(dtype));
    }
    return PLAIT_OK;
}

/* Checks one argument against its parameter. */
static plait_status check_argument(const plait_arg *arg, call *c, size_t i, setting *out)
{
    switch (arg->kind) {
    case PLAIT_ARG_BUFFER:
        return set_buffer(arg, c, i, out);
    case PLAIT_ARG_SCALAR:
        return set_scalar(arg, c, i, out);
    case PLAIT_ARG_NUMBER:
        return set_number(arg, c, i, out);
    case PLAIT_ARG_BYTES:
        return set_bytes(arg, c, i, out);
    case PLAIT_ARG_LOCAL:
        return set_local(arg, c, i, out);
    case PLAIT_ARG_IN:
    case PLAIT_ARG_OUT:
    case PLAIT_ARG_INOUT:
        return check_array(arg, c, i);
    default:
        return bad_argument(PLAIT_E_KERNEL, c, i, "the argument is empty (a scalar without a value or of no dtype?)");
    }
}

static plait_status set_argument(cl_kernel cl, const plait_arg *arg, call *c, size_t i)
{
    setting set;
    PLAIT__TRY(check_argument(arg, c, i, &set));
    cl_int code = clSetKernelArg(cl, (cl_uint)i, set.size, set.value);
    if (code == CL_INVALID_ARG_SIZE || code == CL_INVALID_ARG_VALUE || code == CL_INVALID_MEM_OBJECT) {
        return bad_argument(PLAIT_E_KERNEL, c, i, "the driver does not accept %zu bytes here: %s (%d)", set.size,
                            plait__cl_error_name(code), (int)code);
    }
    if (code != CL_SUCCESS) {
        return plait__cl_fail(c->kernel->program->ctx, code, c->function, "argument %zu of %s", i, c->s->name);
    }
    return PLAIT_OK;
}

static plait_status check_count(const call *c, size_t n_args)
{
    const plait__signature *s = c->s;
    if (n_args < s->n_params) {
        return bad_argument(PLAIT_E_KERNEL, c, n_args, "the argument is missing: %s takes %zu, %zu given", s->name,
                            s->n_params, n_args);
    }
    PLAIT__REQUIRE(n_args == s->n_params, PLAIT_E_KERNEL, "%s: %s takes %zu arguments, but %zu were given", c->function,
                   s->name, s->n_params, n_args);
    return PLAIT_OK;
}

/* ---- the grid ---- */

/* The group that was asked for, or the kernel's own required one. Rounds `global` up if that is wanted. */
static plait_status use_group(const plait_grid *grid, const call *c, const size_t *group, size_t *global)
{
    const char *function = c->function;
    const plait__kernel_slot *slot = c->kernel->slot;
    const plait_device_info *info = &c->kernel->program->ctx->info;
    const char *name = slot->signature->name;
    size_t items = 1;
    for (uint32_t d = 0; d < grid->dims; d++) {
        PLAIT__REQUIRE(group[d] > 0, PLAIT_E_LAUNCH, "%s: %s: the group's size in dimension %u is 0", function, name,
                       d);
        PLAIT__REQUIRE(
            slot->reqd_group[0] == 0 || group[d] == slot->reqd_group[d], PLAIT_E_LAUNCH,
            "%s: %s was compiled for groups of %zu x %zu x %zu (reqd_work_group_size); %zu given in dimension "
            "%u",
            function, name, slot->reqd_group[0], slot->reqd_group[1], slot->reqd_group[2], group[d], d);
        PLAIT__REQUIRE(group[d] <= info->max_group_sizes[d], PLAIT_E_LAUNCH,
                       "%s: %s: a group of %zu in dimension %u; the device allows %zu", function, name, group[d], d,
                       info->max_group_sizes[d]);
        PLAIT__REQUIRE(group[d] <= slot->max_group / items, PLAIT_E_LAUNCH,
                       "%s: %s: a group of %zu x %zu x %zu items; this kernel can have at most %zu on this device",
                       function, name, group[0], grid->dims > 1 ? group[1] : 1, grid->dims > 2 ? group[2] : 1,
                       slot->max_group);
        items *= group[d];
        size_t rest = global[d] % group[d];
        if (rest != 0) {
            size_t more = group[d] - rest;
            bool fits = more <= SIZE_MAX - global[d];
            PLAIT__REQUIRE(grid->round_up && fits, PLAIT_E_LAUNCH,
                           "%s: %s: the group of %zu does not divide the global size %zu in dimension %u; the next "
                           "multiple is %zu (plait_grid_round_up, if the kernel checks its bounds)",
                           function, name, group[d], global[d], d,
                           fits ? global[d] + more : SIZE_MAX / group[d] * group[d]);
            global[d] += more;
        }
    }
    return PLAIT_OK;
}

/* *group is NULL afterwards where the driver is to choose; else it points to `own` or into the kernel. */
static plait_status settle_grid(const plait_grid *grid, const call *c, size_t *global, size_t *own,
                                const size_t **group)
{
    const char *function = c->function;
    const plait__kernel_slot *slot = c->kernel->slot;
    plait_ctx *ctx = c->kernel->program->ctx;
    PLAIT__REQUIRE(grid->dims >= 1 && grid->dims <= 3, PLAIT_E_LAUNCH, "%s: %s: a grid has 1 to 3 dimensions", function,
                   slot->signature->name);
    for (uint32_t d = 0; d < 3; d++) {
        global[d] = d < grid->dims ? grid->global[d] : 1;
        own[d] = d < grid->dims && grid->group[0] != 0 ? grid->group[d] : 1;
    }
    PLAIT__REQUIRE(slot->local_bytes <= ctx->caps.local_memory, PLAIT_E_LAUNCH,
                   "%s: %s has %llu bytes of local variables; the device has %zu", function, slot->signature->name,
                   (unsigned long long)slot->local_bytes, ctx->caps.local_memory);
    if (grid->group[0] != 0 || slot->reqd_group[0] != 0) {
        *group = grid->group[0] != 0 ? own : slot->reqd_group;
        return use_group(grid, c, *group, global);
    }
    /* The largest usual size that fits and divides; with round_up, the largest that fits if none divides. */
    size_t rounded = 0;
    *group = own;
    for (size_t i = 0; i < 3; i++) {
        size_t size = ctx->caps.groups[i];
        if (size <= slot->max_group && size <= ctx->info.max_group_sizes[0]) {
            if (global[0] % size == 0) {
                own[0] = size;
                return PLAIT_OK;
            }
            rounded = rounded == 0 ? size : rounded;
        }
    }
    if (grid->round_up && rounded != 0) {
        own[0] = rounded;
        return use_group(grid, c, own, global);
    }
    if (!slot->limited) {
        *group = NULL;
    }
    return PLAIT_OK; /* a driver knows nothing of an emulated limit, so it must not choose: groups of 1 */
}

/* ---- the door ---- */

plait_status plait_launch_n(plait_queue *queue, plait_kernel *kernel, plait_grid grid, const plait_arg *args,
                            size_t n_args, plait_event **event)
{
    if (event != NULL) {
        *event = NULL;
    }
    PLAIT__REQUIRE_ARG(queue);
    PLAIT__REQUIRE_ARG(kernel);
    plait_ctx *ctx = kernel->program->ctx;
    PLAIT__TRY(plait__ctx_check(ctx, __func__));
    const plait__signature *s = kernel->slot->signature;
    PLAIT__REQUIRE(plait__queue_ctx(queue) == ctx, PLAIT_E_CONTEXT,
                   "%s: the kernel %s belongs to a context on %s, the queue to another, on %s", __func__, s->name,
                   ctx->info.name, plait__queue_ctx(queue)->info.name);
    PLAIT__REQUIRE(n_args == 0 || args != NULL, PLAIT_E_NULL, "%s: args is NULL, n_args is %zu", __func__, n_args);
    call c = {__func__, kernel, s, queue, kernel->slot->local_bytes};
    PLAIT__TRY(check_count(&c, n_args));
    size_t global[3], own[3];
    const size_t *group = NULL;
    PLAIT__TRY(settle_grid(&grid, &c, global, own, &group));
    cl_kernel cl = plait__kernel_take(kernel->program, kernel->slot, __func__);
    if (cl == NULL) {
        return plait_last_status();
    }
    plait_status status = PLAIT_OK;
    for (size_t i = 0; i < n_args && status == PLAIT_OK; i++) {
        status = set_argument(cl, &args[i], &c, i);
    }
    if (status == PLAIT_OK) {
        if (global[0] == 0 || global[1] == 0 || global[2] == 0) {
            status = event != NULL ? plait_queue_mark(queue, event) : PLAIT_OK;
        } else {
            status = enqueue(queue, kernel, cl, grid.dims, global, group, event, __func__);
        }
    }
    plait__kernel_put(kernel->slot, cl);
    return status;
}

plait_status plait__launch_check(plait_kernel *kernel, const plait_grid *grid, const plait_arg *args, size_t n_args,
                                 const char *function)
{
    call c = {function, kernel, kernel->slot->signature, NULL, kernel->slot->local_bytes};
    PLAIT__TRY(check_count(&c, n_args));
    size_t global[3], own[3];
    const size_t *group = NULL;
    PLAIT__TRY(settle_grid(grid, &c, global, own, &group));
    for (size_t i = 0; i < n_args; i++) {
        setting unused;
        PLAIT__TRY(check_argument(&args[i], &c, i, &unused));
    }
    return PLAIT_OK;
}
