// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Blocks of points in registers: carries out the mark "registers" of compiler/kernel/register_tile.h.
//
//   struct pb_kernel_0_tile {                        // emitted: what one block does
//     template <int R, int V, int W>
//     void cells(long y, long x, ...) const;         // R rows, V vectors of W columns
//     ...
//   };
//   pb::runTiles(pb_kernel_0_tile{...}, low1, high1);
//
// Emitted code describes one block. This header covers a box of points with blocks; the last block of a row
// or column begins early rather than ending late. For deep nests it also cuts the loop over k and copies
// strips of the operands, so that a block reads contiguous memory (the panels of Goto and van de Geijn,
// "Anatomy of high-performance matrix multiplication", 2008). The sizes of blocks follow from the number of
// registers, those of panels from the caches of the machine at hand.
#pragma once
#include "block_vectors.h"
#include "index.h"
#include "scratch.h"

/// For the loop over k: the block already has enough independent additions, and unrolled further it would not
/// fit in registers.
#define PB_TILE_LOOP _Pragma("clang loop unroll(disable) vectorize(disable)")

namespace pb {

/// The rows of a block of `vectors` vectors for a kernel with `scalars` scalars for each point.
constexpr int tileRows(int scalars, int vectors) {
  const int rows = kVectorRegisters * 3 / 4 / (vectors * scalars);
  return rows > 1 ? rows : 1;
}
/// The rows of the smaller blocks that cover the remaining rows.
constexpr int fewRows(int rows) { return rows >= 4 ? 4 : 1; }
inline constexpr int kTileVectors = 2;
/// Parts of a box of points have a multiple of so many rows: five rows would take as long as eight, namely
/// two blocks that overlap. `rows` and `vectors` are requested sizes; 0 stands for the sizes above.
constexpr long tileGrain(int scalars, int rows = 0, int vectors = 0) {
  const int all = rows > 0 ? rows : tileRows(scalars, vectors > 0 ? vectors : kTileVectors);
  return all < 4 ? all : fewRows(all);
}

/// A strip of an operand: row r (or lane r) at step k of the loop is at[r * row + k * step].
template <class T>
struct Panel {
  const T *at;
  long row, step;
};

/// Puts the vector of step `k`, which the block itself has computed, into its strip, if that has this step.
template <int W, bool isPart, class T>
[[gnu::always_inline]] inline void keep(const Panel<T> &strip, long k, long k0, long k1, int v,
                                        Vector<T, W> value, long n) {
  if (k0 <= k && k < k1)
    store<W, isPart>(const_cast<T *>(strip.at) + (k - k0) * strip.step + v * W, value, n);
}

extern "C" {
/// Bytes of a core's cache of this level, 1 or 2. Defined in runtime/base/caches.cpp.
long pb_cache_bytes(int level);
}

/// Copies a strip: `rows` rows (or lanes) of `depth` steps, keeping the direction that is contiguous in
/// memory. `lanes`: step by step, for vector loads.
template <class T>
[[gnu::noinline]] Panel<T> copyPanel(const Panel<T> &from, long rows, long depth, bool lanes, T *to) {
  if (lanes || from.row == 1) {
    if (from.row == 1)
      copySideBySide(from.at, from.step, rows, depth, to);
    else if (from.step == 1)
      copyTurned(from.at, from.row, rows, depth, to);
    else
      for (long r = 0; r < rows; ++r)
        for (long k = 0; k < depth; ++k)
          to[k * rows + r] = from.at[r * from.row + k * from.step];
    return {to, 1, rows};
  }
  if (from.step == 1)
    for (long r = 0; r < rows; ++r)
      __builtin_memcpy(to + r * depth, from.at + r * from.row, static_cast<unsigned long>(depth) * sizeof(T));
  else
    for (long r = 0; r < rows; ++r)
      for (long k = 0; k < depth; ++k)
        to[r * depth + k] = from.at[r * from.row + k * from.step];
  return {to, depth, 1};
}

/// Tile: the emitted class. Its members:
///
///   Cell                         the element type
///   kScalars                     scalars of a point that live in registers
///   kIsBox                       all rows have the same columns
///   kResumes                     the loop over k may be cut: the output holds the result so far
///   kInPlace                     a point may overwrite what it reads: no point may be computed twice
///   begin(y), end(y)             columns of row y
///   kAskedRows, kAskedVectors, kAskedDepth, kAskedColumns
///                                a requested shape instead of the one below (optional)
///   cells<R, V, W, isPart>(y, x, n)
///                                the block of R rows, V vectors of W columns, or its first n columns
///
/// and where kPanels > 0, for loops over k with operands of which a block reads strips:
///
///   kAlongX[], kIsOutput[]       by operand: whether it is a strip of columns, whether the kernel writes it
///   kKept[]                      the same: whether a block puts what it computes into the strip, from the first row of the box on
///   kStrided                     the cells of some strips of columns are not contiguous
///   kMoves                       rows have loops of different length
///   behind()                     step k reads what rows before k - behind() write; 0 if rows do not wait
///   depthBegin(y), depthEnd(y)   the loops over k in row y
///   panel(p, y, x, k)            the strip of operand p from that place on
///   cells<R, V, W, isPart>(y, x, n, k0, k1, isFirst, panels)
///                                steps k0 to k1, with panels that begin at k0
template <class Tile>
class TileRunner {
public:
  using T = typename Tile::Cell;
  static constexpr int W = kVectorBytes / static_cast<int>(sizeof(T));
  static constexpr int V = [] {
    if constexpr (requires { Tile::kAskedVectors; })
      return static_cast<int>(Tile::kAskedVectors);
    return kTileVectors;
  }();
  static constexpr int R = [] {
    if constexpr (requires { Tile::kAskedRows; })
      return static_cast<int>(Tile::kAskedRows);
    // If no strips are shared by all rows, more rows only mean more places in memory at once.
    constexpr int most = Tile::kPanels > 0 ? kVectorRegisters : 8;
    return tileRows(Tile::kScalars, V) < most ? tileRows(Tile::kScalars, V) : most;
  }();
  static constexpr int kFewRows = fewRows(R);
  static constexpr long kStrip = V * W; // columns
  static constexpr long kSize = sizeof(T), kLine = 64 / kSize;

