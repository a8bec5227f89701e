// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which sectors are in a cache: what can be counted by hand.
#include "compiler/emulate/device/reuse.h"
#include "compiler/loop/tree.h"
#include <gtest/gtest.h>

namespace pbc::emulate {
namespace {

using namespace loop;

Expr cellOf(int matrix, const Expr &x, const Expr &y) { return make(Expression{Element{matrix, {x, y}}}); }

NodePtr load(const char *name, const Expr &from) {
  return make(Node{Assign{make(Expression{Local{name, Scalar::F32, {}}}), {}, from}});
}

/// For each item of a launch in two dimensions, far from all edges.
NodePtr forItems(NodePtr body) {
  for (int axis = 0; axis < 2; ++axis)
    body = make(Node{Parallel{Parallel::Over::Launch, axis, axis ? "y" : "x", integer(kCellsInside), nullptr,
                              std::move(body)}});
  return body;
}

Reuse reuseIn(NodePtr body, LaunchShape shape) {
  const std::vector<Matrix> matrices{{"A", Scalar::F32, 2}, {"B", Scalar::F32, 2}};
  const NodePtr loops = forItems(std::move(body));
  return reuseOf({matrices, loops, shape, {}, {}});
}

TEST(Reuse, NeighboursOfAStencil) {
  const Expr x = index("x"), y = index("y"), one = integer(1), minus = integer(-1);
  const Reuse found =
      reuseIn(block({load("c", cellOf(0, x, y)), load("l", cellOf(0, add(x, minus), y)),
                     load("r", cellOf(0, add(x, one), y)), load("u", cellOf(0, x, add(y, minus))),
                     load("d", cellOf(0, x, add(y, one)))}),
              {{32, 8, 1}, {1, 1, 1}, 1});
  // A warp asks for 4 + 5 + 5 + 4 + 4 sectors, 8 of them for 176. A group touches 8 rows of six sectors and two of four. Of those 32 are its own,
  // and the others those of the groups to the left and above, but for what it has first of those to the right and below.
  EXPECT_DOUBLE_EQ(found.all.first, 120.0 / 176);
  EXPECT_DOUBLE_EQ(found.all.second, 24.0 / 176);
}

TEST(Reuse, NothingOfACopy) {
  const Reuse found = reuseIn(load("c", cellOf(0, index("x"), index("y"))), {{32, 8, 1}, {1, 1, 1}, 1});
  EXPECT_EQ(found.all.first, 0);
  EXPECT_EQ(found.all.second, 0);
}

TEST(Reuse, TurnsOfALoopAndGroupsBeside) {
  const Expr k = index("k"), a = cellOf(0, k, index("y")), b = cellOf(1, index("x"), k);
  For loop{"k", integer(0), less(k, integer(4096)), nullptr, block({load("a", a), load("b", b)})};
  loop.hint.unrolling = Hint::Unrolling::Never;
  const Reuse found = reuseIn(make(Node{loop}), {{32, 1, 1}, {1, 1, 1}, 1});
  ASSERT_EQ(found.loads.size(), 2u);
  for (const auto &[key, shares] : found.loads) {
    const bool isLeft = std::get<0>(key) == a.get();
    // Along a row, every eighth turn needs another sector, which the group to the left has loaded; along a column, every turn four of them.
    EXPECT_DOUBLE_EQ(shares.first, isLeft ? 7.0 / 8 : 0);
    EXPECT_DOUBLE_EQ(shares.second, isLeft ? 1.0 / 8 : 1);
  }
}

} // namespace
} // namespace pbc::emulate
