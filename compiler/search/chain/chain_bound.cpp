// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/chain/chain_bound.h"
#include <algorithm>
#include <fmt/format.h>

namespace pbc::search {
namespace {

/// Of the last nest's end and the next one's beginning, a processor overlaps what it has begun, at most one operation after the other.
double overlap(const Rates &rates) {
  double latency = 0;
  for (const Rates::Arithmetic &arithmetic : rates.arithmetic)
    latency = std::max({latency, arithmetic.additionLatency, arithmetic.multiplicationLatency});
  return rates.instructionsInFlight * latency;
}

} // namespace

ChainBounds::ChainBounds(const ChainSpace &chain, const Rates &rates)
    : chain_(chain), rates_(rates), isOff_(terms().size() + 1, false) {}

/// Whether the nest before it has certainly ended when the nest begins.
bool ChainBounds::areApart(const State &state, std::size_t nest) const {
  for (std::size_t before = 0; before < nest; ++before)
    for (const NestLoop &loop : chain_.nests[nest].loops)
      for (const int d : loop.dimensions)
        if (chain_.space->order(state, chain_.nests[before].body, d) != OrderSet(Order::Before))
          return false;
  return true;
}

std::vector<ChainBounds::Group> ChainBounds::groups(const State &state) const {
  std::vector<std::size_t> begins;
  for (std::size_t n = 0; n < chain_.nests.size(); ++n)
    if (n == 0 || areApart(state, n))
      begins.push_back(n);
  begins.push_back(chain_.nests.size());
  std::vector<Group> all;
  for (std::size_t end = 1; end < begins.size(); ++end)
    for (std::size_t begin = 0; begin < end; ++begin)
      all.push_back({begins[begin], begins[end]});
  return all;
}

ChainBounds::Division ChainBounds::longest(const State &state) const {
  std::vector<Division> upTo(chain_.nests.size() + 1);
  for (const Group &group : groups(state)) {
    const Bound own = of(state, group);
    const double seconds = upTo[group.begin].seconds + own.seconds - (group.begin > 0 ? overlap(rates_) : 0);
    Division &best = upTo[group.end];
    if (best.parts.empty() || seconds > best.seconds * (1 + 1e-6)) {
      best = {seconds, upTo[group.begin].parts};
      best.parts.push_back(own);
    }
  }
  return upTo.back();
}

/// Whether all nests of the group are certainly in one loop.
bool ChainBounds::areOneLoop(const State &state, const Group &group) const {
  for (std::size_t n = group.begin + 1; n < group.end; ++n) {
    bool isAnyFused = false;
    for (const NestLoop &loop : chain_.nests[n].loops)
      for (const NestLoop &other : chain_.nests[group.begin].loops)
        isAnyFused = isAnyFused || chain_.space->order(state, other.dimensions.front(),
                                                       loop.dimensions.front()) == OrderSet(Order::Fused);
    if (!isAnyFused)
      return false;
  }
  return true;
}

/// Without temporaries that need not be in memory as a whole.
NestWork ChainBounds::seen(const NestWork &work, const State &state) const {
  NestWork made = work;
  std::erase_if(made.arrays, [&](const NestWork::Array &array) {
    for (std::size_t c = 0; c < chain_.of->shared.size(); ++c)
      if (chain_.of->shared[c].matrix == array.name)
        return PlaceSet::ofBits(state.domain(chain_.space->place(int(c)))) != PlaceSet(Place::Global);
    return false;
  });
  return made;
}

/// Visits each term with its values: of each nest alone, and of the work of all nests of the group.
template <class Visit>
void ChainBounds::eachValue(const State &state, const Group &group, const Visit &visit) const {
  const std::span<const NestSpace> ofGroup(chain_.nests.data() + group.begin, group.end - group.begin);
  for (const NestSpace &nest : ofGroup) {
    const NestWork work = seen(*nest.work, state);
    const NestView view(nest, state);
    for (std::size_t t = 0; t < terms().size(); ++t)
      visit(t, terms()[t].value({work, view, rates_}));
  }
  if (ofGroup.size() == 1)
    return;
  const NestWork work = seen(together(ofGroup), state);
  const NestView view(chain_.nests[chain_.storing], state);
  // What is read and what is written moves together only if it is one loop that does both.
  const bool isOneLoop = areOneLoop(state, group);
  for (std::size_t t = 0; t < terms().size(); ++t)
    if (terms()[t].isOfWork && (isOneLoop || terms()[t].name != "copied"))
      visit(t, terms()[t].value({work, view, rates_}));
}

Bound ChainBounds::of(const State &state, const Group &group, int only) const {
  Bound best;
  eachValue(state, group, [&](std::size_t t, const TermValue &value) {
    const bool isAsked = only < 0 ? !isOff_[t] : int(t) == only;
    if (isAsked && value.seconds > best.seconds * (1 + 1e-6))
      best = {value.seconds, int(t), value};
  });
  return best;
}

double ChainBounds::sumOfTerms(const State &state) const {
  double sum = 0;
  eachValue(state, {0, chain_.nests.size()},
            [&](std::size_t, const TermValue &value) { sum += value.seconds; });
  return sum;
}

Bound ChainBounds::of(const State &state) const {
  const Division division = longest(state);
  if (division.parts.size() == 1)
    return division.parts.front();
  if (isOff_.back())
    return of(state, {0, chain_.nests.size()});
  const double nests = double(division.parts.size());
  return {division.seconds,
          int(terms().size()),
          {division.seconds, nests, nests / division.seconds, "nests of loops, one after the other", -1, {}}};
}

TermValue ChainBounds::term(int term, const State &state) const {
  if (term == int(terms().size())) {
    const Bound bound = of(state);
    return bound.term == term ? bound.value : TermValue{};
  }
  TermValue best;
  for (const Group &group : groups(state))
    if (const Bound one = of(state, group, term); one.seconds > best.seconds)
      best = one.value;
  return best;
}

std::string ChainBounds::explain(const State &state) const {
  const Bound bound = of(state);
  if (bound.term < int(terms().size()))
    return sentences(bound, rates_, chain_.space->structure());
  std::string all = "Nests of loops follow each other, so that their times add up.";
  for (const Bound &part : longest(state).parts)
    all += " " + sentences(part, rates_, chain_.space->structure());
  return all;
}

} // namespace pbc::search
