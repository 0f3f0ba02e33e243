#define PLAIT_F64
#include "prelude.cl"
#define T double
#define U ulong
static inline double exp_f64(const double x)
{
    return exp(x);
}
#undef T
#undef U
static inline double mean_f64(const double x, const double n)
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
#define A0 double
#define P0 double2
#define T double
#define A_ZERO ((double)(0))
#define A_MIN ((double)-INFINITY)
#define A_MAX ((double)INFINITY)
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
#define add0 plait_pair_add_double
#define merge0 plait_pair_merge_double
#define value0 plait_pair_value_double
#define R0 double
#define L0 double
#define LOAD0(k) b0[f0 + (k)]
#define LOAD4_0(a, k) (a)[0] = LOAD0(k);
#define LEAVES(M) M(0)
static inline void body(const double a0, A0 *y0)
{
    const double v1 = exp_f64(a0);
    *y0 = v1;
}
#define BODY(s) body(a0 s, &(y0 s))
static inline void tail(const A0 x0, const I n, R0 *y0)
{
    const double tv0 = mean_f64(x0, (double)n);
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
    __global const double *restrict b0, \
    const I q0, \
    __global double *restrict r0, \
    __global P0 *restrict g0, \
    const I n_out, \
    const I n_red, \
    const I parts, \
    const I part, \
    const I chunk
#define COMBINE_PARAMETERS \
    __global double *restrict r0, \
    __global P0 *restrict g0, \
    const I n_out, \
    const I n_red, \
    const I parts, \
    const I chunk
#include "reduce.cl"
