// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Statements that copy a cell to itself are left out, and loops around nothing else: those of rules that hand on what does not change
// from one version to the next, where all versions lie in one slot (schedule/versions.h).
//
//   for c0 { for c1 { U[c1, c0, 0] = U[c1, c0, 0] } }   =>   nothing
#include "compiler/loop/lower/pass.h"
#include "compiler/loop/print.h"
#include <algorithm>

namespace pbc::loop {
namespace {

struct SelfCopies : LoopPass {
  using LoopPass::LoopPass;
  NodePtr node(const NodePtr &n) override {
    const Assign *one = as<Assign>(n);
    if (one && !one->op && as<Element>(one->target) && as<Element>(one->value) &&
        text(lowering_.nest, one->target) == text(lowering_.nest, one->value))
      return block({});
    NodePtr below = Mutator::node(n);
    if (below == n)
      return n;
    if (const For *loop = as<For>(below); loop && isEmpty(loop->body))
      return block({});
    if (const If *branch = as<If>(below);
        branch && isEmpty(branch->then) && (!branch->otherwise || isEmpty(branch->otherwise)))
      return block({});
    return below;
  }

private:
  static bool isEmpty(const NodePtr &n) {
    const Block *all = as<Block>(n);
    return all && std::all_of(all->nodes.begin(), all->nodes.end(), isEmpty);
  }
};

} // namespace

NodePtr lowerSelfCopies(const NodePtr &n, Lowering &lowering) {
  return lowering.target.isDevice ? n : SelfCopies(lowering).node(n);
}

} // namespace pbc::loop
