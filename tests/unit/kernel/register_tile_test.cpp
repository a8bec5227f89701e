// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Blocks of points in registers: the properties that are found of a body, and the reasons for which kernels
// are refused.
#include "compiler/kernel/policy/processor.h"
#include "compiler/kernel/print.h"
#include "compiler/kernel/register_tile.h"
#include "compiler/kernel/verify.h"
#include "tests/unit/kernel/programs.h"
#include "tests/unit/kernel/support.h"
#include "tests/unit/kernel/transform/support.h"
#include <algorithm>
#include <fmt/format.h>
#include <gmock/gmock.h>

using namespace pbc::kernel;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

/// The block in the default schedule.
RegisterTile tiled(Lifted &lifted) {
  EXPECT_EQ(lifted.messages, "");
  const Scheduled k = defaultSchedule(lifted.kernel()).kernel;
  EXPECT_TRUE(k.schedule.registerTile) << registerTile(k).why;
  return k.schedule.registerTile.value_or(RegisterTile{});
}

/// The distance by which rows wait; "none" if they do not.
std::string behind(const RegisterTile &tile) {
  const std::string text = tile.behind ? pbc::poly::text(*tile.behind) : "none";
  return text.substr(std::min(text.find('{'), text.size() - 4));
}

/// A rule for C[w, h] over A[w, h] and L[h, h] with this header and body.
std::string program(const std::string &from, const std::string &body) {
  return "transform T from A[w, h], L[h, h] to C[w, h] { C.cell(x, y) from(" + from + ") { double s = 0; " +
         body + " return s; } }";
}

