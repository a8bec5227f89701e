// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Times of device programs of a kernel: each is built alone, compared with the processor's results, and measured.
//
//   DeviceTimes times(lifted, {{"n", 1024}}, "cuda:0", journal);
//   times.of({items(; each = block) ..., {16, 8, 1}, {8, 8, 1}}, 0)     { Fate::Measured, 1.9e-3 s, 10 runs }
//
// What the journal has is not measured again.
#pragma once
#include "compiler/search/device/device_worker.h"
#include "compiler/search/prove/journal.h"

namespace pbc::search {

class DeviceTimes {
public:
  /// Runs the kernel on the processor. Throws Unsearchable if it cannot run alone, and if there is no such device.
  DeviceTimes(const kernel::Scheduled &lifted, const std::map<std::string, long> &values,
              const std::string &device, Journal &journal);

  /// `most`: a time beyond which the exact value does not matter; 0: it always does.
  Measurement of(const DeviceProgram &, double most);
  /// Why the program is no single launch, or cannot be made; "" if it can.
  std::string whyNot(const DeviceProgram &) const;

private:
  const kernel::Scheduled &lifted_;
  Arrays arrays_;
  Journal &journal_;
  std::unique_ptr<DeviceWorker> worker_;
};

} // namespace pbc::search
