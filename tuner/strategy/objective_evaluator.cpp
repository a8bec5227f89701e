// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/strategy/objective_evaluator.h"

#include "tuner/strategy/statistics.h"

#include <algorithm>

namespace pbc::tuner {

Cost costOf(const Objective &objective) {
  return [objective](const Metrics &run, const Metrics &byDefault) { return objective.cost(run, byDefault); };
}

ObjectiveEvaluator::ObjectiveEvaluator(const ProgramSpace &space, const std::vector<TestSize> &sizes,
                                       Evaluator &inner, Cost cost)
    : space_(space), sizes_(sizes), inner_(inner), cost_(std::move(cost)) {}

Metrics ObjectiveEvaluator::Archived::typical() const {
  std::vector<double> seconds, joules, bytes;
  for (const Metrics &run : runs) {
    seconds.push_back(run.seconds);
    if (run.joules)
      joules.push_back(*run.joules);
    if (run.bytes)
      bytes.push_back(*run.bytes);
  }
  Metrics middle{median(seconds), {}, {}};
  if (!joules.empty())
    middle.joules = median(joules);
  if (!bytes.empty())
    middle.bytes = median(bytes);
  return middle;
}

std::optional<Metrics> ObjectiveEvaluator::typical(const Configuration &configuration, int size) {
  const auto &all = archive_[size];
  const auto found = all.find(configuration.key());
  return found == all.end() ? std::nullopt : std::optional(found->second.typical());
}

std::optional<Metrics> ObjectiveEvaluator::byDefault(int size) {
  constexpr int kRuns = 3;
  constexpr double kPatience = 20; // times the time that the preparation took
  if (const auto known = default_.find(size); known != default_.end())
    return known->second;
  const Configuration defaults = Configuration::defaults(space_);
  const Measurement measured =
      inner_.measure({defaults, size, kRuns, kPatience * sizes_[size].defaultSeconds + 1, false});
  if (measured.seconds.empty())
    return {};
  const Metrics typical = Archived{defaults, measured.metrics()}.typical();
  default_.emplace(size, typical);
  return typical;
}

Measurement ObjectiveEvaluator::measure(const Request &request) {
  const std::optional<Metrics> base = byDefault(request.size);
  if (!base)
    return {{}, Rejected{Failure::Error, "could not be compared: the default fails"}};
  Measurement result =
      inner_.measure({request.configuration, request.size, std::min(request.trials, mostRuns_),
                      kSlower * request.limit, request.fresh, request.compared});
  if (result.seconds.empty())
    return result;
  Archived &own = archive_[request.size]
                      .try_emplace(request.configuration.key(), Archived{request.configuration, {}})
                      .first->second;
  const std::vector<Metrics> runs = result.metrics();
  own.runs.insert(own.runs.end(), runs.begin(), runs.end());
  for (std::size_t i = 0; i < runs.size(); ++i)
    result.seconds[i] = base->seconds * cost_(runs[i], *base);
  return result;
}

} // namespace pbc::tuner
