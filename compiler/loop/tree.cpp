// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/loop/tree.h"

namespace pbc::loop {

std::string strideName(const std::string &matrix, std::size_t dimension) {
  return matrix + "_s" + std::to_string(dimension);
}

NodePtr make(Node n) { return std::make_shared<const Node>(std::move(n)); }

std::vector<NodePtr> sequence(const NodePtr &node) {
  const Block *block = as<Block>(node);
  return block ? block->nodes : std::vector<NodePtr>{node};
}

NodePtr block(std::vector<NodePtr> nodes) {
  return nodes.size() == 1 ? nodes.front() : make({Block{std::move(nodes)}});
}
NodePtr scope(std::vector<NodePtr> nodes) { return make({Block{std::move(nodes), true}}); }

Expr endOf(const For &loop) {
  using Op = Arithmetic::Op;
  const Arithmetic *condition = as<Arithmetic>(loop.condition);
  if (!condition || (condition->op != Op::Less && condition->op != Op::LessEqual))
    return nullptr;
  return condition->op == Op::Less ? condition->operands[1] : add(condition->operands[1], integer(1));
}

bool isCounting(const For &loop) { return endOf(loop) && (!loop.step || isInteger(loop.step, 1)); }

Expr pointsOfGroup(int axis, bool isBlock) {
  const std::string number = std::to_string(axis);
  const Expr items = ofMachine("PB_G" + number);
  return isBlock ? multiply(items, ofMachine("PB_C" + number)) : items;
}

/// cells + more, and what the dimension has of sizes
static Expr withSizes(const kernel::GroupDimension &d, Expr cells, long more) {
  for (const kernel::SizeTerm &term : d.sizes) {
    const Expr size = make({Name{Name::Kind::Value, term.size}});
    Expr own = term.factor == 1 ? size : multiply(integer(term.factor), size);
    cells = cells ? add(std::move(cells), std::move(own)) : std::move(own);
  }
  if (!cells)
    return integer(more);
  return more ? add(std::move(cells), integer(more)) : cells;
}

/// factor * (points - 1) + extent
static Expr extentFor(const kernel::GroupDimension &d, Expr cells) {
  if (d.factor != 1)
    cells = multiply(integer(d.factor), grouped(subtract(std::move(cells), integer(1))));
  return withSizes(d, std::move(cells), d.extent - (d.factor == 1));
}

Expr groupExtent(const kernel::GroupDimension &d) {
  return d.axis < 0 ? withSizes(d, nullptr, d.extent) : extentFor(d, pointsOfGroup(d.axis, d.isBlock));
}

Expr pointsAtOnce(int axis) { return ofMachine((axis == 1 ? "PB_R" : "PB_C") + std::to_string(axis)); }

Expr itemExtent(const kernel::GroupDimension &d) {
  return d.axis < 0 || !d.isBlock ? integer(d.extent) : extentFor(d, pointsAtOnce(d.axis));
}

Expr groupStride(const Matrix &memory, std::size_t d) {
  Expr stride = integer(1);
  for (std::size_t k = 0; k < d; ++k) {
    Expr row = groupExtent(memory.ofGroup[k]);
    if (const long more = memory.pad + (memory.parts > 1 ? memory.parts * memory.gap : 0); k == 0 && more)
      row = add(std::move(row), integer(more));
    stride = k ? multiply(std::move(stride), grouped(std::move(row))) : std::move(row);
  }
  return stride;
}

Expr partLength(const Matrix &memory) {
  kernel::GroupDimension part = memory.ofGroup.front();
  part.factor /= memory.parts;
  part.extent = part.extent / memory.parts + memory.gap;
  return groupExtent(part);
}

} // namespace pbc::loop