  explicit TileRunner(const Tile &tile) : tile_(tile) {}

  void run(long yBegin, long yEnd) const {
    if (yBegin >= yEnd)
      return;
    if constexpr (Tile::kPanels > 0) {
      if constexpr (Tile::kIsBox) {
        const long x0 = tile_.begin(yBegin), x1 = tile_.end(yBegin);
        const auto [k0, k1] = depth(yBegin, yEnd);
        if (k1 - k0 > 0 && x1 - x0 >= kStrip && yEnd - yBegin >= 2 * R && isFar(yBegin, x0, k0, k1)) {
          if constexpr (Tile::kMoves)
            return inStrips(yBegin, yEnd, x0, x1, k0, k1);
          else
            return inPanels(yBegin, yEnd, x0, x1, k0, k1);
        }
      }
    }
    rows(yBegin, yEnd, true, [&]<int Rows>(long y) { wholeRows<Rows>(y); });
  }

private:
  /// Calls `block<R>(y)` for groups of rows; groups overlap only where no result is resumed.
  template <class Block>
  static void rows(long begin, long end, bool mayOverlap, const Block &block) {
    long y = begin;
    for (; y + R <= end; y += R)
      block.template operator()<R>(y);
    if constexpr (kFewRows > 1) {
      for (; y + kFewRows <= end; y += kFewRows)
        block.template operator()<kFewRows>(y);
      if (y < end && mayOverlap && !Tile::kInPlace && end - begin >= kFewRows)
        return block.template operator()<kFewRows>(end - kFewRows);
    }
    for (; y < end; ++y)
      block.template operator()<1>(y);
  }

