// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Decides how many versions of a matrix need storage at a time.
//
//   through T<0..steps>[n], T<k> from T<k-1>, B from T<steps>
//   => two slots: T<k> lies in slot k mod 2
//
//   through U<0..n>[n], U<k>.cell(i) from(U<k-1>.cell(i) u, ...)
//   => one slot: U<k> is computed in place, if no point that may run beside it reads U<k-1>.cell(i)
//
// The number is reduced only by proof: in every plan, each version is read for the last time before its slot
// is written again (language reference, 2.8).
#pragma once
#include "compiler/schedule/plan.h"
#include <compare>
#include <set>

namespace pbc::schedule {

/// How many versions of a matrix are stored.
struct Storage {
  std::optional<long> slots;            // nothing: all versions, or all of a matrix that has none
  std::optional<sema::Affine> versions; // how many there are, where the last dimension counts them
  std::string whyNotFewer; // a sentence without its end; "": there is one slot, or nothing to save
};

struct Folded {
  sema::Module module;
  std::vector<std::vector<Storage>> storage; // by transform and matrix
};

/// The module with the versions of `through` matrices folded into as few slots as all plans allow. Rules,
/// their numbers and all names stay; only coordinates of versions and the matrices' last extents change.
Folded foldVersions(const sema::Module &, const std::vector<std::vector<body::Facts>> &,
                    const std::vector<choice::Choices> &, const std::vector<TransformPlans> &);

/// Whether the last dimension of a matrix without versions is treated as if it had some: it has at least three.
inline bool isLikeVersioned(const sema::Matrix &m) { return m.rank() >= 3; }
/// Whether the matrix is a temporary that has versions, or at least three dimensions, and is accessed one version at a time:
/// one place along its last dimension.
bool mayHaveSlots(const sema::Transform &, int matrix, const choice::Grid &);

/// The order of a plan's steps and of the points in each, which all its matrices are asked about. Keeps a reference to the plan.
class PlanOrder {
public:
  explicit PlanOrder(const Plan &);
  const Plan &plan() const { return *plan_; }
  /// Whether `first` is complete when `second` begins.
  bool isBefore(std::size_t first, std::size_t second) const {
    return before_[second].count(static_cast<int>(first)) != 0;
  }
  /// { point -> place } in a step, and in those of its loops that surely run in order (in_order.h).
  const isl::union_map &places(std::size_t step) const;
  const isl::union_map &certainPlaces(std::size_t step) const;
  /// What through_time.h says of a step. Transform and grid are those of the plan.
  bool mayGoThroughTime(const sema::Transform &, const choice::Grid &, std::size_t step) const;

private:
  const Plan *plan_;
  std::vector<std::set<int>> before_; // by step: all that are complete when it begins
  // By step, and made when somebody asks.
  mutable std::vector<std::optional<isl::union_map>> places_, certainPlaces_;
  mutable std::vector<std::optional<bool>> throughTime_;
};

/// The fewest slots with which all the plans stay correct, if they are few.
Storage fewestSlots(const sema::Transform &, int matrix, const choice::Grid &,
                    const std::vector<PlanOrder> &);

/// An input of a rule.
struct Reading {
  int rule = 0, input = 0;
  friend auto operator<=>(const Reading &, const Reading &) = default;
};

/// The inputs that keep the matrix from lying in one slot, where a point overwrites too early what it has for other points of its step;
/// nothing if something else keeps it from that, too. Empty: it may lie in one slot.
std::optional<std::set<Reading>> readingsInTheWay(const sema::Transform &, int matrix, const choice::Grid &,
                                                  const std::vector<PlanOrder> &);

} // namespace pbc::schedule
