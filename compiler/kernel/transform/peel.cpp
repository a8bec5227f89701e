// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/peel.h"
#include "compiler/kernel/iterations.h"
#include "compiler/kernel/transform/cut.h"
#include <fmt/format.h>
#include <isl/union_set.h>

namespace pbc::kernel {
namespace {

struct Parts {
  isl::union_set first, middle, last;
};

Parts byCount(const LoopNode &loop, long first, long last) {
  const Iterations iterations(loop);
  const isl::union_set &all = iterations.all(), none = all.subtract(all);
  const isl::union_set begin = first > 0 ? iterations.first(first) : none, rest = all.subtract(begin);
  const isl::union_set end = last > 0 ? rest.intersect(iterations.last(last)) : none;
  return {begin, rest.subtract(end), end};
}

Outcome apart(const Scheduled &kernel, const Arguments &arguments, const LoopNode &loop, const Parts &parts,
              bool hasFirst, bool hasLast) {
  std::vector<TreeCopy> copies;
  std::vector<std::string> labels;
  const auto add = [&](const isl::union_set &instances, const std::string &suffix) {
    copies.push_back({instances, suffix, ""});
    labels.push_back(loop.label + suffix);
  };
  if (hasFirst)
    add(parts.first, "_first");
  add(parts.middle, "");
  if (hasLast)
    add(parts.last, "_last");
  const NewLabels made = newLabels(kernel, arguments, labels, {loop.label});
  if (!made.why.empty())
    return {std::nullopt, made.why};
  for (std::size_t k = 0; k < copies.size(); ++k)
    copies[k].label = made.labels[k];
  return cutLoop(kernel, loop, copies);
}

Outcome applyPeel(const Scheduled &kernel, const Arguments &arguments) {
  const LoopNode loop = *findLoop(kernel.schedule.tree, arguments.name("loop"));
  if (loop.how)
    return {std::nullopt, alreadyRealised(loop)};
  if (std::string why = whyNotApart(kernel); !why.empty())
    return {std::nullopt, std::move(why)};
  if (Iterations(loop).all().is_empty())
    return {std::nullopt, "the loop has no iterations"};
  const bool hasCount = arguments.has("first") || arguments.has("last");
  if (!arguments.has("along")) {
    const long first = arguments.number("first").value_or(hasCount ? 0 : 1);
    const long last = arguments.number("last").value_or(hasCount ? 0 : 1);
    if (first + last == 0)
      return {std::nullopt, "no iteration is to be peeled"};
    return apart(kernel, arguments, loop, byCount(loop, first, last), first > 0, last > 0);
  }
  if (hasCount)
    return {std::nullopt,
            "the iterations are either counted (first, last) or those that are not the same along a loop"};
  const LoopNode along = *findLoop(kernel.schedule.tree, arguments.name("along"));
  if (!isAround(along, loop))
    return {std::nullopt,
            fmt::format("its loop over `{}` is not inside the one over `{}`", loop.label, along.label)};
  const Alike found = alike(loop, along);
  const bool hasFirst = !found.before.is_empty(), hasLast = !found.after.is_empty();
  if (!hasFirst && !hasLast)
    return {std::nullopt, fmt::format("its loop over `{}` is as long for each iteration of `{}` already",
                                      loop.label, along.label)};
  return apart(kernel, arguments, loop, {found.before, found.everywhere, found.after}, hasFirst, hasLast);
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
                         {.name = "along",
                          .kind = Kind::Loop,
                          .doc = "the loop in each of whose iterations the steps that stay occur",
                          .isOptional = true},
                         count("first", "how many of the first iterations"),
                         count("last", "how many of the last iterations")},
          .apply = applyPeel};
}

} // namespace pbc::kernel
