// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Borders of a rule, which have loops of their own where the order does not matter.
#include "compiler/emit/kernel/nest.h"
#include "tests/unit/transform/textual.h"
#include <gmock/gmock.h>

using namespace pbc;

namespace {

/// The loops over y and x that compute the value at each of the points.
std::string loopsOver(const std::string &points, const std::string &schedule,
                      const std::string &value = "A[x, y]") {
  kernel::Texts texts;
  const std::string all = emit::loopsText(texts.kernel(R"(
kernel Border [n, m]
  context n >= 3 and m >= 3
  buffer A double 2-d input
  buffer B double 2-d output
  S[x, y]: B[x, y] = )" + value + R"(
    { )" + points + R"( }
  schedule
)" + schedule));
  const std::size_t begin = all.find("scheduled\n") + 10;
  return "\n" + all.substr(begin, all.find("  lowered") - begin);
}

constexpr const char *kFree = R"(    band y parallel
      vector
        band x parallel
)";
constexpr const char *kFrame =
    "S[x, y] : 0 <= x < n and 0 <= y < m and (x = 0 or x = n - 1 or y = 0 or y = m - 1)";

TEST(PiecesApart, EachSideOfAFrame) {
  EXPECT_EQ(loopsOver(kFrame, kFree), R"(
    for c1 = 0; c1 < n [vector]
      B[c1, 0] = A[c1, 0]
    for c0 = 1; c0 < m
      B[0, c0] = A[0, c0]
    for c0 = 1; c0 < m
      B[(n - 1), c0] = A[(n - 1), c0]
    for c1 = 1; c1 < n - 1 [vector]
      B[c1, (m - 1)] = A[c1, (m - 1)]
)");
}

/// As a radius of two has them.
TEST(PiecesApart, BordersOfAFewCells) {
  EXPECT_EQ(loopsOver("S[x, y] : 0 <= x < n and 0 <= y < m and (x <= 1 or y >= m - 2)", kFree), R"(
    for c0 = 0; c0 < m
      for c1 = 0; c1 <= 1 [vector]
        B[c1, c0] = A[c1, c0]
    for c0 = m - 2; c0 < m
      for c1 = 2; c1 < n [vector]
        B[c1, c0] = A[c1, c0]
)");
}

/// What depends on another coordinate, or has a length that sizes decide, is no border.
TEST(PiecesApart, OtherPiecesStayTogether) {
  EXPECT_EQ(loopsOver("S[x, y] : 0 <= x < n and 0 <= y < m and (x = y or x = y + 2)", kFree), R"(
    for c0 = 0; c0 < min(n, m)
      B[c0, c0] = A[c0, c0]
      if n >= c0 + 3
        B[(c0 + 2), c0] = A[(c0 + 2), c0]
)");
  EXPECT_EQ(loopsOver("S[x, y] : 0 <= x < n and 0 <= y < m and (2x < n or 2y < m)", kFree), R"(
    for c0 = 0; c0 < m
      for c1 = 0; c1 < (n + 1) / 2 [vector]
        B[c1, c0] = A[c1, c0]
      if m >= 2 * c0 + 1
        for c1 = (n + 1) / 2; c1 < n [vector]
          B[c1, c0] = A[c1, c0]
)");
}

/// What waits for other cells keeps its order: rows here, whose cells have any.
TEST(PiecesApart, OnlyInAnyOrder) {
  EXPECT_EQ(loopsOver(kFrame, kFree, "B[x, y - 1]"), R"(
    for c0 = 0; c0 < m
      if c0 = 0
        for c1 = 0; c1 < n [vector]
          B[c1, 0] = B[c1, 0 - 1]
      else
        B[0, c0] = B[0, c0 - 1]
        B[(n - 1), c0] = B[(n - 1), c0 - 1]
        if c0 + 1 = m
          for c1 = 1; c1 < n - 1 [vector]
            B[c1, (m - 1)] = B[c1, (m - 1) - 1]
)");
}

} // namespace
