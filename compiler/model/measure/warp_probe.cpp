// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/measure/warp_probe.h"

#include "compiler/model/measure/device_probe.h"
#include "compiler/model/measure/warp_kernels.h"
#include "runtime/device/device.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <random>

namespace pbc::model {
namespace {

namespace device = pb::device;

constexpr int kMostItems = 1024, kChainsBeside = 4; // of a group; chains of an item
constexpr int kBarrierItems = 256, kStartItems = 256;
constexpr long kMostRounds = 1L << 14;
constexpr long kRowBytes = 256, kSectorsOfRow = 8;
constexpr double kSecondsOfRun = 1.5e-4; // long beside what the clocks of devices tell apart
constexpr long kMostSteps = 1L << 22;
constexpr unsigned long kMega = 1UL << 20, kFirstBytes = 16UL << 10;
constexpr unsigned long kBytesOfUnit = 32UL << 10; // in the second cache
constexpr unsigned long kPathBytes = 256 * kMega, kOtherBytes = 128 * kMega, kFarBytes = 1024 * kMega,
                        kFarOfProcessor = 64 * kMega;
constexpr int kWarpsAlone[] = {1, 2, 4, 8, 12, 16, 20, 24, 28, 32}, kWarpsBeside[] = {8, 12, 16, 24, 32};
constexpr int kWarpsTogether[] = {1, 2, 4, 8, 16, 32}, kWarpsTogetherBeside[] = {16, 32}; // a kernel for each

/// Of a launch: so many groups, in each of which so many warps work, with so many chains each.
struct Crowd {
  int groups = 1, warps = 1, chains = 1;
};

class WarpProbe {
public:
  WarpProbe(device::Device &d, int multiprocessors, double clock, const Sampling &sampling)
      : device_(d), about_(d.about()), probe_(d), multiprocessors_(multiprocessors), clock_(clock),
        sampling_(sampling), group_(static_cast<int>(std::bit_floor(
                                 static_cast<unsigned>(std::clamp(about_.largestGroup, 1, kMostItems))))),
        out_(d.allocate(static_cast<unsigned long>(multiprocessors) * static_cast<unsigned long>(group_) *
                        8)) {}

  MeasuredWarps measure() {
    MeasuredWarps made;
    measureMemories(made);
    if (hasBanks()) {
      made.units.push_back(arithmetic(WarpUnit::Shared, {1}));
      made.banks = banks();
    }
    made.units.push_back(arithmetic(WarpUnit::F32, {}));
    if (about_.hasDouble)
      made.units.push_back(arithmetic(WarpUnit::F64, {}));
    made.units.push_back(arithmetic(WarpUnit::Integer, {}));
    made.units.push_back(arithmetic(WarpUnit::Special, {}));
    if (about_.warp > 1)
      made.units.push_back(shuffle());
    made.units.push_back(barrier());
    made.units.push_back(start());
    if (lines_)
      made.units.push_back({{WarpUnit::Lines, FigureSource::Measured, {}, lines_, {}}, {}, {}});
    return made;
  }

private:
  using More = std::vector<long>; // arguments after the first ones

  bool hasBanks() const { return about_.localBytes >= 4096; }
  Figure inCycles(Figure f, double per) const {
    f.value *= clock_ / per;
    if (f.best)
      *f.best *= clock_ / per;
    return f;
  }

  struct Built {
    WarpKernel kernel;
    std::unique_ptr<device::Kernel> built;
    int group;
  };

  /// For all numbers of warps, if not all items have to work.
  Built build(WarpUnit unit, int chains, int group) {
    Built made{warpKernel(unit, chains), {}, group};
    made.built = probe_.build(made.kernel.text, kWarpEntry, group);
    return made;
  }

  /// Cycles of one operation of all chains. `active`: items of a group.
  Figure timeOf(const Built &kernel, device::Buffer *buffer, int groups, long active, const More &more,
                const std::function<long()> &first = {}) {
    const auto run = [&](long steps) {
      std::vector<device::Argument> arguments{device::Argument::writes(buffer ? *buffer : *out_),
                                              device::Argument::writes(*out_), device::Argument::of(1),
                                              device::Argument::of(active), device::Argument::of(steps)};
      if (first)
        arguments.push_back(device::Argument::of(first()));
      for (const long value : more)
        arguments.push_back(device::Argument::of(value));
      return probe_.run(*kernel.built, arguments, static_cast<long>(groups) * kernel.group, kernel.group)
          .onDevice;
    };
    long steps = 1;
    run(steps);
    while (steps < kMostSteps && run(steps) < kSecondsOfRun)
      steps *= 2;
    return inCycles(perStep(sampling_, steps, 3 * steps, run), kernel.kernel.operations);
  }

