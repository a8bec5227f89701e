// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/schedule/distribute.h"
#include "compiler/schedule/components.h"
#include "compiler/schedule/order.h"
#include "compiler/schedule/walk.h"
#include <algorithm>
#include <isl/aff.h>
#include <isl/schedule.h>
#include <isl/schedule_node.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <vector>

namespace pbc::schedule {

namespace {

/// The loops of which each can be the outermost one: those of the first band, if it may be permuted.
std::vector<isl::multi_union_pw_aff> outermostLoops(const isl::schedule &order) {
  const isl::schedule_node root = isl::manage(isl_schedule_get_root(order.get()));
  const isl::schedule_node band = isl::manage(isl_schedule_node_get_child(root.get(), 0));
  std::vector<isl::multi_union_pw_aff> loops;
  if (isl_schedule_node_get_type(band.get()) != isl_schedule_node_band)
    return loops;
  const auto members = static_cast<unsigned>(isl_schedule_node_band_n_member(band.get()));
  const unsigned count = isl_schedule_node_band_get_permutable(band.get()) == isl_bool_true ? members : 1;
  for (unsigned k = 0; k < count; ++k) {
    isl_multi_union_pw_aff *one = isl_schedule_node_band_get_partial_schedule(band.get());
    one = isl_multi_union_pw_aff_drop_dims(one, isl_dim_out, k + 1, members - k - 1);
    loops.push_back(isl::manage(isl_multi_union_pw_aff_drop_dims(one, isl_dim_out, 0, k)));
  }
  return loops;
}

/// The order without loops of which each step of the loop `turn` around runs one iteration only.
isl::schedule withoutFixed(const isl::schedule &order, const isl::union_map &turn) {
  struct Around {
    isl::union_map turn;
  } around{turn};
  const auto change = [](isl_schedule_node *node, void *user) {
    const isl::union_map &turn = static_cast<Around *>(user)->turn;
    for (int k = 0; isl_schedule_node_get_type(node) == isl_schedule_node_band &&
                    k < isl_schedule_node_band_n_member(node);) {
      isl_multi_union_pw_aff *loops = isl_schedule_node_band_get_partial_schedule(node);
      isl_union_map *member =
          isl_union_map_from_union_pw_aff(isl_multi_union_pw_aff_get_union_pw_aff(loops, k));
      isl_multi_union_pw_aff_free(loops);
      isl_union_map *fixed = isl_union_map_apply_range(isl_union_map_reverse(turn.copy()), member);
      const bool isFixed = isl_union_map_is_single_valued(fixed) == isl_bool_true;
      isl_union_map_free(fixed);
      if (!isFixed) {
        ++k;
        continue;
      }
      if (k > 0) {
        node = isl_schedule_node_child(isl_schedule_node_band_split(node, k), 0);
        k = 0;
      }
      if (isl_schedule_node_band_n_member(node) > 1)
        node = isl_schedule_node_band_split(node, 1);
      node = isl_schedule_node_delete(node);
    }
    return node;
  };
  return isl::manage(isl_schedule_map_schedule_node_bottom_up(order.copy(), change, &around));
}

/// The only variable of the points that the loop moves along; nothing if there are several, or rules have different ones.
std::optional<unsigned> variableOf(const isl::union_pw_aff &loop) {
  struct Found {
    std::optional<unsigned> variable;
    bool isOne = true;
  } found;
  isl_union_pw_aff_foreach_pw_aff(
      loop.get(),
      [](isl_pw_aff *f, void *user) {
        Found &found = *static_cast<Found *>(user);
        for (unsigned d = 0; d < static_cast<unsigned>(isl_pw_aff_dim(f, isl_dim_in)); ++d)
          if (isl_pw_aff_involves_dims(f, isl_dim_in, d, 1) == isl_bool_true) {
            found.isOne = found.isOne && found.variable.value_or(d) == d;
            found.variable = d;
          }
        isl_pw_aff_free(f);
        return isl_stat_ok;
      },
      &found);
  return found.isOne ? found.variable : std::nullopt;
}

/// Nothing if the loop runs along several variables, or its points access more than single cells, which are what takes the time.
std::optional<Walk> walkOfLoop(const isl::union_pw_aff &loop, const std::vector<Cells> &cells) {
  const std::optional<unsigned> variable = variableOf(loop);
  return variable ? walkOf(isl::manage(isl_union_pw_aff_domain(loop.copy())), *variable, cells)
                  : std::nullopt;
}

/// How well the innermost loops suit a processor: for each rule 8 if its first variable, along which cells lie side by side, runs
/// innermost without a dependence, 4 if some other loop has none. Of loops whose points access single cells, one that follows their order in memory
/// is better than a loop along another variable that does not, even if it carries a dependence; and if it adds up one cell, so that several points
/// around it can do that side by side, it is better than any loop against the order in memory.
int suitability(const isl::schedule &order, const std::vector<Cells> &cells) {
  struct Sum {
    const std::vector<Cells> &cells;
    int all = 0;
  } sum{cells};
  isl_schedule_foreach_schedule_node_top_down(
      order.get(),
      [](isl_schedule_node *node, void *user) {
        if (isl_schedule_node_get_type(node) != isl_schedule_node_band)
          return isl_bool_true;
        isl_schedule_node *below = isl_schedule_node_child(isl_schedule_node_copy(node), 0);
        const bool isInnermost = isl_schedule_node_get_type(below) == isl_schedule_node_leaf;
        isl_schedule_node_free(below);
        if (!isInnermost)
          return isl_bool_true;
        const int members = isl_schedule_node_band_n_member(node);
        isl_multi_union_pw_aff *loops = isl_schedule_node_band_get_partial_schedule(node);
        isl_union_pw_aff *last = isl_multi_union_pw_aff_get_union_pw_aff(loops, members - 1);
        Sum &sum = *static_cast<Sum *>(user);
        const std::optional<Walk> walk = walkOfLoop(isl::manage_copy(last), sum.cells);
        isl_multi_union_pw_aff_free(loops);
        bool isFirstVariable = true;
        isl_union_pw_aff_foreach_pw_aff(
            last,
            [](isl_pw_aff *f, void *isFirst) {
              *static_cast<bool *>(isFirst) &= isl_pw_aff_involves_dims(f, isl_dim_in, 0, 1) == isl_bool_true;
              isl_pw_aff_free(f);
              return isl_stat_ok;
            },
            &isFirstVariable);
        isl_union_pw_aff_free(last);
        int here = 0;
        for (int k = 0; k < members; ++k)
          if (isl_schedule_node_band_member_get_coincident(node, k) == isl_bool_true)
            here = std::max(here, k + 1 == members && isFirstVariable ? 8 : 4);
        if (walk && walk->isAgainst)
          here = here == 8 ? 6 : here / 2;
        else if (walk)
          here = here == 8 ? 8 : here == 4 || walk->keepsCells ? 7 : 5;
        sum.all += here;
        return isl_bool_true;
      },
      &sum);
  return sum.all;
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
                                         const isl::set &context, const isl::schedule &whole,
                                         const std::vector<Cells> &cells) {
  std::optional<isl::schedule> best;
  int most = -1;
  for (const isl::multi_union_pw_aff &loop : outermostLoops(whole)) {
    const isl::union_map turn = isl::manage(isl_union_map_from_multi_union_pw_aff(loop.copy()));
    const isl::union_map inSameTurn = dependences.intersect(turn.apply_range(turn.reverse()));
    if (componentsOf(uses, inSameTurn).size() == 1)
      continue;
    const auto parts = inComponents(uses, inSameTurn, context);
    if (!parts)
      continue;
    const isl::schedule inside = withoutFixed(*parts, turn);
    const int suits = suitability(inside, cells);
    if (suits <= most)
      continue;
    most = suits;
    best = isl::manage(isl_schedule_insert_partial_schedule(inside.copy(), loop.copy()));
  }
  return best;
}

} // namespace pbc::schedule
