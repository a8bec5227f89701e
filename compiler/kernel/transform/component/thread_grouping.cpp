// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/component/component.h"
#include <algorithm>
#include <isl/schedule_node.h>

namespace pbc::kernel {
namespace {

constexpr long kBlock = 32;

Outcome grouped(const Scheduled &kernel, const std::vector<std::string> &loops,
                const std::vector<long> &sizes, const std::vector<std::string> &results) {
  const bool isParallel = std::any_of(loops.begin(), loops.end(), [&](const std::string &loop) {
    return isl_schedule_node_band_member_get_coincident(findLoop(kernel.schedule.tree, loop)->band.get(),
                                                        0) == isl_bool_true;
  });
  if (!isParallel)
    return {std::nullopt,
            "each of its loops carries a dependence, so that nothing could run at the same time"};
  return tileInto(kernel, loops, sizes, results);
}

Outcome applyThreadGrouping(const Scheduled &kernel, const Arguments &arguments) {
  const std::vector<std::string> loops = arguments.names("loops");
  std::vector<long> sizes = arguments.numbers("sizes");
  if (sizes.empty())
    sizes.assign(loops.size(), kBlock);
  return grouped(kernel, loops, sizes, arguments.results());
}

} // namespace

Transformation threadGroupingTransformation() {
  using Kind = Parameter::Kind;
  return {.name = "thread_grouping",
          .doc = "makes tiles that tasks or groups can compute, and names the loops inside of them",
          .parameters = {{.name = "loops", .kind = Kind::Loops, .doc = "the loops"},
                         {.name = "sizes",
                          .kind = Kind::Integers,
                          .doc = "a size for each loop",
                          .least = 1,
                          .most = 999999999,
                          .isOptional = true}},
          .apply = applyThreadGrouping,
          .target = Target::Processor};
}

} // namespace pbc::kernel
