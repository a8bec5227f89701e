// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Decides whether regions overlap, and copies them (declared in runtime/abi/plan.h).
#include "runtime/abi/plan.h"
#include "runtime/matrix/storage.h"
#include <algorithm>
#include <cstring>

namespace pb {

namespace {

/// Whether two boxes over one matrix intersect, if b's corner lies `distance` elements after a's. The
/// distance is divided into whole strides, largest first; the smaller dimensions reach less than one stride
/// in either direction, so each quotient has two possible values. `unknown` if the strides do not nest.
bool boxesMeet(const RegionShape &a, const RegionShape &b, long distance, bool unknown, unsigned done = 0) {
  int largest = -1;
  for (int d = 0; d < a.rank; ++d)
    if (!(done >> d & 1) && (largest < 0 || a.stride[d] > a.stride[largest]))
      largest = d;
  if (largest < 0)
    return distance == 0;
  done |= 1u << largest;
  const long stride = a.stride[largest];
  long reach = 0;
  for (int d = 0; d < a.rank; ++d)
    if (!(done >> d & 1))
      reach += (std::max(a.extent[d], b.extent[d]) - 1L) * a.stride[d];
  if (reach >= stride)
    return unknown;
  const long below = distance / stride - (distance % stride < 0);
  for (const long q : {below, below + 1})
    if (q < a.extent[largest] && -q < b.extent[largest] &&
        boxesMeet(a, b, distance - q * stride, unknown, done))
      return true;
  return false;
}

struct AddressRange {
  long low, high; // half open
};

AddressRange addresses(const RegionShape &r) {
  AddressRange range{reinterpret_cast<long>(r.base), reinterpret_cast<long>(r.base)};
  for (int d = 0; d < r.rank; ++d) {
    const long reach = (r.extent[d] - 1L) * r.stride[d] * r.bytes;
    (reach < 0 ? range.low : range.high) += reach;
  }
  range.high += r.bytes;
  return range;
}

/// At most those of kTooManyBytes.
long cellsOf(const RegionShape &r) {
  unsigned long n = 1;
  for (int d = 0; d < r.rank; ++d)
    n = cellsTimes(n, r.extent[d], static_cast<unsigned long>(r.bytes));
  return static_cast<long>(n);
}

bool sameStrides(const RegionShape &a, const RegionShape &b) {
  if (a.rank != b.rank || a.bytes != b.bytes)
    return false;
  for (int d = 0; d < a.rank; ++d)
    if (a.stride[d] != b.stride[d] || a.stride[d] <= 0)
      return false;
  return true;
}

} // namespace

extern "C" bool pb_may_overlap(const RegionShape *a, const RegionShape *b) {
  if (cellsOf(*a) == 0 || cellsOf(*b) == 0)
    return false;
  const AddressRange first = addresses(*a), second = addresses(*b);
  if (first.high <= second.low || second.high <= first.low)
    return false;
  const long apart = reinterpret_cast<long>(b->base) - reinterpret_cast<long>(a->base);
  if (!sameStrides(*a, *b) || apart % a->bytes != 0)
    return true;
  return boxesMeet(*a, *b, apart / a->bytes, true);
}

extern "C" bool pb_overlaps(const RegionShape *a, const RegionShape *b) {
  if (cellsOf(*a) == 0 || cellsOf(*b) == 0)
    return false;
  if (a->base == b->base)
    return true;
  const long apart = reinterpret_cast<long>(b->base) - reinterpret_cast<long>(a->base);
  return sameStrides(*a, *b) && apart % a->bytes == 0 && boxesMeet(*a, *b, apart / a->bytes, false);
}

extern "C" Storage *pb_copy_cells(const RegionShape *from, void **data) {
  if (from->owner)
    if (matrix::StorageCompanion *devices = matrix::storageCompanion(from->owner))
      devices->toHost(*from);
  const long cells = cellsOf(*from);
  Storage *storage = pb_storage_allocate(static_cast<unsigned long>(cells * from->bytes), data);
  const char *source = static_cast<const char *>(from->base);
  char *target = static_cast<char *>(*data);
  const long width = from->rank ? from->extent[0] : 1;
  const long step = from->rank ? from->stride[0] * from->bytes : 0;
  int at[AnyRegion::kMaxRank] = {};
  for (long done = 0; done < cells; done += width) {
    long offset = 0;
    for (int d = 1; d < from->rank; ++d)
      offset += at[d] * from->stride[d];
    const char *row = source + offset * from->bytes;
    if (step == from->bytes)
      std::memcpy(target, row, static_cast<std::size_t>(width * from->bytes));
    else
      for (long x = 0; x < width; ++x)
        std::memcpy(target + x * from->bytes, row + x * step, static_cast<std::size_t>(from->bytes));
    target += width * from->bytes;
    for (int d = 1; d < from->rank && ++at[d] == from->extent[d]; ++d)
      at[d] = 0;
  }
  return storage;
}

} // namespace pb
