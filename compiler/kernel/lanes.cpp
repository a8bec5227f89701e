// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/lanes.h"
#include "compiler/kernel/along.h"
#include "compiler/kernel/footprint.h"
#include "compiler/kernel/tree.h"
#include <algorithm>
#include <isl/schedule.h>
#include <isl/set.h>

namespace pbc::kernel {
namespace {

// Four vectors of 512 bits, or eight of 256: enough independent additions to hide their latency, and they fit
// into the registers.
constexpr long kGroupBytes = 256;

} // namespace

Outcome spreadOverLanes(const Scheduled &kernel, const isl::schedule_node &band, int x, long group) {
  std::vector<int> statements;
  for (const std::string &name : statementsAt(band))
    statements.push_back(statementIndex(kernel, name));
  const int rule = kernel.statements[statements.front()].rule;
  for (int s : statements)
    if (kernel.statements[s].rule != rule)
      return {std::nullopt, "two rules share its innermost loop"};
  for (const Buffer &b : kernel.buffers)
    if (b.role == Buffer::Role::Local && b.lanes > 0)
      return {std::nullopt, "its scalars are arrays already"};
  // A body loop whose bounds depend on x would give every lane a loop of its own.
  for (int k : statements) {
    const Statement &s = kernel.statements[k];
    for (int d = s.freeCount; d < static_cast<int>(s.dimensions.size()); ++d)
      if (boundsMoveWith(s.domain, d, x))
        return {std::nullopt,
                "the length of the loop over " + s.dimensions[d] + " depends on " + s.dimensions[x]};
  }
  unsigned widest = 4;
  for (int k : statements)
    for (const Access &a : kernel.statements[k].accesses)
      widest = std::max(widest, bytesOf(kernel.buffers[a.buffer].element));
  Scheduled changed = kernel;
  if (group == 0)
    group = kGroupBytes / widest;
  for (Buffer &b : changed.buffers)
    if (b.role == Buffer::Role::Local)
      b.lanes = group;
  const isl::schedule_node marked = insertMark(band, as::Lanes{group});
  changed.schedule.tree = isl::manage(isl_schedule_node_get_schedule(marked.get()));
  return {changed, ""};
}

} // namespace pbc::kernel
