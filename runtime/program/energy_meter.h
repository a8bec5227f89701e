// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How much energy this machine has used, by its own counters: those of the processor and its memory (RAPL,
// through the kernel's powercap folder) and of NVIDIA's devices (NVML, opened if it is there).
//
//   EnergyMeter meter(energySources());
//   meter.names()            ->  {"package-0", "dram", "NVIDIA H100"}
//   meter.joules()           ->  0.0; later 1.73: of all of them together, since the meter was made
//
// The counters are those of the whole machine: what other processes do meanwhile counts, too, and so does
// idling. A counter that wraps around is handled, if it is read before it has wrapped twice (RAPL: minutes
// under load). Invariant: joules() never decreases. Source: Linux, Documentation/power/powercap; NVML,
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

/// The standard sources, with the folder that PB_POWERCAP names, if set.
EnergySources energySources();

/// One counter that grows, and starts again at 0 after `range`.
class EnergyCounter {
public:
  /// `read` returns the counter in units of `unit` joules, or a negative value if it cannot be read now.
  /// `range` 0: it never wraps.
  EnergyCounter(std::string name, double unit, double range, std::function<double()> read);
  /// Joules since the counter was made.
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
  /// How long something must take, in seconds, to be measurable in spite of the counters' resolution; 0
  /// without counters.
  double window() const { return window_; }
  /// Why there is no counter, or not all, and what would help; empty if all that exist can be read.
  const std::string &problem() const { return problem_; }

private:
  void openPowercap(const std::string &folder);
  void openNvml(const std::string &library);

  std::vector<EnergyCounter> counters_;
  double window_ = 0;
  std::string problem_;
};

} // namespace pb::program
