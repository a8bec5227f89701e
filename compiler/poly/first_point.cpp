// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/poly/first_point.h"
#include "compiler/poly/poly.h"
#include <fmt/format.h>
#include <isl/aff.h>
#include <isl/point.h>
#include <isl/set.h>
#include <isl/val.h>
#include <optional>

namespace pbc::poly {
namespace {

// "i = w, k = 0", if each value is one formula.
std::optional<std::string> asFormulas(const isl::set &points, const std::vector<std::string> &names) {
  isl_pw_multi_aff *first = isl_set_lexmin_pw_multi_aff(points.copy());
  std::string text;
  bool isPlain = isl_pw_multi_aff_n_piece(first) == 1;
  for (std::size_t d = 0; d < names.size() && isPlain; ++d) {
    const isl::pw_aff value = isl::manage(isl_pw_multi_aff_get_pw_aff(first, static_cast<int>(d)));
    const auto formula = readable(value.gist(value.domain()));
    isPlain = formula.has_value();
    if (isPlain)
      text += fmt::format("{}{} = {}", d ? ", " : "", names[d], *formula);
  }
  isl_pw_multi_aff_free(first);
  return isPlain ? std::optional(text) : std::nullopt;
}

// "i = 2 for n = 4", at a small size, if there is one.
std::string atOneSize(const isl::set &points, const std::vector<std::string> &names) {
  const auto params = static_cast<unsigned>(isl_set_dim(points.get(), isl_dim_param));
  const auto at = [&](std::optional<int> size) {
    isl_set *s = points.copy();
    for (unsigned p = 0; p < params && size; ++p)
      s = isl_set_fix_si(s, isl_dim_param, p, *size);
    return isl_set_lexmin(isl_set_move_dims(s, isl_dim_set, 0, isl_dim_param, 0, params));
  };
  isl_set *first = at(4);
  for (const int size : {5, 6, 7, 8, 3, 2, 1, 0})
    if (isl_set_is_empty(first) == isl_bool_true) {
      isl_set_free(first);
      first = at(size);
    }
  if (isl_set_is_empty(first) == isl_bool_true) {
    isl_set_free(first);
    first = isl_set_move_dims(points.copy(), isl_dim_set, 0, isl_dim_param, 0, params);
  }
  isl_point *point = isl_set_sample_point(first);
  std::string sizes, values;
  for (unsigned d = 0; d < params + names.size(); ++d) {
    isl_val *value = isl_point_get_coordinate_val(point, isl_dim_set, static_cast<int>(d));
    const long number = isl_val_get_num_si(value);
    isl_val_free(value);
    if (d >= params) {
      values += fmt::format("{}{} = {}", values.empty() ? "" : ", ", names[d - params], number);
      continue;
    }
    const char *size = isl_set_get_dim_name(points.get(), isl_dim_param, d);
    if (size && isl_set_involves_dims(points.get(), isl_dim_param, d, 1) == isl_bool_true)
      sizes += fmt::format("{}{} = {}", sizes.empty() ? "" : ", ", displayed(size), number);
  }
  isl_point_free(point);
  return values + (sizes.empty() ? "" : " for " + sizes);
}

} // namespace

std::string firstPoint(const isl::set &points, const std::vector<std::string> &names) {
  if (names.empty() || points.is_empty())
    return "";
  const auto formulas = asFormulas(points, names);
  return formulas ? *formulas : atOneSize(points, names);
}

} // namespace pbc::poly
