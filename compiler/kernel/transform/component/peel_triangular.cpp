// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/component/component.h"
#include "compiler/kernel/transform/component/triangular.h"

namespace pbc::kernel {
namespace {

Outcome applyPeelTriangular(const Scheduled &kernel, const Arguments &arguments) {
  const TriangleOutcome found = triangleOf(kernel, arguments.name("matrix"));
  if (!found.triangle)
    return {std::nullopt, found.why};
  Combined steps(kernel);
  script::Step peel = script::step("peel", {found.triangle->loop});
  if (!steps.add(with(peel, "along", script::name(found.triangle->along))))
    return steps.refused();
  // The rectangle gets loops of its own, which later steps can tile.
  std::vector<std::string> loops;
  for (const LoopNode &loop : around(*findLoop(steps.kernel().schedule.tree, found.triangle->loop))) {
    if (!isInTile(steps.kernel(), loop))
      break;
    loops.insert(loops.begin(), loop.label);
  }
  Combined apart = steps;
  return !loops.empty() && apart.add(script::step("fission", loops)) ? apart.done() : steps.done();
}

} // namespace

Transformation peelTriangularTransformation() {
  return {.name = "peel_triangular",
          .doc = "makes a rectangle and a triangle of what tiles read of a triangular matrix",
          .parameters = {{.name = "matrix", .kind = Parameter::Kind::Buffer, .doc = "the matrix"}},
          .apply = applyPeelTriangular};
}

} // namespace pbc::kernel
