// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/fission.h"
#include "compiler/kernel/buffer_names.h"
#include "compiler/kernel/dependences.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/live_cells.h"
#include "compiler/kernel/transform/cut.h"
#include "compiler/kernel/transform/scratch_array.h"
#include "compiler/kernel/transform/support.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/union_set.h>
#include <numeric>
#include <set>

namespace pbc::kernel {
namespace {

std::vector<const Statement *> statementsOf(const Kernel &kernel, const isl::union_set &instances) {
  std::vector<const Statement *> all;
  for (const Statement &s : kernel.statements)
    if (!instances.intersect(isl::union_set(s.domain)).is_empty())
      all.push_back(&s);
  return all;
}

/// How many parts use the buffer, which is no matrix; 0 if something else does, too.
int usersOf(const Scheduled &kernel, const Subtree &parts, int buffer) {
  std::set<const Statement *> seen;
  int count = 0;
  for (const isl::union_set &instances : parts.instances) {
    bool isUsed = false;
    for (const Statement *s : statementsOf(kernel, instances))
      if (usesBuffer(*s, buffer))
        isUsed = true, seen.insert(s);
    count += isUsed;
  }
  for (const Statement &s : kernel.statements)
    if (!seen.contains(&s) && usesBuffer(s, buffer))
      return 0;
  return count;
}

/// The loops and what is inside of them.
struct Inside {
  std::vector<NewLoop> loops;
  std::vector<std::string> locals; // declared between the loops and the parts
  Subtree *parts;
};

Inside insideOf(Subtree &outermost, std::size_t count) {
  Inside all{{}, {}, &outermost};
  for (; all.loops.size() < count; all.parts = &all.parts->children.front())
    all.loops.push_back(*all.parts->loop());
  for (; std::holds_alternative<Declare>(all.parts->node); all.parts = &all.parts->children.front())
    all.locals.push_back(std::get<Declare>(all.parts->node).local);
  return all;
}

/// The kernel in which each iteration has cells of its own of all that several parts hand on within it, and the names of these
/// buffers.
struct Apart {
  Outcome kernel;
  std::vector<std::string> arrays;
};

Apart withArrays(const Scheduled &kernel, const Nest &nest, const Subtree &parts) {
  Apart all{{kernel, ""}, {}};
  const std::vector<std::string> around = loopsAround(nest.loops.front()), each = labelsOf(nest.loops);
  for (std::size_t b = 0; b < kernel.buffers.size(); ++b) {
    const Buffer &buffer = kernel.buffers[b];
    if (isMatrix(buffer) || usersOf(kernel, parts, static_cast<int>(b)) < 2)
      continue;
    if (buffer.lanes)
      return {{std::nullopt, "its variables are arrays of lanes already"}, {}};
    if (const std::string elsewhere = runsElsewhere(kernel, nest.loops.front()); !elsewhere.empty())
      return {{std::nullopt,
               fmt::format("`{}` would have to be an array, but `{}` runs outside of these loops, too",
                           programName(kernel, buffer), elsewhere)},
              {}};
    if (std::string why = runsAtOnce(nest.loops.front()); !why.empty())
      return {{std::nullopt, std::move(why)}, {}};
    const LiveCells live = liveCells(kernel, static_cast<int>(b), nest.loops.back().band);
    if (!live.unwritten.empty())
      return {{std::nullopt,
               fmt::format("`{}` would have to be an array, but `{}` reads it where nothing has written it",
                           programName(kernel, buffer), live.unwritten)},
              {}};
    if (live.closed < around.size() + each.size())
      continue; // a value is needed in a later iteration, which the dependences know
    all.kernel =
        withArray(*all.kernel.kernel, {.buffer = static_cast<int>(b), .loops = around, .each = each});
    if (!all.kernel.kernel)
      return all;
    all.arrays.push_back(buffer.name);
  }
  if (!all.arrays.empty())
    all.kernel.kernel->dependences = dependences(*all.kernel.kernel);
  return all;
}

/// The parts of a step in groups: those with the same number stay together.
Subtree inGroups(const Subtree &parts, const std::vector<std::size_t> &groups) {
  Subtree made{parts.node, {}, {}};
  for (std::size_t first = 0; first < groups.size();) {
    std::vector<Part> together;
    isl::union_set instances = parts.instances[first];
    for (; together.empty() || (first < groups.size() && groups[first] == groups[first - 1]); ++first) {
      together.push_back({parts.instances[first], parts.children[first]});
      instances = instances.unite(parts.instances[first]);
    }
    made.children.push_back(together.size() == 1 ? together.front().tree : inTurn(together));
    made.instances.push_back(instances);
  }
  return made;
}

/// The groups of parts that loops of their own cannot run one after the other: an iteration of the loops needs what a later part
/// computes in an earlier one, so that the two and those between them stay together.
std::vector<std::size_t> groupsOf(const Scheduled &kernel, const std::vector<std::string> &names) {
  const Nest nest = nestOf(kernel, names);
  Subtree tree = *subtreeOf(kernel.schedule.tree);
  const Subtree &parts = *insideOf(*find(tree, nest.loops.front().label), nest.loops.size()).parts;
  isl::union_map dependences = kernel.dependences;
  for (const LoopNode &loop : around(nest.loops.front()))
    dependences = equalAt(dependences, functionOf(loop));
  std::vector<std::size_t> groups(parts.instances.size());
  std::iota(groups.begin(), groups.end(), 0);
  for (std::size_t later = 1; later < groups.size(); ++later)
    for (std::size_t earlier = 0; earlier < later; ++earlier)
      if (!dependences.intersect_domain(parts.instances[later])
               .intersect_range(parts.instances[earlier])
               .is_empty()) {
        std::fill(groups.begin() + static_cast<std::ptrdiff_t>(earlier),
                  groups.begin() + static_cast<std::ptrdiff_t>(later) + 1, groups[earlier]);
        break;
      }
  return groups;
}

struct Distributed {
  Outcome made;
  Scheduled before; // in which the variables are arrays, and the loops as they were
};

/// Each group of parts gets loops of its own.
Distributed distributed(const Scheduled &kernel, const Arguments &arguments, const Nest &nest,
                        const std::vector<std::size_t> &groups) {
  const auto refused = [&](const std::string &why) { return Distributed{{std::nullopt, why}, kernel}; };
  Subtree before = *subtreeOf(kernel.schedule.tree);
  const Inside asked = insideOf(*find(before, nest.loops.front().label), nest.loops.size());
  Apart apart = withArrays(kernel, nest, inGroups(*asked.parts, groups));
  if (!apart.kernel.kernel)
    return refused(apart.kernel.why);
  const Scheduled &changed = *apart.kernel.kernel;
  Subtree tree = *subtreeOf(changed.schedule.tree);
  for (const std::string &array : apart.arrays)
    undeclare(tree, array);
  Subtree *outermost = find(tree, nest.loops.front().label);
  Inside inside = insideOf(*outermost, nest.loops.size());
  const Subtree grouped = inGroups(*inside.parts, groups);
  std::vector<Part> parts;
  for (std::size_t k = 0; k < grouped.children.size(); ++k)
    parts.push_back({grouped.instances[k], grouped.children[k]});
  for (auto local = inside.locals.rbegin(); local != inside.locals.rend(); ++local) {
    const int buffer = bufferIndex(changed, *local);
    std::vector<Part *> users;
    for (Part &part : parts) {
      const std::vector<const Statement *> statements = statementsOf(changed, part.instances);
      if (std::any_of(statements.begin(), statements.end(),
                      [&](const Statement *s) { return usesBuffer(*s, buffer); }))
        users.push_back(&part);
    }
    if (users.size() > 1)
      apart.arrays.push_back(*local);
    else
      for (Part *part : users)
        part->tree = {Declare{*local}, {part->tree}, {}};
  }
  std::vector<NewLoop> &loops = inside.loops;
  std::vector<std::string> wanted, givenUp;
  for (std::size_t k = 0; k < parts.size(); ++k)
    for (const NewLoop &loop : loops)
      wanted.push_back(loop.label);
  givenUp.assign(wanted.begin(), wanted.begin() + static_cast<std::ptrdiff_t>(loops.size()));
  const NewLabels made = newLabels(kernel, arguments, wanted, givenUp);
  if (!made.why.empty())
    return refused(made.why);
  for (std::size_t k = 0; k < parts.size(); ++k)
    for (std::size_t l = loops.size(); l-- > 0;) {
      loops[l].label = made.labels[k * loops.size() + l];
      parts[k].tree = loopAbove(loops[l], parts[k].tree);
    }
  Subtree all = inTurn(parts);
  for (const std::string &array : apart.arrays)
    all = {Declare{array}, {all}, {}};
  *outermost = std::move(all);
  return {withSubtree(changed, tree), changed};
}

Outcome applyFission(const Scheduled &kernel, const Arguments &arguments) {
  const std::vector<std::string> names = arguments.names("loops");
  const Nest nest = nestOf(kernel, names);
  if (nest.loops.empty())
    return {std::nullopt, nest.why};
  for (const LoopNode &loop : nest.loops)
    if (loop.how)
      return {std::nullopt, alreadyRealised(loop)};
  if (std::string why = whyNotApart(kernel); !why.empty())
    return {std::nullopt, std::move(why)};
  Subtree before = *subtreeOf(kernel.schedule.tree);
  const Inside asked = insideOf(*find(before, nest.loops.front().label), nest.loops.size());
  if (!std::holds_alternative<Subtree::Parts>(asked.parts->node))
    return {std::nullopt, fmt::format("there is just one statement or loop in its loop over `{}`",
                                      nest.loops.back().label)};
  std::vector<std::size_t> groups(asked.parts->children.size());
  std::iota(groups.begin(), groups.end(), 0);
  const Distributed each = distributed(kernel, arguments, nest, groups);
  if (each.made.kernel)
    return each.made;
  const std::vector<std::size_t> together = groupsOf(each.before, names);
  if (together.back() == together.front() || together == groups)
    return each.made; // all of them need each other, or something else is the reason
  const Outcome fewer = distributed(kernel, arguments, nest, together).made;
  return fewer.kernel ? fewer : each.made;
}

/// Each nest as a whole, and each of its loops that has several things inside.
std::vector<script::Step> loopsToDistribute(const Scheduled &kernel, const Machine &) {
  constexpr std::size_t kMost = 2;
  std::vector<script::Step> all;
  for (const LoopNode &loop : loopsOf(kernel.schedule.tree)) {
    const std::vector<LoopNode> nest = nestFrom(loop);
    if (all.size() < kMost && statementsBelow(kernel, loop).size() > 1 &&
        std::none_of(nest.begin(), nest.end(), [](const LoopNode &l) { return l.how.has_value(); }))
      all.push_back(script::step("fission", labelsOf(nest)));
  }
  return all;
}

} // namespace

Transformation fissionTransformation() {
  return {.name = "fission",
          .doc = "distributes loops over what is inside them, so that each part gets loops of its own",
          .parameters = {{.name = "loops",
                          .kind = Parameter::Kind::Loops,
                          .doc = "loops that lie directly in each other"}},
          .apply = applyFission,
          .stage = Stage::Loops,
          .alternatives = loopsToDistribute};
}

} // namespace pbc::kernel
