// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The tiles of stencils in time. A tile goes over `cells` cells at one step of time, then over the same cells
// moved by the slope, and so on: what it reads from memory and writes back serves all of its steps. Or it is
// a diamond of time and one place, and moves only in the other dimensions.
#include "runtime/abi/loops.h"
#include "runtime/task/tile_grid.h"
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

namespace pb {

namespace {

/// Rows of this length are dominated by vector code: shorter ones are not made in order to have more tiles.
constexpr long kRowCells = 128;
/// If a step of a tile is a single row, the call for it takes as long as some hundred cells.
constexpr long kOnlyRowCells = 512;
/// The average number of parallel tiles for each worker, so that none waits for long.
constexpr double kTilesPerWorker = 4;
/// How much longer tiles are along a row than across it: vectors and prefetching favour rows.
constexpr double kLength = 8;
/// The steps of a band for each place of the shortest dimension that is cut. Tiles move over as many places as there are steps, so
/// that in each such dimension at most three of four tiles of a band are empty.
constexpr long kBand = 3;

/// The extent of the values by which tiles are cut.
long extent(const Box &box, const TimeShape &shape, int d) {
  const int time = shape.along[d];
  return box.high[d] - box.low[d] + (time < 0 ? 0 : shape.slope[d] * (box.high[time] - box.low[time] - 1));
}

/// The dimension of time along which tiles move; -1: they do not.
int timeOf(const Box &box, const TimeShape &shape) {
  for (int d = 0; d < box.rank; ++d)
    if (shape.along[d] >= 0 && shape.slope[d] > 0)
      return shape.along[d];
  return -1;
}

/// The first dimension that is a place: the innermost loop's.
int rowOf(const Box &box, const TimeShape &shape) {
  int d = 0;
  while (d + 1 < box.rank && !shape.isPlace[d])
    ++d;
  return d;
}

class Shaping {
public:
  Shaping(const Box &box, const TimeShape &shape) : box_(box), shape_(shape), row_(rowOf(box, shape)) {
    for (int d = 0; d < box.rank; ++d)
      places_ += shape.isPlace[d];
  }

  void cells(long cells) {
    const double side = std::pow(static_cast<double>(cells), 1.0 / places_);
    mostSteps_ = static_cast<long>(side);
    double rest = static_cast<double>(cells);
    for (int d = box_.rank - 1; d >= 0; --d)
      if (shape_.isPlace[d] && d != row_)
        rest /= setPlaces(d, side / kLength * (places_ - 1));
    rest /= setPlaces(row_, rest);
    // If rows are short, there may be more of them.
    for (int d = row_ + 1; d < box_.rank; ++d)
      if (shape_.isPlace[d] && rest > 1) {
        const double before = covered(d);
        rest /= setPlaces(d, before * rest) / before;
      }
  }

  /// Whether the places of the dimension lie in several tiles.
  bool isCut(int d) const { return tile_.size[d] < extent(box_, shape_, d); }

  /// Whether each step is in one tile.
  bool isWhole() const {
    for (int d = 0; d < box_.rank; ++d)
      if (shape_.isPlace[d] && isCut(d))
        return false;
    return true;
  }

  void steps(long wanted, long cache) {
    if (wanted > 0)
      return setSteps(wanted);
    if (isWhole())
      return setSteps(std::numeric_limits<int>::max());
    long least = 1, most = mostSteps_;
    while (least < most) {
      const long middle = least + (most - least + 1) / 2;
      setSteps(middle);
      if (bytes() <= static_cast<double>(cache))
        least = middle;
      else
        most = middle - 1;
    }
    setSteps(least);
  }

  /// Makes tiles smaller, down to `cells` over all steps, until enough of them can run in parallel.
  void sideBySide(int workers, long cells) {
    while (parallelism() < kTilesPerWorker * workers && volume() > static_cast<double>(cells)) {
      const TileGrid grid(box_, &shape_, tile_);
      int fewest = -1;
      for (int d = 0; d < box_.rank; ++d)
        if (d != grid.layers() && canHalve(d) && (fewest < 0 || grid.count(d) <= grid.count(fewest)))
          fewest = d;
      if (fewest < 0)
        return;
      const long half = ((hasAllPlaces(fewest) ? placesOf(fewest) : tile_.size[fewest]) + 1) / 2;
      tile_.size[fewest] = half;
      if (fewest == grid.columns())
        setSide(half);
    }
  }

  const Split &tile() const { return tile_; }

private:
  long placesOf(int d) const { return box_.high[d] - box_.low[d]; }

  bool hasAllPlaces(int d) const { return shape_.isPlace[d] && d != shape_.diamond && !isCut(d); }

  bool canHalve(int d) const {
    if (hasAllPlaces(d))
      return placesOf(d) >= (d == row_ ? 2 * shortestRow() : 2);
    return tile_.size[d] > (d == row_ ? shortestRow() : 1);
  }

  /// Of the places of a dimension, those that a tile has at one step.
  double covered(int d) const { return static_cast<double>(std::min(tile_.size[d], placesOf(d))); }

  /// One tile has all places, at all steps, where it would have all of some step.
  double setPlaces(int d, double size) {
    const bool isAll = size >= static_cast<double>(placesOf(d));
    tile_.size[d] = std::max(1L, isAll ? extent(box_, shape_, d) : static_cast<long>(size));
    return std::max(1.0, covered(d));
  }

