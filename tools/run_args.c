#include "run_args.h"

#include "picture.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FORMS                                                                                                          \
    "x.npy or p.png (input), out:z.npy:f32:1000x3 or out:q.png:u8:480x640x4 (output), inout:x.npy:z.npy, "             \
    "local:256:f32, or a number"

bool run_arg_is_array(const run_arg *arg)
{
    return arg->kind == RUN_INPUT || arg->kind == RUN_OUTPUT || arg->kind == RUN_INOUT;
}

const char *run_shape_text(plait_dims shape, char out[RUN_SHAPE_TEXT])
{
    size_t used = 0;
    snprintf(out, RUN_SHAPE_TEXT, "scalar");
    for (int i = 0; i < shape.n && i < PLAIT_MAX_DIMS; i++) {
        used += (size_t)snprintf(out + used, RUN_SHAPE_TEXT - used, "%s%" PRId64, i > 0 ? "x" : "", shape.d[i]);
    }
    return out;
}

bool run_parse_sizes(const char *text, size_t most, int64_t *out, size_t *n)
{
    *n = 0;
    for (const char *at = text;; at++) {
        if (*at < '0' || *at > '9' || *n == most) {
            return false;
        }
        char *end;
        errno = 0;
        out[(*n)++] = strtoll(at, &end, 10);
        if (errno != 0) {
            return false;
        }
        if (*end == '\0') {
            return true;
        }
        if (*end != 'x' && *end != 'X') {
            return false;
        }
        at = end;
    }
}

static bool is_data_file(const char *path)
{
    return tool_ends_with(path, ".npy") || tool_ends_with(path, ".png");
}

/* The part of `text` after its last colon, which is cut off; NULL if there is none. */
static char *cut_last(char *text)
{
    char *colon = strrchr(text, ':');
    if (colon == NULL) {
        return NULL;
    }
    *colon = '\0';
    return colon + 1;
}

/* A PNG holds u8 or u16 of height x width or height x width x channels. */
static tool_exit check_output_format(const run_arg *arg)
{
    if (!tool_ends_with(arg->out_path, ".png")) {
        return TOOL_OK;
    }
    const plait_dims s = arg->shape;
    const bool channels = s.n == 3 && s.d[2] >= 1 && s.d[2] <= 4;
    if ((arg->dtype != PLAIT_U8 && arg->dtype != PLAIT_U16) || (s.n != 2 && !channels) || s.d[0] < 1 || s.d[1] < 1) {
        char shape[RUN_SHAPE_TEXT];
        return tool_fail(TOOL_USAGE,
                         "%s: a .png holds u8 or u16 of HEIGHTxWIDTH or HEIGHTxWIDTHxCHANNELS (1 to 4), not %s of %s",
                         arg->text, plait_dtype_name(arg->dtype), run_shape_text(s, shape));
    }
    return TOOL_OK;
}

static tool_exit parse_output(run_arg *out, const char *fields)
{
    out->kind = RUN_OUTPUT;
    out->out_path = strdup(fields);
    if (out->out_path == NULL) {
        return tool_fail(TOOL_FAILED, "out of memory");
    }
    if (!is_data_file(out->out_path)) {
        const char *shape = cut_last(out->out_path);
        const char *dtype = shape == NULL ? NULL : cut_last(out->out_path);
        int64_t sizes[PLAIT_MAX_DIMS];
        size_t n;
        if (dtype == NULL || !is_data_file(out->out_path)) {
            return tool_fail(TOOL_USAGE, "%s: an output is out:FILE.npy:DTYPE:SHAPE, as out:z.npy:f32:1000x3",
                             out->text);
        }
        if (plait_dtype_parse(&out->dtype, dtype)) {
            return tool_fail(TOOL_USAGE, "%s: %s", out->text, plait_last_error());
        }
        if (!run_parse_sizes(shape, PLAIT_MAX_DIMS, sizes, &n) || plait_shape_count(plait_shape(n, sizes)) < 0) {
            return tool_fail(TOOL_USAGE, "%s: '%s' is no shape; write up to %d sizes as 480x640x4", out->text, shape,
                             PLAIT_MAX_DIMS);
        }
        out->shape = plait_shape(n, sizes);
        return check_output_format(out);
    }
    return TOOL_OK;
}

