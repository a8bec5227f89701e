// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Whole numbers that are choices between sums, and at which points which one is chosen: coordinates that wrap around or stay at a border.
//
//   (x + 1) % w               x < w - 1: x + 1;  else x + 1 - w         for a rule with 0 <= x < w
//   std::max(x - 1, 0)        x > 0: x - 1;      else 0
//   x == 0 ? w - 1 : x - 1    x == 0: w - 1;     else x - 1
//
// The cell at such a coordinate is a choice between cells whose coordinates are sums, which is all that the rest of the compiler knows.
//
// Invariant: each number is what C++ computes, also where a remainder is one of a negative number. A remainder is taken apart only if
// few quotients are possible at the points of the rule, of which sizes of 0 and 1 are a part.
#pragma once
#include "compiler/body/facts.h"
#include "compiler/poly/poly.h"

namespace pbc::body {

struct Piece {
  ValuePtr condition; // without data; null: in all other cases
  ValuePtr value;     // a sum
};

/// The instances of a body at one place in it: the points of its rule, and the iterations of the loops around.
class Instances {
public:
  Instances(const sema::Transform &, const sema::Rule &, const Facts &);

  void enter(const Node &loop);
  void leave() { loops_.pop_back(); }

  /// The choices that a value is, the first of which has a condition that holds; the last one has none. Nothing if it is none of sums, or of too many.
  std::optional<std::vector<Piece>> pieces(const ValuePtr &) const;
  /// The same for a condition, as one of sums alone (conditionText).
  std::optional<ValuePtr> condition(const ValuePtr &) const;

private:
  struct Loop {
    std::string iterator, constraint; // isl text; "" if its bounds are none
  };
  isl::set where(const std::string &condition) const;

  friend class PieceReader;
  const sema::Transform &transform_;
  const Facts &facts_;
  std::vector<std::string> variables_; // of the rule
  std::string prefix_, constraint_;
  std::vector<Loop> loops_;
  poly::Context isl_;
};

} // namespace pbc::body
