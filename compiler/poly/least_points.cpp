// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/poly/least_points.h"
#include <algorithm>
#include <cmath>
#include <isl/set.h>
#include <isl/val.h>
#include <optional>

namespace pbc::poly {
namespace {

struct Range {
  long first, last;
};

/// Nothing if the set has no end there.
std::optional<Range> rangeOf(const isl::set &set, int dimension) {
  const isl::val first = isl::manage(isl_set_dim_min_val(set.copy(), dimension)),
                 last = isl::manage(isl_set_dim_max_val(set.copy(), dimension));
  if (isl_val_is_int(first.get()) != isl_bool_true || isl_val_is_int(last.get()) != isl_bool_true)
    return std::nullopt;
  return Range{first.num_si(), last.num_si()};
}

int dimensionsOf(const isl::set &set) { return int(isl_set_dim(set.get(), isl_dim_set)); }

/// The points with this value of the first coordinate, without it.
isl::set slice(const isl::set &set, long value) {
  isl_set *fixed = isl_set_fix_si(set.copy(), isl_dim_set, 0, int(value));
  return isl::manage(isl_set_project_out(fixed, isl_dim_set, 0, 1));
}

double leastOfConvex(const isl::set &set, long parts) {
  if (set.is_empty())
    return 0;
  if (dimensionsOf(set) == 0 || isl_set_is_box(set.get()) == isl_bool_true)
    return mostPoints(set);
  const std::optional<Range> range = rangeOf(set, 0);
  if (!range)
    return 1;
  const long values = range->last - range->first + 1;
  double all = 0;
  for (long p = 0; p < std::min(parts, values); ++p) {
    const long first = range->first + values * p / std::min(parts, values),
               next = range->first + values * (p + 1) / std::min(parts, values);
    isl::set common = slice(set, first);
    if (next - 1 > first)
      common = common.intersect(slice(set, next - 1));
    all += double(next - first) * leastOfConvex(common, std::max(parts / 4, 2L));
  }
  return std::max(all, 1.0);
}

} // namespace

double mostPoints(const isl::set &set) {
  if (set.is_empty())
    return 0;
  double product = 1;
  for (int d = 0; d < dimensionsOf(set); ++d) {
    const std::optional<Range> range = rangeOf(set, d);
    if (!range)
      return HUGE_VAL;
    product *= double(range->last - range->first + 1);
  }
  return product;
}

double leastPoints(const isl::set &set) {
  if (isl_set_is_box(set.get()) == isl_bool_true)
    return mostPoints(set);
  double most = 0;
  isl::set all = isl::manage(isl_set_reset_tuple_id(set.copy()));
  all.foreach_basic_set([&](const isl::basic_set &one) {
    // With divisions, values between others may have no point.
    const isl::set convex(one);
    const bool hasDivisions = isl_basic_set_dim(one.get(), isl_dim_div) > 0;
    most = std::max(most, hasDivisions ? double(!convex.is_empty()) : leastOfConvex(convex, kParts));
  });
  return most;
}

} // namespace pbc::poly
