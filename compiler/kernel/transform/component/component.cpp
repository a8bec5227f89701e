// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/component/component.h"
#include <algorithm>

namespace pbc::kernel {

bool Combined::add(const script::Step &step) {
  StepOutcome made = run(step, kernel_);
  why_ = made.problem.what;
  if (!made.kernel)
    return false;
  kernel_ = std::move(*made.kernel);
  return true;
}

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
