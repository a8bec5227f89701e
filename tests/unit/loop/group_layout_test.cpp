// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Where the compiler's own versions for devices lay what a group copies: all accesses, those of the copies and those of the points, need
// each bank of the memory once.
#include "compiler/emit/kernel/nest.h"
#include "compiler/kernel/policy/device.h"
#include "compiler/kernel/transform/run.h"
#include "compiler/loop/bank_conflicts.h"
#include "compiler/loop/lower/lower.h"
#include "tests/unit/transform/textual.h"
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace pbc::loop {
namespace {

/// s += value for i < k at all points of `points`, then C = s.
std::string sumOf(const std::string &element, const std::string &matrices, const std::string &points,
                  const std::string &value, const std::string &where = "") {
  const bool isPlane = points == "x, y";
  const std::string inside = isPlane ? "0 <= x < w and 0 <= y < h" : "0 <= x < w";
  std::string loops = isPlane ? "    band y parallel\n      band x parallel\n" : "    band x parallel\n";
  const std::string deeper = isPlane ? "        " : "      ";
  return fmt::format(
      "kernel Sum [k, h, w]\n  context k >= 0 and h >= 0 and w >= 0\n  buffer s {0} {1}-d local\n{2}"
      "  buffer C {0} {1}-d output\n  S0[{3}]: s[{3}] = 0.0{8}\n    {{ S0[{3}] : {4} }}\n"
      "  S1[{3}; i]: s[{3}] += {5}\n    {{ S1[{3}, i] : {4} and 0 <= i < k{9} }}\n  S2[{3}]: C[{3}] = "
      "s[{3}]\n"
      "    {{ S2[{3}] : {4} }}\n  schedule\n{6}{7}alloc:s\n{7}  sequence\n{7}    S0\n{7}    S1\n{7}      "
      "band "
      "i\n{7}    S2\n",
      element, isPlane ? 2 : 1, matrices, points, inside, value, loops, deeper, element == "float" ? "f" : "",
      where);
}

/// The largest degree of conflict in one of the kernel's versions; 0 if there is none, or if it copies nothing.
int degreeOf(const std::string &version, const std::string &kernel, const LaunchShape &shape) {
  kernel::Texts t;
  const std::vector<kernel::DeviceVersion> versions =
      kernel::deviceVersions(kernel::withLabels(t.kernel(kernel)));
  const auto at = std::find_if(versions.begin(), versions.end(),
                               [&](const kernel::DeviceVersion &v) { return v.name == version; });
  if (at == versions.end() || !at->exists()) {
    ADD_FAILURE() << versions.size() << " versions, " << version << ": "
                  << (at == versions.end() ? "none" : at->why) << '\n'
                  << kernel;
    return 0;
  }
  const Nest nest = emit::kernelNest(at->kernel, true).nest;
  int worst = 0;
  for (const BankUse &use : bankUses(nest.buffers, lower(nest, {true, false, true}).body, shape))
    worst = std::max({worst, use.reads, use.writes});
  return worst;
}

int degreeOfBlocks(const std::string &kernel, const LaunchShape &shape) {
  return degreeOf("blocks", kernel, shape);
}

const LaunchShape kSquare{{16, 8, 1}, {8, 8, 1}}, kRow{{128, 1, 1}, {2, 1, 1}};

std::string matricesOf(const std::string &element, int rank = 2) {
  return fmt::format("  buffer A {0} {1}-d input\n  buffer B {0} {1}-d input\n", element, rank);
}

TEST(GroupLayout, ProductsOfRowsAndColumns) {
  for (const char *element : {"float", "double"})
    for (const char *value :
         {"A[i, y] * B[x, i]", "A[y, i] * B[x, i]", "A[i, y] * B[i, x]", "A[y, i] * B[i, x]"})
      EXPECT_EQ(degreeOfBlocks(sumOf(element, matricesOf(element), "x, y", value), kSquare), 1)
          << element << ": " << value;
}

TEST(GroupLayout, TrianglesWhosePointsHaveConditions) {
  const auto degree = [](const char *element, const char *where) {
    return degreeOfBlocks(sumOf(element, matricesOf(element), "x, y", "A[i, y] * B[x, i]", where), kSquare);
  };
  EXPECT_EQ(degree("float", " and i <= y"), 1);
  EXPECT_EQ(degree("double", " and i >= y"), 1);
  EXPECT_EQ(degree("double", " and i >= x"), 1);
  EXPECT_EQ(degree("double", " and i <= x"), 1);
  EXPECT_EQ(degree("float", " and i <= x"), 1);
}

/// Rows of two cells: what a warp copies of them is 16 rows, which lie in all banks only if the memory's two rows are far enough apart.
TEST(GroupLayout, NarrowRows) {
  EXPECT_EQ(
      degreeOfBlocks(sumOf("double", matricesOf("double"), "x", "(A[0, x] - B[0, i]) * (A[1, x] - B[1, i])"),
                     kRow),
      1);
}

TEST(GroupLayout, PartsOfComplexNumbers) {
  EXPECT_EQ(degreeOfBlocks(sumOf("float", matricesOf("float", 3), "x, y",
                                 "A[0, i, y] * B[0, x, i] - A[1, i, y] * B[1, x, i]"),
                           {{32, 8, 1}, {4, 4, 1}}),
            1);
}

/// Items read every second, third, .. cell of a row, and the first one of their neighbour's.
TEST(GroupLayout, RowsOfWhichEachItemReadsEverySoManyCells) {
  for (const char *element : {"float", "double"})
    for (const int step : {2, 3, 4, 6, 8})
      for (const char *cell : {"A[{0}x, y] + A[{0}x + 1, y] + A[{0}x + {0}, y]",
                               "A[y, {0}x] + A[y, {0}x + 1] + A[y, {0}x + {0}]"}) {
        const std::string kernel =
            fmt::format("kernel Every [w, h]\n  context w >= 0 and h >= 0\n  buffer A {0} 2-d input\n"
                        "  buffer B {0} 2-d output\n  S0[x, y]: B[x, y] = {1}\n    {{ S0[x, y] : 0 <= x < w "
                        "and 0 <= y < h }}\n"
                        "  schedule\n    band y parallel\n      band x parallel\n",
                        element, fmt::format(fmt::runtime(cell), step));
        EXPECT_EQ(degreeOf("local", kernel, {{32, 8, 1}, {1, 1, 1}}), 1) << kernel;
      }
}

TEST(GroupLayout, StripsOfRowsOfWhichEachItemReadsEverySecond) {
  for (const char *element : {"float", "double"})
    EXPECT_EQ(degreeOfBlocks(
                  sumOf(element, matricesOf(element), "x", "A[i, 2x] * A[i, 2x + 1] + A[i, 2x + 2]"), kRow),
              1)
        << element;
}

} // namespace
} // namespace pbc::loop