static tool_exit parse_inout(run_arg *out, const char *fields)
{
    out->kind = RUN_INOUT;
    out->in_path = strdup(fields);
    const char *to = out->in_path == NULL ? NULL : cut_last(out->in_path);
    out->out_path = to == NULL ? NULL : strdup(to);
    if (out->out_path == NULL || !is_data_file(out->in_path) || !is_data_file(out->out_path)) {
        return tool_fail(TOOL_USAGE, "%s: write inout:FROM.npy:TO.npy", out->text);
    }
    return TOOL_OK;
}

static tool_exit parse_local(run_arg *out, const char *fields)
{
    out->kind = RUN_LOCAL;
    char count[32] = "";
    const char *colon = strchr(fields, ':');
    if (colon != NULL && (size_t)(colon - fields) < sizeof(count)) {
        memcpy(count, fields, (size_t)(colon - fields));
    }
    int64_t size;
    size_t n;
    if (colon == NULL || !run_parse_sizes(count, 1, &size, &n) || size < 1 || size > INT64_MAX / 16) {
        return tool_fail(TOOL_USAGE, "%s: local memory is local:COUNT:DTYPE, as local:256:f32", out->text);
    }
    if (plait_dtype_parse(&out->dtype, colon + 1)) {
        return tool_fail(TOOL_USAGE, "%s: %s", out->text, plait_last_error());
    }
    out->shape = PLAIT_SHAPE(size);
    out->bytes = (size_t)size * plait_dtype_size(out->dtype);
    return TOOL_OK;
}

/* An integer (decimal or 0x...) or a float, the whole word. */
static bool parse_number(run_arg *out, const char *word)
{
    const char *digits = word + (*word == '-' || *word == '+' ? 1 : 0);
    const int base = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X') ? 16 : 10;
    char *end;
    errno = 0;
    const long long i = strtoll(word, &end, base);
    if (end != word && *end == '\0' && errno == 0) {
        out->number = plait_arg_int(i);
        return true;
    }
    errno = 0;
    const unsigned long long u = strtoull(word, &end, base);
    if (end != word && *end == '\0' && errno == 0 && *word != '-') {
        const uint64_t value = u;
        out->number = plait_arg_scalar(PLAIT_U64, &value);
        return true;
    }
    const double f = strtod(word, &end);
    if (end == word || *end != '\0') {
        return false;
    }
    out->number = plait_arg_num(f);
    return true;
}

tool_exit run_arg_parse(run_arg *out, const char *word)
{
    *out = (run_arg){.text = word};
    out->shape.n = -1;
    if (strncmp(word, "out:", 4) == 0) {
        return parse_output(out, word + 4);
    }
    if (strncmp(word, "inout:", 6) == 0) {
        return parse_inout(out, word + 6);
    }
    if (strncmp(word, "local:", 6) == 0) {
        return parse_local(out, word + 6);
    }
    if (is_data_file(word)) {
        out->kind = RUN_INPUT;
        out->in_path = strdup(word);
        return out->in_path != NULL ? TOOL_OK : tool_fail(TOOL_FAILED, "out of memory");
    }
    out->kind = RUN_NUMBER;
    if (parse_number(out, word)) {
        return TOOL_OK;
    }
    return tool_fail(TOOL_USAGE, "'%s' is no kernel argument; there are " FORMS, word);
}

/* ---- files ---- */

