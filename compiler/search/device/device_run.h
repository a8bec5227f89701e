// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A device with the matrices of a kernel, on which leaves are built, compared and timed; in a worker's process.
//
//   DeviceRun run("opencl:0", memory);      memory has the processor's results
//   run.measure(leaf, {.runs = 10})         { Fate::Measured, 1.9e-3 s, 10 runs }
//
// Results come back into `memory`. Source of what is done: lower-bound-search.md, section 4.
#pragma once
#include "compiler/search/device/device_leaf.h"
#include "compiler/search/measure/sample_memory.h"
#include "compiler/search/measure/worker.h"

namespace pbc::search {

class DeviceRun {
public:
  /// Throws pb::device::DeviceError if there is no such device, or its memory is too small.
  DeviceRun(const std::string &name, SampleMemory &memory);

  const pb::device::Description &about() const { return device_->about(); }
  /// Throws pb::device::DeviceError if the device was lost, after which it is of no use.
  Measurement measure(const DeviceLeaf &, const MeasureLimits &);

private:
  std::string whyTooLarge(const DeviceLeaf &) const;
  void copyIn();
  void copyOut();
  double launch(pb::device::Kernel &, const DeviceLeaf &);
  static void wait(pb::device::Event &);

  SampleMemory &memory_;
  std::unique_ptr<pb::device::Device> device_;
  std::vector<std::unique_ptr<pb::device::Buffer>> buffers_; // by array
};

} // namespace pbc::search
