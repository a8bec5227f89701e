// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/bound/instructions.h"
#include <algorithm>
#include <cmath>

namespace pbc::search {
namespace {

/// `each`: operations that one execution of the body can do side by side.
double instructions(const TermInput &input, double operations, double each, bool withSums, double lanes) {
  const NestView::Copies copies = input.view.sideBySide(withSums);
  const double together = copies.most * std::max(1.0, each);
  // Where each execution has one operation of its own, the number of a whole iteration is known: nine are two vectors of eight lanes.
  const bool isKnown = copies.isExact && each <= 1 && operations == input.work.points;
  if (isKnown && together > lanes)
    return operations / together * std::ceil(together / lanes);
  return operations / std::clamp(together, 1.0, lanes);
}

} // namespace

Instructions leastInstructions(const TermInput &input, Number number) {
  const NestWork::Operations &operations = input.work.operations[std::size_t(number)];
  const NestWork::Together &together = input.work.together[std::size_t(number)];
  const double lanes = input.rates.arithmetic[std::size_t(number)].lanes;
  return {instructions(input, operations.additions, together.additions, !together.isOneSum, lanes),
          instructions(input, operations.multiplications, together.multiplications, true, lanes)};
}

} // namespace pbc::search
