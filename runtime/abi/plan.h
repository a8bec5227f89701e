// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Small decisions that emitted entries make at run time, such as whether two regions may overlap.
//
//   if (pb::mayOverlap(f.m_B, f.m_A)) f.m_A = pb::copyOf(f.m_A);      // inputs are as they were at the call
#pragma once
#include "region.h"

namespace pb {

/// Marks code that runs once per call of a transform: it is optimised for size, because then it also compiles
/// fast.
#define PB_SMALL __attribute__((minsize))

/// A region without its element type.
struct RegionShape {
  const void *base;
  const long *stride; // in elements
  const int *extent;
  int rank;
  long bytes;     // of an element
  Storage *owner; // null for memory that no storage owns
};

extern "C" {
/// Whether some cell of `a` shares a byte with some cell of `b`. The answer is exact for two boxes of one
/// matrix (same strides); otherwise it compares address ranges, and may be yes when cells only interleave.
/// Defined in runtime/matrix/overlap.cpp.
bool pb_may_overlap(const RegionShape *a, const RegionShape *b);
/// Whether some cell of `a` is known to share a byte with some cell of `b`: they begin with the same cell, or are boxes of one matrix (same
/// strides) that meet. No where strides do not tell.
bool pb_overlaps(const RegionShape *a, const RegionShape *b);
/// New storage with the same cells, x contiguous; `*data` is set to where they begin. Its reference count is
/// 1.
Storage *pb_copy_cells(const RegionShape *from, void **data);
}

template <class T, int D>
RegionShape shapeOf(const Region<T, D> &r) {
  return {r.base(), r.strides(), r.extents(), D, sizeof(T), r.owner()};
}

template <class T, int D, class U, int E>
bool mayOverlap(const Region<T, D> &a, const Region<U, E> &b) {
  const RegionShape first = shapeOf(a), second = shapeOf(b);
  return pb_may_overlap(&first, &second);
}

template <class T, int D, class U, int E>
bool overlaps(const Region<T, D> &a, const Region<U, E> &b) {
  const RegionShape first = shapeOf(a), second = shapeOf(b);
  return pb_overlaps(&first, &second);
}

/// The same cells in the same order.
template <class T, int D, class U, int E>
bool sameView(const Region<T, D> &a, const Region<U, E> &b) {
  if constexpr (D != E || sizeof(T) != sizeof(U))
    return false;
  else {
    if (static_cast<const void *>(a.base()) != static_cast<const void *>(b.base()))
      return false;
    for (int d = 0; d < D; ++d)
      if (a.size(d) != b.size(d) || (a.size(d) > 1 && a.strides()[d] != b.strides()[d]))
        return false;
    return true;
  }
}

/// A new matrix with the same cells.
template <class T, int D>
Region<T, D> copyOf(const Region<T, D> &from) {
  const RegionShape shape = shapeOf(from);
  void *data = nullptr;
  Storage *storage = pb_copy_cells(&shape, &data);
  long stride[D + 1];
  long count = 1;
  for (int d = 0; d < D; ++d)
    stride[d] = count, count *= from.size(d);
  Region<T, D> to(static_cast<T *>(data), stride, from.extents(), storage);
  pb_storage_release(storage);
  return to;
}

} // namespace pb
