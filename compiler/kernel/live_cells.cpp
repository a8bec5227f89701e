// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/live_cells.h"
#include <algorithm>
#include <isl/flow.h>
#include <isl/map.h>
#include <isl/schedule.h>
#include <isl/schedule_node.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/union_set.h>
#include <isl/val.h>
#include <numeric>

namespace pbc::kernel {
namespace {

/// What the statements read and write of one buffer, and when.
struct Uses {
  isl::union_map reads, writes; // { S[i] -> T[cell] }
};

Uses usesOf(const Scheduled &kernel, int buffer) {
  isl_ctx *ctx = isl_set_get_ctx(kernel.context.get());
  Uses all{isl::manage(isl_union_map_empty_ctx(ctx)), isl::manage(isl_union_map_empty_ctx(ctx))};
  const isl::union_set domain = isl::manage(isl_schedule_get_domain(kernel.schedule.tree.get()));
  for (const Statement &s : kernel.statements)
    for (const Access &a : s.accesses) {
      if (a.buffer != buffer)
        continue;
      const isl::union_map touched = isl::union_map(a.relation.intersect_domain(s.domain))
                                         .intersect_domain(domain)
                                         .intersect_params(kernel.context);
      if (a.isWrite)
        all.writes = all.writes.unite(touched);
      if (!a.isWrite || !s.op.empty())
        all.reads = all.reads.unite(touched);
    }
  return all;
}

/// Which write each read gets its value from.
struct Flow {
  isl::union_map values;    // { write -> [read -> cell] }
  isl::union_map unwritten; // { read -> cell }
};

Flow flowOf(const Scheduled &kernel, const Uses &uses) {
  isl_union_access_info *info = isl_union_access_info_from_sink(uses.reads.copy());
  info = isl_union_access_info_set_must_source(info, uses.writes.copy());
  info = isl_union_access_info_set_schedule_map(info, isl_schedule_get_map(kernel.schedule.tree.get()));
  isl_union_flow *flow = isl_union_access_info_compute_flow(info);
  if (!flow)
    isl::exception::throw_last_error(kernel.context.ctx());
  Flow found{isl::manage(isl_union_flow_get_full_must_dependence(flow)),
             isl::manage(isl_union_flow_get_must_no_source(flow))};
  isl_union_flow_free(flow);
  return found;
}

/// { T[cell] -> [[step of the write] -> [step of the read]] } for the values; null if there are none.
isl::map livesOf(const Flow &flow, const isl::union_map &steps) {
  const isl::union_map fromWrites = isl::manage(isl_union_map_curry(isl_union_map_reverse(
      isl_union_map_apply_domain(flow.values.copy(), steps.copy())))); // { read -> [cell -> step] }
  const isl::union_map both = isl::manage(isl_union_map_curry(
      isl_union_map_reverse(isl_union_map_apply_domain(fromWrites.copy(), steps.copy()))));
  return both.is_empty() ? isl::map() : isl::manage(isl_map_from_union_map(both.copy()));
}

/// { [a -> b] -> t : a <= t <= b }, each pair of steps being one of these.
isl::map between(const isl::set &pairs) {
  const isl::map pair = isl::manage(isl_set_unwrap(isl_set_universe(isl_set_get_space(pairs.get()))));
  isl_space *step = isl_space_domain(isl_map_get_space(pair.get()));
  isl_map *after = isl_map_apply_range(isl_map_domain_map(pair.copy()), isl_map_lex_le(isl_space_copy(step)));
  isl_map *before = isl_map_apply_range(isl_map_range_map(pair.copy()), isl_map_lex_ge(step));
  return isl::manage(isl_map_intersect(after, before));
}

std::size_t equalDimensions(const isl::set &pairs) {
  const isl::set moved = isl::manage(isl_map_deltas(isl_set_unwrap(pairs.copy())));
  const int all = static_cast<int>(isl_set_dim(moved.get(), isl_dim_set));
  for (int d = 0; d < all; ++d) {
    const isl::set still =
        isl::manage(isl_set_fix_si(moved.copy(), isl_dim_set, static_cast<unsigned>(d), 0));
    if (!moved.is_subset(still))
      return static_cast<std::size_t>(d);
  }
  return static_cast<std::size_t>(all);
}

} // namespace

LiveCells liveCells(const Scheduled &kernel, int buffer, const isl::schedule_node &at) {
  LiveCells out;
  const Uses uses = usesOf(kernel, buffer);
  const Flow flow = flowOf(kernel, uses);
  for (const Statement &s : kernel.statements)
    if (out.unwritten.empty() && !flow.unwritten.intersect_domain(isl::union_set(s.domain)).is_empty())
      out.unwritten = s.name;
  isl_schedule_node *inside = isl_schedule_node_child(at.copy(), 0);
  isl_union_map *order = isl_schedule_node_get_prefix_schedule_union_map(inside);
  isl_schedule_node_free(inside);
  const isl::union_map steps = isl::manage(order).intersect_params(kernel.context);
  // A value that nobody reads lives in the step that writes it.
  const isl::union_map written = uses.writes.reverse().apply_range(steps);
  isl::map live = isl::manage(isl_map_from_union_map(written.copy()));
  out.closed = static_cast<std::size_t>(isl_map_dim(live.get(), isl_dim_out));
  if (const isl::map lives = livesOf(flow, steps); !lives.is_null()) {
    const isl::set pairs = lives.range();
    out.closed = equalDimensions(pairs);
    const isl::set all = isl::manage(isl_set_from_union_set(isl_union_map_range(steps.copy())));
    if (out.closed < static_cast<std::size_t>(isl_map_dim(live.get(), isl_dim_out)))
      live = live.unite(lives.apply_range(between(pairs)).intersect_range(all));
  }
  live = poly::simplified(live);
  out.differences = poly::simplified(isl::manage(isl_map_deltas(live.apply_range(live.reverse()).release())));
  return out;
}

std::vector<std::optional<long>> moduliOf(const LiveCells &cells) {
  constexpr std::size_t kMostOrders = 4; // 24 of them
  const auto rank = static_cast<std::size_t>(isl_set_dim(cells.differences.get(), isl_dim_set));
  std::vector<int> order(rank);
  std::iota(order.begin(), order.end(), 0);
  std::vector<std::optional<long>> best;
  const auto isBetter = [&](const std::vector<std::optional<long>> &a) {
    const auto size = [](const std::vector<std::optional<long>> &moduli) {
      std::pair<long, double> all{0, 1};
      for (const std::optional<long> &m : moduli)
        all.first += !m, all.second *= m ? static_cast<double>(*m) : 1;
      return all;
    };
    return best.size() != rank || size(a) < size(best);
  };
  do {
    std::vector<std::optional<long>> moduli(rank);
    isl::set left = cells.differences;
    for (const int d : order) {
      isl_val *most = isl_set_dim_max_val(left.copy(), d);
      if (isl_val_is_int(most) == isl_bool_true)
        moduli[static_cast<std::size_t>(d)] = isl_val_get_num_si(most) + 1;
      isl_val_free(most);
      left = isl::manage(isl_set_fix_si(left.release(), isl_dim_set, static_cast<unsigned>(d), 0));
    }
    if (isBetter(moduli))
      best = std::move(moduli);
  } while (rank <= kMostOrders && std::next_permutation(order.begin(), order.end()));
  return best;
}

} // namespace pbc::kernel
