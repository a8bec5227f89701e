// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/evaluate/record.h"

#include "tuner/space/provenance.h"
#include "tuner/strategy/statistics.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace pbc::tuner {
namespace {

constexpr int kFewestRuns = 2, kMostRuns = 20; // of a point in each pass: in the first one, caches are cold
constexpr double kSecondsOfRuns = 1e-4; // of a pass at a point, unless the maximum of runs is reached first
constexpr int kConfirming = 3;          // times the passes: how often the fastest are measured again
constexpr double kConfirmed = 0.1;      // of the points
// The number of measurements before a point counts as too slow: other work may have delayed one of them.
constexpr int kConfirmSlow = 2;

/// The points of one size while they are measured.
class Passes {
public:
  Passes(const Grid &grid, int size, double defaultSeconds, double patience, Evaluator &evaluator)
      : grid_(grid), size_(size), limit_(patience * defaultSeconds + 0.01), evaluator_(evaluator),
        times_(grid.size()), timesTooSlow_(grid.size()), points_(grid.size()) {}

  void pass(const std::vector<std::size_t> &asked) {
    for (const std::size_t i : asked) {
      if (evaluator_.stopped())
        throw TunerError("stopped; half of a space is useless, so nothing was written");
      if (points_[i].failure && (points_[i].failure != Failure::TooSlow || timesTooSlow_[i] >= kConfirmSlow))
        continue;
      const Measurement result = evaluator_.measure({grid_.at(i), size_, runsOf(i), limit_, true});
      if (!result.rejected)
        learn(i, result.seconds);
      else if (result.rejected->kind != Failure::TooSlow)
        points_[i].failure = result.rejected->kind;
      else if (++timesTooSlow_[i]; times_[i].empty())
        points_[i].failure = Failure::TooSlow;
    }
  }

  /// By how much (relatively) a run of a point exceeds its best one, as a median over all passes, because
  /// runs that another program interrupted are many times as long and say nothing about the rest.
  double noise() const {
    std::vector<double> excess;
    for (const auto &[point, seconds] : typical_)
      excess.push_back(std::log(seconds / *std::min_element(times_[point].begin(), times_[point].end())));
    return median(excess);
  }

  std::vector<std::size_t> all() const {
    std::vector<std::size_t> indices(points_.size());
    std::iota(indices.begin(), indices.end(), 0);
    return indices;
  }
  /// That share of the points that run, at least one if any does.
  std::vector<std::size_t> fastest(double share) const {
    std::vector<std::size_t> indices = all();
    std::erase_if(indices, [&](std::size_t i) { return points_[i].failure.has_value(); });
    std::sort(indices.begin(), indices.end(),
              [&](std::size_t a, std::size_t b) { return points_[a].seconds < points_[b].seconds; });
    indices.resize(static_cast<std::size_t>(std::ceil(share * static_cast<double>(indices.size()))));
    std::sort(indices.begin(), indices.end());
    return indices;
  }

  const std::vector<MeasuredPoint> &points() const { return points_; }

private:
  int runsOf(std::size_t point) const {
    return times_[point].empty() ? kFewestRuns
                                 : static_cast<int>(std::clamp<double>(
                                       kSecondsOfRuns / points_[point].seconds, kFewestRuns, kMostRuns));
  }
  void learn(std::size_t point, const std::vector<double> &seconds) {
    times_[point].push_back(*std::min_element(seconds.begin(), seconds.end()));
    typical_.emplace_back(point, median(seconds));
    points_[point] = {lowerQuartile(times_[point]), {}};
  }

  const Grid &grid_;
  int size_;
  double limit_;
  Evaluator &evaluator_;
  std::vector<std::vector<double>> times_; // the best of each pass, by point
  std::vector<int> timesTooSlow_;
  std::vector<std::pair<std::size_t, double>> typical_; // of each pass at a point: the median of its runs
  std::vector<MeasuredPoint> points_;
};

} // namespace

MeasuredSpace record(const ProgramSpace &whole, const std::vector<TestSize> &sizes, const std::string &info,
                     const RecordSettings &settings, Evaluator &evaluator,
                     const std::function<void(const std::string &)> &note) {
  ProgramSpace space = whole;
  fixThreads(space, 0);
  const Grid grid = finestGrid(space, sizes.back().n, static_cast<std::uint64_t>(settings.points));
  if (grid.size() > static_cast<std::uint64_t>(settings.points))
    throw TunerError(fmt::format("even the coarsest grid over the space has {} points\n"
                                 "  help: --trials={} records it",
                                 grid.size(), grid.size()));
  MeasuredSpace measured;
  measured.info = info;
  measured.space = space;
  measured.sizes = sizes;
  measured.fineness = grid.fineness();
  measured.date = dateNow();
  measured.points.resize(sizes.size());
  for (std::size_t size = 0; size < sizes.size(); ++size) {
    note(fmt::format("{}: {} points ({})", sizes[size].name, grid.size(), grid.inWords()));
    Passes passes(grid, static_cast<int>(size), sizes[size].defaultSeconds, settings.patience, evaluator);
    const std::vector<std::size_t> all = passes.all();
    for (int pass = 0; pass < settings.passes; ++pass)
      passes.pass(all);
    const std::vector<std::size_t> fastest = passes.fastest(kConfirmed);
    for (int pass = 0; pass < kConfirming * settings.passes; ++pass)
      passes.pass(fastest);
    std::vector<MeasuredPoint> &points = measured.points[size];
    points = passes.points();
    const std::uint64_t byDefault = grid.nearest(Configuration::defaults(space));
    if (points[byDefault].failure)
      throw TunerError(
          fmt::format("the default fails at {}: {}", sizes[size].name, nameOf(*points[byDefault].failure)));
    measured.sizes[size].defaultSeconds = points[byDefault].seconds;
    measured.noise = passes.noise(); // of the last size, the full one
  }
  return measured;
}

} // namespace pbc::tuner
