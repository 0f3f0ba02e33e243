#include "emulate.h"

#include "error.h"
#include "number.h"

#include <string.h>

#define ITEM_SIZE 64

static bool starts_with(const char *text, const char *prefix, const char **rest)
{
    size_t n = strlen(prefix);
    *rest = text + n;
    return strncmp(text, prefix, n) == 0;
}

/* "16" or "1024x1x1" */
static bool parse_group(plait__emulation *e, const char *text)
{
    uint64_t sizes[3] = {0, 0, 0};
    size_t n = 0;
    for (;; text++) {
        size_t used = n < 3 ? plait__scan_u64(&sizes[n], text, strlen(text), SIZE_MAX) : 0;
        if (used == 0 || sizes[n] == 0) {
            return false;
        }
        n++;
        text += used;
        if (*text == 0) {
            break;
        }
        if (*text != 'x') {
            return false;
        }
    }
    if (n == 2) {
        sizes[2] = 1;
    }
    e->group = (size_t)sizes[0];
    for (size_t i = 0; i < 3 && n > 1; i++) {
        e->groups[i] = (size_t)sizes[i];
        e->group = sizes[i] > e->group ? (size_t)sizes[i] : e->group;
    }
    return true;
}

static bool parse_item(plait__emulation *e, const char *item)
{
    const char *value;
    if (strcmp(item, "nofp64") == 0) {
        e->no_fp64 = true;
    } else if (strcmp(item, "nofp16") == 0) {
        e->no_fp16 = true;
    } else if (strcmp(item, "noint64atomics") == 0) {
        e->no_int64_atomics = true;
    } else if (starts_with(item, "group=", &value)) {
        return parse_group(e, value);
    } else if (starts_with(item, "local=", &value)) {
        return plait__parse_size(&e->local, value) && e->local > 0;
    } else if (starts_with(item, "params=", &value)) {
        return plait__parse_size(&e->params, value) && e->params > 0;
    } else if (starts_with(item, "memory=", &value)) {
        return plait__parse_size(&e->memory, value) && e->memory > 0;
    } else {
        return false;
    }
    return true;
}

plait_status plait__emulation_parse(plait__emulation *out, const char *text)
{
    memset(out, 0, sizeof *out);
    while (text != NULL && *text != 0) {
        size_t length = strcspn(text, ",");
        char item[ITEM_SIZE];
        if (length >= sizeof item) {
            length = sizeof item - 1; /* no valid item is as long: it is refused below */
        }
        memcpy(item, text, length);
        item[length] = 0;
        if (length > 0 && !parse_item(out, item)) {
            return plait__fail(PLAIT_E_ARGUMENT,
                               "plait_open: PLAIT_EMULATE has the item \"%s\"; items are group=N or group=XxYxZ, "
                               "nofp64, nofp16, noint64atomics, local=BYTES, params=BYTES, memory=BYTES",
                               item);
        }
        text += strcspn(text, ",");
        text += *text == ',';
    }
    return PLAIT_OK;
}

static void lower_size(size_t *value, uint64_t limit)
{
    if (limit != 0 && limit < *value) {
        *value = (size_t)limit;
    }
}

static void lower_u64(uint64_t *value, uint64_t limit)
{
    if (limit != 0 && limit < *value) {
        *value = limit;
    }
}

void plait__emulation_apply(const plait__emulation *e, plait_device_info *info)
{
    lower_size(&info->max_group_size, e->group);
    for (size_t i = 0; i < 3; i++) {
        lower_size(&info->max_group_sizes[i], e->group);
        lower_size(&info->max_group_sizes[i], e->groups[i]);
    }
    info->fp64 = info->fp64 && !e->no_fp64;
    info->fp16 = info->fp16 && !e->no_fp16;
    info->int64_atomics = info->int64_atomics && !e->no_int64_atomics;
    lower_u64(&info->local_memory, e->local);
    lower_u64(&info->max_parameter_bytes, e->params);
    lower_u64(&info->global_memory, e->memory);
    lower_u64(&info->max_allocation, e->memory);
}

plait_status plait__skeleton_parse(plait__skeleton *skeleton, const char *text)
{
    if (text == NULL || *text == 0) {
        return PLAIT_OK;
    }
    bool cpu = strcmp(text, "cpu") == 0;
    PLAIT__REQUIRE(cpu || strcmp(text, "device") == 0, PLAIT_E_ARGUMENT,
                   "plait_open: PLAIT_SKELETON is \"%s\"; it can be \"cpu\" or \"device\"", text);
    *skeleton = cpu ? PLAIT__SKELETON_CPU : PLAIT__SKELETON_DEVICE;
    return PLAIT_OK;
}
