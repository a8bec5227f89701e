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

/// Whether each point of a vector takes its terms from a column of a matrix, which no other point reads: then the matrix is read row by
/// row, and not in strips that meet a page in each row.
bool readsColumnsOnce(const Scheduled &kernel, const LoopNode &points, const LoopNode &terms) {
  const int x = memberDimension(kernel, points.band), k = memberDimension(kernel, terms.band);
  if (x != 0 || k < 0 || !around(points).empty())
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

/// Steps after which all points add up a term after the other in arrays of their own, where the cells that they write cannot hold the sums.
Steps inArrays(const Scheduled &kernel, const std::string &points) {
  Steps all{{script::step("fission", {points})}, ""};
  const StepOutcome apart = run(all.steps.back(), kernel);
  if (!apart.kernel)
    return {{}, apart.problem.what};
  for (const script::Step &sum : termByTermCandidates(*apart.kernel)) {
    const LoopNode ofPoints = *findLoop(apart.kernel->schedule.tree, labelIn(sum, 0)),
                   terms = *findLoop(apart.kernel->schedule.tree, labelIn(sum, 1));
    if (isParallel(ofPoints.band) && readsColumnsOnce(*apart.kernel, ofPoints, terms))
      all.steps.push_back(script::step("order", {terms.label, ofPoints.label}));
  }
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
  if (isParallel(outer.band) && !readsColumnsOnce(kernel, outer, *ofTerms))
    return {{}, fmt::format("no point along `{}` waits for another one", points)};
  const StepOutcome made = run(step, kernel);
  if (!made.kernel)
    return isParallel(outer.band) ? inArrays(kernel, points) : Steps{{}, made.problem.what};
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
  if (isParallel(outer.band))
    return all; // several rows of the matrix at once would push each other out of the first cache
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
