// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/item_parts.h"
#include <fmt/format.h>
#include <isl/aff.h>
#include <isl/set.h>
#include <isl/val.h>

namespace pbc::kernel {
namespace {

/// { [values of the functions] } of all points.
isl::set pointsOf(const Items &items) {
  const Scheduled &item = items.item;
  isl::set all = isl::manage(isl_set_empty(isl_space_params_alloc(item.context.ctx().get(), 0)));
  for (const Statement &s : item.statements)
    all = all.unite(isl::manage(isl_set_params(instances(item, s).release())));
  isl_set *points = isl_set_from_params(all.release());
  const auto rank = static_cast<unsigned>(items.kernel.schedule.taskDimensions.size());
  points = isl_set_add_dims(points, isl_dim_set, rank);
  for (unsigned k = 0; k < rank; ++k) {
    const std::string low = fmt::format("pb__low{}", k), high = fmt::format("pb__high{}", k);
    if (const int at = isl_set_find_dim_by_name(points, isl_dim_param, low.c_str()); at >= 0) {
      points = isl_set_equate(points, isl_dim_param, static_cast<unsigned>(at), isl_dim_set, k);
      points = isl_set_project_out(points, isl_dim_param, static_cast<unsigned>(at), 1);
    }
    if (const int at = isl_set_find_dim_by_name(points, isl_dim_param, high.c_str()); at >= 0)
      points = isl_set_project_out(points, isl_dim_param, static_cast<unsigned>(at), 1);
  }
  return isl::manage(isl_set_coalesce(points));
}

/// The part as a box; nothing if it is none.
std::optional<ItemPart> boxOf(const isl::basic_set &part, const isl::set &context) {
  const isl::set points = isl::manage(isl_set_from_basic_set(part.copy()));
  const isl::set exists = isl::manage(isl_set_params(points.copy()));
  ItemPart box;
  if (!context.is_subset(exists))
    box.condition = isl::manage(isl_set_gist(exists.copy(), context.copy()));
  const isl::set known = context.intersect(exists);
  isl::set product = isl::manage(isl_set_universe(isl_set_get_space(points.get())));
  for (unsigned d = 0, rank = static_cast<unsigned>(isl_set_dim(points.get(), isl_dim_set)); d < rank; ++d) {
    isl_set *values = isl_set_project_out(points.copy(), isl_dim_set, d + 1, rank - d - 1);
    values = isl_set_project_out(values, isl_dim_set, 0, d);
    isl_set *spread =
        isl_set_add_dims(isl_set_insert_dims(values, isl_dim_set, 0, d), isl_dim_set, rank - d - 1);
    product = product.intersect(isl::manage(spread));
    const auto underKnown = [&](isl_pw_aff *f) {
      return isl::manage(isl_pw_aff_gist_params(f, known.copy()));
    };
    isl_pw_aff *end = isl_pw_aff_add_constant_val(poly::dimMax(points, d).release(),
                                                  isl_val_one(isl_set_get_ctx(points.get())));
    box.functions.push_back({underKnown(poly::dimMin(points, d).release()), underKnown(end)});
  }
  return product.is_subset(points) ? std::optional(box) : std::nullopt;
}

} // namespace

std::vector<ItemPart> partsOf(const Items &items) {
  const auto rank = items.kernel.schedule.taskDimensions.size();
  if (items.inRounds() || rank == 0)
    return {};
  const isl::set &context = items.kernel.context;
  const isl::set points = isl::manage(isl_set_gist_params(pointsOf(items).release(), context.copy()));
  if (isl_set_n_basic_set(points.get()) < 2)
    return {};
  const isl::set disjoint = isl::manage(isl_set_make_disjoint(points.copy()));
  if (isl_set_n_basic_set(disjoint.get()) > kMostParts)
    return {};
  std::vector<ItemPart> parts;
  bool areBoxes = true;
  disjoint.foreach_basic_set([&](const isl::basic_set &part) {
    const isl::basic_set here =
        isl::manage(isl_basic_set_intersect_params(part.copy(), isl_set_simple_hull(context.copy())));
    const std::optional<ItemPart> box = areBoxes ? boxOf(here, context) : std::nullopt;
    areBoxes = box.has_value();
    if (box)
      parts.push_back(*box);
  });
  return areBoxes ? parts : std::vector<ItemPart>();
}

} // namespace pbc::kernel
