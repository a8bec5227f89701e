// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/cuda/cuda_api.h"

#include "runtime/device/shared_library.h"

#include <algorithm>
#include <cstdlib>

namespace pb::device {

const Cuda *Cuda::get() {
  static const Cuda *const found = []() -> const Cuda * {
    const char *named = std::getenv("PB_CUDA_DRIVER");
    const SharedLibrary library({named && *named ? named : "libcuda.so.1"});
    static Cuda all;
#define PB_CUDA_LOAD(member, symbol, parameters)                                                             \
  if (!(all.member = library.function<CuStatus parameters>(symbol)))                                         \
    return nullptr;
    PB_CUDA_FUNCTIONS(PB_CUDA_LOAD)
#undef PB_CUDA_LOAD
    all.hasGraphs = all.hasPeers = true;
#define PB_CUDA_LOAD(member, symbol, parameters)                                                             \
  if (!(all.member = library.function<CuStatus parameters>(symbol)))                                         \
    all.hasGraphs = false;
    PB_CUDA_GRAPH_FUNCTIONS(PB_CUDA_LOAD)
#undef PB_CUDA_LOAD
#define PB_CUDA_LOAD(member, symbol, parameters)                                                             \
  if (!(all.member = library.function<CuStatus parameters>(symbol)))                                         \
    all.hasPeers = false;
    PB_CUDA_PEER_FUNCTIONS(PB_CUDA_LOAD)
#undef PB_CUDA_LOAD
    return all.cuInit(0) == 0 ? &all : nullptr;
  }();
  return found;
}

void require(const Cuda &cuda, CuStatus status, Failure otherwise, const std::string &call) {
  if (status == 0)
    return;
  // After these errors nothing works any more: the driver or the device is gone, or a kernel broke the
  // context.
  static constexpr CuStatus lost[] = {3,   4,   46,  214, 220, 700, 702, 709,
                                      710, 714, 715, 716, 717, 718, 719, 999};
  Failure failure = otherwise;
  if (status == kCuOutOfMemory)
    failure = Failure::OutOfMemory;
  else if (std::find(std::begin(lost), std::end(lost), status) != std::end(lost))
    failure = Failure::Lost;
  const char *name = nullptr, *text = nullptr;
  cuda.cuGetErrorName(status, &name);
  cuda.cuGetErrorString(status, &text);
  throw DeviceError(failure, call + ": " + (name ? name : "error") + " (" + std::to_string(status) + ")" +
                                 (text ? std::string(": ") + text : ""));
}

} // namespace pb::device
