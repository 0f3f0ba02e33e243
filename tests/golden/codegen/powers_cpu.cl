#include "prelude.cl"
#define T float
#define U uint
static inline float second_f32(const float x)
{
    return x * x;
}
#undef T
#undef U
#define T float
#define U uint
static inline float reciprocal_f32(const float x)
{
    return 1.0f / x;
}
#undef T
#undef U
#define T float
#define U uint
static inline float pow_f32(const float x, const float y)
{
    return pow(x, y);
}
#undef T
#undef U
#define T float
#define U uint
static inline float add_f32(const float x, const float y)
{
    return x + y;
}
#undef T
#undef U
typedef int I;
#define RANK 1
#define CPU 1
#define V 1
#define TILED 0
#define R0 float
#define OUTPUTS(M) M(0)
#define L0 float
#define LOAD0(k) b0[e0 + (k)]
#define LOAD4_0(a, k) (a)[0] = LOAD0(k);
#define L1 float
#define LOAD1(k) b1[e1 + (k)]
#define LOAD4_1(a, k) (a)[0] = LOAD1(k);
#define LEAVES(M) M(0) M(1)
static inline void body(const L0 a0, const L1 a1, const float c0, R0 *y0)
{
    const float v1 = second_f32(a0);
    const float v3 = reciprocal_f32(a1);
    const float v5 = pow_f32(v3, c0);
    const float v6 = add_f32(v1, v5);
    *y0 = v6;
}
#define BODY(s) body(a0 s, a1 s, c0, &(y0 s))
#define ROW(row) \
    const I e0 = q0; \
    const I e1 = q1;
#define PARAMETERS \
    __global const float *restrict b0, \
    const I q0, \
    __global const float *restrict b1, \
    const I q1, \
    const float c0, \
    __global float *restrict r0, \
    const I n, \
    const I chunk
#include "elementwise.cl"
