// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Integer helpers that emitted loops use (isl's floor division, minimum, maximum; alignment).
#pragma once

namespace pb {

/// Division that rounds towards minus infinity; b > 0.
constexpr long floordiv(long a, long b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }
/// Remainder in [0, b); b > 0.
constexpr long floormod(long a, long b) { return a - b * floordiv(a, b); }
constexpr long minimum(long a, long b) { return a < b ? a : b; }
constexpr long maximum(long a, long b) { return a > b ? a : b; }

/// How many of `count` cells come before the first cell that begins a cache line; 0 if so few cells are left
/// that aligning their vectors does not pay.
template <class T>
long cellsToLine(const T *first, long count) {
  constexpr long kLine = 64, kWorthIt = 8;
  if (count < kWorthIt * kLine / long(sizeof(T)))
    return 0;
  return long(-reinterpret_cast<unsigned long>(first) % kLine / sizeof(T));
}

} // namespace pb
