// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/unroll.h"
#include "compiler/kernel/iterations.h"
#include "compiler/kernel/transform/support.h"
#include <fmt/format.h>

namespace pbc::kernel {
namespace {

constexpr long kLongest = 128;

} // namespace

std::string whyNotUnrolled(const Scheduled &kernel, const LoopNode &loop) {
  const std::optional<long> trips = tripCount(kernel, loop);
  if (!trips)
    return fmt::format("the loop over {} has no constant length", loop.label);
  if (*trips > kLongest)
    return fmt::format("the loop over {} has more than {} iterations", loop.label, kLongest);
  if (!isAlwaysLongest(loop, kernel.context))
    return fmt::format("the loop over {} has fewer than {} iterations at some points (separate them)",
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

} // namespace

Transformation unrollTransformation() {
  return {.name = "unroll",
          .doc = "writes loops out, iteration by iteration",
          .parameters = {{.name = "loops", .kind = Parameter::Kind::Loops, .doc = "the loops"}},
          .apply = applyUnroll};
}

} // namespace pbc::kernel
