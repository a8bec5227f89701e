// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// For which statement of the kernel each line of a kernel's text for devices is.
#include "compiler/emit/dialect/device_c.h"
#include "compiler/emit/kernel/loops.h"
#include <gtest/gtest.h>
#include <sstream>

namespace pbc::emit {
namespace {

using namespace loop;

constexpr int kNone = -1;

Expr named(const char *name) { return make(Expression{Name{Name::Kind::Value, name}}); }
Expr cellOf(int buffer, const Expr &at) { return make(Expression{Element{buffer, {at}}}); }
Expr scalarOf(const char *name) { return make(Expression{Local{name, Scalar::F64, {}}}); }
NodePtr set(Expr to, Expr from, int statement, std::optional<Operation::Op> op = {}) {
  return make(Node{Assign{std::move(to), op, std::move(from), statement}});
}

/// s = 0; for k < n { s += A[k] } with what is written for it, and B[item] = s.
NodePtr sumOfAll(Hint::Unrolling unrolling) {
  const Expr item = index("item"), k = index("k");
  const NodePtr adds = set(scalarOf("s"), cellOf(0, k), 1, Operation::Op::Add);
  const NodePtr steps =
      make(Node{For{"k",
                    integer(0),
                    less(k, named("n")),
                    nullptr,
                    make(Node{If{less(k, named("m")), block({make(Node{Comment{"inside"}}), adds})}}),
                    {},
                    {.unrolling = unrolling}}});
  const NodePtr zero = set(scalarOf("s"), make(Expression{Literal{"0.0", Scalar::F64}}), 0);
  const NodePtr result = set(cellOf(1, item), scalarOf("s"), 2);
  return make(Node{Parallel{Parallel::Over::Items, 0, "item", integer(0), named("n"),
                            block({make(Node{Array{"s", Scalar::F64, {}}}), zero, steps, result})}});
}

std::vector<std::pair<std::string, int>> linesOf(const NodePtr &body) {
  Nest nest;
  nest.buffers = {{"A", Scalar::F64, 1, true}, {"B", Scalar::F64, 1}};
  nest.body = body;
  Used used;
  const DeviceLoopText text = deviceLoops(nest, DeviceC(), used);
  std::vector<std::pair<std::string, int>> all;
  std::istringstream lines(text.loops);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = all.size();
    all.emplace_back(line.substr(line.find_first_not_of(' ')),
                     at < text.statements.size() ? text.statements[at] : -2);
  }
  EXPECT_EQ(text.statements.size(), all.size());
  return all;
}

TEST(TextLines, AreForStatementsOfTheKernel) {
  const std::vector<std::pair<std::string, int>> expected = {{"{", kNone},
                                                             {"const PB_INDEX item = PB_LOCAL_ID(0);", kNone},
                                                             {"double s_l;", kNone},
                                                             {"s_l = 0.0;", 0},
                                                             {"for (PB_INDEX k = 0; k < n_v; ++k) {", 1},
                                                             {"if (k < m_v) {", 1},
                                                             {"// inside", 1},
                                                             {"s_l += A_p[k * A_s0];", 1},
                                                             {"}", 1},
                                                             {"}", 1},
                                                             {"B_p[item * B_s0] = s_l;", 2},
                                                             {"}", kNone}};
  EXPECT_EQ(linesOf(sumOfAll(Hint::Unrolling::AsItLikes)), expected);
}

/// A hint is a line of its own, in front of its loop.
TEST(TextLines, HintsBelongToTheirLoops) {
  const auto all = linesOf(sumOfAll(Hint::Unrolling::Fully));
  ASSERT_GT(all.size(), 6U);
  EXPECT_EQ(all[4], (std::pair<std::string, int>("#pragma unroll", 1)));
  EXPECT_EQ(all[5].second, 1);
  EXPECT_EQ(all[all.size() - 2].second, 2) << "what comes behind is counted on";
}

/// What stands at the top of the loops is printed piece by piece.
TEST(TextLines, GoOnFromOnePieceToTheNext) {
  const auto all = linesOf(
      block({set(scalarOf("t"), cellOf(0, index("i")), 5), set(cellOf(1, index("i")), scalarOf("t"), 6)}));
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].second, 5);
  EXPECT_EQ(all[1].second, 6);
}

} // namespace
} // namespace pbc::emit
