// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/codesign/inner_minimum.h"

#include "compiler/model/time/whole.h"
#include "runtime/base/closest.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace pbc::model {
namespace {

constexpr std::array kTimeModels = {TimeModel::Corrected, TimeModel::Balanced, TimeModel::Uncontended,
                                    TimeModel::Printed};
constexpr double kSlack = 1 - 1e-9; // a bound is computed in another order than the time

TimeForm formOf(TimeModel model) {
  switch (model) {
  case TimeModel::Balanced:
    return {.pipeline = true};
  case TimeModel::Uncontended:
    return {.contention = false};
  case TimeModel::Printed:
    return timeForm(Mode::Printed);
  default:
    return {};
  }
}

} // namespace

const char *nameOf(TimeModel model) {
  switch (model) {
  case TimeModel::Balanced:
    return "balanced";
  case TimeModel::Uncontended:
    return "uncontended";
  case TimeModel::Printed:
    return "printed";
  default:
    return "corrected";
  }
}

TimeModel timeModel(const std::string &name) {
  std::vector<std::string> known;
  for (const TimeModel model : kTimeModels) {
    if (name == nameOf(model))
      return model;
    known.emplace_back(nameOf(model));
  }
  throw Problem(fmt::format("no time model is named '{}'{}", name, pb::base::didYouMean(name, known)),
                "there are " + pb::base::listed(known));
}

StencilMachine machineOf(const Design &design, const StencilMachine &basis) {
  StencilMachine machine = basis;
  machine.name = fmt::format("{} units of {} lanes and {:g} kB", design.units, design.lanes, design.sharedKb);
  machine.units = design.units;
  machine.lanes = design.lanes;
  machine.unitWords = static_cast<long>(design.sharedKb * 256);
  machine.blockWords = std::min(basis.blockWords, machine.unitWords);
  return machine;
}

double modelledTime(const StencilMachine &machine, const StencilProblem &problem, const Tile &tile,
                    TimeModel model) {
  if (model == TimeModel::Balanced)
    return balancedTime(machine, problem, tile);
  return stencilTime(machine, problem, tile, formOf(model)).total;
}

CodesignTiles::CodesignTiles(const StencilMachine &basis, const Stencil &stencil, double iteration,
                             std::vector<Tile> tiles)
    : basis_(basis), problem_{stencil, {1, 1, 1}, 1, iteration}, given_(tiles.size()) {
  std::vector<double> words;
  for (const Tile &tile : tiles)
    words.push_back(tileWords(stencil, tile));
  std::iota(given_.begin(), given_.end(), 0);
  std::ranges::stable_sort(
      given_, [&](int a, int b) { return words[static_cast<size_t>(a)] < words[static_cast<size_t>(b)]; });
  for (const int i : given_) {
    const double size = words[static_cast<size_t>(i)];
    if (size > static_cast<double>(basis.blockWords)) // larger than any block may be
      break;
    tiles_.push_back(tiles[static_cast<size_t>(i)]);
    words_.push_back(static_cast<long>(size));
  }
}

const std::vector<double> &CodesignTiles::compute(int lanes) {
  const auto [place, isNew] = compute_.try_emplace(lanes);
  if (isNew) {
    StencilMachine machine = basis_;
    machine.lanes = lanes;
    for (const Tile &tile : tiles_)
      place->second.push_back(feasibleTime(machine, problem_, tile, {}, 1).compute);
  }
  return place->second;
}

InnerMinima::InnerMinima(CodesignTiles &space, const StencilProblem &problem, TimeModel model)
    : space_(space), dimensions_(problem.stencil.dimensions), model_(model), form_(formOf(model)) {
  check(problem);
  for (const Tile &tile : space.tiles()) {
    const StencilTime t = feasibleTime(space.basis(), problem, tile, form_, 1);
    wavefronts_.push_back(static_cast<double>(t.wavefronts));
    width_.push_back(t.width);
    slices_.push_back(static_cast<double>(t.slices));
    moved_.push_back(static_cast<double>(t.movedWords));
  }
  bound_.resize(space.tiles().size());
}

