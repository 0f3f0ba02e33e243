#include "signature.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"

/* ---- type names ---- */

static const struct {
    const char *name;
    plait_dtype dtype;
} scalar_types[] = {
    {"char", PLAIT_I8},    {"signed char", PLAIT_I8},    {"uchar", PLAIT_U8},           {"unsigned char", PLAIT_U8},
    {"short", PLAIT_I16},  {"ushort", PLAIT_U16},        {"unsigned short", PLAIT_U16}, {"int", PLAIT_I32},
    {"uint", PLAIT_U32},   {"unsigned int", PLAIT_U32},  {"unsigned", PLAIT_U32},       {"long", PLAIT_I64},
    {"ulong", PLAIT_U64},  {"unsigned long", PLAIT_U64}, {"half", PLAIT_F16},           {"float", PLAIT_F32},
    {"double", PLAIT_F64}, {"bool", PLAIT_BOOL},
};

plait__cl_type plait__cl_type_parse(const char *name)
{
    const plait__cl_type unknown = {PLAIT_DTYPE_DEFAULT, 0};
    size_t end = strlen(name);
    while (end > 0 && (name[end - 1] == '*' || name[end - 1] == ' ')) {
        end--;
    }
    size_t stem = end; /* of "float16": 5 */
    while (stem > 0 && name[stem - 1] >= '0' && name[stem - 1] <= '9') {
        stem--;
    }
    size_t lanes = 1;
    if (stem < end) {
        lanes = 0;
        for (size_t i = stem; i < end && lanes < 100; i++) {
            lanes = lanes * 10 + (size_t)(name[i] - '0');
        }
        if (lanes != 2 && lanes != 3 && lanes != 4 && lanes != 8 && lanes != 16) {
            return unknown;
        }
    }
    for (size_t i = 0; i < sizeof scalar_types / sizeof *scalar_types; i++) {
        if (strlen(scalar_types[i].name) != stem || memcmp(scalar_types[i].name, name, stem) != 0) {
            continue;
        }
        size_t size = plait_dtype_size(scalar_types[i].dtype);
        if (lanes == 1) {
            return (plait__cl_type){scalar_types[i].dtype, size};
        }
        return (plait__cl_type){PLAIT_DTYPE_DEFAULT, size * (lanes == 3 ? 4 : lanes)};
    }
    return unknown;
}

plait_dtype plait__cl_type_element(const char *name)
{
    size_t n = strcspn(name, "0123456789*");
    char element[16];
    if (n >= sizeof element) {
        return PLAIT_DTYPE_DEFAULT;
    }
    memcpy(element, name, n);
    element[n] = '\0';
    return plait__cl_type_parse(name).bytes != 0 ? plait__cl_type_parse(element).dtype : PLAIT_DTYPE_DEFAULT;
}

/* ---- encoding ---- */

void plait__put_u8(plait__strbuf *out, uint8_t value)
{
    plait__strbuf_add_bytes(out, &value, 1);
}

static void put(plait__strbuf *out, uint64_t value, size_t size)
{
    unsigned char bytes[8];
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (unsigned char)(value >> (8 * i));
    }
    plait__strbuf_add_bytes(out, bytes, size);
}

void plait__put_u32(plait__strbuf *out, uint32_t value)
{
    put(out, value, 4);
}

void plait__put_u64(plait__strbuf *out, uint64_t value)
{
    put(out, value, 8);
}

void plait__put_text(plait__strbuf *out, const char *text)
{
    size_t length = strlen(text);
    plait__put_u32(out, (uint32_t)length);
    plait__strbuf_add_bytes(out, text, length + 1);
}

/* ---- decoding ---- */

/* Reads off the front of a block; after the first thing that is not there, `bad` stays set and all reads give zeros. */
typedef struct reader {
    const char *at;
    size_t left;
    bool bad;
} reader;

static uint64_t get(reader *r, size_t size)
{
    if (r->bad || r->left < size) {
        r->bad = true;
        return 0;
    }
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++) {
        value |= (uint64_t)(unsigned char)r->at[i] << (8 * i);
    }
    r->at += size;
    r->left -= size;
    return value;
}

static const char *get_text(reader *r)
{
    size_t length = (size_t)get(r, 4);
    if (r->bad || length >= r->left || memchr(r->at, 0, length + 1) != r->at + length) {
        r->bad = true;
        return "";
    }
    const char *text = r->at;
    r->at += length + 1;
    r->left -= length + 1;
    return text;
}

/* A count of items of at least `least` bytes each: no more than could be there, so that it is safe to allocate for. */
static size_t get_count(reader *r, size_t least)
{
    uint64_t count = get(r, 4);
    if (count > r->left / least) {
        r->bad = true;
        return 0;
    }
    return (size_t)count;
}

/*
 * Goes through the list; params is NULL in the first pass, which only checks and counts. Returns the number of
 * parameters.
 */
static size_t decode(reader *r, plait__signature *kernels, size_t count, plait_param *params)
{
    size_t total = 0;
    for (size_t k = 0; k < count && !r->bad; k++) {
        const char *name = get_text(r);
        uint64_t known = get(r, 1);
        size_t n_params = get_count(r, 12);
        for (size_t p = 0; p < n_params && !r->bad; p++) {
            uint64_t kind = get(r, 1), is_const = get(r, 1);
            const char *param_name = get_text(r), *type = get_text(r);
            if (kind > PLAIT_PARAM_OTHER || is_const > 1) {
                r->bad = true;
            }
            if (params != NULL) {
                plait__cl_type t = plait__cl_type_parse(type);
                params[total + p] = (plait_param){.name = param_name,
                                                  .type = type,
                                                  .kind = (plait_param_kind)kind,
                                                  .is_const = is_const != 0,
                                                  .dtype = t.dtype,
                                                  .bytes = t.bytes};
            }
        }
        size_t n_variants = get_count(r, 8);
        if (known > 1 || n_variants > PLAIT__VARIANTS) {
            r->bad = true;
        }
        for (size_t v = 0; v < n_variants && !r->bad; v++) {
            uint64_t variant = get(r, 8);
            if (params != NULL) {
                kernels[k].variants[v] = variant;
            }
        }
        if (params != NULL) {
            kernels[k].name = name;
            kernels[k].known = known != 0;
            kernels[k].n_params = n_params;
            kernels[k].params = params + total;
            kernels[k].n_variants = n_variants;
        }
        total += n_params;
    }
    return total;
}

bool plait__signatures_decode(plait__signatures *out, const void *bytes, size_t size)
{
    *out = (plait__signatures){0};
    reader check = {bytes, size, false};
    size_t count = get_count(&check, 13);
    size_t n_params = decode(&check, NULL, count, NULL);
    if (check.bad || check.left != 0) {
        return false;
    }
    out->count = count;
    out->text = plait__try_malloc(size);
    out->kernels = plait__try_malloc((count + 1) * sizeof *out->kernels);
    out->params = plait__try_malloc((n_params + 1) * sizeof *out->params);
    if (out->text == NULL || out->kernels == NULL || out->params == NULL) {
        plait__signatures_free(out);
        return false;
    }
    memcpy(out->text, bytes, size);
    memset(out->kernels, 0, (count + 1) * sizeof *out->kernels);
    reader again = {out->text, size, false};
    get_count(&again, 13);
    decode(&again, out->kernels, count, out->params);
    return true;
}

void plait__signatures_free(plait__signatures *s)
{
    free(s->text);
    free(s->kernels);
    free(s->params);
    *s = (plait__signatures){0};
}
