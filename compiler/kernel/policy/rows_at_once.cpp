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
#include <cstdlib>
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

/// Whether the statement accesses the same cell in all iterations of each loop below this one that is around it.
bool staysBelow(const Scheduled &kernel, const LoopNode &loop, int statement, const Access &a) {
  bool stays = true, isInside = false;
  visit(loop.band.child(0), [&](const isl::schedule_node &node) {
    const std::optional<LoopNode> inner = loopAt(node);
    if (!inner)
      return;
    const std::vector<int> below = statementsBelow(kernel, *inner);
    if (std::find(below.begin(), below.end(), statement) == below.end())
      return;
    const auto along = memberDirection(kernel.statements[static_cast<std::size_t>(statement)], inner->band);
    isInside = true;
    stays = stays && along && kernel::along(kernel, a, along->dimension) == Along::Nowhere;
  });
  return stays && isInside;
}

/// Whether no matrix is accessed side by side along the loop, but for sums that stay where they are, and some are row by row.
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
      if (!step || (*step == Along::Contiguous && buffer.rank > 1 && !staysBelow(kernel, loop, s, a)))
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

/// Whether the access goes along a row of its matrix, in either direction.
bool isAlongRow(const Kernel &kernel, const Access &a, int d) {
  for (int c = 1; c < kernel.buffers[static_cast<std::size_t>(a.buffer)].rank; ++c)
    if (coefficient(a, c, d) != 0)
      return false;
  return std::abs(coefficient(a, 0, d)) == 1;
}

/// Whether the terms read rows of matrices, another row for each point.
bool readTermsInRows(const Scheduled &kernel, const LoopNode &points, const LoopNode &terms) {
  bool found = false;
  for (const int s : statementsBelow(kernel, terms)) {
    const Statement &one = kernel.statements[static_cast<std::size_t>(s)];
    const auto ofPoints = memberDirection(one, points.band), ofTerms = memberDirection(one, terms.band);
    if (!ofPoints || !ofTerms)
      return false;
    for (const Access &a : one.accesses) {
      const Buffer &buffer = kernel.buffers[static_cast<std::size_t>(a.buffer)];
      if (buffer.role == Buffer::Role::Local || buffer.rank < 2)
        continue;
      const auto acrossPoints = along(kernel, a, ofPoints->dimension),
                 acrossTerms = along(kernel, a, ofTerms->dimension);
      if (!acrossPoints || !acrossTerms)
        return false;
      if (*acrossTerms == Along::Nowhere || *acrossPoints == Along::Nowhere)
        continue; // a sum in a matrix, or what all points read
      if (isAlongRow(kernel, a, ofPoints->dimension) || !isAlongRow(kernel, a, ofTerms->dimension))
        return false;
      found = true;
    }
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
  LoopNode sums = around(*findLoop(now.schedule.tree, k)).front();
  if (!isParallel(sums.band))
    return {{}, fmt::format("the terms before a block of points along `{}` wait for each other", x)};
  if (memberDimension(now, sums.band) < 0) { // lanes count upwards
    if (!add(made, now, script::step("reverse", {sums.label})))
      return made;
    sums = *findLoop(now.schedule.tree, sums.label);
  }
  if (std::string why = whyNoLanes(now, sums); !why.empty())
    return {{}, why};
  made.steps.push_back(script::step("lanes", {sums.label}, {kRowsAtOnce}));
  return made;
}

/// Whether the loop is over points of each rule below it, whatever variable of a rule that is.
bool isOverPointsOfRules(const Scheduled &kernel, const LoopNode &loop) {
  const std::vector<int> statements = statementsBelow(kernel, loop);
  return std::all_of(statements.begin(), statements.end(), [&](int s) {
    const Statement &one = kernel.statements[static_cast<std::size_t>(s)];
    const auto direction = memberDirection(one, loop.band);
    return direction && direction->dimension < one.freeCount;
  });
}

/// The loop over points in which the terms of sums, points of a rule themselves, are added up; nothing if the loop is over no such terms.
std::optional<LoopNode> pointsOfSums(const Scheduled &kernel, const LoopNode &terms) {
  const std::vector<LoopNode> outside = around(terms);
  if (outside.empty() || isParallel(outside.front().band) || !isOverPointsOfRules(kernel, outside.front()) ||
      !isOverPointsOfRules(kernel, terms))
    return std::nullopt;
  const std::vector<int> statements = statementsBelow(kernel, terms);
  const bool areSums = std::all_of(statements.begin(), statements.end(), [&](int s) {
    const Statement &one = kernel.statements[static_cast<std::size_t>(s)];
    return along(kernel, one.accesses[one.write], memberDirection(one, terms.band)->dimension) ==
           Along::Nowhere;
  });
  return areSums ? std::optional(outside.front()) : std::nullopt;
}

} // namespace

Steps rowsAtOnce(const Scheduled &kernel, const LoopNode &innermost) {
  LoopNode rows = innermost;
  if (!isParallel(innermost.band)) {
    const std::vector<LoopNode> outside = around(innermost);
    if (const auto points = pointsOfSums(kernel, innermost))
      return pointsAtOnce(kernel, *points);
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