  template <int Rows, int Vectors, bool isPart = false>
  [[gnu::always_inline]] void direct(long y, long x, long n = 0) const {
    if constexpr (Tile::kPanels > 0) {
      Panel<T> panels[Tile::kPanels];
      const auto [k0, k1] = depth(y, y + Rows);
      for (int p = 0; p < Tile::kPanels; ++p)
        panels[p] = tile_.panel(p, y, x, k0);
      if constexpr (isStrided())
        gather(panels, isPart ? n : Vectors * W, k1 - k0);
      tile_.template cells<Rows, Vectors, W, isPart>(y, x, n, k0, k1, true, panels);
    } else
      tile_.template cells<Rows, Vectors, W, isPart>(y, x, n);
  }

  /// Computes whole rows: their common columns together, the columns that only some of them have row by row.
  template <int Rows>
  void wholeRows(long y) const {
    long begin = tile_.begin(y), end = tile_.end(y);
    if constexpr (!Tile::kIsBox && Rows > 1) {
      for (long r = y + 1; r < y + Rows; ++r) {
        begin = maximum(begin, tile_.begin(r));
        end = minimum(end, tile_.end(r));
      }
      const bool isShared = begin < end;
      for (long r = y; r < y + Rows; ++r) {
        columns<1>(r, tile_.begin(r), isShared ? begin : tile_.end(r));
        if (isShared)
          columns<1>(r, end, tile_.end(r));
      }
      if (!isShared)
        return;
    }
    columns<Rows>(y, begin, end);
  }

  /// Computes all columns of some rows, without copying operands.
  template <int Rows>
  void columns(long y, long begin, long end) const {
    long x = begin;
    if constexpr (!isStrided() && Rows > 1) // else each strip is copied for these rows alone
      for (; x + V * W <= end; x += V * W)
        direct<Rows, V>(y, x);
    for (; x + W <= end; x += W)
      direct<Rows, 1, true>(y, x, W);
    if (x == end)
      return;
    if (!Tile::kInPlace && end - begin >= W)
      x = end - W;
    direct<Rows, 1, true>(y, x, end - x);
  }

  struct Steps {
    long begin, end;
  };

  /// The union of the loops over k of some rows.
  Steps depth(long yBegin, long yEnd) const {
    Steps all{tile_.depthBegin(yBegin), tile_.depthEnd(yBegin)};
    if constexpr (Tile::kMoves)
      for (long y = yBegin + 1; y < yEnd; ++y)
        all = {minimum(all.begin, tile_.depthBegin(y)), maximum(all.end, tile_.depthEnd(y))};
    return all;
  }

  static constexpr bool isStrided() {
    if constexpr (Tile::kPanels > 0)
      return Tile::kStrided;
    return false;
  }

  /// Computes one strip in panels. A single row, which is rare, is computed vector by vector, so that one
  /// instance less is compiled.
  template <int Rows>
  [[gnu::always_inline]] void wholeStrip(long y, long x, long k0, long k1, bool isFirst,
                                         const Panel<T> *panels) const {
    if constexpr (Rows > 1)
      tile_.template cells<Rows, V, W, false>(y, x, kStrip, k0, k1, isFirst, panels);
    else
      for (int v = 0; v < V; ++v) {
        Panel<T> lanes[Tile::kPanels];
        for (int p = 0; p < Tile::kPanels; ++p)
          lanes[p] = {panels[p].at + (Tile::kAlongX[p] ? v * W : 0), panels[p].row, panels[p].step};
        tile_.template cells<Rows, 1, W, true>(y, x + v * W, W, k0, k1, isFirst, lanes);
      }
  }

  /// Copies those strips of columns that cannot be loaded as vectors where they are.
  static void gather(Panel<T> *panels, long columns, long steps) {
    T *to = static_cast<T *>(pb_scratch(columns * maximum(steps, 0) * kSize * Tile::kPanels));
    for (int p = 0; p < Tile::kPanels; ++p)
      if (Tile::kAlongX[p] && panels[p].row != 1) {
        panels[p] = copyPanel(panels[p], columns, steps, true, to);
        to += columns * steps;
      }
  }

