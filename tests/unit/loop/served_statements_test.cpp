// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// For which statement of the kernel the parts of lowered loops are.
#include "compiler/loop/served_statements.h"
#include <gtest/gtest.h>

namespace pbc::loop {
namespace {

const std::vector<Matrix> kMatrices = [] {
  std::vector<Matrix> all{{"A", Scalar::F64, 1, true}, {"B", Scalar::F64, 1}, {"A_group", Scalar::F64, 1}};
  all[2].ofGroup = {{.dimension = 0, .extent = 16}};
  return all;
}();

Expr element(int buffer) { return make(Expression{Element{buffer, {index("i")}}}); }
Expr local(const char *name) { return make(Expression{Local{name, Scalar::F64, {}}}); }
Expr sum(Expr a, Expr b) {
  return make(Expression{Operation{Operation::Op::Add, Scalar::F64, {std::move(a), std::move(b)}}});
}
NodePtr assign(Expr target, Expr value, int statement = ServedStatements::kNone) {
  return make({Assign{std::move(target), {}, std::move(value), statement}});
}
int of(const NodePtr &all, const NodePtr &part) {
  return ServedStatements(all, kMatrices).of(*loop::as<Assign>(part));
}

TEST(ServedStatements, ACopyIsForWhatReadsIt) {
  const NodePtr copy = assign(element(2), element(0)), reads = assign(local("s"), element(2), 4),
                later = assign(local("t"), element(2), 5);
  EXPECT_EQ(of(block({copy, reads, later}), copy), 4) << "the first one of several";
  EXPECT_EQ(of(block({copy, reads, later}), later), 5) << "what has a statement keeps it";
  const NodePtr round = block({reads, copy}); // of the next turn
  EXPECT_EQ(of(make({For{"k", integer(0), nullptr, nullptr, round}}), copy), 4);
  EXPECT_EQ(of(block({copy}), copy), ServedStatements::kNone);
}

TEST(ServedStatements, ValuesWithNamesAreForTheirReaders) {
  const Let let{{{"first", element(0)}, {"second", sum(index("first"), element(0))}}, Scalar::F64};
  const NodePtr values = make({let}), reads = assign(element(1), index("second"), 7);
  const NodePtr all = block({values, reads});
  const ServedStatements found(all, kMatrices);
  for (const Let::Variable &v : loop::as<Let>(values)->variables)
    EXPECT_EQ(found.of(v), 7) << v.name;
}

TEST(ServedStatements, AStoreIsForTheStatementWhoseValueItStores) {
  const NodePtr makes = assign(local("s"), element(0), 2), stores = assign(element(1), local("s"));
  EXPECT_EQ(of(block({makes, stores}), stores), 2);
}

TEST(ServedStatements, ALoopIsForTheFirstStatementInIt) {
  const NodePtr first = assign(local("s"), element(0), 3), second = assign(element(1), local("s"), 1);
  const NodePtr inner = make({For{"k", integer(0), nullptr, nullptr, block({first, second})}});
  const NodePtr outer = make({For{"j", integer(0), nullptr, nullptr, block({inner})}});
  const ServedStatements found(outer, kMatrices);
  EXPECT_EQ(found.of(*loop::as<For>(outer)), 3);
  EXPECT_EQ(found.of(*loop::as<For>(inner)), 3);
}

} // namespace
} // namespace pbc::loop
