// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What `pbc explain --device=opencl:0 FILE` prints: whether a device of this machine builds each kernel, by its own driver and as programs
// do, and what the driver says of it.
//
//   Product.inner, blocks, groups of 32 x 8 x 1: built, 8192 bytes of a group's memory, 0 bytes of an item's, at most 4096 items a group
//
// As data: {"device": "opencl:0", "compiler": "NAME, VERSION OF ITS DRIVER", "kernels": [{"name", "group_bytes", "item_bytes",
// "most_items"}]}. Nothing is launched. Sizes of groups and of windows, and indices, are those of explain_device.h.
#pragma once
#include "compiler/emit/device_texts.h"
#include <string>

namespace pbc::driver {

/// Of a kernel that is not built, there is an `error` instead, or `left_out` where programs take another version by themselves.
/// Throws Refusal where there is no such device.
std::string explainBuilt(const emit::Input &, const std::string &device, const emit::LaunchRequest &,
                         bool asJson);

} // namespace pbc::driver
