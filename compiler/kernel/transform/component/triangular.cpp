// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/component/triangular.h"
#include "compiler/kernel/transform/component/component.h"
#include <algorithm>
#include <fmt/format.h>

namespace pbc::kernel {

TriangleOutcome triangleOf(const Scheduled &kernel, const std::string &matrix) {
  const int buffer = bufferIndex(kernel, matrix);
  const std::vector<LoopNode> loops = loopsOf(kernel.schedule.tree);
  bool isTriangle = false;
  std::string realisedLoop;
  for (auto inner = loops.rbegin(); inner != loops.rend(); ++inner) {
    const std::vector<int> below = statementsBelow(kernel, *inner);
    if (std::none_of(below.begin(), below.end(), [&](int s) {
          return usesBuffer(kernel.statements[static_cast<std::size_t>(s)], buffer);
        }))
      continue;
    for (auto outer = inner + 1; outer != loops.rend(); ++outer) {
      if (!isAround(*outer, *inner) || !boundsMove(kernel, *inner, *outer))
        continue;
      isTriangle |= whyNotCounting(kernel, *outer).empty(); // limits of points in a tile are no triangle
      if (!isInTile(kernel, *outer))
        continue;
      if (!inner->how && !outer->how)
        return {Triangle{inner->label, outer->label}, ""};
      realisedLoop = inner->how ? inner->label : outer->label;
    }
  }
  const std::string name = fmt::format("`{}`", matrix);
  if (!realisedLoop.empty())
    return {{},
            fmt::format("the loop over `{}`, which makes a triangle of {}, is realised already", realisedLoop,
                        name)};
  return {{},
          isTriangle ? fmt::format("the triangle of {} is in no tile", name)
                     : fmt::format("no loop makes a triangle of {}", name)};
}

std::vector<LoopNode> loopsInTile(const Scheduled &kernel, const LoopNode &inner) {
  std::vector<LoopNode> loops;
  for (const LoopNode &loop : around(inner)) {
    if (!isInTile(kernel, loop))
      break;
    loops.insert(loops.begin(), loop);
  }
  return loops;
}

Outcome peeled(const Scheduled &kernel, const Triangle &triangle) {
  Combined steps(kernel);
  script::Step peel = script::step("peel", {triangle.loop});
  if (!steps.add(with(peel, "along", script::name(triangle.along))))
    return steps.refused();
  const std::vector<std::string> loops =
      labelsOf(loopsInTile(steps.kernel(), *findLoop(steps.kernel().schedule.tree, triangle.loop)));
  return {distributedAround(steps.kernel(), triangle.loop, loops), ""};
}

} // namespace pbc::kernel
