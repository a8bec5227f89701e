// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/component/component.h"
#include "compiler/kernel/subtree.h"
#include <algorithm>
#include <utility>

namespace pbc::kernel {

bool Combined::add(const script::Step &step) {
  StepOutcome made = run(step, kernel_);
  why_ = made.problem.what;
  if (!made.kernel)
    return false;
  kernel_ = std::move(*made.kernel);
  steps_.push_back(step);
  return true;
}

namespace {

/// The kernel in which the innermost loops around `inner` have these names; loops that had them get the names that these had.
Scheduled calledAround(const Scheduled &kernel, const std::string &inner,
                       const std::vector<std::string> &names) {
  const std::vector<std::string> around = loopsAround(*findLoop(kernel.schedule.tree, inner));
  Subtree tree = *subtreeOf(kernel.schedule.tree);
  for (std::size_t k = 0; k < names.size(); ++k) {
    const std::string &own = around[around.size() - names.size() + k];
    const std::string between = freshLabel(kernel.schedule.tree, "between");
    for (const auto &[from, to] :
         {std::pair(names[k], between), std::pair(own, names[k]), std::pair(between, own)})
      if (own != names[k])
        rename(tree, from, to);
  }
  return *inSameOrder(kernel, scheduleOf(kernel.schedule.tree, tree)).kernel;
}

} // namespace

Outcome tileInto(const Scheduled &kernel, const std::vector<std::string> &loops,
                 const std::vector<long> &sizes, const std::vector<std::string> &results) {
  script::Step tile = script::step("tile", loops, sizes);
  if (!results.empty() && results.size() != loops.size())
    return {std::nullopt, "it has as many results as loops: those inside of the tiles"};
  for (const std::string &loop : loops)
    tile.results.push_back(freshLabel(kernel.schedule.tree, loop + "t"));
  tile.results.insert(tile.results.end(), results.empty() ? loops.begin() : results.begin(),
                      results.empty() ? loops.end() : results.end());
  Combined steps(kernel);
  return steps.add(tile) ? steps.done() : steps.refused();
}

std::vector<std::string> nestAround(const LoopNode &inner) {
  std::vector<std::string> nest;
  for (const LoopNode &loop : around(inner)) {
    if (!nest.empty() && nestFrom(loop).size() < nest.size() + 1)
      break;
    nest.insert(nest.begin(), loop.label);
  }
  return nest;
}

Scheduled distributedAround(const Scheduled &kernel, const std::string &inner,
                            const std::vector<std::string> &loops) {
  Combined steps(kernel);
  if (loops.empty() || !steps.add(script::step("fission", loops)))
    return kernel;
  return calledAround(steps.kernel(), inner, loops);
}

bool isInTile(const Scheduled &kernel, const LoopNode &loop) {
  return tripCount(kernel, loop) && whyNotCounting(kernel, loop).empty();
}

std::string tileAround(const Scheduled &kernel, int buffer) {
  std::vector<LoopNode> common; // the outermost first
  bool isFirst = true;
  for (const LoopNode &loop : loopsOf(kernel.schedule.tree)) {
    const std::vector<int> below = statementsBelow(kernel, loop);
    bool holdsAll = true;
    for (std::size_t s = 0; s < kernel.statements.size(); ++s)
      if (usesBuffer(kernel.statements[s], buffer))
        holdsAll &= std::find(below.begin(), below.end(), static_cast<int>(s)) != below.end();
    if (holdsAll && (isFirst || isAround(common.back(), loop)))
      common.push_back(loop);
    isFirst = common.empty();
  }
  while (!common.empty() && isInTile(kernel, common.back()))
    common.pop_back();
  return common.empty() ? "" : common.back().label;
}

} // namespace pbc::kernel
