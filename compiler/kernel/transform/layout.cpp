// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/layout.h"
#include "compiler/kernel/transform/copies.h"

namespace pbc::kernel {
namespace {

Outcome applyLayout(const Scheduled &kernel, const Arguments &arguments) {
  return withCopies(kernel, {.matrix = arguments.name("matrix"),
                             .isTransposed = arguments.name("order") == "transposed",
                             .pad = arguments.number("pad").value_or(0)});
}

} // namespace

Transformation layoutTransformation() {
  using Kind = Parameter::Kind;
  return {.name = "layout",
          .doc = "copies all that the kernel reads of a matrix before its loops run, in another order",
          .parameters = {{.name = "matrix", .kind = Kind::Buffer, .doc = "the matrix"},
                         orderOfCopy("order"),
                         padOfCopy()},
          .apply = applyLayout,
          .target = Target::Processor,
          .mixing = {.place = Mixing::Place::First}};
}

} // namespace pbc::kernel
