// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Several rounds in one launch: what groups keep, how far a round reads, and why it is refused.
#include "compiler/kernel/group_steps.h"
#include "compiler/kernel/items.h"
#include "tests/unit/kernel/support.h"
#include <fmt/format.h>
#include <gmock/gmock.h>

using namespace pbc::kernel;

namespace {

/// "T; reach 1; 2 slots; 3 reads", or why not, of the step in rounds.
std::string roundsTogether(const std::string &program) {
  Lifted lifted(program);
  EXPECT_EQ(lifted.messages, "");
  for (int step = 0; step < lifted.steps(); ++step) {
    const Scheduled kernel = lifted.kernel(0, step);
    const ItemsOutcome made = mapToItems(kernel);
    if (!made.items || !made.items->inRounds())
      continue;
    const GroupStepsOutcome found = groupSteps(kernel, itemFunctions(kernel));
    if (!found.steps)
      return found.why;
    std::string text;
    for (const int b : found.steps->kept)
      text += kernel.buffers[static_cast<std::size_t>(b)].name + " ";
    text += "reach";
    for (const long r : found.steps->reach)
      text += fmt::format(" {}", r);
    return text + fmt::format(", {} slots, {} reads", found.steps->slots, found.steps->reads.size());
  }
  return "no rounds";
}

std::string line(const std::string &rules) {
  return "transform Line from A[n] to B[n] through T<0..9>[n] { T<0>.cell(i) from(A.cell(i) a) { return a; "
         "} " +
         rules + " B.cell(i) from(T<9>.cell(i) t) { return t; } }";
}

TEST(GroupSteps, FromTheRoundBefore) {
  EXPECT_EQ(roundsTogether(line("T<k>.cell(i) from(T<k-1>.cell(i-1) l, T<k-1>.cell(i+2) r) { return l + r; }"
                                "secondary T<k>.cell(i) from(T<k-1>.cell(i) c) { return c; }")),
            "T reach 2, 2 slots, 3 reads");
  EXPECT_EQ(roundsTogether("transform Plate from A[w,h] to B[w,h] through T<0..9>[w,h] {"
                           "T<0>.cell(x,y) from(A.cell(x,y) a) { return a; }"
                           "T<k>.cell(x,y) from(T<k-1>.cell(x-1,y) l, T<k-1>.cell(x,y+3) d) { return l + d; }"
                           "secondary T<k>.cell(x,y) from(T<k-1>.cell(x,y) c) { return c; }"
                           "B.cell(x,y) from(T<9>.cell(x,y) t) { return t; } }"),
            "T reach 1 3, 2 slots, 3 reads");
}

/// How many last rounds are launched one by one if other steps read these cells of T.
long aloneRounds(const std::string &cells) {
  Lifted lifted(
      "transform Line from A[n] to B[n] through T<0..9>[n] { T<0>.cell(i) from(A.cell(i) a) { return a; }"
      "T<k>.cell(i) from(T<k-1>.cell(i-1) l, T<k-1>.cell(i+2) r) { return l + r; }"
      "secondary T<k>.cell(i) from(T<k-1>.cell(i) c) { return c; } B.cell(i) from(T<9>.cell(i) t) { return "
      "t; } }");
  for (int step = 0; step < lifted.steps(); ++step) {
    Scheduled kernel = lifted.kernel(0, step);
    const ItemsOutcome made = mapToItems(kernel);
    if (!made.items || !made.items->inRounds())
      continue;
    for (Buffer &b : kernel.buffers)
      if (b.name == "T" && !cells.empty())
        b.readElsewhere = isl::set(kernel.context.ctx(), cells);
    const GroupStepsOutcome found = groupSteps(kernel, itemFunctions(kernel));
    return found.steps ? found.steps->alone : -1;
  }
  return -2;
}

/// The last round, 9, has written slot 1.
TEST(GroupSteps, RoundsAreAloneWhereOthersReadThem) {
  EXPECT_EQ(aloneRounds(""), 1) << "nothing is known";
  EXPECT_EQ(aloneRounds("[n] -> { T[i, 1] : 0 <= i < n }"), 0);
  EXPECT_EQ(aloneRounds("[n] -> { T[i, 0] : 0 <= i < n }"), 1);
  EXPECT_EQ(aloneRounds("[n] -> { T[i, s] : 0 <= i < n and 0 <= s <= 1 }"), 1);
}

TEST(GroupSteps, AllRoundsAreStoredWhereTheyAreOutputs) {
  EXPECT_EQ(roundsTogether(
                "transform History from A[n] to T<0..9>[n] { T<0>.cell(i) from(A.cell(i) a) { return a; }"
                "T<k>.cell(i) from(T<k-1>.cell(i-1) l, T<k-1>.cell(i+1) r) { return l + r; }"
                "T<k>.cell(0) from(T<k-1>.cell(1) r) { return r; } T<k>.cell(n-1) from(T<k-1>.cell(n-2) l) { "
                "return l; }"
                "secondary T<k>.cell(i) from(T<k-1>.cell(i) c) { return c; } }"),
            "T reach 1, 0 slots, 4 reads");
}

TEST(GroupSteps, SaysWhyNot) {
  EXPECT_EQ(roundsTogether(
                "transform Mirror from A[n] to T[n,m] { primary T.cell(i,0) from(A.cell(i) a) { return a; }"
                "T.cell(i,k) from(T.cell(n-1-i,k-1) l) { return l; } }"),
            "a point reads cells of `T` at distances that grow with the size");
  EXPECT_EQ(roundsTogether(
                "transform Wave from A[n] to T[n,m] { primary T.cell(i,0) from(A.cell(i) a) { return a; }"
                "primary T.cell(i,1) from(A.cell(i) a) { return a; }"
                "T.cell(i,k) from(T.cell(i,k-1) l, T.cell(i,k-2) o) { return l - o; } }"),
            "no rounds");
}

} // namespace
