// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Boxes of points that are launched one by one.
#include "compiler/kernel/item_parts.h"
#include "tests/unit/kernel/support.h"
#include <fmt/format.h>
#include <gmock/gmock.h>

using namespace pbc::kernel;

namespace {

/// "[1, n - 1) x [0, 1) if n >= 3 && m >= 1", a line for each part of the step that has some; "none".
std::string partsIn(const std::string &program) {
  Lifted lifted(program);
  EXPECT_EQ(lifted.messages, "");
  std::string text;
  for (int step = 0; step < lifted.steps(); ++step) {
    const ItemsOutcome made = mapToItems(lifted.kernel(0, step));
    if (!made.items)
      continue;
    for (const ItemPart &part : partsOf(*made.items)) {
      std::string box;
      for (const Interval &f : part.functions)
        box += fmt::format("{}[{}, {})", box.empty() ? "" : " x ", pbc::poly::cxx(f.low),
                           pbc::poly::cxx(f.high));
      text += box + (part.condition ? " if " + pbc::poly::cxxCondition(*part.condition) : "") + "\n";
    }
  }
  return text.empty() ? "none" : text;
}

TEST(ItemParts, SidesOfARectangle) {
  EXPECT_EQ(partsIn("transform T from A[n, m] to B[n, m] {"
                    "primary B.cell(x, y) from(A.cell(x - 1, y) l, A.cell(x + 1, y) r, A.cell(x, y - 1) u, "
                    "A.cell(x, y + 1) d)"
                    "{ return l + r + u + d; } secondary B.cell(x, y) from(A.cell(x, y) a) { return a; } }"),
            "[1, n - 1) x [0, 1) if n >= 3 && m >= 1\n[0, 1) x [0, m) if n >= 1 && m >= 1\n"
            "[n - 1, n) x [0, m) if n >= 2 && m >= 1\n[1, n - 1) x [m - 1, m) if n >= 3 && m >= 2\n");
}

TEST(ItemParts, BothEndsOfALine) {
  EXPECT_EQ(partsIn("transform T from A[n] to B[n] {"
                    "primary B.cell(x) from(A.cell(x - 1) l, A.cell(x + 1) r) { return l + r; }"
                    "secondary B.cell(x) from(A.cell(x) a) { return a; } }"),
            "[0, 1) if n >= 1\n[n - 1, n) if n >= 2\n");
}

TEST(ItemParts, NoneOfWhatIsABoxOrHasSlantedSides) {
  EXPECT_EQ(
      partsIn("transform T from A[n, m] to B[n, m] { B.cell(x, y) from(A.cell(x, y) a) { return a; } }"),
      "none");
  EXPECT_EQ(
      partsIn(
          "transform T from A[n, m] to B[n, m] {"
          "B.cell(x, y) from(A.cell(x, y) a) where x < y { return a; }"
          "B.cell(x, y) from() where x > y { return 1; } B.cell(x, y) from() where x == y { return 0; } }"),
      "none");
}

} // namespace
