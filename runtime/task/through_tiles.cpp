// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Chooses the sizes of the tiles in which `through` matrices are computed.
//
// Tiles are as large as half of a core's second-level cache allows: cells that two tiles both need are
// computed twice, and the more of them the smaller the tiles are. Of equally good tiles wide ones are
// preferred to square ones, because rows are read sequentially.
#include "runtime/abi/through_tiles.h"
#include "runtime/abi/region.h"
#include "runtime/base/caches.h"
#include "runtime/matrix/scratch.h"
#include <algorithm>

namespace pb {

namespace {

constexpr long kFar = 1L << 60;
constexpr long kNarrowest = 256;       // cells of a row, unless fewer are asked for
constexpr double kMostRepeated = 1.12; // points of the loops that write, relative to those without tiles
constexpr double kWorthwhile = 0.98;   // of two tiles
constexpr long kLine = 64;
constexpr long kAnywhere[] = {1, 1, 1, 1, 1};

long volumeOf(const Box &box) {
  long volume = 1;
  for (int d = 0; d < box.rank; ++d)
    volume *= std::max(box.high[d] - box.low[d], 0L);
  return volume;
}

struct Cost {
  long bytes = 0;
  double work = 0; // points that are written, for each point of the tile
};

Cost costOf(const ThroughTiles &t, const Frame *frame, const Box &tile) {
  Box cells[ThroughTiles::kMost], points[ThroughTiles::kMost];
  t.boxes(frame, tile.low, tile.high, cells, points);
  Cost cost;
  for (int m = 0; m < t.matrices; ++m)
    cost.bytes += volumeOf(cells[m]) * t.bytes[m];
  for (int p = 0; p < t.loops; ++p)
    cost.work += static_cast<double>(volumeOf(points[p]));
  cost.work /= static_cast<double>(std::max(volumeOf(tile), 1L));
  return cost;
}

/// A tile of that size in the middle, where it is not cut off by the border.
Box inTheMiddle(const Box &box, const Split &split) {
  Box tile = box;
  for (int d = 0; d < box.rank; ++d) {
    tile.low[d] += (box.high[d] - box.low[d] - split.size[d]) / 2;
    tile.high[d] = tile.low[d] + split.size[d];
  }
  return tile;
}

class TileSearch {
public:
  TileSearch(const ThroughTiles &through, const Frame *frame, const Box &box, long budget)
      : through_(through), frame_(frame), box_(box), budget_(budget) {}

  /// The best tile of that width, no taller than the budget allows; nothing if one row is too large.
  bool tallest(long width, Split &split, Cost &cost) const {
    split = {};
    split.size[0] = width;
    for (int d = 1; d < box_.rank; ++d)
      split.size[d] = 1;
    cost = costAt(split);
    if (cost.bytes > budget_)
      return false;
    for (const double factor : {2.0, 1.5, 1.25, 1.1})
      while (grow(split, cost, factor))
        ;
    return true;
  }

private:
  Cost costAt(const Split &split) const { return costOf(through_, frame_, inTheMiddle(box_, split)); }

  /// Enlarges the shortest dimension beyond the first that may grow.
  bool grow(Split &split, Cost &cost, double factor) const {
    int best = 0;
    Split larger{};
    Cost its;
    for (int d = 1; d < box_.rank; ++d) {
      if (best && split.size[d] >= split.size[best])
        continue;
      Split s = split;
      s.size[d] = std::min(static_cast<long>(static_cast<double>(split.size[d]) * factor),
                           box_.high[d] - box_.low[d]);
      if (s.size[d] == split.size[d])
        continue;
      if (const Cost c = costAt(s); c.bytes <= budget_) {
        best = d;
        larger = s;
        its = c;
      }
    }
    if (best) {
      split = larger;
      cost = its;
    }
    return best > 0;
  }

  const ThroughTiles &through_;
  const Frame *frame_;
  const Box &box_;
  const long budget_;
};

/// Whether tiles of this size read so much again that the matrices as a whole, each of which is written and read once, are less.
bool readsMore(const ThroughTiles &t, const Frame *frame, const Box &box, const Split &split, long bytes) {
  if (!t.again)
    return false;
  double tiles = 1;
  for (int d = 0; d < box.rank; ++d) {
    const long parts = (box.high[d] - box.low[d] + split.size[d] - 1) / split.size[d];
    tiles *= static_cast<double>(parts);
  }
  return tiles * static_cast<double>(t.again(frame)) > 2.0 * static_cast<double>(bytes);
}

} // namespace

Box noCells(int rank) {
  Box box{rank, {}, {}};
  std::fill(box.low, box.low + rank, kFar);
  std::fill(box.high, box.high + rank, -kFar);
  return box;
}

void includeCells(Box *box, const long *low, const long *high, const long *extent) {
  for (int d = 0; d < box->rank; ++d)
    if (std::max(low[d], 0L) >= std::min(high[d], extent[d]))
      return;
  for (int d = 0; d < box->rank; ++d) {
    box->low[d] = std::min(box->low[d], std::max(low[d], 0L));
    box->high[d] = std::max(box->high[d], std::min(high[d], extent[d]));
  }
}

void tileRegions(const ThroughTiles &t, const Box *cells, TileRegion *regions) {
  long begin[ThroughTiles::kMost + 1] = {};
  for (int m = 0; m < t.matrices; ++m) {
    int extents[5] = {};
    for (int d = 0; d < cells[m].rank; ++d)
      extents[d] = static_cast<int>(std::max(cells[m].high[d] - cells[m].low[d], 0L));
    const auto count =
        pb_strides_apart(extents, cells[m].rank, static_cast<unsigned long>(t.bytes[m]), regions[m].stride);
    const long bytes = static_cast<long>(count) * t.bytes[m];
    begin[m + 1] = begin[m] + (bytes + kLine - 1) / kLine * kLine;
  }
  char *const memory = static_cast<char *>(scratch(Scratch::Tile, begin[t.matrices]));
  for (int m = 0; m < t.matrices; ++m) {
    long first = 0; // in elements
    for (int d = 0; d < cells[m].rank && !isEmpty(cells[m]); ++d)
      first += cells[m].low[d] * regions[m].stride[d];
    regions[m].base = memory + (begin[m] - first * t.bytes[m]);
  }
}

Split throughTiles(const LoopStep &step, const Frame *frame, const Box &box, int workers) {
  Split best{};
  if (isEmpty(box))
    return best;
  const Cost whole = costOf(*step.through, frame, box);
  const bool isAsked = frame->tileBytes > 0;
  if (!isAsked && whole.bytes <= pb_cache_bytes(2) * workers)
    return best;
  const TileSearch search(*step.through, frame, box, isAsked ? frame->tileBytes : pb_cache_bytes(2) / 2);
  double least = isAsked ? 1e300 : whole.work * kMostRepeated;
  const long extent = box.high[0] - box.low[0];
  for (long width = extent;;) {
    Split split;
    Cost cost;
    if (search.tallest(width, split, cost) && cost.work < least * (isWhole(best) ? 1 : kWorthwhile)) {
      best = split;
      least = cost.work;
    }
    if (width <= kNarrowest && !(isAsked && isWhole(best) && width > 1))
      break;
    width = width <= kNarrowest ? width / 2 : std::max((width + 1) / 2, kNarrowest);
  }
  if (!isWhole(best) && !isAsked && readsMore(*step.through, frame, box, best, whole.bytes))
    return {};
  if (!isWhole(best))
    evenOut(best, box, kAnywhere, workers);
  return best;
}

} // namespace pb
