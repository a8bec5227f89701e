// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emulate/list_schedule.h"
#include <algorithm>
#include <cstddef>
#include <numeric>

namespace pbc::emulate {
namespace {

bool share(const std::vector<int> &a, const std::vector<int> &b) {
  return std::any_of(a.begin(), a.end(), [&](int r) { return std::find(b.begin(), b.end(), r) != b.end(); });
}

/// Whether the second one may come first.
bool mayPass(const Instruction &first, const Instruction &second) {
  return !first.isBarrier && !share(first.writes, second.reads) && !share(first.writes, second.writes) &&
         !share(first.reads, second.writes);
}

} // namespace

Trace withEarlyLoads(const Trace &trace, const std::vector<bool> &isLoad, const std::vector<bool> &isStore,
                     int window) {
  std::vector<bool> begins(trace.instructions.size() + 1, false); // a part without loops' begins and ends
  for (const Repeat &loop : trace.loops)
    begins[static_cast<std::size_t>(loop.first)] = begins[static_cast<std::size_t>(loop.end)] = true;
  std::vector<std::size_t> order(trace.instructions.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t k = 0; k < order.size(); ++k) {
    const std::size_t moved = order[k];
    if (!isLoad[moved])
      continue;
    std::size_t to = k;
    int passed = 0;
    while (to > 0 && !begins[to]) {
      const std::size_t before = order[to - 1];
      passed += trace.instructions[before].count;
      if (passed > window || isLoad[before] || isStore[before] ||
          !mayPass(trace.instructions[before], trace.instructions[moved]))
        break;
      --to;
    }
    std::rotate(order.begin() + static_cast<std::ptrdiff_t>(to),
                order.begin() + static_cast<std::ptrdiff_t>(k),
                order.begin() + static_cast<std::ptrdiff_t>(k) + 1);
  }
  Trace made = trace;
  for (std::size_t k = 0; k < order.size(); ++k)
    made.instructions[k] = trace.instructions[order[k]];
  return made;
}

} // namespace pbc::emulate
