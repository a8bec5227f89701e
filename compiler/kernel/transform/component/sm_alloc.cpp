// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/component/component.h"
#include "compiler/kernel/transform/copies.h"

namespace pbc::kernel {
namespace {

Outcome applySmAlloc(const Scheduled &kernel, const Arguments &arguments) {
  const std::string matrix = arguments.name("matrix");
  const std::string at = tileAround(kernel, bufferIndex(kernel, matrix));
  if (at.empty())
    return {std::nullopt, "no loop over tiles is around all that reads the matrix"};
  if (arguments.name("mode") == "Symmetry")
    return withCopies(kernel, {.matrix = matrix, .at = at, .isMirrored = true});
  Combined steps(kernel);
  script::Step stage = script::step("stage", {matrix});
  with(stage, "at", script::name(at));
  if (arguments.name("mode") == "Transpose")
    with(stage, "layout", script::name("transposed"));
  return steps.add(stage) ? steps.done() : steps.refused();
}

} // namespace

Transformation smAllocTransformation() {
  using Kind = Parameter::Kind;
  return {.name = "SM_alloc",
          .doc = "copies what a tile reads of a matrix into contiguous memory",
          .parameters = {{.name = "matrix", .kind = Kind::Buffer, .doc = "the matrix"},
                         {.name = "mode",
                          .kind = Kind::Word,
                          .doc = "how it is copied",
                          .words = {"NoChange", "Transpose", "Symmetry"}}},
          .apply = applySmAlloc,
          .mixing = {.place = Mixing::Place::Memory, .memory = Mixing::Memory::Group, .mode = "mode"}};
}

} // namespace pbc::kernel
