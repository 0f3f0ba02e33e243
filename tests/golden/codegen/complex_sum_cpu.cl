#include "prelude.cl"
static inline float2 sum_c64(const float2 x, const float n)
{
    return x;
}
typedef int I;
#define CPU 1
#define COLUMNS 0
#define KEPT 0
#define REDUCED 1
#define V 1
#define LANES 64
#define BLOCK 128
#define TILE 2048
#define FOLDED 0
#define EACH(M) M(0)
#define A0 float2
#define P0 float4
#define T float2
#define A_ZERO ((float2)(0))
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
#define empty0() ((P0)(0))
#define add0 plait_pair_add_float2
#define merge0 plait_pair_merge_float2
#define value0 plait_pair_value_float2
#define R0 float2
#define L0 float2
#define LOAD0(k) b0[f0 + (k)]
#define LOAD4_0(a, k) (a)[0] = LOAD0(k);
#define LEAVES(M) M(0)
static inline void body(const float2 a0, A0 *y0)
{
    *y0 = a0;
}
#define BODY(s) body(a0 s, &(y0 s))
static inline void tail(const A0 x0, const I n, R0 *y0)
{
    const float2 tv0 = sum_c64(x0, (float)n);
    *y0 = tv0;
}
#define FINISH(o, s) \
    { \
    R0 z0; \
    tail(value0(h0 s), n_red, &z0); \
    r0[o] = z0; \
    }
#define OUTPUT(o) \
    const I e0 = q0;
#define AT(r) \
    const I f0 = e0;
#define PARAMETERS \
    __global const float2 *restrict b0, \
    const I q0, \
    __global float2 *restrict r0, \
    __global P0 *restrict g0, \
    const I n_out, \
    const I n_red, \
    const I parts, \
    const I part, \
    const I chunk
#define COMBINE_PARAMETERS \
    __global float2 *restrict r0, \
    __global P0 *restrict g0, \
    const I n_out, \
    const I n_red, \
    const I parts, \
    const I chunk
#include "reduce.cl"
