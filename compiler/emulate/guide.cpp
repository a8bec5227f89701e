// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emulate/guide.h"
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace pbc::emulate {
namespace {

constexpr double kBetter = 0.99; // a single change that brings less is none

class Search {
public:
  Search(GuidedSpace &space, int most) : space_(space), most_(most) {}

  /// The outer loop: it leaves a level of occupancy only while the last one has brought something.
  Guided run(const Configuration &first) {
    Guided made{{first}, first, at(first)->seconds, at(first)->seconds};
    std::set<Configuration> seen{first};
    Configuration current = first;
    double occupancy = at(first)->occupancy, bestOfLevel = made.first, bestBefore = INFINITY;
    while (predictions_ < most_) {
      const std::optional<Configuration> next = after(current, seen);
      if (!next)
        break;
      const Predicted &predicted = *at(*next);
      if (predicted.occupancy < occupancy) {
        if (bestOfLevel >= bestBefore)
          break;
        bestBefore = bestOfLevel;
        bestOfLevel = INFINITY;
      }
      bestOfLevel = std::min(bestOfLevel, predicted.seconds);
      if (predicted.seconds < made.seconds) {
        made.seconds = predicted.seconds;
        made.best = *next;
      }
      occupancy = predicted.occupancy;
      current = *next;
      seen.insert(current);
      made.path.push_back(current);
    }
    made.predictions = predictions_;
    return made;
  }

private:
  const std::optional<Predicted> &at(const Configuration &c) {
    const auto known = known_.find(c);
    if (known != known_.end())
      return known->second;
    ++predictions_;
    return known_[c] = space_.at(c);
  }

  std::optional<Configuration> after(const Configuration &c, const std::set<Configuration> &seen) {
    const std::optional<Parameter> limit = at(c)->bottleneck;
    std::optional<Configuration> next;
    if (limit && limit->resource >= 0)
      next = limit->mode == Mode::Latency ? busier(c, limit->resource) : sparing(c, *limit, seen);
    if (!next || seen.contains(*next))
      next = bestChange(c, seen);
    return next;
  }

  /// The configuration with another place on an axis, if the axis has it.
  std::optional<Configuration> moved(const Configuration &c, std::size_t axis, int by) const {
    const int place = c[axis] + by;
    if (place < 0 || place >= static_cast<int>(space_.axes()[axis].size()))
      return {};
    Configuration other = c;
    other[axis] = place;
    return other;
  }

  /// Along the axis of which twice as much keeps a resource busiest.
  std::optional<Configuration> busier(const Configuration &c, int resource) {
    const auto r = static_cast<std::size_t>(resource);
    const double used = at(c)->used[r];
    std::optional<std::size_t> axis;
    double most = used;
    for (std::size_t a = 0; a < c.size(); ++a)
      if (const auto next = moved(c, a, 1))
        if (const auto &predicted = at(*next); predicted && predicted->used[r] > most) {
          most = predicted->used[r];
          axis = a;
        }
    const std::optional<int> times = axis ? timesNeeded(used, most - used) : std::nullopt;
    if (!times)
      return {};
    // As many steps of twice as much as it takes, or as can be.
    for (int steps = std::max(1, static_cast<int>(std::ceil(std::log2(*times)))); steps > 0; --steps)
      if (const auto next = moved(c, *axis, steps); next && at(*next))
        return next;
    return {};
  }

  /// The configuration of at least the occupancy at which something else limits that asks the resource for least.
  std::optional<Configuration> sparing(const Configuration &c, const Parameter &limit,
                                       const std::set<Configuration> &seen) {
    double least = at(c)->occupancy;
    for (const double occupancy : space_.occupanciesBelow(c)) {
      const std::optional<Predicted> lower = space_.atOccupancy(c, occupancy);
      ++predictions_;
      if (!lower)
        continue;
      least = occupancy;
      if (lower->bottleneck != limit)
        break;
    }
    const auto r = static_cast<std::size_t>(limit.resource);
    std::optional<Configuration> best;
    double fewest = at(c)->requests[r];
    for (const Configuration &other : coarser(c)) {
      const auto &predicted = at(other);
      if (predicted && !seen.contains(other) && predicted->occupancy >= least &&
          predicted->requests[r] < fewest) {
        fewest = predicted->requests[r];
        best = other;
      }
      if (predictions_ >= most_)
        break;
    }
    return best;
  }

  /// One or two axes one or two steps further.
  std::vector<Configuration> coarser(const Configuration &c) const {
    std::vector<Configuration> all;
    for (std::size_t a = 0; a < c.size(); ++a)
      for (int by = 1; by <= 2; ++by)
        if (const auto one = moved(c, a, by)) {
          all.push_back(*one);
          for (std::size_t b = a + 1; b < c.size(); ++b)
            if (const auto two = moved(*one, b, by))
              all.push_back(*two);
        }
    return all;
  }

  /// The best change of one axis, if it is better.
  std::optional<Configuration> bestChange(const Configuration &c, const std::set<Configuration> &seen) {
    std::optional<Configuration> best;
    double seconds = at(c)->seconds * kBetter;
    for (std::size_t a = 0; a < c.size(); ++a)
      for (int place = 0; place < static_cast<int>(space_.axes()[a].size()) && predictions_ < most_;
           ++place) {
        Configuration other = c;
        other[a] = place;
        if (seen.contains(other))
          continue;
        if (const auto &predicted = at(other); predicted && predicted->seconds < seconds) {
          seconds = predicted->seconds;
          best = other;
        }
      }
    return best;
  }

  GuidedSpace &space_;
  const int most_;
  int predictions_ = 0;
  std::map<Configuration, std::optional<Predicted>> known_;
};

} // namespace

std::optional<int> timesNeeded(double used, double more) {
  if (used >= 1)
    return 1;
  if (more <= 0)
    return {};
  const double times = 1 + (1 - used) / more;
  return static_cast<int>(std::ceil(times - 1e-9));
}

Guided guide(GuidedSpace &space, const Configuration &first, int most) {
  return Search(space, most).run(first);
}

} // namespace pbc::emulate
