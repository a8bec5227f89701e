// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/order.h"
#include "compiler/kernel/along.h"
#include "compiler/kernel/transform/open_loops.h"
#include <algorithm>

namespace pbc::kernel {
namespace {

Outcome applyOrder(const Scheduled &kernel, const Arguments &arguments) {
  const Nest nest = nestOf(kernel, arguments.names("loops"));
  if (nest.loops.empty())
    return {std::nullopt, nest.why};
  std::vector<std::size_t> places = nest.positions; // which the named loops take, in their new order
  std::sort(places.begin(), places.end());
  if (places == nest.positions)
    return {kernel, ""};
  std::vector<NewLoop> loops;
  for (const LoopNode &loop : nest.loops)
    loops.push_back(asBefore(loop));
  for (std::size_t k = 0; k < places.size(); ++k)
    loops[places[k]] = asBefore(nest.loops[nest.positions[k]]);
  return withTree(kernel, replaceLoops(nest.loops, loops));
}

/// Whether the loop runs along what is written.
bool isContiguous(const Scheduled &kernel, const LoopNode &loop) {
  const int d = memberDimension(kernel, loop.band);
  const std::vector<int> below = statementsBelow(kernel, loop);
  return std::any_of(below.begin(), below.end(), [&](int s) {
    return contiguousVariable(kernel, kernel.statements[static_cast<std::size_t>(s)]) == d;
  });
}

std::vector<script::Step> otherOrders(const Scheduled &kernel, const Machine &) {
  constexpr std::size_t kMost = 8, kMostLoops = 5;
  std::vector<script::Step> all;
  for (const OpenNest &nest : openNests(kernel)) {
    std::vector<std::vector<std::size_t>> orders;
    std::vector<std::size_t> order;
    for (std::size_t k = 0; k < std::min(nest.loops.size(), kMostLoops); ++k)
      order.push_back(k);
    while (std::next_permutation(order.begin(), order.end()))
      orders.push_back(order);
    std::stable_partition(orders.begin(), orders.end(), [&](const std::vector<std::size_t> &one) {
      return isContiguous(kernel, nest.loops[one.back()]);
    });
    for (const std::vector<std::size_t> &one : orders) {
      std::vector<std::string> labels;
      for (const std::size_t k : one)
        labels.push_back(nest.loops[k].label);
      if (all.size() < kMost)
        all.push_back(script::step("order", labels));
    }
  }
  return all;
}

} // namespace

Transformation orderTransformation() {
  return {.name = "order",
          .doc = "puts loops that lie directly in each other into this order, the outermost first",
          .parameters = {{.name = "loops", .kind = Parameter::Kind::Loops, .doc = "the loops"}},
          .apply = applyOrder,
          .stage = Stage::Loops,
          .alternatives = otherOrders};
}

} // namespace pbc::kernel
