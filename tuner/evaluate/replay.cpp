// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/evaluate/replay.h"

#include <algorithm>
#include <cmath>

namespace pbc::tuner {

Replay::Replay(const MeasuredSpace &measured, std::uint64_t seed)
    : measured_(measured), grid_(measured.grid()), random_(seed) {}

Measurement Replay::measure(const Request &request) {
  const std::uint64_t index = grid_.nearest(request.configuration);
  seen_.insert(index);
  const MeasuredPoint &point = measured_.points[static_cast<std::size_t>(request.size)][index];
  Measurement result;
  clock_ += overhead;
  if (point.failure)
    return {{}, Rejected{*point.failure, "as recorded"}};
  for (int i = 0; i < request.trials; ++i) {
    // Other programs can only add to times.
    const double seconds = point.seconds * std::exp(std::abs(random_.normal()) * measured_.noise);
    clock_ += std::min(seconds, request.limit);
    if (seconds > request.limit)
      break;
    result.seconds.push_back(seconds);
  }
  if (result.seconds.empty())
    result.rejected = Rejected{Failure::TooSlow, "stopped at its time limit"};
  return result;
}

double Replay::truth(const Configuration &configuration) const {
  const MeasuredPoint &point = measured_.points.back()[grid_.nearest(configuration)];
  return point.failure ? std::numeric_limits<double>::infinity() : point.seconds;
}

double Replay::optimum() const {
  double best = std::numeric_limits<double>::infinity();
  for (const MeasuredPoint &point : measured_.points.back())
    if (!point.failure)
      best = std::min(best, point.seconds);
  return best;
}

} // namespace pbc::tuner
