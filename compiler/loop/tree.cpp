// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/loop/tree.h"

namespace pbc::loop {

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

} // namespace pbc::loop
