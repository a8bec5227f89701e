// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A float divided by a number that is known when the kernel is compiled, as GPUs do it: to the same bits as `x / by`, in three instructions for
// most x instead of ten.
//
//   PB_DIVIDE(x, 6.0f)
//   =>  q = x * (1 / 6.0f); q + (x - 6.0f * q) * (1 / 6.0f), with two fused multiply-adds
//
// The second one rounds correctly while neither the quotient nor the remainder is too small or too large for their exponents; for other x, and
// for NaN and infinity, the quotient is computed in double, whose 53 bits are enough for one of 24. Compilers of devices call a function for
// these, which takes registers.
//
// Source: P. Markstein, "Computation of elementary functions on the IBM RISC System/6000 processor", IBM J. Res. Dev. 34(1), 1990, theorem 7;
// N. Brisebarre, J.-M. Muller, S. K. Raina, "Accelerating correctly rounded floating-point division when the divisor is known in advance", IEEE
// Trans. Computers 53(8), 2004. tests/unit/device/division_test.cpp tries all significands of x.
#pragma once

/// The body of `float pb_divided(float x, float by)`, in C; for 2^-20 <= |by| <= 2^20.
#define PB_BODY_OF_DIVIDED                                                                                   \
  {                                                                                                          \
    const float inverse = 1.0f / by, q = x * inverse;                                                        \
    const float exact = fmaf(fmaf(-by, q, x), inverse, q);                                                   \
    if (fabsf(x) > 1e-28f && fabsf(x) < 1e32f)                                                               \
      return exact;                                                                                          \
    if (!(fabsf(x) > 0.0f && fabsf(x) <= 3.402823466e38f))                                                   \
      return q;                                                                                              \
    const double wide = 1.0 / (double)by, w = (double)x * wide;                                              \
    return (float)fma(fma(-(double)by, w, (double)x), wide, w);                                              \
  }
