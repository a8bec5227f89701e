// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/gpu/gpu_model.h"
#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace pbc::search {

namespace {

/// The iterations of an instruction, or of the largest one in a dimension.
double iterationsOf(const GpuView &view, int object) {
  const Structure &s = view.space().structure();
  double most = 1;
  for (const int i : view.space().instructions()) {
    const std::vector<int> &own = s.instruction(i).dimensions;
    if (i == object || std::find(own.begin(), own.end(), object) != own.end())
      most = std::max(most, view.product(own));
  }
  return most;
}

/// First kinds and places of what is done most often, then the order of its loops, then the same for what is done less often.
std::vector<double> weightsOf(const GpuSpace &space) {
  constexpr double kKind = 4, kPlace = 3, kCache = 2;
  const State root(space.space->problem());
  const GpuView view(*space.space, space.work, root);
  const Structure &s = view.space().structure();
  std::vector<double> weights(space.space->problem().variables().size(), 0);
  const int objects = int(s.objects.size());
  for (int a = 0; a < objects; ++a) {
    const double weight = iterationsOf(view, a);
    if (s.isDimension(a)) {
      weights[std::size_t(view.space().kind(a))] = kKind * weight;
      weights[std::size_t(view.space().sizeOf(a))] =
          std::max(weights[std::size_t(view.space().sizeOf(a))], kKind * weight);
    }
    for (int b = a + 1; b < objects; ++b)
      weights[std::size_t(view.space().isOrder(a, b, OrderSet::all()).variable)] =
          std::min(weight, iterationsOf(view, b));
  }
  for (std::size_t c = 0; c < s.communications.size(); ++c)
    weights[std::size_t(view.space().place(int(c)))] =
        kPlace * iterationsOf(view, space.work.passed[c].target);
  for (std::size_t a = 0; a < s.accesses.size(); ++a)
    weights[std::size_t(view.space().cache(int(a)))] = kCache * iterationsOf(view, s.accesses[a].instruction);
  return weights;
}

} // namespace

GpuModel::GpuModel(const std::vector<GpuSpace> &spaces, const GpuRates &rates, Measure measure)
    : spaces_(spaces), rates_(rates), measure_(std::move(measure)) {
  bounds_.reserve(spaces.size());
  for (const GpuSpace &space : spaces) {
    bounds_.emplace_back(*space.space, space.work, rates_);
    weights_.push_back(weightsOf(space));
  }
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
    refutations_.push_back(fmt::format("internal error, please report it: a program of {} took {:.4g} s, "
                                       "less than the {:.4g} s of the bound "
                                       "`{}` ({})",
                                       spaces_[root].space->structure().name, seconds, value.seconds,
                                       gpuTerms()[std::size_t(term)].name,
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
