// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/fission.h"
#include "compiler/kernel/transform/cut.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/set.h>
#include <isl/union_set.h>

namespace pbc::kernel {
namespace {

/// Whether some statement of these instances uses the variable.
bool uses(const Kernel &kernel, const isl::union_set &instances, const std::string &local) {
  return std::any_of(kernel.statements.begin(), kernel.statements.end(), [&](const Statement &s) {
    return std::any_of(s.accesses.begin(), s.accesses.end(),
                       [&](const Access &a) { return kernel.buffers[a.buffer].name == local; }) &&
           !instances.intersect(isl::union_set(s.domain)).is_empty();
  });
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
  Subtree tree = *subtreeOf(kernel.schedule.tree);
  Subtree *outermost = find(tree, nest.loops.front().label);
  std::vector<NewLoop> loops;
  std::vector<std::string> locals;
  const Subtree *inside = outermost;
  for (; inside->loop() && loops.size() < nest.loops.size(); inside = &inside->children.front())
    loops.push_back(*inside->loop());
  for (; std::holds_alternative<Declare>(inside->node); inside = &inside->children.front())
    locals.push_back(std::get<Declare>(inside->node).local);
  if (!std::holds_alternative<Subtree::Parts>(inside->node))
    return {std::nullopt,
            fmt::format("there is just one statement or loop in its loop over {}", nest.loops.back().label)};
  std::vector<Part> parts;
  for (std::size_t k = 0; k < inside->children.size(); ++k)
    parts.push_back({inside->instances[k], inside->children[k]});
  for (auto local = locals.rbegin(); local != locals.rend(); ++local) {
    std::vector<Part *> users;
    for (Part &part : parts)
      if (uses(kernel, part.instances, *local))
        users.push_back(&part);
    if (users.size() > 1)
      return {std::nullopt,
              fmt::format(
                  "the variable {} would have to be an array, because {} parts of the loop use it; in_place "
                  "makes it a cell of an output",
                  *local, users.size())};
    for (Part *part : users)
      part->tree = {Declare{*local}, {part->tree}, {}};
  }
  std::vector<std::string> wanted, before;
  for (std::size_t k = 0; k < parts.size(); ++k)
    for (const NewLoop &loop : loops)
      wanted.push_back(loop.label);
  before.assign(wanted.begin(), wanted.begin() + static_cast<std::ptrdiff_t>(loops.size()));
  const NewLabels made = newLabels(kernel, arguments, wanted, before);
  if (!made.why.empty())
    return {std::nullopt, made.why};
  for (std::size_t k = 0; k < parts.size(); ++k)
    for (std::size_t l = loops.size(); l-- > 0;) {
      loops[l].label = made.labels[k * loops.size() + l];
      parts[k].tree = loopAbove(loops[l], parts[k].tree);
    }
  *outermost = inTurn(parts);
  return withSubtree(kernel, tree);
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
