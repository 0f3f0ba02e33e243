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
#define L0 I
#define LOAD0(k) (e0 + (k))
#define LOAD4_0(a, k) for (int u_ = 0; u_ < V; u_++) { (a)[u_] = LOAD0((k) + u_); }
#define LEAVES(M) M(0)
static inline void body(const L0 a0, const float c0, const float c1, const float c2, R0 *y0)
{
    const float v3 = c0 + (float)a0 * c1;
    const float v5 = add_f32(v3, c2);
    *y0 = v5;
}
#define BODY(s) body(a0 s, c0, c1, c2, &(y0 s))
#define ROW(row) \
    const I e0 = q0;
#define PARAMETERS \
    const I q0, \
    const float c0, \
    const float c1, \
    const float c2, \
    __global float *restrict r0, \
    const I n
#include "elementwise.cl"
