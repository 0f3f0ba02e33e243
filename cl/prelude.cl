/*
 * What generated kernels may call: arithmetic that OpenCL C lacks or leaves open, conversions, compensated sums.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 * PLAIT_F64 is defined where doubles are used. Functions come once for each type, named by it; the generic names pick
 * the one for T, the compute type that the caller has defined.
 */
#pragma OPENCL FP_CONTRACT OFF
#ifdef PLAIT_F64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define PLAIT_PASTE_(a, b) a##b
#define PLAIT_PASTE(a, b) PLAIT_PASTE_(a, b)

/* ---- integers ---- */

/* The smallest one stays itself. */
#define plait_iabs(x) ((T)abs(x))

/* By squaring, wrapping; a negative exponent leaves only 1 and -1 something. */
#define PLAIT_IPOW(type, utype)                                                                                        \
    static inline type plait_ipow_##type(const type x, const type y)                                                   \
    {                                                                                                                  \
        if (y < 0) {                                                                                                   \
            return x == 1 ? (type)1 : (type)(x + 1) == 0 && x < 0 ? (y & 1 ? x : (type)1) : (type)0;                   \
        }                                                                                                              \
        utype base = (utype)x, result = 1;                                                                             \
        for (utype e = (utype)y; e != 0; e >>= 1) {                                                                    \
            result = e & 1 ? (utype)(result * base) : result;                                                          \
            base = (utype)(base * base);                                                                               \
        }                                                                                                              \
        return (type)result;                                                                                           \
    }
PLAIT_IPOW(char, uchar)
PLAIT_IPOW(uchar, uchar)
PLAIT_IPOW(short, ushort)
PLAIT_IPOW(ushort, ushort)
PLAIT_IPOW(int, uint)
PLAIT_IPOW(uint, uint)
PLAIT_IPOW(long, ulong)
PLAIT_IPOW(ulong, ulong)
#define plait_ipow(x, y) PLAIT_PASTE(plait_ipow_, T)(x, y)

/* ---- floats ---- */

/* NaN if either is NaN. */
#define plait_fmaximum(x, y) PLAIT_PASTE(plait_fmaximum_, T)(x, y)
#define plait_fminimum(x, y) PLAIT_PASTE(plait_fminimum_, T)(x, y)

/* ---- complex numbers: the real part is .x, the imaginary part .y ---- */

#define RE(v) ((v).x)
#define IM(v) ((v).y)
#define plait_cmul(x, y) PLAIT_PASTE(plait_cmul_, T)(x, y)
#define plait_cdiv(x, y) PLAIT_PASTE(plait_cdiv_, T)(x, y)
#define plait_cabs(x) PLAIT_PASTE(plait_cabs_, T)(x)
#define plait_cexp(x) PLAIT_PASTE(plait_cexp_, T)(x)

/* ---- by precision ----
 *
 * Sums: a pair is a sum and what rounding has taken from it. Adding to it by TwoSum loses nothing that matters; a sum
 * that is not finite keeps its value, and its remainder means nothing.
 *
 * Conversion to integers: NaN is 0, what lies outside becomes the nearest there is. ABOVE is the largest integer + 1.
 */
#define PLAIT_TO_INT(real, tag, type, below, above, min, max)                                                          \
    static inline type plait_##tag##_to_##type(const real x)                                                           \
    {                                                                                                                  \
        return x >= above ? (type)max : x <= below ? (type)min : x == x ? (type)x : (type)0;                           \
    }

