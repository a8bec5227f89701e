// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/dependences.h"
#include <isl/schedule.h>
#include <isl/union_map.h>
#include <isl/union_set.h>

namespace pbc::kernel {

namespace {

/// All pairs of instances that touch the same element, one of them writing. `buffers`: null: of all buffers.
isl::union_map conflicts(const Scheduled &kernel, const std::set<int> *buffers) {
  isl::ctx ctx(isl_schedule_get_ctx(kernel.schedule.tree.get()));
  isl::union_map reads = isl::manage(isl_union_map_empty_ctx(ctx.get())), writes = reads;
  auto add = [](isl::union_map &to, const isl::map &m) {
    to = isl::manage(isl_union_map_add_map(to.release(), m.copy()));
  };
  for (const Statement &s : kernel.statements) {
    for (std::size_t k = 0; k < s.accesses.size(); ++k) {
      const Access &a = s.accesses[k];
      if (buffers && !buffers->count(a.buffer))
        continue;
      const isl::map touched = a.relation.intersect_domain(s.domain);
      add(a.isWrite ? writes : reads, touched);
      // `x += v` reads what it writes; an opaque body may read its outputs.
      if (a.isWrite && (s.isOpaque || !s.op.empty()))
        add(reads, touched);
    }
  }
  const isl::union_map touching = writes.unite(reads);
  return writes.apply_range(touching.reverse()).unite(touching.apply_range(writes.reverse()));
}

/// Those whose order the schedule decides.
isl::union_map ordered(const Scheduled &kernel, const std::set<int> *buffers) {
  const isl::union_map order = isl::manage(isl_schedule_get_map(kernel.schedule.tree.get()));
  const isl::union_map before = isl::manage(isl_union_map_lex_lt_union_map(order.copy(), order.copy()));
  return conflicts(kernel, buffers).intersect(before).coalesce();
}

} // namespace

isl::union_map dependences(const Scheduled &kernel) { return ordered(kernel, nullptr); }

isl::union_map dependences(const Scheduled &kernel, const std::set<int> &buffers) {
  return ordered(kernel, &buffers);
}

isl::union_map unordered(const Scheduled &kernel) {
  const isl::union_map order = isl::manage(isl_schedule_get_map(kernel.schedule.tree.get()));
  const isl::union_set all = isl::manage(isl_schedule_get_domain(kernel.schedule.tree.get()));
  const isl::union_map self = isl::manage(isl_union_set_identity(all.copy()));
  const isl::union_map atOnce = order.apply_range(order.reverse()).intersect_params(kernel.context);
  return conflicts(kernel, nullptr)
      .intersect_domain(all)
      .intersect_range(all)
      .intersect(atOnce)
      .subtract(self);
}

} // namespace pbc::kernel
