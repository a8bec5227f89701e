// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the processor's code needs before it may touch matrices that devices use, too.
//
//   std::vector<HostUse> uses{{in, true, false}, {out, false, true, true}};
//   if (!hostMayAccess(table, uses)) co_await hostAccess(table, uses);   // copies, waits, notes the writes
//   ... the step runs ...
//
// Writes must be noted before they happen: then a device that has a copy of the cells will not use it again.
// hostMayAccess() notes them, too, if it says yes.
// Throws DeviceError Lost if what is read was lost with a device.
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
