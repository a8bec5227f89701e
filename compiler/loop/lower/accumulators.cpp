// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The steps of one item of a team, folded into several values side by side.
//
//   for k = lane; k < n; step team { s += A[k] }
//   =>  s_1 = 0; s_2 = 0; s_3 = 0; var k = lane
//       for ; k + 3 * team < n; step 4 * team { s += A[k]; s_1 += A[k + team]; s_2 += A[k + 2 * team]; s_3 += A[k + 3 * team] }
//       for ; k < n; step team { s += A[k] }
//       s = s + s_1; s = s + s_2; s = s + s_3
//
// No step waits for the one before it, so that as many cells are on their way as a compiler can hold in registers. Loops whose bodies
// have loops are left as they are.
#include "compiler/loop/lower/team_code.h"
#include "compiler/loop/walk.h"

namespace pbc::loop {
namespace {

constexpr long kAccumulators = 4;

bool hasLoops(const NodePtr &body) {
  struct Find : Visitor {
    bool found = false;
    void node(const NodePtr &n) override {
      found |= as<For>(n) != nullptr;
      if (!found)
        Visitor::node(n);
    }
    void expr(const Expr &) override {}
  } find;
  find.node(body);
  return find.found;
}

std::string copyOf(const TeamSum &sum, long number) { return sum.name() + "_" + std::to_string(number); }

/// The same with other sums.
struct WithCopies : Mutator {
  const std::vector<TeamSum> &sums;
  const long number;
  WithCopies(const std::vector<TeamSum> &sums, long number) : sums(sums), number(number) {}
  Expr expr(const Expr &e) override {
    const Local *local = as<Local>(e);
    for (const TeamSum &s : sums)
      if (local && local->name == s.name())
        return make({Local{copyOf(s, number), local->type, {}}});
    return Mutator::expr(e);
  }
};

} // namespace

NodePtr withAccumulators(const For &steps, const std::vector<TeamSum> &sums) {
  if (hasLoops(steps.body))
    return make({steps});
  std::vector<NodePtr> all, together;
  const auto value = [](const TeamSum &s, long number) {
    return make(Expression{Local{copyOf(s, number), s.with.element, {}}});
  };
  for (long number = 1; number < kAccumulators; ++number)
    for (const TeamSum &s : sums) {
      all.push_back(make({Array{copyOf(s, number), s.with.element, {}}}));
      all.push_back(assignTo(value(s, number), neutral(s.with)));
    }
  all.push_back(make({Let{.variables = {{steps.iterator, steps.begin}}, .isConstant = false}}));
  const auto later = [&](const auto &what, long number) {
    return replaced(
        what, {{steps.iterator, add(index(steps.iterator), multiply(integer(number), grouped(steps.step)))}});
  };
  together.push_back(scope({steps.body}));
  for (long number = 1; number < kAccumulators; ++number)
    together.push_back(scope({WithCopies(sums, number).node(later(steps.body, number))}));
  For rest = steps;
  rest.begin = nullptr;
  For most = rest;
  most.condition = later(steps.condition, kAccumulators - 1);
  most.step = multiply(integer(kAccumulators), grouped(steps.step));
  most.body = block(std::move(together));
  all.push_back(make({std::move(most)}));
  all.push_back(make({std::move(rest)}));
  for (long number = 1; number < kAccumulators; ++number)
    for (const TeamSum &s : sums)
      all.push_back(assignTo(s.local, combined(s.with, s.local, value(s, number))));
  return scope(std::move(all));
}

} // namespace pbc::loop
