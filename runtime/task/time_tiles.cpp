// The tiles of stencils in time. A tile goes over `cells` cells, a step of time, over them again moved by the
// slope, ...: what it reads from memory, and brings back, serves all of its steps.
#include "runtime/abi/loops.h"
#include <cmath>
#include <initializer_list>

namespace pb {

namespace {

/// A row this long spends its time in vectors: shorter ones are not made to have more tiles.
constexpr long kRowCells = 128;
/// Parallel tiles that each worker has on average, so that none waits for long.
constexpr double kTilesPerWorker = 4;
/// How much longer tiles are along a row than across: rows are what vectors and prefetching like.
constexpr double kLength = 8;

long extent(const Box &box, int d) { return box.high[d] - box.low[d]; }

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
        rest /= static_cast<double>(setSize(d, side / kLength * (places_ - 1)));
    rest /= static_cast<double>(setSize(row_, rest));
    // Where rows are short there may be more of them.
    for (int d = row_ + 1; d < box_.rank; ++d)
      if (shape_.isPlace[d] && rest > 1) {
        const double before = static_cast<double>(tile_.size[d]);
        rest /= static_cast<double>(setSize(d, before * rest)) / before;
      }
  }

  void steps(long wanted, long cache) {
    if (wanted > 0)
      return setSteps(wanted);
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

  /// Smaller tiles, down to `cells` over all steps, until enough of them may run side by side.
  void sideBySide(int workers, long cells) {
    while (parallelism() < kTilesPerWorker * workers && volume() > static_cast<double>(cells)) {
      int fewest = -1;
      for (int d = 0; d < box_.rank; ++d)
        if (tile_.size[d] > (d == row_ ? kRowCells : 1) && (fewest < 0 || count(d) <= count(fewest)))
          fewest = d;
      if (fewest < 0)
        return;
      tile_.size[fewest] = (tile_.size[fewest] + 1) / 2;
    }
  }

  const Split &tile() const { return tile_; }

private:
  long setSize(int d, double size) {
    const double most = static_cast<double>(extent(box_, d));
    tile_.size[d] = size < 1 || most < 1 ? 1 : static_cast<long>(size < most ? size : most);
    return tile_.size[d];
  }

  void setSteps(long n) {
    for (int d = 0; d < box_.rank; ++d)
      if (!shape_.isPlace[d])
        setSize(d, static_cast<double>(n));
  }

  /// What a tile touches.
  double bytes() const {
    double product = static_cast<double>(shape_.bytes);
    for (int d = 0; d < box_.rank; ++d)
      if (shape_.isPlace[d]) {
        const long moves = shape_.along[d] < 0 ? 0 : shape_.slope[d] * tile_.size[shape_.along[d]];
        product *= static_cast<double>(tile_.size[d] + moves);
      }
    return product;
  }

  long count(int d) const { return (extent(box_, d) + tile_.size[d] - 1) / tile_.size[d]; }

  double volume() const {
    double product = 1;
    for (int d = 0; d < box_.rank; ++d)
      product *= static_cast<double>(tile_.size[d]);
    return product;
  }

  /// Tiles over the longest chain of them.
  double parallelism() const {
    double all = 1, longest = 1;
    for (int d = 0; d < box_.rank; ++d) {
      all *= static_cast<double>(count(d));
      longest += static_cast<double>(count(d) - 1);
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
  tiles.steps(steps, cache);
  if (workers > 1)
    tiles.sideBySide(workers, cells);
  return tiles.tile();
}

void runTimeTiles(const Box &box, const TimeShape &shape, const Split &tile, BoxFunction function,
                  const void *context) {
  // Outermost first: the other places, time, the place along rows.
  int order[5], n = 0;
  const int row = rowOf(box, shape);
  for (const bool place : {true, false})
    for (int d = box.rank - 1; d >= 0; --d)
      if (d != row && shape.isPlace[d] == place)
        order[n++] = d;
  order[n++] = row;
  long low[5] = {}, high[5] = {};
  const auto begin = [&](int d, long at) {
    low[d] = at;
    high[d] = at + tile.size[d] < box.high[d] ? at + tile.size[d] : box.high[d];
  };
  for (int d = 0; d < box.rank; ++d)
    begin(d, box.low[d]);
  for (int k = n; k >= 0;) {
    function(context, low, high);
    for (k = n - 1; k >= 0; --k) {
      const int d = order[k];
      if (high[d] < box.high[d]) {
        begin(d, high[d]);
        break;
      }
      begin(d, box.low[d]);
    }
  }
}

} // namespace pb
