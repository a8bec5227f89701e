// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Choices in the body of a vector loop that depend on where a point is, and on no data: most points choose alike.
//
//   B[c1] = c1 < 1 ? A[c1 + w - 1] : A[c1 - 1]
//   ChosenAlike, loop over c1    =>   B[c1] = A[c1 - 1]                       from = 1
//   withChosenPlaces             =>   B[c1] = A[c1 < 1 ? c1 + w - 1 : c1 - 1]     one read instead of two under conditions
//
// Invariant: each point computes what it did, with the same operations on the values that it takes, so that results keep their bits.
#pragma once
#include "compiler/loop/lower/known_sums.h"
#include "compiler/loop/walk.h"
#include <map>
#include <set>

namespace pbc::loop {

/// The greatest of several sums, or the least.
class Extreme {
public:
  explicit Extreme(bool isGreatest) : isGreatest_(isGreatest) {}
  void consider(const LinearSum &);
  /// Whether all of them are the same.
  bool isOne() const { return sums_.size() == 1 && !isMixed_; }
  /// Null: none. `names`: of the sums.
  Expr value(const std::map<std::string, Expr> &names) const;

private:
  const bool isGreatest_;
  bool isMixed_ = false;
  std::vector<LinearSum> sums_;
};

/// Leaves out conditions as if all points were in the middle of rows, columns and planes, and finds out which ones are.
class ChosenAlike : public Mutator {
public:
  enum class Which {
    All,
    AlongLoop, // conditions of the loop's variable alone
    Outside    // of these, what the others choose that are not between `from` and `before`
  };
  /// `body`: of the vector loop over `variable`.
  ChosenAlike(std::string variable, const NodePtr &body, Which which);

  NodePtr body;
  /// The loop's variable is at least `from`, and less than `before`; null: it may have any value.
  Expr from() const { return from_.value(names_); }
  Expr before() const { return before_.value(names_); }
  /// What else has to hold, without the loop's variable; null: nothing.
  Expr invariant() const;
  /// Whether all points that are not between these two choose alike, too: there is only one of them.
  bool isOneSided() const { return isExact_ && (from_.isOne() || before_.isOne()) && (!from() || !before()); }
  /// Whether the body has loops whose numbers of steps depend on sizes.
  bool hasLoops() const { return hasLoops_; }

  /// The first and the last value of the variable of a loop that goes from one constant to another.
  static std::optional<std::pair<long, long>> constantRange(const For &);

  Expr expr(const Expr &) override;

private:
  /// What a condition is for most points, and which sums are not negative there.
  struct Decision {
    bool holds;
    std::vector<LinearSum> where;
    bool isExact = true; // elsewhere it is the opposite
  };
  std::optional<Decision> decision(const Expr &condition, std::optional<bool> wanted);
  std::optional<Decision> comparison(const Expr &condition, std::optional<bool> wanted);
  std::optional<LinearSum> sumOf(const Expr &);
  bool isTaken(const Decision &) const;
  void leaveOut(const Decision &);
  struct Contents;

  const std::string variable_;
  const Which which_;
  bool hasLoops_ = false, isExact_ = true;
  std::set<std::string> ofBody_; // names that the body declares or changes
  std::map<std::string, std::pair<long, long>>
      counted_; // variables of loops inside: their first and their last value
  std::map<std::string, Expr> names_;
  Extreme from_{true}, before_{false};
  std::vector<LinearSum> invariants_;
};

/// Choices between cells of one matrix as cells at chosen places.
class ChosenPlaces : public Mutator {
public:
  ChosenPlaces(const Nest &nest, std::string variable) : nest_(nest), variable_(std::move(variable)) {}
  bool hasAny = false,
       isAlongLoop = false; // whether there are any, and some that depend on the loop's variable
  Expr expr(const Expr &) override;

private:
  Expr conditionOfLoops(const Expr &) const;
  const Nest &nest_;
  const std::string variable_;
};

} // namespace pbc::loop
