// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/formula.h"
#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/val.h>

namespace pbc::kernel {

std::optional<isl::aff> formula(const isl::pw_aff &function) {
  if (isl_pw_aff_n_piece(function.get()) != 1)
    return std::nullopt;
  isl_aff *only = nullptr;
  isl_pw_aff_foreach_piece(
      function.get(),
      [](isl_set *domain, isl_aff *a, void *user) {
        isl_set_free(domain);
        *static_cast<isl_aff **>(user) = a;
        return isl_stat_ok;
      },
      static_cast<void *>(&only));
  return isl::manage(only);
}

isl::union_pw_aff times(const isl::union_pw_aff &f, int factor) {
  isl_val *v = isl_val_int_from_si(isl_union_pw_aff_get_ctx(f.get()), factor);
  return isl::manage(isl_union_pw_aff_scale_val(f.copy(), v));
}

isl::union_pw_aff plus(const isl::union_pw_aff &a, const isl::union_pw_aff &b) {
  return isl::manage(isl_union_pw_aff_add(a.copy(), b.copy()));
}

namespace {

/// How far apart points that agree in all dimensions but the last one, d, may be there.
isl_val *farthest(isl_set *points, int d) {
  isl_map *pairs = isl_map_from_domain_and_range(isl_set_copy(points), points);
  for (int k = 0; k < d; ++k)
    pairs = isl_map_equate(pairs, isl_dim_in, k, isl_dim_out, k);
  isl_set *deltas = isl_set_project_out(isl_map_deltas(pairs), isl_dim_set, 0, d);
  return isl_set_dim_max_val(deltas, 0);
}

} // namespace

std::optional<long> tripCount(const isl::set &domain, int d) {
  const int inner = static_cast<int>(isl_set_dim(domain.get(), isl_dim_set)) - d - 1;
  isl_set *s = isl_set_project_out(domain.copy(), isl_dim_set, d + 1, inner);
  // Most loops run once, and that can be seen of all pieces together: there are as many pairs as the square of their number.
  isl_val *most = farthest(isl_set_from_basic_set(isl_set_simple_hull(isl_set_copy(s))), d);
  if (isl_val_is_zero(most) == isl_bool_true) {
    isl_set_free(s);
  } else {
    isl_val_free(most);
    most = farthest(s, d);
  }
  std::optional<long> count;
  if (isl_val_is_int(most) == isl_bool_true)
    count = isl_val_get_num_si(most) + 1;
  else if (isl_val_is_nan(most) == isl_bool_true)
    count = 0; // no points
  isl_val_free(most);
  return count;
}

bool haveOnePoint(const std::vector<Statement> &statements) {
  for (const Statement &s : statements)
    for (int d = 0; d < s.freeCount; ++d)
      if (const auto count = tripCount(s.domain, d); !count || *count > 1)
        return false;
  return true;
}

} // namespace pbc::kernel
