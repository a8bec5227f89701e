// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Coordinates that are choices between sums: which cells are chosen where, and what is left to the body as it is written.
#include "support.h"
#include <gtest/gtest.h>

namespace pbc::body {
namespace {

/// `to B[n]` from A[n] and A's whole view a, at points 0 <= i < n.
std::string program(const std::string &body) {
  return "transform T\nfrom A[n], K to B[n] {\n  B.cell(i) from(A a) {" + body + "}\n}\n";
}

struct Case {
  const char *body, *nodes;
};
void PrintTo(const Case &c, std::ostream *out) { *out << c.body; }

class Pieces : public testing::TestWithParam<Case> {};
TEST_P(Pieces, AreChoicesBetweenCells) {
  Understood u(program(GetParam().body));
  EXPECT_EQ(u.messages, "");
  EXPECT_EQ(u.obstacle(), "");
  EXPECT_EQ(u.nodes(), GetParam().nodes);
}

INSTANTIATE_TEST_SUITE_P(
    Coordinates, Pieces,
    testing::Values(
        // remainders, as C++ has them: i + n - 2 is -1 for n = 1, and i + 2 is 2 n then
        Case{"return a.cell((i+1)%n);", "B = (i < (n - 1)) ? a[i + 1] : a[0]"},
        Case{"return a.cell((i+n-1)%n);", "B = (i < 1) ? a[n - 1] : a[i - 1]"},
        Case{"return a.cell((i+2)%n);",
             "B = (i < (n - 2)) ? a[i + 2] : ((i < ((2 * n) - 2)) ? a[(i - n) + 2] : a[-(2 * n) + 2])"},
        Case{"return a.cell(i%n);", "B = a[i]"},
        // the larger and the smaller one; what never happens is left out
        Case{"return a.cell(std::max(i-1, 0));", "B = (i < 1) ? a[0] : a[i - 1]"},
        Case{"return a.cell(std::clamp(i+1, 0, n-1));", "B = (i > (n - 2)) ? a[n - 1] : a[i + 1]"},
        Case{"return a.cell(i < 0 ? 0 : i);", "B = a[i]"},
        Case{"return a.cell(std::abs(i-1));", "B = (i < 1) ? a[1] : a[i - 1]"},
        Case{"return a.cell(i == 0 ? n-1 : i-1);", "B = (i == 0) ? a[n - 1] : a[i - 1]"},
        // variables that are corrected
        Case{"int l = i - 1; if (l < 0) l += n; return a.cell(l);", "B = (i < 1) ? a[n - 1] : a[i - 1]"},
        Case{"int l = i; ++l; if (l == n) { l = 0; } return a.cell(l) + l;",
             "B = ((i == (n - 1)) ? a[0] : a[i + 1]) + double(((i + 1) == n) ? 0 : (i + 1))"},
        Case{"const bool isFirst = i == 0; int l = i; if (!isFirst) l--; return a.cell(l);",
             "B = !(i == 0) ? a[i - 1] : a[0]"},
        // one that becomes a variable of the body, as data decide
        Case{"int l = i; if (a.cell(l) > 0) l = 3; return l;",
             "l = i; l = (a[i] > 0.0) ? 3 : l; B = double(l)"},
        // in loops
        Case{"double s = 0; for (int k = -1; k < 2; ++k) s += a.cell(std::max(i+k, 0)); return s;",
             "s = 0.0; for k in [-1, 2);   s += ((i + k) < 0) ? a[0] : a[i + k]; B = s"}));

class NoPieces : public testing::TestWithParam<Case> {};
TEST_P(NoPieces, AreObstacles) {
  Understood u(program(GetParam().body));
  EXPECT_EQ(u.messages, "");
  EXPECT_EQ(u.obstacle(), GetParam().nodes);
}

INSTANTIATE_TEST_SUITE_P(
    Coordinates, NoPieces,
    testing::Values(
        Case{"return a.cell(i*i%n);", "the index `i*i%n` is not affine @ i*i%n"},
        // too many quotients, at n = 1
        Case{"return a.cell((i+7)%n);", "the index `(i+7)%n` is not affine @ (i+7)%n"},
        Case{"int l = i; if (K > 0) l = 0; return a.cell(l);", "the index `l` depends on data @ l"},
        Case{"int l = 0; for (int k = 0; k < i; ++k) l++; return a.cell(l);",
             "the index `l` depends on data @ l"},
        Case{"int l = i, k; k = l; l = 0; double s = 0; while (k < n) { s += a.cell(k); k++; } return s;",
             "the `while` loop has no known trip count @ while (k < n) { s += a.cell(k); k++; }"}));

} // namespace
} // namespace pbc::body
