// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/touched_cells.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>

namespace pbc::kernel {
namespace {

/// What holds when a kernel is called for some points; it is never called for none.
isl::set whenSome(const Scheduled &kernel) {
  isl::set known = kernel.context;
  for (std::size_t k = 0; k < kernel.schedule.taskDimensions.size(); ++k)
    known = known.intersect(
        poly::apart(known.ctx(), fmt::format("pb__low{}", k), fmt::format("pb__high{}", k), 1));
  return known;
}

isl::pw_aff underContext(const isl::pw_aff &f, const isl::set &known) {
  return isl::manage(isl_pw_aff_gist_params(f.copy(), known.copy()));
}

std::optional<isl::set> cells(const Kernel &kernel, int matrix, bool written) {
  isl_set *all = nullptr;
  for (const Statement &s : kernel.statements)
    for (const Access &a : s.accesses)
      if (a.isWrite == written && kernel.buffers[a.buffer].matrix == matrix) {
        isl_set *here = a.relation.intersect_domain(instances(kernel, s)).range().release();
        all = all ? isl_set_union(all, here) : here;
      }
  if (!all)
    return std::nullopt;
  return isl::manage(all);
}

/// Whether every statement that writes the matrix certainly writes all cells of its access.
bool writesSurely(const Kernel &kernel, int matrix) {
  for (const Statement &s : kernel.statements)
    for (std::size_t k = 0, output = 0; s.isOpaque && k < s.arguments.size(); ++k) {
      if (!s.arguments[k].isOutput)
        continue;
      const bool isSure =
          s.onDevice && output < s.onDevice->writesAll.size() && s.onDevice->writesAll[output];
      ++output;
      if (!isSure && kernel.buffers[s.arguments[k].buffer].matrix == matrix)
        return false;
    }
  return true;
}

/// The values between the lowest and the highest; nothing if some are left out.
std::optional<isl::set> interval(const isl::set &values) {
  isl_basic_set *hull = isl_set_simple_hull(values.copy());
  const bool isStrided = isl_basic_set_dim(hull, isl_dim_div) > 0;
  const isl::set all = isl::manage(isl_set_from_basic_set(hull));
  return !isStrided && all.is_subset(values) ? std::optional(all) : std::nullopt;
}

/// Whether `cells` is the product of intervals, for all sizes and parts.
bool isBox(const Scheduled &kernel, const isl::set &cells) {
  const isl::set here = isl::manage(isl_set_intersect_params(cells.copy(), whenSome(kernel).release()));
  const auto rank = static_cast<unsigned>(isl_set_dim(here.get(), isl_dim_set));
  isl::set product = isl::manage(isl_set_universe(isl_set_get_space(here.get())));
  for (unsigned d = 0; d < rank; ++d) {
    isl_set *values = isl_set_project_out(here.copy(), isl_dim_set, d + 1, rank - d - 1);
    const auto whole = interval(isl::manage(isl_set_project_out(values, isl_dim_set, 0, d)));
    if (!whole)
      return false;
    isl_set *spread = isl_set_insert_dims(whole->copy(), isl_dim_set, 0, d);
    spread = isl_set_add_dims(spread, isl_dim_set, rank - d - 1);
    isl_id *name = isl_set_get_tuple_id(here.get());
    product = product.intersect(isl::manage(isl_set_set_tuple_id(spread, name)));
  }
  return product.is_subset(here);
}

} // namespace

isl::set instances(const Kernel &kernel, const Statement &s) {
  return isl::manage(isl_set_intersect_params(s.domain.copy(), kernel.context.copy()));
}

std::optional<isl::set> cellsRead(const Kernel &kernel, int matrix) {
  const auto all = cells(kernel, matrix, false);
  return all ? std::optional(isl::manage(isl_set_from_basic_set(isl_set_simple_hull(all->copy()))))
             : std::nullopt;
}

CellsBox boxAround(const Scheduled &kernel, int matrix, const isl::set &cells) {
  CellsBox box{matrix, {}, {}};
  isl::set known = whenSome(kernel);
  const isl::set exists = isl::manage(isl_set_params(cells.copy()));
  if (!known.is_subset(exists))
    box.condition = isl::manage(isl_set_gist(exists.copy(), known.copy()));
  known = known.intersect(exists);
  for (unsigned d = 0, rank = static_cast<unsigned>(isl_set_dim(cells.get(), isl_dim_set)); d < rank; ++d) {
    isl_val *one = isl_val_one(isl_set_get_ctx(cells.get()));
    const isl::pw_aff end = isl::manage(isl_pw_aff_add_constant_val(poly::dimMax(cells, d).release(), one));
    box.cells.push_back({underContext(poly::dimMin(cells, d), known), underContext(end, known)});
  }
  return box;
}

int mostCases(const Touched &t) {
  int most = 0;
  for (const std::optional<CellsBox> *box : {&t.read, &t.written}) {
    if (!*box)
      continue;
    if ((*box)->condition)
      most = std::max(most, static_cast<int>(isl_set_n_basic_set((*box)->condition->get())));
    for (const Interval &i : (*box)->cells)
      for (const isl::pw_aff &bound : {i.low, i.high})
        most = std::max(most, static_cast<int>(isl_pw_aff_n_piece(bound.get())));
  }
  return most;
}

Touched touchedCells(const Scheduled &kernel, const Buffer &b) {
  Touched t{b.matrix, {}, {}};
  if (const auto read = cellsRead(kernel, b.matrix))
    t.read = boxAround(kernel, b.matrix, *read);
  if (const auto written = cells(kernel, b.matrix, true)) {
    const isl::set hull = isl::manage(isl_set_from_basic_set(isl_set_simple_hull(written->copy())));
    t.written = boxAround(kernel, b.matrix, hull);
    t.covers = isBox(kernel, *written) && writesSurely(kernel, b.matrix);
  }
  return t;
}

} // namespace pbc::kernel
