// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/state.h"
#include <algorithm>

namespace pbc::search {
namespace {

OrderSet orders(const State &state, int variable) { return OrderSet::ofBits(state.domain(variable)); }

} // namespace

State::State(const Problem &problem) : problem_(&problem) {
  const auto &variables = problem.variables();
  domains_.reserve(variables.size());
  for (const Variable &variable : variables) {
    domains_.push_back(variable.initial);
    open_ += isSingle(variable.initial) ? 0 : 1;
  }
  reasons_.assign(variables.size(), -1);
  isQueued_.assign(variables.size(), 0);
  isLimitQueued_.assign(problem.constraints().size(), 0);
}

bool State::keepOnly(int variable, Domain values, int constraint) {
  const auto at = std::size_t(variable);
  const Domain before = domains_[at], after = before & values;
  if (after == before && after != 0)
    return true;
  if (after == 0) {
    conflict_ = Conflict{variable, constraint, reasons_[at]};
    forgetQueue();
    return false;
  }
  trail_.push_back({variable, before, reasons_[at]});
  domains_[at] = after;
  reasons_[at] = constraint;
  open_ -= isSingle(after) ? 1 : 0;
  if (!isQueued_[at]) {
    isQueued_[at] = 1;
    queue_.push_back(variable);
  }
  return true;
}

bool State::propagate() {
  if (allToCheck_) {
    allToCheck_ = false;
    for (int c = 0; c < int(problem_->constraints().size()); ++c)
      if (!check(c))
        return false;
  }
  // Limits look at many variables, so that each is checked once after all that clauses and triples have changed.
  for (;;) {
    while (!queue_.empty()) {
      const int variable = queue_.back();
      queue_.pop_back();
      isQueued_[std::size_t(variable)] = 0;
      for (const int constraint : problem_->of(variable))
        if (problem_->constraints()[std::size_t(constraint)].kind == Constraint::Kind::Limit)
          queueLimit(constraint);
        else if (!check(constraint))
          return false;
    }
    if (limits_.empty())
      return true;
    const int limit = limits_.back();
    limits_.pop_back();
    isLimitQueued_[std::size_t(limit)] = 0;
    if (!check(limit))
      return false;
  }
}

void State::queueLimit(int constraint) {
  if (isLimitQueued_[std::size_t(constraint)])
    return;
  isLimitQueued_[std::size_t(constraint)] = 1;
  limits_.push_back(constraint);
}

bool State::check(int index) {
  const Constraint &constraint = problem_->constraints()[std::size_t(index)];
  switch (constraint.kind) {
  case Constraint::Kind::Clause:
    return checkClause(constraint, index);
  case Constraint::Kind::Triple:
    return checkTriple(constraint, index);
  case Constraint::Kind::Limit:
    if (problem_->limit(constraint).propagate(*this, index))
      return true;
    if (!conflict_)
      conflict_ = Conflict{-1, index, -1};
    forgetQueue();
    return false;
  }
  return true;
}

bool State::checkClause(const Constraint &constraint, int index) {
  const Literal *open = nullptr;
  const auto literals = problem_->literals(constraint);
  for (const Literal &literal : literals) {
    const Domain domain = domains_[std::size_t(literal.variable)];
    if ((domain & literal.values) == 0)
      continue;
    if ((domain & ~literal.values) == 0 || open != nullptr)
      return true;
    open = &literal;
  }
  if (open == nullptr)
    open = &literals.back();
  return keepOnly(open->variable, open->values, index);
}

bool State::checkTriple(const Constraint &constraint, int index) {
  const Triple &t = problem_->triple(constraint);
  const OrderSet ab = orders(*this, t.ab), bc = orders(*this, t.bc), ac = orders(*this, t.ac);
  return keepOnly(t.ac, compose(ab, bc).bits(), index) &&
         keepOnly(t.ab, compose(ac, converse(bc)).bits(), index) &&
         keepOnly(t.bc, compose(converse(ab), ac).bits(), index);
}

void State::take(std::span<const Domain> domains) {
  std::copy(domains.begin(), domains.end(), domains_.begin());
  std::fill(reasons_.begin(), reasons_.end(), -1);
  open_ = int(std::count_if(domains_.begin(), domains_.end(), [](Domain d) { return !isSingle(d); }));
  trail_.clear();
  conflict_.reset();
  forgetQueue();
  allToCheck_ = false;
}

void State::undo(Mark mark) {
  forgetQueue();
  conflict_.reset();
  while (trail_.size() > mark) {
    const Change &change = trail_.back();
    const auto at = std::size_t(change.variable);
    open_ += isSingle(domains_[at]) ? 1 : 0;
    domains_[at] = change.before;
    reasons_[at] = change.reason;
    trail_.pop_back();
  }
}

void State::forgetQueue() {
  for (const int variable : queue_)
    isQueued_[std::size_t(variable)] = 0;
  queue_.clear();
  for (const int limit : limits_)
    isLimitQueued_[std::size_t(limit)] = 0;
  limits_.clear();
}

bool holdsAnyway(const State &state, const Constraint &constraint) {
  const Problem &problem = state.problem();
  switch (constraint.kind) {
  case Constraint::Kind::Clause: {
    const auto literals = problem.literals(constraint);
    return std::any_of(literals.begin(), literals.end(), [&](const Literal &literal) {
      return (state.domain(literal.variable) & ~literal.values) == 0;
    });
  }
  case Constraint::Kind::Triple: {
    const Triple &t = problem.triple(constraint);
    return alwaysForest(orders(state, t.ab), orders(state, t.bc), orders(state, t.ac));
  }
  case Constraint::Kind::Limit:
    return problem.limit(constraint).holdsAnyway(state);
  }
  return false;
}

} // namespace pbc::search
