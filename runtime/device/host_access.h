// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What code on the processor must do before it touches matrices that devices use, too.
//
//   std::vector<HostUse> uses{{in, true, false}, {out, false, true, true}};
//   if (!hostMayAccess(table, uses))
//     co_await hostAccess(table, uses);     // copies, waits, records the writes
//   ... the step runs ...
//
// Writes must be recorded before they happen, so that a device that has a copy of the cells will not use it
// again. hostMayAccess() records them, too, if it returns true. Throws DeviceError Lost if data to be read
// was lost with a device.
#pragma once
#include "runtime/device/manager.h"

namespace pb::device {

struct HostUse {
  Place place;
  bool reads = false, writes = false;
  bool covers = false; // all cells are written
};

bool hostMayAccess(Table &table, const std::vector<HostUse> &uses);
Job hostAccess(Table &table, std::vector<HostUse> uses);

} // namespace pb::device