  /// Diamonds are half as wide on average.
  long shortestRow() const {
    return (places_ == 1 ? kOnlyRowCells : kRowCells) * (isOfDiamonds(row_) ? 2 : 1);
  }

  /// Whether d is the place or the time of diamonds.
  bool isOfDiamonds(int d) const {
    return shape_.diamond >= 0 && (d == shape_.diamond || d == shape_.along[shape_.diamond]);
  }
  void setSide(long side) { tile_.size[shape_.diamond] = tile_.size[shape_.along[shape_.diamond]] = side; }
  long slopes() const { return shape_.slope[shape_.diamond] + shape_.down; }

  void setSteps(long n) {
    if (shape_.diamond >= 0) {
      const int d = shape_.diamond;
      const long most = extent(box_, shape_, d) + shape_.down * extent(box_, shape_, shape_.along[d]);
      return setSide(std::max(1L, std::min(most, n * slopes() / 2)));
    }
    for (int d = 0; d < box_.rank; ++d)
      if (!shape_.isPlace[d])
        tile_.size[d] = std::max(1L, std::min(n, extent(box_, shape_, d)));
  }

  /// The bytes that a tile touches.
  double bytes() const {
    double product = static_cast<double>(shape_.bytes);
    for (int d = 0; d < box_.rank; ++d)
      if (shape_.isPlace[d]) {
        const bool isMoved = shape_.along[d] >= 0 && !isOfDiamonds(d);
        const long moves = isMoved ? shape_.slope[d] * steps(shape_.along[d]) : 0;
        product *= static_cast<double>(isOfDiamonds(d) ? tile_.size[d]
                                                       : std::min(placesOf(d), tile_.size[d] + moves));
      }
    return product;
  }

  /// The steps of a tile in dimension d, which is one of time.
  long steps(int d) const { return isOfDiamonds(d) ? 2 * tile_.size[d] / slopes() : tile_.size[d]; }

  double volume() const {
    double product = 1;
    for (int d = 0; d < box_.rank; ++d)
      product *= static_cast<double>(tile_.size[d]);
    return shape_.diamond < 0 ? product : product / static_cast<double>(slopes());
  }

  /// The number of tiles divided by the length of their longest chain.
  double parallelism() const {
    const TileGrid grid(box_, &shape_, tile_);
    double all = 1, longest = 1;
    for (int d = 0; d < box_.rank; ++d) {
      all *= static_cast<double>(grid.count(d));
      longest += d == grid.columns() ? 0 : static_cast<double>(grid.count(d) - 1);
    }
    return all / longest;
  }

  const Box &box_;
  const TimeShape &shape_;
  const int row_;
  int places_ = 0;
  long mostSteps_ = 1;
  Split tile_{};
};

} // namespace

Split timeTiles(const Box &box, const TimeShape &shape, long cells, long steps, long cache, int workers) {
  Shaping tiles(box, shape);
  tiles.cells(cells < 1 ? 1 : cells);
  const bool isWhole = tiles.isWhole();
  tiles.steps(steps, cache);
  if (workers > 1 && !isWhole)
    tiles.sideBySide(workers, cells);
  return tiles.tile();
}

bool takeBand(Box &rest, const TimeShape &shape, long cells, Box &band) {
  if (isEmpty(rest))
    return false;
  band = rest;
  const int time = timeOf(rest, shape);
  if (time < 0) {
    rest.high[0] = rest.low[0];
    return true;
  }
  Shaping tiles(rest, shape);
  tiles.cells(cells < 1 ? 1 : cells);
  for (int d = 0; d < rest.rank; ++d)
    if (shape.isPlace[d] && shape.slope[d] > 0 && tiles.isCut(d))
      band.high[time] = std::min(band.high[time], rest.low[time] + kBand * (rest.high[d] - rest.low[d]));
  rest.low[time] = band.high[time];
  return true;
}

void runTimeTiles(const Box &box, const TimeShape &shape, const Split &tile, BoxFunction function,
                  const void *context) {
  const TileGrid grid(box, &shape, tile);
  const int row = rowOf(box, shape);
  // Outermost first: diamonds that lean the same way, the other places, time, the place along rows.
  int order[5], n = 0;
  if (grid.columns() >= 0)
    order[n++] = grid.columns();
  for (const bool place : {true, false})
    for (int d = box.rank - 1; d >= 0; --d)
      if (d != row && d != grid.columns() && shape.isPlace[d] == place)
        order[n++] = d;
  if (row != grid.columns())
    order[n++] = row;
  long at[5] = {};
  const auto begin = [&](int d) { return d == grid.layers() ? grid.firstLayer(at[grid.columns()]) : 0; };
  const auto end = [&](int d) {
    return d == grid.columns()  ? grid.slants()
           : d == grid.layers() ? grid.afterLastLayer(at[grid.columns()])
                                : grid.count(d);
  };
  for (int k = 0; k >= 0;) {
    for (; k < n; ++k)
      at[order[k]] = begin(order[k]);
    long position[5];
    std::copy(at, at + 5, position);
    if (grid.columns() >= 0)
      position[grid.columns()] = grid.column(at[grid.columns()], at[grid.layers()]);
    grid.run(position, function, context);
    for (k = n - 1; k >= 0; --k)
      if (++at[order[k]] < end(order[k])) {
        ++k;
        break;
      }
  }
}

} // namespace pb
