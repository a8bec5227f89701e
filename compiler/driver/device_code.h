// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Machine code and PTX of kernels for devices, by NVIDIA's compiler where it is installed; no GPU is needed.
//
//   functionOf(kernel, builtFor(kernel, "sm_90")).registers      224
#pragma once
#include "compiler/cubin/cubin.h"
#include "compiler/emit/device_texts.h"
#include "runtime/device/cuda/cuda_api.h"

namespace pbc::driver {

/// No group of the kernel can have the memory that it needs.
class TooLarge : public pb::device::DeviceError {
public:
  explicit TooLarge(const std::string &why) : DeviceError(pb::device::Failure::Build, why) {}
};

/// Builds the kernel for smaller groups, as the runtime does, where it cannot be built for those of the asked size: its source then has
/// their size. Throws TooLarge, and DeviceError as compileCuda does.
pb::device::CudaCode builtFor(emit::DeviceSource &, const std::string &device);

/// Throws cubin::Unreadable.
cubin::Function functionOf(const emit::DeviceSource &, const pb::device::CudaCode &);

} // namespace pbc::driver
