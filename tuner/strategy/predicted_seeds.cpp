// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/strategy/predicted_seeds.h"

#include "tuner/strategy/statistics.h"

#include <algorithm>
#include <cmath>

namespace pbc::tuner {

std::vector<Configuration> startOf(const std::vector<PredictedSeed> &seeds, const Configuration &defaults,
                                   const TestSize &full, int size, double seconds, Evaluator &evaluator,
                                   Observer &observer) {
  constexpr int kRuns = 3;
  constexpr double kTimesAsLong = 3, kTrusted = 0.5; // the default; a logarithm
  std::vector<Configuration> start;
  if (seeds.empty())
    return start;
  const double each = full.defaultSeconds * static_cast<double>(seeds.size() + 1);
  const int runs =
      seconds <= 0 ? 0 : static_cast<int>(std::min(seconds / std::max(each, 1e-9), double{kRuns}));
  if (runs < 1) {
    for (const PredictedSeed &seed : seeds)
      start.push_back(seed.configuration);
    return start;
  }
  observer.stage("measuring what is predicted to be fast");
  const auto measured = [&](const Configuration &configuration) {
    const double limit = full.defaultSeconds > 0 ? kTimesAsLong * full.defaultSeconds : seconds;
    const Measurement made = evaluator.measure({configuration, size, runs, limit});
    return made.seconds.empty() || made.rejected ? 0 : median(made.seconds);
  };
  const double byDefault = measured(defaults);
  if (byDefault <= 0)
    return start;
  std::vector<std::pair<double, Configuration>> found;
  for (const PredictedSeed &seed : seeds) {
    if (evaluator.stopped())
      break;
    const double took = measured(seed.configuration);
    if (took > 0 && took <= byDefault)
      found.emplace_back(took, seed.configuration);
    if (took <= 0 || std::abs(std::log(byDefault / took / seed.timesAsFast)) > kTrusted)
      break;
  }
  std::ranges::stable_sort(found, {}, &std::pair<double, Configuration>::first);
  for (auto &[took, configuration] : found)
    start.push_back(std::move(configuration));
  return start;
}

} // namespace pbc::tuner
