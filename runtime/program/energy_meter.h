// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How much energy this machine has used, by its own counters: of the processor and its memory (RAPL, through
// the kernel's powercap folder) and of NVIDIA's devices (NVML, opened when it is there).
//
//   EnergyMeter meter(energySources());
//   meter.names()            ->  {"package-0", "dram", "NVIDIA H100"}
//   meter.joules()           ->  0.0; later 1.73: of all of them together, since the meter was made
//
// Counters are of the whole machine: what others do meanwhile counts, too, and so does doing nothing.
// A counter that wraps around is read on, if it is read before it has wrapped twice (RAPL: minutes under
// load). Invariant: joules() never decreases. Source: Linux, Documentation/power/powercap; NVML,
// nvmlDeviceGetTotalEnergyConsumption.
#pragma once
#include <functional>
#include <string>
#include <vector>

namespace pb::program {

struct EnergySources {
  std::string powercap = "/sys/class/powercap"; // folder with intel-rapl:* (AMD's processors are there, too)
  std::string nvml = "libnvidia-ml.so.1";       // empty: no devices
};

/// As above, or where PB_POWERCAP says.
EnergySources energySources();

/// One counter that grows, and begins again at 0 after `range`.
class EnergyCounter {
public:
  /// `read`: the counter in units of `unit` joules; a negative value: it cannot be read now. `range` 0: never
  /// wraps.
  EnergyCounter(std::string name, double unit, double range, std::function<double()> read);
  /// Since it was made.
  double joules();
  const std::string &name() const { return name_; }

private:
  std::string name_;
  double unit_, range_;
  std::function<double()> read_;
  double last_, sum_ = 0;
};

class EnergyMeter {
public:
  explicit EnergyMeter(const EnergySources &);
  std::vector<std::string> names() const;
  double joules();
  /// How long something must take, in seconds, to be told apart from the counters' steps; 0 without counters.
  double window() const { return window_; }
  /// Why there is no counter, or not all, and what would help; empty if all that exists can be read.
  const std::string &problem() const { return problem_; }

private:
  void openPowercap(const std::string &folder);
  void openNvml(const std::string &library);

  std::vector<EnergyCounter> counters_;
  double window_ = 0;
  std::string problem_;
};

} // namespace pb::program
