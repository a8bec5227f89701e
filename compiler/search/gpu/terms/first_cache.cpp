// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/gpu/gpu_term.h"
#include <algorithm>

namespace pbc::search {
namespace {

/// Cells of an array that a group uses, at least: those of the access with the most.
double cellsOfGroup(const GpuView &view, std::size_t access) {
  const GpuWork::Access &of = view.work().accesses[access];
  if (!of.hasOwnCells)
    return 1;
  const int instruction = view.space().structure().accesses[access].instruction;
  std::vector<int> moving;
  for (const int d : view.around(instruction))
    if (!view.kinds(d).has(Kind::Block) &&
        std::any_of(of.strides.begin(), of.strides.end(), [&](const GpuWork::Stride &stride) {
          return stride.dimension == d ||
                 view.space().order(view.state(), stride.dimension, d) == OrderSet(Order::Fused);
        }))
      moving.push_back(d);
  return view.product(moving);
}

/// The groups of one wave have what one of them needs, but for what the first cache of a unit holds. Groups of one unit may share
/// what they load.
GpuTermValue firstCache(const GpuInput &input) {
  const GpuView &view = input.view;
  std::vector<double> cells(view.work().arrays.size(), 0);
  for (std::size_t a = 0; a < view.work().accesses.size(); ++a) {
    const auto array = std::size_t(view.work().accesses[a].array);
    cells[array] = std::max(cells[array], cellsOfGroup(view, a));
  }
  double bytes = -input.rates.firstCacheBytes;
  for (std::size_t array = 0; array < cells.size(); ++array)
    bytes += cells[array] * double(view.work().arrays[array].bytes);
  const double inWaves = view.groups() / input.resident * double(input.rates.units);
  const double amount = bytes * std::max(1.0, inWaves),
               rate = input.rates.of(GpuResource::SecondCache, GpuLevel::Device);
  if (amount <= 0 || rate <= 0)
    return {};
  return {amount / rate, amount, rate, nameOf(GpuResource::SecondCache), 0};
}

} // namespace

GpuTerm gpuFirstCacheTerm() {
  return {"first_cache",
          "9.2, tiles",
          "What a group uses and the first cache of its unit does not hold comes from the second one.",
          "contention of all units",
          "Larger groups, which use more of what they load.",
          firstCache};
}

} // namespace pbc::search
