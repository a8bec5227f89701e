// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/unroll.h"
#include "compiler/kernel/formula.h"
#include "compiler/kernel/tree.h"

namespace pbc::kernel {

Outcome unrollBodies(const Scheduled &kernel, long most) {
  long total = 0;
  bool hasLoops = false;
  for (const Statement &s : kernel.statements) {
    long perPoint = 1;
    for (int d = s.freeCount; d < static_cast<int>(s.dimensions.size()); ++d) {
      const std::optional<long> trips = tripCount(s.domain.intersect_params(kernel.context), d);
      if (!trips)
        return {std::nullopt, "the loop over " + s.dimensions[d] + " has no constant length"};
      perPoint *= *trips;
      hasLoops = true;
      if (perPoint > most)
        return {std::nullopt, "the loop over " + s.dimensions[d] + " has more than " + std::to_string(most) +
                                  " iterations"};
    }
    total += perPoint;
  }
  if (hasLoops && total > 2 * most)
    return {std::nullopt, "the body would become too long"};
  Scheduled changed = kernel;
  if (!hasLoops)
    return {changed, ""};
  changed.schedule.tree = mapBottomUp(kernel.schedule.tree, [&](const isl::schedule_node &node) {
    if (!isBand(node) || members(node) != 1)
      return node;
    const int d = memberDimension(kernel, node);
    const int s = statementIndex(kernel, statementsAt(node).front());
    return d >= kernel.statements[s].freeCount ? insertMark(node, as::Unroll{}) : node;
  });
  return {changed, ""};
}

} // namespace pbc::kernel
