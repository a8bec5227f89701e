// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Helpers for implementations of transfers.
//
//   checkTransfer({.offset = 8, .bytes = 16, .rows = 3, .rowStride = 64}, 152)      // fits exactly
//   eachRow(t, [](unsigned long offset) { ... })                                     // 8, 72, 136
//   packed({.bytes = 64, .rows = 10, .rowStride = 64})                               // one row of 640 bytes
#pragma once
#include "runtime/device/device.h"

namespace pb::device {

unsigned long transferBytes(const Transfer &);

/// Throws std::logic_error if the transfer reaches outside of a buffer of that many bytes.
void checkTransfer(const Transfer &, unsigned long bufferBytes);

/// From the first byte to behind the last one that are touched, relative to the base.
struct Reach {
  long low, high;
};
Reach reachOf(const Transfer &);

/// The same bytes, with rows that follow each other without a gap joined into one.
Transfer packed(Transfer);

template <class Do>
void eachRow(const Transfer &t, Do &&each) {
  for (long plane = 0; plane < t.planes; ++plane)
    for (long row = 0; row < t.rows; ++row)
      each(t.offset + plane * t.planeStride + row * t.rowStride);
}

} // namespace pb::device
