// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/cell_box.h"
#include "compiler/kernel/footprint.h"
#include "compiler/kernel/formula.h"
#include <isl/aff.h>
#include <isl/fixed_box.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/val.h>
#include <vector>

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

/// Whether each step touches cells between two functions of it and the parameters.
bool isBounded(const isl::map &along) {
  const auto loops = static_cast<unsigned>(isl_map_dim(along.get(), isl_dim_in));
  const auto parameters = static_cast<unsigned>(isl_map_dim(along.get(), isl_dim_param));
  isl_map *ofStep = isl_map_move_dims(isl_map_reset_tuple_id(along.copy(), isl_dim_in), isl_dim_param,
                                      parameters, isl_dim_in, 0, loops);
  const isl::set cells = isl::manage(isl_map_range(ofStep));
  return isl_set_dim_has_lower_bound(cells.get(), isl_dim_set, 0) == isl_bool_true &&
         isl_set_dim_has_upper_bound(cells.get(), isl_dim_set, 0) == isl_bool_true;
}

/// The formula of a piece that is right for all others: of { x + k - 1 : k >= 2; x : k = 1 }, x + k - 1.
std::optional<isl::aff> formulaOfAll(const isl::pw_aff &function) {
  std::vector<isl::aff> all;
  isl_pw_aff_foreach_piece(
      function.get(),
      [](isl_set *domain, isl_aff *a, void *user) {
        isl_set_free(domain);
        static_cast<std::vector<isl::aff> *>(user)->push_back(isl::manage(a));
        return isl_stat_ok;
      },
      static_cast<void *>(&all));
  const isl::set domain = isl::manage(isl_pw_aff_domain(function.copy()));
  for (const isl::aff &one : all)
    if (domain.is_subset(isl::manage(isl_pw_aff_eq_set(function.copy(), isl_pw_aff_from_aff(one.copy())))))
      return one;
  return std::nullopt;
}

/// From the first to the last cell, if there is a formula for either and for their distance.
std::optional<Range> endToEnd(const isl::map &along) {
  const auto only = [](isl_pw_multi_aff *cell) {
    const isl::pw_multi_aff end = isl::manage(cell);
    return formulaOfAll(isl::manage(isl_pw_aff_coalesce(isl_pw_multi_aff_get_pw_aff(end.get(), 0))));
  };
  const std::optional<isl::aff> least = only(isl_map_lexmin_pw_multi_aff(along.copy())),
                                most = only(isl_map_lexmax_pw_multi_aff(along.copy()));
  if (!least || !most)
    return std::nullopt;
  isl_aff *extent = isl_aff_add_constant_si(isl_aff_sub(most->copy(), least->copy()), 1);
  const auto loops = static_cast<unsigned>(isl_aff_dim(extent, isl_dim_in)),
             divisions = static_cast<unsigned>(isl_aff_dim(extent, isl_dim_div));
  if (isl_aff_involves_dims(extent, isl_dim_in, 0, loops) != isl_bool_false ||
      isl_aff_involves_dims(extent, isl_dim_div, 0, divisions) != isl_bool_false) {
    isl_aff_free(extent);
    return std::nullopt;
  }
  return Range{isl::pw_aff(*least), isl::manage(isl_pw_aff_from_aff(extent))};
}

/// Whether the extent is no cell without the parameter, and grows with it.
bool needs(const isl::pw_aff &extent, unsigned parameter) {
  const std::optional<isl::aff> sum = formula(extent);
  isl_val *constant = isl_aff_get_constant_val(sum->get());
  const bool isEmpty = isl_val_is_nonpos(constant) == isl_bool_true;
  isl_val_free(constant);
  return isEmpty && isl_aff_involves_dims(sum->get(), isl_dim_param, parameter, 1) == isl_bool_true;
}

/// Windows that read a cell in any case, `a[0]`, and others in a loop, have two formulas: of windows without the others, too. Then one is
/// enough for sizes from 1 on, which those are that such an extent needs.
std::optional<Range> movingRange(const isl::map &along) {
  if (!isBounded(along))
    return std::nullopt;
  if (std::optional<Range> range = endToEnd(along))
    return range;
  const auto count = static_cast<unsigned>(isl_map_dim(along.get(), isl_dim_param));
  const auto fromOne = [&](const auto &isWanted) {
    isl_map *map = along.copy();
    for (unsigned p = 0; p < count; ++p)
      if (isWanted(p))
        map = isl_map_lower_bound_si(map, isl_dim_param, p, 1);
    return isl::manage(map);
  };
  const std::optional<Range> all = endToEnd(fromOne([](unsigned) { return true; }));
  if (!all)
    return std::nullopt;
  const auto isNeeded = [&](unsigned p) { return needs(all->extent, p); };
  std::optional<Range> range = endToEnd(fromOne(isNeeded));
  for (unsigned p = 0; range && p < count; ++p)
    if (isNeeded(p) && !needs(range->extent, p))
      return std::nullopt;
  return range;
}

/// Finds the range of each dimension.
template <class RangeOf>
std::optional<CellBox> boxOf(const isl::map &touched, const isl::set &context, const RangeOf &rangeOf) {
  CellBox box;
  const auto rank = static_cast<unsigned>(isl_map_dim(touched.get(), isl_dim_out));
  for (unsigned d = 0; d < rank; ++d) {
    isl_map *along = isl_map_project_out(touched.copy(), isl_dim_out, d + 1, rank - d - 1);
    along = isl_map_coalesce(isl_map_project_out(along, isl_dim_out, 0, d));
    const isl::map here = isl::manage(along).intersect_params(context);
    const std::optional<Range> range = rangeOf(here);
    if (!range)
      return std::nullopt;
    box.first.push_back(range->first);
    box.extents.push_back(range->extent);
  }
  return box;
}

} // namespace

std::optional<CellBox> boxAround(const isl::map &touched, const isl::set &context) {
  return boxOf(touched, context, [&](const isl::map &along) {
    const std::optional<Range> range = constantRange(along);
    return range ? range : wholeRange(along, context);
  });
}

std::optional<CellBox> movingBoxAround(const isl::map &touched, const isl::set &context) {
  return boxOf(touched, context, [](const isl::map &along) {
    const std::optional<Range> range = constantRange(along);
    return range ? range : movingRange(along);
  });
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
