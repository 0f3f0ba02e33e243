#include "prelude.cl"
static inline float map_2(const float a, const float b)
{
    return (
#line 1 "plait_map: a * b + \"\\\"[0]"
a * b + "\"[0]);
#line 1 "plait generated"
}
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
static inline void body(const L0 a0, const L1 a1, R0 *y0)
{
    const float v2 = map_2(a0, a1);
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
    const I n, \
    const I chunk
#include "elementwise.cl"
