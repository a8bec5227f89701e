#include "compiler/kernel/vectorise.h"
#include "compiler/kernel/along.h"
#include "compiler/kernel/lanes.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/tree.h"
#include "compiler/kernel/unroll.h"
#include <algorithm>
#include <isl/aff.h>
#include <isl/schedule.h>

namespace pbc::kernel {
Outcome vectorise(const Kernel &kernel) {
  int x = -1;
  for (const Statement &s : kernel.statements) {
    if (s.isOpaque)
      return {std::nullopt, "its body is a call of C++ code"};
    const int here = contiguousVariable(kernel, s);
    if (here < 0)
      continue;
    if (x >= 0 && here != x)
      return {std::nullopt, "its outputs are contiguous in different variables"};
    x = here;
  }
  if (x < 0)
    return {std::nullopt, "no variable runs along what it writes"};
  Kernel split = kernel;
  split.schedule = splitBands(kernel.schedule);
  std::string why =
      "its loop over " + kernel.statements.front().dimensions[x] + " is not the innermost one over points";
  bool found = false;
  isl::schedule_node band;
  visit(isl::manage(isl_schedule_get_root(split.schedule.get())), [&](const isl::schedule_node &node) {
    if (!isBand(node))
      return;
    const int d = memberDimension(split, node);
    const Statement &s = split.statements[statementIndex(split, statementsAt(node).front())];
    if (d >= s.freeCount)
      return;
    found = d == x; // the last band over a free variable decides
    band = node;
  });
  if (!found)
    return {std::nullopt, why};
  if (!isParallel(band, 0, kernel.dependences, false))
    return {std::nullopt, "a point needs the one before it along " + kernel.statements.front().dimensions[x]};
  if (Outcome unrolled = unrollBodies(split, kShortBody); unrolled.kernel) {
    Kernel marked = *unrolled.kernel;
    // Of other rules in the group, too, where theirs is parallel.
    marked.schedule = mapBottomUp(marked.schedule, [&](const isl::schedule_node &node) {
      return isBand(node) && memberDimension(marked, node) == x &&
                     isParallel(node, 0, kernel.dependences, false)
                 ? insertMark(node, "vector")
                 : node;
    });
    return {marked, ""};
  }
  return spreadOverLanes(split, band, x);
}

} // namespace pbc::kernel
