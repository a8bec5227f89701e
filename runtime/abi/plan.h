// Small decisions that emitted plans take at run time: may two regions overlap, into which parts is a loop cut.
//
//   if (pb::mayOverlap(f.m_B, f.m_A)) f.m_A = pb::copyOf(f.m_A);      // inputs are as they were at the call
//   co_await pb::forEachBox(box, pb::splitOf(box, f.pb_split, grain), kernel, &f);
#pragma once
#include "region.h"
#include "task.h"

namespace pb {

/// Whether two boxes over one matrix meet: b's corner lies `distance` elements after a's. Takes the distance apart
/// into whole strides, largest first; the smaller dimensions reach less than one stride in either direction, so
/// each quotient is one of two. Yes when the strides differ or do not nest.
template <int D>
bool boxesMeet(const long *stride, const long *otherStride, const int *a, const int *b, long distance, unsigned done = 0) {
  int largest = -1;
  for (int d = 0; d < D; ++d) {
    if (stride[d] != otherStride[d] || stride[d] <= 0)
      return true;
    if (!(done >> d & 1) && (largest < 0 || stride[d] > stride[largest]))
      largest = d;
  }
  if (largest < 0)
    return distance == 0;
  done |= 1u << largest;
  long reach = 0;
  for (int d = 0; d < D; ++d)
    if (!(done >> d & 1))
      reach += ((a[d] > b[d] ? a[d] : b[d]) - 1L) * stride[d];
  if (reach >= stride[largest])
    return true;
  long q = distance / stride[largest] - (distance % stride[largest] < 0);
  for (int k = 0; k < 2; ++k, ++q)
    if (q < a[largest] && -q < b[largest] &&
        boxesMeet<D>(stride, otherStride, a, b, distance - q * stride[largest], done))
      return true;
  return false;
}

/// Whether some cell of `a` shares a byte with some cell of `b`. Exact for two boxes of one matrix (same strides),
/// otherwise by their address ranges (may say yes when cells only interleave).
template <class T, int D, class U, int E>
bool mayOverlap(const Region<T, D> &a, const Region<U, E> &b) {
  if (a.count() == 0 || b.count() == 0)
    return false;
  const auto range = [](const auto &r, int rank, long size, long &low, long &high) {
    low = high = reinterpret_cast<long>(r.base());
    for (int d = 0; d < rank; ++d) {
      const long reach = (r.size(d) - 1L) * r.strides()[d] * size;
      (reach < 0 ? low : high) += reach;
    }
    high += size;
  };
  long aLow, aHigh, bLow, bHigh;
  range(a, D, sizeof(T), aLow, aHigh);
  range(b, E, sizeof(U), bLow, bHigh);
  if (aHigh <= bLow || bHigh <= aLow)
    return false;
  if constexpr (D == E && sizeof(T) == sizeof(U)) {
    const long bytes = reinterpret_cast<long>(b.base()) - reinterpret_cast<long>(a.base());
    if (bytes % static_cast<long>(sizeof(T)) == 0)
      return boxesMeet<D>(a.strides(), b.strides(), a.extents(), b.extents(), bytes / static_cast<long>(sizeof(T)));
  }
  return true;
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

/// A matrix of its own with the same cells.
template <class T, int D>
Region<T, D> copyOf(const Region<T, D> &from) {
  using Element = typename RemoveConst<T>::Type;
  long stride[D + 1];
  unsigned long count = 1;
  for (int d = 0; d < D; ++d)
    stride[d] = static_cast<long>(count), count *= static_cast<unsigned long>(from.size(d));
  void *data = nullptr;
  Storage *storage = pb_storage_allocate(count * sizeof(T), &data);
  Region<T, D> to(static_cast<Element *>(data), stride, from.extents(), storage);
  pb_storage_release(storage);
  int at[D + 1] = {};
  for (unsigned long i = 0; i < count; ++i) {
    long source = 0;
    for (int d = 0; d < D; ++d)
      source += at[d] * from.strides()[d];
    static_cast<Element *>(data)[i] = from.base()[source];
    for (int d = 0; d < D && ++at[d] == from.size(d); ++d)
      at[d] = 0;
  }
  return to;
}

/// Parts of about `cells` cells, long along dimension 0 of the box (x, the innermost loop); `grain[d]`: parts begin at
/// multiples of it.
inline Split splitOf(const Box &box, long cells, const long *grain) {
  Split split{};
  long rest = cells < 1 ? 1 : cells;
  for (int d = 0; d < box.rank; ++d) {
    const long extent = box.high[d] - box.low[d];
    long part = rest < extent ? rest : extent;
    if (part < 1)
      part = 1;
    if (grain[d] > 1)
      part = (part + grain[d] - 1) / grain[d] * grain[d];
    split.size[d] = part;
    rest = rest / part > 1 ? rest / part : 1;
  }
  return split;
}

} // namespace pb
