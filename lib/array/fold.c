/*
 * Plait: operations between numbers, computed on the host.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 * The rows' own expressions are compiled here as C, once for each class; this file defines what they use.
 */
#include "fold.h"

#include <assert.h>
#include <math.h>

/* GCC's vectors have + - == on whole values, as OpenCL's do. */
typedef double complex_value __attribute__((vector_size(16)));

static inline complex_value make_complex(double re, double im)
{
    return (complex_value){re, im};
}

#define RE(z) ((z)[0])
#define IM(z) ((z)[1])
#define max(x, y) ((x) > (y) ? (x) : (y))
#define min(x, y) ((x) < (y) ? (x) : (y))

static inline int64_t plait_iabs(int64_t x)
{
    return x < 0 ? (int64_t)(0 - (uint64_t)x) : x;
}

static inline int64_t plait_ipow(int64_t x, int64_t y)
{
    if (y < 0) {
        return x == 1 ? 1 : x == -1 ? (y % 2 != 0 ? -1 : 1) : 0;
    }
    uint64_t power = 1, square = (uint64_t)x;
    for (uint64_t rest = (uint64_t)y; rest != 0; rest >>= 1) {
        power *= rest & 1 ? square : 1;
        square *= square;
    }
    return (int64_t)power;
}

static inline double plait_fmaximum(double x, double y)
{
    return isnan(x) || isnan(y) ? x + y : x > y || (x == y && !signbit(x)) ? x : y;
}

static inline double plait_fminimum(double x, double y)
{
    return isnan(x) || isnan(y) ? x + y : x < y || (x == y && signbit(x)) ? x : y;
}

static inline complex_value plait_cmul(complex_value x, complex_value y)
{
    return make_complex(RE(x) * RE(y) - IM(x) * IM(y), RE(x) * IM(y) + IM(x) * RE(y));
}

/* Smith's method: no overflow where the quotient itself does not. By zero, each part is divided by zero. */
static inline complex_value plait_cdiv(complex_value x, complex_value y)
{
    if (fabs(RE(y)) >= fabs(IM(y))) {
        double ratio = RE(y) == 0 && IM(y) == 0 ? IM(y) : IM(y) / RE(y), divisor = RE(y) + IM(y) * ratio;
        return make_complex((RE(x) + IM(x) * ratio) / divisor, (IM(x) - RE(x) * ratio) / divisor);
    }
    double ratio = RE(y) / IM(y), divisor = RE(y) * ratio + IM(y);
    return make_complex((RE(x) * ratio + IM(x)) / divisor, (IM(x) * ratio - RE(x)) / divisor);
}

static inline double plait_cabs(complex_value x)
{
    return hypot(RE(x), IM(x));
}

static inline complex_value plait_cexp(complex_value x)
{
    double size = exp(RE(x));
    return IM(x) == 0 ? make_complex(size, IM(x)) : make_complex(size * cos(IM(x)), size * sin(IM(x)));
}

/* Where a result goes, by its C type: a truth value or an integer, a float, a complex. */
static inline plait__value from_int(int64_t result)
{
    return (plait__value){.i = result};
}

static inline plait__value from_double(double result)
{
    return (plait__value){.f = result};
}

static inline plait__value from_complex(complex_value result)
{
    return (plait__value){.c = {result[0], result[1]}};
}

#define RESULT(e) _Generic((e), complex_value : from_complex, double : from_double, default : from_int)(e)
#define E(...) __VA_ARGS__
#define NONE 0 /* never asked for: the table has no expression there */
#define UNUSED_INPUTS (void)x, (void)y, (void)z

/* The C type of x by the row's rule: of SELECT it is a truth value. */
#define X_PLAIT__RULE_SAME(type) type
#define X_PLAIT__RULE_FLOAT(type) type
#define X_PLAIT__RULE_COMPARE(type) type
#define X_PLAIT__RULE_LOGIC(type) type
#define X_PLAIT__RULE_REAL(type) type
#define X_PLAIT__RULE_SELECT(type) int

#define GET_int(v) ((int)(v)->i)
#define GET_int64_t(v) ((v)->i)
#define GET_double(v) ((v)->f)
#define GET_complex_value(v) make_complex((v)->c[0], (v)->c[1])
#define GET_(type) GET_##type
#define GET(type, v) GET_(type)(v)

#define FUNCTION(name, class, type, x_type, e)                                                                         \
    static plait__value class##_##name(const plait__value *v)                                                          \
    {                                                                                                                  \
        x_type x = GET(x_type, v);                                                                                     \
        type y = GET(type, v + 1), z = GET(type, v + 2);                                                               \
        (void)x, (void)y, (void)z;                                                                                     \
        return RESULT(e);                                                                                              \
    }

#define TL(literal) literal

#define PLAIT_OP(name, arity, rule, b, i, u, f, c, since, doc)                                                         \
    FUNCTION(name, bool, int, X_##rule(int), b)                                                                        \
    FUNCTION(name, float, double, X_##rule(double), f)                                                                 \
    FUNCTION(name, complex, complex_value, X_##rule(complex_value), c)
#include "ops.def"
#undef PLAIT_OP

#define T int64_t
#define U uint64_t
#define PLAIT_OP(name, arity, rule, b, i, u, f, c, since, doc) FUNCTION(name, int, int64_t, X_##rule(int64_t), i)
#include "ops.def"
#undef PLAIT_OP
#undef T
#undef U

static plait__value (*const functions[PLAIT__OP_COUNT][PLAIT__CLASS_COUNT])(const plait__value *v) = {
#define PLAIT_OP(name, arity, rule, b, i, u, f, c, since, doc)                                                         \
    [PLAIT__OP_##name] = {[PLAIT__CLASS_BOOL] = bool_##name,                                                           \
                          [PLAIT__CLASS_INT] = int_##name,                                                             \
                          [PLAIT__CLASS_FLOAT] = float_##name,                                                         \
                          [PLAIT__CLASS_COMPLEX] = complex_##name},
#include "ops.def"
#undef PLAIT_OP
};

plait__value plait__fold(const plait__op *op, plait__class class, const plait__value *inputs)
{
    assert(op->expression[class] != NULL && class != PLAIT__CLASS_UINT);
    plait__value v[3] = {{0}};
    for (uint8_t i = 0; i < op->arity; i++) {
        v[i] = inputs[i];
    }
    return functions[op - plait__ops][class](v);
}

plait__value plait__value_convert(plait__value value, plait__class from, plait__class to)
{
    plait__value out = {0};
    switch (to) {
    case PLAIT__CLASS_BOOL:
        out.i = from >= PLAIT__CLASS_COMPLEX ? value.c[0] != 0 || value.c[1] != 0
                : from == PLAIT__CLASS_FLOAT ? value.f != 0
                                             : value.i != 0;
        return out;
    case PLAIT__CLASS_INT:
    case PLAIT__CLASS_UINT:
        assert(from <= PLAIT__CLASS_UINT);
        return value;
    case PLAIT__CLASS_FLOAT:
        assert(from <= PLAIT__CLASS_FLOAT);
        out.f = from == PLAIT__CLASS_FLOAT ? value.f : (double)value.i;
        return out;
    default:
        if (from == PLAIT__CLASS_COMPLEX) {
            return value;
        }
        out.c[0] = from == PLAIT__CLASS_FLOAT ? value.f : (double)value.i;
        return out;
    }
}
