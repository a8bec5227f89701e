// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/along.h"
#include "compiler/kernel/formula.h"
#include <algorithm>
#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>

namespace pbc::kernel {
namespace {

/// By how much coordinate `c` of the cell changes with dimension `d`; nothing if it has cases, or divisions that change with it.
std::optional<long> stepOf(const Access &a, int c, int d) {
  const isl::pw_multi_aff place = isl::manage(isl_pw_multi_aff_from_map(a.relation.copy()));
  const auto f = formula(isl::manage(isl_pw_multi_aff_get_pw_aff(place.get(), c)));
  if (!f)
    return std::nullopt;
  if (isl_aff_involves_dims(f->get(), isl_dim_in, static_cast<unsigned>(d), 1) != isl_bool_true)
    return 0; // a version in one of several slots, `t mod 2`, is the same all along a row
  if (isl_aff_dim(f->get(), isl_dim_div) > 0)
    return std::nullopt;
  isl_val *v = isl_aff_get_coefficient_val(f->get(), isl_dim_in, d);
  const long value = isl_val_get_num_si(v);
  isl_val_free(v);
  return value;
}

} // namespace

std::optional<Along> along(const Kernel &kernel, const Access &a, int d) {
  Along found = Along::Nowhere;
  for (int c = 0; c < kernel.buffers[a.buffer].rank; ++c) {
    const std::optional<long> step = stepOf(a, c, d);
    if (!step)
      return std::nullopt;
    if (*step != 0)
      found = c == 0 && *step == 1 && found == Along::Nowhere ? Along::Contiguous : Along::Strided;
  }
  return found;
}

long coefficient(const Access &a, int c, int d) { return stepOf(a, c, d).value_or(0); }

int contiguousVariable(const Kernel &kernel, const Statement &s) {
  if (s.write < 0) // a call of a body, which may write several matrices
    return -1;
  const Access &a = s.accesses[s.write];
  if (kernel.buffers[a.buffer].role == Buffer::Role::Local || kernel.buffers[a.buffer].rank == 0)
    return -1;
  isl_pw_multi_aff *at = isl_pw_multi_aff_from_map(a.relation.copy());
  isl_pw_aff *x = isl_pw_multi_aff_get_pw_aff(at, 0);
  isl_pw_multi_aff_free(at);
  int found = -1;
  for (int d = 0; d < s.freeCount && found < 0; ++d)
    if (isl_pw_aff_involves_dims(x, isl_dim_in, d, 1) == isl_bool_true)
      found = d;
  isl_pw_aff_free(x);
  return found;
}

bool movesWith(const Kernel &kernel, const Statement &s, const Expr &e, int d) {
  if (e.kind == Expr::Kind::Dimension)
    return e.index == d;
  if (e.kind == Expr::Kind::Read) {
    const Access &a = s.accesses[e.index];
    return kernel.buffers[a.buffer].role == Buffer::Role::Local || along(kernel, a, d) != Along::Nowhere;
  }
  return std::any_of(e.operands.begin(), e.operands.end(),
                     [&](const ExprPtr &o) { return movesWith(kernel, s, *o, d); });
}

bool boundsMoveWith(const isl::set &domain, int d, int point) {
  const auto kept = static_cast<unsigned>(std::max(d, point)) + 1;
  const auto inner = static_cast<unsigned>(isl_set_dim(domain.get(), isl_dim_set)) - kept;
  isl_set *bounds = isl_set_project_out(domain.copy(), isl_dim_set, kept, inner);
  const isl::set exact = isl::manage(isl_set_reset_tuple_id(bounds));
  const isl::set free =
      isl::manage(isl_set_eliminate(exact.copy(), isl_dim_set, static_cast<unsigned>(point), 1));
  isl_set *points = isl_set_project_out(exact.copy(), isl_dim_set, static_cast<unsigned>(d), 1);
  points = isl_set_insert_dims(points, isl_dim_set, static_cast<unsigned>(d), 1);
  return !free.intersect(isl::manage(isl_set_reset_tuple_id(points))).is_equal(exact);
}

} // namespace pbc::kernel
