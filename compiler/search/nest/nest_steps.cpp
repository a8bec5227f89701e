// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/nest/nest_steps.h"
#include "compiler/search/tile_limits.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace pbc::search {
namespace {

/// Whether there are sizes for so many levels inside of the first one, around `iterations` of those further inside.
bool canHaveLevels(const NestFacts::Loop &loop, const std::vector<long> &tileSizes, int levels,
                   long iterations = 1) {
  return std::any_of(tileSizes.begin(), tileSizes.end(), [&](long tile) {
    const long product = iterations * tile;
    if (tile >= loop.extent || product > loop.extent)
      return false;
    return levels == 1 ? hasWholeTile({{}, loop.extent, loop.first}, product)
                       : canHaveLevels(loop, tileSizes, levels - 1, product);
  });
}

} // namespace

int mostLevels(const NestFacts::Loop &loop, const NestOptions &options) {
  int levels = options.mostLevels;
  while (levels > 0 && !canHaveLevels(loop, options.tileSizes, levels))
    --levels;
  return levels;
}

const NestWork::Array *storedPastCaches(const NestFacts &facts, const NestWork &work,
                                        const NestOptions &options) {
  const auto isWritten = [](const NestWork::Array &array) { return array.isWritten; };
  const auto array = std::ranges::find_if(work.arrays, isWritten);
  const bool isPossible = options.streamsBeyond && std::ranges::count_if(work.arrays, isWritten) == 1 &&
                          !array->isRead && array->storedAlong && facts.loopsInBody.empty() &&
                          array->cells * double(array->bytes) > double(*options.streamsBeyond);
  return isPossible ? &*array : nullptr;
}

std::string labelOf(const NestLoop &loop, std::size_t level) {
  if (loop.dimensions.size() == 1)
    return loop.label;
  return fmt::format("{}_{}", loop.label, level);
}

std::vector<int> inOrder(const NestSpace &nest, const State &leaf) {
  std::vector<int> all;
  for (const NestLoop &loop : nest.loops)
    all.insert(all.end(), loop.dimensions.begin(), loop.dimensions.end());
  std::sort(all.begin(), all.end(), [&](int a, int b) {
    return a != b && nest.space->order(leaf, a, b) == OrderSet(Order::Outside);
  });
  return all;
}

long sizeOf(const NestSpace &nest, const State &leaf, int dimension) {
  const int size = nest.space->structure().dimension(dimension).size;
  const auto value = std::size_t(std::countr_zero(leaf.domain(nest.space->size(size))));
  return nest.space->structure().sizes[std::size_t(size)].values[value];
}

Kind kindOf(const NestSpace &nest, const State &leaf, int dimension) {
  return Kind(std::countr_zero(leaf.domain(nest.space->kind(dimension))));
}

std::vector<script::Step> tileSteps(const NestSpace &nest, const State &leaf) {
  std::vector<script::Step> steps;
  for (std::size_t level = 1;; ++level) {
    script::Step tile = script::step("tile", {});
    std::vector<std::string> outer, inner;
    for (const NestLoop &loop : nest.loops) {
      if (loop.dimensions.size() <= level)
        continue;
      // What is left of the loop to be cut is called as the loop, until its last level has been made.
      const bool isLast = loop.dimensions.size() == level + 1;
      long points = 1;
      for (std::size_t l = level; l < loop.dimensions.size(); ++l)
        points *= sizeOf(nest, leaf, loop.dimensions[l]);
      tile.operands.push_back(script::name(level == 1 ? loop.label : fmt::format("{}_rest", loop.label)));
      tile.values.push_back(script::number(points));
      outer.push_back(labelOf(loop, level - 1));
      inner.push_back(isLast ? labelOf(loop, level) : fmt::format("{}_rest", loop.label));
    }
    if (tile.operands.empty())
      return steps;
    tile.results = outer;
    tile.results.insert(tile.results.end(), inner.begin(), inner.end());
    steps.push_back(std::move(tile));
  }
}

bool hasEdges(const NestSpace &nest, const State &leaf, int dimension) {
  for (const NestLoop &loop : nest.loops) {
    const auto at = std::find(loop.dimensions.begin(), loop.dimensions.end(), dimension);
    if (at == loop.dimensions.end())
      continue;
    if (!loop.isFixed)
      return true;
    long inside = 1; // iterations of what each of its iterations has inside
    for (auto level = at + 1; level != loop.dimensions.end(); ++level)
      inside *= sizeOf(nest, leaf, *level);
    const long size = sizeOf(nest, leaf, dimension), whole = size * inside;
    const auto iterationsIn = [&](long tile) {
      const long begin = std::max(tile * whole, loop.first),
                 end = std::min((tile + 1) * whole, loop.first + loop.extent);
      return (end - 1) / inside - begin / inside + 1;
    };
    return iterationsIn(loop.first / whole) < size ||
           iterationsIn((loop.first + loop.extent - 1) / whole) < size;
  }
  return false;
}

} // namespace pbc::search
