// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/program/runner.h"
#include "runtime/matrix/memo.h"
#include "runtime/program/devices.h"
#include "runtime/task/scheduler.h"
#include <algorithm>
#include <chrono>
#include <thread>

namespace pb::program {

namespace {

/// The uses of the matrices of one role, which the processor reads, or has just written.
std::vector<device::HostUse> uses(const Transform &t, const std::vector<AnyRegion> &regions, Role role,
                                  bool reads) {
  std::vector<device::HostUse> all;
  for (int m = 0; m < t.matrixCount; ++m)
    if (const AnyRegion &r = regions[static_cast<size_t>(m)]; t.matrices[m].role == role && r.owner)
      all.push_back(
          {device::placeOf(r, t.matrices[m].rank, static_cast<int>(matrix::bytes(t.matrices[m].element))),
           reads, !reads, true});
  return all;
}

/// Runs the transform, with its inputs as if they had just been read, and then brings back what it left on
/// devices. `again`: outputs may be lost with a device, which is harmless.
Job whole(const Instance &instance, const std::vector<AnyRegion> &regions, device::Session *devices,
          bool again) {
  const Transform &t = *instance.transform;
  if (devices && devices->areUsed()) {
    co_await devices->toHost(uses(t, regions, Role::Input, false));
    if (again)
      co_await devices->toHost(uses(t, regions, Role::Output, false));
  }
  co_await t.start(regions.data(), instance.sizes.data(), t.bin);
  if (devices && devices->areUsed())
    co_await devices->toHost(uses(t, regions, Role::Output, true));
}

} // namespace

Runner::Runner(int threads, const Program *program)
    : devices_(std::make_unique<Devices>(program)),
      scheduler_(std::make_unique<task::Scheduler>(threads, task::Caller::Works)) {}
Runner::~Runner() = default;
int Runner::threads() const { return scheduler_->threads(); }

void Runner::setThreads(int threads) {
  scheduler_.reset();
  scheduler_ = std::make_unique<task::Scheduler>(threads, task::Caller::Works);
}

double Runner::run(const Instance &instance) {
  const std::vector<AnyRegion> regions = instance.regions();
  matrix::forgetCalls();
  device::Session *devices = devices_->wanted();
  scheduler_->setDevices(devices);
  scheduler_->setWatcher(devices_->trace());
  const auto begin = std::chrono::steady_clock::now();
  for (bool isDone = false, again = false; !isDone; again = true)
    try {
      scheduler_->run(whole(instance, regions, devices, again));
      isDone = true;
    } catch (const device::DeviceError &e) {
      // The results are lost with their device, so the transform runs again from the inputs, without that
      // device: at most as often as there are devices.
      if (e.failure() != device::Failure::Lost)
        throw;
      matrix::forgetCalls();
      devices->noteLoss(e.what());
    }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  remarks_ = devices_->report();
  return seconds;
}

int threadCount(int asked) {
  return asked > 0 ? asked : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

} // namespace pb::program
