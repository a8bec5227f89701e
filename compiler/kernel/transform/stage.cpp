// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/stage.h"
#include "compiler/kernel/transform/copies.h"

namespace pbc::kernel {
namespace {

Outcome applyStage(const Scheduled &kernel, const Arguments &arguments) {
  return withCopies(kernel, {.matrix = arguments.name("matrix"),
                             .at = arguments.name("at"),
                             .isTransposed = arguments.name("layout") == "transposed",
                             .pad = arguments.number("pad").value_or(0)});
}

} // namespace

Transformation stageTransformation() {
  using Kind = Parameter::Kind;
  return {.name = "stage",
          .doc = "copies what a step of a loop reads of a matrix into contiguous scratch memory",
          .parameters = {{.name = "matrix", .kind = Kind::Buffer, .doc = "the matrix"},
                         {.name = "at",
                          .kind = Kind::Loop,
                          .doc = "the loop in each of whose steps it is copied"},
                         orderOfCopy("layout"),
                         padOfCopy()},
          .apply = applyStage,
          .target = Target::Processor};
}

} // namespace pbc::kernel
