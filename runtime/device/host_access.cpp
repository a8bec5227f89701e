#include "runtime/device/host_access.h"
#include "runtime/device/tasks.h"
#include <algorithm>

namespace pb::device {
namespace {

/// What a write leaves as it was must be there, too.
bool needsCells(const Table &table, const HostUse &u) {
  return u.reads || (u.writes && (!u.covers || !table.isExact(u.place)));
}

} // namespace

bool hostMayAccess(Table &table, const std::vector<HostUse> &uses) {
  for (const HostUse &u : uses)
    if ((needsCells(table, u) && !table.isOnHost(u.place)) || (u.writes && !table.isUntouched(u.place)))
      return false;
  for (const HostUse &u : uses)
    if (u.writes)
      table.hostWrites(u.place);
  return true;
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): a coroutine keeps what it works on
Job hostAccess(Table &table, std::vector<HostUse> uses) {
  for (const HostUse &u : uses) // all copies begin before the first is awaited
    if (needsCells(table, u) && !table.isOnHost(u.place))
      for (int d = 0; d < table.devices(); ++d)
        if (Manager *m = table.manager(d))
          m->management().add(nullptr, one(std::make_unique<Settle>(u.place, true, false, nullptr)));
  for (const HostUse &u : uses) {
    const bool reads = needsCells(table, u);
    for (int d = 0; d < table.devices(); ++d) {
      Manager *m = table.manager(d);
      if (!m || m->isLost())
        continue;
      if (u.writes)
        co_await m->release(u.place, reads);
      else if (reads)
        co_await m->copyOut(u.place);
    }
    if (reads && table.isLost(u.place))
      throw DeviceError(Failure::Lost, "what the program reads was lost with the device that had it");
  }
  for (const HostUse &u : uses)
    if (u.writes)
      table.hostWrites(u.place);
}

} // namespace pb::device
