// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/space/grid.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace pbc::tuner {
namespace {

std::vector<Selector> selectorsOf(const Site &site, long n, int cutoffs) {
  const int count = static_cast<int>(site.alternatives.size());
  std::vector<Selector> all;
  for (int use = 0; use < count; ++use)
    all.emplace_back(use);
  const long factor = cutoffs == 0 ? 0 : cutoffs == 1 ? 16 : cutoffs == 2 ? 4 : 2;
  for (long cut = factor; cutoffs > 0 && cut <= n; cut *= factor)
    for (int below = 0; below < count; ++below)
      for (int above = 0; above < count; ++above)
        if (below != above)
          all.push_back(*Selector::fromLevels({{cut, below}, {kNoLimit, above}}));
  if (std::find(all.begin(), all.end(), site.initial) == all.end())
    all.push_back(site.initial);
  return all;
}

/// Evenly spaced values, for size-like tunables by factors; the default replaces the nearest one.
std::vector<double> valuesOf(const Tunable &tunable, int count) {
  const double byDefault = tunable.clamp(tunable.initial);
  if (count < 2)
    return {byDefault};
  const double low =
      tunable.logarithmic && tunable.minimum <= 0 ? std::min(1.0, tunable.maximum) : tunable.minimum;
  const bool isScaled = tunable.logarithmic && low > 0;
  const auto place = [&](double value) { // 0 to 1
    return isScaled ? std::log(std::max(value, low) / low) / std::log(tunable.maximum / low)
                    : (value - low) / (tunable.maximum - low);
  };
  const double steps = count - 1;
  const long own = low < tunable.maximum ? std::lround(place(byDefault) * steps) : 0;
  std::vector<double> values{byDefault};
  for (int i = 0; i < count; ++i) {
    const double part = i / steps;
    if (i != own)
      values.push_back(tunable.clamp(isScaled ? low * std::pow(tunable.maximum / low, part)
                                              : low + part * (tunable.maximum - low)));
  }
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

} // namespace

Grid::Grid(const ProgramSpace &space, long n, Fineness fineness)
    : origin_(Configuration::defaults(space)), fineness_(fineness) {
  for (long probe = std::max(n, 1L); probe >= 1; probe /= 2) {
    probes_.push_back(probe);
    if (probe > 2)
      probes_.push_back(probe - probe / 4); // between two powers
  }
  const auto grow = [&](std::size_t count) {
    size_ = size_ > kHuge / std::max<std::size_t>(count, 1) ? kHuge : size_ * count;
  };
  for (std::size_t i = 0; i < space.sites.size(); ++i)
    if (space.sites[i].isOpen()) {
      sites_.push_back({static_cast<int>(i), selectorsOf(space.sites[i], n, fineness.cutoffs)});
      grow(sites_.back().selectors.size());
    }
  for (std::size_t i = 0; i < space.tunables.size(); ++i) {
    const Tunable &tunable = space.tunables[i];
    if (!tunable.isOpen() || tunable.sizeBin > 0)
      continue;
    NumberAxis axis{{}, valuesOf(tunable, fineness.values)};
    for (std::size_t k = i; k < space.tunables.size(); ++k)
      if (k == i || space.tunables[k].isSameAs(tunable))
        axis.tunables.push_back(static_cast<int>(k));
    grow(axis.values.size());
    isLogarithmic_.push_back(tunable.logarithmic);
    numbers_.push_back(std::move(axis));
  }
}

Configuration Grid::at(std::uint64_t index) const {
  Configuration result = origin_;
  for (const SiteAxis &axis : sites_) {
    result = result.withSelector(axis.site, axis.selectors[index % axis.selectors.size()]);
    index /= axis.selectors.size();
  }
  for (const NumberAxis &axis : numbers_) {
    for (const int tunable : axis.tunables)
      result = result.withTunable(tunable, axis.values[index % axis.values.size()]);
    index /= axis.values.size();
  }
  return result;
}

long Grid::distance(const Selector &a, const Selector &b) const {
  long different = 0;
  for (std::size_t i = 0; i < probes_.size(); ++i)
    // The decision for n itself counts more than that for n/2, which counts more than that for n/4.
    different += a.select(probes_[i]) != b.select(probes_[i]) ? static_cast<long>(probes_.size() - i) : 0;
  return different;
}

std::uint64_t Grid::nearest(const Configuration &configuration) const {
  std::uint64_t index = 0, stride = 1;
  for (const SiteAxis &axis : sites_) {
    const Selector &wanted = configuration.selectors()[static_cast<std::size_t>(axis.site)];
    std::size_t best = 0;
    long least = -1;
    for (std::size_t i = 0; i < axis.selectors.size(); ++i) {
      const long away = wanted == axis.selectors[i] ? -1 : distance(wanted, axis.selectors[i]);
      if (i == 0 || away < least) {
        least = away;
        best = i;
      }
    }
    index += stride * best;
    stride *= axis.selectors.size();
  }
  for (std::size_t k = 0; k < numbers_.size(); ++k) {
    const NumberAxis &axis = numbers_[k];
    // For a tunable by size, the value for the largest size.
    const double wanted = configuration.tunables()[static_cast<std::size_t>(axis.tunables.back())];
    const auto away = [&](double value) {
      return isLogarithmic_[k] && value > 0 && wanted > 0 ? std::abs(std::log(value / wanted))
                                                          : std::abs(value - wanted);
    };
    const auto best = std::min_element(axis.values.begin(), axis.values.end(),
                                       [&](double a, double b) { return away(a) < away(b); });
    index += stride * static_cast<std::uint64_t>(best - axis.values.begin());
    stride *= axis.values.size();
  }
  return index;
}

std::string Grid::inWords() const {
  std::vector<std::string> parts;
  if (!sites_.empty())
    parts.push_back(fineness_.cutoffs == 0
                        ? "one alternative at all sizes"
                        : fmt::format("selectors of one or two levels with cut-offs at powers of {}",
                                      fineness_.cutoffs == 1   ? 16
                                      : fineness_.cutoffs == 2 ? 4
                                                               : 2));
  if (!numbers_.empty())
    parts.push_back(fineness_.values == 1 ? "numbers as in the default"
                                          : fmt::format("about {} values of each number", fineness_.values));
  return parts.empty() ? "nothing is open" : fmt::format("{}", fmt::join(parts, ", "));
}

Grid finestGrid(const ProgramSpace &space, long n, std::uint64_t most) {
  std::optional<Grid> chosen;
  for (const int cutoffs : {0, 1, 2, 3})
    for (const int values : {1, 2, 3, 5, 9, 17, 33}) {
      Grid next(space, n, {cutoffs, values});
      if (!chosen || (next.size() <= most && next.size() > chosen->size()))
        chosen = std::move(next);
    }
  return *chosen;
}

} // namespace pbc::tuner