  /// Whether a block's strips of columns are spread over so many pages that copying them is worth it.
  bool isFar(long y, long x, long k0, long k1) const {
    for (int p = 0; p < Tile::kPanels; ++p) {
      const Panel<T> panel = tile_.panel(p, y, x, k0);
      const long bytes = (k1 - k0) * maximum(panel.step, -panel.step) * kSize; // a loop may go backward
      if (Tile::kAlongX[p] && (panel.row != 1 || bytes > pb_cache_bytes(2) / 2))
        return true;
    }
    return false;
  }

  static long stepsTogether() {
    if constexpr (requires { Tile::kAskedDepth; })
      return Tile::kAskedDepth;
    return maximum(16, pb_cache_bytes(1) / 2 / (R * kSize));
  }

  /// How many strips of columns, of `bytes` bytes each, are copied together.
  static long stripsTogether([[maybe_unused]] long bytes) {
    if constexpr (requires { Tile::kAskedColumns; })
      return (Tile::kAskedColumns + kStrip - 1) / kStrip;
    return maximum(1, pb_cache_bytes(2) / 2 / bytes);
  }

  void inPanels(long y0, long y1, long x0, long x1, long k0, long k1) const {
    const long all = k1 - k0;
    long depth = all;
    if (Tile::kResumes) {
      // A block's rows fit in half of the first-level cache; all cuts have the same length.
      const long fits = stepsTogether();
      const long cuts = (all + fits - 1) / fits;
      depth = (all + cuts - 1) / cuts;
    }
    // The strips of columns fit in half of the second-level cache.
    const long width = stripsTogether(depth * kStrip * kSize) * kStrip;
    const long whole = x0 + (x1 - x0) / kStrip * kStrip;
    for (long k = k0; k < k1; k += depth)
      for (long x = x0; x < whole; x += width)
        part({y0, y1, x, minimum(x + width, whole), k, minimum(k + depth, k1), k == k0});
    // Columns that have been computed already may be computed again from the start, but must not be resumed
    // twice.
    if (whole == x1)
      return;
    if constexpr (Tile::kInPlace)
      rows(y0, y1, true, [&]<int Rows>(long y) { columns<Rows>(y, whole, x1); });
    else
      part({y0, y1, x1 - kStrip, x1, k0, k1, true});
  }

  /// For loops of different length, which are not cut: strips of columns are copied to panels. So are rows whose steps do not lie side by side,
  /// which are read again for each strip; others are read in place.
  void inStrips(long y0, long y1, long x0, long x1, long k0, long k1) const {
    const long strip = kStrip * (k1 - k0);
    constexpr long kCopied = columnOperands();
    const long width = stripsTogether(strip * kSize * kCopied) * kStrip;
    const long whole = Tile::kInPlace ? x0 + (x1 - x0) / kStrip * kStrip : x1;
    if (whole < x1)
      rows(y0, y1, true, [&]<int Rows>(long y) { columns<Rows>(y, whole, x1); });
    for (long x = x0; x < whole; x += width) {
      const long end = minimum(x + width, whole), strips = (end - x + kStrip - 1) / kStrip;
      const auto place = [&](long n) { return maximum(x0, minimum(x + n * kStrip, end - kStrip)); };
      const long lines = (R * (k1 - k0) + kLine - 1) / kLine * kLine;
      T *const memory =
          static_cast<T *>(pb_scratch((strips * strip * kCopied + lines * Tile::kPanels) * kSize));
      long done = k0; // steps whose outputs are already in panels
      /// Operand p of strip n, from step k on.
      const auto panelAt = [&](int p, long n, long k) {
        int before = 0;
        for (int q = 0; q < p; ++q)
          before += Tile::kAlongX[q];
        return memory + (before * strips + n) * strip + (k - k0) * kStrip;
      };
      const auto copy = [&](bool outputs, long begin, long finish, bool isFirst = true) {
        for (int p = 0; p < Tile::kPanels; ++p)
          for (long n = 0; Tile::kAlongX[p] && Tile::kIsOutput[p] == outputs &&
                           (isFirst || !Tile::kKept[p]) && n < strips;
               ++n)
            copyPanel(tile_.panel(p, y0, place(n), begin), kStrip, finish - begin, true,
                      panelAt(p, n, begin));
      };
      copy(false, k0, k1);
      rows(y0, y1, true, [&]<int Rows>(long y) {
        const long ready = minimum(k1, y + tile_.behind());
        if (ready > done) {
          copy(true, done, ready, y == y0);
          done = ready;
        }
        Panel<T> panels[Tile::kPanels];
        for (int p = 0; p < Tile::kPanels; ++p)
          if (!Tile::kAlongX[p])
            panels[p] = rowsInPanel<Rows>(p, y, x, k0, memory + strips * strip * kCopied + p * lines);
        for (long n = 0; n < strips; ++n) {
          for (int p = 0; p < Tile::kPanels; ++p)
            if (Tile::kAlongX[p])
              panels[p] = {panelAt(p, n, k0), 1, kStrip};
          wholeStrip<Rows>(y, place(n), k0, k1, true, panels);
        }
      });
    }
  }

