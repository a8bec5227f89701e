// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A run of a transform in which devices may take part, from its inputs in memory to its outputs in memory.
//
//   runWhole(scheduler, session, {t, regions, sizes});
//
// What the run left on devices is brought back. If a device is lost with results that only it had, the transform runs again from the
// inputs without that device: at most as often as there are devices.
#pragma once
#include "runtime/device/session.h"

namespace pb::task {
class Scheduler;
}

namespace pb::program {

struct WholeRun {
  const Transform &transform;
  const AnyRegion *regions; // of all matrices; those without an owner are copied for each launch
  const long *sizes;
  bool mayRunAgain =
      true; // false: outputs share cells with inputs, which a run overwrites, or a device has inputs
  const bool *lent = nullptr; // by matrix: a device has its cells before and after the run; null: none
};

/// Gives the outputs that the transform updates in place the values of the inputs that stand for them, where these are in other memory.
void fillUpdated(const Transform &, const AnyRegion *regions);

/// The outputs that are updated have their values before the run. `session`: null if all steps run on the processor. Rethrows exceptions of rule bodies, and DeviceError if a device is lost and the
/// transform may not run again.
void runWhole(task::Scheduler &, device::Session *session, const WholeRun &);

} // namespace pb::program
