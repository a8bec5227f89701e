// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What holds at all points of a box, as a condition on its corners.
//
//   x >= 1 && x + 2 <= n    for x in [first, last]    =>    first >= 1 && last + 2 <= n
//   x == 0 does not hold    for x in [first, last]    =>    last < 0 || first > 0
//
// Invariant: if the new condition holds, the old one does (or does not, as was asked for) at each point. It may fail although that is so.
#pragma once
#include "compiler/loop/tree.h"
#include <map>
#include <optional>

namespace pbc::loop {

/// The least and the largest value of each variable of the box.
using Corners = std::map<std::string, std::pair<Expr, Expr>>;

/// Null if nothing can be said: a comparison of something that is not linear in the variables. `truth`: the condition shall hold; or not.
Expr holdsInBox(const Expr &condition, bool truth, const Corners &);

/// What points do without asking where they are.
struct StraightBody {
  NodePtr body;
  Expr condition; // on the corners, under which all points of the box do that; null: always
};

/// Takes the branches of the inside: that of an inequality that holds, and of an equality that does not. Nothing if some condition is not
/// linear. `other`: of the first branches that ask for this variable, which has one value in the box, takes the second, and behind it, those
/// of equalities that hold.
std::optional<StraightBody> straightInBox(const NodePtr &body, const Corners &,
                                          const std::string &other = "");

} // namespace pbc::loop
