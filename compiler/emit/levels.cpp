// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emit/levels.h"
#include <algorithm>

namespace pbc::emit {

Ordered inLevels(const schedule::Plan &plan) {
  Ordered out;
  out.levelOf.resize(plan.steps.size(), 0);
  for (std::size_t s = 0; s < plan.steps.size(); ++s) {
    for (const int before : plan.steps[s].after)
      out.levelOf[s] = std::max(out.levelOf[s], out.levelOf[before] + 1);
    out.steps.push_back(s);
    out.loops += plan.steps[s].callsTransforms ? 0 : 1;
  }
  std::stable_sort(out.steps.begin(), out.steps.end(),
                   [&](std::size_t a, std::size_t b) { return out.levelOf[a] < out.levelOf[b]; });
  return out;
}

} // namespace pbc::emit
