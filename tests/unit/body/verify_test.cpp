// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The verifier of facts: it says nothing about facts that are read from bodies, and gives a sentence for each
// broken invariant.
#include "compiler/body/verify.h"
#include "compiler/sema/check.h"
#include "compiler/syntax/parse.h"
#include <functional>
#include <gtest/gtest.h>

namespace pbc::body {
namespace {

const char *const kProgram = R"(
transform T from A[n], K to B[n]
{
  to(B.cell(i) b) from(A.region(i, n) a, K k) {
    double s = k;
    for (int j = 0; j < n - i; ++j) s += a.cell(j) * (j > 2 ? 1 : fabs(k));
    b = s;
  }
  to(B b) from(A a) { T(b, a, 2); T(b, a, 3); }
}
)";

using Texts = std::vector<std::string>;

Texts broken(const std::function<void(std::vector<Facts> &)> &change) {
  source::SourceManager sources;
  const auto file = sources.add("t.pbcc", kProgram);
  source::Diagnostics d(sources);
  const auto program = syntax::parse(syntax::preprocess(sources, file, d), file, d);
  const auto module = sema::check(program, "t", "", d);
  auto facts = understand(module, d).facts;
  EXPECT_EQ(d.render(), "");
  change(facts.at(0));
  return verify(module, facts);
}

/// Nodes and values are shared and constant, so a changed copy replaces them.
void replace(NodePtr &at, const std::function<void(Node &)> &change) {
  auto copy = std::make_shared<Node>(*at);
  change(*copy);
  at = copy;
}
void replace(ValuePtr &at, const std::function<void(Value &)> &change) {
  auto copy = std::make_shared<Value>(*at);
  change(*copy);
  at = copy;
}

TEST(VerifyFacts, AcceptsWhatIsRead) {
  EXPECT_EQ(broken([](auto &f) {
              EXPECT_TRUE(f[0].liftable) << f[0].obstacle;
              EXPECT_EQ(f[0].nodes.size(), 3u);
            }),
            Texts{});
}

TEST(VerifyFacts, NamesWhatIsBroken) {
  EXPECT_EQ(broken([](auto &f) { f.pop_back(); }), Texts{"T: there are not facts for every rule"});
  EXPECT_EQ(broken([](auto &f) { f[1].obstacle.clear(); }),
            Texts{"T, rule1: liftable and an obstacle exclude each other"});
  EXPECT_EQ(broken([](auto &f) { f[0].callees = {"T"}; }).at(0),
            "T, rule0: a liftable body calls a transform");
  EXPECT_EQ(broken([](auto &f) { f[0].locals.clear(); }).at(0), "T, rule0: an assignment to no variable");
  EXPECT_EQ(broken([](auto &f) { f[0].iterators.clear(); }), Texts{"T, rule0: a loop has no variable"});
}

TEST(VerifyFacts, NamesBrokenStatements) {
  const auto statement = [](int k, const std::function<void(Node &)> &change) {
    return broken([&](auto &f) { replace(f[0].nodes[k], change); });
  };
  EXPECT_EQ(statement(2, [](Node &n) { n.op = "%"; }), Texts{"T, rule0: `%=` is not an assignment"});
  EXPECT_EQ(statement(2, [](Node &n) { n.target.index = 1; }),
            Texts{"T, rule0: an assignment to something other than an output"});
  EXPECT_EQ(statement(2, [](Node &n) { n.target.indices = {n.value}; }).at(0),
            "T, rule0: a cell has another rank than its view");
  EXPECT_EQ(statement(2, [](Node &n) { n.value = nullptr; }), Texts{"T, rule0: a value is missing"});
  EXPECT_EQ(statement(1, [](Node &n) { n.step = 0; }), Texts{"T, rule0: a loop does not go forward"});
  EXPECT_EQ(statement(1, [](Node &n) { n.body.push_back(nullptr); }),
            Texts{"T, rule0: a statement is missing"});
  EXPECT_EQ(statement(1, [](Node &n) { n.body.push_back(std::make_shared<Node>(n)); }).at(0),
            "T, rule0: a loop has the variable of a loop around it");
}

TEST(VerifyFacts, NamesBrokenValues) {
  const auto value = [](const std::function<void(Value &)> &change) {
    return broken([&](auto &f) { replace(f[0].nodes[2], [&](Node &n) { replace(n.value, change); }); });
  };
  EXPECT_EQ(value([](Value &v) { v.index = 9; }), Texts{"T, rule0: a read of no variable"});
  EXPECT_EQ(value([](Value &v) { v.kind = Value::Kind::Iterator, v.index = 0; }),
            Texts{"T, rule0: a loop's variable is read outside of its loop"});
  EXPECT_EQ(value([](Value &v) { v.kind = Value::Kind::Input, v.index = 0; }),
            Texts{"T, rule0: a read of what is no 0-d input"});
  EXPECT_EQ(value([](Value &v) { v.kind = Value::Kind::Cell, v.index = 3; }),
            Texts{"T, rule0: a read of no region"});
  EXPECT_EQ(value([](Value &v) { v.kind = Value::Kind::Binary, v.text = "+"; }),
            Texts{"T, rule0: `+` has 0 operands instead of 2"});
  EXPECT_EQ(value([](Value &v) {
              const auto copy = std::make_shared<Value>(v);
              v.kind = Value::Kind::Cell, v.index = 1, v.operands = {copy};
            }),
            Texts{"T, rule0: a coordinate is not an integer"});
}

TEST(VerifyFacts, NamesBrokenEdits) {
  EXPECT_EQ(broken([](auto &f) { std::swap(f[1].edits[0], f[1].edits[1]); }),
            Texts{"T, rule1: the edits are not in the text's order"});
  EXPECT_EQ(broken([](auto &f) { f[1].edits[1].end = 4000; }),
            Texts{"T, rule1: the edits are not in the text's order"});
  EXPECT_EQ(broken([](auto &f) { f[1].edits[0].argumentsBegin = 0; }),
            Texts{"T, rule1: the parts of a call are not inside it"});
  EXPECT_EQ(broken([](auto &f) { f[1].callees.push_back("T"); }),
            Texts{"T, rule1: a callee is listed twice"});
  EXPECT_EQ(broken([](auto &f) { f[1].callees.clear(); }),
            Texts{"T, rule1: the callees are not those of the calls"});
  EXPECT_EQ(broken([](auto &f) { f[1].edits[0].callee = "U"; }).at(0),
            "T, rule1: a call of `U`, which is not a transform");
}

} // namespace
} // namespace pbc::body
