// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/skew.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/transform/open_loops.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/aff.h>
#include <isl/val.h>

namespace pbc::kernel {
namespace {

/// Whether each instance of `loop` is one of `by`: that one is around it, or lies directly in it.
bool isInside(const LoopNode &loop, const LoopNode &by) {
  if (isAround(by, loop))
    return true;
  const std::vector<LoopNode> nest = nestFrom(loop);
  return std::any_of(nest.begin() + 1, nest.end(), [&](const LoopNode &l) { return l.label == by.label; });
}

Outcome applySkew(const Scheduled &kernel, const Arguments &arguments) {
  const LoopNode loop = *findLoop(kernel.schedule.tree, arguments.name("loop"));
  const LoopNode by = *findLoop(kernel.schedule.tree, arguments.name("by"));
  const long factor = arguments.number("factor").value_or(1);
  if (loop.how)
    return {std::nullopt, alreadyRealised(loop)};
  if (loop.label == by.label)
    return {std::nullopt, "a loop cannot be moved by itself"};
  if (factor == 0)
    return {std::nullopt, "a factor of 0 moves nothing"};
  if (!isInside(loop, by))
    return {std::nullopt, fmt::format("its loop over {} is neither around the one over {} nor directly in it",
                                      by.label, loop.label)};
  const NewLabels made = newLabels(kernel, arguments, {loop.label}, {loop.label});
  if (!made.why.empty())
    return {std::nullopt, made.why};
  const isl::val times(functionOf(by).ctx(), factor);
  isl_union_pw_aff *distance = isl_union_pw_aff_scale_val(functionOf(by).release(), times.copy());
  const isl::union_pw_aff moved = isl::manage(isl_union_pw_aff_add(functionOf(loop).release(), distance));
  return withTree(kernel, replaceLoops({loop}, {{made.labels.front(), moved}}));
}

/// The moves after which the loops of a nest could be tiled, where they cannot be without.
std::vector<script::Step> movesForTiles(const Scheduled &kernel, const Machine &) {
  std::vector<script::Step> all;
  for (const OpenNest &nest : openNests(kernel)) {
    if (nest.loops.size() < 2 ||
        isPermutable(nest.loops.front().top, functionsOf(nest.loops), kernel.dependences))
      continue;
    for (std::size_t k = 1; k < nest.loops.size(); ++k)
      for (const long factor : {1L, 2L}) {
        std::vector<isl::union_pw_aff> moved = functionsOf(nest.loops);
        for (long n = 0; n < factor; ++n)
          moved[k] = isl::manage(isl_union_pw_aff_add(moved[k].copy(), moved[k - 1].copy()));
        if (!isPermutable(nest.loops.front().top, moved, kernel.dependences))
          continue;
        script::Step step = script::step("skew", {nest.loops[k].label, nest.loops[k - 1].label});
        if (factor != 1)
          script::with(step, "factor", script::number(factor));
        all.push_back(step);
      }
  }
  return all;
}

} // namespace

Transformation skewTransformation() {
  using Kind = Parameter::Kind;
  return {
      .name = "skew",
      .doc = "moves the iterations of a loop by those of another one",
      .parameters = {{.name = "loop", .kind = Kind::Loop, .doc = "the loop"},
                     {.name = "by", .kind = Kind::Loop, .doc = "the loop by whose iterations it is moved"},
                     {.name = "factor",
                      .kind = Kind::Integer,
                      .doc = "how far for each of them; without it, 1",
                      .least = -1000,
                      .most = 1000,
                      .isOptional = true}},
      .apply = applySkew,
      .stage = Stage::Loops,
      .alternatives = movesForTiles};
}

} // namespace pbc::kernel
