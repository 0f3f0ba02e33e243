#include "kernel_arg.h"

#include <math.h>
#include <string.h>

#include "dtypes.h"

/* ---- constructors ---- */

plait_arg plait_arg_buffer(plait_buffer *buffer)
{
    return (plait_arg){.kind = PLAIT_ARG_BUFFER, .pointer = buffer};
}

plait_arg plait_arg_int(int64_t value)
{
    return (plait_arg){.kind = PLAIT_ARG_NUMBER, .value.i = value};
}

plait_arg plait_arg_num(double value)
{
    return (plait_arg){.kind = PLAIT_ARG_NUMBER, .value.f = value, .is_float = true};
}

plait_arg plait_arg_scalar(plait_dtype dtype, const void *value)
{
    plait_arg arg = {.kind = PLAIT_ARG_SCALAR, .dtype = (int32_t)dtype, .bytes = plait_dtype_size(dtype)};
    if (value == NULL || arg.bytes == 0 || arg.bytes > sizeof arg.value) {
        return (plait_arg){.kind = PLAIT_ARG_NONE}; /* the launch refuses it */
    }
    memcpy(arg.value.raw, value, arg.bytes);
    return arg;
}

plait_arg plait_arg_bytes(const void *bytes, size_t size)
{
    return (plait_arg){.kind = PLAIT_ARG_BYTES, .pointer = bytes, .bytes = size};
}

plait_arg plait_arg_local(size_t bytes)
{
    return (plait_arg){.kind = PLAIT_ARG_LOCAL, .bytes = bytes};
}

plait_grid plait_grid_from(const size_t *sizes, size_t n)
{
    plait_grid grid = {.dims = n <= 3 ? (uint32_t)n : 4};
    for (size_t i = 0; i < 3; i++) {
        grid.global[i] = sizes != NULL && i < n ? sizes[i] : 1;
    }
    return grid;
}

plait_grid plait_grid_1d(size_t x)
{
    return (plait_grid){.dims = 1, .global = {x, 1, 1}};
}

plait_grid plait_grid_2d(size_t x, size_t y)
{
    return (plait_grid){.dims = 2, .global = {x, y, 1}};
}

plait_grid plait_grid_3d(size_t x, size_t y, size_t z)
{
    return (plait_grid){.dims = 3, .global = {x, y, z}};
}

plait_grid plait_grid_groups(plait_grid grid, size_t x, size_t y, size_t z)
{
    grid.group[0] = x;
    grid.group[1] = y;
    grid.group[2] = z;
    return grid;
}

plait_grid plait_grid_round_up(plait_grid grid)
{
    grid.round_up = true;
    return grid;
}

/* ---- numbers ---- */

/* The nearest half-precision number, ties to even, as bits. */
static uint16_t half_of(double value)
{
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    double a = fabs(value);
    if (isnan(a)) {
        return 0x7E00;
    }
    if (a >= 65520.0) {
        return sign | 0x7C00;
    }
    int e = -14; /* below 2^-14 the spacing stays that of 2^-14 */
    if (a >= 0x1p-14) {
        frexp(a, &e);
        e--;
    }
    double steps = rint(ldexp(a, 10 - e)); /* 1024 to 2048 for normal numbers; 2048 carries into the exponent */
    return (uint16_t)(sign | (uint16_t)(((e + 14) << 10) + (int)steps));
}

static double half_to_double(uint16_t bits)
{
    int e = bits >> 10 & 31, m = bits & 1023;
    double a =
        e == 31 ? (m != 0 ? (double)NAN : (double)INFINITY) : ldexp(m + (e > 0 ? 1024 : 0), (e > 0 ? e : 1) - 25);
    return (bits & 0x8000) != 0 ? -a : a;
}

/* Stores the low bytes of an integer; hosts and devices are little-endian, which the build checks. */
static bool store_int(void *out, plait_dtype dtype, int64_t i)
{
    static const struct {
        int64_t min, max;
    } ranges[PLAIT_DTYPE_COUNT_] = {
        [PLAIT_BOOL] = {0, 1},
        [PLAIT_I8] = {INT8_MIN, INT8_MAX},
        [PLAIT_I16] = {INT16_MIN, INT16_MAX},
        [PLAIT_I32] = {INT32_MIN, INT32_MAX},
        [PLAIT_I64] = {INT64_MIN, INT64_MAX},
        [PLAIT_U8] = {0, UINT8_MAX},
        [PLAIT_U16] = {0, UINT16_MAX},
        [PLAIT_U32] = {0, UINT32_MAX},
        [PLAIT_U64] = {0, INT64_MAX},
    };
    if (i < ranges[dtype].min || i > ranges[dtype].max) {
        return false;
    }
    memcpy(out, &i, plait_dtype_size(dtype));
    return true;
}

bool plait__number_convert(void *out, plait_dtype dtype, const plait_arg *number)
{
    const plait__dtype_row *row = plait__dtype_info(dtype);
    if (row == NULL) {
        return false;
    }
    bool to_int = row->kind == PLAIT__KIND_BOOL || row->kind == PLAIT__KIND_INT || row->kind == PLAIT__KIND_UINT;
    if (to_int && !number->is_float) {
        return store_int(out, dtype, number->value.i);
    }
    double value = number->is_float ? number->value.f : (double)number->value.i;
    if (to_int) {
        if (dtype == PLAIT_U64 && value >= 0x1p63 && value < 0x1p64) {
            uint64_t u = (uint64_t)value; /* every double this large is an integer */
            memcpy(out, &u, sizeof u);
            return true;
        }
        /* NaN fails the comparisons. */
        return value >= -0x1p63 && value < 0x1p63 && trunc(value) == value && store_int(out, dtype, (int64_t)value);
    }
    double stored = value;
    if (dtype == PLAIT_F32) {
        float f = (float)value;
        memcpy(out, &f, sizeof f);
        stored = (double)f;
    } else if (dtype == PLAIT_F64) {
        memcpy(out, &value, sizeof value);
    } else if (dtype == PLAIT_F16) {
        uint16_t half = half_of(value);
        memcpy(out, &half, sizeof half);
        stored = half_to_double(half);
    } else {
        return false;
    }
    if (number->is_float) {
        return isinf(stored) == isinf(value) && (stored != 0 || value == 0);
    }
    return stored >= -0x1p63 && stored < 0x1p63 && (int64_t)stored == number->value.i;
}
