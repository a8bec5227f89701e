// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/component/component.h"
#include "compiler/kernel/transform/component/triangular.h"

namespace pbc::kernel {
namespace {

Outcome applyPeelTriangular(const Scheduled &kernel, const Arguments &arguments) {
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
