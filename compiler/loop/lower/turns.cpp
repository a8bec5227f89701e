// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the turns of an item's points, and what the item keeps in them, ask of a body.
#include "compiler/loop/lower/pass.h"
#include <algorithm>

namespace pbc::loop {
namespace {

using Op = Arithmetic::Op;

/// Finds the copies of items that may have cells outside of their matrix though all points of the item are points of the launch: some
/// are read under a condition.
struct UnsureBoxes : Visitor {
  const Nest &nest;
  Expr all;
  std::set<int> memories;
  explicit UnsureBoxes(const Nest &nest) : nest(nest) {}

  void require(Expr one) { all = all ? arithmetic(Op::And, {all, std::move(one)}) : std::move(one); }

  void node(const NodePtr &n) override {
    if (as<For>(n)) // what it copies may depend on the step
      return;
    if (const GroupCopy *copy = as<GroupCopy>(n);
        copy && copy->isOfItem && !copy->isWithinPoints && copy->through < 0) {
      memories.insert(copy->to);
      const Matrix &memory = nest.buffers[static_cast<std::size_t>(copy->to)];
      for (std::size_t d = 0; d < copy->first.size(); ++d) {
        const Expr size = sizeOf(nest.buffers[static_cast<std::size_t>(copy->from)], d);
        const Expr end = add(copy->first[d], grouped(itemExtent(memory.ofGroup[d])));
        if (const Integer *first = as<Integer>(copy->first[d]); !first || first->value < 0)
          require(arithmetic(Op::LessEqual, {integer(0), copy->first[d]}));
        require(arithmetic(Op::LessEqual, {end, size}));
      }
    }
    Visitor::node(n);
  }
};

} // namespace

Expr hasBoxes(const NodePtr &body, const Nest &nest, std::set<int> &memories) {
  UnsureBoxes find(nest);
  find.node(body);
  memories = std::move(find.memories);
  return find.all;
}

bool hasCopies(const NodePtr &n) {
  struct Find : Visitor {
    bool isFound = false;
    void node(const NodePtr &one) override {
      isFound |= as<GroupCopy>(one) != nullptr;
      Visitor::node(one);
    }
  } find;
  find.node(n);
  return find.isFound;
}

long keptAlong(const kernel::GroupDimension &d, int axis) {
  const bool moves = d.axis == axis && d.factor == 1 && (axis > 1 || d.isBlock);
  return moves ? std::max(0L, d.extent - d.factor) : 0;
}

long turnsBefore(const std::vector<Matrix> &matrices) {
  long most = 0;
  for (const Matrix &m : matrices)
    for (const kernel::GroupDimension &d : m.ofGroup)
      if (m.isOfItem)
        most = std::max(most, keptAlong(d, 2));
  return most;
}

} // namespace pbc::loop
