// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/manager.h"
#include "runtime/device/management.h"
#include "runtime/device/tasks.h"
#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace pb::device {
namespace {

/// The scheduler of the worker that calls.
task::Scheduler &here() {
  if (task::Scheduler *s = task::Scheduler::current())
    return *s;
  throw std::logic_error("only a task can co_await a device: elsewhere, use submitNow() and copyOutNow()");
}

} // namespace

std::chrono::milliseconds timeoutFromEnvironment() {
  constexpr std::chrono::milliseconds usual{30000};
  const char *text = std::getenv("PB_DEVICE_TIMEOUT");
  if (!text)
    return usual;
  char *end = nullptr;
  const double seconds = std::strtod(text, &end);
  if (end == text || *end || !(seconds > 0) || seconds > 1e9)
    return usual;
  return std::chrono::milliseconds(std::max(1L, static_cast<long>(seconds * 1000)));
}

Grid gridOf(const Box &box, bool inRounds, const int *group, const int *cells, bool hasRuns) {
  Grid grid;
  int item = 0;
  for (int d = inRounds ? 1 : 0; d < box.rank; ++d, ++item) {
    const long before = box.low[d] % cells[0]; // of the run in which the first cell lies
    const long more = hasRuns && item == 0 ? before + (before < 0 ? cells[0] : 0) : 0;
    grid.items[std::min(item, 2)] *= box.high[d] - box.low[d] + more;
  }
  for (int k = 0; k < 3; ++k) {
    grid.group[k] = group[k];
    grid.items[k] = (grid.items[k] + cells[k] - 1) / cells[k];
    grid.items[k] = (grid.items[k] + group[k] - 1) / group[k] * group[k];
  }
  return grid;
}

void shortenRuns(Launch &launch, int units) {
  constexpr long kGroupsForEachUnit = 4;
  const auto groups = [&] {
    long all = 0;
    const auto count = [&](const Box &box, const int *group) {
      const Grid grid = gridOf(box, launch.inRounds, group, launch.cells, launch.hasRuns);
      all +=
          grid.items[0] / grid.group[0] * (grid.items[1] / grid.group[1]) * (grid.items[2] / grid.group[2]);
    };
    for (const LaunchPart &part : launch.parts)
      count(part.box, part.group);
    if (launch.parts.empty())
      count(launch.box, launch.group);
    return all;
  };
  // Planes cost a group the ones beside them again, so that it keeps some; its rows share memory.
  constexpr int kLeastPlanes = 4;
  const bool hasPlanes = launch.cells[2] > 1;
  int &cells = launch.cells[hasPlanes ? 2 : 1];
  while (cells > (hasPlanes ? kLeastPlanes : 1) && groups() < kGroupsForEachUnit * units)
    cells /= 2;
}

Manager::Manager(std::unique_ptr<Device> device, Table &table, const Options &options)
    : management_(std::make_shared<Management>(std::move(device), table, options)) {
  management_->start();
  table.setManager(options.index, this);
}

Manager::~Manager() {
  management_->stop();
  management_->table().setManager(management_->index(), nullptr);
}

const Description &Manager::about() const { return management_->about(); }

std::unique_ptr<Kernel> Manager::build(const KernelSource &source) {
  if (isLost())
    throw management_->lostError();
  return management_->device().build(source);
}

void Manager::plan(const Kernel &kernel, const std::vector<LibraryMatrix> &matrices) {
  if (isLost())
    return;
  try {
    management_->device().plan(kernel, matrices);
  } catch (const DeviceError &) { // NOLINT(bugprone-empty-catch): the launch has the same error
  }
}

bool Manager::isLost() const { return management_->isLost(); }
DeviceError Manager::lostError() const { return management_->lostError(); }
long Manager::ahead() const { return management_->ahead(); }
Counters Manager::counters() const { return management_->counters(); }

Manager::SubmitAwaiter Manager::submit(std::vector<Launch> launches) {
  return SubmitAwaiter(*management_, std::move(launches));
}

Manager::CopyAwaiter Manager::copyOut(const Place &place) { return {*management_, place, true, false}; }

Manager::CopyAwaiter Manager::release(const Place &place, bool reads) {
  return {*management_, place, reads, true};
}

Submitted Manager::submitNow(std::vector<Launch> launches) {
  return SubmitAwaiter(*management_, std::move(launches)).now();
}

void Manager::copyOutNow(const Place &place) { CopyAwaiter(*management_, place, true, false).now(); }

Manager::SubmitAwaiter::SubmitAwaiter(Management &m, std::vector<Launch> launches)
    : management_(&m), submission_(std::make_shared<Submission>(std::move(launches))) {}

bool Manager::SubmitAwaiter::await_ready() const noexcept { return submission_->launches.empty(); }

void Manager::SubmitAwaiter::await_suspend(std::coroutine_handle<> caller) {
  const std::shared_ptr<Submission> s = submission_; // this object may be destroyed as soon as it is queued
  s->resumeOn(here(), caller);
  management_->add(s, tasksOf(s));
}

Submitted Manager::SubmitAwaiter::await_resume() {
  Submitted result = submission_->result;
  if (submission_->error() && !result.why)
    result.why = submission_->error();
  return result;
}

Submitted Manager::SubmitAwaiter::now() {
  if (!await_ready()) {
    management_->add(submission_, tasksOf(submission_));
    submission_->wait();
  }
  return await_resume();
}

Manager::CopyAwaiter::CopyAwaiter(Management &m, const Place &place, bool reads, bool writes)
    : management_(&m), place_(place), reads_(reads), writes_(writes) {}

bool Manager::CopyAwaiter::await_ready() const {
  const Table &table = management_->table();
  return (!reads_ || table.isOnHost(place_)) && (!writes_ || table.isUntouched(place_));
}

void Manager::CopyAwaiter::await_suspend(std::coroutine_handle<> caller) {
  const auto request = request_ = std::make_shared<Request>();
  request->resumeOn(here(), caller);
  management_->add(request, one(std::make_unique<Settle>(place_, reads_, writes_, request)));
}

void Manager::CopyAwaiter::await_resume() {
  if (request_ && request_->error())
    throw DeviceError(*request_->error());
}

void Manager::CopyAwaiter::now() {
  if (!await_ready()) {
    request_ = std::make_shared<Request>();
    management_->add(request_, one(std::make_unique<Settle>(place_, reads_, writes_, request_)));
    request_->wait();
  }
  await_resume();
}

} // namespace pb::device
