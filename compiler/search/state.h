// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A partly decided implementation: the values that remain of each variable. Taking a decision removes what it excludes, and
// what that excludes in turn, and can be taken back.
//
//   State state(problem);  state.propagate();
//   auto before = state.mark();
//   if (state.decide(variable, value)) ...   // false: nothing complete is left
//   state.undo(before);
//
// Invariant after propagate() has returned true: for each constraint, every remaining value of each of its variables fits some
// remaining values of the others (arc consistency; a limit removes only what certainly breaks it). The fixed point does not depend on
// the order in which decisions were taken. Source: lower-bound-search.md, section 2.6.
#pragma once
#include "compiler/search/problem.h"
#include <optional>

namespace pbc::search {

class State {
public:
  explicit State(const Problem &problem);

  const Problem &problem() const { return *problem_; }
  Domain domain(int variable) const { return domains_[std::size_t(variable)]; }
  const std::vector<Domain> &domains() const { return domains_; }
  bool isDecided(int variable) const { return isSingle(domain(variable)); }
  /// Whether each variable has one value. With all constraints propagated this is an implementation.
  bool isComplete() const { return open_ == 0; }
  /// How many variables have more than one value.
  int openVariables() const { return open_; }

  /// Removes all other values. `constraint`: because of which; -1: a decision. False: none is left.
  bool keepOnly(int variable, Domain values, int constraint = -1);
  /// Removes what constraints exclude, until nothing changes. False: nothing complete is left.
  bool propagate();
  /// One value for one variable, and what follows.
  bool decide(int variable, unsigned value) { return keepOnly(variable, Domain(1) << value) && propagate(); }
  /// The domains of another state of the same problem.
  void take(std::span<const Domain>);

  using Mark = std::size_t;
  Mark mark() const { return trail_.size(); }
  void undo(Mark);

  /// Two constraints that clash, after keepOnly() or propagate() has returned false: the one that found no value left, and the
  /// one that removed a value before; -1: a decision, or the first domains.
  struct Conflict {
    int variable, constraint, before;
  };
  const std::optional<Conflict> &conflict() const { return conflict_; }

private:
  struct Change {
    int variable;
    Domain before;
    int reason;
  };
  bool check(int constraint);
  bool checkClause(const Constraint &, int constraint);
  bool checkTriple(const Constraint &, int constraint);
  void queueLimit(int constraint);
  void forgetQueue();

  const Problem *problem_;
  std::vector<Domain> domains_;
  std::vector<int> reasons_; // the constraint that last removed a value
  std::vector<Change> trail_;
  std::vector<int> queue_; // variables that have changed
  std::vector<char> isQueued_;
  std::vector<int> limits_; // constraints, of which a variable has changed
  std::vector<char> isLimitQueued_;
  bool allToCheck_ = true; // nothing has been propagated yet
  int open_ = 0;
  std::optional<Conflict> conflict_;
};

/// Whether no choice of the remaining values breaks the constraint, so that it need not be looked at any more.
bool holdsAnyway(const State &, const Constraint &);

} // namespace pbc::search
