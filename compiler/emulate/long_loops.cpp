// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emulate/long_loops.h"
#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace pbc::emulate {
namespace {

constexpr long kFewest = 3;
constexpr double kSteady = 0.01;
constexpr std::size_t kMostLong = 6; // each doubles the number of runs

Program programOf(const Trace &trace, const Core &core) {
  if (const std::string wrong = verify(trace, static_cast<int>(core.resources.size())); !wrong.empty())
    throw std::invalid_argument(wrong);
  return Program(trace);
}

} // namespace

Emulation::Emulation(const Trace &trace, const Threads &threads, const Core &core)
    : trace_(trace), threads_(threads), core_(core), program_(programOf(trace, core)) {
  if (core.window == 0)
    return;
  for (std::size_t k = 0; k < trace.loops.size() && long_.size() < kMostLong; ++k) {
    if (instructionsWith(rounds(1, {})) * threads.count <= kFewInstructions)
      break;
    if (const long few = fewest(k); trace.loops[k].times > 3 * few)
      long_.push_back({k, few});
  }
  for (std::size_t k = long_.size();
       k-- > 0;) // inner loops first: how an outer one grows depends on their rounds
    while (!isSteady(k)) {
      Long &loop = long_[k];
      loop.few *= 2;
      const bool isTooLong = 3 * loop.few > trace.loops[loop.loop].times ||
                             instructionsWith(rounds(3, k)) * threads.count > kMostInstructions;
      if (!isTooLong)
        continue;
      loop.few /= 2;
      isSteady_ = false;
      break;
    }
}

/// So many rounds that a window of instructions has gone on.
long Emulation::fewest(std::size_t loop) const {
  double ofRound = 0, outside = 1;
  const Repeat &all = trace_.loops[loop];
  for (int i = all.first; i < all.end; ++i)
    ofRound += trace_.timesOf(i);
  for (const Repeat &other : trace_.loops)
    if (&other <= &all && other.first <= all.first && all.end <= other.end)
      outside *= static_cast<double>(other.times);
  return std::max(kFewest, static_cast<long>(std::ceil(2 * core_.window * outside / ofRound)));
}

/// Of all loops, the long ones with few rounds, but one of them with so many times as many.
std::vector<long> Emulation::rounds(int factor, std::optional<std::size_t> which) const {
  std::vector<long> all;
  for (const Repeat &loop : trace_.loops)
    all.push_back(loop.times);
  for (std::size_t k = 0; k < long_.size(); ++k)
    all[long_[k].loop] = long_[k].few * (which == k ? factor : 1);
  return all;
}

double Emulation::instructionsWith(const std::vector<long> &rounds) const {
  Trace shorter = trace_;
  for (std::size_t k = 0; k < rounds.size(); ++k)
    shorter.loops[k].times = rounds[k];
  return shorter.length();
}

Outcome Emulation::at(const std::vector<long> &rounds, const std::optional<Change> &change) const {
  Trace shorter = trace_;
  for (std::size_t k = 0; k < rounds.size(); ++k)
    shorter.loops[k].times = rounds[k];
  return emulate(shorter, threads_, core_, change);
}

bool Emulation::isSteady(std::size_t which) const {
  const Outcome first = at(rounds(1, which), {}), second = at(rounds(2, which), {}),
                third = at(rounds(3, which), {});
  const auto most = kSteady * static_cast<double>(third.time - second.time);
  const auto grows = [&](Time a, Time b, Time c) {
    return std::abs(static_cast<double>((c - b) - (b - a))) <= most;
  };
  if (!grows(first.time, second.time, third.time))
    return false;
  for (std::size_t r = 0; r < first.uses.size(); ++r)
    if (!grows(first.uses[r].inFlight, second.uses[r].inFlight, third.uses[r].inFlight))
      return false;
  return true;
}

Outcome Emulation::run(const std::optional<Change> &change) const {
  if (core_.window > 0)
    return shortened(change);
  const Costs costs(trace_, core_, change);
  return runInOrder({trace_, threads_, core_, costs, nullptr, false}, program_);
}

Outcome Emulation::shortened(const std::optional<Change> &change) const {
  Outcome all;
  all.isExact = isSteady_;
  std::vector<double> inFlight(core_.resources.size(), 0);
  double time = 0;
  for (std::size_t corner = 0; corner < std::size_t{1} << long_.size(); ++corner) {
    std::vector<long> here = rounds(1, {});
    double weight = 1; // of this corner, where time is linear in the rounds of each loop
    for (std::size_t k = 0; k < long_.size(); ++k) {
      const Long &loop = long_[k];
      const double beyond =
          static_cast<double>(trace_.loops[loop.loop].times - loop.few) / static_cast<double>(loop.few);
      const bool isFar = corner >> k & 1;
      here[loop.loop] *= isFar ? 2 : 1;
      weight *= isFar ? beyond : 1 - beyond;
    }
    const Outcome one = at(here, change);
    time += weight * static_cast<double>(one.time);
    for (std::size_t r = 0; r < inFlight.size(); ++r)
      inFlight[r] += weight * static_cast<double>(one.uses[r].inFlight);
    if (long_.empty())
      return one;
  }
  all.time = static_cast<Time>(std::llround(std::max(0.0, time)));
  all.uses.resize(core_.resources.size());
  for (std::size_t r = 0; r < inFlight.size(); ++r)
    all.uses[r].inFlight = std::clamp<Time>(std::llround(inFlight[r]), 0, all.time);
  for (std::size_t k = 0; k < trace_.instructions.size(); ++k) {
    const Instruction &i = trace_.instructions[k];
    if (i.isBarrier)
      continue;
    const double admissions = trace_.timesOf(static_cast<int>(k)) * threads_.count * i.transactions;
    double own = 1;
    for (const Share &share : i.nearer) {
      own -= share.rate;
      all.uses[static_cast<std::size_t>(share.resource)].admissions += admissions * share.rate * share.each;
    }
    all.uses[static_cast<std::size_t>(i.resource)].admissions += admissions * std::max(0.0, own);
    for (const Need &need : i.needs)
      all.uses[static_cast<std::size_t>(need.resource)].admissions +=
          trace_.timesOf(static_cast<int>(k)) * threads_.count * i.count * need.rate;
  }
  return all;
}

} // namespace pbc::emulate
