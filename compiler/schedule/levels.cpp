// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/schedule/levels.h"
#include <algorithm>

namespace pbc::schedule {

std::vector<std::size_t> levelsOf(const Plan &plan) {
  std::vector<std::size_t> levels(plan.steps.size(), 0);
  for (std::size_t s = 0; s < plan.steps.size(); ++s)
    for (const int before : plan.steps[s].after)
      levels[s] = std::max(levels[s], levels[static_cast<std::size_t>(before)] + 1);
  return levels;
}

} // namespace pbc::schedule
