// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/order.h"
#include "compiler/kernel/transform/support.h"
#include <algorithm>

namespace pbc::kernel {
namespace {

Outcome applyOrder(const Scheduled &kernel, const Arguments &arguments) {
  const Nest nest = nestOf(kernel, arguments.names("loops"));
  if (nest.loops.empty())
    return {std::nullopt, nest.why};
  std::vector<std::size_t> places = nest.positions; // which the named loops take, in their new order
  std::sort(places.begin(), places.end());
  if (places == nest.positions)
    return {kernel, ""};
  std::vector<NewLoop> loops;
  for (const LoopNode &loop : nest.loops)
    loops.push_back(asBefore(loop));
  for (std::size_t k = 0; k < places.size(); ++k)
    loops[places[k]] = asBefore(nest.loops[nest.positions[k]]);
  return withTree(kernel, replaceLoops(nest.loops, loops));
}

} // namespace

Transformation orderTransformation() {
  return {.name = "order",
          .doc = "puts loops that lie directly in each other into this order, the outermost first",
          .parameters = {{.name = "loops", .kind = Parameter::Kind::Loops, .doc = "the loops"}},
          .apply = applyOrder};
}

} // namespace pbc::kernel
