#include "prelude.cl"
#define T float
#define U uint
static inline float add_f32(const float x, const float y)
{
    return x + y;
}
#undef T
#undef U
#define T float
#define U uint
static inline float subtract_f32(const float x, const float y)
{
    return x - y;
}
#undef T
#undef U
typedef int I;
#define RANK 1
#define CPU 0
#define V 4
#define TILED 0
#define R0 float
#define R1 float
#define OUTPUTS(M) M(0) M(1)
#define L0 float
#define LOAD0(k) b0[e0 + (k)]
#define LOAD4_0(a, k) PLAIT_LOAD4(L0, a, b0 + e0 + (k))
#define LEAVES(M) M(0)
static inline void body(const L0 a0, const float c0, R0 *y0, R1 *y1)
{
    const float v1 = add_f32(a0, a0);
    const float v3 = subtract_f32(a0, c0);
    *y0 = v1;
    *y1 = v3;
}
#define BODY(s) body(a0 s, c0, &(y0 s), &(y1 s))
#define ROW(row) \
    const I e0 = q0;
#define PARAMETERS \
    __global const float *restrict b0, \
    const I q0, \
    const float c0, \
    __global float *restrict r0, \
    __global float *restrict r1, \
    const I n
#include "elementwise.cl"
