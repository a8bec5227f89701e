// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Blocks of points in registers: carries out the mark "registers" of compiler/kernel/register_tile.h.
//
//   struct pb_kernel_0_tile { ... };      // emitted: what one block does
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
#include "panels.h"
#include "scratch.h"
#include "step_parts.h"

/// For the loop over k: the block already has enough independent additions, and unrolled further it would not
/// fit in registers.
#define PB_TILE_LOOP _Pragma("clang loop unroll(disable) vectorize(disable)")

namespace pb {

extern "C" {
/// Bytes of a cache, by level from 1 to 3; 0: the machine has no third one. Defined in runtime/base/caches.cpp.
long pb_cache_bytes(int level);
}

/// Tile: the emitted class. Its members:
///
///   Cell                         the element type
///   kScalars                     scalars of a point that live in registers
///   kIsBox                       all rows have the same columns
///   kResumes                     the loop over k may be cut: the scalars of a point are kept between its parts
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
///   kFolds[], folded(p, y, k, a) the same: whether a block reads `folded` of what the operand is at row y and step k; optional if none is
///   kMoves                       rows have loops of different length
///   kWaits                       rows read what earlier ones have computed, below step y + behind() if kResumes
///   kThen[]                      the same: the operand that takes its place from step change(y) on, behind the others; -1: none
///   behind()                     step k reads what rows before k - behind() write; 0 if rows do not wait
///   depthBegin(y), depthEnd(y)   the loops over k in row y
///   panel(p, y, x, k)            the strip of operand p from that place on
///   cells<R, V, W, isPart>(y, x, n, k0, k1, isFirst, isLast, kept, panels)
///                                steps k0 to k1, with panels that begin at k0; `kept` has what the part before has left, if it is
///                                not the first, and then what this one leaves, if it is not the last
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
    int columns = 0;
    if constexpr (Tile::kPanels > 0)
      for (const bool alongX : Tile::kAlongX)
        columns += alongX;
    const int rows = tileRows(Tile::kScalars, V, columns > 1 ? columns : 1);
    return rows < most ? rows : most;
  }();
  static constexpr int kFewRows = fewRows(R);
  static constexpr long kStrip = V * W; // columns
  static constexpr long kSize = sizeof(T), kLine = 64 / kSize;

  explicit TileRunner(const Tile &tile) : tile_(tile) {}

  [[gnu::always_inline]] void run(long yBegin, long yEnd) const {
    if (yBegin >= yEnd)
      return;
    if constexpr (Tile::kPanels > 0) {
      if constexpr (Tile::kIsBox) {
        const long x0 = tile_.begin(yBegin), x1 = tile_.end(yBegin);
        const auto [k0, k1] = depth(yBegin, yEnd);
        if (k1 - k0 > 0 && x1 - x0 >= kStrip && yEnd - yBegin >= 2 * R && isFar(yBegin, x0, k0, k1)) {
          return inPanels({yBegin, yEnd, x0, x1, k0, k1});
        }
      }
    }
    rows(yBegin, yEnd, 1, [&]<int Rows>(long y, long) { wholeRows<Rows>(y); });
  }

