#include "prelude.cl"
static inline float max_f32(const float x, const float n)
{
    return x;
}
typedef int I;
#define CPU 0
#define COLUMNS 0
#define KEPT 1
#define REDUCED 2
#define V 1
#define LANES 1
#define BLOCK 128
#define TILE 32
#define FOLDED 0
#define inner d2
#define EACH(M) M(0)
#define A0 float
#define P0 float
#define T float
#define A_ZERO ((float)(0))
#define A_MIN ((float)-INFINITY)
#define A_MAX ((float)INFINITY)
#define A_MINIMUM(x, y) plait_fminimum(x, y)
#define A_MAXIMUM(x, y) plait_fmaximum(x, y)
static inline A0 none0(void)
{
    return A_MIN;
}
static inline A0 join0(const A0 x, const A0 y)
{
    return A_MAXIMUM(x, y);
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
#define R0 float
#define L0 float
#define LOAD0(k) b0[f0 + (k)]
#define LOAD4_0(a, k) (a)[0] = LOAD0(k);
#define LEAVES(M) M(0)
static inline void body(const float a0, A0 *y0)
{
    *y0 = a0;
}
#define BODY(s) body(a0 s, &(y0 s))
static inline void tail(const A0 x0, const I n, R0 *y0)
{
    const float tv0 = max_f32(x0, (float)n);
    *y0 = tv0;
}
#define FINISH(o, s) \
    { \
    R0 z0; \
    tail(value0(h0 s), n_red, &z0); \
    r0[o] = z0; \
    }
#define OUTPUT(o) \
    const I en0 = (o), ex0 = en0; \
    const I e0 = q0 + ex0 * s0_0;
#define AT(r) \
    const I fn1 = (r) / inner, fx1 = fn1; \
    const I f0 = e0 + fx1 * s0_1;
#define PARAMETERS \
    __global const float *restrict b0, \
    const I q0, \
    const I s0_0, \
    const I s0_1, \
    __global float *restrict r0, \
    __global P0 *restrict g0, \
    const I d2, \
    const I n_out, \
    const I n_red, \
    const I parts, \
    const I part, \
    const I lanes, \
    __local P0 *local0
#define COMBINE_PARAMETERS \
    __global float *restrict r0, \
    __global P0 *restrict g0, \
    const I n_out, \
    const I n_red, \
    const I parts, \
    const I lanes, \
    __local P0 *local0
#include "reduce.cl"
