// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Loops that a compiler of the printed text makes vectors of, or writes out: the realisation becomes a Hint.
#include "compiler/loop/lower/pass.h"

namespace pbc::loop {

Hint vectorHint(const kernel::as::Vector &how) {
  // A short loop of constant length would be unrolled before it can become a vector.
  return {.vectors = Hint::Vectors::Always,
          .unrolling = how.width ? Hint::Unrolling::Never : Hint::Unrolling::AsItLikes,
          .width = how.width,
          .interleave = how.interleave};
}

namespace {

struct HintOf {
  Hint operator()(const kernel::as::Scalar &) const { return {.vectors = Hint::Vectors::Never}; }
  Hint operator()(const kernel::as::Rolled &) const {
    return {.vectors = Hint::Vectors::Never, .unrolling = Hint::Unrolling::Never};
  }
  Hint operator()(const kernel::as::Vector &how) const { return vectorHint(how); }
  Hint operator()(const kernel::as::Unroll &) const { return {.unrolling = Hint::Unrolling::Fully}; }
  Hint operator()(const auto &) const { return {}; } // an earlier pass has carried it out or left it
};

struct Hints : LoopPass {
  using LoopPass::LoopPass;
  NodePtr node(const NodePtr &n) override {
    NodePtr below = Mutator::node(n);
    const For *loop = as<For>(below);
    if (!loop || !loop->how)
      return below;
    For changed = *loop;
    changed.how.reset();
    if (!loop->condition)
      lowering_.leave(*loop, Left::Why::RunsOnce);
    else if (!lowering_.target.unitStride && !realisedAs<kernel::as::Scalar>(loop) &&
             !realisedAs<kernel::as::Rolled>(loop) &&
             !(lowering_.target.isDevice && realisedAs<kernel::as::Unroll>(loop)))
      lowering_.leave(*loop, Left::Why::GeneralStrides);
    else
      changed.hint = std::visit(HintOf{}, *loop->how);
    return make({std::move(changed)});
  }
};

} // namespace

NodePtr lowerHints(const NodePtr &n, Lowering &lowering) { return Hints(lowering).node(n); }

} // namespace pbc::loop
