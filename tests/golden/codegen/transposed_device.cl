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
#define RANK 3
#define CPU 0
#define V 1
#define TILED 0
#define inner d2
#define R0 float
#define OUTPUTS(M) M(0)
#define L0 float
#define LOAD0(k) b0[e0 + (k) * s0_2]
#define LOAD4_0(a, k) (a)[0] = LOAD0(k);
#define L1 float
#define LOAD1(k) b1[e1 + (k)]
#define LOAD4_1(a, k) (a)[0] = LOAD1(k);
#define LEAVES(M) M(0) M(1)
static inline void body(const L0 a0, const L1 a1, R0 *y0)
{
    const float v2 = add_f32(a0, a1);
    *y0 = v2;
}
#define BODY(s) body(a0 s, a1 s, &(y0 s))
#define ROW(row) \
    const I en1 = (row), ex1 = en1 % d1, en0 = en1 / d1, ex0 = en0; \
    const I e0 = q0 + ex0 * s0_0 + ex1 * s0_1; \
    const I e1 = q1 + ex0 * s1_0 + ex1 * s1_1;
#define PARAMETERS \
    __global const float *restrict b0, \
    const I q0, \
    const I s0_0, \
    const I s0_1, \
    const I s0_2, \
    __global const float *restrict b1, \
    const I q1, \
    const I s1_0, \
    const I s1_1, \
    __global float *restrict r0, \
    const I d1, \
    const I d2, \
    const I n
#include "elementwise.cl"