static tool_exit load_picture(run_arg *arg)
{
    char error[PICTURE_ERROR_SIZE];
    picture p;
    if (!picture_read(arg->in_path, &p, error)) {
        return tool_fail(TOOL_FILE, "%s", error);
    }
    arg->dtype = p.bits == 16 ? PLAIT_U16 : PLAIT_U8;
    arg->shape = p.channels == 1 ? PLAIT_SHAPE((int64_t)p.height, (int64_t)p.width)
                                 : PLAIT_SHAPE((int64_t)p.height, (int64_t)p.width, (int64_t)p.channels);
    arg->data = p.data;
    arg->bytes = p.bytes;
    return TOOL_OK;
}

static tool_exit load_npy(run_arg *arg)
{
    if (plait_npy_read(arg->in_path, &arg->npy)) {
        return tool_fail(TOOL_FILE, "%s", plait_last_error());
    }
    arg->dtype = arg->npy.dtype;
    arg->shape = arg->npy.shape;
    arg->data = arg->npy.data;
    arg->bytes = arg->npy.bytes;
    return TOOL_OK;
}

/* Zeroed memory for an output, whose dtype and shape are those of `like` where none were typed. */
static tool_exit make_room(run_arg *arg, const run_arg *like)
{
    if (arg->shape.n < 0) {
        if (like == NULL) {
            return tool_fail(TOOL_USAGE,
                             "%s: with no input to take them from, an output needs dtype and shape, as %s:f32:1000",
                             arg->text, arg->text);
        }
        arg->dtype = like->dtype;
        arg->shape = like->shape;
    }
    const tool_exit code = check_output_format(arg);
    if (code != TOOL_OK) {
        return code;
    }
    const uint64_t count = (uint64_t)plait_shape_count(arg->shape);
    const size_t item = plait_dtype_size(arg->dtype);
    if (count <= (uint64_t)PTRDIFF_MAX / item) {
        arg->bytes = (size_t)count * item;
        arg->data = calloc(arg->bytes > 0 ? arg->bytes : 1, 1);
    }
    if (arg->data == NULL) {
        return tool_fail(TOOL_FAILED, "%s: this machine has no memory for so many elements", arg->text);
    }
    return TOOL_OK;
}

tool_exit run_args_load(run_arg *args, size_t n)
{
    tool_exit code = TOOL_OK;
    const run_arg *first_input = NULL;
    for (size_t i = 0; i < n && code == TOOL_OK; i++) {
        if (args[i].in_path != NULL) {
            code = tool_ends_with(args[i].in_path, ".png") ? load_picture(&args[i]) : load_npy(&args[i]);
            first_input = first_input == NULL ? &args[i] : first_input;
        }
        if (code == TOOL_OK && args[i].kind == RUN_INOUT) {
            code = check_output_format(&args[i]);
        }
    }
    for (size_t i = 0; i < n && code == TOOL_OK; i++) {
        if (args[i].kind == RUN_OUTPUT) {
            code = make_room(&args[i], first_input);
        }
    }
    return code;
}

tool_exit run_arg_save(const run_arg *arg)
{
    if (tool_ends_with(arg->out_path, ".npy")) {
        return plait_npy_write(arg->out_path, arg->data, arg->shape, arg->dtype)
                   ? tool_fail(TOOL_FILE, "%s", plait_last_error())
                   : TOOL_OK;
    }
    char error[PICTURE_ERROR_SIZE];
    const picture p = {
        .width = (size_t)arg->shape.d[1],
        .height = (size_t)arg->shape.d[0],
        .channels = arg->shape.n == 3 ? (unsigned)arg->shape.d[2] : 1,
        .bits = arg->dtype == PLAIT_U16 ? 16 : 8,
        .data = arg->data,
        .bytes = arg->bytes,
    };
    return picture_write(arg->out_path, &p, error) ? TOOL_OK : tool_fail(TOOL_FILE, "%s", error);
}

void run_arg_free(run_arg *arg)
{
    free(arg->in_path);
    free(arg->out_path);
    if (arg->data != arg->npy.data) {
        free(arg->data);
    }
    plait_npy_free(&arg->npy);
    *arg = (run_arg){0};
}
