// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/registers.h"
#include "compiler/kernel/register_tile.h"
#include "compiler/kernel/transform/support.h"
#include <fmt/format.h>

namespace pbc::kernel {
namespace {

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
      return {std::nullopt, fmt::format("the points of its loop over {} are several ranges", loop.label)};
  }
  const std::optional<LoopNode> y = findLoop(tiled.kernel->schedule.tree, arguments.name("y"));
  const LoopNode x = *findLoop(tiled.kernel->schedule.tree, arguments.name("x"));
  if (!y->how || memberDimension(kernel, x.band) != tiled.kernel->schedule.registerTile->x) {
    std::vector<std::string> names;
    for (const LoopNode &loop : loopsOf(tiled.kernel->schedule.tree))
      if (loop.how && std::holds_alternative<as::Registers>(*loop.how))
        for (const LoopNode &inner : nestFrom(loop))
          if (names.size() < 2)
            names.push_back(inner.label);
    return {std::nullopt, fmt::format("its blocks lie in the loops over {}", listed(names))};
  }
  return tiled;
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
      .apply = applyRegisters};
}

} // namespace pbc::kernel
