// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rows that wait for each other, taken apart: which ones they are, in what order, and what the parts of a block look like.
#include "compiler/kernel/items.h"
#include "compiler/kernel/print.h"
#include "compiler/kernel/waiting_rows.h"
#include "tests/unit/kernel/support.h"
#include <fmt/format.h>
#include <gmock/gmock.h>

using namespace pbc::kernel;
using testing::HasSubstr;
using testing::Not;

namespace {

constexpr const char *kDown = "X.region(x, 0, x + 1, y) r", *kUp = "X.region(x, y + 1, x + 1, n) r",
                     *kRightwards = "X.region(0, y, x, y + 1) r",
                     *kLeftwards = "X.region(x + 1, y, n, y + 1) r";
constexpr const char *kDownwards = "for (int k = 0; k < y; ++k) s -= a.cell(k) * r.cell(0, k);";

std::string program(const std::string &rows, const std::string &loop, const std::string &where = "") {
  return fmt::format("transform T from A[n, n] : float, B[n, n] : float to X[n, n] : float {{"
                     "X.cell(x, y) from(A.row({}) a, B.cell(x, y) b, {}) {} {{ float s = b; {} return s; }} "
                     "priority(3) X.cell(x, y) from() {{ return 1; }} }}",
                     rows == kRightwards || rows == kLeftwards ? "x" : "y", rows, where, loop);
}

/// The step of the program that has a sum, and what becomes of it; each step has it if `isWhole`.
WaitingRowsOutcome outcomeOf(Lifted &lifted) {
  EXPECT_EQ(lifted.messages, "");
  for (int step = 0; step < lifted.steps(); ++step)
    if (const Scheduled kernel = lifted.kernel(0, step); kernel.statements.size() > 1)
      return waitingRows(kernel);
  return {std::nullopt, "no step has a sum"};
}

std::string about(const std::string &text) {
  Lifted lifted(text);
  const WaitingRowsOutcome made = outcomeOf(lifted);
  if (!made.rows)
    return made.why;
  return fmt::format("free variable {}{}{}", made.rows->row, made.rows->isBackward ? ", backward" : "",
                     made.rows->isTriangle ? ", triangle" : "");
}

TEST(WaitingRows, InAllDirections) {
  EXPECT_EQ(about(program(kDown, kDownwards)), "free variable 1, triangle");
  EXPECT_EQ(about(program(kUp, "for (int k = n - 1; k > y; --k) s -= a.cell(k) * r.cell(0, k - y - 1);")),
            "free variable 1, backward, triangle");
  EXPECT_EQ(about(program(kRightwards, "for (int k = 0; k < x; ++k) s -= a.cell(k) * r.cell(k, 0);")),
            "free variable 0, triangle");
  EXPECT_EQ(
      about(program(kLeftwards, "for (int k = n - 1; k > x; --k) s -= a.cell(k) * r.cell(k - x - 1, 0);")),
      "free variable 0, backward, triangle");
}

// What keeps a whole block in registers, or stores it from a group's memory, must not go through rows that a column does not have.
TEST(WaitingRows, ColumnsWithoutSomeRowsAreNoTriangle) {
  EXPECT_EQ(about(program(kDown, kDownwards, "where x + y < n")), "free variable 1");
}

TEST(WaitingRows, SumsInAnotherOrderHaveNone) {
  EXPECT_EQ(about(program(kDown, "for (int k = y - 1; k >= 0; --k) s -= a.cell(k) * r.cell(0, k);")),
            "its sums do not add up the rows in the order in which these are computed");
}

/// Of the sums behind a block, as text, because a kernel must not outlive the context of `lifted`.
std::string updateOf(const std::string &program) {
  Lifted lifted(program);
  const WaitingRowsOutcome made = outcomeOf(lifted);
  EXPECT_EQ(made.why, "");
  return made.rows ? print(made.rows->update) : "";
}

// A block of points needs no loop over a direction that goes upwards.
TEST(WaitingRows, SumsBehindABlockGoUpwardsAndCountItsRows) {
  const std::string text =
      updateOf(program(kUp, "for (int k = n - 1; k > y; --k) s -= a.cell(k) * r.cell(0, k - y - 1);"));
  EXPECT_THAT(text, Not(HasSubstr("band -y")));
  EXPECT_THAT(text, HasSubstr("band y"));
  EXPECT_THAT(text, HasSubstr("A[-1 + pb__highrows - k, y]"));
}

// The host makes the box of a launch without knowing a block (random programs 4 and 12 of property.oracle did not compile).
TEST(WaitingRows, BoxesDoNotNameTheBlock) {
  Lifted lifted(program(kDown, kDownwards, "where x + y < n"));
  const WaitingRowsOutcome made = outcomeOf(lifted);
  ASSERT_EQ(made.why, "");
  for (const Scheduled *kernel : {&made.rows->start, &made.rows->finish, &made.rows->update}) {
    const ItemsOutcome items = mapToItems(*kernel);
    ASSERT_TRUE(items.items) << items.why;
    for (const TaskDimension &d : items.items->kernel.schedule.taskDimensions)
      EXPECT_THAT(pbc::poly::cxx(d.low) + " to " + pbc::poly::cxx(d.high), Not(HasSubstr("rows")));
  }
}

} // namespace
