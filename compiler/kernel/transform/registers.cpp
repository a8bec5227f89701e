// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/registers.h"
#include "compiler/kernel/iterations.h"
#include "compiler/kernel/register_tile.h"
#include "compiler/kernel/transform/support.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace pbc::kernel {
namespace {

/// The labels of the two loops in which the blocks lie.
std::vector<std::string> loopsOfBlocks(const Scheduled &tiled) {
  std::vector<std::string> labels;
  for (const LoopNode &loop : loopsOf(tiled.schedule.tree))
    if (loop.how && std::holds_alternative<as::Registers>(*loop.how))
      labels = labelsOf(nestFrom(loop));
  labels.resize(std::min<std::size_t>(labels.size(), 2));
  return labels;
}

/// Why the loops inside the one over x cannot lie in a block; "" if they can.
std::string whyNoBlock(const Scheduled &kernel, const LoopNode &x) {
  for (const LoopNode &loop : loopsOf(kernel.schedule.tree)) {
    if (!isAround(x, loop))
      continue;
    if (loop.how)
      return alreadyRealised(loop);
    if (!isOfAllStatements(loop, kernel.context))
      return fmt::format("in some steps of its loop over `{}`, only some of its statements run", loop.label);
  }
  std::set<std::string> statements;
  std::string why;
  visit(x.band, [&](const isl::schedule_node &node) {
    if (isl_schedule_node_get_type(node.get()) != isl_schedule_node_leaf)
      return;
    for (const std::string &s : statementsAt(node))
      if (!statements.insert(s).second && why.empty())
        why = fmt::format("steps of `{}` lie in several loops", s);
  });
  return why;
}

Outcome applyRegisters(const Scheduled &kernel, const Arguments &arguments) {
  const auto number = [&](const char *name) { return arguments.number(name).value_or(0); };
  const RegisterShape shape{static_cast<int>(number("rows")), static_cast<int>(number("vectors")),
                            number("depth"), number("columns")};
  for (const char *label : {"y", "x"})
    if (const LoopNode loop = *findLoop(kernel.schedule.tree, arguments.name(label)); loop.how)
      return {std::nullopt, alreadyRealised(loop)};
  Outcome tiled = registerTile(kernel, &shape);
  if (!tiled.kernel)
    return tiled;
  for (const char *label : {"y", "x"}) {
    const LoopNode loop = *findLoop(kernel.schedule.tree, arguments.name(label));
    if (std::string why = whyNotCounting(kernel, loop); !why.empty())
      return {std::nullopt, std::move(why)};
    if (!isOneRange(kernel, loop))
      return {std::nullopt, fmt::format("the points of its loop over `{}` are several ranges", loop.label)};
  }
  if (std::string why = whyNoBlock(kernel, *findLoop(kernel.schedule.tree, arguments.name("x")));
      !why.empty())
    return {std::nullopt, std::move(why)};
  const std::optional<LoopNode> y = findLoop(tiled.kernel->schedule.tree, arguments.name("y"));
  const LoopNode x = *findLoop(tiled.kernel->schedule.tree, arguments.name("x"));
  if (!y->how || memberDimension(kernel, x.band) != tiled.kernel->schedule.registerTile->x)
    return {std::nullopt,
            fmt::format("its blocks lie in the loops over {}", quoted(loopsOfBlocks(*tiled.kernel)))};
  return tiled;
}

/// One size at a time. Blocks that leave a quarter of the registers to what they read come first.
std::vector<script::Step> blocksWorthTrying(const Scheduled &kernel, const Machine &machine) {
  const RegisterShape any{};
  const Outcome tiled = registerTile(kernel, &any);
  if (!tiled.kernel)
    return {};
  const RegisterTile &tile = *tiled.kernel->schedule.registerTile;
  const script::Step plain = script::step("registers", loopsOfBlocks(*tiled.kernel));
  std::vector<script::Step> all{plain};
  const auto add = [&](const char *size, const std::vector<long> &values) {
    for (const long value : values) {
      all.push_back(plain);
      script::with(all.back(), size, script::number(value));
    }
  };
  constexpr long kVectors = 2; // the processor's choice (runtime/abi/register_tile.h)
  const auto distance = [&](long rows) {
    return std::abs(4 * rows * kVectors * std::max(tile.scalars, 1) - 3L * machine.vectorRegisters);
  };
  std::vector<long> rows{2, 4, 6, 8, 10, 12, 14};
  std::stable_sort(rows.begin(), rows.end(), [&](long a, long b) { return distance(a) < distance(b); });
  add("rows", rows);
  add("vectors", {2, 3, 1, 4});
  if (!tile.isDeep || tile.panels.empty())
    return all;
  if (tile.resumes)
    add("depth", {256, 512, 128, 1024, 64});
  add("columns", {256, 1024, 64, 4096});
  return all;
}

Parameter size(std::string_view name, std::string_view doc, long least, long most) {
  return {.name = name,
          .kind = Parameter::Kind::Integer,
          .doc = doc,
          .least = least,
          .most = most,
          .words = {"auto"},
          .isOptional = true};
}

} // namespace

Transformation registersTransformation() {
  using Kind = Parameter::Kind;
  return {
      .name = "registers",
      .doc = "computes blocks of points whose values are in registers",
      .parameters = {{.name = "y", .kind = Kind::Loop, .doc = "the loop over rows"},
                     {.name = "x", .kind = Kind::Loop, .doc = "the loop along rows"},
                     size("rows", "rows of a block", 1, 24),
                     size("vectors", "vectors in a row of a block", 1, 4),
                     size("depth", "steps of the body's loop whose operands are copied into panels together",
                          16, 65536),
                     size("columns", "columns of the operand whose panels are used again and again", 16,
                          65536)},
      .apply = applyRegisters,
      .stage = Stage::Points,
      .target = Target::Processor,
      .alternatives = blocksWorthTrying};
}

} // namespace pbc::kernel
