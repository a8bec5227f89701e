// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A loop with one iteration declares its variable, and that is all:  { const c1 = low1; body }
#include "compiler/loop/lower/pass.h"

namespace pbc::loop {
namespace {

struct Once : LoopPass {
  using LoopPass::LoopPass;
  NodePtr node(const NodePtr &n) override {
    NodePtr below = Mutator::node(n);
    const For *loop = as<For>(below);
    if (!loop || loop->condition)
      return below;
    Let iterator{{{loop->iterator, loop->begin}}};
    iterator.mayBeUnused = true;
    return scope({make({std::move(iterator)}), loop->body});
  }
};

} // namespace

NodePtr lowerOnce(const NodePtr &n, Lowering &lowering) { return Once(lowering).node(n); }

} // namespace pbc::loop
