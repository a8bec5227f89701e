// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/device_code.h"
#include "runtime/device/dialect.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace pbc::driver {
namespace {

constexpr long kLocalBytes = 48 * 1024; // that groups may have without asking for more

/// How much they may have if they ask. Source: CUDA C++ Programming Guide, technical specifications by compute capability.
long mostLocalBytes(const std::string &device) {
  static const std::map<std::string, long> kilobytes = {{"sm_70", 96},  {"sm_75", 64},   {"sm_80", 163},
                                                        {"sm_86", 99},  {"sm_87", 163},  {"sm_89", 99},
                                                        {"sm_90", 227}, {"sm_100", 227}, {"sm_120", 99}};
  const auto at = kilobytes.find(device.substr(0, device.find_last_not_of("af") + 1));
  return at == kilobytes.end() ? kLocalBytes : at->second * 1024;
}

} // namespace

void forGroupsThatFit(emit::DeviceSource &kernel, const std::function<void()> &build) {
  std::exception_ptr first;
  for (;;) {
    try {
      return build();
    } catch (const pb::device::DeviceError &) {
      if (!first)
        first = std::current_exception();
    }
    int &longest = *std::max_element(std::begin(kernel.source.group), std::end(kernel.source.group));
    if (longest == 1)
      std::rethrow_exception(first);
    longest /= 2;
  }
}

void askForMemory(emit::DeviceSource &kernel, long given, long most) {
  const long bytes = emit::localBytes(kernel);
  if (bytes > most)
    throw TooLarge(fmt::format("a group needs {} bytes of memory, and can have {}", bytes, most));
  kernel.source.dynamicBytes = bytes > given ? bytes : 0;
}

pb::device::CudaCode builtFor(emit::DeviceSource &kernel, const std::string &device) {
  pb::device::CudaCode code;
  forGroupsThatFit(kernel, [&] {
    askForMemory(kernel, kLocalBytes, mostLocalBytes(device));
    code = pb::device::compileCudaVerbosely(pb::device::kernelText(pb::device::kCudaPrelude, kernel.source),
                                            device);
  });
  return code;
}

cubin::Function functionOf(const emit::DeviceSource &kernel, const pb::device::CudaCode &code) {
  std::vector<cubin::Function> functions = cubin::readCubin(code.binary);
  const auto at = std::find_if(functions.begin(), functions.end(),
                               [&](const cubin::Function &f) { return f.name == kernel.source.entry; });
  if (at == functions.end())
    throw cubin::Unreadable("it has no kernel " + kernel.source.entry);
  return std::move(*at);
}

} // namespace pbc::driver
