// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs kernels of a device one after the other and measures their times.
//
//   DeviceProbe probe(device);
//   auto kernel = probe.build(kNothingKernel, "pb_nothing", 64);
//   probe.run(*kernel, arguments, items, 64).onDevice    =>  seconds by the device's clock
//   perStep(sampling, few, many, run)                    =>  seconds of one step, without those of the launch
#pragma once
#include "compiler/model/measure/sampling.h"

#include "runtime/device/device.h"

#include <functional>
#include <memory>
#include <vector>

namespace pbc::model {

class DeviceProbe {
public:
  explicit DeviceProbe(pb::device::Device &d) : device_(d) {}

  std::unique_ptr<pb::device::Kernel> build(const std::string &text, const char *entry, int group);

  struct Times {
    double onDevice, seen; // by the device's clock; from the call until the host sees the end
  };
  /// Throws Problem if the launch takes much longer than any measurement.
  Times run(pb::device::Kernel &, const std::vector<pb::device::Argument> &, long items, int group);

private:
  void await(pb::device::Event &);

  pb::device::Device &device_;
};

/// From the difference of runs with `few` and with `many` steps. `run` returns seconds. The best figure is the
/// difference of the two fastest runs, because a single difference is also small if the shorter run was slow.
Figure perStep(const Sampling &, long few, long many, const std::function<double(long steps)> &run);

} // namespace pbc::model
