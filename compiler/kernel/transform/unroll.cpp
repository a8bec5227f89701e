// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/unroll.h"
#include "compiler/kernel/iterations.h"
#include "compiler/kernel/transform/open_loops.h"
#include "compiler/kernel/transform/support.h"
#include <fmt/format.h>

namespace pbc::kernel {
namespace {

constexpr long kLongest = 128;

} // namespace

std::string whyNotUnrolled(const Scheduled &kernel, const LoopNode &loop) {
  const std::optional<long> trips = tripCount(kernel, loop);
  if (!trips)
    return fmt::format("the loop over `{}` has no constant length", loop.label);
  if (*trips > kLongest)
    return fmt::format("the loop over `{}` has more than {} iterations", loop.label, kLongest);
  if (*trips > 1 && !isAlwaysLongest(loop, kernel.context))
    return fmt::format("the loop over `{}` has fewer than {} iterations at some points (separate them)",
                       loop.label, *trips);
  return "";
}

namespace {

Outcome applyUnroll(const Scheduled &kernel, const Arguments &arguments) {
  Scheduled changed = kernel;
  for (const std::string &label : arguments.names("loops")) {
    const LoopNode loop = *findLoop(kernel.schedule.tree, label);
    if (loop.how)
      return {std::nullopt, alreadyRealised(loop)};
    if (std::string why = whyNotUnrolled(kernel, loop); !why.empty())
      return {std::nullopt, std::move(why)};
    changed.schedule.tree = realised(changed.schedule.tree, label, as::Unroll{});
  }
  return {changed, ""};
}

/// All short loops of the bodies together, and each alone.
std::vector<script::Step> loopsToWriteOut(const Scheduled &kernel, const Machine &) {
  constexpr long kShort = 16;
  constexpr std::size_t kMost = 4;
  std::vector<std::string> labels;
  if (kernel.schedule.registerTile)
    return {}; // blocks have their own loops
  for (const LoopNode &loop : loopsOf(kernel.schedule.tree))
    if (!loop.how && !isOverPoints(kernel, loop) && tripCount(kernel, loop).value_or(kLongest) <= kShort)
      labels.push_back(loop.label);
  std::vector<script::Step> all;
  if (labels.size() > 1)
    all.push_back(script::step("unroll", labels));
  for (const std::string &label : labels)
    if (all.size() < kMost)
      all.push_back(script::step("unroll", {label}));
  return all;
}

} // namespace

Transformation unrollTransformation() {
  return {.name = "unroll",
          .doc = "writes loops out, iteration by iteration",
          .parameters = {{.name = "loops", .kind = Parameter::Kind::Loops, .doc = "the loops"}},
          .apply = applyUnroll,
          .stage = Stage::Points,
          .alternatives = loopsToWriteOut};
}

} // namespace pbc::kernel
