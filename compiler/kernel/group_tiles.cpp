// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/group_tiles.h"
#include "compiler/kernel/formula.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/split_tasks.h"
#include "compiler/kernel/task_functions.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <isl/aff.h>
#include <isl/union_map.h>

namespace pbc::kernel {
namespace {

using Functions = std::vector<TaskFunction>;

/// The functions without those that have a single value.
Functions severalValued(const Functions &all, const Scheduled &kernel) {
  Functions some;
  std::copy_if(all.begin(), all.end(), std::back_inserter(some), [&](const TaskFunction &f) {
    const isl::set values = valuesOf(f, kernel);
    return !values.is_empty() && !poly::dimMin(values, 0).plain_is_equal(poly::dimMax(values, 0));
  });
  return some;
}

/// Whether points with the same sum of the summands can run at once, with a work-item for each combination of
/// values.
bool isRound(const Functions &functions, unsigned summands, const isl::union_map &dependences) {
  std::optional<isl::union_pw_aff> sum;
  for (std::size_t k = 0; k < functions.size(); ++k)
    if (summands >> k & 1U)
      sum = sum ? plus(*sum, functions[k].value) : functions[k].value;
  const isl::union_map within = equalAt(dependences, *sum);
  return std::all_of(functions.begin(), functions.end(),
                     [&](const TaskFunction &f) { return neverChanges(within, f.value); });
}

/// Bit k: function k is a summand. All functions together always form a round, because no dependence
/// decreases any of them.
unsigned fewestSummands(const Functions &functions, const isl::union_map &dependences) {
  const unsigned all = (1U << functions.size()) - 1;
  for (int count = 1; count < static_cast<int>(functions.size()); ++count)
    for (unsigned summands = 1; summands < all; ++summands)
      if (std::popcount(summands) == count && isRound(functions, summands, dependences))
        return summands;
  return all;
}

} // namespace

GroupTilesOutcome groupTiles(const Scheduled &lifted) {
  TaskFunctions needed = itemFunctions(lifted);
  const Scheduled items = withParts(lifted, needed);
  if (items.schedule.taskOrder != TaskOrder::Rounds)
    return {std::nullopt, "its points need no rounds"};
  const TaskFunctions wavefront = taskFunctions(lifted);
  if (wavefront.order != TaskOrder::Wavefront)
    return {
        std::nullopt,
        fmt::format("a point needs others of earlier rounds that are too far away: tiles lean by {} at most",
                    kSteepestSkew)};
  Functions functions = severalValued(wavefront.functions, lifted);
  if (functions.size() < needed.functions.size())
    return {
        std::nullopt,
        fmt::format(
            "a point needs others of earlier rounds that are too far away along one of its {} coordinates: "
            "tiles lean by {} at most",
            needed.functions.size(), kSteepestSkew)};
  if (functions.size() > kMostTileFunctions)
    return {std::nullopt, fmt::format("its points have more than {} coordinates", kMostTileFunctions)};
  const unsigned summands = fewestSummands(functions, lifted.dependences);
  std::vector<bool> isInRound;
  for (std::size_t k = 0; k < functions.size(); ++k)
    isInRound.push_back((summands >> k & 1U) != 0);
  // x is first: if there are other functions, it is not the last one of a work-item.
  const auto last = std::bit_width(summands) - 1;
  std::rotate(functions.begin() + last, functions.begin() + last + 1, functions.end());
  std::rotate(isInRound.begin() + last, isInRound.begin() + last + 1, isInRound.end());
  return {GroupTiles{std::move(functions), std::move(isInRound)}, ""};
}

isl::union_pw_aff roundOf(const GroupTiles &tiles) {
  std::optional<isl::union_pw_aff> sum;
  for (std::size_t k = 0; k < tiles.functions.size(); ++k)
    if (tiles.isInRound[k])
      sum = sum ? plus(*sum, tiles.functions[k].value) : tiles.functions[k].value;
  return *sum;
}

} // namespace pbc::kernel
