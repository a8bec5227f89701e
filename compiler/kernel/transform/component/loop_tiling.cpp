// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/component/component.h"

namespace pbc::kernel {
namespace {

constexpr long kPoints = 8;

Outcome applyLoopTiling(const Scheduled &kernel, const Arguments &arguments) {
  const std::vector<std::string> loops = arguments.names("loops");
  std::vector<long> sizes = arguments.numbers("sizes");
  if (sizes.empty())
    sizes.assign(loops.size(), kPoints);
  return tileInto(kernel, loops, sizes, arguments.results());
}

} // namespace

Transformation loopTilingTransformation() {
  using Kind = Parameter::Kind;
  return {.name = "loop_tiling",
          .doc = "cuts loops that lie directly in each other into tiles, and names the loops inside of them",
          .parameters = {{.name = "loops", .kind = Kind::Loops, .doc = "the loops"},
                         {.name = "sizes",
                          .kind = Kind::Integers,
                          .doc = "a size for each loop",
                          .least = 1,
                          .most = 999999999,
                          .isOptional = true}},
          .apply = applyLoopTiling};
}

} // namespace pbc::kernel
