// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/gpu/gpu_term.h"

namespace pbc::search {
namespace {

/// Sizes that are undecided have their least value in each count, but all groups together have the same work. So the whole at the rate of
/// all units is a bound, too, and mostly the larger one until sizes are decided.
GpuTermValue units(const GpuInput &input) {
  GpuTermValue best = longestUse(input.group, input.rates, GpuLevel::Unit, input.waves);
  keepLarger(best, longestUse(input.device, input.rates, GpuLevel::Unit, 1 / double(input.rates.units)));
  return best;
}

} // namespace

GpuTerm gpuUnitsTerm() {
  return {"units",
          "(6), (7), (9)",
          "All threads of a group share one unit, and only so many groups run at once.",
          "contention inside of a group",
          "Smaller groups that are more, or another mixture of what they use.",
          units};
}

} // namespace pbc::search
