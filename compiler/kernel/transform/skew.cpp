// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/skew.h"
#include "compiler/kernel/transform/support.h"
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
    return {std::nullopt,
            fmt::format("its loop over `{}` is neither around the one over `{}` nor directly in it", by.label,
                        loop.label)};
  const NewLabels made = newLabels(kernel, arguments, {loop.label}, {loop.label});
  if (!made.why.empty())
    return {std::nullopt, made.why};
  const isl::val times(functionOf(by).ctx(), factor);
  isl_union_pw_aff *distance = isl_union_pw_aff_scale_val(functionOf(by).release(), times.copy());
  const isl::union_pw_aff moved = isl::manage(isl_union_pw_aff_add(functionOf(loop).release(), distance));
  return withTree(kernel, replaceLoops({loop}, {{made.labels.front(), moved}}));
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
      .stage = Stage::Loops};
}

} // namespace pbc::kernel
