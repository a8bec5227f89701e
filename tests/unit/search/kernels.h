// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Kernels for tests of their spaces and bounds.
#pragma once

namespace pbc::search {

inline const char *const kScale = R"(
kernel Scale [n]
  buffer A double 1-d input
  buffer C double 1-d output
  S[x]: C[x] = 3.0 * A[x]
    { S[x] : 0 <= x < n }
  schedule
    band x
)";

inline const char *const kStencil = R"(
kernel Heat [n, m]
  buffer A double 2-d input
  buffer C double 2-d output
  S[x, y]: C[x, y] = A[x - 1, y] + A[x + 1, y] + A[x, y - 1] + A[x, y + 1]
    { S[x, y] : 1 <= x < n and 1 <= y < m }
  schedule
    band y
      band x
)";

/// A weighted mean of nine cells, with a loop in the body for the weights of a row.
inline const char *const kNinePoints = R"(
kernel Smooth [n, m]
  buffer A double 2-d input
  buffer C double 2-d output
  S[x, y]: C[x, y] = 0.25 * (A[x - 1, y - 1] + A[x, y - 1] + A[x + 1, y - 1]) + 0.5 * (A[x - 1, y] + A[x, y] + A[x + 1, y]) + 0.25 * (A[x - 1, y + 1] + A[x, y + 1] + A[x + 1, y + 1])
    { S[x, y] : 1 <= x < n and 1 <= y < m }
  schedule
    band y
      band x
)";

/// The half of a separable convolution that goes along rows; the number of weights is known.
inline const char *const kRowConvolution = R"(
kernel Rows [n, m]
  buffer s double 2-d local
  buffer A double 2-d input
  buffer W double 1-d input
  buffer C double 2-d output
  S0[x, y]: s[x, y] = 0.0
    { S0[x, y] : 0 <= x < n and 0 <= y < m }
  S1[x, y; i]: s[x, y] += W[i] * A[x + i, y]
    { S1[x, y, i] : 0 <= x < n and 0 <= y < m and 0 <= i < 7 }
  S2[x, y]: C[x, y] = s[x, y]
    { S2[x, y] : 0 <= x < n and 0 <= y < m }
  schedule
    band y
      band x
        alloc:s
          sequence
            S0
            S1
              band i
            S2
)";

/// The half that goes along columns; the number of weights is a size.
inline const char *const kColumnConvolution = R"(
kernel Columns [n, m, k]
  buffer s double 2-d local
  buffer A double 2-d input
  buffer W double 1-d input
  buffer C double 2-d output
  S0[x, y]: s[x, y] = 0.0
    { S0[x, y] : 0 <= x < n and 0 <= y < m }
  S1[x, y; i]: s[x, y] += W[i] * A[x, y + i]
    { S1[x, y, i] : 0 <= x < n and 0 <= y < m and 0 <= i < k }
  S2[x, y]: C[x, y] = s[x, y]
    { S2[x, y] : 0 <= x < n and 0 <= y < m }
  schedule
    band y
      band x
        alloc:s
          sequence
            S0
            S1
              band i
            S2
)";

/// All sizes are known.
inline const char *const kSmallMap = R"(
kernel Small
  buffer A float 2-d input
  buffer B float 1-d input
  buffer C float 2-d output
  S[x, y]: C[x, y] = A[x, y] * B[y] + 1.0f
    { S[x, y] : 0 <= x < 32 and 0 <= y < 24 }
  schedule
    band y
      band x
)";

/// Below the diagonal.
inline const char *const kTriangle = R"(
kernel Triangle [n]
  buffer A double 2-d input
  buffer C double 2-d output
  S[x, y]: C[x, y] = 2.0 * A[x, y]
    { S[x, y] : 0 <= x <= y and 0 <= y < n }
  schedule
    band y
      band x
)";

inline const char *const kRowSums = R"(
kernel Sums [n, m]
  buffer s double 1-d local
  buffer A double 2-d input
  buffer C double 1-d output
  S0[y]: s[y] = 0.0
    { S0[y] : 0 <= y < n }
  S1[y; i]: s[y] += A[i, y]
    { S1[y, i] : 0 <= y < n and 0 <= i < m }
  S2[y]: C[y] = s[y]
    { S2[y] : 0 <= y < n }
  schedule
    band y
      alloc:s
        sequence
          S0
          S1
            band i
          S2
)";

inline const char *const kDot = R"(
kernel Dot [n]  may reassociate
  buffer s double 0-d local
  buffer A double 1-d input
  buffer B double 1-d input
  buffer C double 0-d output
  S0[]: s[] = 0.0
    { S0[] }
  S1[; i]: s[] += A[i] * B[i]
    { S1[i] : 0 <= i < n }
  S2[]: C[] = s[]
    { S2[] }
  schedule
    alloc:s
      sequence
        S0
        S1
          band i
        S2
)";

/// Each row is done before the next one, so that the loops stay as they are.
inline const char *const kSweep = R"(
kernel Sweep [n, m]
  buffer C double 2-d output
  S[x, y]: C[x, y] = C[x, y - 1] + C[x + 1, y - 1]
    { S[x, y] : 0 <= x < n and 1 <= y < m }
  schedule
    band y
      band x
)";

inline const char *const kProduct = R"(
kernel Product [n, m]
  buffer s double 2-d local
  buffer A double 2-d input
  buffer B double 2-d input
  buffer C double 2-d output
  S0[x, y]: s[x, y] = 0.0
    { S0[x, y] : 0 <= x < n and 0 <= y < n }
  S1[x, y; i]: s[x, y] += A[i, y] * B[x, i]
    { S1[x, y, i] : 0 <= x < n and 0 <= y < n and 0 <= i < m }
  S2[x, y]: C[x, y] = s[x, y]
    { S2[x, y] : 0 <= x < n and 0 <= y < n }
  schedule
    band y
      band x
        alloc:s
          sequence
            S0
            S1
              band i
            S2
)";

} // namespace pbc::search
