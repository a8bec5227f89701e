// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/mirrored.h"
#include "compiler/kernel/buffer_names.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/space.h>

namespace pbc::kernel {
namespace {

/// The relation without names, so that those of different statements can be compared.
isl::map plain(const isl::map &relation) {
  isl_map *m = isl_map_reset_tuple_id(relation.copy(), isl_dim_in);
  return isl::manage(isl_map_reset_tuple_id(m, isl_dim_out));
}

} // namespace

isl::map acrossDiagonal(const isl::set &cells) {
  isl_space *space = isl_space_map_from_set(isl_set_get_space(cells.get()));
  isl_map *all = isl_map_universe(space);
  all = isl_map_equate(all, isl_dim_in, 0, isl_dim_out, 1);
  return isl::manage(isl_map_equate(all, isl_dim_in, 1, isl_dim_out, 0));
}

std::optional<isl::set> readDirectly(const Kernel &kernel, int matrix) {
  isl::set all;
  for (const Statement &s : kernel.statements)
    for (const Access &a : s.accesses) {
      if (a.buffer != matrix || a.isWrite || s.copy)
        continue;
      const isl::set cells =
          isl::manage(isl_set_reset_tuple_id(a.relation.intersect_domain(s.domain).range().release()));
      all = all.is_null() ? cells : all.unite(cells);
    }
  if (all.is_null())
    return std::nullopt;
  return all.intersect_params(kernel.context).coalesce();
}

std::optional<Half> storedHalf(const isl::set &cells, const isl::set &stored) {
  const isl::map across = acrossDiagonal(cells);
  for (const Half half : {Half::Lower, Half::Upper}) {
    const isl::set triangle(cells.ctx(), half == Half::Lower ? "{ [x, y] : x <= y }" : "{ [x, y] : y <= x }");
    const isl::set inside = cells.intersect(triangle);
    if (inside.is_subset(stored) && cells.subtract(inside).apply(across).is_subset(stored))
      return half;
  }
  return std::nullopt;
}

MirroredReads mirrorReads(Kernel &kernel, int matrix) {
  MirroredReads made;
  const std::string name = programName(kernel, matrix);
  if (kernel.buffers[static_cast<std::size_t>(matrix)].rank != 2)
    return {{}, fmt::format("`{}` has not two dimensions", name)};
  std::vector<Access *> reads;
  for (Statement &s : kernel.statements)
    for (Access &a : s.accesses) {
      if (a.buffer != matrix)
        continue;
      if (a.isWrite || s.isOpaque)
        return {{}, fmt::format("the kernel writes `{}`", name)};
      if (s.copy)
        return {{}, fmt::format("groups or items copy `{}` already", name)};
      reads.push_back(&a);
    }
  if (reads.empty())
    return {{}, fmt::format("the kernel does not read `{}`", name)};
  made.stored = *readDirectly(kernel, matrix);
  // Copies are read along their rows by the innermost loop, if some read goes along rows.
  const auto alongRows = std::find_if(reads.begin(), reads.end(), [](const Access *a) {
    const auto last = isl_map_dim(a->relation.get(), isl_dim_in) - 1;
    isl_map *column = isl_map_project_out(a->relation.copy(), isl_dim_out, 1, 1);
    const bool moves =
        isl_map_involves_dims(column, isl_dim_in, static_cast<unsigned>(last), 1) == isl_bool_true;
    isl_map_free(column);
    return moves;
  });
  const isl::map first = plain((alongRows == reads.end() ? reads.front() : *alongRows)->relation);
  bool isTurned = false;
  for (Access *a : reads) {
    const isl::map here = plain(a->relation);
    if (here.is_equal(first) || isl_map_has_equal_space(here.get(), first.get()) != isl_bool_true)
      continue;
    const isl::map other = here.apply_range(acrossDiagonal(made.stored));
    if (!other.is_equal(first))
      continue;
    isl_id *from = isl_map_get_tuple_id(a->relation.get(), isl_dim_in),
           *to = isl_map_get_tuple_id(a->relation.get(), isl_dim_out);
    a->relation = isl::manage(
        isl_map_set_tuple_id(isl_map_set_tuple_id(other.copy(), isl_dim_in, from), isl_dim_out, to));
    isTurned = true;
  }
  if (!isTurned)
    made.why = fmt::format("no reads of `{}` mirror each other", name);
  return made;
}

} // namespace pbc::kernel
