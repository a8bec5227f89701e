// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/schedule/distribute.h"
#include "compiler/schedule/components.h"
#include "compiler/schedule/order.h"
#include <isl/aff.h>
#include <isl/schedule.h>
#include <isl/schedule_node.h>
#include <isl/set.h>
#include <isl/union_map.h>

namespace pbc::schedule {

namespace {

/// The outermost loop of an order that begins with loops over all uses.
std::optional<isl::multi_union_pw_aff> outermostLoop(const isl::schedule &order) {
  const isl::schedule_node root = isl::manage(isl_schedule_get_root(order.get()));
  const isl::schedule_node band = isl::manage(isl_schedule_node_get_child(root.get(), 0));
  if (isl_schedule_node_get_type(band.get()) != isl_schedule_node_band)
    return std::nullopt;
  isl_multi_union_pw_aff *loops = isl_schedule_node_band_get_partial_schedule(band.get());
  const auto members = static_cast<unsigned>(isl_schedule_node_band_n_member(band.get()));
  return isl::manage(isl_multi_union_pw_aff_drop_dims(loops, isl_dim_out, 1, members - 1));
}

} // namespace

std::optional<isl::schedule> inComponents(const std::vector<RuleUse> &uses, const isl::union_map &dependences,
                                          const isl::set &context) {
  isl_schedule *all = nullptr;
  for (const std::vector<int> &component : componentsOf(uses, dependences)) {
    std::vector<RuleUse> own;
    isl::union_map among = isl::manage(isl_union_map_empty(isl_union_map_get_space(dependences.get())));
    for (const int a : component) {
      own.push_back(uses[static_cast<std::size_t>(a)]);
      for (const int b : component)
        among = among.unite(dependencesBetween(dependences, uses[static_cast<std::size_t>(a)],
                                               uses[static_cast<std::size_t>(b)]));
    }
    const auto order = orderOf(own, among, context);
    if (!order) {
      isl_schedule_free(all);
      return std::nullopt;
    }
    all = all ? isl_schedule_sequence(all, order->copy()) : order->copy();
  }
  return isl::manage(all);
}

std::optional<isl::schedule> distributed(const std::vector<RuleUse> &uses, const isl::union_map &dependences,
                                         const isl::set &context, const isl::schedule &whole) {
  const auto loop = outermostLoop(whole);
  if (!loop)
    return std::nullopt;
  const isl::union_map turn = isl::manage(isl_union_map_from_multi_union_pw_aff(loop->copy()));
  const isl::union_map inSameTurn = dependences.intersect(turn.apply_range(turn.reverse()));
  if (componentsOf(uses, inSameTurn).size() == 1)
    return std::nullopt;
  const auto inside = inComponents(uses, inSameTurn, context);
  if (!inside)
    return std::nullopt;
  return isl::manage(isl_schedule_insert_partial_schedule(inside->copy(), loop->copy()));
}

} // namespace pbc::schedule
