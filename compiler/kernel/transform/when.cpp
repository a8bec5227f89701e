// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/when.h"
#include "compiler/kernel/transform/cut.h"
#include "compiler/syntax/nearest.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/schedule.h>
#include <isl/set.h>
#include <isl/union_set.h>

namespace pbc::kernel {
namespace {

using script::Comparison;
using script::Sum;

/// The first name in the condition that no size has; "" if there is none.
std::string unknownSize(const Kernel &kernel, const Comparison &condition) {
  for (const Sum *sum : {&condition.left, &condition.right})
    for (const auto &[name, factor] : sum->terms)
      if (std::find(kernel.parameters.begin(), kernel.parameters.end(), poly::mangle(name)) ==
          kernel.parameters.end())
        return name;
  return "";
}

std::string whyUnknown(const Kernel &kernel, const std::string &name) {
  if (kernel.parameters.empty())
    return fmt::format("no size is called `{}`: it has no sizes", name);
  std::vector<std::string> sizes;
  for (const std::string &size : kernel.parameters)
    sizes.push_back(poly::unmangle(size));
  const std::string near = syntax::nearest(name, {sizes.begin(), sizes.end()});
  return fmt::format("no size is called `{}`: {}the sizes are {}", name,
                     near.empty() ? "" : fmt::format("did you mean `{}`? ", near), listed(sizes));
}

/// The sum as isl reads it.
std::string text(const Sum &sum) {
  std::string all = std::to_string(sum.constant);
  for (const auto &[name, factor] : sum.terms)
    all +=
        fmt::format(" {} {} * {}", factor < 0 ? "-" : "+", factor < 0 ? -factor : factor, poly::mangle(name));
  return all;
}

/// The sizes for which the condition holds.
isl::set holds(const Kernel &kernel, const Comparison &c) {
  const bool isEqual = c.relation == Comparison::Relation::Equal; // isl writes it with one sign
  return isl::set(kernel.context.ctx(),
                  fmt::format("{}{{ : {} {} {} }}", poly::parameterPrefix(kernel.parameters), text(c.left),
                              isEqual ? "=" : script::spelling(c.relation), text(c.right)));
}

Outcome applyWhen(const Scheduled &kernel, const Arguments &arguments) {
  const Comparison &condition = *arguments.condition("condition");
  if (const std::string name = unknownSize(kernel, condition); !name.empty())
    return {std::nullopt, whyUnknown(kernel, name)};
  if (std::string why = whyNotApart(kernel); !why.empty())
    return {std::nullopt, std::move(why)};
  if (!arguments.results().empty())
    return {std::nullopt, "its loops cannot be named: those of the other part have _else behind their names"};
  const isl::set sizes = holds(kernel, condition);
  const isl::union_set all = isl::manage(isl_schedule_get_domain(kernel.schedule.tree.get()));
  const isl::union_set here = all.intersect_params(sizes), rest = all.subtract(here);
  if (here.intersect_params(kernel.context).is_empty())
    return {std::nullopt, "its condition holds for no sizes for which there is something to do"};
  if (rest.intersect_params(kernel.context).is_empty())
    return {std::nullopt, "its condition holds for all sizes for which there is something to do"};
  Subtree tree = copiesOf(kernel, *subtreeOf(kernel.schedule.tree), {{here, "", ""}, {rest, "_else", ""}});
  return withSubtree(kernel, tree);
}

} // namespace

Transformation whenTransformation() {
  return {.name = "when",
          .doc = "makes two schedules, between which a condition on the sizes chooses",
          .parameters = {{.name = "condition",
                          .kind = Parameter::Kind::Condition,
                          .doc = "a comparison of sizes, such as w >= 64"}},
          .apply = applyWhen};
}

} // namespace pbc::kernel
