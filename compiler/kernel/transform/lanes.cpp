// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/lanes.h"
#include "compiler/kernel/along.h"
#include "compiler/kernel/footprint.h"
#include "compiler/kernel/iterations.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/transform/open_loops.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/aff.h>
#include <set>

namespace pbc::kernel {
namespace {

// Four vectors of 512 bits, or eight of 256: enough independent additions to hide their latency, and they fit
// into the registers.
constexpr long kGroupBytes = 256;

/// Whether the loop has the same steps in each iteration of the one around it.
bool isAlike(const LoopNode &inner, const LoopNode &loop) {
  const Alike steps = alike(inner, loop);
  return steps.before.is_empty() && steps.after.is_empty();
}

/// A loop inside of `loop` whose bounds move with it: it would run differently in each lane. "" if there is none. Where the
/// loop is tiled, bounds that move from tile to tile are the same for all lanes of one.
std::string movingLoop(const Scheduled &kernel, const LoopNode &loop) {
  std::string why;
  visit(loop.band.child(0), [&](const isl::schedule_node &node) {
    const std::optional<LoopNode> inner = loopAt(node);
    if (inner && why.empty() && boundsMove(kernel, *inner, loop) && !isAlike(*inner, loop))
      why = fmt::format("the length of the loop over `{}` depends on `{}`", inner->label, loop.label);
  });
  return why;
}

/// The loop around this one, or inside of it, that runs in lanes: a statement has one number of a lane.
std::string otherLanes(const LoopNode &loop) {
  std::vector<LoopNode> others = around(loop);
  visit(loop.band, [&](const isl::schedule_node &node) {
    if (auto inner = loopAt(node))
      others.push_back(std::move(*inner));
  });
  const auto found = std::find_if(others.begin(), others.end(), [](const LoopNode &other) {
    return other.how && std::holds_alternative<as::Lanes>(*other.how);
  });
  return found == others.end() ? "" : found->label;
}

} // namespace

std::string whyNoLanes(const Scheduled &kernel, const LoopNode &loop) {
  if (const std::string other = otherLanes(loop); !other.empty())
    return fmt::format("the loop over `{}` runs in groups of lanes already", other);
  if (std::string why = whySharedScratch(kernel, loop); !why.empty())
    return why;
  const std::vector<int> statements = statementsBelow(kernel, loop);
  const Statement &first = kernel.statements[statements.front()];
  const int x = memberDimension(kernel, loop.band);
  if (x < 0 || x >= first.freeCount)
    return fmt::format("the loop over `{}` does not run over points one by one", loop.label);
  for (const int s : statements) {
    if (kernel.statements[s].isOpaque)
      return "its body is a call of C++ code";
    if (kernel.statements[s].freeCount != first.freeCount)
      return "rules with other loops over points share its innermost loop";
  }
  if (!isParallel(loop.band))
    return fmt::format("a point needs the one before it along `{}`", loop.label);
  if (std::string why = whyNotCounting(kernel, loop); !why.empty())
    return why;
  return movingLoop(kernel, loop);
}

namespace {

/// The bytes of the widest number that the statements use.
unsigned widestOf(const Kernel &kernel, const std::vector<int> &statements) {
  unsigned widest = 4;
  for (const int k : statements)
    for (const Access &a : kernel.statements[static_cast<std::size_t>(k)].accesses)
      widest = std::max(widest, bytesOf(kernel.buffers[static_cast<std::size_t>(a.buffer)].element));
  return widest;
}

/// The scalars of bodies that the statements below the loop use.
std::set<int> scalarsBelow(const Scheduled &kernel, const LoopNode &loop) {
  std::set<int> scalars;
  for (const int s : statementsBelow(kernel, loop))
    for (const Access &a : kernel.statements[static_cast<std::size_t>(s)].accesses)
      if (kernel.buffers[static_cast<std::size_t>(a.buffer)].role == Buffer::Role::Local)
        scalars.insert(a.buffer);
  return scalars;
}

Outcome applyLanes(const Scheduled &kernel, const Arguments &arguments) {
  const std::string label = arguments.name("loop");
  const LoopNode loop = *findLoop(kernel.schedule.tree, label);
  if (loop.how)
    return {std::nullopt, alreadyRealised(loop)};
  if (std::string why = whyNoLanes(kernel, loop); !why.empty())
    return {std::nullopt, std::move(why)};
  const std::set<int> scalars = scalarsBelow(kernel, loop);
  for (const int b : scalars)
    if (kernel.buffers[static_cast<std::size_t>(b)].lanes > 0)
      return {std::nullopt, "its scalars are arrays already"};
  const long count =
      arguments.number("count").value_or(kGroupBytes / widestOf(kernel, statementsBelow(kernel, loop)));
  Scheduled marked = kernel;
  marked.schedule.tree = realised(kernel.schedule.tree, label, as::Lanes{count});
  for (const int b : scalars)
    marked.buffers[static_cast<std::size_t>(b)].lanes = count;
  return {std::move(marked), ""};
}

/// The loop over points that has no other one inside; groups that fill half of the registers come first.
std::vector<script::Step> groupsWorthTrying(const Scheduled &kernel, const Machine &machine) {
  std::optional<LoopNode> innermost;
  for (const LoopNode &loop : loopsOf(kernel.schedule.tree))
    if (!loop.how && isOverPoints(kernel, loop))
      innermost = loop;
  if (!innermost || computesPoints(kernel))
    return {};
  const long half = static_cast<long>(machine.vectorBytes) * machine.vectorRegisters / 2 /
                    widestOf(kernel, statementsBelow(kernel, *innermost));
  std::vector<long> counts{8, 16, 32, 64, 128};
  std::stable_sort(counts.begin(), counts.end(),
                   [&](long a, long b) { return std::abs(a - half) < std::abs(b - half); });
  std::vector<script::Step> all{script::step("lanes", {innermost->label})};
  for (const long count : counts)
    all.push_back(script::step("lanes", {innermost->label}, {count}));
  return all;
}

} // namespace

Transformation lanesTransformation() {
  using Kind = Parameter::Kind;
  return {.name = "lanes",
          .doc = "runs a loop over points in groups of lanes, with the body's loops outside the lanes",
          .parameters = {{.name = "loop", .kind = Kind::Loop, .doc = "the loop"},
                         {.name = "count",
                          .kind = Kind::Integer,
                          .doc = "the points in a group; without it, as many as the registers hold",
                          .least = 8,
                          .most = 256,
                          .words = {"auto"},
                          .isOptional = true}},
          .apply = applyLanes,
          .stage = Stage::Points,
          .target = Target::Processor,
          .alternatives = groupsWorthTrying};
}

} // namespace pbc::kernel
