// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/group_memory.h"
#include "compiler/kernel/kernel.h"
#include <map>

namespace pbc::kernel {

std::string_view nameOf(Half half) { return half == Half::Lower ? "lower" : "upper"; }

std::vector<SizeOfBuild> sizesOfBuild(const Kernel &kernel) {
  std::map<std::string, long> least;
  for (const Buffer &b : kernel.buffers)
    for (const GroupDimension &d : b.ofGroup)
      for (const SizeTerm &term : d.sizes) {
        long &known = least.try_emplace(term.size, 0).first->second;
        if (d.extent < 1) // as of a window of `k` cells, or of 2 * k - 1
          known = 1;
      }
  std::vector<SizeOfBuild> all;
  for (const auto &[size, value] : least)
    all.push_back({size, value});
  return all;
}

} // namespace pbc::kernel
