#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "error.h"
#include "file.h"
#include "opts.h"
#include "program_table.h"
#include "source.h"

#define LARGEST_SOURCE ((size_t)64 << 20)

void plait_program_opts_init(plait_program_opts *opts)
{
    if (opts != NULL) {
        *opts = (plait_program_opts)PLAIT_PROGRAM_OPTS;
    }
}

static plait_status read_opts(const char *function, plait_program_opts *o, const plait_program_opts *opts)
{
    PLAIT__TRY(plait__opts_read(function, o, sizeof *o, opts));
    PLAIT__REQUIRE(o->n_defines == 0 || o->defines != NULL, PLAIT_E_NULL,
                   "%s: opts.n_defines is %zu, but opts.defines is NULL", function, o->n_defines);
    PLAIT__REQUIRE(o->n_include_dirs == 0 || o->include_dirs != NULL, PLAIT_E_NULL,
                   "%s: opts.n_include_dirs is %zu, but opts.include_dirs is NULL", function, o->n_include_dirs);
    for (size_t i = 0; i < o->n_include_dirs; i++) {
        PLAIT__REQUIRE(o->include_dirs[i] != NULL, PLAIT_E_NULL, "%s: opts.include_dirs[%zu] is NULL", function, i);
    }
    if (o->options == NULL) {
        o->options = "";
    }
    return PLAIT_OK;
}

static plait_status create(plait_program **out, plait_ctx *ctx, const char *function, const plait_program_opts *o,
                           const char *name, const char *text, size_t length, bool is_file)
{
    const plait__source_request request = {.function = function,
                                           .name = name,
                                           .text = text,
                                           .length = length,
                                           .is_file = is_file,
                                           .options = o->options,
                                           .defines = o->defines,
                                           .n_defines = o->n_defines,
                                           .include_dirs = o->include_dirs,
                                           .n_include_dirs = o->n_include_dirs};
    plait__source source;
    PLAIT__TRY(plait__source_expand(&request, &source));
    const plait__program_spec spec = {.function = function,
                                      .name = name,
                                      .source = source.text,
                                      .length = source.length,
                                      .options = o->options,
                                      .keep = !o->no_cache && !source.outside};
    plait_status status = plait__program_table_share(ctx, &spec, out);
    free(source.text);
    return status;
}

plait_status plait_program_from_source(plait_program **out, plait_ctx *ctx, const char *source,
                                       const plait_program_opts *opts)
{
    PLAIT__REQUIRE_ARG(out);
    *out = NULL;
    PLAIT__TRY(plait__ctx_check(ctx, __func__));
    PLAIT__REQUIRE_ARG(source);
    plait_program_opts o;
    PLAIT__TRY(read_opts(__func__, &o, opts));
    return create(out, ctx, __func__, &o, o.name != NULL ? o.name : "source", source, strlen(source), false);
}

plait_status plait_program_from_file(plait_program **out, plait_ctx *ctx, const char *path,
                                     const plait_program_opts *opts)
{
    PLAIT__REQUIRE_ARG(out);
    *out = NULL;
    PLAIT__TRY(plait__ctx_check(ctx, __func__));
    PLAIT__REQUIRE_ARG(path);
    plait_program_opts o;
    PLAIT__TRY(read_opts(__func__, &o, opts));
    char *text;
    size_t length;
    PLAIT__TRY(plait__file_read(&text, &length, path, LARGEST_SOURCE));
    plait_status status = create(out, ctx, __func__, &o, path, text, length, true);
    free(text);
    return status;
}
