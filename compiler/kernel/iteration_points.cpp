// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/iteration_points.h"
#include "compiler/kernel/dependences.h"
#include "compiler/kernel/legal.h"
#include "compiler/poly/poly.h"
#include <algorithm>
#include <isl/aff.h>
#include <isl/map.h>
#include <isl/schedule.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/union_set.h>

namespace pbc::kernel {
namespace {

constexpr unsigned long kBudget = 200'000; // operations of isl; more are not worth it

/// The loop around all statements; a null node if there is none.
isl::schedule_node loopAroundAll(const Scheduled &kernel) {
  isl::schedule_node node =
      isl::manage(isl_schedule_node_child(isl_schedule_get_root(kernel.schedule.tree.get()), 0));
  while (isl_schedule_node_get_type(node.get()) == isl_schedule_node_mark)
    node = isl::manage(isl_schedule_node_child(node.release(), 0));
  const bool isLoop = isl_schedule_node_get_type(node.get()) == isl_schedule_node_band &&
                      isl_schedule_node_band_n_member(node.get()) == 1;
  return isLoop ? node : isl::schedule_node();
}

/// { S[y, x] -> [y] }
isl::map iteration(const Statement &s) {
  isl_multi_aff *first = isl_multi_aff_project_out_map(isl_set_get_space(s.domain.get()), isl_dim_set, 1,
                                                       static_cast<unsigned>(s.dimensions.size()) - 1);
  return isl::manage(isl_map_from_multi_aff(first));
}

/// Whether each iteration writes the scalar before it reads it.
bool isOfIteration(const Scheduled &kernel, int scalar) {
  isl::union_map writes = isl::manage(isl_union_map_empty_ctx(isl_set_get_ctx(kernel.context.get()))),
                 reads = writes;
  for (const Statement &s : kernel.statements)
    for (std::size_t k = 0; k < s.accesses.size(); ++k) {
      const Access &a = s.accesses[k];
      if (a.buffer != scalar)
        continue;
      const isl::union_map at(iteration(s).intersect_domain(s.domain));
      if (a.isWrite)
        writes = writes.unite(at);
      if (!a.isWrite || !s.op.empty())
        reads = reads.unite(at);
    }
  const isl::union_map order = isl::manage(isl_schedule_get_map(kernel.schedule.tree.get())),
                       before = isl::manage(isl_union_map_lex_lt_union_map(order.copy(), order.copy()));
  return reads.domain().is_subset(writes.apply_range(reads.reverse()).intersect(before).range());
}

} // namespace

void iterationsAsPoints(Scheduled &kernel) {
  const isl::schedule_node loop = loopAroundAll(kernel);
  if (loop.is_null() ||
      !std::all_of(kernel.statements.begin(), kernel.statements.end(), [](const Statement &s) {
        return !s.isOpaque && s.freeCount == 0 && !s.dimensions.empty();
      }))
    return;
  std::set<int> matrices, scalars;
  for (const Statement &s : kernel.statements)
    for (const Access &a : s.accesses)
      (kernel.buffers[static_cast<std::size_t>(a.buffer)].role == Buffer::Role::Local ? scalars : matrices)
          .insert(a.buffer);
  bool areApart = false;
  poly::withBudget(kernel.context.ctx(), kBudget, [&] {
    areApart = isParallel(loop, 0, dependences(kernel, matrices)) &&
               std::all_of(scalars.begin(), scalars.end(), [&](int b) { return isOfIteration(kernel, b); });
  });
  if (!areApart)
    return;
  for (Statement &s : kernel.statements) {
    s.freeCount = 1;
    for (Access &a : s.accesses)
      if (scalars.contains(a.buffer))
        a.relation = isl::manage(
            isl_map_set_tuple_name(iteration(s).release(), isl_dim_out,
                                   kernel.buffers[static_cast<std::size_t>(a.buffer)].name.c_str()));
  }
  for (const int b : scalars)
    kernel.buffers[static_cast<std::size_t>(b)].rank = 1;
}

} // namespace pbc::kernel
