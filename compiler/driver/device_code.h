// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Machine code and PTX of kernels for devices, by NVIDIA's compiler where it is installed; no GPU is needed.
//
//   functionOf(kernel, builtFor(kernel, "sm_90")).registers      224
#pragma once
#include "compiler/cubin/cubin.h"
#include "compiler/emit/device_texts.h"
#include "runtime/device/cuda/cuda_api.h"
#include <functional>

namespace pbc::driver {

/// No group of the kernel can have the memory that it needs.
class TooLarge : public pb::device::DeviceError {
public:
  explicit TooLarge(const std::string &why) : DeviceError(pb::device::Failure::Build, why) {}
};

/// Calls `build` for the kernel, and for smaller groups, as the runtime does, while it throws DeviceError: the kernel's source then has
/// their size. `build` throws TooLarge where the group's memory is too small. Throws the first error where all groups fail.
void forGroupsThatFit(emit::DeviceSource &, const std::function<void()> &build);
/// `most`: bytes that a group can have, of which `given` without asking for them. Throws TooLarge.
void askForMemory(emit::DeviceSource &, long given, long most);

/// NVIDIA's code of the kernel, by forGroupsThatFit(). Throws TooLarge, and DeviceError as compileCuda does.
pb::device::CudaCode builtFor(emit::DeviceSource &, const std::string &device);

/// Throws cubin::Unreadable.
cubin::Function functionOf(const emit::DeviceSource &, const pb::device::CudaCode &);

} // namespace pbc::driver
