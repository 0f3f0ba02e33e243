#include "prelude.cl"
#define T float
#define U uint
static inline float add_f32(const float x, const float y)
{
    return x + y;
}
#undef T
#undef U
typedef int I;
#define RANK 2
#define CPU 1
#define V 1
#define TILED 0
#define inner d1
#define R0 float
#define OUTPUTS(M) M(0)
#define L0 float
#define LOAD0(k) b0[e0 + (k)]
#define LOAD4_0(a, k) (a)[0] = LOAD0(k);
#define L1 float
#define LOAD1(k) b1[e1 + (k)]
#define LOAD4_1(a, k) (a)[0] = LOAD1(k);
#define L2 float
#define LOAD2(k) b2[e2]
#define LOAD4_2(a, k) (a)[0] = LOAD2(k);
#define LEAVES(M) M(0) M(1) M(2)
static inline void body(const L0 a0, const L1 a1, const L2 a2, R0 *y0)
{
    const float v2 = add_f32(a0, a1);
    const float v4 = add_f32(v2, a2);
    *y0 = v4;
}
#define BODY(s) body(a0 s, a1 s, a2 s, &(y0 s))
#define ROW(row) \
    const I en0 = (row), ex0 = en0; \
    const I e0 = q0 + ex0 * s0_0; \
    const I e1 = q1 + ex0 * s1_0; \
    const I e2 = q2 + ex0 * s2_0;
#define PARAMETERS \
    __global const float *restrict b0, \
    const I q0, \
    const I s0_0, \
    __global const float *restrict b1, \
    const I q1, \
    const I s1_0, \
    __global const float *restrict b2, \
    const I q2, \
    const I s2_0, \
    __global float *restrict r0, \
    const I d1, \
    const I n, \
    const I chunk
#include "elementwise.cl"
