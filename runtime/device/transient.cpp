// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/tasks.h"
#include <algorithm>
#include <cstring>

namespace pb::device {
namespace {

/// Calls `copy(offset, bytes)` for each row.
template <class F>
void forRows(const std::vector<Transfer> &transfers, F copy) {
  for (const Transfer &t : transfers)
    for (long p = 0; p < t.planes; ++p)
      for (long r = 0; r < t.rows; ++r)
        copy(static_cast<long>(t.offset) + p * t.planeStride + r * t.rowStride, t.bytes);
}

struct Span2 {
  long low, high;
};

/// The range of bytes from the first to the last of its cells, relative to the base.
Span2 spanOf(const AnyRegion &m, int rank, int elementBytes) {
  Span2 s{0, elementBytes};
  for (int d = 0; d < rank; ++d) {
    const long reach = (m.extent[d] - 1L) * m.stride[d] * elementBytes;
    (reach < 0 ? s.low : s.high) += reach;
    if (m.extent[d] <= 0)
      return {0, 0};
  }
  return s;
}

Place placeFor(const LaunchMatrix &m, const Cells &cells) {
  Place p = m.place;
  p.cells = cells;
  return p;
}

} // namespace

Transient::Transient(const LaunchMatrix &m)
    : low_(static_cast<char *>(m.place.matrix.base)), offset_(0), lattice_(0) {
  const Span2 span = spanOf(m.place.matrix, m.place.rank, m.place.elementBytes);
  low_ += span.low;
  offset_ = -span.low;
  staging_.resize(static_cast<std::size_t>(span.high - span.low));
  lattice_ = Lattice(staging_.size());
  if (m.writes) {
    const Cover w = lattice_.cover(viewOf(placeFor(m, m.written), low_), {});
    written_ = w.cells;
    if (!m.covers || !w.exact)
      needed_ = w.cells;
  }
  if (m.reads)
    needed_.add(lattice_.cover(viewOf(placeFor(m, m.read), low_), {&written_, &needed_}).cells);
}

std::vector<Transfer> Transient::toDevice() {
  const std::vector<Transfer> transfers = lattice_.transfers(needed_);
  forRows(transfers, [&](long offset, unsigned long bytes) {
    std::memcpy(staging_.data() + offset, low_ + offset, bytes);
  });
  return transfers;
}

bool Transient::isOver(Management &m) const {
  return std::all_of(events.begin(), events.end(), [&](const EventRef &e) { return m.isOver(e); });
}

void Transient::scatter() {
  forRows(toHost(), [&](long offset, unsigned long bytes) {
    std::memcpy(low_ + offset, staging_.data() + offset, bytes);
  });
}

} // namespace pb::device
