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
                         {.name = "layout",
                          .kind = Kind::Word,
                          .doc = "the order of the copy's dimensions",
                          .words = {"as_is", "transposed"},
                          .isOptional = true},
                         {.name = "pad",
                          .kind = Kind::Integer,
                          .doc = "cells that are added to each row of the copy",
                          .least = 0,
                          .most = 256,
                          .isOptional = true}},
          .apply = applyStage};
}

} // namespace pbc::kernel
