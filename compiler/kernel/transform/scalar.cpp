// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/scalar.h"
#include "compiler/kernel/transform/open_loops.h"

namespace pbc::kernel {
namespace {

Outcome applyScalar(const Scheduled &kernel, const Arguments &arguments) {
  Scheduled changed = kernel;
  for (const std::string &label : arguments.names("loops")) {
    const LoopNode loop = *findLoop(kernel.schedule.tree, label);
    if (loop.how)
      return {std::nullopt, alreadyRealised(loop)};
    changed.schedule.tree = realised(changed.schedule.tree, label, as::Scalar{});
  }
  return {changed, ""};
}

std::vector<script::Step> allInnermost(const Scheduled &kernel, const Machine &) {
  const std::vector<LoopNode> loops = innermostLoops(kernel);
  return loops.empty() || computesPoints(kernel) ? std::vector<script::Step>()
                                                 : std::vector{script::step("scalar", labelsOf(loops))};
}

} // namespace

Transformation scalarTransformation() {
  return {.name = "scalar",
          .doc = "keeps the compiler from making vectors of loops",
          .parameters = {{.name = "loops", .kind = Parameter::Kind::Loops, .doc = "the loops"}},
          .apply = applyScalar,
          .stage = Stage::Points,
          .target = Target::Processor,
          .alternatives = allInnermost};
}

} // namespace pbc::kernel
