// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/loop/lower/anywhere.h"
#include "compiler/body/value.h"

namespace pbc::loop {

bool isOfPoint(const Expr &e) {
  for (int axis = 0; axis < 3; ++axis)
    if (mentions(e, placeName(axis)) || mentions(e, itemName(axis)))
      return true;
  return false;
}

void AnywhereCheck::expr(const Expr &e) {
  if (const Element *cell = as<Element>(e)) {
    const Matrix &memory = nest_.buffers[static_cast<std::size_t>(cell->buffer)];
    readsMemory = true;
    isAnywhere &= !memory.ofGroup.empty() && !memory.isOfItem && isWithin(*cell, memory);
  }
  if (const Operation *o = as<Operation>(e))
    isAnywhere &=
        !body::isInteger(o->type) || (o->op != Operation::Op::Divide && o->op != Operation::Op::Modulo);
  Visitor::expr(e);
}

bool AnywhereCheck::isWithin(const Element &cell, const Matrix &memory) const {
  for (std::size_t d = 0; d < memory.ofGroup.size(); ++d) {
    const kernel::GroupDimension &along = memory.ofGroup[d];
    if (along.axis < 0 && others_ == Others::Some && !isOfPoint(cell.indices[d]))
      continue;
    std::optional<LinearSum> at = known_.sumOf(cell.indices[d]);
    if (!at)
      return false;
    if (along.axis >= 0)
      at->add(LinearSum{{{placeName(along.axis), 1}}, 0}, -along.factor);
    if (!along.sizes.empty() || !known_.isWithin(*at, along.extent))
      return false;
  }
  return true;
}

} // namespace pbc::loop
