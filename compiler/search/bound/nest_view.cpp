// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/bound/nest_view.h"
#include "compiler/search/limits.h"
#include <algorithm>
#include <cmath>

namespace pbc::search {
NestView::NestView(const NestSpace &nest, const State &state) : nest_(nest), state_(state) {
  for (const NestLoop &loop : nest.loops)
    dimensions_.insert(dimensions_.end(), loop.dimensions.begin(), loop.dimensions.end());
}

long NestView::least(int dimension) const { return leastIterations(*nest_.space, state_, dimension); }
long NestView::most(int dimension) const { return mostIterations(*nest_.space, state_, dimension); }

NestView::Step NestView::step(std::optional<int> dimension) const {
  Step made;
  for (const NestLoop &loop : nest_.loops) {
    double length = 1, times = 1;
    bool isWhole = true; // all levels are inside
    long tileLeast = 1, tileMost = 1;
    for (std::size_t level = 1; level < loop.dimensions.size(); ++level) {
      tileLeast *= least(loop.dimensions[level]);
      tileMost *= most(loop.dimensions[level]);
    }
    for (std::size_t level = 0; level < loop.dimensions.size(); ++level) {
      const int d = loop.dimensions[level];
      const OrderSet order = !dimension        ? OrderSet(Order::Inside)
                             : d == *dimension ? OrderSet(Order::Outside)
                                               : nest_.space->order(state_, d, *dimension);
      const bool isInside = order == OrderSet(Order::Inside), isOutside = order == OrderSet(Order::Outside);
      isWhole = isWhole && isInside;
      if (level > 0) {
        length *= isInside ? double(least(d)) : 1;
        times *= isOutside ? double(least(d)) : 1;
        continue;
      }
      // Tiles begin at multiples of their size: of the steps from tile to tile, only those between the first multiple and the last
      // are full.
      const long full = loop.first % tileMost == 0 && tileLeast == tileMost
                            ? loop.extent / tileMost
                            : (loop.extent + 1) / tileMost - 1;
      length *= isInside ? double(std::max(full, 1L)) : 1;
      times *= isOutside ? double(std::max(full, 0L)) : 1;
    }
    made.lengths.push_back(isWhole ? double(loop.extent) : std::min(length, double(loop.extent)));
    made.times *= times;
  }
  return made;
}

NestView::Copies NestView::sideBySide(bool withSums) const {
  Copies copies;
  for (const NestLoop &loop : nest_.loops)
    for (const int d : loop.dimensions) {
      const KindSet kinds = nest_.space->kinds(state_, d);
      if ((kinds & (Kind::Vector | Kind::Unroll)) == KindSet() || (loop.isOfSum && !withSums))
        continue;
      copies.most *= double(most(d));
      copies.isExact = copies.isExact && !kinds.has(Kind::For) && least(d) == most(d);
    }
  return copies;
}

double NestView::cellsOfRow(const NestWork::Array &array) const {
  if (!array.alongRows || std::any_of(nest_.copies.begin(), nest_.copies.end(),
                                      [&](const NestSpace::Copy &copy) { return copy.matrix == array.name; }))
    return HUGE_VAL;
  double cells = 1;
  for (const std::size_t loop : *array.alongRows)
    for (const int d : nest_.loops[loop].dimensions)
      if ((nest_.space->kinds(state_, d) & (Kind::Vector | Kind::Unroll)) != KindSet())
        cells *= double(most(d));
  return cells;
}

bool NestView::mayBeStreamed(const NestWork::Array &array) const {
  return array.name == nest_.stored &&
         CacheSet::ofBits(state_.domain(nest_.space->cache(0))).has(Cache::None);
}

double NestView::iterations() const {
  double sum = 0;
  for (const int d : dimensions_)
    if (nest_.space->kinds(state_, d) == KindSet(Kind::For))
      sum += step(d).times;
  return sum;
}

std::optional<NestView::InnermostLoop> NestView::innermostLoop() const {
  for (const int d : dimensions_) {
    if (nest_.space->kinds(state_, d) != KindSet(Kind::For))
      continue;
    InnermostLoop found{d, 0, double(least(d)), 1, false};
    const bool isInnermost = std::all_of(dimensions_.begin(), dimensions_.end(), [&](int other) {
      if (other == d || nest_.space->order(state_, other, d) == OrderSet(Order::Outside))
        return true;
      found.copies *= double(least(other));
      return nest_.space->order(state_, other, d) == OrderSet(Order::Inside) &&
             (nest_.space->kinds(state_, other) & (Kind::For | Kind::Block)) == KindSet();
    });
    if (!isInnermost)
      continue;
    found.runs = step(d).times;
    for (const NestLoop &loop : nest_.loops)
      if (std::find(loop.dimensions.begin(), loop.dimensions.end(), d) != loop.dimensions.end()) {
        found.isOfSum = loop.isOfSum;
        if (loop.dimensions.front() == d)
          found.iterations = loop.dimensions.size() == 1 ? double(loop.extent) : 1;
      }
    return found;
  }
  return std::nullopt;
}

double NestView::cells(const NestWork::Array &array, const Step &step) {
  double most = 0;
  for (const NestWork::Access &access : array.accesses) {
    double product = 1;
    std::vector<std::size_t> used;
    for (const std::vector<std::size_t> &coordinate : access.coordinates) {
      // Coordinates with loops of their own are independent; of two loops in one, the longer one alone has so many values.
      double longest = 1;
      for (const std::size_t loop : coordinate)
        if (std::find(used.begin(), used.end(), loop) == used.end())
          longest = std::max(longest, step.lengths[loop]);
      used.insert(used.end(), coordinate.begin(), coordinate.end());
      product *= longest;
    }
    most = std::max(most, product);
  }
  return std::min(most, array.cells);
}

} // namespace pbc::search
