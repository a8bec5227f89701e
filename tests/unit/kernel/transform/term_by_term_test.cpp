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

TEST(TermByTerm, RefusesWhatMayBeInPlaceAndOtherBodies) {
  Lifted own(kOwnCell);
  EXPECT_EQ(whyNot(own.kernel(), "term_by_term(x, k)"),
            "its terms read an input where it writes, and the two may be one matrix");
}

} // namespace
