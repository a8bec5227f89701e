// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/loop/step_memory.h"

#include "compiler/loop/expression.h"

namespace pbc::loop {
namespace {

/// The cells in front of the first place, and behind the last one.
Expr paddingOf(const kernel::TimeSteps &steps) {
  Expr all = integer(steps.padding(0)), row = placesAlong(0);
  for (std::size_t k = 1; k < steps.reach.size();
       ++k, row = multiply(std::move(row), grouped(placesAlong(k - 1))))
    all = add(all, steps.padding(k) == 1 ? row : multiply(integer(steps.padding(k)), row));
  return grouped(all);
}

} // namespace

std::string alongAxis(const char *name, std::size_t axis) { return name + std::to_string(axis); }

Expr placesAlong(std::size_t axis) {
  return multiply(ofMachine(alongAxis("PB_G", axis)), ofMachine(alongAxis("PB_C", axis)));
}

Expr stepMemoryCells(const kernel::TimeSteps &steps) {
  Expr cells = integer(2);
  for (std::size_t k = steps.reach.size(); k-- > 0;)
    cells = multiply(std::move(cells), grouped(placesAlong(k)));
  return add(cells, multiply(integer(2), paddingOf(steps)));
}

std::string stepMemoryName(const kernel::Buffer &b) { return b.name + "_kept"; }

Expr stepMemoryCell(const kernel::TimeSteps &steps, const kernel::Buffer &b, int behind,
                    const std::vector<Expr> &away) {
  const Expr number = subtract(index("step"), limit("low0"));
  Expr at = arithmetic(Arithmetic::Op::Modulo,
                       {grouped(behind ? add(number, integer(behind)) : number), integer(2)});
  for (std::size_t k = steps.reach.size(); k-- > 0;) {
    const Expr place = index(alongAxis("place", k));
    const bool isSame = away.empty() || isInteger(away[k], 0);
    at = add(multiply(grouped(std::move(at)), grouped(placesAlong(k))),
             isSame ? place : subtract(place, grouped(away[k])));
  }
  return make(Expression{Local{stepMemoryName(b), b.element, {add(paddingOf(steps), std::move(at))}}});
}

} // namespace pbc::loop
