// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/component/component.h"
#include <fmt/format.h>

namespace pbc::kernel {
namespace {

Outcome applyLoopUnroll(const Scheduled &kernel, const Arguments &arguments) {
  const std::vector<std::string> labels = arguments.names("loops");
  std::vector<LoopNode> loops;
  for (const std::string &label : labels)
    loops.push_back(*findLoop(kernel.schedule.tree, label));
  for (const LoopNode &inner : loopsOf(kernel.schedule.tree))
    for (const LoopNode &outer : loops)
      if (isAround(outer, inner) && isInTile(kernel, outer) && boundsMove(kernel, inner, outer))
        return {std::nullopt, fmt::format("its loops are no rectangle: the limits of `{}` move with `{}`",
                                          inner.label, outer.label)};
  for (const LoopNode &inner : loops)
    for (const LoopNode &outer : around(inner))
      if (isInTile(kernel, outer) && boundsMove(kernel, inner, outer))
        return {std::nullopt, fmt::format("its loops are no rectangle: the limits of `{}` move with `{}`",
                                          inner.label, outer.label)};
  Combined steps(kernel);
  const script::Step unroll = script::step("unroll", labels);
  if (steps.add(unroll))
    return steps.done();
  const std::string why = steps.why();
  for (const LoopNode &at : around(loops.front())) { // full tiles apart from those at the edges
    if (isInTile(kernel, at))
      continue;
    Combined attempt(kernel);
    script::Step separate = script::step("separate", labels);
    if (attempt.add(with(separate, "at", script::name(at.label))) && attempt.add(unroll))
      return attempt.done();
  }
  return {std::nullopt, why};
}

} // namespace

Transformation loopUnrollTransformation() {
  return {.name = "loop_unroll",
          .doc = "writes loops of tiles out, full tiles apart from the others",
          .parameters = {{.name = "loops", .kind = Parameter::Kind::Loops, .doc = "the loops"}},
          .apply = applyLoopUnroll,
          .stage = Stage::Points};
}

} // namespace pbc::kernel