  /// From times of several crowds. `perAccess`: admissions of one operation of a warp.
  MeasuredWarp result(WarpUnit unit, const std::vector<std::pair<Crowd, Figure>> &times,
                      double perAccess = 1) const {
    MeasuredWarp made;
    made.cost = {unit, FigureSource::Measured, {}, {}, {}};
    std::vector<ChainTime> points;
    for (const auto &[crowd, time] : times) {
      const int chains = crowd.warps * crowd.chains;
      points.push_back({chains, time.value});
      Figure gap = time;
      gap.value /= chains * perAccess;
      if (gap.best)
        *gap.best /= chains * perAccess;
      if (!made.cost.gap || gap.value < made.cost.gap->value)
        made.cost.gap = gap;
      if (chains == 1)
        made.cost.latency = time;
    }
    made.lines = twoLines(points);
    made.times = points;
    if (made.lines->deviation > 0)
      made.cost.deviation = made.lines->deviation;
    return made;
  }

  MeasuredWarp arithmetic(WarpUnit unit, const More &more) {
    std::vector<std::pair<Crowd, Figure>> times;
    const auto add = [&](int chains, auto &warpNumbers) {
      const Built kernel = build(unit, chains, group_);
      for (const int warps : warpNumbers)
        if (warps * kWarpItems <= group_ || warps == 1)
          times.push_back(
              {{1, warps, chains}, timeOf(kernel, nullptr, 1, std::min(group_, warps * kWarpItems), more)});
    };
    add(1, kWarpsAlone);
    add(kChainsBeside, kWarpsBeside);
    return result(unit, times);
  }

  /// All items of a group have to take part.
  MeasuredWarp shuffle() {
    std::vector<std::pair<Crowd, Figure>> times;
    const auto add = [&](int chains, auto &warpNumbers) {
      for (const int warps : warpNumbers)
        if (const int group = warps * kWarpItems; group <= group_)
          times.push_back(
              {{1, warps, chains}, timeOf(build(WarpUnit::Shuffle, chains, group), nullptr, 1, group, {})});
    };
    add(1, kWarpsTogether);
    add(kChainsBeside, kWarpsTogetherBeside);
    return result(WarpUnit::Shuffle, times);
  }

  MeasuredWarp barrier() {
    const int group = std::min(group_, kBarrierItems);
    MeasuredWarp made;
    made.cost = {WarpUnit::Barrier, FigureSource::Measured, {}, {}, {}};
    made.cost.latency = timeOf(build(WarpUnit::Barrier, 1, group), nullptr, 1, group, {});
    return made;
  }

  /// Groups of which nothing is known but that they begin and end.
  MeasuredWarp start() {
    const int group = std::min(group_, kStartItems), warps = std::max(1, group / kWarpItems);
    const auto kernel = probe_.build(warpStartKernel(), kWarpStartEntry, group);
    const auto run = [&](long rounds) {
      return probe_
          .run(*kernel, {device::Argument::writes(*out_), device::Argument::of(0)},
               rounds * multiprocessors_ * group, group)
          .onDevice;
    };
    long rounds = 16;
    run(rounds);
    while (rounds < kMostRounds && run(rounds) < kSecondsOfRun)
      rounds *= 2;
    MeasuredWarp made;
    made.cost = {WarpUnit::Start,
                 FigureSource::Measured,
                 {},
                 inCycles(perStep(sampling_, rounds, 3 * rounds, run), warps),
                 {}};
    return made;
  }

  std::vector<BankTurns> banks() {
    const Built kernel = build(WarpUnit::Shared, kChainsBeside, group_);
    std::vector<BankTurns> all;
    double neighbours = 0;
    for (const int apart : {1, 2, 3, 4, 8, 16, 32}) {
      const double time = timeOf(kernel, nullptr, 1, group_, {apart}).value;
      if (apart == 1)
        neighbours = time;
      all.push_back({apart, time / neighbours});
    }
    return all;
  }

  /// Of a buffer, a power of two.
  static long rowsOf(unsigned long bytes) {
    return static_cast<long>(std::bit_floor(std::max(1UL, bytes / kRowBytes)));
  }

