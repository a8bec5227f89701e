// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The names and expressions that the code of a team uses: teams.cpp declares the names, and scans.cpp makes a part of the code.
//
//   slot            the item's number in its group        team      how many items compute a cell together
//   lane            its number in its team                cell      the number of its team's cell in the group
//   part, parts     which part of the cell's steps the group has, and how many there are
//   number, cells   of the cell in the launch, and how many there are
#pragma once
#include "compiler/loop/combination.h"
#include "compiler/loop/tree.h"
#include <functional>

namespace pbc::loop {

/// Passes of the launches that compute cells in parts (runtime/device/teams.h): each part's value; the values of all parts folded, or
/// scanned; and the cells of a scan.
inline constexpr long kPartsPass = 1, kFoldPass = 2, kCellsPass = 3;

class TeamCode {
public:
  /// `isWide`: several groups may share the steps of a cell.
  TeamCode(const Cells &cells, bool isWide) : cells_(cells), isWide_(isWide) {}

  bool isWide() const { return isWide_; }
  const Cells &cells() const { return cells_; }

  static Expr isPass(long pass);
  static Expr isNoPass(long pass);
  static Expr isFirstLane();
  /// Whether the team's cell exists, and the item is the one that stores it.
  Expr isInside() const;
  Expr stores() const;

  /// How far the places of neighbouring items of a team are apart in an array of a value for each item.
  Expr apart() const;
  /// An element of such an array: that of the item, moved by `lanes` items of its team.
  Expr ofItem(const std::string &array, Scalar element, const Expr &lanes) const;
  Expr ofItem(const std::string &array, Scalar element) const;
  /// Whether a team consists of whole warps, whose items can read each other's registers; null: no team does.
  Expr areWarps() const;
  /// An element of such an array that belongs to a warp, by its number in the group.
  static Expr ofWarp(const std::string &array, Scalar element, const Expr &number);
  /// A part's value number `k`, in the launch's memory.
  static Expr partial(Scalar element, std::size_t k, const Expr &part);

private:
  const Cells &cells_;
  bool isWide_;
};

NodePtr assignTo(const Expr &target, const Expr &value);
NodePtr letNumber(const std::string &name, const Expr &value);
NodePtr letValue(const std::string &name, Scalar type, const Expr &value, bool isConstant = true);

/// A scalar into which the items of a team fold values.
struct TeamSum {
  Expr local; // a Local
  Combination with;
  std::string array; // of the group, with a value for each item
  const std::string &name() const { return as<Local>(local)->name; }
};

/// Folds the scalars of all items of the team, which then have the result (team_folds.cpp).
NodePtr foldedByTeam(const std::vector<TeamSum> &, const TeamCode &);
/// The steps of one item, folded into several values side by side (accumulators.cpp).
NodePtr withAccumulators(const For &steps, const std::vector<TeamSum> &);

/// The loop as a scan of all items of the team (Hillis and Steele, Data Parallel Algorithms); null if its statement is not reached in
/// each step. `step` gives the nodes of a step before the scan's statement.
NodePtr scanLoop(const For &, const Teams::Scan &, const TeamCode &, const std::string &array,
                 const std::function<NodePtr(const NodePtr &)> &step);

} // namespace pbc::loop
