// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The walk over a table of steps, as runtime/device sees it, and what it asks of devices. This folder knows
// no device; programs without one have no StepDevices.
//
//   plan: rows on a device, columns there too, a sum on the processor
//   =>  runLoops() sees that StepDevices are concerned and hands them the table;
//       they give rows and columns to a device, bring what the sum reads, and call runStep() for the sum
#pragma once
#include "runtime/abi/device.h"

namespace pb::task {

Box boxOf(const LoopStep &, const Frame *);
/// Runs a step on the processor, in tasks. Frame and step must live until the job is done.
Job runStep(const LoopStep &, const Frame *);
/// Runs a part of its box; only for steps whose parts can run in any order.
Job runStep(const LoopStep &, const Frame *, Box part);

class StepDevices {
public:
  virtual ~StepDevices() = default;
  /// Whether one of these steps is placed on a device, or some matrix may be valid on a device only.
  virtual bool concern(const Frame *, const LoopStep *, int count) const = 0;
  /// Whether some matrix may be valid on a device only.
  virtual bool areUsed() const = 0;
  /// Runs the steps instead of runLoops().
  virtual Job walk(const Frame *, const LoopStep *, int count) = 0;
  virtual Job toHost(const Frame *, const DeviceStep *) = 0;
  virtual Job leaveDevices(const Frame *, const DeviceStep *) = 0;
};

/// To be called before areUsed() becomes true for the first time: calls of small transforms ask it only from then on.
void noteDevicesInUse();

/// The StepDevices of the scheduler that runs the current task; null if there are none.
StepDevices *currentDevices();

} // namespace pb::task
