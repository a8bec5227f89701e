// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/loop/pieces_apart.h"
#include "compiler/kernel/tree.h"
#include <algorithm>
#include <isl/aff.h>
#include <isl/constraint.h>
#include <isl/schedule_node.h>
#include <isl/set.h>

namespace pbc::loop {
namespace {

/// Realisations of a loop that those of its parts can have as well.
bool mayBeInParts(const kernel::Mark &mark) {
  const auto *how = std::get_if<kernel::Realisation>(&mark);
  return !how || std::holds_alternative<kernel::as::Vector>(*how) ||
         std::holds_alternative<kernel::as::Scalar>(*how) || std::holds_alternative<kernel::as::Rolled>(*how);
}

bool allParallel(const isl::schedule_node &band) {
  for (int k = 0; k < kernel::members(band); ++k)
    if (isl_schedule_node_band_member_get_coincident(band.get(), k) != isl_bool_true)
      return false;
  return true;
}

/// Whether all loops at this node and below have one statement, and run in any order.
bool isInAnyOrder(isl::schedule_node node) {
  bool hasLoops = false;
  for (; isl_schedule_node_get_type(node.get()) != isl_schedule_node_leaf; node = node.child(0)) {
    if (const std::optional<kernel::Mark> mark = kernel::markAt(node)) {
      if (!mayBeInParts(*mark))
        return false;
      continue;
    }
    if (!kernel::isBand(node) || !allParallel(node))
      return false;
    hasLoops = true;
  }
  return hasLoops;
}

/// More values of a dimension than those of the borders of windows.
constexpr long kMostAcross = 32;

/// What a constraint says is at least 0, or is 0, as a function of the point.
struct Known {
  isl::aff function;
  bool isZero;
};

std::vector<Known> constraintsOf(const isl::basic_set &piece) {
  isl_constraint_list *all = isl_basic_set_get_constraint_list(piece.get());
  std::vector<Known> known;
  for (int k = 0, n = static_cast<int>(isl_constraint_list_n_constraint(all)); k < n; ++k) {
    isl_constraint *c = isl_constraint_list_get_constraint(all, k);
    known.push_back({isl::manage(isl_constraint_get_aff(c)), isl_constraint_is_equality(c) == isl_bool_true});
    isl_constraint_free(c);
  }
  isl_constraint_list_free(all);
  return known;
}

/// Whether a bound of the dimension that depends on sizes only is followed by another one after a few values.
bool isNarrowAlong(const std::vector<Known> &constraints, int d) {
  const auto bounds = [&](const isl::aff &f) {
    int involved = 0;
    for (int other = 0, n = static_cast<int>(isl_aff_dim(f.get(), isl_dim_in)); other < n; ++other)
      involved +=
          isl_aff_involves_dims(f.get(), isl_dim_in, static_cast<unsigned>(other), 1) == isl_bool_true;
    const auto divisions = static_cast<unsigned>(isl_aff_dim(f.get(), isl_dim_div));
    return involved == 1 &&
           isl_aff_involves_dims(f.get(), isl_dim_in, static_cast<unsigned>(d), 1) == isl_bool_true &&
           isl_aff_involves_dims(f.get(), isl_dim_div, 0, divisions) != isl_bool_true;
  };
  for (std::size_t k = 0; k < constraints.size(); ++k) {
    if (!bounds(constraints[k].function))
      continue;
    if (constraints[k].isZero)
      return true;
    for (std::size_t other = 0; other < k; ++other) {
      if (!bounds(constraints[other].function))
        continue;
      const isl::aff both = constraints[k].function.add(constraints[other].function);
      if (isl_aff_is_cst(both.get()) == isl_bool_true && both.constant_val().num_si() < kMostAcross)
        return true;
    }
  }
  return false;
}

bool isBorderPiece(const isl::basic_set &piece) {
  const std::vector<Known> constraints = constraintsOf(piece);
  for (int d = 0, n = static_cast<int>(isl_basic_set_dim(piece.get(), isl_dim_set)); d < n; ++d)
    if (isNarrowAlong(constraints, d))
      return true;
  return false;
}

/// The points in parts that have none in common: what is no border, then the borders.
std::vector<isl::set> piecesOf(const isl::set &points) {
  isl::set inner = isl::set::empty(points.space());
  std::vector<isl::set> parts;
  points.foreach_basic_set([&](const isl::basic_set &piece) {
    if (isBorderPiece(piece))
      parts.emplace_back(piece);
    else
      inner = inner.unite(isl::set(piece));
  });
  parts.insert(parts.begin(), inner);
  for (std::size_t k = 1; k < parts.size(); ++k)
    for (std::size_t before = 0; before < k; ++before)
      if (!parts[k].is_disjoint(parts[before]))
        parts[k] = parts[k].subtract(parts[before]).coalesce();
  std::erase_if(parts, [](const isl::set &part) { return part.is_empty(); });
  return parts;
}

} // namespace

isl::schedule withPiecesApart(const kernel::Scheduled &kernel, const isl::schedule &schedule) {
  if (kernel.schedule.target == kernel::Target::Device)
    return schedule;
  return kernel::mapBottomUp(schedule, [](isl::schedule_node node) {
    // The outermost of the loops is at the root, below a filter of a sequence, or below a loop that is not free.
    if (!isInAnyOrder(node) || isInAnyOrder(node.parent()))
      return node;
    const isl::union_set domain = isl::manage(isl_schedule_node_get_domain(node.get()));
    if (isl_union_set_n_set(domain.get()) != 1)
      return node;
    const std::vector<isl::set> parts = piecesOf(isl::manage(isl_set_from_union_set(domain.copy())));
    if (parts.size() < 2)
      return node;
    isl_union_set_list *filters =
        isl_union_set_list_alloc(isl_schedule_node_get_ctx(node.get()), static_cast<int>(parts.size()));
    for (const isl::set &part : parts)
      filters = isl_union_set_list_add(filters, isl::union_set(part).release());
    return isl::manage(isl_schedule_node_insert_sequence(node.release(), filters));
  });
}

} // namespace pbc::loop
