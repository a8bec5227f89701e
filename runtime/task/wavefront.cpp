// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tiles that wait only for their neighbours. Each tile counts its predecessors that are not done. The task
// that brings a count to zero owns that tile: it continues with one such tile and spawns the others.
#include "runtime/abi/loops.h"
#include "runtime/task/tile_grid.h"
#include <atomic>
#include <cmath>
#include <memory>

namespace pb {

namespace {

constexpr int kMaxRank = TileGrid::kMostRank;
constexpr long kMostTiles = 1L << 20; // a byte each

/// Chooses a grid with not too many tiles.
TileGrid gridOf(const Box &box, const TimeShape *shape, Split tile) {
  TileGrid grid(box, shape, tile);
  while (grid.tiles() > kMostTiles) {
    for (int d = 0; d < box.rank; ++d)
      tile.size[d] *= 2;
    grid = TileGrid(box, shape, tile);
  }
  return grid;
}

struct Tiles {
  TileGrid grid;
  long stride[kMaxRank];
  BoxFunction function;
  const void *context;
  std::unique_ptr<std::atomic<unsigned char>[]> waitsFor;

  Tiles(const TileGrid &g, BoxFunction f, const void *c) : grid(g), function(f), context(c) {
    long all = 1;
    for (int d = 0; d < grid.rank(); ++d) {
      stride[d] = all;
      all *= grid.count(d);
    }
    waitsFor = std::make_unique<std::atomic<unsigned char>[]>(static_cast<std::size_t>(all));
    for (long tile = 0; tile < all; ++tile) {
      unsigned char predecessors = 0;
      for (int d = 0; d < grid.rank(); ++d) {
        Position at = position(tile);
        predecessors += grid.previous(at.of, d);
      }
      waitsFor[static_cast<std::size_t>(tile)].store(predecessors, std::memory_order_relaxed);
    }
  }

  /// The number of tiles that wait for none.
  long ready() const { return grid.columns() < 0 ? 1 : grid.count(grid.columns()); }
  long first(long k) const { return grid.columns() < 0 ? 0 : k * stride[grid.columns()]; }

  /// The tile that follows in dimension d, if it now waits for no other; -1: it still waits, or there is
  /// none.
  long released(long tile, int d) const {
    Position at = position(tile);
    if (!grid.next(at.of, d))
      return -1;
    long successor = 0;
    for (int k = 0; k < grid.rank(); ++k)
      successor += at.of[k] * stride[k];
    const unsigned char before =
        waitsFor[static_cast<std::size_t>(successor)].fetch_sub(1, std::memory_order_acq_rel);
    return before == 1 ? successor : -1;
  }

  void run(long tile) const { grid.run(position(tile).of, function, context); }

private:
  struct Position {
    long of[kMaxRank];
  };
  Position position(long tile) const {
    Position at{};
    for (int d = 0; d < grid.rank(); ++d)
      at.of[d] = tile / stride[d] % grid.count(d);
    return at;
  }
};

Job tilesFrom(const Tiles *tiles, long first) {
  SpawnScope others;
  for (long tile = first; tile >= 0;) {
    tiles->run(tile);
    long next = -1;
    // Later dimensions are spawned first: the newest task, which this worker takes, is then the next in time.
    for (int d = tiles->grid.rank() - 1; d >= 0; --d) {
      const long successor = tiles->released(tile, d);
      if (successor < 0)
        continue;
      if (next >= 0)
        others.spawn(tilesFrom(tiles, next));
      next = successor;
    }
    tile = next;
  }
  co_await others.sync();
}

/// Runs those of the tiles without predecessors with low <= k < high, dividing the range in halves, so that
/// neighbours stay with one worker.
Job tilesFromAll(const Tiles *tiles, long low, long high) {
  SpawnScope others;
  while (high - low > 1) {
    const long middle = low + (high - low) / 2;
    others.spawn(tilesFromAll(tiles, middle, high));
    high = middle;
  }
  co_await tilesFrom(tiles, tiles->first(low));
  co_await others.sync();
}

/// `shape`: null if it is not through time.
Job wavefrontOf(Box box, const TimeShape *shape, Split tile, BoxFunction function, const void *context) {
  if (isEmpty(box))
    co_return;
  const Tiles tiles(gridOf(box, shape, tile), function, context);
  co_await tilesFromAll(&tiles, 0, tiles.ready());
}

} // namespace

Split wavefrontTiles(const Box &box, long cells) {
  Split tile{};
  const double side =
      std::pow(static_cast<double>(cells < 1 ? 1 : cells), 1.0 / (box.rank < 1 ? 1 : box.rank));
  long rest = cells < 1 ? 1 : cells;
  for (int d = box.rank - 1; d >= 0; --d) {
    const long extent = box.high[d] - box.low[d];
    long size = d == 0 ? rest : static_cast<long>(side / 2);
    const long most = (extent + kWavefrontTiles - 1) / kWavefrontTiles;
    size = size < most ? size : most;
    tile.size[d] = size < 1 ? 1 : size;
    rest = rest / tile.size[d];
  }
  return tile;
}

Job wavefront(Box box, Split tile, BoxFunction function, const void *context) {
  return wavefrontOf(box, nullptr, tile, function, context);
}

Job timeWavefront(Box box, const TimeShape &shape, Split tile, BoxFunction function, const void *context) {
  return wavefrontOf(box, &shape, tile, function, context);
}

} // namespace pb
