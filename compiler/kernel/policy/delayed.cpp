// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/policy/delayed.h"
#include "compiler/kernel/along.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/transform/open_loops.h"
#include "compiler/kernel/transform/run.h"
#include <algorithm>
#include <fmt/format.h>

namespace pbc::kernel {
namespace {

/// The cells of a row that are updated before the next row is: what they read that does not lie side by side is copied for all rows.
constexpr long kPackedCells = 256;

/// The loops that a step has made, innermost ones.
std::vector<LoopNode> newInnermost(const Scheduled &before, const Scheduled &now) {
  std::vector<LoopNode> all;
  for (const LoopNode &loop : innermostLoops(now))
    if (!findLoop(before.schedule.tree, loop.label))
      all.push_back(loop);
  return all;
}

/// The matrices of which neighbours along the loop read cells that lie apart, once for each such read.
std::vector<std::string> readApart(const Scheduled &kernel, const LoopNode &loop) {
  std::vector<std::string> all;
  const int x = memberDimension(kernel, loop.band);
  for (const int s : statementsBelow(kernel, loop))
    for (const Access &a : kernel.statements[static_cast<std::size_t>(s)].accesses)
      if (const Buffer &b = kernel.buffers[static_cast<std::size_t>(a.buffer)];
          isMatrix(b) && !a.isWrite && along(kernel, a, x) == Along::Strided)
        all.push_back(b.name);
  return all;
}

/// Adds the step; false if it does not apply.
bool follows(Steps &made, Scheduled &now, script::Step step) {
  const StepOutcome outcome = run(step, now);
  if (!outcome.kernel)
    return false;
  now = *outcome.kernel;
  made.steps.push_back(std::move(step));
  return true;
}

/// Copies of what the loop's iterations read far apart, so that all rows of a block of the loop read it side by side.
void packSteps(Steps &made, Scheduled &now, const std::string &x) {
  const std::vector<std::string> outside = loopsAround(*findLoop(now.schedule.tree, x));
  const std::vector<std::string> apart = readApart(now, *findLoop(now.schedule.tree, x));
  if (apart.empty() || outside.empty() || !isParallel(findLoop(now.schedule.tree, outside.back())->band))
    return;
  Steps tried = made;
  Scheduled packed = now;
  const std::string block = freshLabel(now.schedule.tree, x + "t");
  script::Step tile = script::step("tile", {outside.back(), x}, {0, kPackedCells});
  tile.results = {block, x};
  if (!follows(tried, packed, tile))
    return;
  for (std::size_t left = apart.size(), way = 1; left > 0 && way <= 2 * apart.size();) {
    const std::string matrix = readApart(packed, *findLoop(packed.schedule.tree, x)).front();
    script::Step copy = script::step("stage", {matrix});
    script::with(copy, "at", script::name(block));
    script::with(copy, "layout", script::name("transposed"));
    script::with(copy, "access", script::number(static_cast<long>(way)));
    Steps more = tried;
    Scheduled next = packed;
    const std::size_t then =
        follows(more, next, copy) ? readApart(next, *findLoop(next.schedule.tree, x)).size() : left;
    if (then == left) {
      ++way;
      continue;
    }
    tried = std::move(more), packed = std::move(next);
    left = then, way = 1;
  }
  if (readApart(packed, *findLoop(packed.schedule.tree, x)).empty())
    made = std::move(tried), now = std::move(packed);
}

/// The step itself and what follows from it.
Steps delayedBy(const Scheduled &kernel, const script::Step &step) {
  const StepOutcome outcome = run(step, kernel);
  if (!outcome.kernel)
    return {{}, outcome.problem.what};
  Steps made{{step}, ""};
  Scheduled now = *outcome.kernel;
  for (const LoopNode &x : newInnermost(kernel, now)) {
    const int d = memberDimension(now, x.band);
    for (const int s : statementsBelow(now, x))
      if (!isParallel(x.band) || contiguousVariable(now, now.statements[static_cast<std::size_t>(s)]) != d)
        return {{}, fmt::format("the cells that are updated do not lie side by side along `{}`", x.label)};
  }
  for (const LoopNode &x : newInnermost(kernel, now))
    packSteps(made, now, x.label);
  made.kernel = std::move(now);
  return made;
}

/// How many steps are taken at once, the best number first.
constexpr long kSteps[] = {8, 4};

script::Script delaysOf(const Scheduled &kernel) {
  return findTransformation("delay")->alternatives(kernel, {});
}

} // namespace

bool hasUpdates(const Scheduled &kernel) { return !delaysOf(kernel).empty(); }

Steps delaySteps(const Scheduled &kernel) {
  Steps made;
  for (const script::Step &step : delaysOf(kernel))
    if (made = delayedBy(kernel, step); !made.steps.empty())
      break;
  return made;
}

Steps delaySteps(const Scheduled &kernel, const std::string &loop) {
  Steps made;
  for (const long steps : kSteps)
    if (made = delayedBy(kernel, script::step("delay", {loop}, {steps})); !made.steps.empty())
      break;
  return made;
}

} // namespace pbc::kernel