  void lead(device::Kernel &way, device::Buffer &buffer, long factor, long step, long rows, int group) {
    probe_.run(way,
               {device::Argument::writes(buffer), device::Argument::of(factor), device::Argument::of(step),
                device::Argument::of(rows - 1)},
               rows * kRowItems, group);
  }

  void measureMemories(MeasuredWarps &made) {
    const unsigned long most =
        std::min({about_.largest, about_.bytes / 8, about_.sharesMemory ? kFarOfProcessor : kFarBytes});
    const long rows = rowsOf(most), path = std::min(rows, rowsOf(kPathBytes)),
               other = std::min(rows, rowsOf(kOtherBytes));
    const auto far = device_.allocate(static_cast<unsigned long>(rows * kRowBytes)),
               flush = device_.allocate(static_cast<unsigned long>(other * kRowBytes));
    const int group = std::min(group_, kWarpItems * 8);
    const auto way = probe_.build(warpWayKernel(), kWarpWayEntry, group);
    const long middle = std::min(path, rowsOf(kBytesOfUnit * static_cast<unsigned long>(multiprocessors_)));
    const long near = std::min(middle, rowsOf(kFirstBytes));
    // A linear congruence of full period: no cache can predict it.
    const auto random = [&](long count) { lead(*way, *far, 1664525, 1013904223, count, group); };
    std::mt19937_64 generator(1);
    const auto anywhere = [&](long count) {
      return
          [&generator, count] { return static_cast<long>(generator() % static_cast<unsigned long>(count)); };
    };

    const Built through = build(WarpUnit::L1, 1, group_), around = build(WarpUnit::Dram, 1, group_);
    const Built throughBeside = build(WarpUnit::L1, kChainsBeside, group_),
                aroundBeside = build(WarpUnit::Dram, kChainsBeside, group_);
    random(path);
    lead(*way, *flush, 1, 1, other, group); // nothing of the path is in a cache any more
    const Figure dram = timeOf(around, far.get(), 1, 1, {0, path - 1, 0}, anywhere(path));
    random(middle);
    const Figure second = timeOf(around, far.get(), 1, 1, {0, middle - 1, 0}, anywhere(middle));
    random(near);
    const Figure first = timeOf(through, far.get(), 1, 1, {0, near - 1, 0}, anywhere(near));

    const auto level = [&](WarpUnit unit, const Built &alone, const Built &beside, int groups, long count,
                           bool moves, const Figure &latency) {
      std::vector<std::pair<Crowd, Figure>> times;
      const auto add = [&](const Built &kernel, int chains, auto &warpNumbers) {
        for (const int warps : warpNumbers) {
          if (warps * kWarpItems > group_ && warps > 1)
            continue;
          const long between = static_cast<long>(groups) * warps, all = between * chains;
          lead(*way, *far, 1, moves ? all : 0, count, group);
          times.push_back({{groups, warps, chains},
                           timeOf(kernel, far.get(), groups, std::min(group_, warps * kWarpItems),
                                  {0, between, count - 1, 0})});
        }
      };
      add(alone, 1, kWarpsAlone);
      add(beside, kChainsBeside, kWarpsBeside);
      MeasuredWarp one = result(unit, times, kSectorsOfRow);
      one.cost.latency = latency;
      made.units.push_back(one);
    };
    level(WarpUnit::Dram, around, aroundBeside, multiprocessors_, rows, true, dram);
    level(WarpUnit::L2, around, aroundBeside, multiprocessors_, middle, true, second);
    level(WarpUnit::L1, through, throughBeside, 1, near, false, first);
    // Each item has a row, and so a line, of its own.
    if (near < kRowItems)
      return;
    lead(*way, *far, 1, 0, near, group);
    Figure ofLine = timeOf(throughBeside, far.get(), 1, group_, {0, 1, near - 1, 1});
    const double lines = static_cast<double>(group_) * kChainsBeside;
    ofLine.value /= lines;
    if (ofLine.best)
      *ofLine.best /= lines;
    lines_ = ofLine;
  }

  device::Device &device_;
  const device::Description about_;
  DeviceProbe probe_;
  const int multiprocessors_;
  const double clock_;
  const Sampling sampling_;
  const int group_;
  const std::unique_ptr<device::Buffer> out_;
  std::optional<Figure> lines_; // found with the memories
};

} // namespace

int turnsOfBanks(int apart) { return std::gcd(apart, 32); }

MeasuredWarps measureWarps(device::Device &d, int multiprocessors, double clock, const Sampling &sampling) {
  return WarpProbe(d, multiprocessors, clock, sampling).measure();
}

} // namespace pbc::model
