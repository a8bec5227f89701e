// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/split.h"
#include "compiler/kernel/iterations.h"
#include "compiler/kernel/transform/cut.h"
#include <isl/union_set.h>

namespace pbc::kernel {
namespace {

Outcome applySplit(const Scheduled &kernel, const Arguments &arguments) {
  const LoopNode loop = *findLoop(kernel.schedule.tree, arguments.name("loop"));
  if (loop.how)
    return {std::nullopt, alreadyRealised(loop)};
  if (std::string why = whyNotApart(kernel); !why.empty())
    return {std::nullopt, std::move(why)};
  const Iterations iterations(loop);
  if (iterations.all().is_empty())
    return {std::nullopt, "the loop has no iterations"};
  const NewLabels made = newLabels(kernel, arguments, {loop.label, loop.label + "_rest"}, {loop.label});
  if (!made.why.empty())
    return {std::nullopt, made.why};
  const isl::union_set first = iterations.first(*arguments.number("at"));
  return cutLoop(kernel, loop,
                 {{first, "", made.labels[0]}, {iterations.all().subtract(first), "_rest", made.labels[1]}});
}

} // namespace

Transformation splitTransformation() {
  using Kind = Parameter::Kind;
  return {.name = "split",
          .doc = "cuts the iterations of a loop into two loops, one after the other",
          .parameters = {{.name = "loop", .kind = Kind::Loop, .doc = "the loop"},
                         {.name = "at",
                          .kind = Kind::Integer,
                          .doc = "the iterations of the first loop",
                          .least = 1,
                          .most = 999999999}},
          .apply = applySplit};
}

} // namespace pbc::kernel
