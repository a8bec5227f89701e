// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Intermediate results in as few cells as are in use: what they become, when they are refused, and that nothing else is computed.
#include "compiler/kernel/print.h"
#include "tests/unit/kernel/programs.h"
#include "tests/unit/kernel/transform/support.h"
#include <gmock/gmock.h>

using namespace pbc::kernel;
using testing::HasSubstr;
using testing::Not;

namespace {

/// T is needed only in the kernel, because each rule reads what the other one writes.
const char *const kPair = R"(
transform Pair from A[n] to C[n] through T[n] {
  T.cell(i) from(A.cell(i) a, C.cell(i-1) c = 0) { return a + 0.5 * c; }
  C.cell(i) from(T.cell(i) t) { return t + 1; }
}
)";
const char *const kSquare = R"(
transform Square from A[w, h] to B[w, h] {
  to(B.cell(x, y) b) from(A.cell(x, y) a) { double s = a * a; double t = s + 1; b = s * t; }
}
)";

/// `buffer`, as print() writes it.
std::string lineOf(const Scheduled &kernel, const std::string &buffer) {
  const std::string text = print(kernel), start = "  buffer " + buffer + " ";
  const std::size_t begin = text.find(start);
  return begin == std::string::npos ? "" : text.substr(begin + 2, text.find('\n', begin) - begin - 2);
}

TEST(KernelContract, IsTheInverseOfFission) {
  Lifted square(kSquare);
  const std::string apart = "(y1, x1, y2, x2, y3, x3) = fission(y, x); ";
  EXPECT_EQ(lineOf(after(square.kernel(), apart), "R0_s"),
            "buffer R0_s double 2-d scratch of (w) x (h), called s");
  const std::string together = apart + "(y) = fuse(y1, y2, y3); (x) = fuse(x1, x2, x3); ";
  EXPECT_EQ(lineOf(after(square.kernel(), together + "contract(R0_s, at = x)"), "R0_s"),
            "buffer R0_s double 2-d local, called s");
  EXPECT_EQ(
      scheduleAfter(square.kernel(), together + "contract(R0_s, at = x); contract(R0_t, at = x); vector(x)"),
      R"(
band y parallel
  vector
    band x parallel
      alloc:R0_t
        alloc:R0_s
          sequence
            R0_S0
            R0_S1
            R0_S2
)");
}

TEST(KernelContract, KeepsARow) {
  Lifted square(kSquare);
  const Scheduled kernel =
      after(square.kernel(),
            "(y1, x1, y2, x2, y3, x3) = fission(y, x); (y) = fuse(y1, y2, y3); contract(R0_s, at = y)");
  EXPECT_EQ(lineOf(kernel, "R0_s"), "buffer R0_s double 3-d scratch of (w) x 1, called s");
  EXPECT_THAT(print(kernel), HasSubstr("R0_s[x, 0, y]"));
}

TEST(KernelContract, KeepsTheLastRowsThatAreRead) {
  Lifted conv(programs::kConvolve3);
  const Scheduled kernel =
      after(conv.kernel(), "layout(A); (y) = fuse(A1, y; shift = 2); contract(A_map, at = y)");
  EXPECT_EQ(lineOf(kernel, "A_map"), "buffer A_map double 2-d scratch of (w) x 3");
  EXPECT_THAT(print(kernel), HasSubstr("A_map[A0, (A1) mod 3] = A[A0, A1]"));
}

TEST(KernelContract, KeepsAPrivateMatrixInACell) {
  Lifted pair(kPair);
  bool isFound = false;
  for (int step = 0; step < pair.steps(); ++step) {
    const Scheduled kernel = pair.kernel(0, step);
    if (kernel.statements.size() < 2)
      continue;
    isFound = true;
    EXPECT_EQ(lineOf(kernel, "T"), "buffer T double 1-d output, private");
    EXPECT_EQ(lineOf(after(kernel, "contract(T, at = i)"), "T"), "buffer T double 1-d local");
  }
  EXPECT_TRUE(isFound);
}

TEST(KernelContract, ComputesTheSame) {
  const std::string apart = "(y1, x1, y2, x2, y3, x3) = fission(y, x); ";
  EXPECT_EQ(differences(
                kSquare,
                {apart + "(y) = fuse(y1, y2, y3); contract(R0_s, at = y)",
                 apart + "(y) = fuse(y1, y2, y3); contract(R0_s, at = y); vector(x1); vector(x3)",
                 "fission(x)", "fission(y, x); tile(y2, x2; 3, 4)",
                 apart + "(y) = fuse(y1, y2, y3); (x) = fuse(x1, x2, x3); contract(R0_s, at = x); vector(x)",
                 "tasks(); " + apart + "(y) = fuse(y1, y2, y3); contract(R0_t, at = y)"}),
            "");
  EXPECT_EQ(differences(kPair, {"contract(T, at = i)"}), "");
  EXPECT_EQ(differences(programs::kConvolve3,
                        {"layout(A); (y) = fuse(A1, y; shift = 2); contract(A_map, at = y)",
                         "layout(A); (y) = fuse(A1, y; shift = 4); contract(A_map, at = y)",
                         "tasks(); layout(A); (y) = fuse(A1, y; shift = 2); contract(A_map, at = y)"}),
            "");
}

TEST(KernelContract, Refuses) {
  Lifted square(kSquare), product(programs::kMatrixProduct);
  EXPECT_EQ(whyNot(square.kernel(), "contract(B, at = x)"), "`B` is a matrix that others read or write, too");
  EXPECT_EQ(whyNot(square.kernel(), "contract(R0_s, at = x)"), "`s` is one variable already");
  EXPECT_EQ(whyNot(square.kernel(), "(y1, x1, y2, x2, y3, x3) = fission(y, x); contract(R0_s, at = y1)"),
            "`R0_S1` uses `s` outside of the loop over `y1`");
  EXPECT_EQ(whyNot(square.kernel(), "fission(x); contract(R0_s, at = y)"),
            "a step of `y` needs as many cells of `s` as there are");
  const std::string rows = "(y1, x1, y2, x2, y3, x3) = fission(y, x); (y) = fuse(y1, y2, y3); ";
  EXPECT_EQ(whyNot(square.kernel(), rows + "vector(x1); contract(R0_s, at = y)"),
            "its loop over `x1` is realised as vector already");
}

} // namespace
