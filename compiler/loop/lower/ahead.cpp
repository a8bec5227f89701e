// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/loop/lower/ahead.h"
#include <utility>

namespace pbc::loop {
namespace {

using B = BlockOfPoints;

constexpr long kStepsOfRound = 16;
constexpr const char *kRound = "pb__round", *kEndOfRound = "pb__ofRound", *kColumn = "pb__column";
constexpr Hint kRolled{.vectors = Hint::Vectors::Never, .unrolling = Hint::Unrolling::Never};

} // namespace

NodePtr stepsInRounds(const std::string &step, const Expr &begin, const Expr &end, const NodePtr &body,
                      std::vector<NodePtr> row) {
  row.insert(row.begin(), make({Let{{{B::kRow, index(kRound)}}}}));
  Let first{{{step, begin}}};
  first.isConstant = false;
  const NodePtr round =
      block({make({If{less(index(kRound), index(B::kRows)), block(std::move(row))}}),
             make({Let{{{kEndOfRound, minimum(add(index(step), integer(kStepsOfRound)), end)}}}}),
             make({For{step, nullptr, less(index(step), index(kEndOfRound)), nullptr, body, {}, kRolled}})});
  return scope({make({std::move(first)}),
                make({For{kRound, integer(0), less(index(step), end), nullptr, round, {}, kRolled}})});
}

NodePtr columnsOfRound(const std::string &y, const Expr &behind, const std::string &x, const NodePtr &body) {
  Let place{{{y, behind ? add(index(B::kY), behind) : index(B::kY)}, {x, add(index(B::kX), index(kColumn))}}};
  place.mayBeUnused = true;
  return make({For{kColumn,
                   index(B::kRow),
                   less(index(kColumn), multiply(index(B::kVectors), index(B::kWidth))),
                   index(B::kRows),
                   block({make({std::move(place)}), body}),
                   {},
                   kRolled}});
}

} // namespace pbc::loop
