// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/strategy/divider.h"
#include <bit>
#include <cmath>
#include <utility>

namespace pbc::search {
namespace {

/// How high the bounds of the parts are, in the mean.
double lift(const std::vector<Region> &parts) {
  if (parts.empty())
    return HUGE_VAL; // the whole region is empty
  double sum = 0;
  for (const Region &part : parts)
    sum += part.bound;
  return sum / double(parts.size());
}

} // namespace

Divider::Divider(const Model &model, const SearchOptions &options)
    : model_(model), options_(options), states_(model.roots()) {}

State &Divider::state(const Region &region) {
  std::unique_ptr<State> &state = states_[region.root];
  if (!state)
    state = std::make_unique<State>(model_.problem(region.root));
  state->take(region.domains);
  return *state;
}

std::vector<int> Divider::candidates(std::size_t root, const State &state) const {
  std::vector<int> found;
  double most = 0;
  int decision = 0;
  const auto &variables = state.problem().variables();
  for (int v = 0; v < int(variables.size()); ++v) {
    if (state.isDecided(v))
      continue;
    const int of = variables[std::size_t(v)].decision;
    const double weight = model_.weight(root, v);
    if (found.empty() || weight > most || (weight == most && of < decision)) {
      most = weight;
      decision = of;
      found.clear();
    }
    if (weight == most && of == decision)
      found.push_back(v);
  }
  return found;
}

std::vector<int> Divider::open(const Region &region) const {
  std::vector<int> found;
  for (int v = 0; v < int(region.domains.size()); ++v)
    if (!isSingle(region.domains[std::size_t(v)]))
      found.push_back(v);
  return found;
}

Division Divider::dividedBy(const Region &region, int variable) {
  State &state = this->state(region);
  Division made;
  for (Domain rest = state.domain(variable); rest != 0; rest &= rest - 1) {
    const State::Mark before = state.mark();
    if (state.decide(variable, unsigned(std::countr_zero(rest)))) {
      const RegionBound bound = model_.bound(region.root, state);
      Region part{region.root, state.domains(), region.bound, region.limit, region.depth + 1};
      if (bound.seconds > region.bound)
        part.bound = bound.seconds, part.limit = bound.limit;
      part.promise = bound.promise;
      made.parts.push_back(std::move(part));
    } else {
      ++made.empty;
    }
    state.undo(before);
  }
  return made;
}

Division Divider::dividedByFirst(const Region &region) {
  return dividedBy(region, candidates(region.root, state(region)).front());
}

Division Divider::divided(const Region &region) {
  const std::vector<int> variables = candidates(region.root, state(region));
  Division best = dividedBy(region, variables.front());
  if (region.depth < options_.strongBranching)
    for (std::size_t v = 1; v < variables.size(); ++v) {
      Division other = dividedBy(region, variables[v]);
      other.empty += best.empty;
      if (lift(other.parts) > lift(best.parts))
        best = std::move(other);
      else
        best.empty = other.empty;
    }
  return best;
}

} // namespace pbc::search
