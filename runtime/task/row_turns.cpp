// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Walks rows of a matrix with several loops in turn.
//
// A block has half of a core's second cache, since the loops have other data, too. If only longer blocks suit the loops, they may
// have half of the third cache.
#include "runtime/abi/row_turns.h"
#include "runtime/base/caches.h"
#include <algorithm>

namespace pb {

namespace {

using Loop = RowTurns::Loop;

/// Parts of the other dimensions begin at multiples of so many cells: a part has lines of its own.
constexpr long kCellsTogether = 64;

struct Rows {
  long low, high;
};

Box boxOfTurn(const Loop &loop, const Frame *frame) {
  Box box{};
  loop.box(frame, &box);
  return box;
}

Rows allRows(const RowTurns &turns, const Frame *frame) {
  Rows all{0, 0};
  for (const Loop *loop = turns.loops; loop != turns.loops + turns.count; ++loop) {
    const Box box = boxOfTurn(*loop, frame);
    if (isEmpty(box))
      continue;
    const Rows own{box.low[loop->along] + loop->offset, box.high[loop->along] + loop->offset};
    all = all.low == all.high ? own : Rows{std::min(all.low, own.low), std::max(all.high, own.high)};
  }
  return all;
}

/// The dimension, other than the rows, in which the box is longest; -1: there is none.
int widest(const Loop &loop, const Box &box) {
  int best = -1;
  for (int d = 0; d < box.rank; ++d)
    if (d != loop.along && (best < 0 || box.high[d] - box.low[d] > box.high[best] - box.low[best]))
      best = d;
  return best;
}

long above(long number, long divisor) { return (number + divisor - 1) / divisor * divisor; }

/// A worker's part of a block, or of everything.
struct Part {
  long number, of;
};

void runRows(const Loop &loop, const Frame *frame, Box box, const Rows &rows, const Part &columns) {
  const auto limit = [](long &low, long &high, long from, long to) {
    low = std::max(low, from);
    high = std::min(high, to);
  };
  if (columns.of > 1) {
    const int d = widest(loop, box);
    const long first = box.low[d];
    const long each = above((box.high[d] - first + columns.of - 1) / columns.of, kCellsTogether);
    limit(box.low[d], box.high[d], first + each * columns.number, first + each * (columns.number + 1));
  }
  limit(box.low[loop.along], box.high[loop.along], rows.low - loop.offset, rows.high - loop.offset);
  if (!isEmpty(box))
    loop.kernel(frame, box.low, box.high);
}

/// All loops over blocks of `rows` rows. If there are several parts, the loops of `part` take theirs of each block.
void turn(const RowTurns &turns, const Frame *frame, const Rows &all, long rows, const Part &part) {
  const long block = rows * part.of;
  for (long low = all.low, high = low; low < all.high; low = high) {
    high = low + block;
    if (all.high - high < turns.grain) // a short rest would take as long as a block
      high = std::max(all.high, high);
    const Rows whole{low, high};
    const Rows own{low + rows * part.number,
                   part.number + 1 == part.of ? high : low + rows * (part.number + 1)};
    for (const Loop *loop = turns.loops; loop != turns.loops + turns.count; ++loop)
      runRows(*loop, frame, boxOfTurn(*loop, frame), loop->isCut ? whole : own,
              loop->isCut ? part : Part{0, 1});
  }
}

bool areAllRowsFree(const RowTurns &turns) {
  return std::none_of(turns.loops, turns.loops + turns.count, [](const Loop &loop) { return loop.isCut; });
}

struct Walk {
  const RowTurns &turns;
  const Frame *frame;
  Rows all;
  long rows, parts;
};

/// The parts [low, high) of a walk.
void walkParts(const void *context, const long *low, const long *high) {
  const Walk &walk = *static_cast<const Walk *>(context);
  for (long k = *low; k < *high; ++k)
    if (areAllRowsFree(walk.turns)) {
      const long each = above((walk.all.high - walk.all.low + walk.parts - 1) / walk.parts, walk.turns.grain);
      const Rows own{walk.all.low + each * k, std::min(walk.all.high, walk.all.low + each * (k + 1))};
      turn(walk.turns, walk.frame, own, walk.rows, {0, 1});
    } else {
      turn(walk.turns, walk.frame, walk.all, walk.rows, {k, walk.parts});
    }
}

} // namespace

long rowsInTurn(const RowTurns &turns, const Frame *frame, int workers) {
  const Rows all = allRows(turns, frame);
  const long rows = all.high - all.low, bytes = std::max(turns.bytesOfRow(frame), 1L);
  if (workers > 1 && std::any_of(turns.loops, turns.loops + turns.count, [&](const Loop &loop) {
        return loop.isCut && widest(loop, boxOfTurn(loop, frame)) < 0;
      }))
    return 0; // one of them can only run as a whole
  long block = 0;
  if (frame->turnBytes > 0) {
    block = frame->turnBytes == 1 ? 0 : std::max(frame->turnBytes / bytes, 1L);
    if (block > turns.grain)
      block = block / turns.grain * turns.grain;
  } else if (rows * bytes > pb_cache_bytes(2) * workers) {
    block = std::max(pb_cache_bytes(2) / 2 / bytes / turns.grain, 1L) * turns.grain;
    if (block * bytes > std::max(pb_cache_bytes(2), pb_cache_bytes(3) / 2))
      return 0;
  }
  return block * workers < rows ? block : 0;
}

void takeTurns(const RowTurns &turns, const Frame *frame, long rows) {
  turn(turns, frame, allRows(turns, frame), rows, {0, 1});
}

Job turnsInTasks(const RowTurns &turns, const Frame *frame, long rows, int workers) {
  const Walk walk{turns, frame, allRows(turns, frame), rows, workers};
  co_await forEachBox(Box{1, {0}, {walk.parts}}, Split{{1}}, walkParts, &walk);
}

} // namespace pb
