// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Streaming stores: stores that go past the caches, for matrices that do not fit there anyway.
//
//   const pb::StreamingStores B_q(f.m_B);             // emitted: decided once for each part of the work
//   if (B_q.areUsed()) { ...                          // blocks of 256 bytes are computed in an array of the task
//     const long x = c - pb::cellsIntoBlock<32>(&B_p[c]);
//     pb::storeBlock<32>(&B_p[x], block);             // ... and stored without reading the lines of the matrix
//   }                                                 // the end of B_q waits until other threads see the cells
//
// A plain store reads the line of memory into which it stores, and pushes another one out of the caches: a third of what a map moves.
// Where a target has no such stores, plain ones take their place.
#pragma once
#include "region.h"

namespace pb {

extern "C" {
/// Bytes of a cache, by level from 1 to 3; 0: the machine has no third one. Defined in runtime/base/caches.cpp.
long pb_cache_bytes(int level);
}

/// How many cells of a row lie between the begin of a block of so many cells, some lines of the cache, and this cell. Cells lie at
/// multiples of their size, and blocks at multiples of theirs.
template <long kBlock, class T>
long cellsIntoBlock(const T *cell) {
  return long(reinterpret_cast<unsigned long>(cell) / sizeof(T) % kBlock);
}

/// Stores the cells of one block from an array of the task.
template <long kBlock, class T>
void storeBlock(T *to, const T *from) {
#if defined(__AVX512F__)
  constexpr long kBytes = 64;
#elif defined(__AVX__)
  constexpr long kBytes = 32;
#else
  constexpr long kBytes = 16;
#endif
  using Vector [[gnu::vector_size(kBytes), gnu::may_alias]] = long long;
  constexpr long kCells = kBytes / long(sizeof(T));
  static_assert(kBlock % kCells == 0);
#pragma GCC unroll 16
  for (long k = 0; k < kBlock; k += kCells) {
    Vector cells;
    __builtin_memcpy(&cells, from + k, sizeof cells);
#if __has_builtin(__builtin_nontemporal_store)
    __builtin_nontemporal_store(cells, reinterpret_cast<Vector *>(to + k));
#else
    __builtin_memcpy(to + k, &cells, sizeof cells);
#endif
  }
}

/// Whether the cells of a matrix are stored past the caches, as long as this object lives; at its end, other threads see them.
class StreamingStores {
public:
  enum class When {
    Large, // if the matrix is larger than the last cache of this machine, and its rows are long
    Always
  };
  /// `inputs`: where matrices begin that may be the very same view: what was just read is in the caches, and is stored there.
  template <class T, int D, class... Inputs>
  explicit StreamingStores(const Region<T, D> &matrix, When when = When::Large, const Inputs *...inputs)
      : areUsed_(when == When::Always || (isLarge(matrix) && (isAnother(matrix.base(), inputs) && ...))) {}
  ~StreamingStores() {
    if (!areUsed_)
      return;
#if defined(__x86_64__)
    __builtin_ia32_sfence();
#else
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
  }
  StreamingStores(const StreamingStores &) = delete;
  StreamingStores &operator=(const StreamingStores &) = delete;
  bool areUsed() const { return areUsed_; }

private:
  /// Blocks at the ends of rows are parts of blocks, which are stored plainly.
  static constexpr long kShortRow = 2048; // bytes

  template <class T, int D>
  static bool isLarge(const Region<T, D> &matrix) {
    return matrix.extents()[0] * long(sizeof(T)) >= kShortRow &&
           matrix.bytes() > maximum(pb_cache_bytes(2), pb_cache_bytes(3));
  }
  static bool isAnother(const void *matrix, const void *input) { return matrix != input; }
  static constexpr long maximum(long a, long b) { return a > b ? a : b; }

  const bool areUsed_;
};

} // namespace pb
