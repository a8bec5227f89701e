// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Conditions that are the same in all iterations of a loop are asked in front of it. isl leaves them inside if they are no
// conjunction, as those of points at the edges of a task are.
//
//   for c4 { for c5 { if low0 > c2 or high0 < c2 + 8 { s } } }   =>   if low0 > c2 or high0 < c2 + 8 { for c4 { for c5 { s } } }
#include "compiler/loop/lower/pass.h"

namespace pbc::loop {
namespace {

struct Guards : LoopPass {
  using LoopPass::LoopPass;
  NodePtr node(const NodePtr &n) override {
    NodePtr below = Mutator::node(n);
    const For *loop = as<For>(below);
    const If *guard = loop ? as<If>(loop->body) : nullptr;
    if (!guard || mentions(guard->condition, loop->iterator))
      return below;
    const auto around = [&](const NodePtr &body) -> NodePtr {
      if (!body)
        return nullptr;
      For own = *loop;
      own.body = body;
      return node(make({std::move(own)})); // for a condition inside the one that has left the loop
    };
    return make({If{guard->condition, around(guard->then), around(guard->otherwise)}});
  }
};

} // namespace

NodePtr lowerGuards(const NodePtr &n, Lowering &lowering) { return Guards(lowering).node(n); }

} // namespace pbc::loop
