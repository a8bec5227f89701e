// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Up to which size programs build a kernel of its own for each value (runtime/abi/device.h, DeviceSize). Others take the version without such
// sizes.
#pragma once

namespace pb::device {

inline constexpr long kMostSizeOfBuild = 1024;

} // namespace pb::device
