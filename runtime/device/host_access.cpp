// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/host_access.h"
#include "runtime/device/tasks.h"
#include <algorithm>

namespace pb::device {
namespace {

const char *const kLost = "what the program reads was lost with the device that had it";

/// Cells that a write leaves unchanged must be there, too.
bool needsCells(const Table &table, const HostUse &u) {
  return u.reads || (u.writes && (!u.covers || !table.isExact(u.place)));
}

/// Lets other tasks run.
class Yield {
public:
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> caller) {
    const auto request = std::make_shared<Request>();
    request_ = request; // lives until it has resumed this coroutine
    request->resumeOn(*task::Scheduler::current(), caller);
    request->finish();
  }
  void await_resume() const noexcept {}

private:
  std::shared_ptr<Request> request_;
};

} // namespace

bool hostMayAccess(Table &table, const std::vector<HostUse> &uses) {
  for (const HostUse &u : uses)
    if ((u.reads || !u.covers) && !table.isOnHost(u.place))
      return false;
  // If one of these returns false, the others were recorded too early, which only makes devices copy again.
  return std::all_of(uses.begin(), uses.end(),
                     [&](const HostUse &u) { return !u.writes || table.hostWrites(u.place); });
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): a coroutine keeps what it works on
Job hostAccess(Table &table, std::vector<HostUse> uses) {
  for (const HostUse &u : uses) // all copies begin before the first is awaited
    if (needsCells(table, u) && !table.isOnHost(u.place))
      for (int d = 0; d < table.devices(); ++d)
        if (Manager *m = table.manager(d))
          m->management().add(nullptr, one(std::make_unique<Settle>(u.place, true, false, nullptr)));
  for (const HostUse &u : uses) {
    if (!needsCells(table, u))
      continue;
    for (;;) {
      for (int d = 0; d < table.devices(); ++d)
        if (Manager *m = table.manager(d); m && !m->isLost())
          co_await m->copyOut(u.place);
      if (table.isLost(u.place))
        throw DeviceError(Failure::Lost, kLost);
      if (table.isOnHost(u.place))
        break;
      co_await Yield(); // a device has just been lost: the table will soon say what is left
    }
  }
  for (const HostUse &u : uses)
    while (u.writes && !table.hostWrites(u.place)) {
      const bool reads = needsCells(table, u);
      if (reads && table.isLost(u.place))
        throw DeviceError(Failure::Lost, kLost);
      for (int d = 0; d < table.devices(); ++d)
        if (Manager *m = table.manager(d); m && !m->isLost())
          co_await m->release(u.place, reads);
      co_await Yield(); // a lost device will soon release its memory
    }
}

} // namespace pb::device
