// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/component/component.h"
#include "compiler/kernel/transform/component/strips.h"
#include "compiler/kernel/transform/component/triangular.h"
#include <fmt/format.h>

namespace pbc::kernel {
namespace {

/// Loops of their own for the strips of which all items of a group have all steps.
Outcome peeledStrips(const Scheduled &kernel, const std::string &matrix) {
  Combined steps(kernel);
  std::string why = noTriangleInStrips(kernel, matrix);
  bool isAny = false;
  for (const StripLoops &loops : stripsWithTriangles(kernel, matrix)) {
    script::Step separate = script::step("separate", {loops.inside});
    with(separate, "at", script::name(loops.strips));
    const bool isApart = steps.add(with(separate, "apart", script::name("loops")));
    isAny |= isApart;
    if (!isApart)
      why = steps.why();
  }
  return isAny ? steps.done() : Outcome{std::nullopt, std::move(why)};
}

Outcome applyPeelTriangular(const Scheduled &kernel, const Arguments &arguments) {
  if (kernel.schedule.target == Target::Device)
    return peeledStrips(kernel, arguments.name("matrix"));
  const TriangleOutcome found = triangleOf(kernel, arguments.name("matrix"));
  if (!found.triangle)
    return {std::nullopt, found.why};
  return peeled(kernel, *found.triangle);
}

} // namespace

Transformation peelTriangularTransformation() {
  return {.name = "peel_triangular",
          .doc = "makes a rectangle and a triangle of what tiles read of a triangular matrix",
          .parameters = {{.name = "matrix", .kind = Parameter::Kind::Buffer, .doc = "the matrix"}},
          .apply = applyPeelTriangular};
}

} // namespace pbc::kernel
