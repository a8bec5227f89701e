// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Kernels of several nests, for tests of their spaces and bounds.
#pragma once

namespace pbc::search {

/// Rows first, then columns; a row of T is used by three rows of C.
inline const char *const kSeparable = R"(
kernel Separable [n, m]
  buffer A double 2-d input
  buffer W double 1-d input
  buffer T double 2-d output, private
  buffer C double 2-d output
  S0[x, y]: T[x, y] = W[0] * A[x, y] + W[1] * A[x + 1, y] + W[2] * A[x + 2, y]
    { S0[x, y] : 0 <= x < n and 0 <= y < m + 2 }
  S1[x, y]: C[x, y] = W[0] * T[x, y] + W[1] * T[x, y + 1] + W[2] * T[x, y + 2]
    { S1[x, y] : 0 <= x < n and 0 <= y < m }
  schedule
    sequence
      S0
        band y
          band x
      S1
        band y
          band x
)";

/// The same with sums in loops of the bodies.
inline const char *const kSeparableSums = R"(
kernel Sums [n, m]
  buffer A double 2-d input
  buffer W double 1-d input
  buffer T double 2-d output, private
  buffer C double 2-d output
  buffer s double 2-d local
  buffer r double 2-d local
  S0[x, y]: s[x, y] = 0.0
    { S0[x, y] : 0 <= x < n and 0 <= y < m + 2 }
  S1[x, y; i]: s[x, y] += W[i] * A[x + i, y]
    { S1[x, y, i] : 0 <= x < n and 0 <= y < m + 2 and 0 <= i < 3 }
  S2[x, y]: T[x, y] = s[x, y]
    { S2[x, y] : 0 <= x < n and 0 <= y < m + 2 }
  S3[x, y]: r[x, y] = 0.0
    { S3[x, y] : 0 <= x < n and 0 <= y < m }
  S4[x, y; i]: r[x, y] += W[i] * T[x, y + i]
    { S4[x, y, i] : 0 <= x < n and 0 <= y < m and 0 <= i < 3 }
  S5[x, y]: C[x, y] = r[x, y]
    { S5[x, y] : 0 <= x < n and 0 <= y < m }
  schedule
    sequence
      { S0[x, y]; S1[x, y, i]; S2[x, y] }
        band y
          band x
            alloc:s
              sequence
                S0
                S1
                  band i
                S2
      { S3[x, y]; S4[x, y, i]; S5[x, y] }
        band y
          band x
            alloc:r
              sequence
                S3
                S4
                  band i
                S5
)";

/// Two steps of a stencil in time.
inline const char *const kTwoStages = R"(
kernel Stages [n, m]
  buffer A double 2-d input
  buffer T double 2-d output, private
  buffer C double 2-d output
  S0[x, y]: T[x, y] = 0.25 * (A[x - 1, y] + A[x + 1, y] + A[x, y - 1] + A[x, y + 1])
    { S0[x, y] : 1 <= x < n and 1 <= y < m }
  S1[x, y]: C[x, y] = 0.25 * (T[x - 1, y] + T[x + 1, y] + T[x, y - 1] + T[x, y + 1])
    { S1[x, y] : 2 <= x < n - 1 and 2 <= y < m - 1 }
  schedule
    sequence
      S0
        band y
          band x
      S1
        band y
          band x
)";

/// Three maps, each of the cell that the one before has made; the last one also uses the first one's.
inline const char *const kThreeMaps = R"(
kernel Maps [n, m]
  buffer A double 2-d input
  buffer T double 2-d output, private
  buffer U double 2-d output, private
  buffer C double 2-d output
  S0[x, y]: T[x, y] = 2.0 * A[x, y]
    { S0[x, y] : 0 <= x < n and 0 <= y < m }
  S1[x, y]: U[x, y] = T[x, y] + 1.0
    { S1[x, y] : 0 <= x < n and 0 <= y < m }
  S2[x, y]: C[x, y] = U[x, y] * T[x, y]
    { S2[x, y] : 0 <= x < n and 0 <= y < m }
  schedule
    sequence
      S0
        band y
          band x
      S1
        band y
          band x
      S2
        band y
          band x
)";

/// Two makers that do not depend on each other, and a column that has a nest of its own.
inline const char *const kPieces = R"(
kernel Pieces [n, m]
  buffer A double 2-d input
  buffer T double 2-d output, private
  buffer U double 2-d output, private
  buffer C double 2-d output
  S0[x, y]: T[x, y] = A[x, y] + A[x - 1, y]
    { S0[x, y] : 1 <= x < n and 0 <= y < m }
  S1[y]: T[0, y] = A[0, y]
    { S1[y] : 0 <= y < m and n >= 1 }
  S2[x, y]: U[x, y] = 0.5 * A[x, y]
    { S2[x, y] : 0 <= x < n and 0 <= y < m }
  S3[x, y]: C[x, y] = T[x, y] - U[x, y]
    { S3[x, y] : 0 <= x < n and 0 <= y < m }
  schedule
    sequence
      S0
        band y
          band x
      S1
        band y
      S2
        band y
          band x
      S3
        band y
          band x
)";

/// The second nest uses columns of what the first one makes as rows, so that no loop can be shared.
inline const char *const kTurned = R"(
kernel Turned [n]
  buffer A double 2-d input
  buffer T double 1-d output, private
  buffer C double 2-d output
  S0[y]: T[y] = A[0, y] + A[1, y]
    { S0[y] : 0 <= y < n }
  S1[x, y]: C[x, y] = T[x] * A[x, y]
    { S1[x, y] : 0 <= x < n and 0 <= y < n }
  schedule
    sequence
      S0
        band y
      S1
        band y
          band x
)";

/// The last nest is like each of the others, which are not alike: half of what the first one makes is used at each iteration of the second one.
inline const char *const kHalf = R"(
kernel Half [n]
  buffer A double 1-d input
  buffer T double 1-d output, private
  buffer U double 1-d output, private
  buffer C double 1-d output
  S0[x]: T[x] = A[x] * A[x]
    { S0[x] : 0 <= x < 2n }
  S1[x]: U[x] = T[2 * x] - T[2 * x + 1]
    { S1[x] : 0 <= x < n }
  S2[x]: C[x] = U[x] + T[x]
    { S2[x] : 0 <= x < n }
  schedule
    sequence
      S0
        band x
      S1
        band x
      S2
        band x
)";

} // namespace pbc::search
