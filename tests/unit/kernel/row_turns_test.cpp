// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Steps that take rows of the same matrix in turn, and steps that must not.
#include "compiler/kernel/policy/processor.h"
#include "compiler/kernel/row_turns.h"
#include "compiler/kernel/verify.h"
#include "tests/unit/kernel/support.h"
#include <gtest/gtest.h>

namespace pbc::kernel {
namespace {

RowTurns turnsOf(Lifted &program) {
  EXPECT_EQ(program.messages, "");
  std::vector<std::optional<Scheduled>> kernels;
  for (int step = 0; step < program.steps(); ++step)
    kernels.emplace_back(defaultSchedule(program.kernel(0, step)).kernel);
  RowTurns turns = rowTurns(program.plan(), kernels);
  for (const TurnGroup &group : turns.groups)
    for (const RowTurn &turn : group.turns)
      if (turn.cut)
        EXPECT_EQ(verify(*turn.cut), std::vector<std::string>());
  return turns;
}

std::string headed(const std::string &rules) {
  return "transform T from A[w, h], P[w], R[h] to Q[h], S[w] {\n" + rules + "}\n";
}

const std::string kAlongRows = R"(
  Q.cell(y) from(A.row(y) a, P p) {
    double s = 0;
    for (int x = 0; x < w; ++x) s += a.cell(x) * p.cell(x);
    return s;
  }
)";
const std::string kDownColumns = R"(
  S.cell(x) from(A.column(x) a, R r) {
    double s = 0;
    for (int y = 0; y < h; ++y) s += a.cell(y) * r.cell(y);
    return s;
  }
)";

TEST(RowTurns, PointsOfRowsAndSumsOfColumns) {
  Lifted program(headed(kAlongRows + kDownColumns));
  const RowTurns turns = turnsOf(program);
  ASSERT_EQ(turns.groups.size(), 1u);
  const TurnGroup &group = turns.groups.front();
  EXPECT_EQ(program.transform().matrices[static_cast<std::size_t>(group.matrix)].name, "A");
  ASSERT_EQ(group.turns.size(), 2u);
  EXPECT_EQ(group.turns[0].step, 0);
  EXPECT_EQ(group.turns[0].along, 0);
  EXPECT_EQ(group.turns[0].cut, nullptr);
  EXPECT_EQ(group.turns[1].step, 1);
  ASSERT_NE(group.turns[1].cut, nullptr);
  EXPECT_EQ(group.turns[1].along, 1);
  const auto &dimensions = group.turns[1].cut->schedule.taskDimensions;
  ASSERT_EQ(dimensions.size(), 2u);
  EXPECT_EQ(poly::cxx(dimensions[1].low), "0");
  EXPECT_EQ(poly::cxx(dimensions[1].high), "h + 1") << "what follows the sums comes behind the last row";
}

TEST(RowTurns, RowsNextToEachOther) {
  Lifted program(R"(
transform T from A[w, h+1] to B[w, h], C[w, h] {
  B.cell(x, y) from(A.cell(x, y) a) { return 2 * a; }
  C.cell(x, y) from(A.cell(x, y+1) a) { return 3 * a; }
})");
  const RowTurns turns = turnsOf(program);
  ASSERT_EQ(turns.groups.size(), 1u);
  EXPECT_EQ(turns.groups[0].turns[0].offset, 0);
  EXPECT_EQ(turns.groups[0].turns[1].offset, 1);
}

TEST(RowTurns, WholeMatricesInBodies) {
  Lifted program(R"(
transform T from A[w, h] to Q[h], S[w] {
  to(Q q) from(A a) {
    for (int y = 0; y < h; ++y) {
      q.cell(y) = 0;
      for (int x = 0; x < w; ++x) q.cell(y) += a.cell(x, y);
    }
  }
  to(S s) from(A a) {
    for (int x = 0; x < w; ++x) s.cell(x) = 1;
    for (int y = 0; y < h; ++y)
      for (int x = 0; x < w; ++x) s.cell(x) *= a.cell(x, y);
  }
})");
  const RowTurns turns = turnsOf(program);
  ASSERT_EQ(turns.groups.size(), 1u);
  EXPECT_EQ(turns.groups[0].turns[0].cut,
            nullptr); // its rows are points (iteration_points.h), and tasks are cut along them already
  EXPECT_NE(turns.groups[0].turns[1].cut, nullptr);
}

void expectNone(const std::string &text, const std::string &why) {
  Lifted program(text);
  const RowTurns turns = turnsOf(program);
  EXPECT_TRUE(turns.groups.empty()) << print(program.transform(), turns);
  EXPECT_EQ(turns.refused.empty() ? "" : turns.refused.front().why, why);
}

TEST(RowTurns, NotAgainstTheOrderOfASum) {
  expectNone(headed(kAlongRows + R"(
  S.cell(x) from(A.column(x) a, R r) {
    double s = 0;
    for (int y = 0; y < h; ++y) s += a.cell(h - 1 - y) * r.cell(y);
    return s;
  }
)"),
             "it needs its rows in another order");
}

TEST(RowTurns, NotIfRegistersKeepValues) {
  expectNone(headed(kAlongRows + R"(
  S.cell(x) from(A.column(x) a) {
    double s = 0, most = a.cell(0);
    for (int y = 0; y < h; ++y) {
      s += a.cell(y);
      most = a.cell(y) > most ? a.cell(y) : most;
    }
    return s + most;
  }
)"),
             "it keeps values from row to row");
}

TEST(RowTurns, NotIfOneNeedsTheOther) {
  expectNone(R"(
transform T from A[w, h] to Q[h], S[w] {
  Q.cell(y) from(A.row(y) a) {
    double s = 0;
    for (int x = 0; x < w; ++x) s += a.cell(x);
    return s;
  }
  S.cell(x) from(A.column(x) a, Q q) {
    double s = 0;
    for (int y = 0; y < h; ++y) s += a.cell(y) * q.cell(y);
    return s;
  }
})",
             "");
}

TEST(RowTurns, NotForOtherRows) {
  expectNone(R"(
transform T from A[w, 2*h] to B[w, h], C[w, h] {
  B.cell(x, y) from(A.cell(x, y) a) { return 2 * a; }
  C.cell(x, y) from(A.cell(x, h+y) a) { return 3 * a; }
})",
             "it reads other rows");
}

TEST(RowTurns, NotForEdges) {
  expectNone(headed(kAlongRows + "  S.cell(x) from(A.cell(x, 0) a) { return a; }\n"), "");
}

TEST(RowTurns, NotForProducts) {
  expectNone(R"(
transform T from A[n, n], B[n, n] to C[n, n], Q[n] {
  C.cell(x, y) from(A.row(y) a, B.column(x) b) {
    double s = 0;
    for (int k = 0; k < n; ++k) s += a.cell(k) * b.cell(k);
    return s;
  }
  Q.cell(y) from(A.row(y) a) {
    double s = 0;
    for (int x = 0; x < n; ++x) s += a.cell(x);
    return s;
  }
})",
             "it reads each row again and again");
}

} // namespace
} // namespace pbc::kernel
