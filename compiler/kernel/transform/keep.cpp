// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/keep.h"
#include "compiler/kernel/transform/copies.h"

namespace pbc::kernel {
namespace {

Outcome applyKeep(const Scheduled &kernel, const Arguments &arguments) {
  return withCopies(kernel, {.matrix = arguments.name("matrix"), .at = arguments.name("at"), .isKept = true});
}

} // namespace

Transformation keepTransformation() {
  using Kind = Parameter::Kind;
  return {
      .name = "keep",
      .doc = "keeps what a step of a loop uses of a matrix in a small array, and writes it back",
      .parameters = {{.name = "matrix", .kind = Kind::Buffer, .doc = "the matrix"},
                     {.name = "at", .kind = Kind::Loop, .doc = "the loop in each of whose steps it is kept"}},
      .apply = applyKeep};
}

} // namespace pbc::kernel
