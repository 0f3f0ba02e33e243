#include "prelude.cl"
static inline float sum_f32(const float x, const float n)
{
    return x;
}
static inline float max_f32(const float x, const float n)
{
    return x;
}
static inline float mean_f32(const float x, const float n)
{
    return x / n;
}
typedef int I;
#define CPU 0
#define COLUMNS 0
#define KEPT 0
#define REDUCED 1
#define V 4
#define LANES 1
#define BLOCK 128
#define TILE 32
#define FOLDED 0
#define EACH(M) M(0) M(1)
#define A0 float
#define P0 float2
#define T float
#define A_ZERO ((float)(0))
#define A_MIN ((float)-INFINITY)
#define A_MAX ((float)INFINITY)
#define A_MINIMUM(x, y) plait_fminimum(x, y)
#define A_MAXIMUM(x, y) plait_fmaximum(x, y)
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
#define empty0() ((P0)(0))
#define add0 plait_pair_add_float
#define merge0 plait_pair_merge_float
#define value0 plait_pair_value_float
#define A1 float
#define P1 float
#define T float
#define A_ZERO ((float)(0))
#define A_MIN ((float)-INFINITY)
#define A_MAX ((float)INFINITY)
#define A_MINIMUM(x, y) plait_fminimum(x, y)
#define A_MAXIMUM(x, y) plait_fmaximum(x, y)
static inline A1 none1(void)
{
    return A_MIN;
}
static inline A1 join1(const A1 x, const A1 y)
{
    return A_MAXIMUM(x, y);
}
#undef T
#undef A_ZERO
#undef A_MIN
#undef A_MAX
#undef A_MINIMUM
#undef A_MAXIMUM
#define empty1 none1
#define add1 join1
#define merge1 join1
#define value1(p) (p)
#define R0 float
#define R1 float
#define R2 float
#define L0 float
#define LOAD0(k) b0[f0 + (k)]
#define LOAD4_0(a, k) PLAIT_LOAD4(L0, a, b0 + f0 + (k))
#define LEAVES(M) M(0)
static inline void body(const float a0, A0 *y0, A1 *y1)
{
    *y0 = a0;
    *y1 = a0;
}
#define BODY(s) body(a0 s, &(y0 s), &(y1 s))
static inline void tail(const A0 x0, const A1 x1, const I n, R0 *y0, R1 *y1, R2 *y2)
{
    const float tv0 = sum_f32(x0, (float)n);
    const float tv1 = max_f32(x1, (float)n);
    const float tv2 = mean_f32(x0, (float)n);
    *y0 = tv0;
    *y1 = tv1;
    *y2 = tv2;
}
#define FINISH(o, s) \
    { \
    R0 z0; \
    R1 z1; \
    R2 z2; \
    tail(value0(h0 s), value1(h1 s), n_red, &z0, &z1, &z2); \
    r0[o] = z0; \
    r1[o] = z1; \
    r2[o] = z2; \
    }
#define OUTPUT(o) \
    const I e0 = q0;
#define AT(r) \
    const I f0 = e0;
#define PARAMETERS \
    __global const float *restrict b0, \
    const I q0, \
    __global float *restrict r0, \
    __global float *restrict r1, \
    __global float *restrict r2, \
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
    __global float *restrict r1, \
    __global float *restrict r2, \
    __global P0 *restrict g0, \
    __global P1 *restrict g1, \
    const I n_out, \
    const I n_red, \
    const I parts, \
    const I lanes, \
    __local P0 *local0, \
    __local P1 *local1
#include "reduce.cl"
