// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/gpu/gpu_model.h"
#include <fmt/format.h>
#include <utility>

namespace pbc::search {

GpuModel::GpuModel(const std::vector<GpuSpace> &spaces, const GpuRates &rates, Measure measure)
    : spaces_(spaces), rates_(rates), measure_(std::move(measure)) {
  bounds_.reserve(spaces.size());
  for (const GpuSpace &space : spaces)
    bounds_.emplace_back(*space.space, space.work, rates_);
}

RegionBound GpuModel::bound(std::size_t root, const State &state) const {
  const GpuBound bound = bounds_[root].of(state);
  return {bound.seconds, bound.term};
}

LeafTime GpuModel::measure(std::size_t root, const State &leaf, double) { return measure_(root, leaf); }

std::vector<std::string_view> GpuModel::limitNames() const {
  std::vector<std::string_view> names;
  for (const GpuTerm &term : gpuTerms())
    names.push_back(term.name);
  return names;
}

bool GpuModel::refute(std::size_t root, const State &leaf, double seconds) {
  bool isAny = false;
  for (int term = 0; term < int(gpuTerms().size()); ++term) {
    const GpuTermValue value = bounds_[root].term(term, leaf);
    if (bounds_[root].isOff(term) || value.seconds <= seconds)
      continue;
    refutations_.push_back(fmt::format(
        "internal error, please report it: a program of {} took {:.4g} s, less than the {:.4g} s of the bound "
        "`{}` ({})",
        spaces_[root].space->structure().name, seconds, value.seconds, gpuTerms()[std::size_t(term)].name,
        GpuBounds::explain({value.seconds, term, value})));
    for (GpuBounds &bounds : bounds_)
      bounds.switchOff(term);
    isAny = true;
  }
  return isAny;
}

std::string GpuModel::explain(std::size_t root, const State &state) const {
  return GpuBounds::explain(bounds_[root].of(state));
}

} // namespace pbc::search
