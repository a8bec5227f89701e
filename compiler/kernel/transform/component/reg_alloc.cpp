// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/component/component.h"

namespace pbc::kernel {
namespace {

Outcome applyRegAlloc(const Scheduled &kernel, const Arguments &arguments) {
  const std::string matrix = arguments.name("matrix");
  const std::string at = tileAround(kernel, bufferIndex(kernel, matrix));
  if (at.empty())
    return {std::nullopt, "no loop over tiles is around all that uses the matrix"};
  Combined steps(kernel);
  script::Step keep = script::step("keep", {matrix});
  return steps.add(with(keep, "at", script::name(at))) ? steps.done() : steps.refused();
}

} // namespace

Transformation regAllocTransformation() {
  return {.name = "reg_alloc",
          .doc = "keeps what a tile uses of a matrix in a small array, and writes it back",
          .parameters = {{.name = "matrix", .kind = Parameter::Kind::Buffer, .doc = "the matrix"}},
          .apply = applyRegAlloc,
          .mixing = {.place = Mixing::Place::Memory, .memory = Mixing::Memory::Registers}};
}

} // namespace pbc::kernel
