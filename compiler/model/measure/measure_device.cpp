// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/measure/device_kernels.h"
#include "compiler/model/measure/device_probe.h"
#include "compiler/model/measure/device_resources.h"
#include "compiler/model/measure/measure_machine.h"
#include "compiler/model/measure/sampling.h"

#include "runtime/device/device.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <random>

namespace pbc::model {
namespace {

namespace device = pb::device;

// Cycles until a multiply-add's result can be used: NVIDIA since Volta, x86.
constexpr double kMultiplyAddCycles = 4;
constexpr double kOfMachine = 0.5, kOfResources = 0.2, kOfWarps = 0.3; // of the time for samples
constexpr long kFewLoads = 1000, kManyLoads = 21000;                   // one after the other

long powerOfTwoNear(double value) { return 1L << std::max(0L, std::lround(std::log2(std::max(1.0, value)))); }

class DeviceMeasurement {
public:
  DeviceMeasurement(device::Device &d, const MeasureSettings &settings)
      : about_(d.about()), device_(d), probe_(d),
        sampling_{.least = 5, .most = 31, .seconds = settings.seconds * kOfMachine / 11},
        group_(
            static_cast<int>(std::bit_floor(static_cast<unsigned>(std::clamp(about_.largestGroup, 1, 256))))),
        seconds_(settings.seconds) {
    d.timeCommands(); // else only what the host sees is known
  }

  MeasuredDevice measure() {
    MeasuredDevice made;
    Machine &m = made.machine;
    m.name = about_.name;
    m.kind = MachineKind::Gpu;
    m.units = std::max(1, about_.units);
    m.threadsPerBlock = std::max(1, about_.largestGroup);
    m.launch = launchTime();
    measureLanes(m);
    m.barrier = barrier(m);
    // Drivers do not say how many blocks a unit holds. If the device is the processor itself, a unit holds
    // one.
    m.blocksPerUnit = about_.sharesMemory ? 1 : about_.warp == 32 ? 32 : 16;
    const double local = static_cast<double>(about_.localBytes);
    const double most = static_cast<double>(std::max(about_.localBytes, about_.mostLocalBytes));
    if (local > 0)
      m.memories.push_back({.name = "shared",
                            .scope = Scope::Unit,
                            .bytes = most,
                            .bytesPerSecond = {},
                            .latency = {},
                            .bytesPerBlock = most,
                            .unitBytesPerSecond = {}});
    if (local >= kLocalBytes) {
      m.memories.back().bytesPerSecond = localBandwidth(m);
      m.memories.back().latency = localLatency();
    }
    m.memories.push_back({.name = "global",
                          .scope = Scope::Machine,
                          .bytes = static_cast<double>(about_.bytes),
                          .bytesPerSecond = bandwidth(),
                          .latency = latency(),
                          .bytesPerBlock = {},
                          .unitBytesPerSecond = {}});
    if (local >= kStepTileBytes && group_ == 256)
      m.iteration["Jacobi2D"] = iteration(m);
    // Eleven operations with four kernels each.
    m.resources = measureDeviceResources(device_, m.units, group_,
                                         {.least = 5, .most = 31, .seconds = seconds_ * kOfResources / 44});
    made.warps = measureWarps(device_, m.units, m.clock->value,
                              {.least = 3, .most = 15, .seconds = seconds_ * kOfWarps / 130});
    for (const MeasuredWarp &one : made.warps.units)
      if (isCredible(one.cost))
        m.warp.push_back(one.cost);
    m.source = fmt::format(
        "measured by pbc model measure in about {:g} s through {} ({}): launch, barrier, clock, lanes "
        "(both from multiply-adds of {} cycles), bandwidths, latencies, iteration, resources, warps; from "
        "the "
        "driver: units, "
        "threads_per_block, bytes; ASSUMED: blocks_per_unit, shared memory of a unit as of a block",
        seconds_, about_.api, about_.driver, kMultiplyAddCycles);
    return made;
  }

private:
  Figure launchTime() {
    const auto kernel = probe_.build(kNothingKernel, "pb_nothing", group_);
    auto buffer = device_.allocate(64);
    const std::vector<device::Argument> arguments = {device::Argument::writes(*buffer),
                                                     device::Argument::of(0)};
    probe_.run(*kernel, arguments, group_, group_);
    return sampled(sampling_, Better::Lower,
                   [&] { return probe_.run(*kernel, arguments, group_, group_).seen; });
  }

  /// A single item gives the clock, a full device the number of lanes.
  void measureLanes(Machine &m) {
    constexpr long kSteps = 1000, kAddsOfStep = 16;
    const auto full = probe_.build(kMultiplyAddKernel, "pb_madd", group_),
               alone = probe_.build(kMultiplyAddKernel, "pb_madd", 1);
    const long items = static_cast<long>(m.units) * group_ * 8;
    auto buffer = device_.allocate(static_cast<unsigned long>(items) * 4);
    const auto rate = [&](device::Kernel &kernel, long count, int group, long steps) {
      const std::vector<device::Argument> arguments = {device::Argument::writes(*buffer),
                                                       device::Argument::of(steps)};
      probe_.run(kernel, arguments, count, group);
      return sampled(sampling_, Better::Higher, [&] {
        return static_cast<double>(count * steps * kAddsOfStep) /
               probe_.run(kernel, arguments, count, group).onDevice;
      });
    };
    const Figure one = rate(*alone, 1, 1, 50 * kSteps), all = rate(*full, items, group_, kSteps);
    m.clock =
        Figure{one.value * kMultiplyAddCycles, one.spread, fastest(one, Better::Higher) * kMultiplyAddCycles};
    m.lanes = static_cast<int>(powerOfTwoNear(all.value / (m.clock->value * m.units)));
  }

