// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/iterations.h"
#include <fmt/format.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/union_set.h>

namespace pbc::kernel {
namespace {

/// The distance between the values of the last dimension.
long stepOf(const isl::union_map &around, const isl::union_map &own) {
  isl_set *values = isl_set_from_union_set(
      isl_union_map_range(isl_union_map_flat_range_product(around.copy(), own.copy())));
  const int last = static_cast<int>(isl_set_dim(values, isl_dim_set)) - 1;
  const isl::val step = isl::manage(isl_set_get_stride(values, last));
  isl_set_free(values);
  return step.num_si();
}

} // namespace

Iterations::Iterations(const LoopNode &loop)
    : all_(isl::manage(isl_schedule_node_get_domain(loop.band.get()))),
      around_(isl::manage(isl_schedule_node_get_prefix_schedule_union_map(loop.band.get()))
                  .intersect_domain(all_)),
      own_(isl::manage(isl_union_map_from_union_pw_aff(member(loop.band, 0).release()))
               .intersect_domain(all_)) {}

isl::union_set Iterations::near(End end, long count) const {
  isl_map *values = isl_map_from_union_map(around_.reverse().apply_range(own_).release());
  const isl::map outermost = isl::manage(end == End::Low ? isl_map_lexmin(values) : isl_map_lexmax(values));
  const isl::union_map from = around_.apply_range(isl::union_map(outermost));
  const isl::union_map both = isl::manage(isl_union_map_flat_range_product(own_.copy(), from.copy()));
  const long distance = count * stepOf(around_, own_);
  const isl::set isNear(all_.ctx(), end == End::Low ? fmt::format("{{ [v, e] : v < e + {} }}", distance)
                                                    : fmt::format("{{ [v, e] : v > e - {} }}", distance));
  return both.intersect_range(isl::union_set(isNear)).domain();
}

isl::union_set Iterations::first(long count) const { return near(End::Low, count); }
isl::union_set Iterations::last(long count) const { return near(End::High, count); }

} // namespace pbc::kernel
