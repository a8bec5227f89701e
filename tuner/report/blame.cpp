// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/report/blame.h"

#include <algorithm>

namespace pbc::tuner {
namespace {

constexpr std::size_t kRemembered = 500; // the newest configurations that worked, enough to find a near one

/// Replaces decisions that a call of size n does not see by those of the other configuration: they cannot
/// have caused the failure.
Configuration seenAt(const ProgramSpace &space, const Configuration &configuration,
                     const Configuration &other, long n) {
  Configuration result = configuration;
  for (std::size_t i = 0; i < space.tunables.size(); ++i)
    if (!space.tunables[i].isSeenUpTo(n))
      result = result.withTunable(static_cast<int>(i), other.tunables()[i]);
  return result;
}

/// The number of decisions that differ and that a call of size n sees.
int difference(const ProgramSpace &space, const Configuration &a, const Configuration &b, long n) {
  int count = 0;
  for (std::size_t i = 0; i < a.selectors().size(); ++i)
    count += a.selectors()[i] != b.selectors()[i];
  for (std::size_t i = 0; i < a.tunables().size(); ++i)
    count += a.tunables()[i] != b.tunables()[i] && space.tunables[i].isSeenUpTo(n);
  return count;
}

int severity(const Fault &fault) {
  switch (fault.kind) {
  case Failure::WrongResult:
    return 0;
  case Failure::Crash:
  case Failure::OutOfMemory:
  case Failure::Compiling:
    return 1;
  case Failure::Exit:
  case Failure::Error:
    return 2;
  case Failure::Inexact:
    return 3;
  case Failure::TooSlow:
    break;
  }
  return 4;
}

} // namespace

Blame blameIn(const ProgramSpace &space, const Recording &recording) {
  Blame blame;
  const Configuration defaults = Configuration::defaults(space);
  std::vector<const Configuration *> worked{&defaults};
  for (const Trial &trial : recording.trials) {
    const Configuration &configuration = recording.configurations[trial.configuration];
    const RecordedSize &size = recording.sizes[trial.size];
    const TestSize tested{size.name, size.n, 0};
    if (!trial.rejected) {
      blame.bans.worked(configuration, tested);
      if (std::find(worked.begin(), worked.end(), &configuration) == worked.end())
        worked.push_back(&configuration);
      if (worked.size() > kRemembered)
        worked.erase(worked.begin() + 1);
      continue;
    }
    const Configuration *nearest = worked.front();
    int least = difference(space, configuration, *nearest, size.n);
    for (const Configuration *other : worked)
      if (const int distance = difference(space, configuration, *other, size.n);
          distance > 0 && distance < least) {
        least = distance;
        nearest = other;
      }
    blame.bans.failed(space, seenAt(space, configuration, *nearest, size.n), *nearest, tested,
                      *trial.rejected);
  }
  blame.faults = blame.bans.faults();
  std::stable_sort(blame.faults.begin(), blame.faults.end(), [](const Fault &a, const Fault &b) {
    return std::pair(severity(a), -a.times) < std::pair(severity(b), -b.times);
  });
  return blame;
}

} // namespace pbc::tuner
