// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/loop/step_window.h"

#include "compiler/kernel/footprint.h"
#include "compiler/loop/expression.h"
#include "compiler/loop/step_memory.h"

#include <algorithm>

namespace pbc::loop {
namespace {

using Op = Arithmetic::Op;

NodePtr named(std::string name, Expr value, Let::Within within = Let::Within::Nothing) {
  return make(
      {Let{.variables = {{std::move(name), std::move(value)}}, .mayBeUnused = true, .within = within}});
}

NodePtr writtenOut(const std::string &name, Expr low, Expr high, NodePtr body) {
  return make({For{name,
                   std::move(low),
                   less(index(name), std::move(high)),
                   nullptr,
                   std::move(body),
                   {},
                   {.unrolling = Hint::Unrolling::Fully}}});
}

Expr cellsAlong(std::size_t axis) { return ofMachine(alongAxis("PB_C", axis)); }

/// Where a line of the item lies; its cells begin at this place.
Expr placeOf(std::size_t axis, Expr line) {
  return add(multiply(index(alongAxis("lane", axis)), cellsAlong(axis)), std::move(line));
}

} // namespace

StepWindow::StepWindow(const kernel::Scheduled &kernel, int buffer)
    : steps_(*kernel.schedule.steps), buffer_(kernel.buffers[static_cast<std::size_t>(buffer)]),
      least_(steps_.reach.size()), most_(steps_.reach.size()) {
  for (const kernel::TimeSteps::Read &read : steps_.reads) {
    const kernel::Statement &s = kernel.statements[static_cast<std::size_t>(read.statement)];
    if (read.behind == 0 || s.accesses[static_cast<std::size_t>(read.access)].buffer != buffer)
      continue;
    std::vector<long> away;
    for (const isl::pw_aff &distance : read.away)
      away.push_back(kernel::constantOf(distance).value_or(steps_.reach[away.size()] + 1));
    for (std::size_t k = 0; k < away.size(); ++k)
      exists_ = exists_ && std::abs(away[k]) <= steps_.reach[k];
    if (!exists_ || away[0] == 0)
      continue;
    for (std::size_t k = 0; k < away.size(); ++k) {
      least_[k] = hasSides_ ? std::min(least_[k], away[k]) : away[k];
      most_[k] = hasSides_ ? std::max(most_[k], away[k]) : away[k];
    }
    hasSides_ = true;
  }
}

Expr StepWindow::isOfUse(const kernel::TimeSteps &steps) {
  const Expr warp = ofMachine("PB_WARP");
  return arithmetic(
      Op::And,
      {arithmetic(Op::And,
                  {less(integer(1), warp),
                   arithmetic(Op::Equal, {arithmetic(Op::Modulo, {warp, ofMachine("PB_G0")}), integer(0)})}),
       arithmetic(Op::And, {less(integer(1), cellsAlong(0)),
                            arithmetic(Op::GreaterEqual, {cellsAlong(0), integer(steps.reach[0])})})});
}

Expr StepWindow::length(std::size_t axis) const {
  return grouped(add(cellsAlong(axis), integer(2 * steps_.reach[axis])));
}

Expr StepWindow::at(Expr index) const {
  return make(Expression{Local{buffer_.name + "_window", buffer_.element, {std::move(index)}}});
}

/// The number of the line `line1`, .. of cells.
Expr StepWindow::line() const {
  Expr number = integer(0);
  for (std::size_t k = steps_.reach.size(); k-- > 1;)
    number = isInteger(number, 0) ? index(alongAxis("line", k))
                                  : add(multiply(grouped(number), length(k)), index(alongAxis("line", k)));
  return number;
}

Expr StepWindow::cell(const std::vector<Expr> &away) const {
  Expr number;
  for (std::size_t k = steps_.reach.size(); k-- > 0;) {
    Expr along = add(index(alongAxis("cell", k)), integer(steps_.reach[k]));
    if (!isInteger(away[k], 0))
      along = subtract(std::move(along), grouped(away[k]));
    number = number ? add(multiply(grouped(number), length(k)), std::move(along)) : std::move(along);
  }
  return at(std::move(number));
}

NodePtr StepWindow::overLines(bool onlyThoseBeside, NodePtr body) const {
  for (std::size_t k = 1; k < steps_.reach.size(); ++k) {
    const long reach = steps_.reach[k];
    const std::string line = alongAxis("line", k);
    const long low = onlyThoseBeside ? reach - most_[k] : 0,
               more = onlyThoseBeside ? reach - least_[k] : 2 * reach;
    body = writtenOut(
        line, integer(low), more ? add(cellsAlong(k), integer(more)) : cellsAlong(k),
        scope({named(alongAxis("place", k),
                     reach ? subtract(placeOf(k, index(line)), integer(reach)) : placeOf(k, index(line)),
                     Let::Within::Places),
               std::move(body)}));
  }
  return body;
}

std::vector<NodePtr> StepWindow::fill() const {
  Expr count = length(0);
  for (std::size_t k = 1; k < steps_.reach.size(); ++k)
    count = multiply(std::move(count), length(k));
  const Expr first = multiply(grouped(line()), length(0)), reach = integer(steps_.reach[0]);
  const Expr cell = index("cell0");
  std::vector<NodePtr> all = {make({Array{buffer_.name + "_window", buffer_.element, {count}}})};
  all.push_back(
      overLines(false, writtenOut("cell0", integer(0), cellsAlong(0),
                                  scope({named("place0", placeOf(0, cell), Let::Within::Places),
                                         make({Assign{at(add(add(first, reach), cell)),
                                                      {},
                                                      stepMemoryCell(steps_, buffer_, 1, {})}})}))));
  if (!hasSides_)
    return all;
  const Expr side = index("side0");
  const auto from = [&](Expr source, Expr target, bool isBefore) {
    return scope({make({Shuffle{"beside", buffer_.element, at(add(first, grouped(std::move(source)))),
                                integer(1), isBefore}}),
                  make({Assign{at(add(first, grouped(std::move(target)))), {}, index("beside")}})});
  };
  all.push_back(overLines(
      true, writtenOut("side0", integer(0), reach,
                       block({from(add(cellsAlong(0), side), side, true),
                              from(add(reach, side), add(add(reach, cellsAlong(0)), side), false)}))));
  return all;
}

NodePtr StepWindow::overCells(std::size_t axes, NodePtr body) {
  for (std::size_t k = 0; k < axes; ++k) {
    const std::string cell = alongAxis("cell", k), place = alongAxis("place", k);
    body = writtenOut(cell, integer(0), cellsAlong(k),
                      scope({named(place, placeOf(k, index(cell)), Let::Within::Places),
                             named(alongAxis("item", k), add(index(alongAxis("origin", k)), index(place))),
                             std::move(body)}));
  }
  return body;
}

} // namespace pbc::loop
