// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support.h"
#include <gtest/gtest.h>

namespace pbc::body {
namespace {

TEST(Print, TheWalksProgram) {
  Understood u(
      "transform Smooth\n"
      "from A[n]\n"
      "to B[n]\n"
      "{\n"
      "  B.cell(i) from(A.region(i-1, i+2) a) {            // interior\n"
      "    ElementT s = 0;\n"
      "    for (int k = 0; k < 3; ++k) s += a.cell(k);\n"
      "    return s / 3;\n"
      "  }\n"
      "  secondary B.cell(i) from(A.cell(i) a) { return a; }   // what the first cannot reach\n"
      "  to(B b) from(A a) { SmoothByPrefixSums(b, a); }        // another algorithm for everything\n"
      "}\n"
      "transform SmoothByPrefixSums from A[n] to B[n] { to(B b) from(A a) { } }\n");
  EXPECT_EQ(u.messages, "");
  EXPECT_EQ(u.emitted(), "Smooth.0  writes B[i]  reads A[i - 1 : i + 2]  liftable\n"
                         "  s = 0.0\n"
                         "  for k in [0, 3)\n"
                         "    s += a[k]\n"
                         "  B = s / 3.0\n"
                         "Smooth.1  writes B[i]  reads A[i]  liftable\n"
                         "  B = a\n"
                         "Smooth.2  writes B[0 : n]  reads A[0 : n]  calls SmoothByPrefixSums  not liftable: "
                         "it calls the transform "
                         "`SmoothByPrefixSums` (line 11)\n"
                         "SmoothByPrefixSums.0  writes B[0 : n]  reads A[0 : n]  liftable\n");
}

} // namespace
} // namespace pbc::body
