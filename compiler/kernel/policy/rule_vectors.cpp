// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/policy/rule_vectors.h"
#include "compiler/kernel/along.h"
#include "compiler/kernel/body_length.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/policy/rows_at_once.h"
#include "compiler/kernel/transform/lanes.h"
#include "compiler/kernel/transform/open_loops.h"
#include "compiler/kernel/transform/support.h"
#include "compiler/kernel/transform/unroll.h"
#include "compiler/kernel/transform/vector.h"
#include <algorithm>
#include <fmt/format.h>

namespace pbc::kernel {
namespace {

std::vector<LoopNode> loopsInside(const LoopNode &loop) {
  std::vector<LoopNode> inside;
  visit(loop.band.child(0), [&](const isl::schedule_node &node) {
    if (auto inner = loopAt(node))
      inside.push_back(std::move(*inner));
  });
  return inside;
}

/// The loops over points that have no other one inside.
std::vector<LoopNode> innermostOverPoints(const Scheduled &kernel) {
  std::vector<LoopNode> innermost;
  for (const LoopNode &loop : loopsOf(kernel.schedule.tree)) {
    const std::vector<LoopNode> inside = loopsInside(loop);
    if (isOverPoints(kernel, loop) && std::none_of(inside.begin(), inside.end(), [&](const LoopNode &inner) {
          return isOverPoints(kernel, inner);
        }))
      innermost.push_back(loop);
  }
  return innermost;
}

/// Whether what is written below the loop lies side by side along it.
bool isContiguous(const Scheduled &kernel, const LoopNode &loop, const std::vector<int> &statements) {
  const int x = memberDimension(kernel, loop.band);
  bool found = false;
  for (const int s : statements) {
    const int along = contiguousVariable(kernel, kernel.statements[static_cast<std::size_t>(s)]);
    if (along >= 0 && along != x)
      return false;
    found |= along == x;
  }
  return found;
}

/// Whether the loops of the body are so short that they are written out.
bool isShort(const Scheduled &kernel, const std::vector<LoopNode> &bodyLoops) {
  long all = 1;
  for (const LoopNode &loop : bodyLoops) {
    all *= tripCount(kernel, loop).value_or(kShortBody + 1);
    if (all > kShortBody || !whyNotUnrolled(kernel, loop).empty())
      return false;
  }
  return true;
}

} // namespace

bool hasSeveralNests(const Scheduled &kernel) { return innermostOverPoints(kernel).size() > 1; }

Steps vectorsOfRules(const Scheduled &kernel) {
  std::vector<std::string> unrolled, vectors;
  script::Script together; // of several points
  std::string why = "it has no loops over points";
  for (const LoopNode &loop : innermostOverPoints(kernel)) {
    const std::vector<int> statements = statementsBelow(kernel, loop);
    const std::vector<LoopNode> bodyLoops = loopsInside(loop);
    if (!isParallel(loop.band) || !isContiguous(kernel, loop, statements)) {
      const Steps rows = rowsAtOnce(kernel, loop);
      why = rows.why;
      together.insert(together.end(), rows.steps.begin(), rows.steps.end());
    } else if (!isShort(kernel, bodyLoops)) {
      if (std::string whyNot = whyNoLanes(kernel, loop); !whyNot.empty())
        why = std::move(whyNot);
      else
        together.push_back(script::step("lanes", {loop.label}));
    } else if (std::string whyNot = whySharedScratch(kernel, loop); !whyNot.empty())
      why = std::move(whyNot);
    else {
      vectors.push_back(loop.label);
      for (const LoopNode &inner : bodyLoops)
        unrolled.push_back(inner.label);
    }
  }
  Steps made{{}, why};
  if (!unrolled.empty())
    made.steps.push_back(script::step("unroll", unrolled));
  if (!vectors.empty())
    made.steps.push_back(script::step("vector", vectors));
  made.steps.insert(made.steps.end(), together.begin(), together.end());
  if (!made.steps.empty())
    made.why.clear();
  return made;
}

} // namespace pbc::kernel
