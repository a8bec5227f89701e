// Tiles that wait only for their neighbours. Each tile counts the predecessors that are not done; whoever
// brings a count to zero owns that tile: it goes on with one and spawns the others.
#include "runtime/abi/loops.h"
#include <atomic>
#include <cmath>
#include <memory>

namespace pb {

namespace {

constexpr int kMaxRank = 5;
constexpr long kMostTiles = 1L << 20; // a byte each

struct Tiles {
  Box box;
  long size[kMaxRank], count[kMaxRank], stride[kMaxRank];
  long all = 1;
  BoxFunction function;
  const void *context;
  std::unique_ptr<std::atomic<unsigned char>[]> waitsFor;

  Tiles(const Box &b, const Split &tile, BoxFunction f, const void *c) : box(b), function(f), context(c) {
    for (int d = 0; d < box.rank; ++d)
      size[d] = tile.size[d] > 0 ? tile.size[d] : box.high[d] - box.low[d];
    while (number() > kMostTiles)
      for (int d = 0; d < box.rank; ++d)
        size[d] *= 2;
    all = number();
    waitsFor = std::make_unique<std::atomic<unsigned char>[]>(static_cast<std::size_t>(all));
    for (long t = 0; t < all; ++t) {
      unsigned char predecessors = 0;
      for (int d = 0; d < box.rank; ++d)
        predecessors += position(t, d) > 0;
      waitsFor[static_cast<std::size_t>(t)].store(predecessors, std::memory_order_relaxed);
    }
  }

  long position(long tile, int d) const { return tile / stride[d] % count[d]; }

  void run(long tile) const {
    long low[kMaxRank] = {}, high[kMaxRank] = {};
    for (int d = 0; d < box.rank; ++d) {
      low[d] = box.low[d] + position(tile, d) * size[d];
      high[d] = low[d] + size[d] < box.high[d] ? low[d] + size[d] : box.high[d];
    }
    function(context, low, high);
  }

private:
  long number() {
    long n = 1;
    for (int d = 0; d < box.rank; ++d) {
      stride[d] = n;
      count[d] = (box.high[d] - box.low[d] + size[d] - 1) / size[d];
      n *= count[d];
    }
    return n;
  }
};

Job tilesFrom(const Tiles *tiles, long first) {
  SpawnScope others;
  for (long tile = first; tile >= 0;) {
    tiles->run(tile);
    long next = -1;
    // Later dimensions are spawned first: the newest task, which this worker takes, is then the next in time.
    for (int d = tiles->box.rank - 1; d >= 0; --d) {
      if (tiles->position(tile, d) + 1 == tiles->count[d])
        continue;
      const long successor = tile + tiles->stride[d];
      if (tiles->waitsFor[static_cast<std::size_t>(successor)].fetch_sub(1, std::memory_order_acq_rel) != 1)
        continue;
      if (next >= 0)
        others.spawn(tilesFrom(tiles, next));
      next = successor;
    }
    tile = next;
  }
  co_await others.sync();
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
  if (isEmpty(box))
    co_return;
  const Tiles tiles(box, tile, function, context);
  co_await tilesFrom(&tiles, 0);
}

} // namespace pb
