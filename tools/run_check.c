#include "run_check.h"

#include <string.h>

/* "const float *x"; drivers spell a pointer's type with its star. */
static void print_param(FILE *out, const plait_param *p)
{
    static const char *const spaces[] = {"", "", "global ", "constant ", "local ", ""};
    fprintf(out, "%s%s%s %s", spaces[p->kind], p->is_const && p->kind == PLAIT_PARAM_GLOBAL ? "const " : "", p->type,
            p->name);
}

void run_print_signature(FILE *out, const plait_kernel *kernel, const char *indent)
{
    fprintf(out, "%s%s(", indent, plait_kernel_name(kernel));
    for (size_t i = 0; i < plait_kernel_param_count(kernel); i++) {
        plait_param p;
        if (plait_kernel_param(kernel, i, &p) == PLAIT_OK) {
            fputs(i > 0 ? ", " : "", out);
            print_param(out, &p);
        }
    }
    fputs(")\n", out);
}

/* What a parameter takes, and what a word is, as they are said to the user. */
static const char *wanted_text(plait_param_kind kind)
{
    static const char *const texts[] = {"?",
                                        "a number",
                                        "an array (.npy or .png)",
                                        "an array (.npy or .png)",
                                        "local memory (local:COUNT:DTYPE)",
                                        "an image or sampler, which cannot be passed yet"};
    return texts[kind];
}

static bool kind_fits(plait_param_kind kind, const run_arg *arg)
{
    switch (kind) {
    case PLAIT_PARAM_VALUE:
        return arg->kind == RUN_NUMBER;
    case PLAIT_PARAM_GLOBAL:
    case PLAIT_PARAM_CONSTANT:
        return run_arg_is_array(arg);
    case PLAIT_PARAM_LOCAL:
        return arg->kind == RUN_LOCAL;
    case PLAIT_PARAM_OTHER:
        break;
    }
    return false;
}

static bool is_integer(plait_dtype dtype)
{
    return dtype >= PLAIT_BOOL && dtype <= PLAIT_U64;
}

/* Integers of one size are one memory layout; anything may be seen through vectors and structs that it fills evenly. */
static bool dtype_fits(const plait_param *p, const run_arg *arg)
{
    const size_t item = plait_dtype_size(arg->dtype);
    if (p->dtype == arg->dtype) {
        return true;
    }
    if (p->dtype == PLAIT_DTYPE_DEFAULT) {
        return p->bytes == 0 || arg->bytes % p->bytes == 0;
    }
    return is_integer(p->dtype) && is_integer(arg->dtype) && plait_dtype_size(p->dtype) == item;
}

static tool_exit check_one(const run_arg *arg, const plait_param *p, size_t index)
{
    if (!kind_fits(p->kind, arg)) {
        return tool_fail(TOOL_KERNEL, "argument %zu: the parameter %s %s takes %s, not '%s'", index, p->type, p->name,
                         wanted_text(p->kind), arg->text);
    }
    if (run_arg_is_array(arg) && !dtype_fits(p, arg)) {
        char shape[RUN_SHAPE_TEXT];
        return tool_fail(TOOL_KERNEL, "argument %zu: the parameter %s %s takes %s%s, and %s is %s of %s", index,
                         p->type, p->name,
                         p->dtype != PLAIT_DTYPE_DEFAULT ? plait_dtype_name(p->dtype) : "whole elements of ",
                         p->dtype != PLAIT_DTYPE_DEFAULT ? "" : p->type, arg->text, plait_dtype_name(arg->dtype),
                         run_shape_text(arg->shape, shape));
    }
    if (arg->out_path != NULL && (p->is_const || p->kind == PLAIT_PARAM_CONSTANT)) {
        return tool_fail(TOOL_KERNEL,
                         "argument %zu: the kernel cannot write to its const parameter %s %s, so '%s' makes "
                         "no sense there",
                         index, p->type, p->name, arg->text);
    }
    return TOOL_OK;
}

tool_exit run_check_arguments(const plait_kernel *kernel, const run_arg *args, size_t n)
{
    const size_t wanted = plait_kernel_param_count(kernel);
    if (n != wanted) {
        const tool_exit code =
            tool_fail(TOOL_KERNEL, "%s takes %zu arguments; %zu were given", plait_kernel_name(kernel), wanted, n);
        run_print_signature(stderr, kernel, "  ");
        return code;
    }
    for (size_t i = 0; i < n; i++) {
        plait_param p;
        if (plait_kernel_param(kernel, i, &p)) {
            return tool_fail_plait();
        }
        const tool_exit code = check_one(&args[i], &p, i);
        if (code != TOOL_OK) {
            run_print_signature(stderr, kernel, "  ");
            return code;
        }
    }
    return TOOL_OK;
}

tool_exit run_default_grid(const plait_kernel *kernel, const run_arg *args, size_t n, plait_grid *out)
{
    static const run_kind order[] = {RUN_OUTPUT, RUN_INOUT, RUN_INPUT};
    size_t index = n;
    for (size_t k = 0; k < 3 && index == n; k++) {
        for (index = 0; index < n && args[index].kind != order[k]; index++) {
        }
    }
    plait_param p;
    if (index == n) {
        return tool_fail(TOOL_USAGE, "there is no array whose shape could be the grid; give --grid");
    }
    if (plait_kernel_param(kernel, index, &p)) {
        return tool_fail_plait();
    }
    plait_dims shape = args[index].shape;
    const size_t item = plait_dtype_size(args[index].dtype);
    if (p.dtype == PLAIT_DTYPE_DEFAULT && p.bytes > item) {
        if (shape.n > 1 && p.bytes == (size_t)shape.d[shape.n - 1] * item) {
            shape.n--; /* one vector covers the last axis */
        } else {
            shape = PLAIT_SHAPE((int64_t)(args[index].bytes / p.bytes)); /* vectors that do not follow the axes */
        }
    }
    size_t sizes[3] = {1, 1, 1};
    for (int i = 0; i < shape.n; i++) {
        const int axis = shape.n - 1 - i;
        sizes[i < 3 ? i : 2] *= (size_t)shape.d[axis];
    }
    *out = plait_grid_from(sizes, shape.n < 1 ? 1 : shape.n > 3 ? 3 : (size_t)shape.n);
    return TOOL_OK;
}
