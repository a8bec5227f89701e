// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/group_reads.h"
#include <fmt/format.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/union_set.h>

namespace pbc::kernel {
namespace {

/// { fill[steps] -> [place] }: what statements read along a dimension of the memory; null if they read nothing.
isl::map placesRead(const Kernel &kernel, const Statement &fill, std::size_t dimension) {
  isl_union_map *reads = isl_union_map_empty_ctx(isl_set_get_ctx(fill.domain.get()));
  for (const Statement &s : kernel.statements)
    for (const Access &a : s.accesses)
      if (!a.isWrite && a.buffer == fill.copy->to && !s.isOpaque)
        reads = isl_union_map_add_map(reads, a.relation.copy());
  const isl::union_map all =
      kernel.dependences.intersect_domain(isl::union_set(fill.domain)).apply_range(isl::manage(reads));
  if (isl_union_map_n_map(all.get()) != 1)
    return {};
  isl_map *places = isl_map_from_union_map(all.copy());
  const auto rank = static_cast<unsigned>(isl_map_dim(places, isl_dim_out));
  const auto d = static_cast<unsigned>(dimension);
  places = isl_map_reset_tuple_id(places, isl_dim_out);
  places = isl_map_project_out(places, isl_dim_out, d + 1, rank - d - 1);
  return isl::manage(isl_map_project_out(places, isl_dim_out, 0, d));
}

} // namespace

isl::set stepsThatReadAll(const Kernel &kernel, const Statement &fill, std::size_t dimension) {
  const GroupDimension &along = kernel.buffers[static_cast<std::size_t>(fill.copy->to)].ofGroup[dimension];
  const isl::map read = along.axis < 0 ? placesRead(kernel, fill, dimension) : isl::map();
  if (read.is_null())
    return fill.domain.subtract(fill.domain);
  if (!along.sizes.empty())
    return fill.domain.subtract(fill.domain);
  const isl::set places(fill.domain.ctx(), fmt::format("{{ [v] : 0 <= v < {} }}", along.extent));
  const isl::map all = isl::manage(isl_map_from_domain_and_range(fill.domain.copy(), places.copy()));
  return fill.domain.subtract(all.subtract(read).domain());
}

} // namespace pbc::kernel
