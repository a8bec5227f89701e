// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/gpu/gpu_term.h"
#include <algorithm>
#include <cmath>

namespace pbc::search {
namespace {

/// Whatever is decided, n terms are added in at least log2(n) steps one after the other.
GpuTermValue sums(const GpuInput &input) {
  GpuTermValue best;
  const GpuView &view = input.view;
  const Structure &s = view.space().structure();
  for (std::size_t c = 0; c < view.work().passed.size(); ++c) {
    const GpuWork::Passing &passed = view.work().passed[c];
    if (!passed.isSum)
      continue;
    std::vector<int> terms;
    for (const int d : s.instruction(passed.target).dimensions)
      if (std::none_of(s.communications[c].pairs.begin(), s.communications[c].pairs.end(),
                       [&](const Communication::Pair &pair) { return pair.target == d; }))
        terms.push_back(d);
    const double steps = std::ceil(std::log2(std::max(1.0, view.product(terms))));
    const auto &operations =
        view.work().operations[std::size_t(s.objects[std::size_t(passed.target)].index)].count;
    double latency = HUGE_VAL;
    for (std::size_t n = 0; n < kNumbers; ++n)
      if (operations[n] > 0)
        latency = std::min(latency, input.rates.arithmetic[n]);
    if (std::isfinite(latency))
      keepLarger(best, {steps * latency, steps, 1 / latency, "additions that wait for each other", 0});
  }
  return best;
}

} // namespace

GpuTerm gpuSumsTerm() {
  return {"sums",
          "(4), 9.3",
          "n terms are added in at least log2(n) steps, even by threads that share the work.",
          "dependence chain in a thread",
          "Fewer terms in a sum.",
          sums};
}

} // namespace pbc::search