  /// The operand p of some rows from step k0 on: where it is, or, if its steps are apart, copied to `to`, as far as these rows need it.
  template <int Rows>
  Panel<T> rowsInPanel(int p, long y, long x, long k0, T *to) const {
    const Panel<T> whole = tile_.panel(p, y, x, k0);
    if (whole.step == 1 || whole.step == -1)
      return whole;
    const auto [begin, end] = depth(y, y + Rows);
    if (begin >= end)
      return whole;
    Panel<T> copied = copyPanel(tile_.panel(p, y, x, begin), Rows, end - begin, whole.row == 1, to);
    copied.at -= (begin - k0) * copied.step;
    return copied;
  }

  static constexpr long columnOperands() {
    long n = 0;
    for (int p = 0; p < Tile::kPanels; ++p)
      n += Tile::kAlongX[p];
    return n ? n : 1;
  }

  struct Part {
    long y0, y1, x0, x1, k0, k1;
    bool isFirst;
  };

  /// Computes whole strips of columns.
  void part(const Part &a) const {
    const long steps = a.k1 - a.k0, strip = kStrip * steps;
    T *memory =
        static_cast<T *>(pb_scratch(((a.x1 - a.x0) * steps + R * steps + kLine) * kSize * Tile::kPanels));
    T *at[Tile::kPanels];
    for (int p = 0; p < Tile::kPanels; ++p) {
      at[p] = memory;
      if (Tile::kAlongX[p])
        for (long x = a.x0; x < a.x1; x += kStrip, memory += strip)
          copyPanel(tile_.panel(p, a.y0, x, a.k0), kStrip, steps, true, memory);
      else
        memory += (R * steps + kLine - 1) / kLine * kLine;
    }
    const auto block = [&]<int Rows>(long y) {
      Panel<T> panels[Tile::kPanels];
      for (int p = 0; p < Tile::kPanels; ++p)
        panels[p] = Tile::kAlongX[p] ? Panel<T>{at[p], 1, kStrip}
                                     : copyPanel(tile_.panel(p, y, a.x0, a.k0), Rows, steps, false, at[p]);
      for (long x = a.x0; x < a.x1; x += kStrip) {
        wholeStrip<Rows>(y, x, a.k0, a.k1, a.isFirst, panels);
        for (int p = 0; p < Tile::kPanels; ++p)
          if (Tile::kAlongX[p])
            panels[p].at += strip;
      }
    };
    rows(a.y0, a.y1, a.isFirst, block);
  }

  const Tile &tile_;
};

template <class Tile>
void runTiles(const Tile &tile, long yBegin, long yEnd) {
  TileRunner<Tile>(tile).run(yBegin, yEnd);
}

} // namespace pb
