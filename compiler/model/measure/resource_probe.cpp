// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/measure/resource_probe.h"

#include "compiler/model/measure/memory_probe.h"
#include "compiler/model/measure/resource_loops.h"
#include "compiler/model/measure/together.h"

#include <algorithm>

namespace pbc::model {
namespace {

constexpr double kSampleSeconds = 5e-5; // short, so that many samples are not interrupted
// Over all loops, because what disturbs a core, such as its other thread, lasts for some time.
constexpr int kPasses = 4;
constexpr std::size_t kNearBytes = 4096; // in the nearest cache, beside everything else

/// So many rounds that a sample is long enough.
long roundsOf(void (*run)(long)) {
  run(1);
  long rounds = 1;
  while (rounds < (1L << 30) && ownSecondsOf([&] { run(rounds); }) < kSampleSeconds)
    rounds *= 2;
  return rounds;
}

Figure times(Figure f, double factor) {
  f.value *= factor;
  if (f.best)
    *f.best *= factor;
  return f;
}

void measureRates(Resource &resource, const ResourceLoop &loop, int units, const Sampling &sampling) {
  const long rounds = roundsOf(loop.independent);
  const auto rate = [&](int together) {
    return rateTogether(together, sampling, [&](int) {
      return [&] {
        loop.independent(rounds);
        return static_cast<double>(rounds * loop.perRound);
      };
    });
  };
  const Figure unit = rate(1), machine = rate(units);
  keepFaster(resource.instructions.unit, unit, Better::Higher);
  keepFaster(resource.instructions.machine, machine, Better::Higher);
  if (loop.numbers > 0) {
    keepFaster(resource.numbers.unit, times(unit, loop.numbers), Better::Higher);
    keepFaster(resource.numbers.machine, times(machine, loop.numbers), Better::Higher);
  }
}

Figure latencyOf(const ResourceLoop &loop, const Sampling &sampling) {
  const long rounds = roundsOf(loop.dependent);
  const double count = static_cast<double>(rounds * loop.dependentPerRound);
  return sampled(sampling, Better::Lower,
                 [&] { return ownSecondsOf([&] { loop.dependent(rounds); }) / count; });
}

void measureLoop(Resource &resource, const ResourceLoop &loop, int units, const Sampling &sampling) {
  measureRates(resource, loop, units, sampling);
  if (loop.dependent)
    keepFaster(resource.latency, latencyOf(loop, sampling), Better::Lower);
  else if (loop.kind == ResourceKind::Load)
    keepFaster(resource.latency, chaseLatency(kNearBytes, sampling), Better::Lower);
}

} // namespace

std::vector<Resource> measureResources(int units, const Sampling &sampling) {
  Sampling ofPass = sampling;
  ofPass.seconds /= kPasses;
  ofPass.most = std::max(sampling.least, sampling.most / kPasses);
  std::vector<Resource> all;
  for (int pass = 0; pass < kPasses; ++pass)
    for (const ResourceLoop &loop : resourceLoops()) {
      auto known = std::ranges::find(all, loop.kind, &Resource::kind);
      if (known == all.end())
        known = all.insert(all.end(), Resource{loop.kind, {}, {}, {}});
      measureLoop(*known, loop, units, ofPass);
    }
  std::ranges::stable_sort(all, {}, &Resource::kind);
  return all;
}

} // namespace pbc::model
