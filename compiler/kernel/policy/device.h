// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which scripts make the versions of a kernel for devices.
//
//   C[x, y] = A[x, y] + B[x, y]   =>   "global": items()
//   s[] = the sum of A            =>   "global": no steps; one item computes it
//
// Each version is a schedule of its own, between which the configuration of a program chooses by size. The versions "local",
// "blocks", "tiles" and "group" are not made by scripts yet (on_device.h). Source: petabricks-hetero 4, the three phases.
#pragma once
#include "compiler/kernel/schedule.h"
#include "compiler/script/script.h"

namespace pbc::kernel {

struct DeviceVersion {
  std::string name;
  script::Script script;
  Scheduled kernel; // after the script
};

/// `lifted`: in the order of the plan; devices can run it (whyNoItems()). Nothing if the steps take isl too long.
std::vector<DeviceVersion> deviceVersions(const Scheduled &lifted);

} // namespace pbc::kernel
