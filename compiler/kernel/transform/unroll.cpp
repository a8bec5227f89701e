// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/unroll.h"
#include "compiler/kernel/iterations.h"
#include "compiler/kernel/transform/support.h"
#include <fmt/format.h>

namespace pbc::kernel {
namespace {

constexpr long kLongest = 128;

Outcome applyUnroll(const Scheduled &kernel, const Arguments &arguments) {
  Scheduled changed = kernel;
  for (const std::string &label : arguments.names("loops")) {
    const LoopNode loop = *findLoop(kernel.schedule.tree, label);
    if (loop.how)
      return {std::nullopt, alreadyRealised(loop)};
    const std::optional<long> trips = tripCount(kernel, loop);
    if (!trips)
      return {std::nullopt, fmt::format("the loop over {} has no constant length", label)};
    if (*trips > kLongest)
      return {std::nullopt, fmt::format("the loop over {} has more than {} iterations", label, kLongest)};
    if (!isAlwaysLongest(loop, kernel.context))
      return {std::nullopt,
              fmt::format("the loop over {} has fewer than {} iterations at some points (separate them)",
                          label, *trips)};
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