#define PLAIT_REAL(real, tag, L)                                                                                       \
    static inline real plait_fmaximum_##real(const real x, const real y)                                               \
    {                                                                                                                  \
        return x >= y || x != x ? x : y;                                                                               \
    }                                                                                                                  \
    static inline real plait_fminimum_##real(const real x, const real y)                                               \
    {                                                                                                                  \
        return x <= y || x != x ? x : y;                                                                               \
    }                                                                                                                  \
    static inline real##2 plait_cmul_##real##2(const real##2 x, const real##2 y)                                       \
    {                                                                                                                  \
        return (real##2)(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);                                                \
    }                                                                                                                  \
    /* Smith's formula: no overflow on the way to a result that does not. */                                           \
    static inline real##2 plait_cdiv_##real##2(const real##2 x, const real##2 y)                                       \
    {                                                                                                                  \
        if (fabs(y.x) >= fabs(y.y)) {                                                                                  \
            const real r = y.x == 0 && y.y == 0 ? y.y : y.y / y.x;                                                     \
            const real d = y.x + y.y * r;                                                                              \
            return (real##2)((x.x + x.y * r) / d, (x.y - x.x * r) / d);                                                \
        }                                                                                                              \
        const real r = y.x / y.y;                                                                                      \
        const real d = y.x * r + y.y;                                                                                  \
        return (real##2)((x.x * r + x.y) / d, (x.y * r - x.x) / d);                                                    \
    }                                                                                                                  \
    static inline real plait_cabs_##real##2(const real##2 x)                                                           \
    {                                                                                                                  \
        return hypot(x.x, x.y);                                                                                        \
    }                                                                                                                  \
    static inline real##2 plait_cexp_##real##2(const real##2 x)                                                        \
    {                                                                                                                  \
        const real e = exp(x.x);                                                                                       \
        return x.y == 0 ? (real##2)(e, x.y) : (real##2)(e * cos(x.y), e * sin(x.y));                                   \
    }                                                                                                                  \
    static inline real##2 plait_pair_add_##real(const real##2 p, const real x)                                         \
    {                                                                                                                  \
        const real t = p.x + x, z = t - p.x;                                                                           \
        return (real##2)(t, p.y + ((p.x - (t - z)) + (x - z)));                                                        \
    }                                                                                                                  \
    static inline real##2 plait_pair_merge_##real(const real##2 p, const real##2 q)                                    \
    {                                                                                                                  \
        const real##2 r = plait_pair_add_##real(p, q.x);                                                               \
        return (real##2)(r.x, r.y + q.y);                                                                              \
    }                                                                                                                  \
    static inline real plait_pair_value_##real(const real##2 p)                                                        \
    {                                                                                                                  \
        return isfinite(p.x) ? p.x + p.y : p.x;                                                                        \
    }                                                                                                                  \
    static inline real##4 plait_pair_add_##real##2(const real##4 p, const real##2 x)                                   \
    {                                                                                                                  \
        const real##2 t = p.xy + x, z = t - p.xy;                                                                      \
        return (real##4)(t, p.zw + ((p.xy - (t - z)) + (x - z)));                                                      \
    }                                                                                                                  \
    static inline real##4 plait_pair_merge_##real##2(const real##4 p, const real##4 q)                                 \
    {                                                                                                                  \
        const real##4 r = plait_pair_add_##real##2(p, q.xy);                                                           \
        return (real##4)(r.xy, r.zw + q.zw);                                                                           \
    }                                                                                                                  \
    static inline real##2 plait_pair_value_##real##2(const real##4 p)                                                  \
    {                                                                                                                  \
        return (real##2)(plait_pair_value_##real(p.xz), plait_pair_value_##real(p.yw));                                \
    }                                                                                                                  \
    PLAIT_TO_INT(real, tag, char, -128, 128, CHAR_MIN, CHAR_MAX)                                                       \
    PLAIT_TO_INT(real, tag, uchar, 0, 256, 0, UCHAR_MAX)                                                               \
    PLAIT_TO_INT(real, tag, short, -32768, 32768, SHRT_MIN, SHRT_MAX)                                                  \
    PLAIT_TO_INT(real, tag, ushort, 0, 65536, 0, USHRT_MAX)                                                            \
    PLAIT_TO_INT(real, tag, int, -2147483648.0##L, 2147483648.0##L, INT_MIN, INT_MAX)                                  \
    PLAIT_TO_INT(real, tag, uint, 0, 4294967296.0##L, 0, UINT_MAX)                                                     \
    PLAIT_TO_INT(real, tag, long, -9223372036854775808.0##L, 9223372036854775808.0##L, LONG_MIN, LONG_MAX)             \
    PLAIT_TO_INT(real, tag, ulong, 0, 18446744073709551616.0##L, 0, ULONG_MAX)

PLAIT_REAL(float, f32, f)
#ifdef PLAIT_F64
PLAIT_REAL(double, f64, )
#endif

/* ---- four elements at a time, from and to an aligned address ---- */

#define PLAIT_LOAD4(type, out, p) PLAIT_PASTE(PLAIT_LOAD4_, type)(type, out, p)
#define PLAIT_STORE4(type, p, in) PLAIT_PASTE(PLAIT_STORE4_, type)(type, p, in)
#define PLAIT_LOAD4_REAL(type, out, p)                                                                                 \
    {                                                                                                                  \
        const type##4 w_ = *(__global const type##4 *)(p);                                                             \
        (out)[0] = w_.x;                                                                                               \
        (out)[1] = w_.y;                                                                                               \
        (out)[2] = w_.z;                                                                                               \
        (out)[3] = w_.w;                                                                                               \
    }
#define PLAIT_STORE4_REAL(type, p, in)                                                                                 \
    {                                                                                                                  \
        *(__global type##4 *)(p) = (type##4)((in)[0], (in)[1], (in)[2], (in)[3]);                                      \
    }
#define PLAIT_LOAD4_COMPLEX(type, out, p)                                                                              \
    {                                                                                                                  \
        const type lo_ = ((__global const type *)(p))[0], hi_ = ((__global const type *)(p))[1];                       \
        (out)[0] = lo_.xy;                                                                                             \
        (out)[1] = lo_.zw;                                                                                             \
        (out)[2] = hi_.xy;                                                                                             \
        (out)[3] = hi_.zw;                                                                                             \
    }
#define PLAIT_STORE4_COMPLEX(type, p, in)                                                                              \
    {                                                                                                                  \
        ((__global type *)(p))[0] = (type)((in)[0], (in)[1]);                                                          \
        ((__global type *)(p))[1] = (type)((in)[2], (in)[3]);                                                          \
    }
#define PLAIT_LOAD4_char PLAIT_LOAD4_REAL
#define PLAIT_LOAD4_uchar PLAIT_LOAD4_REAL
#define PLAIT_LOAD4_short PLAIT_LOAD4_REAL
#define PLAIT_LOAD4_ushort PLAIT_LOAD4_REAL
#define PLAIT_LOAD4_int PLAIT_LOAD4_REAL
#define PLAIT_LOAD4_uint PLAIT_LOAD4_REAL
#define PLAIT_LOAD4_long PLAIT_LOAD4_REAL
#define PLAIT_LOAD4_ulong PLAIT_LOAD4_REAL
#define PLAIT_LOAD4_float PLAIT_LOAD4_REAL
#define PLAIT_LOAD4_double PLAIT_LOAD4_REAL
#define PLAIT_LOAD4_float2(type, out, p) PLAIT_LOAD4_COMPLEX(float4, out, p)
#define PLAIT_LOAD4_double2(type, out, p) PLAIT_LOAD4_COMPLEX(double4, out, p)
#define PLAIT_STORE4_char PLAIT_STORE4_REAL
#define PLAIT_STORE4_uchar PLAIT_STORE4_REAL
#define PLAIT_STORE4_short PLAIT_STORE4_REAL
#define PLAIT_STORE4_ushort PLAIT_STORE4_REAL
#define PLAIT_STORE4_int PLAIT_STORE4_REAL
#define PLAIT_STORE4_uint PLAIT_STORE4_REAL
#define PLAIT_STORE4_long PLAIT_STORE4_REAL
#define PLAIT_STORE4_ulong PLAIT_STORE4_REAL
#define PLAIT_STORE4_float PLAIT_STORE4_REAL
#define PLAIT_STORE4_double PLAIT_STORE4_REAL
#define PLAIT_STORE4_float2(type, p, in) PLAIT_STORE4_COMPLEX(float4, p, in)
#define PLAIT_STORE4_double2(type, p, in) PLAIT_STORE4_COMPLEX(double4, p, in)
