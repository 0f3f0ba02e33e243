#include "kernel.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "error.h"
#include "strbuf.h"

/* ---- cl_kernel objects ---- */

cl_kernel plait__kernel_take(plait_program *program, plait__kernel_slot *slot, const char *function)
{
    for (size_t i = 0; i < PLAIT__SPARE_KERNELS; i++) {
        if (atomic_load_explicit(&slot->spare[i], memory_order_relaxed) != NULL) {
            cl_kernel kernel = atomic_exchange_explicit(&slot->spare[i], NULL, memory_order_acq_rel);
            if (kernel != NULL) {
                return kernel;
            }
        }
    }
    cl_int code;
    cl_kernel kernel = plait__kernel_make(program, slot->signature->name, &code);
    if (kernel == NULL || code != CL_SUCCESS) {
        plait__cl_fail(program->ctx, code, function, "another instance of the kernel %s cannot be made",
                       slot->signature->name);
        return NULL;
    }
    return kernel;
}

void plait__kernel_put(plait__kernel_slot *slot, cl_kernel kernel)
{
    for (size_t i = 0; i < PLAIT__SPARE_KERNELS; i++) {
        cl_kernel nothing = NULL;
        if (atomic_load_explicit(&slot->spare[i], memory_order_relaxed) == NULL &&
            atomic_compare_exchange_strong_explicit(&slot->spare[i], &nothing, kernel, memory_order_acq_rel,
                                                    memory_order_relaxed)) {
            return;
        }
    }
    clReleaseKernel(kernel);
}

/* ---- the handle ---- */

static plait_status no_such_kernel(const plait_program *program, const char *name)
{
    plait__strbuf list = {0};
    for (size_t i = 0; i < program->n_kernels; i++) {
        plait__strbuf_printf(&list, "%s%s", i > 0 ? ", " : "; there are: ", program->kernels[i].signature->name);
    }
    plait__fail(PLAIT_E_KERNEL, "plait_kernel_create: %s has no kernel \"%s\"%s", program->name, name,
                list.length > 0 ? plait__strbuf_text(&list) : "; it has none at all");
    plait__strbuf_free(&list);
    return PLAIT_E_KERNEL;
}

plait_status plait_kernel_create(plait_kernel **out, plait_program *program, const char *name)
{
    PLAIT__REQUIRE_ARG(out);
    *out = NULL;
    PLAIT__REQUIRE_ARG(program);
    PLAIT__REQUIRE_ARG(name);
    PLAIT__TRY(plait__ctx_check(program->ctx, __func__));
    for (size_t i = 0; i < program->n_kernels; i++) {
        if (strcmp(program->kernels[i].signature->name, name) == 0) {
            plait_kernel *kernel = plait__malloc(sizeof *kernel);
            if (kernel == NULL) {
                return PLAIT_E_NO_MEMORY;
            }
            plait__refs_init(&kernel->refs);
            kernel->program = plait_program_retain(program);
            kernel->slot = &program->kernels[i];
            *out = kernel;
            return PLAIT_OK;
        }
    }
    return no_such_kernel(program, name);
}

plait_kernel *plait_kernel_retain(plait_kernel *kernel)
{
    PLAIT__REQUIRE_ARG_PTR(kernel);
    plait__refs_up(&kernel->refs);
    return kernel;
}

void plait_kernel_release(plait_kernel *kernel)
{
    if (kernel != NULL && plait__refs_down(&kernel->refs)) {
        plait_program_release(kernel->program);
        free(kernel);
    }
}

const char *plait_kernel_name(const plait_kernel *kernel)
{
    PLAIT__REQUIRE_ARG_PTR(kernel);
    return kernel->slot->signature->name;
}

plait_ctx *plait_kernel_ctx(const plait_kernel *kernel)
{
    PLAIT__REQUIRE_ARG_PTR(kernel);
    return kernel->program->ctx;
}

size_t plait_kernel_param_count(const plait_kernel *kernel)
{
    return kernel != NULL ? kernel->slot->signature->n_params : 0;
}

plait_status plait_kernel_param(const plait_kernel *kernel, size_t index, plait_param *out)
{
    PLAIT__REQUIRE_ARG(out);
    *out = (plait_param){0};
    PLAIT__REQUIRE_ARG(kernel);
    const plait__signature *s = kernel->slot->signature;
    PLAIT__REQUIRE(index < s->n_params, PLAIT_E_RANGE,
                   "plait_kernel_param: index %zu; the kernel %s has %zu parameters", index, s->name, s->n_params);
    *out = s->params[index];
    return PLAIT_OK;
}

size_t plait_kernel_max_group(const plait_kernel *kernel)
{
    return kernel != NULL ? kernel->slot->max_group : 0;
}