TEST(KernelRegisterTile, KnowsTheStripsOfAProduct) {
  Lifted product(programs::kMatrixProduct);
  const Outcome o = registerTile(product.kernel());
  ASSERT_TRUE(o.kernel) << o.why;
  EXPECT_THAT(print(*o.kernel), HasSubstr(R"(    registers
      band y parallel
        band x parallel
)"));
  const RegisterTile &tile = *o.kernel->schedule.registerTile;
  EXPECT_TRUE(tile.isDeep && !tile.moves && !tile.behind);
  ASSERT_EQ(tile.panels.size(), 2U);
  EXPECT_FALSE(tile.panels[0].alongX); // A[k, y]
  EXPECT_TRUE(tile.panels[1].alongX);  // B[x, k]
  EXPECT_TRUE(tile.resumes);
  EXPECT_THAT(verify(*o.kernel), IsEmpty());
}

TEST(KernelRegisterTile, ResumesASumWhateverFollowsIt) {
  Lifted half(program("A.column(x) a, L.row(y) l",
                      "for (int k = 0; k < h; ++k) s += l.cell(k) * a.cell(k); s /= 2;"));
  EXPECT_TRUE(tiled(half).resumes);
}

TEST(KernelRegisterTile, ResumesRowsThatWaitForEachOther) {
  Lifted solve(program("C.region(x, 0, x + 1, y) above, L.row(y) l, A.cell(x, y) a",
                       "s = a; for (int k = 0; k < y; ++k) s -= l.cell(k) * above.cell(0, k);"));
  EXPECT_TRUE(tiled(solve).resumes);
}

TEST(KernelRegisterTile, TwoLoopsHaveTheSameStepsInAllRows) {
  Lifted symmetric(program("A.column(x) a, L.row(y) l, L.column(y) m",
                           "for (int k = 0; k < y; ++k) s += l.cell(k) * a.cell(k);"
                           "for (int k = y; k < h; ++k) s += m.cell(k) * a.cell(k);"));
  const RegisterTile tile = tiled(symmetric);
  ASSERT_TRUE(tile.joined);
  EXPECT_THAT(pbc::poly::text(tile.joined->begin), HasSubstr("[(0)]"));
  EXPECT_THAT(pbc::poly::text(tile.joined->end), HasSubstr("[(h)]"));
  Lifted gap(program("A.column(x) a, L.row(y) l, L.column(y) m",
                     "for (int k = 0; k < y; ++k) s += l.cell(k) * a.cell(k);"
                     "for (int k = y + 1; k < h; ++k) s += m.cell(k) * a.cell(k);"));
  EXPECT_FALSE(tiled(gap).joined);
}

TEST(KernelRegisterTile, RowsOfDifferentLength) {
  Lifted triangle(
      program("A.column(x) a, L.row(y) l", "for (int k = 0; k <= y; ++k) s += l.cell(k) * a.cell(k);"));
  const RegisterTile tile = tiled(triangle);
  EXPECT_TRUE(tile.moves);
  EXPECT_FALSE(tile.behind);
}

TEST(KernelRegisterTile, RowsThatWaitForEarlierOnes) {
  Lifted solve(program("C.region(x, 0, x + 1, y) above, L.row(y) l, A.cell(x, y) a",
                       "s = a; for (int k = 0; k < y; ++k) s -= l.cell(k) * above.cell(0, k);"));
  EXPECT_EQ(behind(tiled(solve)), "{ [(0)] }"); // step k reads row k
  Lifted two(program("C.region(x, 0, x + 1, y) above, L.row(y) l, A.cell(x, y) a",
                     "s = a; for (int k = 2; k < y; ++k) s -= l.cell(k) * above.cell(0, k - 2);"));
  EXPECT_EQ(behind(tiled(two)), "{ [(2)] }"); // step k reads row k - 2
}

TEST(KernelRegisterTile, RowsThatGoBackward) {
  Lifted solve(program("C.region(x, y + 1, x + 1, h) below, L.row(y) l, A.cell(x, y) a",
                       "s = a; for (int k = h - 1; k > y; --k) s -= l.cell(k) * below.cell(0, k - y - 1);"));
  const RegisterTile tile = tiled(solve);
  EXPECT_TRUE(tile.isBackward);
  EXPECT_EQ(behind(tile), "{ [(-1 + h)] }"); // step k reads row h - 1 - k, the iteration k - h + 1
  // A loop that begins with the row before has to wait for it, whatever else it could do.
  Lifted upwards(
      program("C.region(x, y + 1, x + 1, h) below, L.row(y) l, A.cell(x, y) a",
              "s = a; for (int k = y + 1; k < h; ++k) s -= l.cell(k) * below.cell(0, k - y - 1);"));
  EXPECT_EQ(registerTile(defaultSchedule(upwards.kernel()).kernel).why,
            "a point needs the one before it along `y`");
}

TEST(KernelRegisterTile, AcrossWhatLiesSideBySide) {
  // The length of the loop moves along rows, or a point waits for the one on its left: vectors run along columns.
  struct Rule {
    const char *from, *body;
  };
  for (const Rule &rule :
       {Rule{"A.row(y) a, L.column(x) l", "for (int k = 0; k <= x; ++k) s += a.cell(k) * l.cell(k);"},
        Rule{"A.cell(x, y) a, L.column(x) l, C.region(0, y, x, y + 1) left",
             "s = a; for (int k = 0; k < x; ++k) s -= left.cell(k, 0) * l.cell(k);"},
        Rule{"A.cell(x, y) a, L.column(x) l, C.region(x + 1, y, w, y + 1) right",
             "s = a; for (int k = w - 1; k > x; --k) s -= right.cell(k - x - 1, 0) * l.cell(k);"}}) {
    Lifted lifted(fmt::format("transform T from A[w, h], L[w, w] to C[w, h] {{ C.cell(x, y) from({}) {{ "
                              "double s = 0; {} return s; }} }}",
                              rule.from, rule.body));
    const RegisterTile tile = tiled(lifted);
    EXPECT_EQ(lifted.kernel().statements.front().dimensions[static_cast<std::size_t>(tile.x)], "y")
        << rule.body;
    EXPECT_EQ(tile.panels.size(), 2U) << rule.body;
  }
}

const char *const kTurnedProduct = R"(
transform T from A[h, k], B[w, k], f to C[w, h] {
  C.cell(x, y) from(A.column(y) a, B.column(x) b, f scale) {
    double sum = 0;
    for (int i = 0; i < k; ++i)
      sum += b.cell(i) * a.cell(i);
    return scale * sum;
  }
}
)";

TEST(KernelRegisterTile, OverACopyThatIsMadeBefore) {
  Lifted turned(kTurnedProduct);
  const Scheduled kernel = after(turned.kernel(), "tasks(); layout(A, order = transposed); registers(y, x)");
  ASSERT_TRUE(kernel.schedule.registerTile);
  const RegisterTile &tile = *kernel.schedule.registerTile;
  EXPECT_TRUE(tile.isDeep && !tile.moves);
  ASSERT_EQ(tile.panels.size(), 2U); // B and the copy of A
  EXPECT_FALSE(tile.panels[0].alongX == tile.panels[1].alongX);
  EXPECT_THAT(verify(kernel), IsEmpty());
  // The block has the copy and its stride, which the function has declared.
  const std::string text = turned.text({kernel});
  EXPECT_THAT(text, HasSubstr("double *const A_map_p = A_map_l.cells();"));
  EXPECT_THAT(text, HasSubstr("A_map_p, A_map_s1}, low1, high1);"));
  // What is copied for each row is no matrix for a block of rows.
  Lifted thin(
      "transform T from A[h, 16], B[w, 16] to C[w, h] { C.cell(x, y) from(A.column(y) a, B.column(x) b) "
      "{ double s = 0; for (int i = 0; i < 16; ++i) s += b.cell(i) * a.cell(i); return s; } }");
  EXPECT_EQ(whyNot(thin.kernel(), "stage(A, y); registers(y, x)"),
            "a point has memory of its own (`A_pack`)");
}

