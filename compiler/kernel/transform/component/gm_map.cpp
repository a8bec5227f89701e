// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/component/component.h"
#include "compiler/kernel/transform/copies.h"

namespace pbc::kernel {
namespace {

Outcome applyGmMap(const Scheduled &kernel, const Arguments &arguments) {
  if (arguments.name("mode") == "Symmetry")
    return withCopies(kernel, {.matrix = arguments.name("matrix"), .isMirrored = true});
  Combined steps(kernel);
  script::Step layout = script::step("layout", {arguments.name("matrix")});
  if (arguments.name("mode") == "Transpose")
    with(layout, "order", script::name("transposed"));
  return steps.add(layout) ? steps.done() : steps.refused();
}

} // namespace

Transformation gmMapTransformation() {
  using Kind = Parameter::Kind;
  return {.name = "GM_map",
          .doc = "copies all that the kernel reads of a matrix before its loops run",
          .parameters = {{.name = "matrix", .kind = Kind::Buffer, .doc = "the matrix"},
                         {.name = "mode",
                          .kind = Kind::Word,
                          .doc = "how it is copied",
                          .words = {"NoChange", "Transpose", "Symmetry"}}},
          .apply = applyGmMap,
          .stage = Stage::Loops,
          .target = Target::Processor,
          .mixing = {.place = Mixing::Place::First}};
}

} // namespace pbc::kernel
