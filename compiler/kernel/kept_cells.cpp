// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/kept_cells.h"
#include "compiler/kernel/footprint.h"
#include "compiler/kernel/item_values.h"
#include "compiler/kernel/run_rows.h"
#include <algorithm>
#include <isl/id.h>
#include <isl/map.h>
#include <isl/point.h>
#include <isl/set.h>
#include <isl/val.h>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace pbc::kernel {
namespace {

constexpr int kTurnAxis = 2;
using Cell = std::vector<long>;

/// What the item's first point reads of the memory; all of it if that is not known.
isl::set readByFirstPoint(const Scheduled &kernel, int buffer) {
  const Buffer &memory = kernel.buffers[static_cast<std::size_t>(buffer)];
  isl_set *all = nullptr;
  for (const Statement &s : kernel.statements)
    for (const Access &a : s.accesses) {
      if (a.buffer != buffer || a.isWrite || s.copy)
        continue;
      isl_set *read = a.relation.intersect_domain(s.domain).range().release();
      for (int axis = 0; axis < kTurnAxis; ++axis)
        if (const int at = isl_set_find_dim_by_name(read, isl_dim_param, pointParameter(axis).c_str());
            at >= 0)
          read = isl_set_fix_si(read, isl_dim_param, static_cast<unsigned>(at), 0);
      read = isl_set_project_out(read, isl_dim_param, 0,
                                 static_cast<unsigned>(isl_set_dim(read, isl_dim_param)));
      all = all ? isl_set_union(all, read) : read;
    }
  if (!all) {
    isl_space *space = isl_space_set_alloc(kernel.context.ctx().get(), 0, static_cast<unsigned>(memory.rank));
    all = isl_set_empty(space);
  }
  for (std::size_t d = 0; d < memory.ofGroup.size(); ++d) {
    all = isl_set_lower_bound_si(all, isl_dim_set, static_cast<unsigned>(d), 0);
    all = isl_set_upper_bound_si(all, isl_dim_set, static_cast<unsigned>(d),
                                 static_cast<int>(memory.ofGroup[d].extent - 1));
  }
  return isl::manage(all);
}

std::vector<Cell> cellsOf(const isl::set &all) {
  std::vector<Cell> cells;
  isl_set_foreach_point(
      all.get(),
      [](isl_point *point, void *user) {
        Cell cell;
        isl_space *space = isl_point_get_space(point);
        const int dimensions = static_cast<int>(isl_space_dim(space, isl_dim_set));
        isl_space_free(space);
        for (int d = 0; d < dimensions; ++d) {
          isl_val *value = isl_point_get_coordinate_val(point, isl_dim_set, d);
          cell.push_back(isl_val_get_num_si(value));
          isl_val_free(value);
        }
        isl_point_free(point);
        static_cast<std::vector<Cell> *>(user)->push_back(std::move(cell));
        return isl_stat_ok;
      },
      &cells);
  return cells;
}

} // namespace

long keptCells(const Scheduled &kernel, int buffer, std::array<int, 2> points, Turns turns, long planes) {
  const std::vector<GroupDimension> &dimensions = kernel.buffers[static_cast<std::size_t>(buffer)].ofGroup;
  const bool inPlanes = turns == Turns::OfPlanes;
  const long step = inPlanes ? 1 : points[1]; // of a turn, in planes or rows of the memory
  const auto moves = [&](const GroupDimension &d) {
    return inPlanes ? d.axis == kTurnAxis : d.axis == 1 && d.isBlock && d.factor == 1 && d.dimension > 0;
  };
  std::map<Cell, std::set<long>>
      readIn;   // which planes or rows, by the cell's place in it, and where steps are longer, in a step
  long all = 1; // planes or rows
  for (const GroupDimension &d : dimensions)
    if (moves(d))
      all = d.extent + step - 1;
  for (const Cell &read : cellsOf(readByFirstPoint(kernel, buffer)))
    for (int r0 = 0; r0 < points[0]; ++r0)
      for (int r1 = 0; r1 < points[1]; ++r1) {
        Cell place = read;
        long at = 0;
        for (std::size_t d = 0; d < dimensions.size(); ++d) {
          const GroupDimension &along = dimensions[d];
          if (along.axis >= 0 && along.isBlock && along.axis != kTurnAxis)
            place[d] += along.factor * (along.axis == 0 ? r0 : r1);
          if (moves(along))
            at = std::exchange(place[d], place[d] % step);
        }
        readIn[std::move(place)].insert(at);
      }
  long kept = 0;
  for (const auto &[place, read] : readIn) {
    const long loaded = all - planes; // the first plane or row that each turn loads
    kept += *read.begin() < loaded ? (loaded - 1 - *read.begin()) / step + 1 : 0;
    // What the next turn keeps is loaded, too.
    kept += std::count_if(read.begin(), read.end(), [&](long at) { return at >= loaded; }) +
            (*read.begin() < loaded && !read.count(loaded));
  }
  return kept;
}

long planesOfGroup(const Scheduled &kernel, int buffer) {
  for (const Statement &s : kernel.statements)
    if (s.copy && s.copy->to == buffer && s.copy->through >= 0)
      return kernel.buffers[static_cast<std::size_t>(s.copy->through)].buffers - 1;
  return 1;
}

long registersInPlanes(const Scheduled &kernel, int rows) {
  long all = 0;
  for (std::size_t b = 0; b < kernel.buffers.size(); ++b)
    if (const Buffer &memory = kernel.buffers[b]; memory.role == Buffer::Role::Item) {
      const int buffer = static_cast<int>(b);
      all +=
          keptCells(kernel, buffer, {runOf(kernel), rows}, Turns::OfPlanes, planesOfGroup(kernel, buffer)) *
          ((bytesOf(memory.element) + 3) / 4);
    }
  return all;
}

} // namespace pbc::kernel
