// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emulate/hoist.h"
#include <cstddef>
#include <utility>

namespace pbc::emulate {

std::vector<int> hoist(Trace &trace, const std::map<int, int> &hoisted) {
  const Trace before = std::exchange(trace, {});
  trace.registers = before.registers;
  trace.regions = before.regions;
  trace.loops = before.loops;
  std::vector<int> places(before.instructions.size(), 0);
  const auto put = [&](std::size_t k) {
    places[k] = static_cast<int>(trace.instructions.size());
    trace.instructions.push_back(before.instructions[k]);
  };
  for (std::size_t k = 0; k <= before.instructions.size(); ++k) {
    for (std::size_t l = 0; l < before.loops.size(); ++l)
      if (before.loops[l].end == static_cast<int>(k))
        trace.loops[l].end = static_cast<int>(trace.instructions.size());
    for (std::size_t l = 0; l < before.loops.size(); ++l)
      if (before.loops[l].first == static_cast<int>(k)) {
        for (const auto &[instruction, loop] : hoisted)
          if (loop == static_cast<int>(l))
            put(static_cast<std::size_t>(instruction));
        trace.loops[l].first = static_cast<int>(trace.instructions.size());
      }
    if (k < before.instructions.size() && !hoisted.contains(static_cast<int>(k)))
      put(k);
  }
  return places;
}

} // namespace pbc::emulate
