// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/rolled.h"
#include "compiler/kernel/transform/open_loops.h"

namespace pbc::kernel {
namespace {

Outcome applyRolled(const Scheduled &kernel, const Arguments &arguments) {
  Scheduled changed = kernel;
  for (const std::string &label : arguments.names("loops")) {
    const LoopNode loop = *findLoop(kernel.schedule.tree, label);
    if (loop.how)
      return {std::nullopt, alreadyRealised(loop)};
    changed.schedule.tree = realised(changed.schedule.tree, label, as::Rolled{});
  }
  return {changed, ""};
}

} // namespace

Transformation rolledTransformation() {
  return {.name = "rolled",
          .doc = "keeps the compiler from making vectors of loops, and from writing them out",
          .parameters = {{.name = "loops", .kind = Parameter::Kind::Loops, .doc = "the loops"}},
          .apply = applyRolled,
          .stage = Stage::Points,
          .target = Target::Processor};
}

} // namespace pbc::kernel
