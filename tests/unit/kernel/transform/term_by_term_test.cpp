// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Points that add up term by term: trees, refusals, and the same results.
#include "tests/unit/kernel/programs.h"
#include "tests/unit/kernel/transform/support.h"
#include <gmock/gmock.h>

using namespace pbc::kernel;

namespace {

/// Each cell needs all cells before it.
constexpr const char *kSolve = R"(
transform Solve from L[n, n], B[n] to X[n] {
  X.cell(i) from(B.cell(i) b, L.region(0, i, i, i+1) l, X.region(0, i) x) {
    double s = b;
    for (int j = 0; j < i; ++j) s -= l.cell(j, 0) * x.cell(j);
    return s;
  }
}
)";
constexpr const char *kColumns = R"(
transform Columns from A[w, h], R[h] to S[w] {
  S.cell(x) from(A.column(x) a, R r) {
    double s = 0;
    for (int k = 0; k < h; ++k) s += a.cell(k) * r.cell(k);
    return s / 2;
  }
}
)";
constexpr const char *kOwnCell = R"(
transform OwnCell from A[n, n] to B[n, n] {
  B.cell(x, y) from(A.cell(x, y) a) {
    double s = 0;
    for (int k = 0; k < 3; ++k) s += a;
    return s;
  }
}
)";

TEST(TermByTerm, TakesTurnsWhereThePointsWaitForEachOther) {
  Lifted solve(kSolve);
  EXPECT_EQ(scheduleAfter(solve.kernel(), "term_by_term(i, j)"), R"(
sequence
  R0_S0
    band i_first = i parallel
  R0_S1, R0_S2
    band j = (R0_S1: j; R0_S2: i)
      sequence
        R0_S2
        R0_S1
          band i parallel
)");
  EXPECT_EQ(differences(kSolve, {"term_by_term(i, j)"}), "");
}

TEST(TermByTerm, EndsWithAllPointsWhereTheyAreFree) {
  EXPECT_EQ(differences(kColumns, {"term_by_term(x, k)", "term_by_term(x, k); vector(x)"}), "");
}

/// A triangle whose cells join `c`, of several cells each, to the value of the left neighbour.
std::string folding(const std::string &element, const std::string &join, const std::string &between = "") {
  return "transform Folding from S[n] : " + element + " to T[n, n] : " + element + R"( {
  T.cell(j, i) from(S.cell(j) s) where j <= i { return s; }
  T.cell(j, i) from(T.cell(j-1, i) left, S.cell(j) s, T.region(i, i, j, i+1) l, T.region(j, i+1, j+1, j+1) r) where i < j {
    auto best = left;
    auto c = s;
    )" + join +
         R"(
    for (int k = i + 1; k < j; ++k) {
      c = l.cell(k - i, 0) / 2 + r.cell(0, k - i) / 2;
      )" +
         between + R"(
      )" +
         join + R"(
    }
    return best;
  }
})";
}

TEST(TermByTerm, ComputesFirstValuesThatWaitBehindTheTerms) {
  for (const char *join :
       {"if (c > best) best = c;", "if (c >= best) best = c;", "best = best < c ? c : best;",
        "best = fmax(best, c);", "best = fmin(best, c);", "if (c < best) best = c;"}) {
    EXPECT_EQ(differences(folding("double", join), {"term_by_term(j, k)"}), "") << join;
    EXPECT_EQ(
        differences(folding("double", join, "c = c > 3 ? (c - c) / (c - c) : c;"), {"term_by_term(j, k)"}),
        "")
        << join;
  }
  for (const char *join : {"best = best > c ? best : c;", "best = best < c ? best : c;", "best += c;",
                           "best *= c;", "best = best | c;", "best = best & c;"})
    EXPECT_EQ(differences(folding("int", join), {"term_by_term(j, k)"}), "") << join;
}

TEST(TermByTerm, KeepsTheOrderWhereItMatters) {
  Lifted sum(folding("double", "best += c;")), begun(folding("double", "best = best > c ? best : c;"));
  for (Lifted *one : {&sum, &begun})
    EXPECT_EQ(whyNot(one->kernel(0, 1), "term_by_term(j, k)"),
              "its first value takes several statements, and its terms cannot be added up before it");
}

TEST(TermByTerm, RefusesWhatMayBeInPlaceAndOtherBodies) {
  Lifted own(kOwnCell);
  EXPECT_EQ(whyNot(own.kernel(), "term_by_term(x, k)"),
            "its terms read an input where it writes, and the two may be one matrix");
}

} // namespace
