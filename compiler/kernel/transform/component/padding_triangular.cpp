// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/component/component.h"
#include "compiler/kernel/transform/component/triangular.h"

namespace pbc::kernel {
namespace {

Outcome applyPaddingTriangular(const Scheduled &kernel, const Arguments &arguments) {
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
