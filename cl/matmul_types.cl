/*
 * What matmul.cl and matvec.cl compute in.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 *
 *     dtype   REAL    STORED  COMPLEX  LANES (reals a CPU vector holds)
 *     u8      uint    uchar   0        8
 *     i32     uint    uint    0        8
 *     i64     ulong   ulong   0        4
 *     f32     float   float   0        8      (the defaults)
 *     f64     double  double  0        4
 *     c64     float   float   1        8
 *
 * Integers are unsigned here because they wrap. An element is one STORED, or two of a complex number; the arithmetic is
 * on reals everywhere: a complex product is the real product of the real and imaginary parts of one operand with the
 * pairs of the other, and the parts meet when a result is written.
 *
 * Rounding: fma where the device says that it is as fast as a product, else a product and a sum that the compiler may
 * contract. Which of the two is fixed when the kernel is compiled, so a device gives the same bits on every run.
 */
#ifndef REAL
#define REAL float
#define STORED float
#define COMPLEX 0
#define LANES 8
#define IS_F32 1
#endif

#if defined(IS_F64) && defined(cl_khr_fp64)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#if (defined(IS_F32) && defined(FP_FAST_FMAF)) || (defined(IS_F64) && defined(FP_FAST_FMA))
#define MAD(p, q, sum) fma(p, q, sum)
#else
#pragma OPENCL FP_CONTRACT ON
#define MAD(p, q, sum) ((p) * (q) + (sum))
#endif

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define REAL4 JOIN(REAL, 4)
#define VECTOR JOIN(REAL, LANES)
#define LOAD(p) JOIN(convert_, VECTOR)(JOIN(vload, LANES)(0, p))

#if COMPLEX
#define PARTS 2
typedef JOIN(STORED, 2) element;
typedef JOIN(REAL, 2) value;
#define SWAP(v) ((v).s10325476) /* real and imaginary parts change places; LANES is 8 for the only complex dtype */
#define STORE(p, v) (*(p) = (v))
#define READ(p) (*(p))
#define ADD_PRODUCT(p, q, sum)                                                                                         \
    ((value)(MAD(-(p).y, (q).y, MAD((p).x, (q).x, (sum).x)), MAD((p).y, (q).x, MAD((p).x, (q).y, (sum).y))))
#define ONE ((value)(1, 0))
#else
#define PARTS 1
typedef STORED element;
typedef REAL value;
#define STORE(p, v) (*(p) = (STORED)(v))
#define READ(p) ((REAL) * (p))
#define ADD_PRODUCT(p, q, sum) MAD(p, q, sum)
#define ONE ((value)1)
#endif

/*
 * No accumulator takes more than BLOCK terms before its value moves on: to a compensated pair, a partial result in
 * memory, or the next block's sum. So the error of a product grows with BLOCK + k / BLOCK and not with k.
 */
#ifndef BLOCK
#define BLOCK 128
#endif

/* hi + lo becomes hi + lo + x, with the rounding error of the sum kept in lo. */
#define ADD_COMPENSATED(type, hi, lo, x)                                                                               \
    do {                                                                                                               \
        const type sum_ = (hi) + (x), part_ = sum_ - (hi);                                                             \
        (lo) += ((hi) - (sum_ - part_)) + ((x) - part_);                                                               \
        (hi) = sum_;                                                                                                   \
    } while (0)
/* The value of the pair. An infinity in hi has made lo a NaN. */
#define SETTLE(hi, lo) ((lo) == (lo) ? (hi) + (lo) : (hi))
