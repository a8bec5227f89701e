// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/peel.h"
#include "compiler/kernel/iterations.h"
#include "compiler/kernel/transform/cut.h"
#include <fmt/format.h>
#include <isl/union_set.h>

namespace pbc::kernel {
namespace {

Outcome applyPeel(const Scheduled &kernel, const Arguments &arguments) {
  const LoopNode loop = *findLoop(kernel.schedule.tree, arguments.name("loop"));
  if (loop.how)
    return {std::nullopt, alreadyRealised(loop)};
  if (std::string why = whyNotApart(kernel); !why.empty())
    return {std::nullopt, std::move(why)};
  const long byDefault = arguments.has("first") || arguments.has("last") ? 0 : 1;
  const long first = arguments.number("first").value_or(byDefault);
  const long last = arguments.number("last").value_or(byDefault);
  if (first + last == 0)
    return {std::nullopt, "no iteration is to be peeled"};
  const Iterations iterations(loop);
  if (iterations.all().is_empty())
    return {std::nullopt, "the loop has no iterations"};
  std::vector<TreeCopy> copies;
  std::vector<std::string> labels;
  const auto add = [&](const isl::union_set &instances, const std::string &suffix) {
    copies.push_back({instances, suffix, ""});
    labels.push_back(loop.label + suffix);
  };
  isl::union_set rest = iterations.all();
  if (first > 0) {
    add(iterations.first(first), "_first");
    rest = rest.subtract(copies.back().instances);
  }
  const isl::union_set end = last > 0 ? rest.intersect(iterations.last(last)) : rest.subtract(rest);
  add(rest.subtract(end), "");
  if (last > 0)
    add(end, "_last");
  const NewLabels made = newLabels(kernel, arguments, labels, {loop.label});
  if (!made.why.empty())
    return {std::nullopt, made.why};
  for (std::size_t k = 0; k < copies.size(); ++k)
    copies[k].label = made.labels[k];
  return cutLoop(kernel, loop, copies);
}

} // namespace

Transformation peelTransformation() {
  using Kind = Parameter::Kind;
  const auto count = [](std::string_view name, std::string_view doc) {
    return Parameter{
        .name = name, .kind = Kind::Integer, .doc = doc, .least = 0, .most = 999999999, .isOptional = true};
  };
  return {.name = "peel",
          .doc = "makes loops of their own of the first and the last iterations of a loop",
          .parameters = {{.name = "loop", .kind = Kind::Loop, .doc = "the loop"},
                         count("first", "how many of the first iterations"),
                         count("last", "how many of the last iterations")},
          .apply = applyPeel};
}

} // namespace pbc::kernel
