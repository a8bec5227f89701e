// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Decides where rows, planes and versions of a temporary matrix begin.
//
// Rows begin at cache lines, so that a stencil loads its neighbours above and below in whole lines. Distances
// are no multiples of a page, because rows would then share a set of the cache. A version lies half a page
// from the version that is read while it is written, because a load whose address has the same last 12 bits
// as an earlier store waits for that store.
#include "runtime/abi/region.h"
#include <algorithm>
#include <initializer_list>

namespace pb {

namespace {

constexpr long kLine = 64, kPage = 4096;
constexpr unsigned long kLongRow = 8 * kLine;    // bytes; shorter ones stay together
constexpr unsigned long kLargeSlice = 8 * kPage; // so that half a page more is little

long roundedToLines(unsigned long bytes) { return static_cast<long>((bytes + kLine - 1) / kLine * kLine); }

/// The distance of an address from the nearest multiple of a page.
long fromPage(long bytes) {
  const long rest = (bytes % kPage + kPage) % kPage;
  return std::min(rest, kPage - rest);
}

/// The smallest distance, modulo pages, of a cell of one slice from the neighbours in another slice that
/// begins `apart` later.
long nearest(long apart, const long *strides, int rank, long bytes) {
  long least = fromPage(apart);
  for (int d = 1; d < rank; ++d)
    for (const long sign : {-1, 1})
      least = std::min(least, fromPage(apart + sign * strides[d] * bytes));
  return least;
}

} // namespace

extern "C" unsigned long pb_strides_apart(const int *extents, int rank, unsigned long bytes, long *strides) {
  unsigned long count = 1;
  for (int d = 0; d < rank; ++d) {
    strides[d] = static_cast<long>(count);
    count = cellsTimes(count, std::max(extents[d], 0), bytes);
    if (d + 1 == rank || count * bytes < kLongRow)
      continue;
    long slice = roundedToLines(count * bytes);
    if (d + 2 == rank && count * bytes >= kLargeSlice) {
      long best = slice;
      for (long other = slice; other < slice + kPage; other += kLine)
        if (nearest(other, strides, d + 1, static_cast<long>(bytes)) >
            nearest(best, strides, d + 1, static_cast<long>(bytes)))
          best = other;
      slice = best;
    } else if (slice % kPage == 0) {
      slice += kLine;
    }
    count = static_cast<unsigned long>(slice) / bytes;
  }
  return count;
}

} // namespace pb
