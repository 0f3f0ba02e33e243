#include "quirks.h"

#include <assert.h>

static const struct {
    const char *name, *platform, *device, *driver;
} rows[] = {
#define X(id, name, platform, device, driver) {name, platform, device, driver},
#include "quirks.def"
#undef X
};

_Static_assert(PLAIT__QUIRK_COUNT <= 31, "a set of quirks is 32 bits");

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; /* tolower() would follow the locale */
}

bool plait__contains_nocase(const char *text, const char *part)
{
    for (;; text++) {
        size_t n = 0;
        while (part[n] != 0 && lower(text[n]) == lower(part[n])) {
            n++;
        }
        if (part[n] == 0) {
            return true;
        }
        if (*text == 0) {
            return false;
        }
    }
}

uint32_t plait__quirks_match(const char *platform_name, const char *device_name, const char *driver_version)
{
    uint32_t set = 0;
    for (unsigned row = 0; row < PLAIT__QUIRK_COUNT; row++) {
        if (plait__contains_nocase(platform_name, rows[row].platform) &&
            plait__contains_nocase(device_name, rows[row].device) &&
            plait__contains_nocase(driver_version, rows[row].driver)) {
            set |= UINT32_C(1) << row;
        }
    }
    return set;
}

const char *plait__quirk_name(unsigned row)
{
    assert(row < PLAIT__QUIRK_COUNT);
    return rows[row].name;
}
