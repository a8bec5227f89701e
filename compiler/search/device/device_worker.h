// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A process that builds leaves of a search on a device and measures them, one after the other. What a leaf breaks, the driver's state
// included, is only the worker: the next one is a new process.
//
//   DeviceWorker worker(arrays, "cuda:0");
//   worker.reference("plain.so")                  the processor's results, to which others are compared
//   worker.measure(leaf, {.runs = 10})            { Fate::Measured, 1.9e-3 s, 10 runs }
//
// Times are those of the device's clock, without copies; of a device that has none, from the launch to its end. Invariant: a leaf that
// is refused, crashes, hangs or computes something else has no time. The process that has the worker opens no device.
#pragma once
#include "compiler/search/device/device_leaf.h"
#include "compiler/search/measure/child.h"
#include "compiler/search/measure/worker.h"

namespace pbc::search {

class DeviceWorker {
public:
  DeviceWorker(const Arrays &arrays, std::string device);

  /// Opens the device, and runs the first leaf of a library for the processor once.
  Measurement reference(const std::string &library);
  Measurement measure(const DeviceLeaf &, const MeasureLimits &);

  /// Memory that a group of the device can have without asking for it, in bytes; after reference().
  long localBytes() const { return localBytes_; }

private:
  Measurement ask(const std::string &question, const MeasureLimits &);

  const Arrays &arrays_;
  const std::string device_;
  std::string referenceLibrary_; // which a new process runs first
  long localBytes_ = 0;
  Child child_;
};

} // namespace pbc::search
