// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/program/device_run.h"

#include "runtime/matrix/element.h"
#include "runtime/matrix/memo.h"
#include "runtime/task/scheduler.h"
#include <cstring>

namespace pb::program {
namespace {

/// Read: what a run finds in memory, the inputs and the outputs that it updates.
enum class Which { Outputs, Read };

bool isOf(Which which, const MatrixInfo &m) {
  const bool isOutput = m.role == Role::Output;
  return which == Which::Outputs ? isOutput : !isOutput || m.before >= 0;
}

/// The uses of some matrices, which the processor reads, or has just written.
std::vector<device::HostUse> uses(const WholeRun &run, Which which, bool reads) {
  const Transform &t = run.transform;
  std::vector<device::HostUse> all;
  for (int m = 0; m < t.matrixCount; ++m)
    if (const AnyRegion &r = run.regions[m];
        isOf(which, t.matrices[m]) && r.owner && !(run.lent && run.lent[m]))
      all.push_back(
          {device::placeOf(r, t.matrices[m].rank, static_cast<int>(matrix::bytes(t.matrices[m].element))),
           reads, !reads, true});
  return all;
}

/// Runs the transform, with its inputs as if they had just been read, and then brings back what it left on
/// devices. `again`: outputs may be lost with a device, which is harmless.
Job whole(const WholeRun &run, device::Session *devices, bool again) {
  if (devices && devices->areUsed()) {
    co_await devices->toHost(uses(run, Which::Read, false));
    if (again)
      co_await devices->toHost(uses(run, Which::Outputs, false));
  }
  co_await run.transform.start(run.regions, run.sizes, run.transform.bin);
  if (devices && devices->areUsed())
    co_await devices->toHost(uses(run, Which::Outputs, true));
}

} // namespace

void fillUpdated(const Transform &t, const AnyRegion *regions) {
  for (int m = 0; m < t.matrixCount; ++m) {
    const MatrixInfo &info = t.matrices[m];
    if (info.before < 0 || regions[m].base == regions[info.before].base)
      continue;
    std::size_t bytes = matrix::bytes(
        info.element); // of memory without gaps: matrices of programs, and copies of callers' arrays
    for (int d = 0; d < info.rank; ++d)
      bytes *= static_cast<std::size_t>(regions[m].extent[d]);
    if (bytes)
      std::memcpy(regions[m].base, regions[info.before].base, bytes);
  }
}

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
      fillUpdated(run.transform, run.regions);
    }
}

} // namespace pb::program
