// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the items of a group can do together: which statements fold values, which loops are shared out, which
// are scans, and why others are not.
#include "compiler/kernel/cooperate.h"
#include "tests/unit/kernel/support.h"
#include <fmt/format.h>
#include <gmock/gmock.h>

using namespace pbc::kernel;
using testing::HasSubstr;

namespace {

CooperationOutcome cooperationOf(const Scheduled &lifted) {
  const ItemsOutcome items = mapToItems(lifted);
  return cooperate(items.items ? *items.items : asOneItem(lifted));
}

/// "+ over k", "scan max along x", or why not.
std::string summary(const Scheduled &lifted) {
  const CooperationOutcome out = cooperationOf(lifted);
  if (!out.cooperation)
    return out.why;
  const Cooperation &c = *out.cooperation;
  const std::string how = c.isAlongSteps ? "" : ", neighbouring cells";
  if (c.scan)
    return fmt::format("scan {} along {}{}", c.scan->operation.symbol, c.over, how);
  std::string operations;
  for (const SharedLoop &l : c.loops)
    for (const auto &[local, operation] : l.accumulators)
      operations += (operations.empty() ? "" : " ") + operation.symbol;
  return fmt::format("{} over {}{}", operations, c.over, how);
}

/// The summary of a rule that computes R[y] from row y of A, with this body.
std::string ofRow(const std::string &body, const std::string &word = "fast",
                  const std::string &element = "") {
  Lifted l("transform T from A[w, h]" + element + " to R[h] { " + word + " R.cell(y) from(A.row(y) a) { " +
           body + " } }");
  EXPECT_EQ(l.messages, "");
  return summary(l.kernel());
}

/// The summary of the last rule of a transform.
std::string ofLast(const std::string &matrices, const std::string &rules) {
  Lifted l("transform T " + matrices + " { " + rules + " }");
  EXPECT_EQ(l.messages, "");
  return summary(l.kernel(0, l.steps() - 1));
}

std::string loop(const std::string &before, const std::string &step, const std::string &after) {
  return before + " for (int k = 0; k < w; ++k) { " + step + " } " + after;
}

TEST(Cooperate, SumsInAnyOrder) {
  EXPECT_EQ(ofRow(loop("double s = 0;", "s += a.cell(k);", "return s;")), "+ over k");
  EXPECT_EQ(ofRow(loop("double s = 0;", "s = a.cell(k) + s;", "return s;")), "+ over k");
  EXPECT_EQ(ofRow(loop("double s = 0;", "s = s + a.cell(k) - 2;", "return s;")), "+ over k");
  EXPECT_EQ(ofRow(loop("double s = 0;", "s -= a.cell(k);", "return s;")), "+ over k");
  EXPECT_EQ(ofRow(loop("double s = 1;", "s *= a.cell(k);", "return s;")), "* over k");
}

TEST(Cooperate, FloatingPointOnlyWhereOrderIsFree) {
  EXPECT_THAT(ofRow(loop("double s = 0;", "s += a.cell(k);", "return s;"), ""),
              HasSubstr("`fast` or --reassociate"));
  EXPECT_THAT(ofRow(loop("double s = 0;", "s = std::max(s, a.cell(k));", "return s;"), ""),
              HasSubstr("`fast` or --reassociate"));
  EXPECT_EQ(ofRow(loop("int s = 0;", "if (a.cell(k) > 0) s += k;", "return s;"), ""), "+ over k");
  EXPECT_EQ(ofRow(loop("int s = 0;", "s = std::max(s, a.cell(k));", "return s;"), "", " : int"),
            "max over k");
}

TEST(Cooperate, ConversionsThatLoseSomethingEachStep) {
  EXPECT_THAT(ofRow(loop("int s = 0;", "s += a.cell(k);", "return s;")), HasSubstr("associative"));
  EXPECT_THAT(ofRow(loop("int s = 0;", "s = s + 0.5;", "return s;")), HasSubstr("associative"));
  EXPECT_EQ(ofRow(loop("unsigned char s = 0;", "s += (int)a.cell(k);", "return s;"), ""), "+ over k");
  EXPECT_EQ(ofRow(loop("unsigned char s = 0;", "s = s ^ (unsigned char)a.cell(k);", "return s;"), ""),
            "^ over k");
  EXPECT_THAT(ofRow(loop("long s = 0;", "s = (int)(s + (int)a.cell(k));", "return s;"), ""),
              HasSubstr("associative"));
}

TEST(Cooperate, SmallestAndLargest) {
  EXPECT_EQ(ofRow(loop("double s = 9;", "s = std::min(a.cell(k), s);", "return s;")), "min over k");
  EXPECT_EQ(ofRow(loop("double s = 9;", "if (a.cell(k) < s) s = a.cell(k);", "return s;")), "min over k");
  EXPECT_EQ(ofRow(loop("double s = 0;", "if (s <= a.cell(k)) s = a.cell(k);", "return s;")), "max over k");
  EXPECT_EQ(ofRow(loop("double s = 0;", "s = fmax(s, a.cell(k));", "return s;")), "max over k");
  EXPECT_THAT(ofRow(loop("double s = 0;", "if (a.cell(k) < s) s = a.cell(k) + 1;", "return s;")),
              HasSubstr("associative"));
  EXPECT_THAT(
      ofRow(loop("double s = 9; int at = 0;", "if (a.cell(k) < s) { s = a.cell(k); at = k; }", "return at;")),
      HasSubstr("associative"));
}

TEST(Cooperate, TruthAndBits) {
  EXPECT_EQ(ofRow(loop("bool s = true;", "s = s && a.cell(k) > 0;", "return s;"), ""), "&& over k");
  EXPECT_EQ(ofRow(loop("bool s = false;", "s = a.cell(k) > 0 || s;", "return s;"), ""), "|| over k");
  EXPECT_EQ(ofRow(loop("int s = 0;", "s |= (int)a.cell(k);", "return s;"), ""), "| over k");
  EXPECT_THAT(ofRow(loop("int s = 3;", "s = s && a.cell(k) > 0;", "return s;"), ""),
              HasSubstr("associative"));
}

TEST(Cooperate, SeveralScalarsAndThoseOfOneStep) {
  EXPECT_EQ(ofRow(loop("double s = 0, m = 0;", "double d = a.cell(k) - 1; s += d * d; m = std::max(m, d);",
                       "return s + m;")),
            "+ max over k");
  EXPECT_THAT(ofRow(loop("double s = 0, t = 0;", "s += t; t = a.cell(k);", "return s;")),
              HasSubstr("associative"));
  EXPECT_THAT(ofRow(loop("double s = 0, t = 0;", "t = a.cell(k); s += t;", "return s + t;")),
              HasSubstr("associative"));
  EXPECT_THAT(ofRow(loop("double s = 0;", "s = 0.5 * s + a.cell(k);", "return s;")),
              HasSubstr("associative"));
  EXPECT_EQ(ofRow("double s = 0; for (int k = 0; k < w; ++k) s += a.cell(k); for (int j = 0; j < w; ++j) s "
                  "+= a.cell(j) "
                  "* a.cell(j); return s;"),
            "+ + over k, j");
}

TEST(Cooperate, LoopsInsideOfLoops) {
  const std::string matrices = "from A[w, h] to S", head = "fast to(S s) from(A a) { s = 0; ";
  EXPECT_EQ(
      ofLast(matrices, head + "for (int y = 0; y < h; ++y) for (int x = 0; x < w; ++x) s += a.cell(x, y); }"),
      "+ over x"); // side by side
  EXPECT_EQ(
      ofLast(matrices, head + "for (int x = 0; x < w; ++x) for (int y = 0; y < h; ++y) s += a.cell(x, y); }"),
      "+ over x");
  EXPECT_EQ(
      ofLast(matrices,
             head + "for (int y = 0; y < h; ++y) { double t = 0; for (int x = 0; x < w; ++x) t += a.cell(x, "
                    "y); s += t * t; } }"),
      "+ over y");
  EXPECT_EQ(ofRow("double s = 0; for (int k = 0; k < 3; ++k) s += k; return s;"), kNoLongLoop);
}

TEST(Cooperate, ColumnsHaveNeighbouringCells) {
  EXPECT_EQ(ofLast("from A[w, h] to C[w]",
                   "fast C.cell(x) from(A.column(x) a) { double s = 0; for (int y = 0; y < h; ++y) s "
                   "+= a.cell(y); return s; }"),
            "+ over y, neighbouring cells");
}

TEST(Cooperate, Scans) {
  const std::string row = "from A[w, h] to P[w, h]", vector = "from A[n] to P[n]";
  EXPECT_EQ(ofLast(row, "fast P.cell(x, y) from(P.cell(x-1, y) p = 0, A.cell(x, y) a) { return p + a; }"),
            "scan + along x");
  EXPECT_EQ(ofLast(row, "fast P.cell(x, y) from(P.cell(x, y-1) p = 0, A.cell(x, y) a) { return p + a; }"),
            "scan + along y, neighbouring cells");
  EXPECT_EQ(ofLast(vector, "fast P.cell(i) from(P.cell(i+1) p = 0, A.cell(i) a) { return std::max(p, a); }"),
            "scan max along i");
  EXPECT_THAT(ofLast(vector, "P.cell(i) from(P.cell(i-1) p = 0, A.cell(i) a) { return p + a; }"),
              HasSubstr("`fast`"));
  EXPECT_EQ(ofLast(vector, "fast P.cell(i) from(P.cell(i-1) p = 0, A.cell(i) a) { return 0.5 * p + a; }"),
            "an item reads cells that it has written");
  EXPECT_EQ(ofLast(vector, "fast P.cell(i) from(P.cell(i-2) p = 0, A.cell(i) a) { return p + a; }"),
            "an item reads cells that it has written");
}

TEST(Cooperate, AnOutputMayBeTheSameMatrixAsAnInput) {
  EXPECT_THAT(ofLast("from A[n] to B[n]",
                     "fast to(B b) from(A a) { double s = 0; b.cell(0) = 1; for (int i = 0; "
                     "i < n; ++i) s += a.cell(i); b.cell(1) = s; }"),
              HasSubstr("may be the same matrix"));
}

TEST(Cooperate, StepsAreAFormulaOfSizes) {
  Lifted l("transform T from A[w, h] to R[h] { fast R.cell(y) from(A.row(y) a) { double s = 0; for (int k = "
           "2; k < w; ++k) s "
           "+= a.cell(k); return s; } }");
  EXPECT_EQ(pbc::poly::cxx(*cooperationOf(l.kernel()).cooperation->steps), "w - 2");
}

} // namespace
