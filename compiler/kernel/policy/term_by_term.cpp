// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/policy/term_by_term.h"
#include "compiler/kernel/along.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/loops.h"
#include "compiler/kernel/policy/delayed.h"
#include "compiler/kernel/transform/open_loops.h"
#include "compiler/kernel/transform/run.h"
#include "compiler/kernel/transform/support.h"
#include <algorithm>
#include <fmt/format.h>

namespace pbc::kernel {

namespace {

/// So many sums, with what several rows add to them, leave each other room in the first cache; parts of rows are still long enough to be
/// fetched ahead.
constexpr long kSumsAtOnce = 1024;

/// Whether each point of a vector takes its terms from a column of a matrix. Where there are no other points that read the column, the matrix
/// is read row by row, and not in strips that meet a page in each row.
bool readsColumns(const Scheduled &kernel, const LoopNode &points, const LoopNode &terms) {
  const int x = memberDimension(kernel, points.band), k = memberDimension(kernel, terms.band);
  if (x != 0 || k < 0)
    return false;
  bool found = false;
  for (const int s : statementsBelow(kernel, terms))
    for (const Access &a : kernel.statements[static_cast<std::size_t>(s)].accesses)
      if (isMatrix(kernel.buffers[static_cast<std::size_t>(a.buffer)]))
        found |= along(kernel, a, x) == Along::Contiguous && along(kernel, a, k) == Along::Strided;
  return found;
}

std::string labelIn(const script::Step &step, std::size_t operand) {
  return std::get<script::Name>(step.operands[operand].what).text;
}

/// Sums over several loops: their points, and the outermost loop over terms.
script::Script ofSeveralLoops(const Scheduled &kernel) {
  script::Script all;
  for (const LoopNode &loop : innermostLoops(kernel)) {
    const std::vector<LoopNode> outside = around(loop);
    const auto points = std::find_if(outside.begin(), outside.end(),
                                     [&](const LoopNode &one) { return isOverPoints(kernel, one); });
    if (!isOverPoints(kernel, loop) && points != outside.end() && points != outside.begin())
      all.push_back(script::step("term_by_term", {points->label, std::prev(points)->label}));
  }
  return all;
}

/// Brings the loop over points inside of the loops over terms that are below it; nothing if there are none.
std::optional<script::Step> pointsInside(const LoopNode &points) {
  const std::vector<LoopNode> nest = nestFrom(points);
  if (nest.size() < 2)
    return std::nullopt;
  std::vector<std::string> order;
  for (const LoopNode &loop : nest)
    order.push_back(loop.label);
  std::rotate(order.begin(), order.begin() + 1, order.end());
  return script::step("order", order);
}

/// Adds steps after which all points add up a term after the other in arrays of their own, for sums that the cells which they write cannot
/// hold. Nothing, or why there are none.
std::string addInArrays(Steps &all, const Scheduled &kernel, const std::string &points) {
  const script::Step fission = script::step("fission", {points});
  const StepOutcome apart = run(fission, kernel);
  if (!apart.kernel)
    return apart.problem.what;
  script::Script orders;
  for (const script::Step &sum : termByTermCandidates(*apart.kernel)) {
    const LoopNode ofPoints = *findLoop(apart.kernel->schedule.tree, labelIn(sum, 0)),
                   terms = *findLoop(apart.kernel->schedule.tree, labelIn(sum, 1));
    if (isParallel(ofPoints.band) && readsColumns(*apart.kernel, ofPoints, terms))
      if (const auto inside = pointsInside(ofPoints))
        orders.push_back(*inside);
  }
  if (orders.empty())
    return "the loops of its terms stay inside of those over points";
  all.steps.push_back(fission);
  all.steps.insert(all.steps.end(), orders.begin(), orders.end());
  return "";
}

/// The steps for points whose terms lie in columns: parts of rows, one below the other, are added to as many sums, which stay in a cache.
Steps downColumns(const Scheduled &kernel, const script::Step &step, const LoopNode &points) {
  script::Step block = script::step("tile", {points.label}, {kSumsAtOnce});
  block.results = {freshLabel(kernel.schedule.tree, points.label + "_block"), points.label};
  const StepOutcome blocks = run(block, kernel);
  if (!blocks.kernel)
    return {{}, blocks.problem.what};
  Steps all{{block}, ""};
  if (const StepOutcome made = run(step, *blocks.kernel); made.kernel) {
    all.steps.push_back(step);
    if (const auto inside = pointsInside(*findLoop(made.kernel->schedule.tree, points.label)))
      all.steps.push_back(*inside);
  } else if (std::string why = addInArrays(all, *blocks.kernel, points.label); !why.empty())
    return {{}, std::move(why)};
  return all;
}

} // namespace

script::Script termByTermCandidates(const Scheduled &kernel) {
  script::Script all = findTransformation("term_by_term")->alternatives(kernel, {});
  const script::Script more = ofSeveralLoops(kernel);
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

Steps termByTermSteps(const Scheduled &kernel, const script::Step &step) {
  const std::string points = labelIn(step, 0), terms = labelIn(step, 1);
  const auto ofPoints = findLoop(kernel.schedule.tree, points),
             ofTerms = findLoop(kernel.schedule.tree, terms);
  if (!ofPoints || !ofTerms)
    return {{}, "the sum before it has taken its loops apart"};
  const LoopNode &outer = *ofPoints;
  if (isParallel(outer.band))
    return around(outer).empty() && readsColumns(kernel, outer, *ofTerms)
               ? downColumns(kernel, step, outer)
               : Steps{{}, fmt::format("no point along `{}` waits for another one", points)};
  const StepOutcome made = run(step, kernel);
  if (!made.kernel)
    return {{}, made.problem.what};
  const LoopNode inner = *findLoop(made.kernel->schedule.tree, points);
  if (pointsInside(inner))
    return {{}, fmt::format("there is a loop below that over `{}`", terms)};
  if (!isParallel(inner.band))
    return {{}, fmt::format("a term along `{}` needs the one before it", points)};
  const int x = memberDimension(*made.kernel, inner.band);
  for (const int s : statementsBelow(*made.kernel, inner))
    for (const Access &a : made.kernel->statements[static_cast<std::size_t>(s)].accesses)
      if (made.kernel->buffers[static_cast<std::size_t>(a.buffer)].role != Buffer::Role::Local)
        if (const auto step = along(*made.kernel, a, x); !step || *step == Along::Strided)
          return {{}, fmt::format("what its terms access lies far apart along `{}`", points)};
  Steps all{{step}, ""};
  const std::vector<int> updates = statementsBelow(*made.kernel, inner);
  if (std::any_of(updates.begin(), updates.end(),
                  [&](int s) { return made.kernel->statements[static_cast<std::size_t>(s)].op.empty(); }))
    return all; // largest values and the like are limited by their operations, not by the cells that they change
  // Sums that lie side by side go through memory once for several terms.
  const Steps late = delaySteps(*made.kernel, terms);
  all.steps.insert(all.steps.end(), late.steps.begin(), late.steps.end());
  return all;
}

} // namespace pbc::kernel
