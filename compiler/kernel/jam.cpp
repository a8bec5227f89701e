// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/jam.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/tree.h"
#include <cstdlib>
#include <isl/aff.h>
#include <isl/map.h>
#include <isl/schedule.h>
#include <isl/set.h>
#include <set>

namespace pbc::kernel {
namespace {

// With four rows the cells of a stencil are in registers; with two, each row is still read by two of them.
constexpr int kRows = 4;
// Reads left of every ten: if fewer are saved, the wider loop does not pay.
constexpr std::size_t kWorthIt = 6;

bool isLeaf(const isl::schedule_node &node) {
  return isl_schedule_node_get_type(node.get()) == isl_schedule_node_leaf;
}

// Whether the band directly contains the vector loop and nothing else.
bool isAroundVector(const isl::schedule_node &band) {
  if (!isBand(band) || members(band) != 1)
    return false;
  const isl::schedule_node mark = isl::manage(isl_schedule_node_get_child(band.get(), 0));
  if (!realisedAs<as::Vector>(mark))
    return false;
  const isl::schedule_node inner = isl::manage(isl_schedule_node_get_child(mark.get(), 0));
  return isBand(inner) && isLeaf(isl::manage(isl_schedule_node_get_child(inner.get(), 0)));
}

// The number of cells that `rows` neighbours along dimension `y` read together.
std::size_t readTogether(const Scheduled &kernel, const Statement &s, int y, int rows) {
  std::set<std::string> cells;
  for (const Access &a : s.accesses) {
    if (a.isWrite || kernel.buffers[a.buffer].role == Buffer::Role::Local)
      continue;
    for (int row = 0; row < rows; ++row) {
      isl_space *space = isl_space_map_from_set(isl_set_get_space(s.domain.get()));
      isl_multi_aff *shift = isl_multi_aff_identity(space);
      isl_aff *moved = isl_aff_add_constant_si(isl_multi_aff_get_aff(shift, y), row);
      shift = isl_multi_aff_set_aff(shift, y, moved);
      isl_pw_multi_aff *cell = isl_pw_multi_aff_from_map(a.relation.copy());
      cell = isl_pw_multi_aff_gist(cell, isl_pw_multi_aff_domain(isl_pw_multi_aff_copy(cell)));
      cell = isl_pw_multi_aff_pullback_multi_aff(cell, shift);
      char *text = isl_pw_multi_aff_to_str(cell);
      cells.insert(text);
      std::free(text);
      isl_pw_multi_aff_free(cell);
    }
  }
  return cells.size();
}

} // namespace

Outcome jam(const Scheduled &kernel, int rows) {
  std::string why = "no loop is around a vector loop of one statement";
  bool found = false;
  Scheduled changed = kernel;
  changed.schedule.tree = mapBottomUp(kernel.schedule.tree, [&](const isl::schedule_node &band) {
    if (!isAroundVector(band))
      return band;
    const std::vector<std::string> names = statementsAt(band);
    const Statement &s = kernel.statements[statementIndex(kernel, names.front())];
    const int y = memberDimension(kernel, band);
    if (names.size() != 1 || y < 0 || s.isOpaque || !s.op.empty())
      return band;
    if (!isParallel(band, 0, kernel.dependences, false)) {
      why = "its loop over " + s.dimensions[y] + " carries a dependence";
      return band;
    }
    const std::size_t alone = rows ? 0 : kRows * readTogether(kernel, s, y, 1);
    if (!rows && (alone == 0 || 10 * readTogether(kernel, s, y, kRows) > kWorthIt * alone)) {
      why = "neighbours along " + s.dimensions[y] + " share too few of the cells that they read";
      return band;
    }
    found = true;
    return insertMark(band, as::Jam{rows ? rows : kRows});
  });
  if (!found)
    return {std::nullopt, why};
  return {changed, ""};
}

} // namespace pbc::kernel
