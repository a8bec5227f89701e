#include "runtime/program/runner.h"
#include "runtime/matrix/memo.h"
#include "runtime/program/devices.h"
#include "runtime/task/scheduler.h"
#include <algorithm>
#include <chrono>
#include <thread>

namespace pb::program {

namespace {

/// The matrices of one role, with what the processor does to them.
std::vector<device::HostUse> uses(const Transform &t, const std::vector<AnyRegion> &regions, Role role) {
  std::vector<device::HostUse> all;
  for (int m = 0; m < t.matrixCount; ++m)
    if (const AnyRegion &r = regions[static_cast<size_t>(m)]; t.matrices[m].role == role && r.owner)
      all.push_back(
          {device::placeOf(r, t.matrices[m].rank, static_cast<int>(matrix::bytes(t.matrices[m].element))),
           role == Role::Output, role == Role::Input, true});
  return all;
}

/// The transform, whose inputs are as if they had just been read, and then what it left on devices.
Job whole(const Instance &instance, const std::vector<AnyRegion> &regions, device::Session *devices) {
  const Transform &t = *instance.transform;
  if (devices && devices->areUsed())
    co_await devices->toHost(uses(t, regions, Role::Input));
  co_await t.start(regions.data(), instance.sizes.data(), t.bin);
  if (devices && devices->areUsed())
    co_await devices->toHost(uses(t, regions, Role::Output));
}

} // namespace

Runner::Runner(int threads, const Program *program)
    : devices_(std::make_unique<Devices>(program)), scheduler_(std::make_unique<task::Scheduler>(threads)) {}
Runner::~Runner() = default;
int Runner::threads() const { return scheduler_->threads(); }

double Runner::run(const Instance &instance) {
  const std::vector<AnyRegion> regions = instance.regions();
  matrix::forgetCalls();
  device::Session *devices = devices_->wanted();
  scheduler_->setDevices(devices);
  scheduler_->setWatcher(devices_->trace());
  const auto begin = std::chrono::steady_clock::now();
  for (bool isDone = false; !isDone;)
    try {
      scheduler_->run(whole(instance, regions, devices));
      isDone = true;
    } catch (const device::DeviceError &e) {
      // Results are gone with their device: once more from the inputs, without it. So often as there are
      // devices at most.
      if (e.failure() != device::Failure::Lost)
        throw;
      matrix::forgetCalls();
      devices->noteLoss(e.what());
    }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  devices_->report();
  return seconds;
}

int threadCount(int asked) {
  return asked > 0 ? asked : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

} // namespace pb::program
