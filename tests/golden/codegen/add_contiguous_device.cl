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
#define RANK 1
#define CPU 0
#define V 4
#define TILED 0
#define R0 float
#define OUTPUTS(M) M(0)
#define L0 float
#define LOAD0(k) b0[e0 + (k)]
#define LOAD4_0(a, k) PLAIT_LOAD4(L0, a, b0 + e0 + (k))
#define L1 float
#define LOAD1(k) b1[e1 + (k)]
#define LOAD4_1(a, k) PLAIT_LOAD4(L1, a, b1 + e1 + (k))
#define LEAVES(M) M(0) M(1)
static inline void body(const L0 a0, const L1 a1, R0 *y0)
{
    const float v2 = add_f32(a0, a1);
    *y0 = v2;
}
#define BODY(s) body(a0 s, a1 s, &(y0 s))
#define ROW(row) \
    const I e0 = q0; \
    const I e1 = q1;
#define PARAMETERS \
    __global const float *restrict b0, \
    const I q0, \
    __global const float *restrict b1, \
    const I q1, \
    __global float *restrict r0, \
    const I n
#include "elementwise.cl"
