// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Conditions that are the same in all iterations of a loop are asked in front of it. isl leaves them inside if they are no
// conjunction, as those of points at the edges of a task are.
//
//   for c4 { for c5 { if low0 > c2 or high0 < c2 + 8 { s } } }   =>   if low0 > c2 or high0 < c2 + 8 { for c4 { for c5 { s } } }
#include "compiler/loop/lower/pass.h"

namespace pbc::loop {
namespace {

/// The loop around `body`, behind the conditions that it does not change; null without a body.
NodePtr behindGuards(const For &loop, const NodePtr &body) {
  const If *guard = as<If>(body);
  if (guard && !mentions(guard->condition, loop.iterator))
    return make(
        {If{guard->condition, behindGuards(loop, guard->then), behindGuards(loop, guard->otherwise)}});
  For own = loop;
  own.body = body;
  return body ? make({std::move(own)}) : nullptr;
}

struct Guards : LoopPass {
  using LoopPass::LoopPass;
  NodePtr node(const NodePtr &n) override {
    NodePtr below = Mutator::node(n);
    const For *loop = as<For>(below);
    return loop && as<If>(loop->body) ? behindGuards(*loop, loop->body) : below;
  }
};

} // namespace

NodePtr lowerGuards(const NodePtr &n, Lowering &lowering) { return Guards(lowering).node(n); }

} // namespace pbc::loop
