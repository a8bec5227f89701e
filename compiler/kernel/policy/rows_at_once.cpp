// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/policy/rows_at_once.h"
#include "compiler/kernel/along.h"
#include "compiler/kernel/footprint.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/transform/lanes.h"
#include "compiler/kernel/transform/open_loops.h"
#include "compiler/kernel/transform/run.h"
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

/// Whether all loops of the body walk along rows of what they write, and down columns of some matrix that neighbouring points read beside
/// each other: how many of these a line of memory has; 0 if not.
long readsAcrossRows(const Scheduled &kernel, const LoopNode &points) {
  constexpr long kLineBytes = 64;
  const int x = memberDimension(kernel, points.band);
  long together = 0;
  bool isEach = x >= 0;
  visit(points.band.child(0), [&](const isl::schedule_node &node) {
    const std::optional<LoopNode> inner = loopAt(node);
    if (!inner)
      return;
    const int k = memberDimension(kernel, inner->band);
    isEach = isEach && k >= 0 && isParallel(inner->band);
    for (const int s : statementsBelow(kernel, *inner))
      for (const Access &a : kernel.statements[static_cast<std::size_t>(s)].accesses) {
        const Buffer &buffer = kernel.buffers[static_cast<std::size_t>(a.buffer)];
        if (!isEach || buffer.role == Buffer::Role::Local || buffer.rank < 2)
          continue;
        const auto across = along(kernel, a, x), down = along(kernel, a, k);
        isEach = across && down && (!a.isWrite || *down == Along::Contiguous);
        if (isEach && !a.isWrite && *across == Along::Contiguous && *down == Along::Strided)
          together = std::max(together, kLineBytes / static_cast<long>(bytesOf(buffer.element)));
      }
  });
  return isEach ? together : 0;
}

/// Whether the terms read rows of matrices, another row for each point.
bool readTermsInRows(const Scheduled &kernel, const LoopNode &points, const LoopNode &terms) {
  const int x = memberDimension(kernel, points.band), k = memberDimension(kernel, terms.band);
  if (x < 0 || k < 0)
    return false;
  bool found = false;
  for (const int s : statementsBelow(kernel, terms))
    for (const Access &a : kernel.statements[static_cast<std::size_t>(s)].accesses) {
      const Buffer &buffer = kernel.buffers[static_cast<std::size_t>(a.buffer)];
      if (buffer.role == Buffer::Role::Local || buffer.rank < 2)
        continue;
      const auto acrossPoints = along(kernel, a, x), acrossTerms = along(kernel, a, k);
      if (!acrossPoints || !acrossTerms || *acrossPoints == Along::Contiguous ||
          *acrossTerms == Along::Strided)
        return false;
      found |= *acrossPoints == Along::Strided;
    }
  return found;
}

/// Runs the step; false, and its sentence, if it does not apply.
bool add(Steps &made, Scheduled &kernel, const script::Step &step) {
  const StepOutcome outcome = run(step, kernel);
  if (!outcome.kernel) {
    made = {{}, outcome.problem.what};
    return false;
  }
  kernel = *outcome.kernel;
  made.steps.push_back(step);
  return true;
}

/// Blocks of points that wait for each other, whose terms before the block are added up side by side.
Steps pointsAtOnce(const Scheduled &kernel, const LoopNode &points) {
  std::vector<LoopNode> inside;
  for (const LoopNode &loop : innermostLoops(kernel))
    if (isAround(points, loop))
      inside.push_back(loop);
  if (inside.size() != 1 || around(inside.front()).front().label != points.label ||
      !readTermsInRows(kernel, points, inside.front()) || !waitsInBody(kernel, points))
    return {{}, fmt::format("a point needs the one before it along `{}`", points.label)};
  const std::string &x = points.label, &k = inside.front().label;
  Steps made;
  Scheduled now = kernel;
  script::Step blocks = script::step("tile", {x}, {kRowsAtOnce}), parts = script::step("fission", {x});
  blocks.results = {x + "_block", x};
  script::Step terms = script::step("peel", {k});
  script::with(terms, "along", script::name(x));
  if (!add(made, now, blocks) || !add(made, now, terms))
    return made;
  const StepOutcome apart = run(parts, now);
  if (!apart.kernel)
    return {{}, apart.problem.what};
  const std::size_t more = loopsOf(apart.kernel->schedule.tree).size() - loopsOf(now.schedule.tree).size();
  for (std::size_t part = 0; part <= more;
       ++part) // names that no other loop has, as steps for other loops run, too
    parts.results.push_back(fmt::format("{}_part{}", x, part + 1));
  if (!add(made, now, parts))
    return made;
  const LoopNode sums = around(*findLoop(now.schedule.tree, k)).front();
  if (!isParallel(sums.band))
    return {{}, fmt::format("the terms before a block of points along `{}` wait for each other", x)};
  if (std::string why = whyNoLanes(now, sums); !why.empty())
    return {{}, why};
  made.steps.push_back(script::step("lanes", {sums.label}, {kRowsAtOnce}));
  return made;
}

} // namespace

Steps rowsAtOnce(const Scheduled &kernel, const LoopNode &innermost) {
  LoopNode rows = innermost;
  if (!isParallel(innermost.band)) {
    const std::vector<LoopNode> outside = around(innermost);
    if (outside.empty() || !isOverPoints(kernel, outside.front()) || !isParallel(outside.front().band))
      return pointsAtOnce(kernel, innermost);
    rows = outside.front();
  } else if (!waitsInBody(kernel, innermost)) {
    if (const long together = readsAcrossRows(kernel, innermost);
        together > 0 && whyNoLanes(kernel, innermost).empty())
      return {{script::step("lanes", {innermost.label}, {together})}, ""};
    return {{}, fmt::format("no row along `{}` waits for its own cells", innermost.label)};
  }
  if (!areRowsApart(kernel, rows))
    return {{}, fmt::format("what it accesses does not lie in rows along `{}`", rows.label)};
  if (std::string why = whyNoLanes(kernel, rows); !why.empty())
    return {{}, why};
  return {{script::step("lanes", {rows.label}, {kRowsAtOnce})}, ""};
}

} // namespace pbc::kernel
