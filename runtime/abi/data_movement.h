// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Counts the words that move into and out of a fast memory while products of matrices are computed tile by
// tile, and finds the tiles that move fewest. The counts are exact. The compiler's cost model
// (compiler/model/movement) and the library (stdlib/chain.pbcc), which asks while a program runs, use the
// same functions.
//
//   leastProduct(936, 1008, 552, {65536}).words            4629312, the output kept, tiles of 234 x 280
//   leastLeft(936, 1008, 552, 368, {65536}).words          of (A B) C whose middle never leaves the memory
//
// R (P0 x P2) = A1 (P0 x P1) A2 (P1 x P2); a tile of one of the three is kept while the others stream past
// it. Two products fused: R (P0 x P3) = (A1 A2) A3 is "left", A1 (A2 A3) "right"; a tile of the intermediate
// product is computed, used and discarded.
//
// Invariants: a count equals what a walk over the tiles would count, whether or not the tiles divide the
// sizes. A count that does not fit in 64 bits is kTooMany, and so is that of a product for which no tile
// fits. Source: cost-models.md sections 5, 6 and 6.4 (exact integer forms).
#pragma once
#include "index.h"

namespace pb {

/// A count that stays at the largest number instead of overflowing.
struct Words {
  long count = 0;

  constexpr Words() = default;
  constexpr Words(long count) : count(count) {}
  friend constexpr bool operator==(Words, Words) = default;
  friend constexpr bool operator<(Words a, Words b) { return a.count < b.count; }
  friend constexpr Words operator+(Words a, Words b) {
    return __builtin_add_overflow(a.count, b.count, &a.count) ? most() : a;
  }
  friend constexpr Words operator*(Words a, Words b) {
    return __builtin_mul_overflow(a.count, b.count, &a.count) ? most() : a;
  }
  static constexpr Words most() { return __LONG_MAX__; }
};
inline constexpr Words kTooMany = Words::most();

/// `stream`: the number of lines of the two moving matrices that must be in the memory beside a tile. The
/// closed forms take 0.
struct FastMemory {
  long words = 0;
  long stream = 0;
};

/// A count, and the tile that it is for; the tile's extents are along the sizes that the function below
/// names.
struct Tiled {
  Words words = kTooMany;
  long first = 0, second = 0;
};

/// The number of parts when n items are cut into parts of t.
constexpr long parts(long n, long t) { return n > t ? (n + t - 1) / t : 1; }

/// The best of the tiles `first` x `second` within n1 x n2 for which first * second + stream * (first +
/// second) + row * first words fit. `words` must not grow with either extent. Of all `first` that cut n1 into
/// the same number of parts only the smallest can be best, because it leaves most room for `second`. So there
/// are 2 sqrt(n1) to try.
template <class Count>
constexpr Tiled bestTile(long n1, long n2, FastMemory memory, long row, Count words) {
  Tiled best;
  n1 = maximum(n1, 1);
  for (long first = 1; first <= n1;) {
    const long cuts = parts(n1, first);
    const long rest = memory.words - (memory.stream + row) * first;
    const long second = rest < 0 ? 0 : minimum(maximum(n2, 1), rest / (first + memory.stream));
    if (second < 1)
      break;
    const Words count = words(first, second);
    if (best.first == 0 || count < best.words)
      best = {count, first, second};
    first = cuts == 1 ? n1 + 1 : (n1 + cuts - 2) / (cuts - 1);
  }
  return best;
}

/// R is kept, a block of x (of P0) by y (of P2) at a time.
constexpr Words outputKept(long p0, long p1, long p2, long x, long y) {
  return Words(p0) * p1 * parts(p2, y) + Words(p1) * p2 * parts(p0, x) + Words(p0) * p2;
}
/// A1 is kept, a block of x (of P0) by z (of P1) at a time; R is read and written each time, except that the
/// first time it is not read.
constexpr Words leftKept(long p0, long p1, long p2, long x, long z) {
  return Words(p0) * p1 + Words(p1) * p2 * parts(p0, x) + Words(p0) * p2 * (2 * parts(p1, z) - 1);
}
/// A2 is kept, a block of y (of P2) by z (of P1) at a time.
constexpr Words rightKept(long p0, long p1, long p2, long y, long z) {
  return Words(p1) * p2 + Words(p0) * p1 * parts(p2, y) + Words(p0) * p2 * (2 * parts(p1, z) - 1);
}

constexpr Tiled leastOutputKept(long p0, long p1, long p2, FastMemory memory) {
  return bestTile(p0, p2, memory, 0, [=](long x, long y) { return outputKept(p0, p1, p2, x, y); });
}
constexpr Tiled leastLeftKept(long p0, long p1, long p2, FastMemory memory) {
  return bestTile(p0, p1, memory, 0, [=](long x, long z) { return leftKept(p0, p1, p2, x, z); });
}
constexpr Tiled leastRightKept(long p0, long p1, long p2, FastMemory memory) {
  return bestTile(p2, p1, memory, 0, [=](long y, long z) { return rightKept(p0, p1, p2, y, z); });
}

constexpr Tiled lesser(Tiled a, Tiled b) { return b.words < a.words ? b : a; }

/// One product, with whichever matrix is best kept.
constexpr Tiled leastProduct(long p0, long p1, long p2, FastMemory memory) {
  return lesser(lesser(leastOutputKept(p0, p1, p2, memory), leastLeftKept(p0, p1, p2, memory)),
                leastRightKept(p0, p1, p2, memory));
}

/// How R is updated while one tile of the intermediate product after another is used up.
enum class Update {
  ReadAndWrite, // it is read and written with each tile, but not read the first time
  /// Each tile is added to it elsewhere (atomic additions): one word per number, after R was cleared.
  Reduction,
  Panel, // the part of it that a tile changes is kept beside the tile: P3 words for each row (or P0)
};

constexpr long times(Update update, long tiles) {
  if (update == Update::Panel || tiles == 1)
    return 1;
  return update == Update::Reduction ? tiles + 1 : 2 * tiles - 1;
}

/// (A1 A2) A3, x (of P0) by y (of P2) of A1 A2 at a time.
constexpr Words leftFused(long p0, long p1, long p2, long p3, long x, long y, Update update) {
  return Words(p0) * p1 * parts(p2, y) + (Words(p1) * p2 + Words(p2) * p3) * parts(p0, x) +
         Words(p0) * p3 * times(update, parts(p2, y));
}
/// A1 (A2 A3), x (of P1) by y (of P3) of A2 A3 at a time.
constexpr Words rightFused(long p0, long p1, long p2, long p3, long x, long y, Update update) {
  return (Words(p1) * p2 + Words(p0) * p1) * parts(p3, y) + Words(p2) * p3 * parts(p1, x) +
         Words(p0) * p3 * times(update, parts(p1, x));
}

constexpr Tiled leastLeft(long p0, long p1, long p2, long p3, FastMemory memory,
                          Update update = Update::ReadAndWrite) {
  return bestTile(p0, p2, memory, update == Update::Panel ? p3 : 0,
                  [=](long x, long y) { return leftFused(p0, p1, p2, p3, x, y, update); });
}
constexpr Tiled leastRight(long p0, long p1, long p2, long p3, FastMemory memory,
                           Update update = Update::ReadAndWrite) {
  if (update != Update::Panel)
    return bestTile(p1, p3, memory, 0,
                    [=](long x, long y) { return rightFused(p0, p1, p2, p3, x, y, update); });
  const Tiled turned =
      bestTile(p3, p1, memory, p0, [=](long y, long x) { return rightFused(p0, p1, p2, p3, x, y, update); });
  return {turned.words, turned.second, turned.first};
}

} // namespace pb
