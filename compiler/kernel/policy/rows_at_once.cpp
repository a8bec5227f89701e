// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/policy/rows_at_once.h"
#include "compiler/kernel/along.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/transform/lanes.h"
#include "compiler/kernel/transform/open_loops.h"
#include "compiler/kernel/transform/support.h"
#include <algorithm>
#include <fmt/format.h>

namespace pbc::kernel {
namespace {

/// Whether some innermost loop of the body waits from iteration to iteration for something that LLVM may not reorder.
bool waitsInBody(const Scheduled &kernel, const LoopNode &loop) {
  bool waits = false;
  visit(loop.band.child(0), [&](const isl::schedule_node &node) {
    const std::optional<LoopNode> inner = loopAt(node);
    if (!inner || isParallel(inner->band))
      return;
    const std::vector<int> statements = statementsBelow(kernel, *inner);
    waits |= !std::all_of(statements.begin(), statements.end(), [&](int s) {
      const Statement &one = kernel.statements[static_cast<std::size_t>(s)];
      const Scalar sum = kernel.buffers[one.accesses[one.write].buffer].element;
      return one.op == "+" && (kernel.reassociates || (sum != Scalar::F64 && sum != Scalar::F32));
    });
  });
  return waits;
}

/// Whether no matrix is accessed side by side along the loop, and some are row by row.
bool areRowsApart(const Scheduled &kernel, const LoopNode &loop) {
  const int y = memberDimension(kernel, loop.band);
  bool found = false;
  for (const int s : statementsBelow(kernel, loop)) {
    const Statement &one = kernel.statements[static_cast<std::size_t>(s)];
    for (const Access &a : one.accesses) {
      const Buffer &buffer = kernel.buffers[a.buffer];
      if (buffer.role == Buffer::Role::Local || buffer.rank == 0)
        continue;
      const auto step = along(kernel, a, y);
      if (!step || (*step == Along::Contiguous && buffer.rank > 1))
        return false;
      found |= *step == Along::Strided;
    }
  }
  return found;
}

} // namespace

Steps rowsAtOnce(const Scheduled &kernel, const LoopNode &innermost) {
  LoopNode rows = innermost;
  if (!isParallel(innermost.band)) {
    const std::vector<LoopNode> outside = around(innermost);
    if (outside.empty() || !isOverPoints(kernel, outside.front()) || !isParallel(outside.front().band))
      return {{}, fmt::format("a point needs the one before it along `{}`", innermost.label)};
    rows = outside.front();
  } else if (!waitsInBody(kernel, innermost))
    return {{}, fmt::format("no row along `{}` waits for its own cells", innermost.label)};
  if (!areRowsApart(kernel, rows))
    return {{}, fmt::format("what it accesses does not lie in rows along `{}`", rows.label)};
  if (std::string why = whyNoLanes(kernel, rows); !why.empty())
    return {{}, why};
  return {{script::step("lanes", {rows.label}, {kRowsAtOnce})}, ""};
}

} // namespace pbc::kernel
