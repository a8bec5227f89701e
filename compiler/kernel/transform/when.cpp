// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/when.h"
#include "compiler/kernel/transform/cut.h"
#include "compiler/syntax/nearest.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/aff.h>
#include <isl/id.h>
#include <isl/local_space.h>
#include <isl/schedule.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/union_set.h>
#include <isl/val.h>

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

/// The sum as a function of the sizes; `space` is that of the parameters.
isl_pw_aff *valueOf(const Sum &sum, isl_space *space) {
  isl_ctx *ctx = isl_space_get_ctx(space);
  isl_aff *value = isl_aff_zero_on_domain(isl_local_space_from_space(isl_space_copy(space)));
  value = isl_aff_set_constant_val(value, isl_val_int_from_si(ctx, sum.constant));
  for (const auto &[name, factor] : sum.terms)
    value = isl_aff_set_coefficient_val(
        value, isl_dim_param, isl_space_find_dim_by_name(space, isl_dim_param, poly::mangle(name).c_str()),
        isl_val_int_from_si(ctx, factor));
  return isl_pw_aff_from_aff(value);
}

/// The sizes for which the condition holds.
isl::set holds(const Kernel &kernel, const Comparison &c) {
  using Relation = Comparison::Relation;
  isl_space *space = isl_space_params(isl_set_get_space(kernel.context.get()));
  for (const std::string &size : kernel.parameters) // the context may leave some out
    space = isl_space_add_param_id(space, isl_id_alloc(isl_space_get_ctx(space), size.c_str(), nullptr));
  isl_pw_aff *left = valueOf(c.left, space), *right = valueOf(c.right, space);
  isl_space_free(space);
  switch (c.relation) {
  case Relation::Less:
    return isl::manage(isl_pw_aff_lt_set(left, right));
  case Relation::LessEqual:
    return isl::manage(isl_pw_aff_le_set(left, right));
  case Relation::Greater:
    return isl::manage(isl_pw_aff_gt_set(left, right));
  case Relation::GreaterEqual:
    return isl::manage(isl_pw_aff_ge_set(left, right));
  case Relation::Equal:
    return isl::manage(isl_pw_aff_eq_set(left, right));
  case Relation::NotEqual:
    return isl::manage(isl_pw_aff_ne_set(left, right));
  }
  __builtin_unreachable();
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
  const Subtree tree =
      copiesOf(kernel, *subtreeOf(kernel.schedule.tree), {{here, "", ""}, {rest, "_else", ""}});
  return withSubtreeInSameOrder(kernel, tree);
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
