// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Several iterations of the loop around a vector loop together: those that update the same cells, refusals, and the same results.
#include "tests/unit/kernel/programs.h"
#include "tests/unit/kernel/transform/support.h"
#include <gmock/gmock.h>

using namespace pbc::kernel;

namespace {

std::string sumsOfColumns(const std::string &element, const std::string &term) {
  return "transform Columns from A[w, h] : " + element + ", R[h] : " + element + " to S[w] : " + element +
         R"( {
  S.cell(x) from(A.column(x) a, R r) {
    )" + element +
         R"( s = 0;
    for (int k = 0; k < h; ++k) s )" +
         term + R"(;
    return s;
  }
}
)";
}
/// Terms that are the values of cells whose own sums go on.
constexpr const char *kSolve = R"(
transform Solve from L[n, n], B[n] to X[n] {
  X.cell(i) from(B.cell(i) b, L.region(0, i, i, i+1) l, X.region(0, i) x) {
    double s = b;
    for (int j = 0; j < i; ++j) s -= l.cell(j, 0) * x.cell(j);
    return s;
  }
}
)";

TEST(Jam, KeepsTheOrderOfUpdatesOfOneCell) {
  const std::vector<std::string> scripts = {"term_by_term(x, k); vector(x); jam(k; 4)",
                                            "term_by_term(x, k); vector(x); jam(k; 3)"};
  for (const char *element : {"double", "float", "int"})
    for (const char *term : {"+= a.cell(k) * r.cell(k)", "-= a.cell(k)", "*= a.cell(k) + r.cell(k)"})
      EXPECT_EQ(differences(sumsOfColumns(element, term), scripts), "") << element << " " << term;
}

TEST(Jam, LoadsAndStoresUpdatedCellsOnce) {
  Lifted sums(sumsOfColumns("double", "+= a.cell(k) * r.cell(k)"));
  EXPECT_THAT(scheduleAfter(sums.kernel(), "term_by_term(x, k); vector(x); jam(k; 4)"),
              testing::HasSubstr("jam:4"));
}

TEST(Jam, RefusesUpdatesThatReadOtherUpdates) {
  Lifted solve(kSolve);
  EXPECT_EQ(whyNot(solve.kernel(), "term_by_term(i, j); vector(i); jam(j; 4)"),
            "the loop over `j` does not contain just a vector loop of one statement");
}

} // namespace
