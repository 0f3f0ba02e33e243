#include "prelude.cl"
#define T float
#define U uint
static inline float subtract_f32(const float x, const float y)
{
    return x - y;
}
#undef T
#undef U
#define T float
#define U uint
static inline float multiply_f32(const float x, const float y)
{
    return x * y;
}
#undef T
#undef U
static inline float mean_f32(const float x, const float n)
{
    return x / n;
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
#define R0 float
#define L0 float
#define LOAD0(k) b0[f0 + (k)]
#define LOAD4_0(a, k) (a)[0] = LOAD0(k);
#define L1 float
#define LOAD1(k) b1[f1 + (k)]
#define LOAD4_1(a, k) (a)[0] = LOAD1(k);
#define LEAVES(M) M(0) M(1)
static inline void body(const float a0, const float a1, A0 *y0)
{
    const float v2 = subtract_f32(a0, a1);
    const float v3 = multiply_f32(v2, v2);
    *y0 = v3;
}
#define BODY(s) body(a0 s, a1 s, &(y0 s))
static inline void tail(const A0 x0, const I n, R0 *y0)
{
    const float tv0 = mean_f32(x0, (float)n);
    *y0 = tv0;
}
#define FINISH(o, s) \
    { \
    R0 z0; \
    tail(value0(h0 s), n_red, &z0); \
    r0[o] = z0; \
    }
#define OUTPUT(o) \
    const I e0 = q0; \
    const I e1 = q1;
#define AT(r) \
    const I f0 = e0; \
    const I f1 = e1;
#define PARAMETERS \
    __global const float *restrict b0, \
    const I q0, \
    __global const float *restrict b1, \
    const I q1, \
    __global float *restrict r0, \
    __global P0 *restrict g0, \
    const I n_out, \
    const I n_red, \
    const I parts, \
    const I part, \
    const I chunk
#define COMBINE_PARAMETERS \
    __global float *restrict r0, \
    __global P0 *restrict g0, \
    const I n_out, \
    const I n_red, \
    const I parts, \
    const I chunk
#include "reduce.cl"
