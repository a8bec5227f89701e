// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How many items a group has that a configuration asks for.
//
//   group_x_rows = 1024, group_y_rows = 1024      {1024, 1, 1} on a device with groups of at most 1024 items, and a note says so
//
// Invariant: the device supports the group.
#pragma once
#include "runtime/abi/device.h"
#include "runtime/device/device.h"
#include <string>

namespace pb::device {

/// The group's size from the configuration, halved until the device supports it.
void groupOf(const DeviceStep &, const Frame *, const Description &about, int *group);
/// Why that is no group that some device has; "" if one may have it.
std::string whyTooLarge(const DeviceStep &, const Frame *, const int *group);

} // namespace pb::device
