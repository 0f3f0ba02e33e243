#include "opts.h"

#include "error.h"

#include <string.h>

plait_status plait__opts_read(const char *function, void *out, size_t out_size, const void *opts)
{
    memset(out, 0, out_size);
    if (opts != NULL) {
        size_t size;
        memcpy(&size, opts, sizeof size);
        PLAIT__REQUIRE(size >= sizeof size, PLAIT_E_ARGUMENT,
                       "%s: opts.size is %zu; start from the struct's initialiser (PLAIT_..._OPTS)", function, size);
        for (size_t i = out_size; i < size; i++) {
            PLAIT__REQUIRE(((const unsigned char *)opts)[i] == 0, PLAIT_E_ARGUMENT,
                           "%s: opts (%zu bytes) sets an option that this version of Plait (%zu bytes) does not have",
                           function, size, out_size);
        }
        memcpy(out, opts, size < out_size ? size : out_size);
    }
    memcpy(out, &out_size, sizeof out_size);
    return PLAIT_OK;
}