InnerMinima::Fit InnerMinima::fitOf(const Design &design) const {
  const StencilMachine machine = machineOf(design, space_.basis());
  Fit fit{machine.unitWords, machine.blockWords, 0};
  size_t last = space_.tiles().size();
  while (fit.tiles < last) {
    const size_t middle = (fit.tiles + last) / 2;
    if (space_.words(middle) <= fit.blockWords)
      fit.tiles = middle + 1;
    else
      last = middle;
  }
  return fit;
}

double InnerMinima::transfer(size_t tile, int units) const {
  const double streams = form_.contention ? static_cast<double>(std::min<long>(units, width_[tile])) : 1;
  return moved_[tile] * space_.basis().secondsPerWord * streams + 2 * space_.basis().barrier;
}

void InnerMinima::setBounds(const std::vector<double> &compute, int units) {
  const double launch = space_.basis().launch, share = 1 / static_cast<double>(units);
  for (size_t i = 0; i < bound_.size(); ++i)
    bound_[i] = kSlack * wavefronts_[i] *
                (launch + static_cast<double>(width_[i]) * share * slices_[i] *
                              std::max(transfer(i, units), compute[i]));
}

double InnerMinima::timeOf(size_t tile, const std::vector<double> &compute, const Fit &fit, int units) const {
  const long resident = std::min(space_.basis().blocksPerUnit, fit.unitWords / space_.words(tile));
  const double m = transfer(tile, units), c = compute[tile];
  const long slices = static_cast<long>(slices_[tile]);
  const double group = groupTime(dimensions_, resident, slices, m, c, form_.pipeline);
  double wave;
  if (model_ == TimeModel::Balanced) {
    const long ofUnit = roundedUp(width_[tile], units), full = ofUnit / resident, rest = ofUnit % resident;
    wave = static_cast<double>(full) * group;
    if (rest > 0)
      wave += groupTime(dimensions_, rest, slices, m, c, true);
  } else {
    wave = static_cast<double>(roundedUp(roundedUp(width_[tile], resident), units)) * group;
  }
  return wavefronts_[tile] * (space_.basis().launch + wave);
}

void InnerMinima::minimaOf(const Design *designs, size_t count, InnerMinimum *out) {
  const int units = designs[0].units;
  const std::vector<double> &compute = space_.compute(designs[0].lanes);
  setBounds(compute, units);
  // The tile with the smallest bound is nearly always good: its time excludes most others.
  std::vector<Fit> fits;
  std::map<size_t, size_t> leastOf; // by the number of tiles that fit
  double worst = 0;
  for (size_t d = 0; d < count; ++d) {
    fits.push_back(fitOf(designs[d]));
    const size_t tiles = fits[d].tiles;
    out[d] = {INFINITY, -1};
    if (tiles == 0)
      continue;
    const auto [least, isNew] = leastOf.try_emplace(tiles);
    if (isNew)
      least->second = static_cast<size_t>(
          std::min_element(bound_.begin(), bound_.begin() + static_cast<long>(tiles)) - bound_.begin());
    out[d] = {timeOf(least->second, compute, fits[d], units), space_.given(least->second)};
    worst = std::max(worst, out[d].seconds);
  }
  candidates_.clear();
  for (size_t i = 0; i < bound_.size(); ++i)
    if (bound_[i] <= worst)
      candidates_.push_back(i);
  for (size_t d = 0; d < count; ++d)
    for (const size_t i : candidates_) {
      if (i >= fits[d].tiles)
        break;
      if (bound_[i] > out[d].seconds)
        continue;
      const double seconds = timeOf(i, compute, fits[d], units);
      if (seconds < out[d].seconds || (seconds == out[d].seconds && space_.given(i) < out[d].tile))
        out[d] = {seconds, space_.given(i)};
    }
}

std::vector<InnerMinimum> InnerMinima::of(const std::vector<Design> &designs) {
  std::vector<InnerMinimum> out(designs.size());
  for (size_t first = 0, last; first < designs.size(); first = last) {
    last = first + 1;
    while (last < designs.size() && designs[last].units == designs[first].units &&
           designs[last].lanes == designs[first].lanes)
      ++last;
    minimaOf(&designs[first], last - first, &out[first]);
  }
  return out;
}

} // namespace pbc::model
