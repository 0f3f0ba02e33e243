#include "prelude.cl"
#define T float
#define U uint
static inline uchar less_f32(const float x, const float y)
{
    return x < y;
}
#undef T
#undef U
static inline float mean_f32(const float x, const float n)
{
    return x / n;
}
typedef int I;
#define CPU 0
#define COLUMNS 0
#define KEPT 1
#define REDUCED 1
#define V 4
#define LANES 1
#define BLOCK 128
#define TILE 32
#define FOLDED 0
#define EACH(M) M(0) M(1)
#define A0 long
#define P0 long
#define T long
#define A_ZERO ((long)(0))
#define A_MIN ((long)LONG_MIN)
#define A_MAX ((long)LONG_MAX)
#define A_MINIMUM(x, y) min(x, y)
#define A_MAXIMUM(x, y) max(x, y)
static inline A0 none0(void)
{
    return A_ZERO;
}
static inline A0 join0(const A0 x, const A0 y)
{
    return x + y;
}
#undef T
#undef A_ZERO
#undef A_MIN
#undef A_MAX
#undef A_MINIMUM
#undef A_MAXIMUM
#define empty0 none0
#define add0 join0
#define merge0 join0
#define value0(p) (p)
#define A1 float
#define P1 float2
#define T float
#define A_ZERO ((float)(0))
#define A_MIN ((float)-INFINITY)
#define A_MAX ((float)INFINITY)
#define A_MINIMUM(x, y) plait_fminimum(x, y)
#define A_MAXIMUM(x, y) plait_fmaximum(x, y)
static inline A1 none1(void)
{
    return A_ZERO;
}
static inline A1 join1(const A1 x, const A1 y)
{
    return x + y;
}
#undef T
#undef A_ZERO
#undef A_MIN
#undef A_MAX
#undef A_MINIMUM
#undef A_MAXIMUM
#define empty1() ((P1)(0))
#define add1 plait_pair_add_float
#define merge1 plait_pair_merge_float
#define value1 plait_pair_value_float
#define R0 float
#define L0 float
#define LOAD0(k) b0[f0 + (k)]
#define LOAD4_0(a, k) PLAIT_LOAD4(L0, a, b0 + f0 + (k))
#define L1 float
#define LOAD1(k) b1[f1 + (k)]
#define LOAD4_1(a, k) PLAIT_LOAD4(L1, a, b1 + f1 + (k))
#define LEAVES(M) M(0) M(1)
static inline void body(const float a0, const float a1, const float c0, A0 *y0, A1 *y1)
{
    const uchar v2 = less_f32(a0, c0);
    *y0 = (long)v2;
    *y1 = v2 ? a1 : none1();
}
#define BODY(s) body(a0 s, a1 s, c0, &(y0 s), &(y1 s))
static inline void tail(const A0 x0, const A1 x1, const I n, R0 *y0)
{
    const float tv0 = mean_f32(x1, (float)x0);
    *y0 = tv0;
}
#define FINISH(o, s) \
    { \
    R0 z0; \
    tail(value0(h0 s), value1(h1 s), n_red, &z0); \
    r0[o] = z0; \
    }
#define OUTPUT(o) \
    const I en0 = (o), ex0 = en0; \
    const I e0 = q0 + ex0 * s0_0; \
    const I e1 = q1 + ex0 * s1_0;
#define AT(r) \
    const I f0 = e0; \
    const I f1 = e1;
#define PARAMETERS \
    __global const float *restrict b0, \
    const I q0, \
    const I s0_0, \
    __global const float *restrict b1, \
    const I q1, \
    const I s1_0, \
    const float c0, \
    __global float *restrict r0, \
    __global P0 *restrict g0, \
    __global P1 *restrict g1, \
    const I n_out, \
    const I n_red, \
    const I parts, \
    const I part, \
    const I lanes, \
    __local P0 *local0, \
    __local P1 *local1
#define COMBINE_PARAMETERS \
    __global float *restrict r0, \
    __global P0 *restrict g0, \
    __global P1 *restrict g1, \
    const I n_out, \
    const I n_red, \
    const I parts, \
    const I lanes, \
    __local P0 *local0, \
    __local P1 *local1
#include "reduce.cl"
