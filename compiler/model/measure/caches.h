// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The caches that data goes through from a processor to memory, near to far, as the system describes them.
//
//   cachesOf("/sys/devices/system/cpu/cpu0")   =>  L1 49152 bytes of its own, L2 1 MiB, L3 32 MiB shared
//
// Not sysconf: where a machine is virtual that adds up all caches of the host.
#pragma once
#include "compiler/model/machine/machine.h"

namespace pbc::model {

struct Cache {
  std::string name; // "L1", "L2", ...
  double bytes = 0; // of one instance
  Scope scope = Scope::Unit;
};

/// `folder`: of one processor. Empty if it says nothing.
std::vector<Cache> cachesOf(const std::string &folder);

} // namespace pbc::model
