// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/component/component.h"
#include "compiler/kernel/transform/component/strips.h"
#include "compiler/kernel/transform/component/triangular.h"
#include <algorithm>

namespace pbc::kernel {
namespace {

/// The strips in which a triangle is have all of their steps for all points, and these are written out: whether a point keeps what it
/// computes is a condition (loop/lower/guarded_points.cpp).
Outcome paddedStrips(const Scheduled &kernel, const std::string &matrix) {
  Combined steps(kernel);
  for (const StripLoops &loops : stripsWithTriangles(kernel, matrix)) {
    script::Step separate = script::step("separate", {loops.inside});
    steps.add(
        with(separate, "at", script::name(loops.strips))); // refused where full strips are apart already
  }
  Scheduled made = steps.kernel();
  const std::vector<StripLoops> triangles = stripsWithTriangles(made, matrix);
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