private:
  /// Calls `blocks<R>(y, count)` for groups of at most `most` blocks of R rows; blocks overlap only where points may be computed twice.
  template <class Blocks>
  [[gnu::always_inline]] static void rows(long begin, long end, long most, const Blocks &blocks) {
    long y = begin;
    while (y + R <= end) {
      const long count = minimum(most, (end - y) / R);
      blocks.template operator()<R>(y, count);
      y += count * R;
    }
    if constexpr (kFewRows > 1) {
      for (; y + kFewRows <= end; y += kFewRows)
        blocks.template operator()<kFewRows>(y, 1);
      if (y < end && !Tile::kInPlace && end - begin >= kFewRows)
        return blocks.template operator()<kFewRows>(end - kFewRows, 1);
    }
    for (; y < end; ++y)
      blocks.template operator()<1>(y, 1);
  }

  /// Computes whole rows: their common columns together, the columns that only some of them have row by row.
  template <int Rows>
  [[gnu::noinline]] void wholeRows(long y) const {
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

  /// Computes all columns of some rows, without copying operands of columns that are vectors where they are.
  template <int Rows>
  [[gnu::always_inline]] void columns(long y, long begin, long end) const {
    if (begin >= end)
      return;
    if constexpr (Tile::kPanels > 0) {
      const Steps k = depth(y, y + Rows);
      Panel<T> panels[Tile::kPanels];
      T *memory = nullptr;
      const bool copies = mustCopy(y, begin, k.begin);
      if (copies || joinsOperands<Tile>() || foldsOperands<Tile>())
        memory = static_cast<T *>(
            pb_scratch(maximum(k.end - k.begin, 0) * (W * columnOperands() + Rows * rowOperands()) * kSize));
      if constexpr (joinsOperands<Tile>() || foldsOperands<Tile>())
        for (int p = 0; p < Tile::kPanels; ++p)
          if (isOfOneBlock(p)) {
            panels[p] = acrossRows(Rows, p, y, begin, k, 1, memory, 0);
            memory += (k.end - k.begin) * Rows;
          }
      inColumns<Rows>(begin, end, !copies, [&]<int Vectors, bool isPart>(long x, long n) {
        T *to = memory;
        for (int p = 0; p < Tile::kPanels; ++p) {
          if (!isOfOneBlock(p))
            panels[p] = tile_.panel(p, y, x, k.begin);
          if (Tile::kAlongX[p] && panels[p].row != 1) {
            copyStrip(panels[p], n, k.end - k.begin, to, W);
            panels[p] = {to, 1, W};
            to += (k.end - k.begin) * W;
          }
        }
        tile_.template cells<Rows, Vectors, W, isPart>(y, x, n, k.begin, k.end, true, true, nullptr, panels);
      });
    } else
      inColumns<Rows>(begin, end, true, [&]<int Vectors, bool isPart>(long x, long n) {
        tile_.template cells<Rows, Vectors, W, isPart>(y, x, n);
      });
  }

  /// Calls `block<Vectors, isPart>(x, n)` for groups of n columns, of several vectors each if `together`.
  template <int Rows, class Block>
  [[gnu::always_inline]] static void inColumns(long begin, long end, bool together, const Block &block) {
    long x = begin;
    if constexpr (Rows > 1)
      for (; together && x + V * W <= end; x += V * W)
        block.template operator()<V, false>(x, V * W);
    for (; x + W <= end; x += W)
      block.template operator()<1, true>(x, W);
    if (x < end && !Tile::kInPlace && end - begin >= W)
      x = end - W;
    if (x < end)
      block.template operator()<1, true>(x, end - x);
  }

  /// The union of the loops over k of some rows.
  Steps depth(long yBegin, long yEnd) const {
    Steps all{tile_.depthBegin(yBegin), tile_.depthEnd(yBegin)};
    if constexpr (Tile::kMoves)
      for (long y = yBegin + 1; y < yEnd; ++y)
        all = {minimum(all.begin, tile_.depthBegin(y)), maximum(all.end, tile_.depthEnd(y))};
    return all;
  }

  /// Whether the rows of a block are copied for it where nothing else is.
  static constexpr bool isOfOneBlock(int p) {
    return !Tile::kAlongX[p] && (joinsOperands<Tile>() || foldsOperand<Tile>(p));
  }

  static constexpr long operands(bool alongX) {
    long n = 0;
    for (int p = 0; p < Tile::kPanels; ++p)
      n += Tile::kAlongX[p] == alongX;
    return n;
  }
  static constexpr long columnOperands() { return operands(true) ? operands(true) : 1; }
  static constexpr long rowOperands() { return operands(false); }

  /// Whether the cells of some strip of columns are not side by side, so that each strip is copied, for the rows of a block alone.
  bool mustCopy(long y, long x, long k) const {
    for (int p = 0; p < Tile::kPanels; ++p)
      if (Tile::kAlongX[p] && tile_.panel(p, y, x, k).row != 1)
        return true;
    return false;
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
    const long bytes =
        (R * rowOperands() + kStrip * columnOperands()) * kSize; // that a block reads in a step
    return maximum(128, pb_cache_bytes(1) / 8 * 7 / bytes);
  }

  /// How many strips of columns, of `bytes` bytes each, are copied together.
  static long stripsTogether([[maybe_unused]] long bytes) {
    if constexpr (requires { Tile::kAskedColumns; })
      return (Tile::kAskedColumns + kStrip - 1) / kStrip;
    return maximum(1, 2 * pb_cache_bytes(2) / bytes);
  }

  struct Box {
    long y0, y1, x0, x1, k0, k1;
  };

  /// How many blocks of rows are copied together. Where the rows lie side by side, a line of memory is so read once. If a block reads what
  /// others have computed from elsewhere than its strips, it is 1.
  static constexpr long kMostBlocks = [] {
    if constexpr (Tile::kPanels > 0)
      for (int p = 0; p < Tile::kPanels; ++p)
        if (Tile::kIsOutput[p] && !Tile::kKept[p])
          return 1;
    return 32;
  }();

  /// Computes a box whose operands are copied. A part of the rows of a block and of a strip of columns fit in the first-level cache together,
  /// some blocks' rows in a part of the second-level cache; strips may be in the cache behind it, because all of these blocks use one
  /// before the next.
  [[gnu::noinline]] void inPanels(const Box &box) const {
    const Steps all{box.k0, box.k1};
    // What is computed in a block of rows that wait is read at the same part's steps.
    const StepParts parts =
        !Tile::kResumes ? StepParts{all, all.begin, all.end - all.begin}
                        : cutSteps(all, stepsTogether(), Tile::kWaits ? R : 1, box.y0 + tile_.behind());
    const long depth = parts.depth;
    const long strip = depth * kStrip;
    const long width = stripsTogether(strip * columnOperands() * kSize) * kStrip;
    const long strips = (minimum(width, box.x1 - box.x0) + kStrip - 1) / kStrip;
    // Rows of a block are a line more than the depth apart, lest a power of two puts all of them into the same few places of a cache.
    const long size = R * ((depth + kLine - 1) / kLine + 1) * kLine;
    const long blocks =
        minimum(kMostBlocks, maximum(1, pb_cache_bytes(2) / 4 / (size * rowOperands() * kSize + 1)));
    const long kept =
        depth >= box.k1 - parts.begin ? 0 : ((box.y1 - box.y0) / R + kFewRows + R / kFewRows) * strips;
    T *const memory = static_cast<T *>(pb_scratch(
        (strips * strip * columnOperands() + blocks * size * rowOperands() + kept * kKept) * kSize));
    const Part part{depth, strip, strips, size, blocks, memory, memory + strips * strip * columnOperands()};
    for (long x = box.x0; x < box.x1; x += width)
      parts.each([&](Steps k) { inPart(box, part, x, minimum(x + width, box.x1), k); });
  }

  /// How the box is cut, and memory: for all strips of an operand, one operand behind the other; for some blocks' rows, in the same way; and for
  /// the scalars of points whose loop goes on.
  struct Part {
    long depth, strip, strips, size, blocks;
    T *columns, *rows;

    static long before(int p) { // operands of the same kind
      long n = 0;
      for (int q = 0; q < p; ++q)
        n += Tile::kAlongX[q] == Tile::kAlongX[p];
      return n;
    }
    T *column(int p, long n) const { return columns + (before(p) * strips + n) * strip; }
    T *row(int p) const { return rows + before(p) * blocks * size; }
    T *kept(long number) const { return rows + rowOperands() * blocks * size + number * kKept; }
  };
  static constexpr long kKept = R * kStrip * Tile::kScalars;

  /// Computes some steps of some strips.
  [[gnu::noinline]] void inPart(const Box &box, const Part &part, long x0, long x1, Steps k) const {
    const long strips = (x1 - x0 + kStrip - 1) / kStrip;
    const auto copy = [&](bool outputs, long begin, long end, bool isFirst) {
      for (int p = 0; p < Tile::kPanels; ++p)
        for (long n = 0;
             Tile::kAlongX[p] && Tile::kIsOutput[p] == outputs && (isFirst || !Tile::kKept[p]) && n < strips;
             ++n) {
          const long x = x0 + n * kStrip;
          copyStrip(tile_.panel(p, box.y0, x, begin), minimum(kStrip, x1 - x), end - begin,
                    part.column(p, n) + (begin - k.begin) * kStrip, kStrip);
        }
    };
    copy(false, k.begin, k.end, true);
    long done = k.begin; // steps whose outputs are already in panels
    long number = 0;     // of blocks
    rows(box.y0, box.y1, part.blocks, [&]<int Rows>(long y, long blocks) {
      const long ready = minimum(k.end, y + tile_.behind());
      if (ready > done) {
        copy(true, done, ready, y == box.y0);
        done = ready;
      }
      Task tasks[kMostBlocks];
      for (long g = 0; g < blocks; ++g)
        tasks[g] = task(box, y + g * Rows, Rows, k);
      Panel<T> panels[Tile::kPanels];
      long next[Tile::kPanels];
      for (int p = 0; p < Tile::kPanels; ++p)
        if (!Tile::kAlongX[p])
          panels[p] = rowsInPanel<Rows>(p, y, x0, k, blocks, part, next[p]);
      T *const kept = part.kept(number);
      number += blocks * part.strips;
      for (long n = 0; n < strips; ++n)
        for (long g = 0; g < blocks; ++g) {
          if (tasks[g].isEmpty)
            continue;
          Panel<T> here[Tile::kPanels];
          for (int p = 0; p < Tile::kPanels; ++p)
            here[p] = Tile::kAlongX[p] ? Panel<T>{part.column(p, n), 1, kStrip}
                                       : Panel<T>{panels[p].at + g * next[p], panels[p].row, panels[p].step};
          const long x = x0 + n * kStrip;
          inStrip<Rows>(y + g * Rows, x, minimum(kStrip, x1 - x), k, tasks[g],
                        kept + (n * blocks + g) * kKept, here);
        }
    });
  }

  /// What is to do for a block in a part of the steps.
  struct Task {
    bool isFirst = true, isLast = true, isEmpty = false;
  };

  Task task(const Box &box, long y, long rows, Steps k) const {
    if (!Tile::kResumes)
      return {};
    Steps all = depth(y, y + rows);
    if (Tile::kWaits) // until its own rows are among the steps
      all.end = maximum(all.end, y + rows + tile_.behind());
    // A block without steps is computed, too.
    const long from = minimum(maximum(all.begin, box.k0), box.k1 - 1),
               to = maximum(from, minimum(all.end, box.k1) - 1);
    return {from >= k.begin, to < k.end, from >= k.end || to < k.begin};
  }

  /// Computes one strip in panels. A single row, which is rare, and a strip with fewer columns are computed vector by vector, so that fewer
  /// instances are compiled.
  template <int Rows>
  [[gnu::always_inline]] void inStrip(long y, long x, long n, Steps k, const Task &task, T *kept,
                                      const Panel<T> *panels) const {
    if (Rows > 1 && n == kStrip)
      return tile_.template cells<Rows, (Rows > 1 ? V : 1), W, (Rows == 1)>(
          y, x, n, k.begin, k.end, task.isFirst, task.isLast, kept, panels);
    for (long v = 0; v < n; v += W) {
      Panel<T> lanes[Tile::kPanels];
      for (int p = 0; p < Tile::kPanels; ++p)
        lanes[p] = {panels[p].at + (Tile::kAlongX[p] ? v : 0), panels[p].row, panels[p].step};
      tile_.template cells<Rows, 1, W, true>(y, x + v, minimum(W, n - v), k.begin, k.end, task.isFirst,
                                             task.isLast, kept + v * Rows * Tile::kScalars, lanes);
    }
  }

  /// The steps of an operand in row y, as far as they are among `k`.
  Steps stepsOf(int p, long y, Steps k) const {
    if constexpr (Tile::kMoves)
      k = {maximum(k.begin, tile_.depthBegin(y)), minimum(k.end, tile_.depthEnd(y))};
    if constexpr (joinsOperands<Tile>()) {
      if (p >= Tile::kPanels)
        k.begin = maximum(k.begin, tile_.change(y));
      else if (Tile::kThen[p] >= 0)
        k.end = minimum(k.end, tile_.change(y));
    }
    return k;
  }

  /// Copies the operand p of some blocks of rows, the first of which begins at row y; that of the next one is `next` cells behind.
  template <int Rows>
  Panel<T> rowsInPanel(int p, long y, long x, Steps k, long blocks, const Part &part, long &next) const {
    next = part.size;
    const Panel<T> whole = tile_.panel(p, y, x, k.begin);
    T *const to = part.row(p);
    if (Tile::kResumes || Tile::kThen[p] >= 0 || foldsOperand<Tile>(p) || whole.row == 1 || whole.row == -1)
      return acrossRows(Rows, p, y, x, k, blocks, to, part.size);
    if (whole.step == 1 || whole.step == -1) {
      next = Rows * whole.row;
      return whole; // long rows are as well read where they are
    }
    const long row = part.size / R, length = k.end - k.begin;
    for (long r = 0; r < blocks * Rows; ++r) {
      const Steps own = stepsOf(p, y + r, k);
      const long begin = own.begin - k.begin, end = own.end - k.begin;
      copyRow(whole.at + r * whole.row + begin * whole.step, whole.step, end - begin,
              to + r / Rows * part.size + r % Rows * row + (whole.step == -1 ? length - end : begin));
    }
    return whole.step == -1 ? Panel<T>{to + length - 1, row, -1} : Panel<T>{to, row, 1};
  }

  /// Copies the operand p, or what takes its place in a part of its steps, so that the rows of a block lie side by side; `size` cells for
  /// each block.
  [[gnu::noinline]] Panel<T> acrossRows(long rows, int p, long y, long x, Steps k, long blocks, T *to,
                                        long size) const {
    if (Tile::kThen[p] >= 0) {
      copyAcross(rows, p, y, x, k, blocks, to, size);
      copyAcross(rows, Tile::kThen[p], y, x, k, blocks, to, size);
      return {to, 1, rows};
    }
    const bool isBackward = tile_.panel(p, y, x, k.begin).row == -1; // then the last row comes first
    copyAcross(rows, p, y, x, k, blocks, to, size, isBackward);
    const Panel<T> copied = isBackward ? Panel<T>{to + rows - 1, -1, rows} : Panel<T>{to, 1, rows};
    if constexpr (foldsOperands<Tile>())
      if (foldsOperand<Tile>(p))
        fold(copied, rows, p, y, k, blocks, size);
    return copied;
  }

  /// Computes what blocks read from the rows that have been copied.
  void fold(const Panel<T> &copied, long rows, int p, long y, Steps k, long blocks, long size) const {
    PB_TILE_LOOP for (long r = 0; r < blocks * rows; ++r) {
      const Steps own = stepsOf(p, y + r, k);
      T *const row = const_cast<T *>(copied.at) + r / rows * size + r % rows * copied.row;
      PB_TILE_LOOP for (long s = own.begin; s < own.end; ++s) {
        T &cell = row[(s - k.begin) * copied.step];
        cell = tile_.folded(p, y + r, s, cell);
      }
    }
  }

  void copyAcross(long rows, int p, long y, long x, Steps k, long blocks, T *to, long size,
                  bool isBackward = false) const {
    Steps shared[kMostBlocks]; // by all rows of a block
    for (long g = 0; g < blocks; ++g) {
      Steps all = k;
      PB_TILE_LOOP for (long r = 0; r < rows; ++r) {
        const Steps own = stepsOf(p, y + g * rows + r, k);
        all = {maximum(all.begin, own.begin), minimum(all.end, own.end)};
      }
      shared[g] = all.begin < all.end ? all : Steps{k.begin, k.begin};
    }
    const Panel<T> from = tile_.panel(p, y, x, k.begin);
    const long back = isBackward ? rows - 1 : 0; // where row 0 goes
    const long together = from.row * from.row == 1 ? kLine : k.end - k.begin;
    for (long begin = k.begin; begin < k.end; begin += together)
      for (long g = 0; g < blocks; ++g) {
        const long first = maximum(begin, shared[g].begin), end = minimum(begin + together, shared[g].end);
        const T *const at = from.at + g * rows * from.row + (first - k.begin) * from.step;
        T *const there = to + g * size + (first - k.begin) * rows;
        copyStrip(Panel<T>{at - back, isBackward ? 1 : from.row, from.step}, rows, end - first, there, rows);
      }
    if constexpr (!Tile::kMoves && !joinsOperands<Tile>())
      return; // all rows have the same steps
    PB_TILE_LOOP for (long g = 0; g < blocks; ++g) PB_TILE_LOOP for (long r = 0; r < rows; ++r) {
      const Steps own = stepsOf(p, y + g * rows + r, k);
      const T *const at = from.at + (g * rows + r) * from.row;
      T *const there = to + g * size + (isBackward ? back - r : r);
      PB_TILE_LOOP for (long s = own.begin; s < own.end; ++s) {
        if (s == shared[g].begin && shared[g].begin < shared[g].end)
          s = shared[g].end;
        if (s < own.end)
          there[(s - k.begin) * rows] = at[(s - k.begin) * from.step];
      }
    }
  }

  const Tile &tile_;
};

template <class Tile>
void runTiles(const Tile &tile, long yBegin, long yEnd) {
  TileRunner<Tile>(tile).run(yBegin, yEnd);
}

} // namespace pb
