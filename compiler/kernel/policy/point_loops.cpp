// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/policy/point_loops.h"
#include "compiler/kernel/along.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/register_tile.h"
#include "compiler/kernel/transform/run.h"
#include "compiler/kernel/transform/support.h"
#include <algorithm>
#include <isl/schedule.h>

namespace pbc::kernel {

std::vector<LoopNode> pointLoops(const Scheduled &kernel) {
  const std::vector<LoopNode> all = loopsOf(kernel.schedule.tree);
  const isl::schedule_node outermost =
      isl::manage(isl_schedule_node_child(isl_schedule_get_root(kernel.schedule.tree.get()), 0));
  if (all.empty() || !loopAt(outermost))
    return {};
  std::vector<LoopNode> nest = nestFrom(all.front());
  const auto isOverPoints = [&](const LoopNode &loop) {
    const auto d = memberDirection(kernel, loop.band);
    return d && d->dimension < kernel.statements[statementsBelow(kernel, loop).front()].freeCount;
  };
  nest.erase(std::find_if_not(nest.begin(), nest.end(), isOverPoints), nest.end());
  return nest;
}

bool keepCells(const Scheduled &kernel, const std::vector<LoopNode> &loops) {
  if (loops.size() != 2)
    return false;
  const std::vector<int> statements = statementsBelow(kernel, loops.back());
  bool isMatrixWritten = false;
  const bool isKept = std::all_of(statements.begin(), statements.end(), [&](int s) {
    const Statement &one = kernel.statements[static_cast<std::size_t>(s)];
    const auto direction = memberDirection(one, loops.back().band);
    return direction && std::all_of(one.accesses.begin(), one.accesses.end(), [&](const Access &a) {
             if (!a.isWrite || kernel.buffers[static_cast<std::size_t>(a.buffer)].role == Buffer::Role::Local)
               return true;
             isMatrixWritten = true;
             return along(kernel, a, direction->dimension) == Along::Nowhere;
           });
  });
  return isKept && isMatrixWritten;
}

PointVariables pointVariables(const Scheduled &kernel) {
  PointVariables all;
  const auto add = [&](const std::string &name, int d) {
    if (std::find(all.dimensions.begin(), all.dimensions.end(), d) != all.dimensions.end())
      return;
    all.names.push_back(name);
    all.dimensions.push_back(d);
  };
  for (const LoopNode &loop : pointLoops(kernel))
    add(loop.label, memberDimension(kernel, loop.band));
  for (int d = 0; !kernel.statements.empty() && d < kernel.statements.front().freeCount; ++d)
    add(kernel.statements.front().dimensions[static_cast<std::size_t>(d)], d);
  return all;
}

Steps orderForBlocks(const Scheduled &kernel) {
  std::vector<std::string> order = labelsOf(pointLoops(kernel));
  if (order.size() < 2)
    return {};
  const LoopNode inner = *findLoop(kernel.schedule.tree, order.back());
  const int x = memberDirection(kernel, inner.band)->dimension;
  const bool isUneven =
      std::any_of(kernel.statements.begin(), kernel.statements.end(), [&](const Statement &s) {
        return static_cast<int>(s.dimensions.size()) == s.freeCount + 1 &&
               boundsMoveWith(s.domain, s.freeCount, x);
      });
  if (!isUneven && isParallel(inner.band, 0, kernel.dependences))
    return {};
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  const script::Step exchange = script::step("order", order);
  const StepOutcome made = run(exchange, kernel);
  const bool helps = made.kernel && !registerTile(kernel).kernel && registerTile(*made.kernel).kernel;
  return helps ? Steps{{exchange}, ""} : Steps{};
}

} // namespace pbc::kernel
