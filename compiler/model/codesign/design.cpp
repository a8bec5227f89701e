// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/codesign/design.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace pbc::model {
namespace {

constexpr double kMostDesigns = 2e6; // combinations that are looked at

double countOf(const char *what, const Steps &steps) {
  if (steps.first < 1 || steps.step < 1 || steps.last < steps.first || steps.last > 1'000'000)
    throw Problem(
        fmt::format("{} from {} to {} in steps of {}", what, steps.first, steps.last, steps.step),
        "the first is at least 1, the last at least the first and at most 1000000, the step at least 1");
  const int count = (steps.last - steps.first) / steps.step + 1;
  return count;
}

} // namespace

Chip chipOf(const Design &design, double registersKb) {
  Chip chip;
  chip.units = design.units;
  chip.lanes = design.lanes;
  chip.registersKb = registersKb;
  chip.sharedKb = design.sharedKb;
  return chip;
}

std::vector<Design> designsIn(const DesignRanges &ranges) {
  std::vector<double> shared = ranges.sharedKb;
  if (std::ranges::any_of(shared, [](double kb) { return std::isnan(kb); }))
    shared.clear(); // refused below
  std::ranges::sort(shared);
  shared.erase(std::unique(shared.begin(), shared.end()), shared.end());
  if (shared.empty() || !(shared.front() > 0) || !(shared.back() <= 1e6))
    throw Problem("sizes of shared memory are needed, each more than 0 and at most 1000000 kB",
                  "for example --shared=48,96");
  if (!(ranges.leastArea >= 0 && ranges.mostArea >= ranges.leastArea && std::isfinite(ranges.mostArea)))
    throw Problem(fmt::format("an area from {:g} to {:g} mm2", ranges.leastArea, ranges.mostArea),
                  "the least is at least 0, the most at least as much");
  const double count =
      countOf("units", ranges.units) * countOf("lanes", ranges.lanes) * static_cast<double>(shared.size());
  if (count > kMostDesigns)
    throw Problem(
        fmt::format("{:g} combinations of units, lanes and shared memory; at most {:g} are looked at", count,
                    kMostDesigns),
        "make the steps larger");
  std::vector<Design> out;
  double smallest = INFINITY, largest = 0;
  for (int units = ranges.units.first; units <= ranges.units.last; units += ranges.units.step)
    for (int lanes = ranges.lanes.first; lanes <= ranges.lanes.last; lanes += ranges.lanes.step)
      for (const double kb : shared) {
        Design design{units, lanes, kb, 0};
        design.area = chipArea(chipOf(design, ranges.registersKb)).total();
        smallest = std::min(smallest, design.area);
        largest = std::max(largest, design.area);
        if (design.area >= ranges.leastArea && design.area <= ranges.mostArea)
          out.push_back(design);
      }
  if (out.empty())
    throw Problem(
        fmt::format("no design has an area from {:g} to {:g} mm2", ranges.leastArea, ranges.mostArea),
        fmt::format("the smallest of these ranges has {:.1f} mm2, the largest {:.1f} mm2, and none between "
                    "lies in the budget",
                    smallest, largest));
  return out;
}

} // namespace pbc::model
