// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/gpu/gpu_term.h"
#include <algorithm>
#include <cmath>

namespace pbc::search {
namespace {

constexpr std::size_t kMostOpen = 8; // blocks whose combinations are looked at

} // namespace

double residentGroups(const GpuView &view, const GpuRates &rates) {
  const double threads = std::ceil(view.threads() / double(rates.lanes)) * double(rates.lanes);
  double groups = double(rates.groupsPerUnit);
  groups = std::min(groups, std::floor(double(rates.threadsPerUnit) / threads));
  if (view.localBytes() > 0)
    groups = std::min(groups, std::floor(double(rates.localBytesPerUnit) / view.localBytes()));
  if (view.registers() > 0)
    groups = std::min(groups, std::floor(double(rates.registersPerUnit) / (threads * view.registers())));
  return double(rates.units) * std::max(1.0, groups);
}

double leastWaves(const GpuView &view, double resident) {
  const auto &open = view.openBlocks();
  const double certain = view.groups();
  bool isListed = open.size() <= kMostOpen;
  double most = 1;
  for (const GpuView::OpenBlock &block : open) {
    most *= block.most;
    isListed = isListed && block.least == block.most;
  }
  const double allLoops = std::ceil(certain / resident);
  // Without a list, no rounding: N / P for each N, and at least one wave of the smallest share.
  if (!isListed)
    return std::min(allLoops, std::max(certain / resident, 1 / most));
  double least = allLoops;
  for (unsigned chosen = 1; chosen < 1u << open.size(); ++chosen) {
    double more = 1;
    for (std::size_t b = 0; b < open.size(); ++b)
      more *= chosen >> b & 1u ? open[b].least : 1;
    least = std::min(least, std::ceil(certain * more / resident) / more);
  }
  return least;
}

GpuInput::GpuInput(const GpuView &v, const GpuRates &r)
    : view(v), rates(r), thread(v.use(GpuLevel::Thread, r.lanes)), group(v.use(GpuLevel::Unit, r.lanes)),
      device(v.use(GpuLevel::Device, r.lanes)), resident(residentGroups(v, r)),
      waves(leastWaves(v, resident)) {}

GpuTermValue longestUse(const GpuUse &use, const GpuRates &rates, GpuLevel level, double waves) {
  GpuTermValue best;
  for (std::size_t r = 0; r < kGpuResources; ++r) {
    const double rate = rates.of(GpuResource(r), level);
    if (rate > 0)
      keepLarger(best,
                 {(waves > 0 ? waves : 1) * use[r] / rate, use[r], rate, nameOf(GpuResource(r)), waves});
  }
  return best;
}

} // namespace pbc::search
