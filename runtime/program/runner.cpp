// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/program/runner.h"
#include "runtime/matrix/memo.h"
#include "runtime/program/device_run.h"
#include "runtime/program/devices.h"
#include "runtime/task/scheduler.h"
#include <algorithm>
#include <chrono>
#include <thread>

namespace pb::program {

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
  fillUpdated(*instance.transform, regions.data());
  const auto begin = std::chrono::steady_clock::now();
  runWhole(*scheduler_, devices, {*instance.transform, regions.data(), instance.sizes.data()});
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  remarks_ = devices_->report();
  return seconds;
}

int threadCount(int asked) {
  return asked > 0 ? asked : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

} // namespace pb::program
