// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/loops.h"
#include "compiler/kernel/transform/component/component.h"
#include "compiler/kernel/transform/component/strips.h"
#include "compiler/kernel/transform/component/triangular.h"
#include "compiler/kernel/transform/support.h"
#include <algorithm>

namespace pbc::kernel {
namespace {

/// So many steps of a triangle are written out at a time: with 16, 64 cells of an item and the conditions of their steps were too much for its
/// registers.
constexpr long kStepsAtOnce = 4;

/// The strips in which a triangle is have all of their steps for all points, and these are written out: whether a point keeps what it
/// computes is a condition (loop/lower/guarded_points.cpp).
Outcome paddedStrips(const Scheduled &kernel, const std::string &matrix) {
  Combined steps(kernel);
  for (const StripLoops &loops : stripsWithTriangles(kernel, matrix)) {
    script::Step separate = script::step("separate", {loops.inside});
    steps.add(
        with(separate, "at", script::name(loops.strips))); // refused where full strips are apart already
  }
  const std::vector<StripLoops> triangles = stripsWithTriangles(steps.kernel(), matrix);
  for (const StripLoops &loops : triangles)
    if (const std::optional<long> length =
            tripCount(steps.kernel(), *findLoop(steps.kernel().schedule.tree, loops.inside));
        length && *length > kStepsAtOnce && *length % kStepsAtOnce == 0) {
      script::Step tile = script::step("tile", {loops.inside}, {kStepsAtOnce});
      tile.results = {freshLabel(steps.kernel().schedule.tree, loops.inside + "s"), loops.inside};
      steps.add(tile);
    }
  Scheduled made = steps.kernel();
  for (const StripLoops &loops : triangles)
    made.schedule.tree = realised(made.schedule.tree, loops.inside, as::Unroll{});
  return triangles.empty() ? Outcome{std::nullopt, noTriangleInStrips(kernel, matrix)}
                           : Outcome{std::move(made), ""};
}

Outcome applyPaddingTriangular(const Scheduled &kernel, const Arguments &arguments) {
  if (kernel.schedule.target == Target::Device)
    return paddedStrips(kernel, arguments.name("matrix"));
  const TriangleOutcome found = triangleOf(kernel, arguments.name("matrix"));
  if (!found.triangle)
    return {std::nullopt, found.why};
  Combined steps(kernel);
  script::Step pad = script::step("pad", {found.triangle->loop});
  return steps.add(with(pad, "along", script::name(found.triangle->along))) ? steps.done() : steps.refused();
}

} // namespace

Transformation paddingTriangularTransformation() {
  return {.name = "padding_triangular",
          .doc = "makes rectangles of the triangles that tiles read of a triangular matrix",
          .parameters = {{.name = "matrix", .kind = Parameter::Kind::Buffer, .doc = "the matrix"}},
          .apply = applyPaddingTriangular};
}

} // namespace pbc::kernel
