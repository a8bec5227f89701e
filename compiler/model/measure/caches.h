// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The caches between a processor and memory, near to far, as the operating system describes them.
//
//   cachesOf("/sys/devices/system/cpu/cpu0")   =>  L1 49152 bytes of its own, L2 1 MiB, L3 32 MiB shared
//
// sysconf is not used, because on a virtual machine it adds up all caches of the host.
#pragma once
#include "compiler/model/machine/machine.h"

namespace pbc::model {

struct Cache {
  std::string name; // "L1", "L2", ...
  double bytes = 0; // of one instance
  Scope scope = Scope::Unit;
};

/// `folder`: that of one processor. Empty if it has no information.
std::vector<Cache> cachesOf(const std::string &folder);

} // namespace pbc::model
