// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/evaluate/meters.h"

#include <algorithm>
#include <fmt/format.h>

namespace pbc::tuner {

Meters requireMeters(Worker &worker, const std::vector<Metric> &metrics, const std::string &toml) {
  constexpr double kPatience = 30; // seconds: drivers of devices take some
  const auto wants = [&](Metric metric) {
    return std::find(metrics.begin(), metrics.end(), metric) != metrics.end();
  };
  if (!wants(Metric::Energy) && !wants(Metric::Memory))
    return {};
  const Answer<Meters> answer = worker.meters(kPatience);
  if (!answer)
    throw TunerError(fmt::format("the program cannot say what it measures: {}", answer.failure.reason));
  Meters meters = *answer.value;
  if (!wants(Metric::Energy)) {
    meters.energy.clear();
    meters.energyWindow = 0;
  } else if (meters.energy.empty())
    throw TunerError(fmt::format("energy cannot be measured: {}", meters.energyProblem));
  if (wants(Metric::Memory) && !meters.memory)
    throw TunerError("memory cannot be measured: the system does not say how much a process has had at once "
                     "(VmHWM in /proc/self/status, and writing to /proc/self/clear_refs)");
  const auto tried = worker.measure(toml, 1, kPatience, kPatience, metrics);
  if (!tried && !tried.failure.stopped)
    throw TunerError(fmt::format("the default cannot be measured: {}", tried.failure.reason));
  return meters;
}

} // namespace pbc::tuner
