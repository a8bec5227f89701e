// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Strips of the operands of blocks in registers (register_tile.h), and how they are copied so that a block reads contiguous memory.
//
//   copyStrip(Panel<double>{B + x, 1, B_s1}, 16, depth, to, 16);    // to[16 * k + l] = B[x + l, k]
#pragma once
#include "block_vectors.h"
#include "index.h"

/// For loops over fewer cells than a vector has.
#define PB_SHORT_LOOP _Pragma("clang loop unroll(disable) vectorize(disable)")

namespace pb {

/// A strip of an operand: row r (or lane r) at step k of the loop is at[r * row + k * step].
template <class T>
struct Panel {
  const T *at;
  long row, step;
};

/// Whether some operand of an emitted class takes the place of another one (Tile::kThen).
template <class Tile>
constexpr bool joinsOperands() {
  if constexpr (Tile::kPanels > 0)
    for (const int then : Tile::kThen)
      if (then >= 0)
        return true;
  return false;
}
/// Whether blocks read something else than the cells of operand `p`, or of some operand (Tile::folded).
template <class Tile>
constexpr bool foldsOperand(int p) {
  if constexpr (requires { Tile::kFolds; })
    return Tile::kFolds[p];
  return false;
}
template <class Tile>
constexpr bool foldsOperands() {
  for (int p = 0; p < Tile::kPanels; ++p)
    if (foldsOperand<Tile>(p))
      return true;
  return false;
}

/// Puts the vector of step `k`, which the block itself has computed, into its strip, if that has this step.
template <int W, bool isPart, class T>
[[gnu::always_inline]] inline void keep(const Panel<T> &strip, long k, long k0, long k1, int v,
                                        Vector<T, W> value, long n) {
  if (k0 <= k && k < k1)
    store<W, isPart>(const_cast<T *>(strip.at) + (k - k0) * strip.step + v * W, value, n);
}

/// Copies a strip whose rows lie side by side: step k of row r goes to to[k * toStep + r].
template <class T>
[[gnu::always_inline]] inline void copySideBySide(const T *from, long step, long rows, long depth, T *to,
                                                  long toStep) {
  constexpr int W = kVectorBytes / static_cast<int>(sizeof(T));
  constexpr long kAhead = 16; // steps
  const long whole = rows / W * W, rest = rows - whole;
  for (long k = 0; k < depth; ++k, from += step, to += toStep) {
    for (long r = 0; r < whole; r += W) {
      __builtin_prefetch(from + r +
                         kAhead * step); // what lies side by side is too short for the processor to do it
      store<W, false>(to + r, load<W, false>(from + r, W), W);
    }
    if constexpr (kVectorBytes == 64) {
      if (rest)
        store<W, true>(to + whole, load<W, true>(from + whole, rest), rest);
    } else // no masks
      PB_SHORT_LOOP for (long r = whole; r < rows; ++r) to[r] = from[r];
  }
}

/// Copies a strip whose steps lie side by side along its rows, in the same way.
template <class T>
inline void copyTurned(const T *from, long row, long rows, long depth, T *to, long toStep) {
  constexpr int W = kVectorBytes / static_cast<int>(sizeof(T));
  for (long r = 0; r < rows; r += W) {
    const long here = minimum(rows - r, W);
    for (long k = 0; k < depth; k += W) {
      const long steps = minimum(depth - k, W);
      Vector<T, W> square[W];
      PB_TILE_EACH(i, W) {
        square[i] = Vector<T, W>{};
        if (i < here)
          square[i] = steps == W ? load<W, false>(from + (r + i) * row + k, W)
                                 : load<W, true>(from + (r + i) * row + k, steps);
      }
      turn<W, T>(square);
      PB_TILE_EACH(i, W)
      if (i < steps) {
        if (here == W)
          store<W, false>(to + (k + i) * toStep + r, square[i], W);
        else
          store<W, true>(to + (k + i) * toStep + r, square[i], here);
      }
    }
  }
}

/// Copies a strip of any form: step k of row r goes to to[k * toStep + r].
template <class T>
[[gnu::noinline]] void copyStrip(const Panel<T> &from, long rows, long depth, T *to, long toStep) {
  if (depth <= 0)
    return;
  if (from.row == 1)
    copySideBySide(from.at, from.step, rows, depth, to, toStep);
  else if (from.step == 1)
    copyTurned(from.at, from.row, rows, depth, to, toStep);
  else if (from.step == -1)
    copyTurned(from.at - (depth - 1), from.row, rows, depth, to + (depth - 1) * toStep, -toStep);
  else
    for (long k = 0; k < depth; ++k)
      for (long r = 0; r < rows; ++r)
        to[k * toStep + r] = from.at[r * from.row + k * from.step];
}

/// Copies one row along its steps, in the order in which they lie: the first of them goes to `to`, or to to[depth - 1] if steps go backward.
template <class T>
inline void copyRow(const T *from, long step, long depth, T *to) {
  if (depth <= 0)
    return;
  if (step == 1 || step == -1)
    __builtin_memcpy(to, step > 0 ? from : from - (depth - 1), static_cast<unsigned long>(depth) * sizeof(T));
  else
    for (long k = 0; k < depth; ++k)
      to[k] = from[k * step];
}

} // namespace pb
