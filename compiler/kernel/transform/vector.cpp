// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/vector.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/transform/open_loops.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace pbc::kernel {

namespace {

/// The first loop inside that is not written out; "" if there is none.
std::string loopInside(const LoopNode &loop) {
  std::string inside;
  visit(loop.band, [&](const isl::schedule_node &node) {
    if (const auto inner = loopAt(node); inner && inside.empty())
      if (!inner->how || !std::holds_alternative<as::Unroll>(*inner->how))
        inside = inner->label;
  });
  return inside;
}

} // namespace

std::string whyNoVector(const Scheduled &kernel, const LoopNode &loop) {
  for (const int s : statementsBelow(kernel, loop))
    if (kernel.statements[s].isOpaque)
      return "its body is a call of C++ code";
  if (std::string why = whySharedScratch(kernel, loop); !why.empty())
    return why;
  if (!isParallel(loop.band))
    return fmt::format("a point needs the one before it along `{}`", loop.label);
  if (const std::string inside = loopInside(loop); !inside.empty())
    return fmt::format("the loop over `{}` inside it is not written out (unroll)", inside);
  return "";
}

namespace {

Outcome applyVector(const Scheduled &kernel, const Arguments &arguments) {
  const long width = arguments.number("width").value_or(0);
  // Without a loop around the vector there is nothing to interleave.
  const int interleave = static_cast<int>(arguments.number("interleave").value_or(width ? 1 : 0));
  Scheduled changed = kernel;
  for (const std::string &label : arguments.names("loops")) {
    const LoopNode loop = *findLoop(kernel.schedule.tree, label);
    if (loop.how)
      return {std::nullopt, alreadyRealised(loop)};
    if (std::string why = whyNoVector(kernel, loop); !why.empty())
      return {std::nullopt, std::move(why)};
    changed.schedule.tree = realised(changed.schedule.tree, label, as::Vector{interleave, width});
  }
  return {changed, ""};
}

/// The loops over each variable that can be vectors, and several vectors at once for the first of them.
std::vector<script::Step> vectorsWorthTrying(const Scheduled &kernel, const Machine &) {
  std::map<int, std::vector<std::string>> byVariable;
  for (const LoopNode &loop : loopsOf(kernel.schedule.tree))
    if (!loop.how && isOverPoints(kernel, loop) && loopInside(loop).empty() && isParallel(loop.band))
      byVariable[memberDimension(kernel, loop.band)].push_back(loop.label);
  std::vector<script::Step> all;
  for (const auto &[variable, labels] : byVariable)
    all.push_back(script::step("vector", labels));
  if (all.empty())
    return all;
  for (const long count : {2L, 4L, 1L, 8L}) {
    script::Step several = all.front();
    all.push_back(script::with(several, "interleave", script::number(count)));
  }
  return all;
}

} // namespace

Transformation vectorTransformation() {
  using Kind = Parameter::Kind;
  return {.name = "vector",
          .doc = "makes loops vector loops",
          .parameters = {{.name = "loops", .kind = Kind::Loops, .doc = "the loops"},
                         {.name = "interleave",
                          .kind = Kind::Integer,
                          .doc = "vectors at once",
                          .least = 1,
                          .most = 16,
                          .words = {"auto"},
                          .isOptional = true},
                         {.name = "width",
                          .kind = Kind::Integer,
                          .doc = "iterations in a vector; if they are all, no loop is left",
                          .least = 2,
                          .most = 256,
                          .words = {"auto"},
                          .isOptional = true}},
          .apply = applyVector,
          .stage = Stage::Points,
          .target = Target::Processor,
          .alternatives = vectorsWorthTrying};
}

} // namespace pbc::kernel
