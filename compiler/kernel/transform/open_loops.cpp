// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/open_loops.h"
#include "compiler/kernel/footprint.h"
#include <algorithm>
#include <set>

namespace pbc::kernel {
namespace {

bool isOpen(const Scheduled &kernel, const LoopNode &loop) {
  return !loop.how && memberDimension(kernel, loop.band) >= 0;
}

} // namespace

std::vector<OpenNest> openNests(const Scheduled &kernel) {
  std::vector<OpenNest> all;
  std::set<std::string> seen;
  for (const LoopNode &first : loopsOf(kernel.schedule.tree)) {
    if (seen.count(first.label))
      continue;
    OpenNest nest;
    const auto close = [&](bool isInTiles) {
      if (!nest.loops.empty())
        all.push_back(std::move(nest));
      nest = {{}, isInTiles};
    };
    for (LoopNode &loop : nestFrom(first)) {
      seen.insert(loop.label);
      if (isOpen(kernel, loop))
        nest.loops.push_back(std::move(loop));
      else
        close(true);
    }
    close(false);
  }
  return all;
}

bool computesPoints(const Scheduled &kernel) {
  const std::vector<LoopNode> all = loopsOf(kernel.schedule.tree);
  return std::any_of(all.begin(), all.end(), [](const LoopNode &loop) {
    return loop.how && !std::holds_alternative<as::Unroll>(*loop.how);
  });
}

std::vector<LoopNode> innermostLoops(const Scheduled &kernel) {
  std::vector<LoopNode> all;
  for (const LoopNode &loop : loopsOf(kernel.schedule.tree)) {
    int inside = 0;
    visit(loop.band, [&](const isl::schedule_node &node) { inside += loopAt(node).has_value(); });
    if (inside == 0 && !loop.how)
      all.push_back(loop);
  }
  return all;
}

bool isOverPoints(const Scheduled &kernel, const LoopNode &loop) {
  const int d = memberDimension(kernel, loop.band);
  return d >= 0 &&
         d < kernel.statements[static_cast<std::size_t>(statementsBelow(kernel, loop).front())].freeCount;
}

long bytesOfPoint(const Kernel &kernel) {
  long bytes = 0;
  for (const Buffer &b : kernel.buffers)
    if (isMatrix(b))
      bytes += bytesOf(b.element);
  return bytes;
}

} // namespace pbc::kernel
