// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/cell_box.h"
#include "compiler/kernel/footprint.h"
#include "compiler/kernel/formula.h"
#include <isl/aff.h>
#include <isl/fixed_box.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/val.h>

namespace pbc::kernel {
namespace {

/// The first cell and the number of cells along one dimension.
struct Range {
  isl::pw_aff first, extent;
};

std::optional<Range> constantRange(const isl::map &along) {
  isl_fixed_box *box = isl_map_get_range_simple_fixed_box_hull(along.get());
  std::optional<Range> found;
  if (isl_fixed_box_is_valid(box) == isl_bool_true) {
    isl_multi_aff *first = isl_fixed_box_get_offset(box);
    isl_multi_val *size = isl_fixed_box_get_size(box);
    isl_val *extent = isl_multi_val_get_val(size, 0);
    found = {isl::manage(isl_pw_aff_from_aff(isl_multi_aff_get_aff(first, 0))),
             constantExtent(along.ctx(), isl_val_get_num_si(extent))};
    isl_val_free(extent);
    isl_multi_val_free(size);
    isl_multi_aff_free(first);
  }
  isl_fixed_box_free(box);
  return found;
}

/// The function's formula without the conditions under which it is defined, if it has only one.
isl::pw_aff plainly(const isl::pw_aff &f) {
  const std::optional<isl::aff> one = formula(f);
  return one ? isl::pw_aff(*one) : f;
}

std::optional<Range> wholeRange(const isl::map &along, const isl::set &context) {
  const isl::set cells = poly::simplified(along.range().intersect_params(context));
  if (isl_set_dim_has_lower_bound(cells.get(), isl_dim_set, 0) != isl_bool_true ||
      isl_set_dim_has_upper_bound(cells.get(), isl_dim_set, 0) != isl_bool_true)
    return std::nullopt;
  const auto known = [&](const isl::pw_aff &f) {
    return plainly(isl::manage(isl_pw_aff_gist_params(isl_pw_aff_coalesce(f.copy()), context.copy())));
  };
  const isl::pw_aff least = known(poly::dimMin(cells, 0)), most = known(poly::dimMax(cells, 0));
  isl_pw_aff *extent = isl_pw_aff_sub(most.copy(), least.copy());
  extent = isl_pw_aff_add_constant_val(extent, isl_val_one(along.ctx().get()));
  // The same number for all steps, as a function of a step.
  isl_pw_aff *first =
      isl_pw_aff_insert_domain(least.copy(), isl_space_domain(isl_map_get_space(along.get())));
  return Range{isl::manage(first), plainly(isl::manage(isl_pw_aff_coalesce(extent)))};
}

} // namespace

std::optional<CellBox> boxAround(const isl::map &touched, const isl::set &context) {
  CellBox box;
  const auto rank = static_cast<unsigned>(isl_map_dim(touched.get(), isl_dim_out));
  for (unsigned d = 0; d < rank; ++d) {
    isl_map *along = isl_map_project_out(touched.copy(), isl_dim_out, d + 1, rank - d - 1);
    along = isl_map_coalesce(isl_map_project_out(along, isl_dim_out, 0, d));
    const isl::map here = isl::manage(along).intersect_params(context);
    std::optional<Range> range = constantRange(here);
    if (!range)
      range = wholeRange(here, context);
    if (!range)
      return std::nullopt;
    box.first.push_back(range->first);
    box.extents.push_back(range->extent);
  }
  return box;
}

isl::map valuesOf(const isl::set &domain, const std::vector<int> &dimensions) {
  isl_space *space = isl_set_get_space(domain.get());
  isl_map *values = isl_map_from_domain(isl_set_universe(isl_space_copy(space)));
  isl_local_space *local = isl_local_space_from_space(space);
  for (const int d : dimensions) {
    isl_aff *value =
        isl_aff_var_on_domain(isl_local_space_copy(local), isl_dim_set, static_cast<unsigned>(d));
    values = isl_map_flat_range_product(values, isl_map_from_aff(value));
  }
  isl_local_space_free(local);
  return isl::manage(values);
}

isl::map placeIn(const CellBox &box, const std::vector<PlacedDimension> &places, const isl::map &values,
                 const isl::map &cells, const std::string &scratch) {
  isl_multi_pw_aff *cell = isl_multi_pw_aff_from_pw_multi_aff(isl_pw_multi_aff_from_map(cells.copy()));
  const isl::pw_multi_aff step = isl::manage(isl_pw_multi_aff_from_map(values.copy()));
  isl_map *all = isl_map_from_domain(isl_set_universe(isl_space_domain(isl_map_get_space(values.get()))));
  for (const PlacedDimension &place : places) {
    isl_pw_aff *offset = isl_multi_pw_aff_get_pw_aff(cell, static_cast<int>(place.dimension));
    if (place.modulus)
      offset = isl_pw_aff_mod_val(offset, isl_val_int_from_si(isl_pw_aff_get_ctx(offset), *place.modulus));
    else
      offset = isl_pw_aff_sub(
          offset, isl_pw_aff_pullback_pw_multi_aff(box.first[place.dimension].copy(), step.copy()));
    all = isl_map_flat_range_product(all, isl_map_from_pw_aff(offset));
  }
  isl_multi_pw_aff_free(cell);
  all = isl_map_flat_range_product(all, values.copy());
  return isl::manage(isl_map_set_tuple_name(all, isl_dim_out, scratch.c_str()));
}

} // namespace pbc::kernel
