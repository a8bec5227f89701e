// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/component/component.h"
#include "compiler/kernel/transform/component/strips.h"
#include "compiler/kernel/transform/component/triangular.h"
#include <algorithm>
#include <fmt/format.h>

namespace pbc::kernel {
namespace {

/// The strips in which a triangle is have all of their steps for all points, and these are written out: whether a point keeps what it
/// computes is a condition (loop/lower/guarded_points.cpp).
Outcome paddedStrips(const Scheduled &kernel, const std::string &matrix) {
  Combined steps(kernel);
  const std::vector<StripLoops> all = stripsWithTriangles(kernel, matrix);
  bool isAny = all.empty();
  for (const StripLoops &loops : all) {
    script::Step separate = script::step("separate", {loops.inside});
    isAny |= steps.add(with(separate, "at", script::name(loops.strips)));
  }
  // Behind `full_strips` there is nothing left but the triangles and the edges, and code for both with all conditions had too few registers.
  if (!isAny)
    return {std::nullopt,
            fmt::format("full strips are apart from the triangle of `{}` already: `full_strips` "
                        "stands behind it",
                        matrix)};
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
