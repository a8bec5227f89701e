// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/transfer.h"

#include <utility>

namespace pb::device {

unsigned long transferBytes(const Transfer &t) {
  return t.rows > 0 && t.planes > 0 ? t.bytes * t.rows * t.planes : 0;
}

void checkTransfer(const Transfer &t, unsigned long bufferBytes) {
  if (transferBytes(t) == 0)
    return;
  __int128 low = t.offset, high = static_cast<__int128>(t.offset) + t.bytes;
  for (const auto &[count, stride] : {std::pair(t.rows, t.rowStride), std::pair(t.planes, t.planeStride)})
    (stride < 0 ? low : high) += static_cast<__int128>(count - 1) * stride;
  if (low < 0 || high > bufferBytes)
    throw std::logic_error("a copy of bytes " + std::to_string(static_cast<long>(low)) + " to " +
                           std::to_string(static_cast<long>(high)) + " of a buffer that has " +
                           std::to_string(bufferBytes));
}

Reach reachOf(const Transfer &t) {
  Reach r{static_cast<long>(t.offset), static_cast<long>(t.offset + t.bytes)};
  for (const auto &[count, stride] : {std::pair(t.rows, t.rowStride), std::pair(t.planes, t.planeStride)})
    (stride < 0 ? r.low : r.high) += (count - 1) * stride;
  return r;
}

Transfer packed(Transfer t) {
  if (t.rows == 1) { // planes are rows then
    t.rows = t.planes, t.rowStride = t.planeStride;
    t.planes = 1, t.planeStride = 0;
  }
  if (t.rows > 1 && t.rowStride == static_cast<long>(t.bytes)) {
    t.bytes *= t.rows;
    t.rows = t.planes, t.rowStride = t.planeStride;
    t.planes = 1, t.planeStride = 0;
    if (t.rows > 1 && t.rowStride == static_cast<long>(t.bytes))
      t.bytes *= t.rows, t.rows = 1, t.rowStride = 0;
  }
  return t;
}

} // namespace pb::device
