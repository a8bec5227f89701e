// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/iterations.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/aff.h>
#include <isl/fixed_box.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/stride_info.h>
#include <isl/union_map.h>
#include <isl/union_set.h>
#include <memory>

namespace pbc::kernel {
namespace {

/// The distance between the values of the last dimension.
long stepOf(const isl::union_map &around, const isl::union_map &own) {
  isl_set *values = isl_set_from_union_set(
      isl_union_map_range(isl_union_map_flat_range_product(around.copy(), own.copy())));
  const int last = static_cast<int>(isl_set_dim(values, isl_dim_set)) - 1;
  const isl::val step = isl::manage(isl_set_get_stride(values, last));
  isl_set_free(values);
  return step.num_si();
}

/// From the instances at the loop to the values of the loops around it.
isl::union_map valuesAround(const LoopNode &loop) {
  const isl::union_set all = isl::manage(isl_schedule_node_get_domain(loop.band.get()));
  return isl::manage(isl_schedule_node_get_prefix_schedule_union_map(loop.band.get())).intersect_domain(all);
}
/// To those of the loop itself.
isl::union_map valuesOf(const LoopNode &loop) {
  const isl::union_set all = isl::manage(isl_schedule_node_get_domain(loop.band.get()));
  return isl::manage(isl_union_map_from_union_pw_aff(member(loop.band, 0).release())).intersect_domain(all);
}
/// To both. The product comes before the instances, whose constraints and divisions it would have twice.
isl::union_map valuesWith(const LoopNode &loop) {
  isl_union_map *around = isl_schedule_node_get_prefix_schedule_union_map(loop.band.get()),
                *own = isl_union_map_from_union_pw_aff(member(loop.band, 0).release());
  const isl::union_set all = isl::manage(isl_schedule_node_get_domain(loop.band.get()));
  return isl::manage(isl_union_map_flat_range_product(around, own)).intersect_domain(all);
}

/// The innermost loop around this one, which has one.
LoopNode loopAround(const LoopNode &loop) {
  isl::schedule_node node = loop.top.parent();
  while (!loopAt(node))
    node = node.parent();
  return *loopAt(node);
}

isl::set rangeOf(const isl::union_map &values) {
  return isl::manage(isl_set_from_union_set(values.range().release()));
}

} // namespace

isl::set stepsOf(const LoopNode &loop, const isl::set &sizes) {
  return rangeOf(valuesWith(loop)).intersect_params(sizes);
}

bool isOfAllStatements(const LoopNode &loop, const isl::set &sizes) {
  const isl::union_map values = valuesWith(loop);
  const isl::set steps = rangeOf(values).intersect_params(sizes);
  const isl::union_set all = isl::manage(isl_schedule_node_get_domain(loop.band.get()));
  bool isOfAll = true;
  all.foreach_set([&](const isl::set &instances) {
    isOfAll = isOfAll && steps.is_subset(rangeOf(values.intersect_domain(isl::union_set(instances))));
  });
  return isOfAll;
}

Iterations::Iterations(const LoopNode &loop)
    : all_(isl::manage(isl_schedule_node_get_domain(loop.band.get()))), around_(valuesAround(loop)),
      own_(valuesOf(loop)) {}

isl::union_set Iterations::near(End end, long count) const {
  isl_map *values = isl_map_from_union_map(around_.reverse().apply_range(own_).release());
  const isl::map outermost = isl::manage(end == End::Low ? isl_map_lexmin(values) : isl_map_lexmax(values));
  const isl::union_map from = around_.apply_range(isl::union_map(outermost));
  const isl::union_map both = isl::manage(isl_union_map_flat_range_product(own_.copy(), from.copy()));
  const long distance = count * stepOf(around_, own_);
  const isl::set isNear(all_.ctx(), end == End::Low ? fmt::format("{{ [v, e] : v < e + {} }}", distance)
                                                    : fmt::format("{{ [v, e] : v > e - {} }}", distance));
  return both.intersect_range(isl::union_set(isNear)).domain();
}

Alike alike(const LoopNode &loop, const LoopNode &along) {
  const auto outside = static_cast<unsigned>(isl_schedule_node_get_schedule_depth(along.band.get()));
  const auto around = static_cast<unsigned>(isl_schedule_node_get_schedule_depth(loop.band.get()));
  const unsigned between = around - outside; // `along`, and the loops between
  const isl::union_map own = valuesWith(loop);
  const isl::set occurring = rangeOf(own); // { [outside, between, step] }
  const auto withoutBetween = [&](const isl::set &s) {
    return isl::manage(isl_set_project_out(s.copy(), isl_dim_set, outside, between));
  };
  const isl::set steps = withoutBetween(occurring);
  const isl::set iterations =
      rangeOf(valuesWith(loopAround(loop))); // also those in which the loop has no steps
  const isl::set each = isl::manage(isl_set_insert_dims(steps.copy(), isl_dim_set, outside, between))
                            .intersect(isl::manage(isl_set_add_dims(iterations.copy(), isl_dim_set, 1)));
  const isl::set everywhere = steps.subtract(withoutBetween(each.subtract(occurring)));
  // Steps that have one that occurs everywhere behind them.
  isl_map *toBehind = isl_map_from_domain_and_range(steps.copy(), everywhere.copy());
  for (unsigned d = 0; d < outside; ++d)
    toBehind = isl_map_equate(toBehind, isl_dim_in, static_cast<int>(d), isl_dim_out, static_cast<int>(d));
  toBehind = isl_map_order_lt(toBehind, isl_dim_in, static_cast<int>(outside), isl_dim_out,
                              static_cast<int>(outside));
  const isl::set before = isl::manage(isl_map_domain(toBehind)).subtract(everywhere);
  const auto instances = [&](const isl::set &s) {
    isl_set *values = isl_set_insert_dims(s.copy(), isl_dim_set, outside, between);
    return own.intersect_range(isl::union_set(isl::manage(values))).domain();
  };
  return {instances(before), instances(everywhere), instances(steps.subtract(everywhere).subtract(before))};
}

namespace {

/// The values of the last dimension in the grid of those that occur, which is that of a loop over tiles.
isl::set gridOf(const isl::set &occurring, int last) {
  isl_stride_info *stride = isl_set_get_stride_info(occurring.get(), last);
  isl_aff *offset = isl_stride_info_get_offset(stride);
  isl_local_space *space = isl_local_space_from_space(isl_aff_get_domain_space(offset));
  isl_aff *value = isl_aff_var_on_domain(space, isl_dim_set, static_cast<unsigned>(last));
  isl_aff *beyond = isl_aff_mod_val(isl_aff_sub(value, offset), isl_stride_info_get_stride(stride));
  isl_stride_info_free(stride);
  return isl::manage(isl_set_from_basic_set(isl_aff_zero_basic_set(beyond)));
}

/// The iterations of a loop, with the values of the loops around it.
struct Lengths {
  isl::set occurring; // { [around, step] }
  isl::set around;    // the same for all steps, whether they occur or not
  isl::set
      longest; // as many as there ever are, for all values of the loops around, whether they occur or not
};

/// Nothing if no constant bounds the number of iterations.
std::optional<Lengths> lengthsOf(const LoopNode &loop, const isl::set &sizes) {
  Lengths all{stepsOf(loop, sizes), {}, {}};
  const auto depth = static_cast<unsigned>(isl_set_dim(all.occurring.get(), isl_dim_set)) - 1;
  const auto onto = [&](unsigned first, unsigned count) {
    return isl::manage(isl_set_project_onto_map(all.occurring.copy(), isl_dim_set, first, count));
  };
  const isl::map steps = onto(0, depth).reverse().apply_range(onto(depth, 1));
  const std::unique_ptr<isl_fixed_box, decltype(&isl_fixed_box_free)> box(
      isl_map_get_range_simple_fixed_box_hull(steps.get()), isl_fixed_box_free);
  if (isl_fixed_box_is_valid(box.get()) != isl_bool_true)
    return std::nullopt;
  const isl::pw_aff first = isl::manage(isl_fixed_box_get_offset(box.get())).at(0);
  const isl::val size = isl::manage(isl_fixed_box_get_size(box.get())).at(0);
  const auto from = [&](const isl::pw_aff &bound, const char *relation) {
    return isl::manage(isl_map_from_pw_aff(bound.copy())).apply_range(isl::map(loop.top.ctx(), relation));
  };
  const isl::map inBox = from(first, "{ [a] -> [v] : v >= a }")
                             .intersect(from(first.add_constant(size), "{ [a] -> [v] : v < a }"));
  all.around = isl::manage(isl_set_add_dims(steps.domain().release(), isl_dim_set, 1));
  all.longest = isl::manage(isl_set_flatten(isl_map_wrap(inBox.copy())))
                    .intersect(gridOf(all.occurring, static_cast<int>(depth)));
  return all;
}

} // namespace

std::optional<isl::union_set> whereLongest(const LoopNode &loop, const LoopNode &at, const isl::set &sizes) {
  const std::optional<Lengths> lengths = lengthsOf(loop, sizes);
  if (!lengths)
    return std::nullopt;
  const auto outside = static_cast<unsigned>(isl_schedule_node_get_schedule_depth(at.band.get())) + 1;
  const auto stepsOfAt = [&](const isl::set &s) {
    const auto all = static_cast<unsigned>(isl_set_dim(s.get(), isl_dim_set));
    return isl::manage(isl_set_project_out(s.copy(), isl_dim_set, outside, all - outside));
  };
  // What only says which values the loops around have stays out: tiles that do not occur have less than their full length,
  // which needs no exact case for each remainder of the bounds.
  const isl::set own =
      isl::manage(isl_set_gist(lengths->occurring.copy(), lengths->around.intersect_params(sizes).release()));
  isl::set missing = lengths->longest.subtract(own);
  const auto depth = static_cast<unsigned>(isl_set_dim(missing.get(), isl_dim_set)) - 1;
  if (isl_set_involves_dims(missing.get(), isl_dim_set, outside, depth - outside) != isl_bool_false)
    missing = missing.intersect(lengths->around);
  const isl::set full = stepsOfAt(lengths->occurring).subtract(stepsOfAt(missing));
  const isl::union_set instances = valuesWith(at).intersect_range(isl::union_set(full)).domain();
  const isl::union_set all = isl::manage(isl_schedule_node_get_domain(at.band.get()));
  return all.intersect(instances.gist(all.intersect_params(sizes)).coalesce());
}

namespace {

unsigned depthOf(const LoopNode &loop) {
  return static_cast<unsigned>(isl_schedule_node_get_schedule_depth(loop.band.get()));
}

/// Steps with any values of these dimensions.
isl::set withAny(const isl::set &steps, unsigned first, unsigned count) {
  isl_set *rest = isl_set_project_out(steps.copy(), isl_dim_set, first, count);
  return isl::manage(isl_set_insert_dims(rest, isl_dim_set, first, count));
}

/// Steps that there are in some iteration of these loops.
isl::set inSome(const std::vector<LoopNode> &along, isl::set steps) {
  for (const LoopNode &loop : along)
    steps = withAny(steps, depthOf(loop), 1);
  return steps;
}

} // namespace

isl::union_set forAll(const isl::union_set &instances, const LoopNode &loop, const LoopNode &at,
                      const std::vector<LoopNode> &along) {
  const isl::union_set all = isl::manage(isl_schedule_node_get_domain(at.band.get())),
                       inside = isl::manage(isl_schedule_node_get_domain(loop.band.get()));
  const isl::union_map values = valuesWith(at);
  const isl::set steps = rangeOf(values.intersect_domain(inside)), anywhere = inSome(along, steps);
  unsigned behind = 0; // of the dimensions of these loops
  for (const LoopNode &one : along)
    behind = std::max(behind, depthOf(one) + 1);
  const isl::set each = withAny(steps, behind, depthOf(at) + 1 - behind);
  const isl::set own = rangeOf(values.intersect_domain(instances.intersect(inside)));
  const isl::set others = inSome(along, each.intersect(anywhere).subtract(own));
  const isl::set everywhere =
      isl::manage(isl_set_gist(anywhere.subtract(others).coalesce().release(), anywhere.copy()));
  return values.intersect_range(isl::union_set(everywhere))
      .domain()
      .intersect(instances.intersect(inside).unite(all.subtract(inside)));
}

isl::union_set beforeSome(const isl::union_set &instances, const isl::union_set &others, const LoopNode &at,
                          const std::vector<LoopNode> &along) {
  const isl::union_map values = valuesWith(at);
  const isl::set steps = inSome(along, rangeOf(values.intersect_domain(others)));
  isl_map *later = isl_map_universe(isl_space_map_from_set(isl_set_get_space(steps.get())));
  for (unsigned d = 0; d < depthOf(at); ++d)
    later = isl_map_equate(later, isl_dim_in, static_cast<int>(d), isl_dim_out, static_cast<int>(d));
  const int last = static_cast<int>(depthOf(at));
  later = isl_map_order_lt(later, isl_dim_in, last, isl_dim_out, last);
  const isl::set before = isl::manage(later).intersect_range(steps).domain().coalesce();
  return values.intersect_range(isl::union_set(before)).domain().intersect(instances);
}

bool isAlwaysLongest(const LoopNode &loop, const isl::set &sizes) {
  const std::optional<Lengths> lengths = lengthsOf(loop, sizes);
  return lengths && lengths->longest.intersect(lengths->around).is_subset(lengths->occurring);
}

bool comeFirst(const isl::union_set &instances, const LoopNode &loop, const isl::set &sizes) {
  const isl::union_set all = isl::manage(isl_schedule_node_get_domain(loop.band.get()));
  const auto steps = [&](const isl::union_set &some) {
    return rangeOf(valuesWith(loop).intersect_domain(some)).intersect_params(sizes);
  };
  isl_map *notAfter =
      isl_map_from_domain_and_range(steps(instances).release(), steps(all.subtract(instances)).release());
  const auto last = static_cast<unsigned>(isl_schedule_node_get_schedule_depth(loop.band.get()));
  for (unsigned d = 0; d < last; ++d)
    notAfter = isl_map_equate(notAfter, isl_dim_in, static_cast<int>(d), isl_dim_out, static_cast<int>(d));
  const int end = static_cast<int>(last);
  return isl::manage(isl_map_order_ge(notAfter, isl_dim_in, end, isl_dim_out, end)).is_empty();
}

isl::union_set Iterations::first(long count) const { return near(End::Low, count); }
isl::union_set Iterations::last(long count) const { return near(End::High, count); }

} // namespace pbc::kernel
