#include "tuner/evaluate/record.h"

#include "tuner/space/provenance.h"
#include "tuner/strategy/statistics.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace pbc::tuner {
namespace {

constexpr int kRuns = 2; // of a point in each pass: the first meets cold caches

/// By how much (relatively) a pass's time of a point exceeds the best pass's, in the middle of all points and
/// passes: those that another program interrupted are many times as long and would say nothing of the rest.
double excessOf(const std::vector<std::vector<double>> &runs) {
  std::vector<double> all;
  for (const std::vector<double> &times : runs) {
    if (times.size() < 2)
      continue;
    const double best = *std::min_element(times.begin(), times.end());
    all.push_back(std::log(median(times) / best));
  }
  return median(all);
}

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
  const auto count = static_cast<std::size_t>(grid.size());
  for (std::size_t size = 0; size < sizes.size(); ++size) {
    note(fmt::format("{}: {} points ({})", sizes[size].name, count, grid.inWords()));
    std::vector<std::vector<double>> runs(count);
    std::vector<MeasuredPoint> &points = measured.points[size];
    points.resize(count);
    const double limit = settings.patience * sizes[size].defaultSeconds + 0.01;
    for (int pass = 0; pass < settings.passes && !evaluator.stopped(); ++pass)
      for (std::size_t i = 0; i < count && !evaluator.stopped(); ++i) {
        if (points[i].failure)
          continue;
        const Measurement result =
            evaluator.measure({grid.at(i), static_cast<int>(size), kRuns, limit, true});
        if (result.rejected)
          points[i].failure = result.rejected->kind;
        else
          runs[i].push_back(*std::min_element(result.seconds.begin(), result.seconds.end()));
      }
    if (evaluator.stopped())
      throw TunerError("stopped; half a space is no use, so nothing was written");
    for (std::size_t i = 0; i < count; ++i)
      if (!runs[i].empty())
        points[i].seconds = lowerQuartile(runs[i]);
    const std::uint64_t byDefault = grid.nearest(Configuration::defaults(space));
    if (points[byDefault].failure)
      throw TunerError(
          fmt::format("the default fails at {}: {}", sizes[size].name, nameOf(*points[byDefault].failure)));
    measured.sizes[size].defaultSeconds = points[byDefault].seconds;
    measured.noise = excessOf(runs); // of the last, the full size
  }
  return measured;
}

} // namespace pbc::tuner
