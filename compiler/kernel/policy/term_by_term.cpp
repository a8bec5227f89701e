// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/policy/term_by_term.h"
#include "compiler/kernel/along.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/loops.h"
#include "compiler/kernel/policy/delayed.h"
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
      orders.push_back(script::step("order", {terms.label, ofPoints.label}));
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
  if (run(step, *blocks.kernel).kernel)
    all.steps.push_back(step);
  else if (std::string why = addInArrays(all, *blocks.kernel, points.label); !why.empty())
    return {{}, std::move(why)};
  return all;
}

} // namespace

script::Script termByTermCandidates(const Scheduled &kernel) {
  return findTransformation("term_by_term")->alternatives(kernel, {});
}

Steps termByTermSteps(const Scheduled &kernel, const script::Step &step) {
  const std::string points = labelIn(step, 0), terms = labelIn(step, 1);
  const auto ofPoints = findLoop(kernel.schedule.tree, points),
             ofTerms = findLoop(kernel.schedule.tree, terms);
  if (!ofPoints || !ofTerms)
    return {{}, "the sum before it has taken its loops apart"};
  const LoopNode outer = *ofPoints;
  if (isParallel(outer.band))
    return around(outer).empty() && readsColumns(kernel, outer, *ofTerms)
               ? downColumns(kernel, step, outer)
               : Steps{{}, fmt::format("no point along `{}` waits for another one", points)};
  const StepOutcome made = run(step, kernel);
  if (!made.kernel)
    return {{}, made.problem.what};
  const LoopNode inner = *findLoop(made.kernel->schedule.tree, points);
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
