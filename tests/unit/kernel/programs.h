// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The programs that the tests of this folder share.
#pragma once

namespace pbc::kernel::programs {

inline constexpr const char *kAdd = R"(
transform Add from A[n], B[n] to C[n] { C.cell(i) from(A.cell(i) a, B.cell(i) b) { return a + b; } }
)";
inline constexpr const char *kConvolve3 = R"(
transform Conv3 from A[w, h], K[3, 3] to B[w-2, h-2] {
  B.cell(x, y) from(A.region(x, y, x+3, y+3) a, K k) {
    double s = 0;
    for (int j = 0; j < 3; ++j) for (int i = 0; i < 3; ++i) s += a.cell(i, j) * k.cell(i, j);
    return s;
  }
}
)";
inline constexpr const char *kConvolve7 = R"(
transform Conv7 from A[w, h], K[7] to B[w-6, h] {
  B.cell(x, y) from(A.region(x, y, x+7, y+1) a, K k) {
    double s = 0;
    for (int i = 0; i < 7; ++i) s += a.cell(i, 0) * k.cell(i);
    return s;
  }
}
)";
inline constexpr const char *kConvolveRuntime = R"(
transform ConvR from A[w, h], K[kw] to B[w-kw+1, h] {
  B.cell(x, y) from(A.region(x, y, x+kw, y+1) a, K k) {
    double s = 0;
    for (int i = 0; i < kw; ++i) s += a.cell(i, 0) * k.cell(i);
    return s;
  }
}
)";
inline constexpr const char *kMatrixProduct = R"(
transform MM from A[c, h], B[w, c] to AB[w, h] {
  AB.cell(x, y) from(A.row(y) a, B.column(x) b) {
    double s = 0;
    for (int k = 0; k < c; ++k) s += a.cell(k) * b.cell(k);
    return s;
  }
}
)";
inline constexpr const char *kStencil = R"(
transform Stencil from A[w, h] to B[w, h] {
  B.cell(x, y) from(A.cell(x, y) c, A.cell(x-1, y) l, A.cell(x+1, y) r, A.cell(x, y-1) u, A.cell(x, y+1) d) {
    return 0.5 * c + 0.125 * (l + r + u + d);
  }
  secondary B.cell(x, y) from(A.cell(x, y) a) { return a; }
}
)";
inline constexpr const char *kPrefix = R"(
transform Prefix from A[n] to B[n] {
  B.cell(i) from(B.cell(i-1) p, A.cell(i) a) { return p + a; }
  secondary B.cell(i) from(A.cell(i) a) { return a; }
}
)";
inline constexpr const char *kRows = R"(
transform RowRec from A[w, h] to B[w, h] {
  B.cell(x, y) from(B.cell(x, y-1) p, A.cell(x, y) a) { return 0.5 * p + a; }
  secondary B.cell(x, y) from(A.cell(x, y) a) { return a; }
}
)";
inline constexpr const char *kTriangle = R"(
transform Triangle from A[n, n] to B[n, n] {
  B.cell(x, y) from(A.row(y) a) {
    double s = 0;
    for (int k = 0; k <= x; ++k) s += a.cell(k);
    return s;
  }
}
)";

} // namespace pbc::kernel::programs
