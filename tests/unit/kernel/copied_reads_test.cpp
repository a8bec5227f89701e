// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Cells that a step reads at many points are copied where all versions then lie in one slot, and nowhere else.
#include "compiler/kernel/task_functions.h"
#include "tests/unit/kernel/support.h"
#include <gmock/gmock.h>

using namespace pbc::kernel;

namespace {

/// The versions S<0..n> of a square by the rules for k > 0.
std::string square(const std::string &rules) {
  return "transform V from A[n, n] to F[n, n] through S<0..n>[n, n] { "
         "S<0>.cell(x, y) from(A.cell(x, y) a) { return a; } " +
         rules + " F.cell(x, y) from(S<n>.cell(x, y) s) { return s; } }";
}

struct Case {
  std::string what, program;
  std::vector<std::string> temporaries; // with their extents, after slots are shared
  std::vector<std::string> functions;   // along which the step of the versions is cut into tasks
};

const std::string kPair =
    "S<k>.cell(x, y) from(S<k-1>.cell(x, y) s, S<k-1>.cell(k-1, y) l, S<k-1>.cell(x, k-1) u) ";

const Case kCases[] = {
    {"a column and a row",
     square(kPair + "{ return l + u < s ? l + u : s; }"),
     {"S[n,n,1]", "S__copy0[1,n,1]", "S__copy1[n,1,1]"},
     {"turn", "x0", "x1"}},
    {"versions that count from one on",
     square("S<k+1>.cell(x, y) from(S<k>.cell(x, y) s, S<k>.cell(k, y) l, S<k>.cell(x, k) u) { return s + l "
            "* u; }"),
     {"S[n,n,1]", "S__copy0[1,n,1]", "S__copy1[n,1,1]"},
     {"turn", "x0", "x1"}},
    {"a column alone: rows may go through time, each by itself",
     square("S<k>.cell(x, y) from(S<k-1>.cell(x, y) s, S<k-1>.cell(k-1, y) l) { return s + l; }"),
     {"S[n,n,2]"},
     {"y"}},
    {"two rules, which run at once in two slots",
     square(
         "S<k>.cell(x, y) from(S<k-1>.cell(x, y) s, S<k-1>.cell(x, k-1) u, S<k-1>.cell(k-1, y) l) where x < "
         "y { "
         "return s - l * u; } "
         "S<k>.cell(x, y) from(S<k-1>.cell(x, y) s, S<k-1>.cell(x, k-1) u) where x >= y { return s + u; }"),
     {"S[n,n,2]"},
     {"v", "x0", "x1"}},
    {"a dimension instead of versions",
     "transform V from A[n, n] to F[n, n] through S[n, n, n + 1] { S.cell(x, y, 0) from(A.cell(x, y) a) { "
     "return a; } "
     "S.cell(x, y, k) from(S.cell(x, y, k-1) s, S.cell(k-1, y, k-1) l, S.cell(x, k-1, k-1) u) { return s + l "
     "* u; } "
     "F.cell(x, y) from(S.cell(x, y, n) s) { return s; } }",
     {"S[n,n,1]", "S__copy0[1,n,1]", "S__copy1[n,1,1]"},
     {"turn", "x0", "x1"}},
    {"copies that the program makes itself",
     "transform V from A[n, n] to F[n, n] through S<0..n>[n, n], R<1..n>[n, 1], C<1..n>[1, n] { "
     "S<0>.cell(x, y) from(A.cell(x, y) a) { return a; } "
     "R<k>.cell(x, 0) from(S<k-1>.cell(x, k-1) s) { return s; } "
     "C<k>.cell(0, y) from(S<k-1>.cell(k-1, y) s) { return s; } "
     "S<k>.cell(x, y) from(S<k-1>.cell(x, y) s, R<k>.cell(x, 0) u, C<k>.cell(0, y) l) { return s + l * u; } "
     "F.cell(x, y) from(S<n>.cell(x, y) s) { return s; } }",
     {"S[n,n,1]", "R[n,1,1]", "C[1,n,1]"},
     {"turn", "x0", "x1"}},
    {"neighbours, which a tile in time may compute",
     square("S<k>.cell(x, y) from(S<k-1>.cell(x-1, y) l = 0, S<k-1>.cell(x, y+1) u = 0) { return l + u; }"),
     {"S[n,n,2]"},
     {}},
    {"as many cells as points",
     square("S<k>.cell(x, y) from(S<k-1>.cell(x, y) s, S<k-1>.cell(y, x) t) { return s + t; }"),
     {"S[n,n,2]"},
     {"k", "x", "y"}},
    {"one of the inputs has as many cells as points",
     square("S<k>.cell(x, y) from(S<k-1>.cell(y, x) t, S<k-1>.cell(k-1, y) l) { return t + l; }"),
     {"S[n,n,2]"},
     {"k", "x", "y"}},
    {"a cell that may be outside",
     square("S<k>.cell(x, y) from(S<k-1>.cell(x, y) s, S<k-1>.cell(k, y) l = 0) { return s + l; }"),
     {"S[n,n,2]"},
     {}},
    {"a schedule for the loops of the rule",
     square("rule Cells " + kPair + "{ return s + l * u; } schedule s for Cells { vector(x); }"),
     {"S[n,n,2]"},
     {"k", "x", "y"}},
};

} // namespace

TEST(CopiedReads, SaveSlots) {
  for (const Case &c : kCases) {
    Lifted lifted(c.program);
    ASSERT_EQ(lifted.messages, "") << c.what;
    std::vector<std::string> temporaries;
    for (const auto &m : lifted.transform().matrices)
      if (m.role == pbc::sema::Role::Through) {
        std::string text;
        for (const auto &e : m.extents)
          text += (text.empty() ? "" : ",") + e.isl;
        temporaries.push_back(m.name + "[" + text + "]");
      }
    EXPECT_EQ(temporaries, c.temporaries) << c.what;
    if (c.functions.empty())
      continue;
    std::vector<std::string> functions;
    for (const TaskFunction &f : taskFunctions(lifted.kernel(0, 1)).functions)
      functions.push_back(f.name);
    EXPECT_EQ(functions, c.functions) << c.what;
  }
}
