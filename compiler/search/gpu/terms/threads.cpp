// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/gpu/gpu_term.h"
#include <algorithm>
#include <cmath>

namespace pbc::search {
namespace {

/// As for units: all work together, by as many lanes as there can be at once.
GpuTermValue threads(const GpuInput &input) {
  GpuTermValue best = longestUse(input.thread, input.rates, GpuLevel::Thread, input.waves);
  const auto lanes = double(input.rates.lanes);
  const double inGroup = std::min(input.view.mostThreads(), double(input.rates.threadsPerGroup));
  const double atOnce = std::min(double(input.rates.units) * double(input.rates.threadsPerUnit),
                                 input.resident * std::ceil(inGroup / lanes) * lanes);
  keepLarger(best, longestUse(input.device, input.rates, GpuLevel::Thread, 1 / atOnce));
  return best;
}

} // namespace

GpuTerm gpuThreadsTerm() {
  return {
      "threads",
      "(3), (5), (7), (9)",
      "A thread alone uses no resource faster than one thread can, and a group ends with its slowest thread.",
      "contention inside of one thread",
      "Less work in a thread, and more threads.",
      threads};
}

} // namespace pbc::search
