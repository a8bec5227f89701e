// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/buffer_names.h"

namespace pbc::kernel {

std::vector<int> buffersCalled(const Kernel &kernel, const std::string &name) {
  std::vector<int> all;
  for (std::size_t b = 0; b < kernel.buffers.size(); ++b) {
    if (kernel.buffers[b].name == name)
      return {static_cast<int>(b)};
    if (kernel.buffers[b].called == name)
      all.push_back(static_cast<int>(b));
  }
  return all;
}

std::string programName(const Kernel &kernel, const Buffer &b) {
  if (b.called.empty())
    return b.name;
  const std::vector<int> same = buffersCalled(kernel, b.called);
  return same.size() == 1 && kernel.buffers[static_cast<std::size_t>(same.front())].name == b.name ? b.called
                                                                                                   : b.name;
}

std::string programName(const Kernel &kernel, int buffer) {
  return programName(kernel, kernel.buffers[static_cast<std::size_t>(buffer)]);
}

} // namespace pbc::kernel
