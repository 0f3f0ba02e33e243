#include "prelude.cl"
#define T int
#define U uint
static inline uchar less_i32(const int x, const int y)
{
    return x < y;
}
#undef T
#undef U
#define T float
#define U uint
static inline float where_f32(const int x, const float y, const float z)
{
    return x ? y : z;
}
#undef T
#undef U
typedef int I;
#define RANK 1
#define CPU 1
#define V 1
#define TILED 0
#define R0 uchar
#define OUTPUTS(M) M(0)
#define L0 uchar
#define LOAD0(k) b0[e0 + (k)]
#define LOAD4_0(a, k) (a)[0] = LOAD0(k);
#define L1 int
#define LOAD1(k) b1[e1 + (k)]
#define LOAD4_1(a, k) (a)[0] = LOAD1(k);
#define L2 float
#define LOAD2(k) b2[e2 + (k)]
#define LOAD4_2(a, k) (a)[0] = LOAD2(k);
#define LEAVES(M) M(0) M(1) M(2)
static inline void body(const L0 a0, const L1 a1, const L2 a2, const float c0, R0 *y0)
{
    const uchar v2 = less_i32((int)a0, a1);
    const float v5 = where_f32(v2, a2, c0);
    const uchar v6 = plait_f32_to_uchar(v5);
    *y0 = v6;
}
#define BODY(s) body(a0 s, a1 s, a2 s, c0, &(y0 s))
#define ROW(row) \
    const I e0 = q0; \
    const I e1 = q1; \
    const I e2 = q2;
#define PARAMETERS \
    __global const uchar *restrict b0, \
    const I q0, \
    __global const int *restrict b1, \
    const I q1, \
    __global const float *restrict b2, \
    const I q2, \
    const float c0, \
    __global uchar *restrict r0, \
    const I n, \
    const I chunk
#include "elementwise.cl"
