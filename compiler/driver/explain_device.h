// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What `pbc explain --device=sm_90 FILE` prints: what the machine code of each kernel for devices is like. No GPU is needed.
//
//   Product.inner, blocks, groups of 32 x 8 x 1: 64 registers, nothing spilled, 8192 bytes of a group's memory
//     innermost loop: 288 instructions, 256 of them multiply-adds (89 %), 4.0 for each read of the group's memory
//     global loads: 4 of 16 bytes; global stores: 16 of 4 bytes
//
// As data: {"device": "sm_90", "compiler": "NVRTC 13.0", "kernels": [{"name", "registers", "spills", "local_bytes", ..}]}. The
// kernels have groups of the default sizes, or of the largest that the device's memory allows, and matrices whose rows are contiguous. Those
// that are built for each size of a window are built for windows of nine cells here, or for the sizes that are given.
#pragma once
#include "compiler/emit/device_texts.h"
#include <string>

namespace pbc::driver {

/// Of a kernel that does not compile, there is an `error` instead. Throws Refusal where NVRTC is not installed, or makes no machine code
/// for the device.
std::string explainDevice(const emit::Input &, const std::string &device, const emit::LaunchRequest &,
                          bool asJson);

} // namespace pbc::driver