  /// The difference of two kernels that differ only in their number of barriers.
  Figure barrier(const Machine &m) {
    constexpr long kFew = 64, kMany = 1088;
    const auto kernel = probe_.build(kBarrierKernel, "pb_barriers", group_);
    const long items = static_cast<long>(m.units) * group_;
    auto buffer = device_.allocate(static_cast<unsigned long>(items) * 4);
    return perStep(sampling_, kFew, kMany, [&](long barriers) {
      return probe_
          .run(*kernel, {device::Argument::writes(*buffer), device::Argument::of(barriers)}, items, group_)
          .onDevice;
    });
  }

  unsigned long farBytes() const {
    const unsigned long most = std::min(about_.largest, about_.bytes / 8);
    return std::min<unsigned long>(most, about_.sharesMemory ? 64UL << 20 : 256UL << 20);
  }

  Figure bandwidth() {
    const long items = static_cast<long>(farBytes() / 4) / group_ * group_;
    if (items == 0)
      throw Problem(fmt::format("{} has no memory to measure", about_.name));
    const auto kernel = probe_.build(kCopyKernel, "pb_copy", group_);
    auto from = device_.allocate(static_cast<unsigned long>(items) * 4),
         to = device_.allocate(static_cast<unsigned long>(items) * 4);
    const std::vector<device::Argument> arguments = {device::Argument::writes(*from),
                                                     device::Argument::writes(*to)};
    probe_.run(*kernel, arguments, items, group_);
    return sampled(sampling_, Better::Higher, [&] {
      return 8.0 * static_cast<double>(items) / probe_.run(*kernel, arguments, items, group_).onDevice;
    });
  }

  Figure latency() {
    const unsigned long places = std::bit_floor(farBytes() / 4);
    const int group = static_cast<int>(std::min<unsigned long>(places, static_cast<unsigned long>(group_)));
    const auto fill = probe_.build(kWayKernel, "pb_way", group),
               chase = probe_.build(kChaseKernel, "pb_chase", 1);
    auto way = device_.allocate(places * 4), out = device_.allocate(64);
    const long count = static_cast<long>(places);
    probe_.run(*fill, {device::Argument::writes(*way), device::Argument::of(count - 1)}, count, group);
    // Each run begins at another place, because the path of an earlier run may be in a cache.
    std::mt19937_64 random(1);
    return perStep(sampling_, kFewLoads, kManyLoads, [&](long steps) {
      const long first = static_cast<long>(random() % places);
      return probe_
          .run(*chase,
               {device::Argument::writes(*way), device::Argument::writes(*out), device::Argument::of(first),
                device::Argument::of(steps)},
               1, 1)
          .onDevice;
    });
  }

  Figure localLatency() {
    const auto chase = probe_.build(kLocalChaseKernel, "pb_local_chase", 1);
    auto out = device_.allocate(64);
    return perStep(sampling_, kFewLoads, kManyLoads, [&](long steps) {
      return probe_.run(*chase, {device::Argument::writes(*out), device::Argument::of(steps)}, 1, 1).onDevice;
    });
  }

  /// `value` of each run of a kernel that takes a buffer, a number for each item, and the number of its
  /// steps.
  template <typename Value>
  Figure ofSteps(const char *source, const char *name, long items, long steps, Better better, Value value) {
    const auto kernel = probe_.build(source, name, group_);
    auto buffer = device_.allocate(static_cast<unsigned long>(items) * 4);
    const std::vector<device::Argument> arguments = {device::Argument::writes(*buffer),
                                                     device::Argument::of(steps)};
    probe_.run(*kernel, arguments, items, group_);
    return sampled(sampling_, better,
                   [&] { return value(probe_.run(*kernel, arguments, items, group_).onDevice); });
  }

  Figure localBandwidth(const Machine &m) {
    constexpr long kSteps = 4000;
    const long items = static_cast<long>(m.units) * 8 * group_;
    return ofSteps(kLocalReadKernel, "pb_local_read", items, kSteps, Better::Higher,
                   [&](double seconds) { return static_cast<double>(items * kSteps * 4 * 4) / seconds; });
  }

  /// Steps of a 5-point stencil in group-local memory, with as many groups at once as blocks that fit.
  Figure iteration(const Machine &m) {
    constexpr long kSteps = 200;
    const long items = static_cast<long>(m.units) * 4 * group_;
    return ofSteps(kStepKernel, "pb_steps", items, kSteps, Better::Lower, [&](double seconds) {
      return seconds * m.units * m.lanes / static_cast<double>(items * kSteps);
    });
  }

  const device::Description about_;
  device::Device &device_;
  DeviceProbe probe_;
  Sampling sampling_;
  int group_;
  double seconds_;
};

} // namespace

MeasuredDevice measureDevice(device::Device &d, const MeasureSettings &settings) {
  return DeviceMeasurement(d, settings).measure();
}

} // namespace pbc::model
