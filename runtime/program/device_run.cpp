// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/program/device_run.h"

#include "runtime/matrix/element.h"
#include "runtime/matrix/memo.h"
#include "runtime/task/scheduler.h"

namespace pb::program {
namespace {

/// The uses of the matrices of one role, which the processor reads, or has just written.
std::vector<device::HostUse> uses(const WholeRun &run, Role role, bool reads) {
  const Transform &t = run.transform;
  std::vector<device::HostUse> all;
  for (int m = 0; m < t.matrixCount; ++m)
    if (const AnyRegion &r = run.regions[m];
        t.matrices[m].role == role && r.owner && !(run.lent && run.lent[m]))
      all.push_back(
          {device::placeOf(r, t.matrices[m].rank, static_cast<int>(matrix::bytes(t.matrices[m].element))),
           reads, !reads, true});
  return all;
}

/// Runs the transform, with its inputs as if they had just been read, and then brings back what it left on
/// devices. `again`: outputs may be lost with a device, which is harmless.
Job whole(const WholeRun &run, device::Session *devices, bool again) {
  if (devices && devices->areUsed()) {
    co_await devices->toHost(uses(run, Role::Input, false));
    if (again)
      co_await devices->toHost(uses(run, Role::Output, false));
  }
  co_await run.transform.start(run.regions, run.sizes, run.transform.bin);
  if (devices && devices->areUsed())
    co_await devices->toHost(uses(run, Role::Output, true));
}

} // namespace

void runWhole(task::Scheduler &scheduler, device::Session *devices, const WholeRun &run) {
  for (bool again = false;; again = true)
    try {
      return scheduler.run(whole(run, devices, again));
    } catch (const device::DeviceError &e) {
      if (e.failure() != device::Failure::Lost || !devices)
        throw;
      devices->noteLoss(e.what());
      if (!run.mayRunAgain)
        throw;
      matrix::forgetCalls();
    }
}

} // namespace pb::program