TEST(KernelRegisterTile, ComputesTheSameOverCopies) {
  EXPECT_EQ(differences(kTurnedProduct, {"tasks(); layout(A, order = transposed); registers(y, x)",
                                         "layout(A, order = transposed); layout(B); registers(y, x)",
                                         "order(x, y); layout(B, order = transposed); registers(x, y)"}),
            "");
}

/// Whether blocks put what they compute into the strips from which later rows read it.
bool keeps(const RegisterTile &tile) {
  return std::any_of(tile.panels.begin(), tile.panels.end(),
                     [](const RegisterTile::Panel &p) { return p.isKept; });
}

TEST(KernelRegisterTile, KeepsWhatLaterRowsRead) {
  const std::string from = "C.region(x, 0, x + 1, y) above, L.row(y) l, A.cell(x, y) a",
                    solve = "s = a; for (int k = 0; k < y; ++k) s -= l.cell(k) * above.cell(0, k);";
  Lifted down(program(from, solve));
  EXPECT_TRUE(keeps(tiled(down)));
  Lifted up(program("C.region(x, y + 1, x + 1, h) below, L.row(y) l, A.cell(x, y) a",
                    "s = a; for (int k = h - 1; k > y; --k) s -= l.cell(k) * below.cell(0, k - y - 1);"));
  EXPECT_TRUE(keeps(tiled(up)));
  // Step k reads row k - 2, which is no later than the row that its distance allows.
  Lifted shifted(program(from, "s = a; for (int k = 2; k < y; ++k) s -= l.cell(k) * above.cell(0, k - 2);"));
  EXPECT_TRUE(keeps(tiled(shifted)));
  // Two of its reads are of different rows at the same step.
  Lifted two(program(
      from,
      "s = a; for (int k = 1; k < y; ++k) s -= l.cell(k) * (above.cell(0, k) + above.cell(0, k - 1));"));
  EXPECT_FALSE(keeps(tiled(two)));
}

TEST(KernelRegisterTile, Refuses) {
  Lifted stencil(programs::kStencil), triangle(programs::kTriangle);
  EXPECT_EQ(registerTile(stencil.kernel()).why, "its body is short");
  EXPECT_EQ(registerTile(triangle.kernel()).why, "the length of the loop over `k` depends on `x`");
  constexpr const char *kNoVectors = "its terms take more than arithmetic, choices and minima of one type";
  const auto term = [](const std::string &of) {
    return program("A.column(x) a, A.row(y) b, L.row(y) l", "for (int k = 0; k < h; ++k) s += " + of + ";");
  };
  Lifted function(term("exp(l.cell(k) - a.cell(k))"));
  EXPECT_EQ(registerTile(function.kernel()).why, kNoVectors);
  // Where the condition does not hold, the other cell may not exist.
  Lifted unread(term("l.cell(k) < 1 ? a.cell(k) : 0"));
  EXPECT_EQ(registerTile(unread.kernel()).why, kNoVectors);
  Lifted both(term("l.cell(k) < a.cell(k) && a.cell(k) > 0 ? a.cell(k) : 0"));
  EXPECT_EQ(registerTile(both.kernel()).why, kNoVectors);
}

TEST(KernelRegisterTile, TakesChoicesOfWhatIsReadAnyway) {
  for (const char *value :
       {"l.cell(k) < a.cell(k) ? l.cell(k) : a.cell(k)", "fmin(l.cell(k), fabs(a.cell(k)))",
        "a.cell(k) > 0 ? sqrt(a.cell(k)) : 0", "fabs(l.cell(k) - a.cell(k))"}) {
    Lifted lifted(
        program("A.column(x) a, L.row(y) l", fmt::format("for (int k = 0; k < h; ++k) s += {};", value)));
    EXPECT_TRUE(registerTile(lifted.kernel()).kernel) << value;
  }
}

} // namespace
