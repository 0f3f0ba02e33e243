#include "prelude.cl"
static inline long sum_i64(const long x, const long n)
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
#define A0 long
#define P0 long
#define T long
#define A_ZERO ((long)(0))
#define A_MIN ((long)LONG_MIN)
#define A_MAX ((long)LONG_MAX)
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
#define empty0 none0
#define add0 join0
#define merge0 join0
#define value0(p) (p)
#define R0 long
#define L0 int
#define LOAD0(k) b0[f0 + (k)]
#define LOAD4_0(a, k) (a)[0] = LOAD0(k);
#define LEAVES(M) M(0)
static inline void body(const int a0, A0 *y0)
{
    *y0 = (long)a0;
}
#define BODY(s) body(a0 s, &(y0 s))
static inline void tail(const A0 x0, const I n, R0 *y0)
{
    const long tv0 = sum_i64(x0, (long)n);
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
    __global const int *restrict b0, \
    const I q0, \
    __global long *restrict r0, \
    __global P0 *restrict g0, \
    const I n_out, \
    const I n_red, \
    const I parts, \
    const I part, \
    const I chunk
#define COMBINE_PARAMETERS \
    __global long *restrict r0, \
    __global P0 *restrict g0, \
    const I n_out, \
    const I n_red, \
    const I parts, \
    const I chunk
#include "reduce.cl"
